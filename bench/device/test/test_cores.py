"""Tests of the page of cores: its rows, and that another figure is noticed."""
import unittest
from unittest import mock

from bench.device import budget, cores, cost
from bench.device.cases import on_cores

CASE = next(case for case in on_cores() if case.name == cores.QUICK)
SIZES = {"ram_bytes": 6_620, "frame_bytes": 96, "stack_bytes": 1_016, "text_bytes": 19_157, "flash_table_bytes": 6_280,
         "flash_key_bytes": 8_304}


def record(**changes: int | str) -> dict:
    """One record of device.json, as far as the page needs it."""
    return {**SIZES, "target": "cortex-m0plus", "case": cores.QUICK, "instructions": 4_796_154,
            "instructions_framed": 5_241_881, **changes}


class Page(unittest.TestCase):
    """Rows of docs/cores.md."""

    def test_a_row_sums_its_parts(self):
        """Readings lie beside the workspace: 512 floats."""
        self.assertEqual(cores.row(CASE, record()), (
            "ckks-1024x1-sum", "public", "slots", "4", "6,620", "2,048", "96", "1,016", "9,780", "19,157", "6,280", "8,304",
            "33,741", "4.80", "5.24"))

    def test_another_figure_is_noticed(self):
        """Sizes to the byte, instructions within freshness."""
        written = "\n".join(["# A page", cost.BEGIN, cores.section("cortex-m0plus", {("cortex-m0plus", cores.QUICK): record()}),
                             cost.END])
        with mock.patch.object(cores, "written", lambda: written):
            self.assertEqual(cores.missing_rows([record()]), [])
            self.assertEqual(cores.missing_rows([record(instructions=4_800_000)]), [])
            for changed in (record(stack_bytes=1_020), record(instructions=5_000_000), record(ram_bytes=6_624)):
                self.assertEqual(len(cores.missing_rows([changed])), 1)

    def test_every_core_has_a_budget_of_every_case(self):
        """Complete runs find no gap."""
        for core in cores.budgets():
            records = [record(target=core.target, case=case.name) for case in on_cores()]
            self.assertEqual(budget.gaps(core, records), [])


if __name__ == "__main__":
    unittest.main()
