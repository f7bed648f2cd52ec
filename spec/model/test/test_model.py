"""Tests the model against its definitions: direct sums, evaluation at roots, decryption."""

import os
import unittest
from fractions import Fraction
from math import cos, pi

from ...base.arithmetic import bit_reverse, minimal_root
from ...base.cosine import HALF_TURN, coarse_roots, cosine62, cosine_table, fine_roots
from ...base.parameters import read_sets
from ...base.precise import BITS, cosine_sine
from ...gen.vectors.ciphertexts import SENDER, SOURCE, pair_of
from ...gen.vectors.inputs import PATTERNS, values_of
from .. import keys
from ..decode import FRACTION, decode
from ..encode import Precision, encode, encode_packed, slot_positions, unfold
from ..encryption import decrypt, encrypt
from ..frame import Claims, Encoding, frame
from ..ntt import inverse_ntt, ntt
from ..parse import Malformed, parse_part
from ..streams import KINDS, PUBLIC_KEY, SUITES
from ..wire_codes import KEY_BLOB_HEADER_BYTES

SETS = {entry.name: entry for entry in read_sets() if entry.scheme == "ckks"}
LARGEST_DEGREE = int(os.environ.get("ISOPOD_MODEL_DEGREE", "4096"))  # of the sets that every kind and suite encrypts


class Cosine(unittest.TestCase):
    def test_precise_values(self):
        for index in (0, 1, 777, 5461, 16383, 16384):
            cosine, sine = cosine_sine(index, HALF_TURN)
            self.assertAlmostEqual(cosine / 2**BITS, cos(pi * index / HALF_TURN), places=15)
            self.assertLess(abs(cosine * cosine + sine * sine - (1 << 2 * BITS)) >> BITS, 1 << 10)

    def test_exact_points(self):
        self.assertEqual(coarse_roots()[0], (1 << 62, 0))
        self.assertEqual(coarse_roots()[64], (0, 1 << 62))
        self.assertEqual(fine_roots()[0], (1 << 62, 0))
        self.assertEqual(cosine_table(1024, 32)[512], 0)

    def test_table_is_close(self):
        for index in (*range(0, 16385, 37), 15, 255, 257, 16383):
            exact = cosine_sine(index, HALF_TURN)[0]
            self.assertLess(10 * abs((cosine62(index) << BITS - 62) - exact), 23 << BITS - 62)

    def test_largest_degree_adds_half_steps_to_the_next(self):
        for width in (32, 64):
            self.assertEqual(cosine_table(32768, width)[::2], cosine_table(16384, width))


class Ntt(unittest.TestCase):
    def test_output_is_evaluation_in_bit_reversed_order(self):
        ring_degree, prime = 64, 12289
        polynomial = [(7 * index * index - 900) % 5000 - 2500 for index in range(ring_degree)]
        root = minimal_root(prime, ring_degree)
        for position, value in enumerate(ntt(polynomial, prime)):
            point = pow(root, 2 * bit_reverse(position, 6) + 1, prime)
            self.assertEqual(value, sum(c * pow(point, power, prime) for power, c in enumerate(polynomial)) % prime)

    def test_inverse(self):
        polynomial = [index * 3141 % 67104769 for index in range(1024)]
        self.assertEqual(inverse_ntt(ntt(polynomial, 67104769), 67104769), polynomial)


def exact_coefficients(values, precision):
    """(2/n) 2^s sum of v_i cos(pi t (4i+1) / n), in units of 2^-64, for t < n/2."""
    ring_degree = precision.ring_degree
    quarter = [cosine_sine(index, ring_degree)[0] >> BITS - 100 for index in range(ring_degree // 2 + 1)]
    quarter += [-value for value in quarter[-2::-1]]
    circle = quarter + quarter[-2:0:-1]
    terms = [(4 * i + 1, Fraction(z)) for z, i in zip(values, slot_positions(ring_degree)) if z]
    shift = precision.log2_scale + 1 - (ring_degree.bit_length() - 1) - 36
    scaled = [(odd, int(z * 2**64)) for odd, z in terms]
    for index in range(ring_degree // 2):
        total = sum(z * circle[index * odd % (2 * ring_degree)] for odd, z in scaled)
        yield total >> 64 - shift if shift < 64 else total << shift - 64


class Encodings(unittest.TestCase):
    def assert_within_bound(self, values, precision):
        scale = precision.log2_scale + precision.log2_bound
        bound = 0.5 + 4 * 2.0 ** (scale - (30 if precision.width == 32 else 57))
        got = encode(values, precision)
        for coefficient, exact in zip(got, exact_coefficients(values, precision)):
            self.assertLessEqual(abs((coefficient << 64) - exact) / 2**64, bound)

    def test_bound_at_1024(self):
        for pattern in PATTERNS:
            for scale, bound in ((20, 0), (27, 0), (20, 10), (31, 0), (40, 3), (57, 0)):
                with self.subTest(pattern=pattern, scale=scale, bound=bound):
                    values = values_of(pattern, "f32", 1024, bound)
                    self.assert_within_bound(values, Precision(1024, scale, bound))

    def test_decode_inverts_at_every_degree(self):
        for ring_degree in (1024, 2048, 4096, 8192, 16384, 32768):
            values = values_of("random", "f32", ring_degree, 0)
            slots = decode(encode(values, Precision(ring_degree, 50, 0)), 50)
            error = max(abs(slot / 2**FRACTION - value) for slot, value in zip(slots, values))
            self.assertLess(error, 2.0**-50 * ring_degree)

    def test_symmetry_and_layout(self):
        coefficients = unfold(list(range(512)))
        self.assertEqual(coefficients[512], 0)
        self.assertEqual([coefficients[index] for index in (0, 256, 1, 511, 255, 257)], [0, 1, 2, 3, 510, 511])
        self.assertEqual(coefficients[1023], -2)

    def test_missing_slots_are_zero(self):
        precision = Precision(1024, 20, 0)
        self.assertEqual(encode_packed([0.5], precision), encode_packed([0.5] + [0.0] * 511, precision))

    def test_refusals(self):
        with self.assertRaises(ValueError):
            encode([0.0] * 513, Precision(1024, 20, 0))
        with self.assertRaises(ValueError):
            encode([1.0000001], Precision(1024, 20, 0))
        with self.assertRaises(ValueError):
            encode([1.0], Precision(1024, 50, 8))


class Encryption(unittest.TestCase):
    def test_decryption_of_every_set_kind_and_suite(self):
        for name, parameters in SETS.items():
            if parameters.ring_degree > LARGEST_DEGREE:
                continue  # the same code; the vectors cover the degree
            pair = pair_of(parameters)
            message = encode(values_of("random", "f32", parameters.ring_degree, 0),
                             Precision(parameters.ring_degree, parameters.log2_scale[1], 0))
            for kind in KINDS:
                for suite in SUITES:
                    with self.subTest(name=name, kind=kind, suite=suite):
                        self.assert_noise(pair, message, encrypt(pair, message, SOURCE, kind, suite))

    def assert_noise(self, pair, message, ciphertext):
        noise = [got - sent for got, sent in zip(decrypt(pair, ciphertext), message)]
        variance = sum(value * value for value in noise) / len(noise)
        factor = 1 + 4 * len(noise) / 3 if ciphertext.kind == PUBLIC_KEY else 1
        self.assertLess(abs(variance / (10.5 * factor) - 1), 0.25)
        self.assertLess(max(map(abs, noise)), 7 * (10.5 * factor) ** 0.5)

    def test_only_the_body_depends_on_the_message(self):
        pair = pair_of(SETS["ckks-1024x1-sum"])
        first = encrypt(pair, [0] * 1024, SOURCE, 2, 1)
        second = encrypt(pair, [1] * 1024, SOURCE, 2, 1)
        self.assertEqual((first.c1, first.root), (second.c1, second.root))
        self.assertNotEqual(first.c0, second.c0)


class Frames(unittest.TestCase):
    def setUp(self):
        self.pair = pair_of(SETS["ckks-1024x1-sum"])

    def part(self, kind, interleave=1, suite=1):
        ciphertext = encrypt(self.pair, [0] * 1024, SOURCE, kind, suite)
        return frame(self.pair, ciphertext, SENDER, Encoding(18, 5, interleave, Claims(0)))[0]

    def test_own_parts_are_accepted(self):
        for kind, interleave, suite in ((1, 1, 1), (1, 8, 2), (2, 1, 1), (2, 1, 3)):
            fields = parse_part(self.part(kind, interleave, suite), SETS.values(), SENDER.device_key)
            self.assertEqual([fields[name] for name in ("device", "epoch", "sequence")], [1001, 3, 42])

    def test_a_flipped_bit_anywhere_is_refused(self):
        part = self.part(2)
        for position in (*range(0, 110), 2000, *range(len(part) - 20, len(part))):
            flipped = bytearray(part)
            flipped[position] ^= 1 << position % 8
            with self.assertRaises(Malformed):
                parse_part(bytes(flipped), SETS.values(), SENDER.device_key)

    def test_every_prefix_is_truncated(self):
        part = self.part(2)
        for length in (*range(0, 110), 2000, *range(len(part) - 20, len(part))):
            with self.assertRaisesRegex(Malformed, "truncated"):
                parse_part(part[:length], SETS.values(), SENDER.device_key)

    def test_blobs(self):
        sizes = {keys.PUBLIC: 8192 + 32, keys.SEEDED_PUBLIC: 4096 + 32, keys.SECRET_TERNARY: 256, keys.SECRET_NTT: 4096}
        for kind, size in sizes.items():
            image = keys.blob(self.pair, kind)
            self.assertEqual(len(image), KEY_BLOB_HEADER_BYTES + size)
            self.assertEqual(image[:8], b"ISOPODK2")
