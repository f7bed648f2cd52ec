"""Tests of the page of cores: its rows are right, and a changed figure is noticed."""
import unittest
from unittest import mock

from bench import document
from bench.device import budget, cores
from bench.device.cases import on_cores, small_packets
from bench.freshness import same

CASE = next(case for case in on_cores() if case.name == cores.QUICK[0])
SIZES = {"ram_bytes": 6_620, "frame_bytes": 96, "stack_bytes": 1_016, "text_bytes": 19_157, "flash_table_bytes": 6_280,
         "flash_key_bytes": 8_304}


def record(**changes: int | str) -> dict:
    """One record of device.json, as far as the page needs it."""
    return {**SIZES, "target": "cortex-m0plus", "case": CASE.name, "instructions": 4_796_154,
            "instructions_framed": 5_241_881, **changes}


class Page(unittest.TestCase):
    """Rows of docs/measurements/tables/cores.md."""

    def test_a_row_sums_its_parts(self):
        """The readings are 512 floats beside the workspace."""
        self.assertEqual(cores.row(CASE, record()), (
            "ckks-1024x1-sum", "public", "slots", "4", "6,620", "2,048", "96", "1,016", "9,780", "19,157", "6,280", "8,304",
            "33,741", "4.80", "5.24"))

    def test_whose_code_a_core_runs(self):
        """A Cortex-M7 and a Cortex-M33 run the code of the Cortex-M4; their sections say so."""
        for target in ("cortex-m7", "cortex-m33"):
            line = cores.section(target, {}).splitlines()[2]
            self.assertIn("the Cortex-M4's code", line)
            self.assertIn(line, cores.written())

    def test_another_figure_is_noticed(self):
        """Sizes are compared to the byte, instructions as bench/freshness.py allows."""
        written = "\n".join(["# A page", document.BEGIN, cores.section("cortex-m0plus", {("cortex-m0plus", CASE.name): record()}),
                             document.END])
        with mock.patch.object(cores, "written", lambda: written):
            self.assertEqual(cores.missing_rows([record()]), [])
            self.assertEqual(cores.missing_rows([record(instructions=4_800_000)]), [])
            for changed in (record(stack_bytes=1_020), record(instructions=5_000_000), record(ram_bytes=6_624)):
                self.assertEqual(len(cores.missing_rows([changed])), 1)

    def test_rows_of_one_case_are_told_apart_by_their_memory(self):
        """Rounded coefficients of one set have two workspaces."""
        small = next(case for case in on_cores() if case.name == cores.QUICK[1])
        fast = next(case for case in on_cores() if case.name == "air-2048x1-pk")
        both = [record(case=fast.name, ram_bytes=18_124), record(case=small.name, ram_bytes=9_932, text_bytes=19_100)]
        written = cores.section("cortex-m0plus", {("cortex-m0plus", one["case"]): one for one in both})
        with mock.patch.object(cores, "written", lambda: written):
            self.assertEqual(cores.missing_rows(both), [])
            self.assertEqual(len(cores.missing_rows([both[0], both[1] | {"text_bytes": 19_200}])), 1)

    def test_committed_sizes_are_those_that_budgets_accept(self):
        """RAM, stack, code and tables agree to the byte, instructions as bench/freshness.py allows."""
        for core in cores.budgets():
            name = cores.BY_SLUG[core.target].name
            part = cores.written().partition(f"## {name}\n")[2].partition("\n## ")[0]
            rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if line.startswith("| ")]
            known = {tuple(row[:5]): row for row in rows}
            for case in on_cores():
                with self.subTest(core=name, case=case.name):
                    accepted = core.accepted[case.name]
                    wanted = cores.row(case, {**SIZES, **accepted, "instructions_framed": 0})
                    found = known[wanted[:5]]
                    self.assertEqual([found[at] for at in (7, 9, 10)], [wanted[at] for at in (7, 9, 10)])
                    self.assertTrue(same(found[13], wanted[13]), (found[13], wanted[13]))

    def test_another_figure_of_a_packet_is_noticed(self):
        """The committed table of packets agrees with the budgets, and a byte more does not."""
        for target in cores.PACKET_TARGETS:
            core = next(core for core in cores.budgets() if core.target == target)
            for case, wire in zip(small_packets(), (18, 42)):
                found = {**SIZES, **core.accepted[case.name], "flash_key_bytes": 336, "wire_bytes": wire, "target": target,
                         "case": case.name}
                self.assertEqual(cores.missing_packets({(target, case.name): found}), [])
                self.assertEqual(len(cores.missing_packets({(target, case.name): found | {"stack_bytes": 1}})), 1)

    def test_every_core_has_a_budget_of_every_case(self):
        """A complete run finds no gap."""
        for core in cores.budgets():
            records = [record(target=target, case=case.name) for case, target in cores.chosen(False) if target == core.target]
            self.assertEqual(budget.gaps(core, records), [])
