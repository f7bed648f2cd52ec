"""Tests BFV and the layouts against their definitions: SEAL's scaling, slots as values at roots, decryption."""

import json
import unittest
from fractions import Fraction
from math import cos, pi, sin

from ...base.parameters import SPEC_FOLDER, read_sets
from ...gen.vectors.ciphertexts import SOURCE, pair_of
from ...gen.vectors.inputs import integers_of, numbers_of
from ..bfv import decode, message, plaintext, round_plain, slot_places, small_message
from ..decode_bfv import decode_fixed, round_fixed, signed
from ..decode_fixed import OutOfBound
from ..encode import Precision
from ..encryption import decrypt, encrypt
from ..shapes import (
    COEFFICIENTS,
    COMPLEX,
    COMPLEX_LAYOUTS,
    COMPLEX_REPEATED,
    DITHERED,
    SLOTS,
    SLOTS_REPEATED,
    encode,
    encode_packed,
    fill,
)
from ..streams import BFV_KINDS

SETS = {entry.name: entry for entry in read_sets() if entry.scheme == "bfv"}
SMALL = SETS["bfv-1024x1-count"]


class Slots(unittest.TestCase):
    def test_slots_are_values_at_the_roots_of_two_rows(self):
        degree, plain, root = SMALL.ring_degree, SMALL.plain_modulus, SMALL.plain_root
        values = integers_of(degree, "u32", plain)
        polynomial = plaintext(values, SMALL, SLOTS)
        for slot in (0, 1, 5, degree // 2 - 1, degree // 2, degree // 2 + 7, degree - 1):
            power = pow(3, slot % (degree // 2), 2 * degree) * (1 if slot < degree // 2 else -1)
            point = pow(root, power % (2 * degree), plain)
            self.assertEqual(sum(c * pow(point, i, plain) for i, c in enumerate(polynomial)) % plain, values[slot])

    def test_every_place_is_taken_once(self):
        self.assertEqual(sorted(slot_places(4096)), list(range(4096)))

    def test_repeated_values_are_constant_under_rotation(self):
        self.assertEqual(set(plaintext([7], SMALL, SLOTS_REPEATED)), {0, 7})
        twice = plaintext(fill([1, 2], SLOTS_REPEATED, 1024), SMALL, SLOTS)
        self.assertEqual(plaintext([1, 2], SMALL, SLOTS_REPEATED), twice)
        with self.assertRaises(ValueError):
            plaintext([1, 2, 3], SMALL, SLOTS_REPEATED)

    def test_values_out_of_range(self):
        half = SMALL.plain_modulus // 2
        plaintext([half, -half, 2 * half], SMALL, SLOTS)
        for value in (SMALL.plain_modulus, -half - 1):
            with self.assertRaises(ValueError):
                plaintext([value], SMALL, COEFFICIENTS)


class Scaling(unittest.TestCase):
    def test_it_is_what_seal_adds(self):
        for entry in SETS.values():
            for level in range(1, len(entry.data_primes) + 1):
                modulus, plain = entry.at_level(level).modulus, entry.plain_modulus
                values = [0, 1, plain - 1, plain // 2, plain // 2 + 1, *integers_of(500, "u32", plain)]
                small = small_message(values, entry, level)
                half = (plain + 1) // 2
                self.assertTrue(all(3 - plain <= 2 * v <= plain + 1 for v in small))
                expected = [m * (modulus // plain) + (modulus % plain * m + half) // plain for m in values]
                self.assertEqual(message(small, entry, level), expected)

    def test_decryption_at_every_level_by_both_keys(self):
        for name in ("bfv-1024x1-count", "bfv-2048x1-count", "bfv-4096x2-linear"):
            entry = SETS[name]
            pair = pair_of(entry)
            values = integers_of(entry.ring_degree, "u32", entry.plain_modulus)
            for level in range(1, len(entry.data_primes) + 1):
                for layout, read in ((SLOTS, decode), (COEFFICIENTS, round_plain)):
                    for kind in BFV_KINDS:
                        small = message(small_message(plaintext(values, entry, layout), entry, level), entry, level)
                        ciphertext = encrypt(pair, small, SOURCE, kind, 1, level)
                        self.assertEqual(len(ciphertext.c0), level)
                        self.assertEqual(read(decrypt(pair, ciphertext), entry, level), values)


def exact_coefficient(slots, index, ring_degree):
    """(2/n) Re sum over j of z_j e^(-i pi 3^j index / n), in doubles."""
    total, odd = 0.0, 1
    for real, imaginary in slots:
        angle = pi * (odd * index % (2 * ring_degree)) / ring_degree
        total += real * cos(angle) + imaginary * sin(angle)
        odd = odd * 3 % (2 * ring_degree)
    return total * 2 / ring_degree


class Layouts(unittest.TestCase):
    def test_complex_slots_within_the_bound(self):
        for log2_scale, width in ((20, 32), (30, 32), (31, 64), (40, 64)):
            precision = Precision(1024, log2_scale, 0)
            self.assertEqual(precision.width, width)
            for numbers in (numbers_of(1024, "f32", 0), [1.0] * 1024, [1.0, -1.0] * 512):
                slots = list(zip(numbers[0::2], numbers[1::2]))
                got = encode(slots, precision, COMPLEX)
                bound = 0.5 + 4 * 2.0 ** (log2_scale - (30 if width == 32 else 57)) + 2.0 ** (log2_scale - 45)
                for index in range(0, 1024, 41):
                    self.assertLessEqual(abs(got[index] - exact_coefficient(slots, index, 1024) * 2**log2_scale), bound)

    def test_real_numbers_as_complex_ones(self):
        precision = Precision(1024, 20, 0)
        reals = numbers_of(512, "f32", 0)
        pairs = zip(encode(reals, precision, SLOTS), encode([(z, 0.0) for z in reals], precision, COMPLEX))
        self.assertLessEqual(max(abs(a - b) for a, b in pairs), 1)

    def test_repetition_is_filling(self):
        precision = Precision(1024, 40, 0)
        reals = numbers_of(8, "f32", 0)
        self.assertEqual(encode(reals, precision, SLOTS_REPEATED), encode(reals * 64, precision, SLOTS))
        pairs = list(zip(reals, reals[::-1]))
        self.assertEqual(encode(pairs, precision, COMPLEX_REPEATED), encode(pairs * 64, precision, COMPLEX))

    def test_one_value_everywhere_is_a_constant_polynomial(self):
        self.assertEqual(encode([0.5], Precision(1024, 20, 0), SLOTS_REPEATED), [1 << 19] + [0] * 1023)

    def test_coefficients_are_exact(self):
        self.assertEqual(encode([1.5, -0.25, Fraction(1, 8)], Precision(1024, 1, 1), COEFFICIENTS)[:4], [3, -1, 0, 0])

    def test_words_of_complex_slots_fit(self):
        for layout in COMPLEX_LAYOUTS:
            dither = [(1 << 32) - 1] * 512 if layout in DITHERED else None
            words = encode_packed([(1.0, 1.0)] * 512, Precision(1024, 30, 0), layout, dither)
            self.assertLess(max(map(abs, words)), 1 << 31)


class CommittedDecryptions(unittest.TestCase):
    def test_every_value_was_recovered(self):
        document = json.loads((SPEC_FOLDER / "vectors" / "bfv.json").read_text())
        self.assertGreater(len(document["bfv_decryption"]), 50)
        for record in document["bfv_decryption"]:
            plain = SETS[record["set"]].plain_modulus
            values = [value % plain for value in integers_of(4, record["numbers"], plain)]
            expected = values[:1] * 4 if record["layout"] == SLOTS_REPEATED and record["count"] == 1 else values
            self.assertEqual(record["first"], expected)


def levels_with_room():
    """Each set with its levels of up to three primes. A level is left out if its modulus is hardly larger than t, because no
    encryption fits."""
    for entry in SETS.values():
        for level in range(1, min(3, len(entry.data_primes)) + 1):
            if entry.at_level(level).modulus > entry.plain_modulus << 10:
                yield entry, level


class FixedPointDecoding(unittest.TestCase):
    def test_equals_exact_rounding_for_noise_within_the_margin(self):
        for entry, level in levels_with_room():
            modulus, plain = entry.at_level(level).modulus, entry.plain_modulus
            most = modulus * 7 // (16 * plain) - modulus // (plain << 8) - 2
            values = integers_of(64, "u32", plain)
            centres = [(2 * value * modulus + plain) // (2 * plain) for value in values]
            for noise in (0, 1, -1, most // 3, most, -most):
                noisy = [centre + noise for centre in centres]
                self.assertEqual(round_fixed(noisy, entry, level), values)
                self.assertEqual(round_plain(noisy, entry, level), values)

    def test_noise_beyond_the_margin_is_refused(self):
        for entry, level in levels_with_room():
            modulus, plain = entry.at_level(level).modulus, entry.plain_modulus
            for sixteenths in (15, 16, 17):
                with self.assertRaises(OutOfBound):
                    round_fixed([modulus * sixteenths // (32 * plain) + modulus // (plain << 8) + 2], entry, level)

    def test_slots_and_signs(self):
        values = [SMALL.plain_modulus // 2, -(SMALL.plain_modulus // 2), -1, 0]
        small = small_message(plaintext(values, SMALL, SLOTS), SMALL, 1)
        decoded = decode_fixed(message(small, SMALL, 1), SMALL, 1, SLOTS)
        self.assertEqual([signed(value, SMALL.plain_modulus) for value in decoded[:4]], values)
