"""Tests of the driver: budgets, map files, comparisons and key blobs. Each has input that must be refused."""
import hashlib
import io
import json
import os
import struct
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

from bench.device import budget, checks, keys, linked, measure, modules, run
from bench.device.cases import Case, all_cases, parameter_sets
from ports import emulate

LIMIT = {"field": "ram_bytes", "cases": ["a-*"], "maximum": 100}
ACCEPTED = dict.fromkeys((*budget.FIELDS, "est_cycles"), 1000)
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
    """A record that keeps LIMIT and ACCEPTED."""
    return ACCEPTED | {"target": "cortex-m4", "case": "a-sym-fast", "set": "s", "kind": "sym", "suite": "chacha20",
                       "ram_bytes": 100, "digests": (1, 2)} | changes


def port(limits: list[dict] | None = None, accepted: dict | None = None) -> budget.Budget:
    """A budget of the Cortex-M4 without a file."""
    return budget.Budget(Path("budget.toml"), "cortex-m4", limits or [], [], accepted or {})


class Limits(unittest.TestCase):
    """Limits are enforced and named, and each applies to some record."""

    def test_exceeded_names_case_field_value_and_limit(self) -> None:
        self.assertEqual(budget.exceeded(port(), [LIMIT], [record()]), [])
        self.assertEqual(budget.exceeded(port(), [LIMIT], [record(ram_bytes=101)]),
                         ["cortex-m4 a-sym-fast: ram_bytes = 101, at most 100"])
        self.assertEqual(budget.exceeded(port(), [LIMIT], [record(ram_bytes=101, target="x86-64")]), [])

    def test_limit_without_records(self) -> None:
        self.assertIn("no case for ram_bytes", budget.gaps(port([LIMIT]), [record(case="b")])[0])

    def test_limits_fail_and_goals_do_not(self) -> None:
        for limits, goals, complaints in (([], [LIMIT], 0), ([LIMIT], [], 1)):
            judged = budget.Budget(Path("budget.toml"), "cortex-m4", limits, goals, {})
            with mock.patch.object(run, "budgets", lambda given=judged: [given]), redirect_stdout(io.StringIO()) as said:
                self.assertEqual(len(run.judge([record(ram_bytes=101)], False)), complaints)
            self.assertEqual("goals not reached yet" in said.getvalue(), complaints == 0)

    def test_malformed_entries_are_refused(self) -> None:
        for text, message in (('[[limit]]\nfield = "ram_bytes"\nmaximum = 5\n', "needs field, cases and maximum"),
                              ("limit = []\n[accepted]\na = { instructions = 1 }\n", "a needs instructions, ram_bytes")):
            with tempfile.TemporaryDirectory() as folder, self.subTest(text=text):
                path = Path(folder, "budget.toml")
                path.write_text(text)
                with self.assertRaisesRegex(ValueError, message):
                    budget.load(path, "cortex-m4")

    def test_committed_budgets_are_of_known_cases(self) -> None:
        for committed in run.budgets():
            cases = [case for case in all_cases() if committed.target in case.targets]
            records = [record(case=name, target=committed.target) for case in cases for name in names(case)]
            self.assertEqual(budget.gaps(committed, records), [])


def names(case: Case) -> list[str]:
    """The cases of the records that measuring a case gives."""
    if case.kind != "modules":
        return [case.name]
    return [f"{case.name}-{module}" for module in modules.of_suite(case.suite)]


class Accepted(unittest.TestCase):
    """Accepted values may improve but not get worse."""

    def test_one_percent(self) -> None:
        accepted = port(accepted={"a-sym-fast": ACCEPTED | {"ram_bytes": 100}})
        for value, worse, better in ((1010, 0, 0), (1011, 1, 0), (990, 0, 0), (989, 0, 1)):
            changed = [record(instructions=value)]
            self.assertEqual(len(budget.changes(accepted, changed, 1)), worse)
            self.assertEqual(len(budget.changes(accepted, changed, -1)), better)
        self.assertIn("instructions = 2,000, accepted is 1,000 (+100.0%)",
                      budget.changes(accepted, [record(instructions=2000)], 1)[0])

    def test_of_modules_no_sizes_and_cycles_where_their_model_is_calibrated(self) -> None:
        for target, cycles in (("cortex-m4", {"est_cycles": 1000}), ("rv32im", {})):
            with tempfile.TemporaryDirectory() as folder, self.subTest(target):
                path = Path(folder, "budget.toml")
                path.write_text("limit = []\n")
                budget.accept(budget.load(path, target), [record(case="a-module-ntt", target=target)], True)
                self.assertEqual(budget.load(path, target).accepted, {"a-module-ntt": {"instructions": 1000, **cycles}})

    def test_cycles_may_not_grow_beside_fewer_instructions(self) -> None:
        accepted = port(accepted={"a-sym-fast": ACCEPTED | {"ram_bytes": 100}})
        self.assertEqual(budget.changes(accepted, [record(instructions=800, est_cycles=1300)], 1),
                         ["cortex-m4 a-sym-fast: est_cycles = 1,300, accepted is 1,000 (+30.0%)"])

    def test_gaps(self) -> None:
        self.assertIn("a-sym-fast has no budget", budget.gaps(port(), [record()])[0])
        self.assertIn("old is measured no more", budget.gaps(port(accepted={"old": ACCEPTED}), [])[0])
        self.assertEqual(budget.gaps(port(), [record(case="a-surface-pk-2")]), [])

    def test_accept_keeps_limits_and_what_was_not_measured(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "budget.toml")
            path.write_text('# ours\n[[limit]]\nfield = "ram_bytes"\ncases = ["*"]\nmaximum = 5\n\n')
            budget.accept(budget.load(path, "cortex-m4"), [record(case="old"), record(case="x-surface-pk-1")], True)
            budget.accept(budget.load(path, "cortex-m4"), [record(), record(case="b", target="rv32im")], False)
            self.assertEqual(list(budget.load(path, "cortex-m4").accepted), ["old", "a-sym-fast"])
            self.assertTrue(path.read_text().startswith("# ours\n[[limit]]"))
            budget.accept(budget.load(path, "cortex-m4"), [record()], True)
            self.assertEqual(list(budget.load(path, "cortex-m4").accepted), ["a-sym-fast"])


class Linked(unittest.TestCase):
    """Sizes count only the sections that the linker kept of the selected files."""

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
        linked.check_no_globals(kept)

    def test_globals_in_the_library_are_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "must not own memory"):
            linked.check_no_globals(self.sections(MAP.replace("app.o", "libisopod.a(x.o)")))

    def test_useless_objects_are_refused(self) -> None:
        linked.check_without(self.sections(MAP), ("encryption", "unused", "y"))
        with self.assertRaisesRegex(ValueError, "no use"):
            linked.check_without(self.sections(MAP), ("encryption", "key"))


class Checks(unittest.TestCase):
    """Different output is noticed."""

    def test_targets_must_agree(self) -> None:
        self.assertEqual(checks.differences([record(), record(target="rv32im")]), [])
        self.assertEqual(len(checks.differences([record(), record(target="rv32im", digests=(1, 3))])), 1)

    def test_memory_plans_must_agree_for_secret_keys_only(self) -> None:
        small = {"case": "a-sym-small", "digests": (1, 3)}
        self.assertEqual(len(checks.differences([record(), record(**small)])), 1)
        public = [record(case="a-pk-fast", kind="pk"), record(case="a-pk-small", kind="pk", digests=(1, 3))]
        self.assertEqual(checks.differences(public), [])


class Keys(unittest.TestCase):
    """Blobs follow spec/wire.md."""

    def test_header_digest_and_residues(self) -> None:
        parameters = parameter_sets()["ckks-1024x1-sum"]
        for kind, number, before, words in (("pk", 1, 32, 2048), ("pkseed", 2, 32, 1024), ("sym", 4, 0, 1024)):
            blob = self.check_header(parameters, kind, number)
            self.assertEqual(struct.unpack("<II", blob[40:48]), (1, before + 4 * words))
            residues = struct.unpack(f"<{words}I", blob[80 + before:])
            self.assertLess(max(residues), parameters.primes[0])

    def test_split_keys_are_bound_by_their_id(self) -> None:
        parameters = parameter_sets()["ckks-4096x3-sum"]
        for kind in ("split", "splitseed"):
            blobs = keys.blob(parameters, kind)
            self.assertEqual(len(blobs), keys.blob_bytes(parameters, kind))
            each = len(blobs) // 3
            parts = [blobs[each * prime:each * (prime + 1)] for prime in range(3)]
            self.assertEqual([struct.unpack("<I", part[40:44])[0] for part in parts], [3, 3 + (1 << 16), 3 + (2 << 16)])
            heads = {part[80:80 + 4 * 32] for part in parts}  # the seed, and a digest for each prime
            self.assertEqual(len(heads), 1)
            bound = hashlib.sha3_256(b"isopod-v2-key-id" + parts[0][16:24] + heads.pop()).digest()[:16]
            self.assertEqual({part[24:40] for part in parts}, {bound})

    def test_ternary(self) -> None:
        blob = self.check_header(parameter_sets()["ckks-1024x1-sum"], "ternary", 3)
        self.assertEqual(len(blob), 80 + 256)
        self.assertEqual({byte >> 2 * i & 3 for byte in blob[80:] for i in range(4)}, {0, 1, 2})

    def check_header(self, parameters, kind: str, number: int) -> bytes:
        """Checks head and digest of a blob, and returns it."""
        blob = keys.blob(parameters, kind)
        self.assertEqual(len(blob), keys.blob_bytes(parameters, kind))
        self.assertEqual(struct.unpack("<8sII", blob[:16]), (b"ISOPODK2", number, 1024))
        self.assertEqual(blob[48:80], hashlib.sha3_256(blob[:48] + blob[80:]).digest())
        return blob


class Output(unittest.TestCase):
    """Files are written only on request."""

    def test_private_fields_are_not_written(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "out/device.json")
            run.write(path, run.public([record()]))
            written = json.loads(path.read_text())
        self.assertEqual(written[0]["ram_bytes"], 100)
        self.assertFalse(set(run.measure.PRIVATE) & set(written[0]))


class Once(unittest.TestCase):
    """Nothing is built or measured twice."""

    def test_cases_of_other_names_share_a_measurement(self) -> None:
        by_name = {case.name: case for case in all_cases()}
        chosen = [("cortex-m4", by_name[name]) for name in ("ckks-4096x3-pk-fast", "ckks-4096x3-surface-pk-1",
                                                            "ckks-4096x3-surface-pk-2")]
        measured = []

        def records_of(case: Case, _: str) -> list[dict]:
            measured.append(case.name)
            return [record(case=case.name)]

        with mock.patch.object(run, "records_of", records_of), mock.patch.object(measure, "prepare"), \
                redirect_stderr(io.StringIO()):
            records = run.measure_all(chosen)
        self.assertEqual(measured, ["ckks-4096x3-pk-fast", "ckks-4096x3-surface-pk-2"])
        self.assertEqual([entry["case"] for entry in records], [case.name for _, case in chosen])

    def test_an_application_is_built_anew_for_other_flags(self) -> None:
        with mock.patch.object(emulate, "make") as made, mock.patch.dict(emulate.BUILT):
            for flags in ("-DA", "-DA", "-DB", "-DA"):
                emulate.build_app("linux", "once", ["once.c"], flags)
        self.assertEqual(made.call_count, 3)

    def test_an_application_is_built_anew_after_a_header_changed(self) -> None:
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(emulate.BUILT), \
                mock.patch.object(emulate, "make") as made, mock.patch.object(emulate, "BUILD", Path(folder)):
            header, objects = Path(folder, "keys.h"), Path(folder, "linux/once.objects")
            objects.mkdir(parents=True)
            (objects / "once.d").write_text(f"once.o: once.c \\\n {header}\n")
            for content in ("one", "one", "another"):
                if not header.exists() or header.read_text() != content:
                    header.write_text(content)
                    os.utime(header, ns=(0, len(content)))
                emulate.build_app("linux", "once", ["once.c"])
        self.assertEqual(made.call_count, 2)
