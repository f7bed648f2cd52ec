"""Tests merging against its definition: products in the large ring, places, range."""

import unittest
from math import pi, prod, sin

from ...base.parameters import read_sets
from ...gen.vectors.ciphertexts import SOURCE, pair_of
from ..encryption import encrypt
from ..merge import (
    CIRCLE_HEADROOM,
    Grid,
    LargeRing,
    bound_fits,
    covariance,
    kernel,
    merged,
    noise_fits,
    place,
    raised,
    slot,
    slot_values,
    spread_key,
    table_at,
)
from ..ntt import inverse_ntt, ntt
from ..rounding import coefficients
from ..streams import KINDS

SETS = {entry.name: entry for entry in read_sets()}
LARGE = LargeRing(4096, 1152921504606830593)


def phase(ciphertext, secret, large):
    """c0 + c1 s in the large ring, centred."""
    c0, c1 = ciphertext
    product = inverse_ntt([a * s for a, s in zip(ntt(c1, large.modulus), ntt(secret, large.modulus))], large.modulus)
    total = [(a + b) % large.modulus for a, b in zip(c0, product)]
    return [value - large.modulus if 2 * value > large.modulus else value for value in total]


class Merges(unittest.TestCase):
    def check(self, name, kind, frames):
        """The message of every coefficient of every frame is at its place, and missing frames are zeros."""
        pair = pair_of(SETS[name])
        primes, degree = pair.parameters.data_primes, pair.parameters.ring_degree
        modulus = prod(primes)
        messages = [[(index * 977 + frame * 31) % 4001 - 2000 << 5 for index in range(degree)] for frame in range(frames)]
        ciphertexts = [encrypt(pair, message, SOURCE, kind, 1) for message in messages]
        c0, c1 = (merged([coefficients(rows, primes) for rows in part], modulus, LARGE)
                  for part in (map(lambda each: each.c0, ciphertexts), map(lambda each: each.c1, ciphertexts)))
        read, unit = phase((c0, c1), spread_key(pair.secret, LARGE), LARGE), LARGE.modulus / modulus
        for frame, message in enumerate(messages):
            for index, wanted in enumerate(message):
                found = read[place(frame, index, degree, LARGE)] / unit
                self.assertLess(abs(found - wanted), 1500, f"frame {frame}, coefficient {index}")
        for missing in range(frames, LARGE.degree // degree):
            self.assertEqual({read[place(missing, index, degree, LARGE)] for index in range(degree)}, {0})

    def test_every_reading_is_at_its_place(self):
        for kind in KINDS:
            self.check("ckks-1024x1-sum", kind, 3)
            self.check("ckks-2048x1-air", kind, 2)

    def test_more_frames_than_fit_are_refused(self):
        with self.assertRaisesRegex(ValueError, "allowed are 1 to 2"):
            merged([[0] * 2048] * 3, 1073692673, LARGE)

    def test_a_smaller_modulus_is_refused(self):
        with self.assertRaisesRegex(ValueError, "modulus: 17; allowed are 1073692673 or more"):
            merged([[0] * 2048], 1073692673, LargeRing(4096, 17))

    def test_raised_coefficients_stay_below_the_prime(self):
        for modulus in (97, 67084289, 1073692673, 9000927386337281, LARGE.modulus):
            for value in (0, 1, modulus // 2, modulus - 1):
                found = raised(value, modulus, LARGE.modulus)
                self.assertLess(found, LARGE.modulus)
                self.assertLessEqual(abs(2 * (found * modulus - value * LARGE.modulus)), modulus)


class Slots(unittest.TestCase):
    def test_the_values_of_slots(self):
        """`crates/linear/src/merge/embedding.rs` has these numbers, too."""
        wanted = [
            -1.913589799763318, 8.156230486882606, -2.824164977888788, 0.5815242907695,
            5.278778239860434, -3.036137552741149, -4.843395789202546, -1.399244897916738,
        ]
        for found, value in zip(slot_values([1, -2, 3, 0.5, -1, 4, 0, 2]), wanted, strict=True):
            self.assertAlmostEqual(found, value, places=12)

    def test_slots_have_their_bits_reversed(self):
        self.assertEqual([slot(place, 16) for place in range(8)], [0, 4, 2, 6, 1, 5, 3, 7])

    def test_no_coefficient_exceeds_the_root_of_two(self):
        """Slots of -1 and 1 in both parts, whose message is the transform back."""
        degree = 16
        units = [slot_values([float(power == other) for other in range(degree)]) for power in range(degree)]
        for signs in range(0, 2**degree, 257):
            slots = [1 - 2 * (signs >> place & 1) for place in range(degree)]
            for unit in units:
                coefficient = sum(a * b for a, b in zip(slots, unit)) * 2 / degree
                self.assertLessEqual(abs(coefficient), 2**0.5 + 1e-12)


class Range(unittest.TestCase):
    def test_the_largest_bound_leaves_twelve_bits(self):
        self.assertTrue(bound_fits(1073692673, 15, 3))
        self.assertFalse(bound_fits(1073692673, 15, 4))
        self.assertFalse(bound_fits(1073692673, 16, 3))
        self.assertTrue(bound_fits(1073692673, 20, 8, CIRCLE_HEADROOM))
        self.assertFalse(bound_fits(1073692673, 21, 8, CIRCLE_HEADROOM))

    def test_the_sine_is_off_by_no_more_than_section_4_says(self):
        for share in (2.0**-10, 2.0**-11, 2.0**-12):
            relative = 1 - sin(2 * pi * share) / (2 * pi * share)
            self.assertLessEqual(relative, (2 * pi * share) ** 2 / 6)
            self.assertGreater(relative, 0.99 * (2 * pi * share) ** 2 / 6)

    def test_noise_of_many_dropped_bits_is_refused(self):
        self.assertTrue(noise_fits(1073692673, 2048, (7, 3), True))
        self.assertFalse(noise_fits(1073692673, 2048, (7, 13), True))
        self.assertTrue(noise_fits(1073692673, 2048, (7, 0), False))
        self.assertFalse(noise_fits(1073692673, 2048, (20, 0), False))


class Covariances(unittest.TestCase):
    DEGREE, FRAME_BITS = 256, 2

    def rows(self, row_bits, columns):
        """Readings in their slots, of rows of which each fifth is missing, and those rows."""
        halves, rows = [[0.0] * (self.DEGREE // 2) for _ in range(2)], []
        for first in range(0, self.DEGREE, 1 << self.FRAME_BITS + row_bits):
            for frame in range(1 << self.FRAME_BITS):
                row = [((first + frame) * 37 + column * column * 11) % 29 - 9 for column in range(columns)]
                if (first + frame) % 5:
                    rows.append(row)
                    for column, reading in enumerate(row):
                        half, offset = divmod(first + (column << self.FRAME_BITS) + frame, self.DEGREE // 2)
                        halves[half][slot(offset, self.DEGREE)] = reading
        return halves, rows

    def test_slots_give_the_covariance_of_columns(self):
        for row_bits, columns in ((0, 1), (1, 2), (3, 3)):
            halves, rows = self.rows(row_bits, columns)
            for pair in ((a, b) for a in range(columns) for b in range(columns)):
                x, y = ([row[column] for row in rows] for column in pair)
                wanted = sum(a * b for a, b in zip(x, y)) / len(x) - sum(x) / len(x) * sum(y) / len(y)
                found = covariance(halves, (self.FRAME_BITS, row_bits, len(rows)), pair)
                self.assertAlmostEqual(found, wanted, msg=f"{row_bits} {pair}")


class Tables(unittest.TestCase):
    """Readings at 2^20 times 4, 16 and 100 entries, the last ones unevenly placed."""

    GRIDS = ((Grid(2**28 / 1073692673, -2, 4), 4), (Grid(2**26 / 1073692673, -7, 16), 15), (Grid(1 / 100.3, -30, 100), 61))

    def test_entries_are_exact_without_noise_and_within_their_error_with_it(self):
        for grid, entries in self.GRIDS:
            values = [(entry * entry * 7 + entry) % 5 % 2 for entry in range(entries)]
            series = grid.series(values)
            self.assertEqual(len(series), grid.period)
            for off in (0.0, 0.001, 0.02, 0.1):
                allowed = grid.error(entries, off) if off else 0.0
                for entry, value in enumerate(values):
                    for side in (-1.0, 0.5, 1.0):
                        found = table_at(series, grid.turn(entry) + side * off * grid.spacing)
                        self.assertLessEqual(abs(found - value), allowed + 1e-8, f"{grid} {entry} {off}")

    def test_noise_is_damped_by_its_square(self):
        grid, entries = self.GRIDS[0]
        self.assertAlmostEqual(grid.error(entries, 0.02) / grid.error(entries, 0.01), 4, delta=0.2)
        self.assertLess(grid.error(entries, 0.01), 3.3 * 0.01**2 * 1.1)

    def test_kernels_add_up_to_one(self):
        for turn in (0.0, 0.03, 0.4):
            self.assertAlmostEqual(sum(kernel(16, turn - entry / 16) for entry in range(16)), 1)
