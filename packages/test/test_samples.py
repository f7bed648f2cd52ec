"""Tests the samples for radios, for a generator that fails, and for measuring: their own sources run as processes, with
stand-ins for the headers of Zephyr and ESP-IDF (boards/).

What goes on the air are packets that the model of spec/ reads. Where generator, flash or network fails, nothing goes there, and
no sequence repeats where power fails."""
import re
from pathlib import Path

from packages.test.support import HERE, PROGRAM, SECTIONS, WITHOUT_UNUSED, PackageTest, counters, run

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
RADIOS = ("lorawan", "ble")
FIRST_READING, STEP = 500, 64
AIR = re.compile(r"^air ([0-9a-f]{36})$", re.MULTILINE)
PACKET = re.compile(r"^[0-9a-f]{36}$", re.MULTILINE)
REFUSED = re.compile(r"^(flash|counter|entropy): ", re.MULTILINE)
LORAWAN_KEYS = "".join(f"#define LORAWAN_{name} {{{', '.join('1' * length)}}}\n"
                       for name, length in (("DEV_EUI", 8), ("JOIN_EUI", 8), ("APP_KEY", 16)))
FLASH_FAULTS = ("open", "read", "read back", "write", "small", "lost")
REPORTED = {"open_us", "begin_us", "piece_us", "frame_bytes", "all_us", "workspace_bytes", "stack_bytes"}
# Options that the benchmark is built with, and the bytes of its frame and workspace.
BENCHMARKS = ((("ISOPOD_CHUNKS=1",), 12560), (("ISOPOD_CHUNKS=4",), 6416), (("ISOPOD_CHUNKS=4", "ISOPOD_FAULT_CHECK=1"), 6416))


class Samples(PackageTest):
    """One folder has the keys of one device, the programs and their flash."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        if not PROGRAM.exists():
            cls.skipTest(cls, f"{PROGRAM} is not built")
        cls.packages = {name: cls.package(cls, name) for name in ("zephyr", "esp-idf")}
        cls.zephyr = cls.packages["zephyr"]
        cls.make_library()
        cls.make_packet_keys(cls.zephyr / "tools/packet_keys.c", cls.zephyr / "include", cls.zephyr / "tools")
        (cls.folder / "lorawan_keys.h").write_text(LORAWAN_KEYS)
        for sample in (*RADIOS, "failing_random"):
            cls.compile("zephyr", cls.zephyr / f"samples/{sample}/src", ("main.c", "send_packet.c"), sample)

    @classmethod
    def table(cls) -> Path:
        """The tables of the packets' set."""
        return cls.zephyr / "src/tables/isopod_tables_ckks_1024x1_sum.c"

    @classmethod
    def compile(cls, package: str, folder: Path, sources: tuple[str, ...], program: str, *options: str) -> None:
        """Compiles a sample."""
        root = cls.packages[package]
        include = [f"-I{path}" for path in (HERE / "boards", HERE / "boards" / package, root / "include", root / "port", folder,
                                            cls.folder, cls.folder / "keys/device-1", cls.folder / "keys/public")]
        others = {"zephyr": [root / "board/packet_board.c"], "esp-idf": [HERE / "boards/esp-idf/start.c"]}[package]
        others = [] if package == "zephyr" and "send_packet.c" not in sources else others
        run(["gcc", "-std=c11", *WARNINGS, *SECTIONS, *include, *(f"-DCONFIG_{option}" for option in options),
             *(folder / source for source in sources), *others, cls.table(), cls.folder / "isopod.o", WITHOUT_UNUSED, "-o",
             program], cls.folder)

    def said(self, sample: str, loops: int, **environment: str) -> str:
        """The lines of a sample that sleeps so many times."""
        return run([f"./{sample}"], self.folder, LOOPS=str(loops), **environment)

    def sent(self, sample: str, loops: int, **environment: str) -> list[bytes]:
        """Packets that a sample puts on the air."""
        return [bytes.fromhex(packet) for packet in AIR.findall(self.said(sample, loops, **environment))]

    def hold(self, held: bytes | None) -> None:
        """Sets the flash; None makes it blank."""
        (self.folder / "memory").unlink(missing_ok=True)
        if held is not None:
            (self.folder / "memory").write_bytes(held)

    def test_radios_send_packets_with_their_readings(self):
        """A restart goes on behind the sequences that were reserved."""
        for sample in RADIOS:
            with self.subTest(sample):
                self.hold(None)
                first, again = self.sent(sample, 3), self.sent(sample, 2)
                self.assertEqual(counters(first + again), [1, 2, 3, STEP + 1, STEP + 2])
                wanted = [*range(FIRST_READING, FIRST_READING + 3), *range(FIRST_READING, FIRST_READING + 2)]
                for reading, true in zip(self.readings_of(first + again), wanted):
                    self.assertAlmostEqual(reading, true, delta=0.1)

    def test_nothing_is_sent_where_flash_or_generator_fails(self):
        """The text says which."""
        for sample in RADIOS:
            for fault in (*FLASH_FAULTS, "entropy"):
                with self.subTest(sample, fault=fault):
                    self.hold(None)
                    said = self.said(sample, 3, FAULT=fault)
                    self.assertEqual(AIR.findall(said), [])
                    self.assertRegex(said, REFUSED)

    def test_nothing_is_encrypted_without_a_network(self):
        """The flash stays blank."""
        for sample, fault in (("lorawan", "join"), ("lorawan", "device"), ("ble", "device")):
            with self.subTest(sample, fault=fault):
                self.hold(None)
                self.assertIn("no ", self.said(sample, 3, FAULT=fault))
                self.assertFalse((self.folder / "memory").exists())

    def test_a_packet_that_the_network_does_not_take_is_not_repeated(self):
        """Its number is used up."""
        self.hold(None)
        self.assertEqual(self.sent("lorawan", 3, FAULT="send"), [])
        self.assertEqual(counters(self.sent("lorawan", 1)), [STEP + 1])

    def test_no_sequence_repeats_where_power_fails(self):
        """Power fails amid every write and erase: when the flash is blank, inside a page, and at the change of pages."""
        self.hold(None)
        for starts in range(258):
            if starts in (0, 3, 256, 257):
                self.cut_everywhere(starts)
            self.assertEqual(counters(self.sent("lorawan", 1)), [starts * STEP + 1])

    def cut_everywhere(self, starts: int) -> None:
        """The start after the cut goes on beyond all that was sent."""
        before = (self.folder / "memory").read_bytes() if starts else None
        for cut in range(3):
            with self.subTest(starts=starts, cut=cut):
                self.hold(before)
                sent = self.sent("lorawan", 1, FAULT="cut", CUT=str(cut))
                used = counters(sent)[0] if sent else starts * STEP
                self.assertGreater(counters(self.sent("lorawan", 1))[0], used)
        self.hold(before)

    def test_a_generator_that_failed_once_sends_nothing_more(self):
        """Two packets, then three refusals. The next start sends again."""
        self.hold(None)
        for start in range(2):
            lines = self.said("failing_random", 0).splitlines()
            packets = [bytes.fromhex(line) for line in lines if PACKET.fullmatch(line)]
            self.assertEqual(counters(packets), [start * STEP + 1, start * STEP + 2])
            self.assertEqual([line.partition(":")[0] for line in lines[2:]], ["entropy"] * 3)

    def test_benchmarks_report_every_figure(self):
        """The workspace is that of the options."""
        for package, folder in (("zephyr", "samples/benchmark/src"), ("esp-idf", "examples/benchmark/main")):
            for options, workspace in BENCHMARKS:
                with self.subTest(package, options=options):
                    self.compile(package, self.packages[package] / folder, ("main.c", "benchmark.c"), "benchmark",
                                 "ISOPOD_STACK_BYTES=4096", *options)
                    lines = self.said("benchmark", 0).splitlines()
                    self.assertTrue(lines[-1].startswith("success"), lines)
                    found = {name: int(number) for name, number in map(str.split, lines[:-1])}
                    self.assertEqual(found.keys(), REPORTED)
                    self.assertEqual((found["frame_bytes"], found["workspace_bytes"]), (6745, workspace))
                    self.assertGreaterEqual(found["all_us"], found["begin_us"] + found["piece_us"])
