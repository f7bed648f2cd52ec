"""Tests packets: they decrypt, they are as short as the page says, and nothing but an authentic one of its name is read."""

import random
import struct
import unittest
from dataclasses import replace

from ...base.parameters import read_sets
from ...base.tfhe_parameters import tfhe_sets
from ...gen.vectors.ciphertexts import SEEDS, SENDER, pair_of
from .. import wire_codes as wire
from ..bfv import message as bfv_message
from ..bfv import plaintext, round_plain, small_message
from ..mask import mask
from ..packet import Context, Window, decrypt_packet, header, mask_times_secret, open_packet, packet, packet_keys
from ..parse import Malformed
from ..rounding import spread
from ..siphash import siphash
from ..streams import Sender
from ..tfhe import TfheKeyPair, blocks_of, decode_blocks, encode_blocks, phases
from ..tfhe_packet import TfheContext, open_tfhe_packet, tfhe_packet
from ..tfhe_sampling import expand_mask

SETS = {entry.name: entry for entry in read_sets()}
PAIR = pair_of(SETS["ckks-1024x1-sum"])
SCALE, UNIT, DROPPED = 18, -11, 5  # readings of 12 bits, less 2048


def context_of(count, **changes):
    """A context of readings of 12 bits."""
    fields = {"number": 3, "log2_scale": SCALE, "count": count, "bound": 0, "stride": count, "run": count, "dropped": DROPPED}
    return Context(PAIR, wire.KIND_CKKS_SECRET, SENDER.device, **{**fields, **changes})


def sender_at(sequence, epoch=3):
    """The sender under another name."""
    return Sender(SENDER.device_key, SENDER.device, epoch, sequence)


def packet_of(context, readings, sender, entropy=bytes(32)):
    """A packet of integers."""
    message = spread([reading << SCALE + UNIT for reading in readings], context.places, 1024)
    return packet(context, sender, entropy, (6, UNIT, struct.pack(f"<{len(readings)}h", *readings)), message)


class Siphash(unittest.TestCase):
    def test_the_outputs_of_its_authors(self):
        key = bytes(range(16))
        self.assertEqual(siphash(key, bytes(range(15)))[::-1].hex(), "a129ca6149be45e5")
        self.assertEqual(siphash(key, b"")[::-1].hex(), "726fdb47dd0e0e31")
        self.assertEqual(siphash(key, b"", 16).hex(), "a3817f04ba25a8e66df67214c7550293")


class Lengths(unittest.TestCase):
    def test_they_are_those_of_the_page(self):
        for count, device, tag, length in ((1, 4, 8, 18), (10, 4, 8, 42), (13, 4, 8, 50), (1, 2, 4, 12), (5, 0, 8, 25)):
            context = context_of(count, device_bytes=device, tag_bytes=tag)
            self.assertEqual(context.packet_bytes, length)
            self.assertEqual(len(packet_of(context, [7] * count, SENDER)), length)

    def test_a_random_counter_takes_two_bytes_more(self):
        self.assertEqual(context_of(1, naming=wire.NAMING_RANDOM).packet_bytes, 20)


class Contents(unittest.TestCase):
    def test_sums_of_96_packets_are_exact_to_four_last_bits(self):
        choice, context, window = random.Random(1), context_of(10), Window(3)
        true, read = [0] * 10, [0] * 10
        for sequence in range(96):
            readings = [choice.randrange(-2048, 2048) for _ in range(10)]
            data = packet_of(context, readings, sender_at(sequence), choice.randbytes(32))
            _, seed, sent = open_packet(context, SENDER.device_key, window, data)
            noisy = decrypt_packet(context, seed, sent)
            self.assertLess(max(abs(value - (reading << 7)) for value, reading in zip(noisy, readings)), 21 + 16 + 1)
            true = [a + b for a, b in zip(true, readings)]
            read = [a + b for a, b in zip(read, noisy)]
        self.assertLess(max(abs(value / 128 - total) for value, total in zip(read, true)), 4)

    def test_integers_of_bfv_are_exact(self):
        for name, dropped in (("bfv-1024x1-count", 4), ("bfv-2048x1-count", 7)):
            pair = pair_of(SETS[name])
            entry = pair.parameters
            context = replace(context_of(23, dropped=dropped, log2_scale=0, bound=6144, run=9, stride=16), pair=pair,
                              frame=wire.KIND_BFV_SECRET)
            values = [0, 1, -1, 6144, -6144, 4095, 17]
            places = [*range(7), *range(16, 23)]
            polynomial = plaintext(spread(values * 2, places, entry.ring_degree), entry, 5)
            wanted = bfv_message(small_message(polynomial, entry, 1), entry, 1)
            data = packet(context, SENDER, bytes(32), (3, 0, b""), wanted)
            _, seed, sent = open_packet(context, SENDER.device_key, Window(3), data)
            noisy = spread(decrypt_packet(context, seed, sent), context.places, entry.ring_degree)
            integers = round_plain(noisy, entry, 1)
            self.assertEqual([integers[place] for place in places], [value % entry.plain_modulus for value in values * 2])

    def test_the_product_is_that_of_coefficients(self):
        context = context_of(1)
        product, a, secret = mask_times_secret(context, bytes(32)), mask(PAIR.parameters, 1, bytes(32))[0], PAIR.secret
        for j in (0, 1, 5, 1023):
            total = sum(a[i] * secret[j - i] for i in range(j + 1)) - sum(a[i] * secret[1024 + j - i] for i in range(j + 1, 1024))
            self.assertEqual(product[j], total % context.modulus)

    def test_noise_depends_on_entropy_values_and_name(self):
        context = replace(context_of(1), dropped=0)
        base = packet_of(context, [5], SENDER)
        others = [packet_of(context, [5], SENDER, bytes(31) + b"\x01"), packet_of(context, [6], SENDER),
                  packet_of(context, [5], sender_at(43)), packet_of(replace(context, number=4), [5], SENDER)]
        self.assertEqual(len({data[7:11] for data in [base, *others]}), 5)
        self.assertEqual(base, packet_of(context, [5], SENDER))


class Refusals(unittest.TestCase):
    def refused(self, context, data, window=None, key=SENDER.device_key):
        with self.assertRaises(Malformed):
            open_packet(context, key, window or Window(3), data)

    def test_every_bit_of_a_packet_counts(self):
        for tag_bytes in (4, 8, 16):
            context = context_of(2, tag_bytes=tag_bytes)
            data = packet_of(context, [1, 2], SENDER)
            for bit in range(8 * len(data)):
                changed = bytearray(data)
                changed[bit // 8] ^= 1 << bit % 8
                self.refused(context, bytes(changed))

    def test_lengths_keys_epochs_and_contexts_that_differ(self):
        context = context_of(2)
        data = packet_of(context, [1, 2], SENDER)
        open_packet(context, SENDER.device_key, Window(3), data)
        for other in (data[:-1], data + b"\x00", b"", data[:1]):
            self.refused(context, other)
        self.refused(context, data, Window(4))
        self.refused(context, data, key=SENDER.device_key[::-1])
        for change in ({"number": 4}, {"dropped": 4}, {"bound": 1}, {"tag_bytes": 4}, {"device": 7}, {"packing": bytes(16)}):
            self.refused(replace(context, **change), data)

    def test_an_authentic_body_of_a_wrong_form(self):
        context = context_of(1, dropped=0, device_bytes=0)
        keys = packet_keys(context.key(SENDER.device_key), 3, 42)
        for word in (context.modulus, 1 << 26):
            sealed = header(context, 42) + word.to_bytes(4, "little")
            self.refused(context, sealed + siphash(keys.tag, sealed))


class Bits(unittest.TestCase):
    def test_sixteen_numbers_of_8_bits_take_143_bytes_and_come_right(self):
        pair = TfheKeyPair(next(entry for entry in tfhe_sets() if entry.name == "tfhe-2048-tfhe-rs"), SEEDS)
        context = TfheContext(pair, SENDER.device, 2, ((2, 16),))
        blocks = blocks_of(pair.parameters, context.schema, [17 * i % 256 for i in range(16)])
        data = tfhe_packet(context, SENDER, bytes(range(32)), blocks)
        self.assertEqual((len(data), context.packet_bytes), (143, 143))
        _, nonce, bodies = open_tfhe_packet(context, SENDER.device_key, Window(3), data)
        read = phases(pair, expand_mask(pair.parameters, 1, nonce, pair.key_id), bodies)
        self.assertEqual(decode_blocks(pair.parameters, read), blocks)
        wanted = encode_blocks(pair.parameters, blocks)
        self.assertLessEqual(max(abs(value - message) for value, message in zip(read, wanted)), (1 << 47) + (1 << 17))

    def test_other_contexts_epochs_and_bits_are_refused(self):
        pair = TfheKeyPair(next(entry for entry in tfhe_sets() if entry.name == "tfhe-1024-tuniform"), SEEDS)
        context = TfheContext(pair, SENDER.device, 2, ((1, 3),), device_bytes=0)
        data = tfhe_packet(context, SENDER, bytes(range(32)), [1, 0, 1])
        open_tfhe_packet(context, SENDER.device_key, Window(3), data)
        for other in (replace(context, schema=((1, 2),)), replace(context, columns=1), replace(context, number=3)):
            self.assertRaises(Malformed, open_tfhe_packet, other, SENDER.device_key, Window(3), data)
        for bit in range(8 * len(data)):
            changed = bytearray(data)
            changed[bit // 8] ^= 1 << bit % 8
            self.assertRaises(Malformed, open_tfhe_packet, context, SENDER.device_key, Window(3), bytes(changed))


class Names(unittest.TestCase):
    def test_a_window_restores_what_is_not_too_far_away(self):
        for largest in (-1, 0, 4095, 4096, 65535, 65536, 10**9, 2**40 + 17):
            begin = max(0, largest + 1 - 4096)
            for sequence in (begin, begin + 1, max(0, largest), largest + 1, begin + 65535):
                self.assertEqual(Window(1, largest).restore(sequence % 65536), sequence)
            for sequence in (begin - 1, begin + 65536):
                self.assertNotEqual(Window(1, largest).restore(sequence % 65536), sequence)

    def test_a_hostile_network_changes_nothing_that_was_sent(self):
        choice, context, window = random.Random(2), context_of(1, tag_bytes=4), Window(3)
        sequence, sent, accepted = 0, {}, {}
        for _ in range(60):
            sequence += choice.choice((1, 1, 1, 2, 700, 61_000))
            sent[sequence] = packet_of(context, [sequence % 2048], sender_at(sequence), choice.randbytes(32))
        network = [(name, data) for name, data in sent.items() if choice.random() < 0.8]
        network += choice.choices(network, k=30)  # repeated at any time
        network.sort(key=lambda entry: entry[0] + choice.choice((0, 0, 0, 3000, 200_000)))
        for _, data in network:
            changed = bytes([data[0], *choice.randbytes(len(data) - 1)])
            self.assertRaises(Malformed, open_packet, context, SENDER.device_key, window, changed)
            try:
                name, _, _ = open_packet(context, SENDER.device_key, window, data)
                accepted.setdefault(name, data)
            except Malformed:
                continue
        self.assertGreater(len(accepted), 10)
        for name, data in accepted.items():
            self.assertEqual(sent[name], data)

    def test_random_names_are_those_of_their_context(self):
        context = context_of(1, naming=wire.NAMING_RANDOM)
        sender = sender_at(context.name_of(0xDEADBEEF))
        window = Window(3, 7)
        sequence, _, _ = open_packet(context, SENDER.device_key, window, packet_of(context, [9], sender))
        self.assertEqual((sequence, window.largest), (1 << 62 | 3 << 32 | 0xDEADBEEF, 7))


if __name__ == "__main__":
    unittest.main()
