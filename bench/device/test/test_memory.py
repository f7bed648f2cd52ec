"""Tests of docs/measurements/tables/memory.md: every figure has its place, and missing ones are reported."""
import unittest

from bench.device import memory
from bench.device.cases import surface
from ports.emulate import ROOT


def record(case: str, target: str = "cortex-m4") -> dict:
    """A record with the fields that the documents need."""
    return {"case": case, "target": target, "instructions": 2_000_000, "est_cycles": 6_400_000, "ram_bytes": 1024,
            "stack_bytes": 900, "flash_table_bytes": 1000, "flash_key_bytes": 234}


class Memory(unittest.TestCase):
    """The table of RAM and instructions."""

    RECORDS = {case.name: record(case.name) for case in surface()}

    def test_every_point_is_a_row(self) -> None:
        text = memory.document(f"a {memory.BEGIN} old {memory.END} b", self.RECORDS)
        self.assertEqual(text.count("| 1,024 | 1,000 | 234 | 2.00 | x 1.00 | 100.0 |"), len(surface()))
        self.assertNotIn("old", text)

    def test_missing_mark_or_point(self) -> None:
        with self.assertRaises(ValueError):
            memory.document("no marks", self.RECORDS)
        with self.assertRaises(KeyError):
            memory.document(f"{memory.BEGIN}{memory.END}", {})

    def test_committed_plot(self) -> None:
        self.assertTrue((ROOT / "docs/measurements/memory.svg").read_text().startswith("<?xml"))
