"""Limits of bench/air and the tables of docs/measurements/tables/bytes.md, on made-up records."""
import re
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from bench.air import limits, page
from bench.document import BEGIN, END

RECORDS = [{"case": name, "set": "ckks-2048x1-air", "key": "secret", "bytes": 1234, "bytes_per_row": 98.76,
            "bytes_per_reading": 3.21, "error": 0.0123} for name in (*page.NAMES, "ten-readings-secret", "result-row")]
RECORDS.append({"case": "inner-product", "set": "bfv-2048x1-count", "ratio_to_seal": 1.07, "within_limit": True})


class Tables(unittest.TestCase):
    """Every record appears in a table."""

    def test_a_line_of_every_case(self):
        """Old tables are replaced, and every way to send has a line."""
        text = page.document(f"a {BEGIN} old {END} b", RECORDS)
        self.assertNotIn("old", text)
        self.assertEqual(text.count("`ckks-2048x1-air`"), len(page.NAMES))
        self.assertIn("| coefficients, rounded; secret key | `ckks-2048x1-air` | 98.8 | 3.21 | 1.2e-02 |", text)
        self.assertIn("1.1 (`bfv-2048x1-count`)", text)

    def test_figures_that_moved_a_little_stay(self):
        """A run that hardly differs from the last one leaves the page unchanged."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "bytes.md"
            path.write_text(page.document(f"a {BEGIN}{END} b", RECORDS))
            with mock.patch.object(page, "DOCUMENT", path):
                little = [record | {"bytes_per_row": 98.9} if "bytes_per_row" in record else record for record in RECORDS]
                self.assertFalse(page.write(little))
                self.assertTrue(page.write([record | {"error": 0.0321} for record in RECORDS]))

    def test_the_plot_shows_the_figures_of_the_page(self):
        """`python3 -m bench.air.page` draws it again."""
        drawn = re.findall(r">([^<>]+)</text>", (page.ROOT / "docs/measurements/bytes.svg").read_text())
        published = page.published_bars()
        self.assertEqual(len(published), sum(case.startswith("rows-") for case in page.NAMES))
        for title, length in published:
            self.assertIn(length, drawn)
            self.assertIn(page.label(title), drawn)

    def test_bars_are_those_of_the_table(self):
        """Read back from a document as they were written."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "bytes.md"
            path.write_text(page.document(f"a {BEGIN}{END} b", RECORDS))
            with mock.patch.object(page, "DOCUMENT", path):
                expected = [(page.title(record), f"{record['bytes_per_reading']:.2f}")
                            for record in page.by_size(RECORDS, "rows-", "bytes_per_row")]
                self.assertEqual(page.published_bars(), expected)

    def test_a_missing_mark(self):
        """A page without marks is refused."""
        with self.assertRaises(ValueError):
            page.document("no marks", RECORDS)


class Limits(unittest.TestCase):
    """Each limit counts in its own unit."""

    def test_within(self):
        """Records within their limits give no complaint."""
        self.assertEqual(limits.complaints([{"case": "rows-secret", "bytes_per_row": 94, "error": 0.01, "limit": 94,
                                             "error_limit": 0.01, "bytes": 9999, "flips": 0}, *RECORDS]), [])

    def test_missed(self):
        """Each missed limit gives one complaint."""
        missed = [
            {"case": "rows-secret", "bytes_per_row": 95, "bytes_per_reading": 3, "error": 0.02, "limit": 94, "error_limit": 0.01,
             "flips": 1},
            {"case": "sum-secret", "bytes": 10, "bytes_per_reading": 2.5, "limit": 2.4},
            {"case": "ten-readings-secret", "bytes": 251, "bytes_per_reading": 25.1, "limit": 250},
            {"case": "inner-product", "set": "bfv-2048x1-count", "ratio_to_seal": 1.6, "within_limit": False},
        ]
        self.assertEqual(len(limits.complaints(missed)), 6)
