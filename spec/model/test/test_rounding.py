"""Tests rounded coefficients against their definitions: rounding, noise within its formulas, products by public weights."""

import unittest
from math import sqrt

from ...base.parameters import read_sets
from ...gen.vectors.ciphertexts import SENDER, SOURCE, pair_of
from ...gen.vectors.rounded import FRAMES, Plan, Rows, frame_values, message_of
from ..encode import Precision
from ..encryption import encrypt
from ..frame import Claims, Encoding, frame
from ..ntt import inverse_ntt, ntt
from ..parse import parse_part
from ..rounding import Rounding, decrypt_frame, payload_bytes, rounded, sent_places, spread
from ..shapes import COEFFICIENTS_ROUNDED, encode
from ..streams import KINDS, is_public

SETS = {entry.name: entry for entry in read_sets()}


def sent(pair, message, kind, encoding):
    """The message plus noise that the reader of a frame decrypts."""
    ciphertext = encrypt(pair, message, SOURCE, kind, 1)
    part, = frame(pair, ciphertext, SENDER, encoding)
    return decrypt_frame(pair, parse_part(part, SETS.values(), SENDER.device_key))


class Roundings(unittest.TestCase):
    def test_every_coefficient_of_a_small_modulus(self):
        for modulus in (97, 127, 128 - 3):
            for dropped in range(7):
                for value in range(modulus):
                    kept = rounded(value, modulus, dropped)
                    self.assertLess(kept << dropped, modulus)
                    distance = abs((kept << dropped) - value)
                    self.assertLessEqual(min(distance, modulus - distance), 1 << dropped >> 1)

    def test_places_and_bytes(self):
        self.assertEqual(sent_places(35, 16, 5), [0, 1, 2, 3, 4, 16, 17, 18, 19, 20, 32, 33, 34, 35, 36])
        self.assertEqual(payload_bytes(67104769, (15, 1024), (4, 2)), [42, 3072])


class Noise(unittest.TestCase):
    def test_deviations_are_those_of_section_3(self):
        pair = pair_of(SETS["ckks-2048x1-air"])
        degree = pair.parameters.ring_degree
        claims = Claims(0, degree)
        for kind, dropped in ((1, (0, 0)), (1, (7, 3)), (1, (3, 6)), (2, (0, 0)), (2, (7, 0))):
            rounding = [4**bits / 12 if bits else 0 for bits in dropped]
            variance = 10.5 + rounding[0]
            if is_public(kind):
                variance += 10.5 * 4 * degree / 3 + 2 * degree / 3 * rounding[1]
            encoding = Encoding(15, degree, 1, claims, COEFFICIENTS_ROUNDED, Rounding(degree, dropped))
            noise = sent(pair, [0] * degree, kind, encoding)
            self.assertAlmostEqual(sqrt(sum(value * value for value in noise) / degree) / sqrt(variance), 1, delta=0.1)
            self.assertLess(max(map(abs, noise)), 6 * sqrt(variance))

    def test_zero_is_sent_behind_the_columns(self):
        pair = pair_of(SETS["ckks-1024x1-sum"])
        encoding = Encoding(18, 3, 1, Claims(0, 8), COEFFICIENTS_ROUNDED, Rounding(8))
        read = sent(pair, encode([0.5, -1.0, 1.0], Precision(1024, 18, 0), COEFFICIENTS_ROUNDED), 2, encoding)
        self.assertLess(max(map(abs, read[3:8])), 22)
        self.assertGreater(max(map(abs, read[8:])), 1 << 20)


class Products(unittest.TestCase):
    entry, rows = SETS["ckks-2048x1-air"], Rows(68, 30, 30, 30)

    def each_kind(self):
        """For both kinds of key: the message, the decrypted numbers, and six deviations of their noise."""
        pair, plan = pair_of(self.entry), Plan(1, self.rows, 16, 0, 7, (7, 3))
        values = spread(frame_values(self.entry, plan), self.rows.places, self.entry.ring_degree)
        message = message_of(self.entry, plan, values)
        for kind in KINDS:
            dropped = plan.public if is_public(kind) else (plan.secret, 0)
            encoding = Encoding(16, self.rows.count, 1, Claims(0, 30), COEFFICIENTS_ROUNDED, Rounding(30, dropped))
            yield message, sent(pair, message, kind, encoding), 6 * (190 if is_public(kind) else 37)

    def test_inner_products_of_every_row(self):
        weights = [(7 * index) % 61 - 30 for index in range(30)]
        norm = sqrt(sum(weight * weight for weight in weights))
        for message, read, noise in self.each_kind():
            scores = self.times(read, weights[::-1])
            for first in range(0, 68 * 30, 30):
                exact = sum(weight * value for weight, value in zip(weights, message[first:]))
                self.assertLess(abs(scores[first + 29] - exact), norm * noise)

    def test_totals_of_every_column(self):
        degree = self.entry.ring_degree
        backwards = [1] + [-((degree - index) % 30 == 0 and degree - index < 68 * 30) for index in range(1, degree)]
        for message, read, noise in self.each_kind():
            totals = self.times(read, backwards)
            for column in range(30):
                self.assertLess(abs(totals[column] - sum(message[column:68 * 30:30])), sqrt(68) * noise)

    def times(self, polynomial, weights):
        """The product of two polynomials, centred."""
        prime = self.entry.data_primes[0]
        weights = weights + [0] * (len(polynomial) - len(weights))
        product = inverse_ntt([a * b % prime for a, b in zip(ntt(polynomial, prime), ntt(weights, prime))], prime)
        return [value - prime if 2 * value > prime else value for value in product]


class Parts(unittest.TestCase):
    def test_header_and_payload_are_all_that_ten_readings_cost(self):
        entry = SETS["ckks-2048x1-air"]
        encoding = Encoding(15, 10, 1, Claims(4, 10), COEFFICIENTS_ROUNDED, Rounding(10, (7, 0)))
        pair = pair_of(entry)
        part, = frame(pair, encrypt(pair, [0] * 2048, SOURCE, 2, 1), SENDER, encoding)
        self.assertLess(len(part), 180)

    def test_every_plan_fits_its_set(self):
        for name, plans in FRAMES.items():
            for plan in plans:
                self.assertLessEqual(plan.rows.stride * (plan.rows.rows - 1) + plan.rows.run, SETS[name].ring_degree)
