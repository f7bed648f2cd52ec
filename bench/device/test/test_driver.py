"""The driver's own judgement: budgets, map files, comparisons and key blobs, each with input that must be refused."""
import hashlib
import json
import struct
import tempfile
import unittest
from pathlib import Path

from bench.device import budget, checks, keys, linked, run
from bench.device.cases import all_cases, parameter_sets

LIMIT = {"field": "ram_bytes", "targets": ["cortex-m4"], "cases": ["a-*"], "maximum": 100}
MAP = """Discarded input sections
 .text.unused   0x00000000       0x40 build/x/libisopod.a(ntt.o)
Linker script and memory map
 .text.short    0x00000100       0x10 build/x/libisopod.a(ntt.o)
 .text.a_very_long_name_of_a_function
                0x00000110       0x20 build/x/libisopod.a(ntt.o)
 .rodata        0x00000130        0x8 build/x/libisopod.a(key.o)
 .rodata.table  0x00000138      0x100 build/x/tables_set.o
 .bss.counter   0x20000000        0x4 build/x/app.o
"""


def record(**changes) -> dict:
    """A record that keeps LIMIT."""
    return {"target": "cortex-m4", "case": "a-sym-fast", "set": "s", "suite": "chacha20", "ram_bytes": 100,
            "digests": (1, 2)} | changes


class Budget(unittest.TestCase):
    """Limits are enforced, named, and never idle."""

    def test_exceeded_names_case_field_value_and_limit(self) -> None:
        self.assertEqual(budget.exceeded([LIMIT], [record()]), [])
        self.assertEqual(budget.exceeded([LIMIT], [record(ram_bytes=101)]),
                         ["cortex-m4 a-sym-fast: ram_bytes = 101, the limit is 100"])
        self.assertEqual(budget.exceeded([LIMIT], [record(ram_bytes=101, target="x86-64")]), [])

    def test_limit_without_records(self) -> None:
        self.assertEqual(budget.unused([LIMIT], [record()]), [])
        self.assertIn("ram_bytes", budget.unused([LIMIT], [record(case="b")])[0])

    def test_malformed_limit_is_refused(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "budget.toml")
            path.write_text('[[limit]]\nfield = "ram_bytes"\nmaximum = 5\n')
            with self.assertRaisesRegex(ValueError, "needs field, targets, cases and maximum"):
                budget.load(path)

    def test_committed_limits_watch_known_cases(self) -> None:
        names = {case.name for case in all_cases()}
        records = [record(case=name, target=target) for name in names for target in run.measure.TARGETS]
        limits = budget.load(Path(run.__file__).with_name("budget.toml"))
        self.assertEqual(budget.unused(limits, records), [])


class Linked(unittest.TestCase):
    """Sizes come from kept sections of the right files only."""

    def sections(self, text: str) -> list[tuple[str, int, str]]:
        """Parses a map file with this content."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "x.map")
            path.write_text(text)
            return linked.sections(path)

    def test_sizes(self) -> None:
        kept = self.sections(MAP)
        self.assertEqual(linked.read_only_bytes(kept, linked.LIBRARY), 0x38)
        self.assertEqual(linked.read_only_bytes(kept, "tables_set"), 0x100)
        self.assertEqual(list(linked.largest(kept, linked.LIBRARY).items())[0],
                         ("ntt.o .text.a_very_long_name_of_a_function", 0x20))
        linked.check_no_globals(kept)

    def test_globals_in_the_library_are_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "must not own memory"):
            linked.check_no_globals(self.sections(MAP.replace("app.o", "libisopod.a(x.o)")))


class Checks(unittest.TestCase):
    """Different bytes are noticed."""

    def test_targets_must_agree(self) -> None:
        self.assertEqual(checks.differences([record(), record(target="rv32im")]), [])
        self.assertEqual(len(checks.differences([record(), record(target="rv32im", digests=(1, 3))])), 1)

    def test_memory_plans_must_agree_for_secret_keys_only(self) -> None:
        small = {"case": "a-sym-small", "digests": (1, 3)}
        self.assertEqual(len(checks.differences([record(), record(**small)])), 1)
        public = [record(case="a-pk-fast"), record(case="a-pk-small", digests=(1, 3))]
        self.assertEqual(checks.differences(public), [])


class Keys(unittest.TestCase):
    """Blobs follow spec/wire.md."""

    def test_header_digest_and_residues(self) -> None:
        parameters = parameter_sets()["ckks-1024x1-sum"]
        for secret, kind, polynomials in ((False, 1, 2), (True, 4, 1)):
            blob = keys.blob(parameters, secret)
            self.assertEqual(len(blob), keys.blob_bytes(parameters, secret))
            self.assertEqual(struct.unpack("<8sII", blob[:16]), (b"ISOPODK1", kind, 1024))
            self.assertEqual(struct.unpack("<II", blob[40:48]), (1, 4096 * polynomials))
            self.assertEqual(blob[48:80], hashlib.sha3_256(blob[:48] + blob[80:]).digest())
            words = struct.unpack(f"<{1024 * polynomials}I", blob[80:])
            self.assertLess(max(words), parameters.primes[0])


class Output(unittest.TestCase):
    """What is written is what was asked for."""

    def test_private_fields_are_not_written(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "out/device.json")
            run.write(path, [record(functions={})])
            written = json.loads(path.read_text())
        self.assertEqual(written[0]["ram_bytes"], 100)
        self.assertFalse(set(run.measure.PRIVATE) & set(written[0]))


if __name__ == "__main__":
    unittest.main()
