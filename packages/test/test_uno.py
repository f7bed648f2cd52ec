"""Tests the Arduino library's packets on an Arduino Uno, simulated by boards/uno/board.c.

The sketch is the packaged one, built by Debian's tools. What it sends is what the library sends on this machine, and what the
model of spec/ reads. No reset repeats a number, and a noise source that fails sends nothing."""
import re
import shutil
import subprocess
from pathlib import Path

from packages.test.support import HERE, PROGRAM, WITHOUT_UNUSED, PackageTest, attempt, counters, run

UNO = "arduino:avr:uno"
RAM = 2048
HERTZ = 16_000_000
MILLIVOLTS = 2500  # at the pin, of 5000
READING = 511  # of the converter, 0 to 1023
NEVER = -1
FAR = 256  # cycles of jitter: any value of a sample is as likely as any other
STEP = 64
RECORD_BYTES, RECORDS = 16, 32  # of both pages
PACKET = re.compile(r"^([0-9A-F]{36})\r?$", re.MULTILINE)
NUMBER = re.compile(r"^(\w+) (\d+)$", re.MULTILINE)
REFUSED = "status -10\n"  # ISOPOD_ERROR_ENTROPY


class Uno(PackageTest):
    """One folder has the keys, the library for this machine, and the simulator of the board."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        if not PROGRAM.exists():
            cls.skipTest(cls, f"{PROGRAM} is not built")
        cls.needs(cls, "arduino-builder", "avr-gcc", "gcc")
        made = attempt(["gcc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", HERE / "boards/uno/board.c", "-o", "board",
                        "-lsimavr"], cls.folder)
        if "simavr/" in made.stdout:
            cls.skipTest(cls, "libsimavr-dev not found; ./bootstrap.sh packages installs it")
        cls.programs = {}
        cls.library = cls.folder / "libraries/Isopod"
        shutil.copytree(cls.package(cls, "arduino"), cls.library)
        cls.make_library()
        cls.make_packet_keys(cls.library / "extras/packet_keys.c", cls.library / "src", cls.library / "examples/send_packet")

    def sketch(self, name: str, board_random: str | None = None) -> Path:
        """The packaged sketch, with the keys and perhaps another generator beside it."""
        folder = self.folder / f"sketches/{name}"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.library / f"examples/{name}", folder)
        shutil.copy(self.folder / "packet_keys.h", folder)
        if board_random:
            (folder / "board_random.h").write_text(board_random)
        return folder / f"{name}.ino"

    def built(self, name: str, board_random: str | None = None) -> tuple[Path, int]:
        """The sketch for the board, without long pauses, and the RAM of its variables. Each is built once."""
        if (name, board_random) not in self.programs:
            program, used = self.sketch_built(UNO, self.sketch(name, board_random), "-DINTERVAL_MS=5")
            kept = self.folder / f"{len(self.programs)}.elf"
            self.programs[name, board_random] = shutil.copy(program, kept), used
        return self.programs[name, board_random]

    def with_watchdog(self, bits: int) -> tuple[Path, int]:
        """The sketch with the watchdog's noise, which is said to have so many bits in a sample."""
        written = (self.library / "examples/send_packet/board_random.h").read_text()
        self.assertIn("ENTROPY_BITS = 0;", written)
        return self.built("send_packet", written.replace("ENTROPY_BITS = 0;", f"ENTROPY_BITS = {bits};"))

    def with_repeating_numbers(self) -> Path:
        """The sketch with the generator that has the same numbers on every machine."""
        return self.built("send_packet", (HERE / "board_random.h").read_text())[0]

    def started(self, program: Path, lines: int, cut: int = NEVER, jitter: int = FAR) -> tuple[str, dict[str, int]]:
        """Starts the board: its serial line, and the simulator's numbers."""
        words = [self.folder / "board", program, self.folder / "eeprom", MILLIVOLTS, lines, cut, jitter]
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=600, check=True)
        said = "".join(line for line in done.stdout.splitlines(True) if not line.startswith("Loaded "))
        return said, {name: int(value) for name, value in NUMBER.findall(done.stderr)}

    def packets(self, program: Path, lines: int, cut: int = NEVER) -> list[bytes]:
        """Packets that the board sends until it has said so many lines."""
        return [bytes.fromhex(packet) for packet in PACKET.findall(self.started(program, lines, cut)[0])]

    def hold(self, held: bytes | None) -> None:
        """Sets the EEPROM; None makes it blank."""
        (self.folder / "eeprom").unlink(missing_ok=True)
        if held is not None:
            (self.folder / "eeprom").write_bytes(held)

    def on_this_machine(self, loops: int) -> list[bytes]:
        """Packets that the sketch sends as a process."""
        folder = self.sketch("send_packet", (HERE / "board_random.h").read_text()).parent
        include = [f"-I{path}" for path in (HERE / "boards", HERE / "boards/arduino", self.library / "src", ".")]
        run(["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-include", "Arduino.h", *include, "-x", "c++",
             "send_packet.ino", "-x", "none", self.folder / "isopod.o", WITHOUT_UNUSED, "-o", "program"], folder)
        (folder / "memory").unlink(missing_ok=True)
        return [bytes.fromhex(packet) for packet in PACKET.findall(run(["./program"], folder, READING=str(READING),
                                                                       LOOPS=str(loops)))]

    def test_packets_are_those_of_this_machine_and_hold_the_reading(self):
        """The first three, in the library on this machine and in the model; the item that registers the context, too."""
        self.hold(None)
        sent = self.packets(self.with_repeating_numbers(), 3)
        self.assertEqual(counters(sent), [1, 2, 3])
        self.assertEqual(sent, self.on_this_machine(3))
        context, device_key = self.packet_context()
        self.assertEqual((self.folder / "context.bin").read_bytes(), context.item(device_key, 1, 0))
        for reading in self.readings_of(sent):
            self.assertAlmostEqual(reading, READING, delta=0.1)

    def test_no_sequence_repeats_where_power_fails(self):
        """Power fails at every write of a start: when the EEPROM is blank, inside a page, and at the change of pages."""
        program = self.with_repeating_numbers()
        self.hold(None)
        for starts in range(RECORDS + 1):
            if starts in (0, 3, RECORDS // 2, RECORDS):
                self.cut_everywhere(program, starts)
            self.assertEqual(counters(self.packets(program, 1)), [starts * STEP + 1])

    def cut_everywhere(self, program: Path, starts: int) -> None:
        """Power fails at every write of the next start; the start after it goes on beyond all that was sent."""
        before = (self.folder / "eeprom").read_bytes() if starts else None
        _, numbers = self.started(program, 1)
        self.assertGreater(numbers["writes"], RECORD_BYTES // 2)
        for cut in range(numbers["writes"]):
            with self.subTest(starts=starts, cut=cut):
                self.hold(before)
                self.assertEqual(self.packets(program, 1, cut), [])
                after, = counters(self.packets(program, 1))
                self.assertGreater(after, starts * STEP)
        self.hold(before)

    def test_nothing_is_sent_without_noise(self):
        """The delivered sketch does not know how random the noise is. A steady watchdog fails the health tests."""
        self.hold(None)
        self.assertEqual(self.started(self.with_watchdog(0)[0], 1)[0], REFUSED)
        self.assertEqual(self.started(self.with_watchdog(1)[0], 3, jitter=1)[0], REFUSED * 3)

    def test_noise_of_the_watchdog_sends_within_the_memory(self):
        """With one bit in a sample, the first packet waits for 1,344 samples. Variables and stack leave room."""
        self.hold(None)
        program, used = self.with_watchdog(1)
        said, numbers = self.started(program, 1)
        self.assertEqual(len(PACKET.findall(said)), 1, said)
        self.assertAlmostEqual(numbers["cycles"] / HERTZ, 1344 * 0.016, delta=1)
        self.assertLess(used + numbers["stack_bytes"], RAM - 256)

    def test_samples_are_printed_for_an_assessment(self):
        """Each line is a sample."""
        said, _ = self.started(self.built("print_noise")[0], 50)
        samples = [int(line) for line in said.split()]
        self.assertGreater(len(set(samples)), 25)
        self.assertLess(max(samples), 256)
