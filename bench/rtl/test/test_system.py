"""Checks that the table of rtl/README.md has every row, and that the committed one agrees with SYSTEM.md."""
import re
import unittest
from importlib import import_module

from bench.document import BEGIN, END
from bench.record import ROOT

tables, system = (import_module(f"bench.paper.ntt-accelerator.{name}") for name in ("tables", "system"))
PAGE = tables.ENGINE.read_text()
SYSTEM = (ROOT / "bench/paper/ntt-accelerator/SYSTEM.md").read_text()


class Cycles:
    """Figures of made-up records, by configuration and case."""

    def __init__(self, cycles: dict[tuple[str, str], int]):
        self.cycles = cycles

    def of(self, _: str, *words: str) -> int | None:
        """The cycles; None if there are none."""
        return self.cycles.get(words)


def rows(text: str) -> list[list[str]]:
    """The cells of every row of a table."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| ")]


class Summary(unittest.TestCase):
    """The table of the engine's gains in a system."""

    def test_every_case_has_a_row(self):
        """A row has software, engine and ratio. A case that was not measured is named."""
        cycles = {("soc-software", case): 9_000 for _, _, case in system.SUMMARY}
        cycles |= {(f"soc-{engine}", case): 40 for _, engine, case in system.SUMMARY}
        table = rows(system.summary(Cycles(cycles)))[2:]
        self.assertEqual([row[0] for row in table], [what for what, _, _ in system.SUMMARY])
        self.assertEqual({tuple(row[1:]) for row in table}, {("9,000", "40", "225", "-", "-", "-")})
        cycles |= {("soc-software", "ckks-1024x1-sym-framed"): 9_500, ("soc-w32p4-frame", "ckks-1024x1-sym-framed"): 95}
        self.assertEqual(rows(system.summary(Cycles(cycles)))[2][4:], ["9,500", "95", "100.0x"])
        with self.assertRaisesRegex(ValueError, "no record of ckks-1024x1-sym on w32p4"):
            system.summary(Cycles({}))

    def test_committed_rows_are_those_of_the_systems_page(self):
        """Both figures of a row stand in one row of that page, and the ratio follows from them."""
        table = rows(PAGE.partition(BEGIN)[2].partition(END)[0])[2:]
        self.assertEqual([row[0] for row in table], [what for what, _, _ in system.SUMMARY])
        known = rows(SYSTEM)
        for what, *cells in table:
            bare, framed = cells[:3], cells[3:]
            with self.subTest(row=what):
                for part, form in ((bare, "{:,.0f}"), (framed, "{:,.1f}x")):
                    if part != ["-"] * 3:
                        *measured, ratio = part
                        self.assertTrue(any(set(measured) <= set(row) for row in known), measured)
                        software, engine = (int(cell.replace(",", "")) for cell in measured)
                        self.assertEqual(ratio, form.format(software / engine))
        self.assertEqual(sum("-" not in row[4:] for row in table), 6)

    def test_committed_ratio_to_other_software(self):
        """The sentences below the table give the ratios to both encoders."""
        told = r"own software\s+takes ([\d,]+)\s.*?:\s+([\d,]+)\s+times as many.*? ([\d,]+)\s+times as\s+many"
        cycles, *ratios = re.search(told, PAGE, re.DOTALL).groups()
        row = next(row for row in rows(SYSTEM) if cycles in row)
        for ratio in ratios:
            self.assertIn(f"{float(ratio.replace(',', '')):.0f}", [cell.partition(".")[0] for cell in row])
