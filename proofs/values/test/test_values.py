"""Tests of the runs of Eva that need no Frama-C: `python3 -m unittest proofs.values.test.test_values`."""
import random
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from proofs.functions.contracts import SOURCES, defined
from proofs.values import analysis, free, instances, reduction
from proofs.values.run import without_alarm

TABLE = """directory\tfile\tline\tfunction\tproperty kind\tstatus\tproperty
device/src/ring\tpacking.c\t{line}\tisopod_pack_in_place\tmem_access\t{status}\t\\valid(out)
device/src/ring\tpacking.c\t{line}\tisopod_pack_in_place\tpostcondition\tUnknown\tproved elsewhere
"""
COVERAGE = """[metrics] Defined functions
  Stats for function <device/src/ring/packing.c/isopod_pack_in_place>
  Stats for function <device/src/ring/ntt.c/layer_pair_0>
  Stats for function <device/src/ring/ntt.c/layer_pair>
[metrics] Statements analyzed by Eva
  isopod_pack_in_place: 12 stmts out of 14 (85.7%)
  layer_pair_0: 2 stmts out of 2 (100.0%)
"""


class Outcomes(unittest.TestCase):
    """Output of Frama-C is understood."""

    def outcome(self, status: str) -> analysis.Outcome:
        """The outcome of the output above, with the status of an alarm in the only function of ring/packing.c."""
        path = SOURCES / "ring/packing.c"
        line = path.read_text()[:path.read_text().index("isopod_pack_in_place")].count("\n") + 2
        return analysis.outcome(COVERAGE, TABLE.format(line=line, status=status), [path, SOURCES / "ring/ntt.c"], 32)

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

    def test_a_function_has_the_file_that_frama_c_lists(self) -> None:
        """Frama-C numbers all but the first of a name; templates have macros, and words of 64 bits names of their own."""
        for place, name, given in (("random/stream.c", "next_block", "next_block"),
                                   ("random/suite_shake256.c", "next_block_0", "next_block"),
                                   ("base/memory.h", "isopod_load32_7", "isopod_load32"),
                                   ("encode/encode_template.h", "isopod_encode64", "ENCODE"),
                                   ("ring/ntt.c", "isopod64_ntt_layers", "isopod_ntt_layers"), ("ring/ntt.c", "nowhere", None)):
            self.assertEqual(analysis.given_name(SOURCES / place, name), given)
            found = analysis.placed(f"  Stats for function <device/src/{place}/{name}>\n")
            self.assertEqual(found, {name: (SOURCES / place, given)} if given else {})

    def test_a_template_counts_with_all_its_instances(self) -> None:
        """Frama-C lists the instances in the order of files; one that nothing reached is missing, and so is the function."""
        files = [SOURCES / "encode/encode32.c", SOURCES / "encode/encode64.c"]
        text = "".join(f"  Stats for function <device/src/encode/encode_template.h/{name}>\n"
                       for name in ("load", "load_0", "isopod_encode32", "isopod_encode64"))
        covered = {name: f"  {name}: 2 stmts out of 2 (100.0%)\n" for name in ("load", "load_0", "isopod_encode64")}
        place, both = ("encode/encode_template.h", "load"), ["encode/encode32.c", "encode/encode64.c"]
        for reached, some in ((("load", "load_0"), both), (("load_0",), both[1:])):
            found = analysis.outcome(text + "".join(covered[name] for name in reached), TABLE.splitlines()[0] + "\n", files, 32)
            self.assertEqual(found.instances, {place: some})
            self.assertEqual("load" in without_alarm([found]).get(place[0], []), some == both)
        found = analysis.outcome(text + covered["isopod_encode64"], TABLE.splitlines()[0] + "\n", files, 32)
        self.assertEqual(found.instances, {(place[0], "ENCODE"): ["encode/encode64.c"]})

    def test_two_runs_reach_all_instances_together(self) -> None:
        """Words of 32 and of 64 bits have definitions of their own in one header."""
        text = ("  Stats for function <device/src/ring/montgomery.h/isopod_redc>\n"
                "  isopod_redc: 2 stmts out of 2 (100.0%)\n")
        runs = [analysis.outcome(text, TABLE.splitlines()[0] + "\n", [], size) for size in (32, 64)]
        for some in ([runs[0]], [runs[1]], runs):
            self.assertEqual("isopod_redc" in without_alarm(some)["ring/montgomery.h"], some is runs)

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


class Words(unittest.TestCase):
    """Harnesses for words of one size have files of that size."""

    def test_files_are_compiled_for_the_words(self) -> None:
        """Files for 64 bits alone, for 32 bits alone, for both, and without words."""
        for name, sizes in (("random/mask64.c", {64}), ("random/mask.c", {32}), ("schemes/bfv_decode64.c", {32}),
                            ("ring/ntt.c", {32, 64}), ("cbor/cbor.c", {32, 64})):
            self.assertEqual(instances.words_of(SOURCES / name), sizes, name)
        for path in analysis.harnesses():
            for file in analysis.sources(path):
                self.assertIn(analysis.words(path), instances.words_of(file), (path.name, file.name))

    def test_only_definitions_for_both_words_count_twice(self) -> None:
        """Other second definitions are those of other compilers and processors, and are not analysed."""
        self.assertEqual(instances.definitions("ring/montgomery.h", "isopod_redc"), 2)
        self.assertEqual(instances.definitions("base/fixed64.h", "isopod_multiply64"), 1)
        self.assertEqual(instances.definitions("packet/body/packet_stream.c", "product"), 1)


class Harnesses(unittest.TestCase):
    """Harnesses name files that are there."""

    def test_rooms_stubs_and_functions_exist(self) -> None:
        """Each source exists, each stub stands for some, each first function is defined."""
        self.assertGreaterEqual(len(analysis.runs()), 20)
        for path, main in analysis.runs():
            found = analysis.settings(path)
            for source in found["sources"]:
                self.assertTrue((SOURCES / source).exists(), (path.name, source))
            for stub in found["stubs"]:
                self.assertTrue((analysis.SUPPORT / stub).exists(), stub)
                self.assertTrue(all((SOURCES / file).exists() for file in analysis.STUBS[stub]), stub)
            self.assertRegex(path.read_text(), rf"(?m)^(int|void) {main}\(void\) {{$")
            of_mains = {key.removeprefix("options ") for key in found if key.startswith("options ")}
            self.assertLessEqual(of_mains, set(found["mains"]), path.name)

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

    def test_the_bound_of_long_words_is_right(self) -> None:
        """Values at random and at the ends; a constant that is off by one is seen."""
        self.assertGreaterEqual(len(reduction.primes64()), 30)
        some = random.Random(2)
        for modulus, barrett in reduction.primes64():
            self.assertFalse(reduction.is_nearest64(modulus, barrett + 1))
            for value in (-1 << 63, (1 << 63) - 1, *(some.randint(-1 << 63, (1 << 63) - 1) for _ in range(50))):
                k = (value * barrett + (1 << 63)) >> 64
                self.assertLessEqual(abs(value - k * modulus), 3 * modulus // 4)

    def test_a_wrong_constant_is_seen(self) -> None:
        """Barrett's constant is off by two for one prime of 20 bits."""
        modulus, barrett = next(one for one in reduction.primes() if one[0] < 1 << 21)
        self.assertTrue(any(abs(value - k * modulus) > 3 * modulus // 4 for value, k in reduction.ends(modulus, barrett + 2)))


if __name__ == "__main__":
    unittest.main()
