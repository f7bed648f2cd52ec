"""Tests pads: sums are exact, a range key opens its range and nothing else, and names, places and epochs differ."""

import random
import unittest
from collections import Counter
from dataclasses import replace
from functools import partial

from ...gen.vectors.ciphertexts import SENDER
from ...gen.vectors.pads import MASTER, TEN
from ..packet import Window
from ..pad import (
    LAST,
    Run,
    device_pad_key,
    integers_of,
    next_root,
    open_pad_packet,
    open_sum,
    pad,
    pad_from,
    pad_packet,
    range_key,
    reduced,
)
from ..parse import Malformed

KEY = device_pad_key(MASTER, SENDER.device)
ROOT = TEN.root(KEY)


def sender_at(sequence, epoch=3):
    """The sender under another name."""
    return replace(SENDER, sequence=sequence, epoch=epoch)


def hidden(context, root, sequence, values, epoch=3):
    """The integers that the server stores of one packet."""
    data = pad_packet(context, sender_at(sequence, epoch), root, values)
    return open_pad_packet(context, SENDER.device_key, Window(epoch, sequence - 1), data)[1]


def added(context, total, weight, numbers):
    """A sum and one more packet, modulo 2^b."""
    return reduced(context, [value + weight * c for value, c in zip(total, numbers)])


class Lengths(unittest.TestCase):
    def test_they_are_those_of_the_page(self):
        for columns, width, device, tag, length in ((10, 2, 2, 8, 33), (10, 2, 4, 4, 31), (1, 2, 0, 4, 9), (10, 3, 4, 8, 45)):
            context = replace(TEN, columns=columns, width=width, device_bytes=device, tag_bytes=tag)
            self.assertEqual(context.packet_bytes, length)
            self.assertEqual(len(pad_packet(context, SENDER, ROOT, [1] * columns)), length)


class Sums(unittest.TestCase):
    def test_runs_of_several_devices_weights_and_widths_come_right(self):
        choice = random.Random(1)
        for width in (2, 3, 4):
            context = replace(TEN, width=width, columns=3, bound=(1 << 8 * width - 1) // 200)
            runs = [Run(3, 9, 40, 2), Run(3, 42, 43, -3), Run(4, 0, 15, 1), Run(3, LAST - 1, LAST, 1)]
            for device in (1001, 1002):
                root = replace(context, device=device).root(device_pad_key(MASTER, device))
                total, true = [0] * 3, [0] * 3
                for run in runs:
                    for sequence in range(run.first, run.last + 1):
                        values = [choice.choice((context.bound, -context.bound, choice.randrange(-99, 99))) for _ in range(3)]
                        total = added(context, total, run.weight, hidden(context, root, sequence, values, run.epoch))
                        true = [value + run.weight * m for value, m in zip(true, values)]
                self.assertEqual(open_sum(context, total, runs, partial(pad, context, root)), true)

    def test_a_sum_that_may_overflow_is_not_believed(self):
        context = replace(TEN, bound=100)
        with self.assertRaises(AssertionError):
            open_sum(context, [0] * 10, [Run(3, 0, 327)], lambda epoch, at: bytes(20))
        open_sum(context, [0] * 10, [Run(3, 0, 326)], lambda epoch, at: bytes(20))


class Pads(unittest.TestCase):
    def test_names_places_contexts_and_devices_have_pads_of_their_own(self):
        wide = replace(TEN, width=4, columns=40)
        roots = [wide.root(KEY), replace(wide, number=1).root(KEY), wide.root(device_pad_key(MASTER, 7)),
                 wide.root(device_pad_key(MASTER[::-1], SENDER.device))]
        numbers = Counter(number for root in roots for epoch in (1, 2, 1 << 31) for at in (0, 1, 15, 16, 1 << 31, LAST + 1)
                          for number in integers_of(wide, pad(wide, root, epoch, at)))
        self.assertEqual(len(numbers), 4 * 3 * 6 * 40)

    def test_bits_of_packets_of_equal_values_are_balanced(self):
        ones = sum(number.bit_count() for at in range(300) for number in hidden(TEN, ROOT, at, [5] * 10))
        self.assertLess(abs(ones - 300 * 80), 6 * (300 * 160) ** 0.5 / 2)

    def test_a_ratchet_gives_each_epoch_a_root_that_follows_from_the_one_before(self):
        context = replace(TEN, ratchet=1)
        roots = [context.root(KEY, epoch) for epoch in (1, 2, 3)]
        self.assertEqual([next_root(root) for root in roots[:2]], roots[1:])
        self.assertEqual(len({*roots, TEN.root(KEY)}), 4)
        self.assertEqual(TEN.root(KEY, 1), TEN.root(KEY, 2))


class RangeKeys(unittest.TestCase):
    def test_they_open_their_range_and_nothing_else(self):
        context = replace(TEN, columns=2)
        root = context.root(KEY)
        for first, last in ((0, 0), (0, 15), (3, 40), (250, 530), (4095, 8193), (LAST - 20, LAST + 1)):
            entries = range_key(context, root, 3, first, last)
            for at in {first, (first + last) // 2, min(first + 16, last), last}:
                self.assertEqual(pad_from(context, entries, 3, at), pad(context, root, 3, at))
            for at in (first - 1, last + 1):
                self.assertRaises(KeyError, pad_from, context, entries, 3, at)
            self.assertNotEqual(pad_from(context, entries, 3, first), pad(context, root, 4, first))
            data = b"".join(node.data for node in entries)
            self.assertNotIn(root, data)
            self.assertNotIn(pad(context, root, 3, last + 1), data)

    def test_a_month_takes_as_many_entries_as_the_page_says(self):
        lengths = [len(range_key(TEN, ROOT, 3, first, first + 2976)) for first in (0, 1, 16, 255, 256, 273, 4000)]
        self.assertTrue(all(22 <= length <= 52 for length in lengths), lengths)

    def test_no_entry_is_the_root_which_other_epochs_share(self):
        self.assertEqual([node.depth for node in range_key(TEN, ROOT, 3, 0, LAST + 1)], [1] * 16)


class Refusals(unittest.TestCase):
    def test_every_bit_of_a_packet_counts(self):
        data = pad_packet(TEN, SENDER, ROOT, [1] * 10)
        open_pad_packet(TEN, SENDER.device_key, Window(3), data)
        for bit in range(8 * len(data)):
            changed = bytearray(data)
            changed[bit // 8] ^= 1 << bit % 8
            self.assertRaises(Malformed, open_pad_packet, TEN, SENDER.device_key, Window(3), bytes(changed))

    def test_other_contexts_and_epochs_are_refused(self):
        data = pad_packet(TEN, SENDER, ROOT, [1] * 10)
        for change in ({"number": 4}, {"bound": 4}, {"ratchet": 1}, {"packing": bytes(16)}, {"key_id": bytes(16)}):
            self.assertRaises(Malformed, open_pad_packet, replace(TEN, **change), SENDER.device_key, Window(3), data)
        self.assertRaises(Malformed, open_pad_packet, TEN, SENDER.device_key, Window(4), data)
        for other in (data[:-1], data + b"\0", b""):
            self.assertRaises(Malformed, open_pad_packet, TEN, SENDER.device_key, Window(3), other)

    def test_values_beyond_the_bound_and_the_last_sequence_are_not_encrypted(self):
        for values, sequence in (([2048] + [0] * 9, 0), ([-2048] + [0] * 9, 0), ([0] * 10, LAST + 1)):
            with self.assertRaises(AssertionError):
                pad_packet(TEN, sender_at(sequence), ROOT, values)


if __name__ == "__main__":
    unittest.main()
