"""Tests of the noise of a holder on a board: what its exact distribution promises (owners.md, section 4)."""

import unittest
from fractions import Fraction
from itertools import accumulate
from math import exp, log, pi, sqrt

from spec.model.owner_device import DEVIATION, SCALE, information, masses, noise, shift_bits, thresholds, variance

MOST = len(masses()) // 2


def joined(bits):
    """The exact masses of E for a small m, as numbers; E = -(MOST + 1) 2^m + 1 .. (MOST + 1) 2^m - 1."""
    step = 1 << bits
    padded = [0, *masses(), 0]
    found = []
    for left, right in zip(padded, padded[1:]):
        found += [(left * (step - at) + right * at) / step ** 2 / SCALE for at in range(step)]
    return found[1:]


def divergence(values, shift):
    """Kullback-Leibler divergence of a distribution from itself, shifted, and the chance of what the shifted one never takes."""
    pairs = list(zip(values, [0.0] * shift + values))
    return sum(p * log(p / q) for p, q in pairs if p and q), sum(p for p, q in pairs if not q)


class Noise(unittest.TestCase):
    """The distribution of E is computed, not sampled."""

    def test_masses_are_those_of_the_gaussian(self) -> None:
        total = sum(exp(-value ** 2 / (2 * DEVIATION ** 2)) for value in range(-60, 61))
        for value, mass in zip(range(-MOST, MOST + 1), masses(), strict=True):
            self.assertLess(abs(mass - SCALE * exp(-value ** 2 / (2 * DEVIATION ** 2)) / total), 25)
        self.assertEqual(sum(masses()), SCALE)
        self.assertEqual(masses(), masses()[::-1])
        self.assertEqual(list(thresholds()), list(accumulate(masses()))[:-1])

    def test_fisher_information_is_at_most_that_of_the_gaussian(self) -> None:
        self.assertLessEqual(information(), 1 / DEVIATION ** 2)
        self.assertGreater(information(), (1 - 1e-6) / DEVIATION ** 2)
        self.assertLess(abs(variance() - DEVIATION ** 2 * (1 + Fraction(1, 24))), 1e-6)

    def test_divergence_of_shifts_is_that_of_the_gaussian(self) -> None:
        for bits in (10, 12):
            values = joined(bits)
            self.assertAlmostEqual(sum(values), 1, places=12)
            for shift in (1, 2, 5):
                part = shift / (1 << bits)
                found, missed = divergence(values, shift)
                self.assertLess(found, part ** 2 / (2 * DEVIATION ** 2) * (1 + 30 * part + 1e-5))
                self.assertGreater(found, part ** 2 / (2 * DEVIATION ** 2) * 0.999)
                self.assertLessEqual(missed, masses()[0] / SCALE * part ** 2)

    def test_constant_steps_would_leak(self) -> None:
        # The test can fail: one uniform number in place of two leaves steps, whose divergence is linear in the shift.
        step = 1 << 10
        flat = [mass / step / SCALE for mass in masses() for _ in range(step)]
        self.assertGreater(divergence(flat, 1)[0], 100 * divergence(joined(10), 1)[0])

    def test_tails(self) -> None:
        values, step = joined(8), 1 << 8
        centre = len(values) // 2
        deviation = sqrt(variance()) * step
        beyond = sum(p for at, p in enumerate(values) if abs(at - centre) > 6 * deviation)
        gaussian = 2 * exp(-18) / (6 * sqrt(2 * pi))
        self.assertLess(beyond, gaussian)

    def test_draws_have_these_masses(self) -> None:
        for number, threshold in enumerate(thresholds()):
            for below in (0, 1):
                words = [(threshold - below) << 1, 0, 0, 0, 0]
                self.assertEqual(noise(words, 8), ((number + 1 - below - MOST) << 8) - 255)
        self.assertEqual(noise([0] * 5, 40), -(MOST << 40) - (1 << 40) + 1)
        self.assertEqual(noise([(1 << 32) - 1] * 5, 40), (MOST << 40) + (1 << 40) - 1)

    def test_the_step_is_the_least_that_hides_enough(self) -> None:
        for flood in (2 ** 44.9, 2.0 ** 45, 2 ** 45.01):
            step = 2 ** shift_bits(flood)
            self.assertGreaterEqual(DEVIATION * step, flood)
            self.assertLess(DEVIATION * step, 2 * flood)
