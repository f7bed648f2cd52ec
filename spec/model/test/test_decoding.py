"""Tests decoding of real slots in fixed point against exact arithmetic: the error bound of decryption.md, section 2."""

import unittest

from ...gen.vectors.inputs import recurrence
from ..decode import FRACTION, decode
from ..decode_fixed import Declared, decode_words
from ..encode import slot_positions

DEGREE = 1024


def coefficients(log2_largest):
    """Random coefficients with bits below every unit. Their sums over the ring degree stay within the bound."""
    states = list(recurrence(4 * DEGREE))
    wide = [sum(part << 32 * place for place, part in enumerate(states[4 * index:4 * index + 4])) for index in range(DEGREE)]
    return [(value >> 127 - log2_largest) - (1 << log2_largest) for value in wide]


class ErrorBound(unittest.TestCase):
    def worst(self, log2_scale, log2_bound, log2_largest):
        """The largest error of a word, in units of 2^-G * 2^b."""
        values, declared = coefficients(log2_largest), Declared(DEGREE, 2.0**log2_scale, log2_bound)
        words, exact = decode_words(values, declared), decode(values, log2_scale)
        unit = FRACTION - declared.bound_bits + log2_bound
        places = slot_positions(DEGREE)
        return max(abs((words[place] << unit) - slot) for place, slot in zip(places, exact)) / 2.0**unit

    def test_within_the_bound_at_every_size_of_the_modulus(self):
        for log2_scale, log2_bound in ((20, 0), (27, 1), (30, 0), (50, 3), (70, 0), (90, 0)):
            magnitude = log2_scale + log2_bound
            with self.subTest(log2_scale=log2_scale, log2_bound=log2_bound):
                self.assertLess(self.worst(log2_scale, log2_bound, magnitude - 8), 8 * DEGREE**0.5)
