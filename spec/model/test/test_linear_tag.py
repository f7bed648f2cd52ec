"""Tests linear tags: sums, of frames and of columns, and their lies, the exponent that no value may have, periods, and where tags
lie in a part."""

import random
import unittest
from dataclasses import replace

from ...base.parameters import read_sets
from ...gen.vectors.ciphertexts import SENDER, pair_of
from ...gen.vectors.linear_tags import MASTER, PERIOD, key_of
from ..encryption import encrypt
from ..frame import Claims, Encoding, frame
from ..linear_tag import (
    MODULUS,
    Shape,
    column_tag,
    columns_evaluated,
    device_secret,
    encoded,
    evaluated,
    folded,
    group_secret,
    is_canonical,
    linear_tag,
    next_secret,
    proves,
    split,
)
from ..parse import Malformed, parse_part
from ..rounding import Rounding
from ..shapes import COEFFICIENTS_ROUNDED
from ..streams import Source

DEGREE, SHAPE = 1024, Shape(4, 4)


def sums(frames):
    """(values, pads, tag) of the sum of frames (device, sequence, values)."""
    values, pads, tags = {}, [], []
    for device, sequence, numbers in frames:
        sender, key = replace(SENDER, device=device, sequence=sequence), key_of(device)
        for place, number in enumerate(numbers):
            values[place] = values.get(place, 0) + number
        pads.append((key.pad(SHAPE, sender.epoch, sequence), 1))
        tags.append((linear_tag(key, DEGREE, list(enumerate(numbers)), SHAPE, sender), 1))
    return values, pads, folded(tags)


class Sums(unittest.TestCase):
    def setUp(self):
        numbers = random.Random(1)
        self.frames = [(device, sequence, [numbers.randrange(-99, 100) for _ in range(4)])
                       for device in (1, 2) for sequence in range(3)]
        self.point = key_of(1).point

    def is_proved(self, values, pads, tag):
        return proves(tag, PERIOD, evaluated(self.point, DEGREE, values.items()), pads)

    def test_the_truth_is_proved_and_its_parts_are_not(self):
        values, pads, tag = sums(self.frames)
        self.assertTrue(self.is_proved(values, pads, tag))
        for lie in (sums(self.frames[1:]), sums(self.frames + self.frames[:1])):
            self.assertFalse(self.is_proved(lie[0], pads, lie[2]))
            self.assertFalse(self.is_proved(lie[0], pads, tag))
            self.assertFalse(self.is_proved(values, pads, lie[2]))

    def test_no_value_has_the_exponent_0(self):
        values, pads, tag = sums(self.frames)
        period, number = split(tag)
        for place in (0, 3, DEGREE - 1):
            lie = {**values, place: values.get(place, 0) + 5}
            self.assertFalse(self.is_proved(lie, pads, encoded(period, (number + 5) % MODULUS)))

    def test_who_knows_the_point_shifts(self):
        values, pads, tag = sums(self.frames)
        period, number = split(tag)
        shift = evaluated(self.point, DEGREE, [(2, 1000)])
        shifted = encoded(period, (number + shift) % MODULUS)
        self.assertTrue(self.is_proved({**values, 2: values[2] + 1000}, pads, shifted))


def column_sums(frames, shape):
    """(sums of columns, rows, pads, tag) of frames (device, sequence, rows)."""
    total, all_rows, pads, tags = [0] * shape.columns, 0, [], []
    for device, sequence, rows in frames:
        sender, key = replace(SENDER, device=device, sequence=sequence), key_of(device)
        values = [(column, row * 7 + column * 3 + sequence + 1) for row in range(rows) for column in range(shape.columns)]
        for column, value in values:
            total[column] += value
        pads.append((key.pad(shape, sender.epoch, sequence), 1))
        tags.append((column_tag(key, shape, values, rows, sender), 1))
        all_rows += rows
    return total, all_rows, pads, folded(tags)


class Columns(unittest.TestCase):
    FRAMES = ((1, 0, 1), (1, 1, 4), (2, 0, 9))

    def is_proved(self, shape, answer, pads, tag):
        polynomial = columns_evaluated(key_of(1).point, shape, enumerate(answer[0]), answer[1])
        return proves(tag, PERIOD, polynomial, pads)

    def test_sums_and_rows_are_proved_over_frames_of_any_rows(self):
        for shape in (SHAPE.of_columns(), Shape(1, 1).of_columns()):
            total, rows, pads, tag = column_sums(self.FRAMES, shape)
            self.assertTrue(self.is_proved(shape, (total, rows), pads, tag))
            some = column_sums(self.FRAMES[1:], shape)
            more = [number + 1 for number in total]
            for lie in ((total, rows + 1), (total, rows - 1), (some[0], rows), (some[0], some[1]), (more, rows)):
                self.assertFalse(self.is_proved(shape, lie, pads, tag))
            self.assertFalse(self.is_proved(shape, (some[0], some[1]), pads, some[3]))

    def test_readings_are_not_counted_and_are_no_rows(self):
        shape = SHAPE.of_columns(4)
        total, rows, pads, tag = column_sums(self.FRAMES, shape)
        self.assertTrue(self.is_proved(shape, (total, rows + 5), pads, tag))
        self.assertFalse(self.is_proved(shape, (total[::-1], rows), pads, tag))
        self.assertFalse(self.is_proved(SHAPE.of_columns(), (total, rows), pads, tag))

    def test_places_rows_and_readings_have_pads_of_their_own(self):
        key = key_of(1)
        shapes = (SHAPE, SHAPE.of_columns(), SHAPE.of_columns(2), SHAPE.of_columns(4))
        self.assertEqual(len({key.pad(shape, 3, 42) for shape in shapes}), len(shapes))


class Keys(unittest.TestCase):
    def test_a_period_follows_from_the_one_before(self):
        for secret in (lambda period: group_secret(MASTER, 3, period), lambda period: device_secret(MASTER, 3, period)):
            self.assertEqual(next_secret(secret(4)), secret(5))

    def test_tags_of_two_periods_are_no_sum(self):
        with self.assertRaises(ValueError):
            folded([(encoded(1, 5), 1), (encoded(2, 5), 1)])
        self.assertEqual(split(folded([(encoded(9, 5), 3), (encoded(1, 6), -1)])), (1, 9))


class Parts(unittest.TestCase):
    def setUp(self):
        self.entry = next(entry for entry in read_sets() if entry.name == "bfv-1024x1-count")
        self.pair = pair_of(self.entry)
        encoding = Encoding(0, 4, 1, Claims(1, 4), COEFFICIENTS_ROUNDED, Rounding(4))
        ciphertext = encrypt(self.pair, [0] * self.entry.ring_degree, Source(bytes(32), SENDER), 4, 1)
        self.make = lambda linear: frame(self.pair, ciphertext, SENDER, encoding, linear)[0]

    def parsed(self, linear):
        return parse_part(self.make(linear), [self.entry], SENDER.device_key)["linear"]

    def test_a_tag_is_found_behind_the_residues(self):
        tag = encoded(5, 12345)
        self.assertEqual([self.parsed(b""), self.parsed(tag)], [b"", tag])
        self.assertEqual(len(self.make(tag)) - len(self.make(b"")), 8)

    def test_two_tags_are_of_one_period(self):
        tags = encoded(5, 12345) + encoded(5, 6)
        self.assertEqual(self.parsed(tags), tags)
        with self.assertRaises(Malformed):
            self.parsed(encoded(5, 12345) + encoded(6, 6))

    def test_other_lengths_and_numbers_are_refused(self):
        self.assertFalse(is_canonical(b"\xff" * 8))
        for linear in (b"\x00" * 7, b"\x00" * 9, b"\x00" * 15, b"\x00" * 24, b"\xff" * 8, b"\x00" * 8 + b"\xff" * 8):
            with self.assertRaises(Malformed):
                self.parsed(linear)


if __name__ == "__main__":
    unittest.main()
