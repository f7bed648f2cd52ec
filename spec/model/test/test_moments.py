"""Tests squares and products of columns against exact arithmetic, at the largest readings."""

import unittest
from fractions import Fraction
from math import floor

from ..moments import MOST_BITS, PRODUCTS, SQUARES, fits, in_units, numbers, own_bound, product, row


class Moments(unittest.TestCase):
    def test_products_are_rounded(self):
        for fraction in (0, 1, 7, 30):
            for first in (-9, -1, 0, 3, 1 << 20):
                for second in (-(1 << 20), -5, 1, 8):
                    exact = Fraction(first * second, 1 << fraction)
                    self.assertEqual(product(first, second, fraction), floor(exact + Fraction(1, 2)))

    def test_largest_products_fit(self):
        """Within the frame's bound, and so within 32 bits, at every bound and unit that fits."""
        for log2_bound in range(-20, 41):
            for fraction in range(MOST_BITS + 2):
                bits = own_bound(log2_bound) + fraction
                if fits(log2_bound, fraction) and bits >= 0:
                    largest = 1 << bits
                    for other in (-largest, largest):
                        self.assertLessEqual(abs(product(largest, other, fraction)), 1 << log2_bound + fraction)
                    self.assertLess(1 << log2_bound + fraction, 1 << 31)

    def test_floats_are_rounded_away_from_zero(self):
        self.assertEqual([in_units(value / 8, 2) for value in (-3, -1, 0, 1, 2, 3, 5)], [-2, -1, 0, 1, 1, 2, 3])

    def test_order(self):
        self.assertEqual(row([2, 3, 5], PRODUCTS, 0), [2, 3, 5, 4, 6, 10, 9, 15, 25])
        self.assertEqual(row([2, 3, 5], SQUARES, 0), [2, 3, 5, 4, 9, 25])
        self.assertEqual(numbers([2, 3], 1, SQUARES, 0, 4), [2, 4, 0, 0, 3, 9])
