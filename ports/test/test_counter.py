"""Tests that the counters are exact: known code gives known counts, across pages, in nested regions, in every run."""
import tempfile
import unittest
from pathlib import Path

from ports import emulate

EMPTY, NOPS, LOOP = 0, 100, 300000
OUTER, INNER = 15, 5
BORDERS = [4] * 20
EMULATED = tuple(port for port in emulate.PORTS if port != "linux")
EXPECTED = [EMPTY, NOPS, LOOP, OUTER, INNER, *BORDERS]


class Counter(unittest.TestCase):
    """Tests the QEMU plugin on boards and under qemu-user, and callgrind on the linux port."""

    @classmethod
    def setUpClass(cls) -> None:
        emulate.make(f"{emulate.BUILD}/counter/libcounter.so")
        sources = ["bench/counter/test/exact.c"]
        cls.elf = {port: emulate.build_app(port, "exact", [*sources, "bench/counter/test/known.S"])
                   for port in EMULATED}
        cls.elf["linux"] = emulate.build_app("linux", "exact", sources)

    def count(self, port: str, words: list[str]) -> list[int]:
        """Counts the regions of one run."""
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder, "regions")
            done = emulate.run(emulate.command(port, self.elf[port], words, out))
            self.assertEqual(done.returncode, 0, done.stderr)
            return emulate.regions(out)

    def test_exact_twice(self) -> None:
        for port in EMULATED:
            for _ in range(2):
                with self.subTest(port=port):
                    self.assertEqual(self.count(port, []), EXPECTED)

    def test_traces_tell_what_differs(self) -> None:
        for port in EMULATED:
            with self.subTest(port=port), tempfile.TemporaryDirectory() as folder:
                out = Path(folder, "regions")
                traces = []
                for _ in range(2):
                    emulate.run(emulate.command(port, self.elf[port], [], out, traced=True))
                    traces.append(emulate.traces(out))
                self.assertEqual(sorted(traces[0]), list(range(len(EXPECTED))))
                self.assertEqual(traces[0], traces[1])
                self.assertEqual(traces[0][EXPECTED.index(EMPTY)], "0" * 16)
                borders = EXPECTED.index(INNER) + 1
                self.assertEqual(traces[0][borders], traces[0][borders + 1])  # two entries to the same code
                self.assertNotEqual(traces[0][borders + 1], traces[0][borders + 2])  # equal counts, other code

    def test_functions_add_up(self) -> None:
        for port in emulate.BOARDS:  # qemu-user does not pass names on
            with self.subTest(port=port), tempfile.TemporaryDirectory() as folder:
                out = Path(folder, "regions")
                emulate.run(emulate.command(port, self.elf[port], [], out))
                self.assertEqual(emulate.functions(out, 2), {"exact_loop": LOOP})
                for region, expected in enumerate(EXPECTED):
                    inner = region == EXPECTED.index(INNER)
                    self.assertEqual(sum(emulate.functions(out, region).values()), 0 if inner else expected)

    def test_unbalanced_regions_are_errors(self) -> None:
        for mistake, message in (("open", "never ended"), ("close", "never began")):
            for port in EMULATED:
                with self.subTest(port=port, mistake=mistake), self.assertRaisesRegex(ValueError, message):
                    self.count(port, [mistake])

    def test_bad_arguments_are_refused(self) -> None:
        plugin = f"{emulate.BUILD}/counter/libcounter.so"
        for option in (f"{plugin},target=mips,out=x", f"{plugin},target=thumb", f"{plugin},out=x"):
            done = emulate.run([*emulate.MACHINE["mps2-an386"], "-nographic", "-plugin", option])
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("counter: ", done.stderr)

    def test_callgrind(self) -> None:
        empty, nops, loop = emulate.callgrind(self.elf["linux"], [])
        self.assertEqual(nops - empty, 100)
        self.assertEqual(loop - empty, 200000 + 1)
