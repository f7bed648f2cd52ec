"""Tests of the tables of costs and of their freshness."""
import unittest

from bench import freshness
from bench.device import cost
from bench.device.cases import SETS
from bench.device.tfhe_cases import tfhe_cases

RECORD = {"target": "cortex-m4", "flash_table_bytes": 1000, "flash_key_bytes": 234, "wire_bytes": 61_598}


def record(case: str, ram: int, instructions: int, **others) -> dict:
    """One record of device.json, as far as the table needs it."""
    return {**RECORD, "case": case, "ram_bytes": ram, "instructions": instructions,
            "instructions_framed": instructions * 11 // 10, "est_cycles_framed": 2 * instructions, **others}


RECORDS = [record(f"{prefix}-{kind}-{plan}", ram, ram * 100) for prefix in SETS for kind in ("pk", "sym")
           for plan, ram in (("fast", 50_000), ("small", 25_000))]
RECORDS += [record(case.name, 8_000, 290_000) for case in tfhe_cases()]
RECORDS += [record("ckks-4096x2-pk-fast", 1, 1, target="rv32im"), record("ckks-4096x3-sym-fast-shake256", 2, 2)]


class Table(unittest.TestCase):
    """Rows of the tables and their place."""

    def test_a_row_of_every_set_for_each_kind(self):
        """Other targets and the extra suite are left out."""
        rows = [line for line in cost.tables(cost.by_case(RECORDS)).splitlines() if line.startswith("| ckks")]
        self.assertEqual(len(rows), 28)
        figures = "25,000 | 50,000 | 1,000 | 234 | 61,598 | 2.50 | 5.00 | 2.75 | 5.50 | 78.1 | 156.2 |"
        self.assertIn(f"| ckks-4096x2-linear | 128 | {figures}", rows)

    def test_a_row_of_every_tfhe_case(self):
        """A row lists the values that it holds."""
        rows = [line for line in cost.tables(cost.by_case(RECORDS)).splitlines() if line.startswith("| tfhe")]
        self.assertEqual(len(rows), len(tfhe_cases()))
        figures = "8,000 | 1,000 | 234 | 61,598 | 0.29 | 0.32 | 9.1 |"
        self.assertIn(f"| tfhe-2048-sym | tfhe-2048-tfhe-rs | 128 | 256 u8, 1,024 bits | {figures}", rows)

    def test_the_selection(self):
        """Each selected set has a row."""
        text = cost.selection(cost.by_case(RECORDS))
        self.assertEqual(len(text.splitlines()), 2 + len(cost.SELECTION) + len(cost.TFHE_SELECTION))
        for wanted in ("| 2,048 real numbers | ckks-4096x2-linear | public | 25,000 | 61,598 | 2.50 | 2.75 | 78.1 |",
                       "| 4,096 integers | bfv-4096x3-sum | public | 25,000 | 61,598 | 2.50 | 2.75 | 78.1 |",
                       "| 16 u8 | tfhe-2048-tfhe-rs | secret, streamed | 8,000 | 61,598 | 0.29 | 0.32 | 9.1 |"):
            self.assertIn(wanted, text)

    def test_missing_case(self):
        """A missing case is an error."""
        with self.assertRaises(KeyError):
            cost.tables(cost.by_case(RECORDS[1:]))
        with self.assertRaises(KeyError):
            cost.tables(cost.by_case([entry for entry in RECORDS if entry["case"] != "tfhe-1024-pk"]))

    def test_replaces_only_what_is_between_the_marks(self):
        """A second replacement changes nothing."""
        once = cost.with_table(f"before {cost.BEGIN} old {cost.END} after", "| new |")
        self.assertEqual(once, f"before {cost.BEGIN}\n\n| new |\n\n{cost.END} after")
        self.assertEqual(cost.with_table(once, "| new |"), once)

    def test_missing_mark(self):
        """A missing mark is an error."""
        with self.assertRaises(ValueError):
            cost.with_table(f"{cost.BEGIN} without an end", "")


class Freshness(unittest.TestCase):
    """Sizes are exact; numbers with a decimal point may differ by 2 %."""

    def test_tolerance(self):
        """Values just within and just beyond the tolerance."""
        for before, after, expected in (("a 5.00 b", "a 5.10 b", True), ("a 5.00 b", "a 5.11 b", False),
                                        ("0.10", "0.11", True), ("0.10", "0.12", False), ("1,000.0", "1,021.0", False),
                                        ("x 50,000 y", "x 50,001 y", False), ("a 5.00", "b 5.00", False)):
            with self.subTest(before=before, after=after):
                self.assertEqual(freshness.stale(before, after) == [], expected)

    def test_lines(self):
        """A missing line is noticed."""
        self.assertEqual(len(freshness.stale("a\nb", "a")), 1)


if __name__ == "__main__":
    unittest.main()
