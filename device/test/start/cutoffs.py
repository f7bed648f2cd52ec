"""The cutoffs of device/src/start/health.c, computed as SP 800-90B, sections 4.4.1 and 4.4.2 say."""
import re
import sys
import unittest
from fractions import Fraction
from math import ceil, comb
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src/start/health.c"
WINDOW = 512
ERROR = Fraction(1, 2**20)
ENTROPY_BITS = range(1, 8)


def repetition(bits: int) -> int:
    """1 + ceil(20 / h)."""
    return 1 + ceil(Fraction(20, bits))


def proportion(bits: int) -> int:
    """1 + the smallest c with P(X <= c) >= 1 - 2^-20, X binomial with WINDOW draws of probability 2^-h; exact."""
    hit, total, below = Fraction(1, 2**bits), Fraction(0), -1
    while total < 1 - ERROR:
        below += 1
        total += comb(WINDOW, below) * hit**below * (1 - hit)**(WINDOW - below)
    return 1 + below


class Cutoffs(unittest.TestCase):
    """Both tables."""

    def test_tables(self):
        """From no entropy on, which is not used."""
        for name, cutoff in (("repetition", repetition), ("proportion", proportion)):
            found = re.search(rf"{name}_cutoffs\[[^=]*= \{{([^}}]*)}}", SOURCE.read_text())[1]
            self.assertEqual([int(word) for word in found.split(",")], [0, *map(cutoff, ENTROPY_BITS)])


if __name__ == "__main__":
    sys.exit(unittest.main())
