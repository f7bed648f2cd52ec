"""Tests how the samples count their starts, in the samples' own sources.

Every start that sends has an epoch of its own. If the memory cannot be read or does not keep a count, nothing is sent. The
programs run on this machine, with stand-ins for each platform's headers (boards/)."""
import json
import re
import shutil
import struct
import tomllib
from dataclasses import dataclass
from pathlib import Path

from packages import build
from packages.test.support import HERE, PROGRAM, ROOT, SECTIONS, WITHOUT_UNUSED, PackageTest, attempt, run

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
HEXADECIMAL = re.compile(r"[0-9a-fA-F]+")
LAST = 2**32 - 1
KEPT = 7
STATUSES = {entry["name"]: entry for entry in tomllib.loads((ROOT / "spec/status.toml").read_text())["status"]}


def crc32c(data: bytes) -> int:
    """The checksum of a record (isopod/counter.h)."""
    crc = LAST
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ LAST


def number(count: int) -> bytes:
    """A count in the form that Zephyr and ESP-IDF keep."""
    return struct.pack("=I", count)


def record(count: int) -> bytes:
    """A count in the form that the library keeps, followed by blank memory."""
    fields = struct.pack("<QI", count, LAST)
    return (fields + struct.pack("<I", crc32c(fields))).ljust(4096, b"\xff")


def text(status: str) -> str:
    """The beginning of the line in which the samples of Zephyr and ESP-IDF print a status."""
    return f"{status}: {STATUSES[status]['about']};"


@dataclass(frozen=True)
class Board:
    """The sample of a package: its folder and sources, its set, the faults of the platform's memory, and wrong contents of
    that memory."""

    package: str
    sample: str
    sources: tuple[str, ...]
    headers: str
    set_name: str
    stand_in: str
    faults: tuple[str, ...]
    wrong: tuple[bytes, ...]
    refusals: tuple[str, ...]
    compiler: tuple[str, ...] = ("gcc", "-std=c11")

    def memory(self, count: int) -> bytes:
        """The bytes of a memory that holds this count."""
        return record(count) if self.package == "arduino" else number(count)


NUMBERS = (number(LAST), number(0), b"", number(KEPT)[:2], number(KEPT) * 2)
FAULTS = ("start", "read", "read back", "write", "lost")
REFUSALS = (text("sender"),)
IDF = {"headers": "include", "set_name": "ckks-2048x1-air", "stand_in": "esp-idf", "faults": (*FAULTS, "open", "commit"),
       "wrong": NUMBERS, "refusals": REFUSALS}
BOARDS = (
    Board("zephyr", "samples/send_readings/src", ("main.c", "send_readings.c"), "include", "ckks-2048x1-air", "zephyr",
          (*FAULTS, "short write"), NUMBERS, REFUSALS),
    Board("esp-idf", "examples/send_readings/main", ("main.c", "send_readings.c", "start.c"), **IDF),
    Board("platformio", "examples/send_readings/src", ("main.c", "send_readings.c", "start.c"), **IDF),
    Board("arduino", "examples/send_readings", ("send_readings.ino",), "src", "ckks-1024x1-sum", "arduino", ("lost",),
          (record(LAST), bytes(4096), b"\xa5" * 4096),
          tuple(f"status {STATUSES[name]['value']}" for name in ("flash", "counter")),
          ("g++", "-std=c++17", "-include", "Arduino.h")),
)


class Starts(PackageTest):
    """Each sample has one folder with the program, the keys of its set, and the memory."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.make_library()

    def setUp(self) -> None:
        if not PROGRAM.exists():
            self.skipTest(f"{PROGRAM} is not built")

    def keys(self, set_name: str) -> Path:
        """The keys of a set, which are made once."""
        folder = self.folder / set_name
        if not folder.exists():
            run([PROGRAM, "keygen", "--set", set_name, "--seeded-public-key", "--out", folder], ISOPOD_PASSPHRASE="of a test")
        return folder

    def built(self, board: Board) -> Path:
        """A folder with the packaged sample, compiled once, and blank memory. Arduino's also has a generator."""
        folder = self.folder / f"{board.package}-program"
        if not folder.exists():
            self.build(board, self.package(board.package), folder)
        self.hold(folder, None)
        return folder

    def build(self, board: Board, package: Path, folder: Path) -> None:
        """Puts sample, stand-ins and keys into a folder and compiles them."""
        shutil.copytree(package / board.sample, folder)
        keys, stand_in = self.keys(board.set_name), HERE / "boards" / board.stand_in
        for file in (*stand_in.glob("*.c"), keys / "device-1/isopod_keys.h", keys / "public/isopod_public_key.h",
                     *([HERE / "board_random.h"] if board.package == "arduino" else [])):
            shutil.copy(file, folder)
        self.compile(board, package, folder)

    def compile(self, board: Board, package: Path, folder: Path) -> None:
        """Compiles the program in its folder."""
        include = [f"-I{path}" for path in (HERE / "boards", HERE / "boards" / board.stand_in, package / board.headers,
                                               package / "port", ".")]
        table = package / f"src/tables/isopod_tables_{board.set_name.replace('-', '_')}.c"
        run(["gcc", *include, "-c", table, "-o", "tables.o"], folder)
        language = ["-x", "c++"] if board.package == "arduino" else []
        objects = ["-x", "none", "tables.o", self.folder / "isopod.o"]
        run([*board.compiler, *WARNINGS, *SECTIONS, WITHOUT_UNUSED, *include, *language, *board.sources, *objects, "-o",
             "program"], folder)

    def sent(self, folder: Path, **environment: str) -> tuple[bytes, list[str]]:
        """Starts the program once; the bytes that it sends and the lines that it prints."""
        done = attempt(["./program"], folder, **environment)
        self.assertEqual(done.returncode, 0, done.stdout)
        lines = done.stdout.splitlines()
        return (bytes.fromhex("".join(line for line in lines if HEXADECIMAL.fullmatch(line))),
                [line for line in lines if line and not HEXADECIMAL.fullmatch(line)])

    def epoch(self, board: Board, folder: Path, frame: bytes) -> int:
        """The epoch of a frame, which must be authentic."""
        (folder / "frame.bin").write_bytes(frame)
        said = run([PROGRAM, "inspect", "--json", "--keys", self.keys(board.set_name) / "server", folder / "frame.bin"])
        item, = json.loads(said)["items"]
        self.assertEqual(item["authenticity"], "verified")
        return item["epoch"]

    def assert_silent(self, board: Board, folder: Path, **environment: str) -> None:
        """Not one byte is sent, and the text gives the reason."""
        frame, said = self.sent(folder, **environment)
        self.assertEqual(frame, b"")
        self.assertEqual(len(said), 1)
        self.assertTrue(said[0].startswith(board.refusals), said[0])

    def test_every_start_has_an_epoch_of_its_own(self):
        """The first start finds blank memory."""
        for board in BOARDS:
            folder = self.built(board)
            for expected in (1, 2, 3):
                with self.subTest(board.package, start=expected):
                    frame, _ = self.sent(folder)
                    self.assertEqual(self.epoch(board, folder, frame), expected)

    def test_nothing_is_sent_where_the_memory_fails(self):
        """Covers every fault of the platform, at the first start and at a later one. The next good start has a fresh epoch."""
        for board in BOARDS:
            folder = self.built(board)
            for fault in board.faults:
                for count in (0, KEPT):
                    with self.subTest(board.package, fault=fault, count=count):
                        self.hold(folder, board.memory(count) if count else None)
                        self.assert_silent(board, folder, FAULT=fault)
                        self.assert_next_is_fresh(board, folder, count)

    def assert_next_is_fresh(self, board: Board, folder: Path, count: int) -> None:
        """When the memory works again, a start sends under an epoch beyond the count, or refuses the contents that the fault
        left."""
        frame, said = self.sent(folder)
        if frame:
            self.assertGreater(self.epoch(board, folder, frame), count)
        else:
            self.assertTrue(said[0].startswith(board.refusals), said[0])

    def test_nothing_is_sent_where_the_memory_holds_no_count_that_has_a_next(self):
        """The memory holds the last count, zeros, too few bytes, too many, or foreign bytes."""
        for board in BOARDS:
            folder = self.built(board)
            for held in board.wrong:
                with self.subTest(board.package, held=held[:16].hex()):
                    self.hold(folder, held)
                    self.assert_silent(board, folder)

    def test_nothing_is_sent_without_a_device_key(self):
        """A header of zeros stands in place of the key."""
        refusal = text("sender"), f"status {STATUSES['sender']['value']}"
        for board in BOARDS:
            folder = self.folder / f"{board.package}-without-key"
            shutil.copytree(self.built(board), folder)
            header = (folder / "isopod_keys.h").read_text()
            (folder / "isopod_keys.h").write_text(re.sub(r"(isopod_frame_key\[8\] = \{)[^}]*", r"\1 0", header))
            self.compile(board, self.folder / build.folder_name(board.package, self.manifest), folder)
            with self.subTest(board.package):
                frame, said = self.sent(folder)
                self.assertEqual(frame, b"")
                self.assertTrue(said[0].startswith(refusal), said[0])

    def test_no_epoch_repeats_where_power_fails(self):
        """Power fails at every byte that Arduino's EEPROM takes: when it is blank, inside a page, and at the change of pages."""
        board = BOARDS[-1]
        folder = self.built(board)
        for starts in (0, 2, 16):
            self.hold(folder, None)
            for _ in range(starts):
                self.sent(folder)
            before = (folder / "memory").read_bytes() if starts else None
            for cut in range(0, 150, 7):
                with self.subTest(starts=starts, cut=cut):
                    self.hold(folder, before)
                    frame, _ = self.sent(folder, FAULT="cut", CUT=str(cut))
                    used = self.epoch(board, folder, frame) if frame else starts
                    self.assertGreater(self.epoch(board, folder, self.sent(folder)[0]), used)

    def hold(self, folder: Path, held: bytes | None) -> None:
        """Sets the contents of the memory; None makes it blank."""
        (folder / "memory").unlink(missing_ok=True)
        if held is not None:
            (folder / "memory").write_bytes(held)
