"""The tables and limits of bench/air/equal.py, on made-up rows."""
import unittest
from dataclasses import replace

from bench.air import equal
from bench.air.equal import Row

ROWS = [
    Row("readings", "Isopod, public key", "`ckks-2048x2-air`", 10.0, 4e-5),
    Row("readings", "Isopod, secret key", "`ckks-2048x2-air`", 5.0, 7e-6),
    Row("readings", "TenSEAL, public key", "n = 4,096, 36 bits", 22.0, 6e-5),
    Row("readings", "TenSEAL, secret key", "n = 4,096, 36 bits", 22.0, 8e-6),
    Row("scores", "Isopod, row by row", "`ckks-2048x2-air`", 3_670_000, 2e-6, 1_321_000, 0.07),
]


class Equal(unittest.TestCase):
    """Figures, ratio and limits."""

    def test_every_row_has_its_parameters(self):
        """Names, parameters, bytes, error, and the ratio by public key."""
        text = equal.tables(ROWS)
        self.assertIn("| TenSEAL, public key | n = 4,096, 36 bits | 22.00 | 6.0e-05 |", text)
        self.assertIn("| Isopod, row by row | `ckks-2048x2-air` | 3.67 | 1.321 | 0.07 | 2.0e-06 |", text)
        self.assertIn("TenSEAL takes 2.2 times the bytes", text)

    def test_limits(self):
        """Isopod's error must not be beyond TenSEAL's, or the bytes compare nothing; nor may the ratio fall below its limit."""
        self.assertEqual(equal.complaints(ROWS), [])
        for at, worse in ((0, replace(ROWS[0], error=7e-5)), (1, replace(ROWS[1], error=9e-6)), (0, replace(ROWS[0], size=12.0))):
            self.assertEqual(len(equal.complaints([*ROWS[:at], worse, *ROWS[at + 1:]])), 1)
