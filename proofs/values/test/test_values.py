"""Tests of the runs of Eva that need no Frama-C: `python3 -m unittest proofs.values.test.test_values`."""
import random
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from proofs.functions.contracts import SOURCES, defined
from proofs.values import analysis, free, reduction
from proofs.values.run import without_alarm

TABLE = """directory\tfile\tline\tfunction\tproperty kind\tstatus\tproperty
device/src/ring\tpacking.c\t{line}\tisopod_pack_in_place\tmem_access\t{status}\t\\valid(out)
device/src/ring\tpacking.c\t{line}\tisopod_pack_in_place\tpostcondition\tUnknown\tproved elsewhere
"""
COVERAGE = """[metrics] Statements analyzed by Eva
  isopod_pack_in_place: 12 stmts out of 14 (85.7%)
  layer_pair_0: 2 stmts out of 2 (100.0%)
"""


class Outcomes(unittest.TestCase):
    """Output of Frama-C is understood."""

    def outcome(self, status: str) -> analysis.Outcome:
        """The outcome of the output above, with the status of an alarm in the only function of ring/packing.c."""
        path = SOURCES / "ring/packing.c"
        line = path.read_text()[:path.read_text().index("isopod_pack_in_place")].count("\n") + 2
        return analysis.outcome(COVERAGE, TABLE.format(line=line, status=status), [path, SOURCES / "ring/ntt.c"])

    def test_an_alarm_belongs_to_the_function_of_its_line(self) -> None:
        """An unknown status is an alarm; what contracts say of the function itself is none."""
        place = "ring/packing.c", "isopod_pack_in_place"
        for status in ("Unknown", "Invalid", "Invalid or unreachable"):
            found = self.outcome(status)
            self.assertEqual(list(found.alarms), [place])
            self.assertEqual(len(found.alarms[place]), 1)
            self.assertNotIn("isopod_pack_in_place", without_alarm([found]).get("ring/packing.c", []))
        found = self.outcome("Valid")
        self.assertEqual(found.alarms, {})
        self.assertEqual(found.reached[place], (12, 14))
        self.assertEqual(without_alarm([found])["ring/packing.c"], ["isopod_pack_in_place"])

    def test_an_alarm_of_one_run_counts_in_all(self) -> None:
        """The order of runs does not matter."""
        runs = [self.outcome("Valid"), self.outcome("Unknown")]
        for some in (runs, runs[::-1]):
            self.assertNotIn("ring/packing.c", without_alarm(some))

    def test_an_outcome_is_kept_whole(self) -> None:
        """JSON keeps all of it."""
        found = self.outcome("Unknown")
        self.assertEqual(analysis.Outcome.read(found.written()), found)

    def test_of_functions_with_one_name_the_number_tells_which(self) -> None:
        """Frama-C numbers all but the first of a name, in the order of files; between headers and files nothing is told."""
        files = sorted([SOURCES / "random/suite_shake256.c", SOURCES / "random/stream.c"])
        names = analysis.owners(files)
        self.assertEqual(analysis.owner_of("next_block", names), ("random/stream.c", "next_block"))
        self.assertEqual(analysis.owner_of("next_block_0", names), ("random/suite_shake256.c", "next_block"))
        self.assertIsNone(analysis.owner_of("next_block_1", names))
        self.assertIsNone(analysis.owner_of("nowhere", names))
        self.assertEqual(analysis.owner_of("isopod_load32_7", analysis.owners([SOURCES / "random/chacha20.c"])),
                         ("base/memory.h", "isopod_load32"))
        twice = sorted([SOURCES / "packet/body/packet_stream.c", SOURCES / "packet/body/packet_transform.c"])
        self.assertEqual(analysis.owner_of("subtract_0", analysis.owners(twice)), ("packet/body/packet_transform.c", "subtract"))

    @unittest.skipUnless(shutil.which("gcc") and shutil.which("awk"), "gcc or awk is missing")
    def test_demands_are_checked_and_not_assumed(self) -> None:
        """Only in the library and in harnesses, not in Frama-C's headers; once, however often a text goes through."""
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "frama-c").mkdir()
        (folder / "frama-c/own.h").write_text("/*@ requires p != 0; */\nvoid g(int *p);\n")
        own = "/*@ requires p != 0;\n    requires *p > 1; */\nvoid f(int *p) {}\n"
        (folder / "a.c").write_text(f'#include "{folder}/frama-c/own.h"\n{own}')
        for given, told in (("a.c", "b.c"), ("b.c", "c.c")):
            command = analysis.CHECKED.replace("%args", "").replace("%i", given).replace("%o", told)
            subprocess.run(command, shell=True, check=True, cwd=folder)
            text = (folder / told).read_text()
            self.assertEqual(text.count(" check requires "), 2)
            self.assertIn("/*@ requires p != 0; */", text)


class Harnesses(unittest.TestCase):
    """Harnesses name files that are there."""

    def test_rooms_stubs_and_functions_exist(self) -> None:
        """Each room has files, each stub stands for some, each first function is defined."""
        self.assertGreaterEqual(len(analysis.runs()), 20)
        for path, main in analysis.runs():
            found = analysis.settings(path)
            for room in found["rooms"]:
                self.assertTrue((SOURCES / room).exists(), (path.name, room))
            for stub in found["stubs"]:
                self.assertTrue((analysis.SUPPORT / stub).exists(), stub)
                self.assertTrue(all((SOURCES / file).exists() for file in analysis.STUBS[stub]), stub)
            self.assertRegex(path.read_text(), rf"(?m)^(int|void) {main}\(void\) {{$")

    def test_the_table_names_functions_of_the_library(self) -> None:
        """A function that is gone does not count."""
        names = {str(path.relative_to(SOURCES)): found for path, found in defined().items()}
        for file, functions in free.listed().items():
            self.assertEqual(len(functions), len(set(functions)), file)
            self.assertLessEqual(set(functions), set(names[file]), file)


class Reduction(unittest.TestCase):
    """The bound of isopod_reduce, which Eva takes for granted."""

    def test_holds_for_every_prime(self) -> None:
        """All sets, and values at random beside the ends of quotients."""
        self.assertGreaterEqual(len(reduction.primes()), 40)
        self.assertEqual(reduction.wrong(), [])
        some = random.Random(1)
        for modulus, barrett in reduction.primes():
            for value in (some.randint(reduction.LEAST, reduction.MOST) for _ in range(200)):
                k = reduction.quotient(value, barrett)
                self.assertLessEqual(abs(value - k * modulus), 3 * modulus // 4)

    def test_a_wrong_constant_is_seen(self) -> None:
        """Barrett's constant is off by two for one prime of 20 bits."""
        modulus, barrett = next(one for one in reduction.primes() if one[0] < 1 << 21)
        self.assertTrue(any(abs(value - k * modulus) > 3 * modulus // 4 for value, k in reduction.ends(modulus, barrett + 2)))


if __name__ == "__main__":
    unittest.main()
