"""The table of the README."""
import unittest

from bench.device import readme

RECORD = {"target": "cortex-m4", "set": "ckks-x", "flash_table_bytes": 1000, "flash_key_bytes": 234, "wire_bytes": 61_598}


def record(case: str, ram: int, instructions: int, **others) -> dict:
    """One record of device.json, as far as the table needs it."""
    return {**RECORD, "case": case, "ram_bytes": ram, "instructions": instructions, **others}


RECORDS = [
    record("x-pk-fast", 50_000, 5_000_000),
    record("x-pk-small", 25_000, 6_250_000),
    record("x-pk-fast", 1, 1, target="rv32im"),
    record("x-sym-fast-shake256", 2, 2),
]


class Table(unittest.TestCase):
    """Rows and their place."""

    def test_one_row_of_the_target(self):
        """Fast beside small; other targets and the extra suite stay out."""
        rows = readme.table(RECORDS).splitlines()
        self.assertEqual(rows[2:], ["| ckks-x | public | 50,000 | 25,000 | 5.00 | 6.25 | 1,234 | 61,598 |"])

    def test_replaces_only_what_is_between_the_marks(self):
        """Twice gives the same."""
        once = readme.with_table(f"before {readme.BEGIN} old {readme.END} after", "| new |")
        self.assertEqual(once, f"before {readme.BEGIN}\n\n| new |\n\n{readme.END} after")
        self.assertEqual(readme.with_table(once, "| new |"), once)

    def test_missing_mark(self):
        """Nothing is guessed."""
        with self.assertRaises(ValueError):
            readme.with_table(f"{readme.BEGIN} without an end", "")


if __name__ == "__main__":
    unittest.main()
