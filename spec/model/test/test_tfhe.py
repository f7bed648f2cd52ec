"""Tests the TFHE sets, their Gaussian, and the model of TFHE against their definitions."""

import dataclasses
import json
import math
import unittest
from fractions import Fraction

from ...base.gaussian import error_masses
from ...base.parameters import SPEC_FOLDER, Refused
from ...base.tfhe_parameters import PRIME, check_tfhe_sets, tfhe_sets
from ...gen.vectors.ciphertexts import SEEDS
from ...gen.vectors.inputs import counting_bytes
from .. import tfhe
from ..aes import aes128_block, round_keys
from ..ntt import inverse_ntt, ntt
from ..parse import Malformed
from ..parse_tfhe import Receiver, parse_tfhe_frame
from ..streams import Root, Sender
from ..tfhe_frame import TfheEncoding, tfhe_frame

SETS = tfhe_sets()
LARGEST = Sender(bytes(32), (1 << 64) - 1, (1 << 32) - 1, (1 << 64) - 1)


class Sets(unittest.TestCase):
    def refused(self, fragment, **changes):
        with self.assertRaisesRegex(Refused, fragment):
            check_tfhe_sets([dataclasses.replace(SETS[0], **changes)])

    def test_rules(self):
        self.refused("must be tfhe-2048", name="tfhe-1024-x")
        self.refused("2048 with 64", log2_modulus=32)
        self.refused("binary, ternary", secret="sparse")
        self.refused("tuniform", noise="cbd21")
        self.refused("no estimate", noise="tuniform5")
        self.refused("allowed: 1, 2, 4", message_bits=3)
        self.refused("padding bit", log2_delta=62)
        self.refused("this set is \"128\"", label="research")
        self.refused("allowed: 128", label="129")
        with self.assertRaisesRegex(Refused, "same name or numbers"):
            check_tfhe_sets([SETS[0], dataclasses.replace(SETS[0], name="tfhe-2048-other")])


class Gaussian(unittest.TestCase):
    def test_distance_from_the_ideal_distribution(self):
        masses = error_masses()
        ideal = {x: math.exp(-x * x / 32768) for x in range(-1200, 1201)}
        whole = sum(ideal.values())
        self.assertEqual(sum(masses.values()), 1)
        self.assertEqual(max(masses), 31 * 32)
        self.assertEqual(sum(x * mass for x, mass in masses.items()), 0)
        variance = sum(x * x * mass for x, mass in masses.items())
        self.assertLess(abs(variance - 16384), Fraction(1, 10000))
        divergence = sum(float(mass) ** 2 / (ideal[x] / whole) for x, mass in masses.items()) - 1
        self.assertLess(divergence, 2**-35)
        distance = sum(abs(float(masses.get(x, 0)) - value / whole) for x, value in ideal.items()) / 2
        self.assertLess(distance, 2**-28)


class Model(unittest.TestCase):
    def test_aes_of_fips_197(self):
        block = aes128_block(round_keys(bytes(range(16))), bytes.fromhex("00112233445566778899aabbccddeeff"))
        self.assertEqual(block.hex(), "69c4e0d86a7b0430d8cdb78070b4c55a")

    def test_negacyclic_product(self):
        self.assertEqual(tfhe.negacyclic([1, 2, 3, 0xFFFFFFFF], [0, 1, 0, -1], 32), [3, 4, 1, 2])

    def test_transformed_key_is_the_secret(self):
        pair = tfhe.TfheKeyPair(SETS[1], SEEDS)
        factor = pow(1 << 32, -1, PRIME) * 1024
        values = inverse_ntt([value * factor % PRIME for value in tfhe.transformed(pair)], PRIME)
        self.assertEqual([(value + 1) % PRIME - 1 for value in values], pair.secret)
        self.assertEqual(len(set(ntt(pair.secret, PRIME)) - set(range(PRIME))), 0)

    def test_every_set_and_kind_decrypts(self):
        for entry in SETS:
            pair = tfhe.TfheKeyPair(entry, SEEDS)
            blocks = [(i * i >> 3) % (1 << entry.message_bits) for i in range(entry.ring_degree)]
            for kind in tfhe.TFHE_KINDS:
                ciphertext = tfhe.tfhe_encrypt(pair, blocks, ROOT, kind, 1)
                shift = entry.log2_modulus // 2
                body = [word << shift for word in tfhe.rounded(entry, ciphertext.body, entry.word_bytes // 2)]
                for words in (ciphertext.body, body):
                    self.assertEqual(tfhe.decode_blocks(entry, tfhe.phases(pair, ciphertext.mask, words)), blocks)

    def test_blocks_are_least_significant_first(self):
        self.assertEqual(tfhe.blocks_of(SETS[0], ((2, 1), (1, 1)), [0b11100100, 1]), [0, 1, 2, 3, 1])
        self.assertEqual(tfhe.blocks_of(SETS[1], ((2, 1), (1, 1)), [0b11100100, 1]), [0, 0, 1, 0, 0, 1, 1, 1, 1])
        self.assertEqual(len(tfhe.blocks_of(SETS[0], ((5, 1),), [1 << 63])), 32)


ROOT = Root(counting_bytes(1, 16), counting_bytes(2), counting_bytes(1, 16))


class Sizes(unittest.TestCase):
    def size(self, entry, schema, width):
        pair = tfhe.TfheKeyPair(entry, SEEDS)
        count = sum(max(1, tfhe.TYPE_BITS[kind] // entry.message_bits) * count for kind, count in schema)
        encoding = TfheEncoding(schema, width, 0, bytes(16))
        return len(tfhe_frame(pair, tfhe.tfhe_encrypt(pair, [0] * count, ROOT, 6, 1), encoding, LARGEST))

    def test_with_the_largest_numbers_of_a_sender(self):
        self.assertLessEqual(self.size(SETS[1], ((1, 256),), 2), 620)
        self.assertLessEqual(self.size(SETS[1], ((1, 256),), 4), 1200)
        self.assertLessEqual(self.size(SETS[1], ((1, 1024),), 2), 2200)
        self.assertLessEqual(self.size(SETS[1], ((1, 1024),), 4), 4400)
        self.assertLessEqual(self.size(SETS[0], ((2, 256),), 8), 8300)
        self.assertLessEqual(self.size(SETS[0], ((2, 1),), 8) - 107, 32)


class CommittedVectors(unittest.TestCase):
    def setUp(self):
        self.document = json.loads((SPEC_FOLDER / "vectors" / "tfhe.json").read_text())
        self.receiver = Receiver(bytes.fromhex(self.document["sender"]["device_key"]), set())

    def read(self, record):
        named = next(entry for entry in SETS if entry.name == record["set"])
        return parse_tfhe_frame(bytes.fromhex(record["hex"]), named, self.receiver)

    def test_every_short_frame_is_read(self):
        short = [record for record in self.document["tfhe_frames"] if record["hex"]]
        self.assertGreater(len(short), 15)
        for record in short:
            self.receiver.accepted.clear()
            self.assertEqual(self.read(record)["width"], record["width"])

    def test_malformed_frames_have_their_named_defect(self):
        seen = set()
        self.read(self.document["tfhe_good"][0])
        for record in self.document["tfhe_malformed"]:
            with self.subTest(record["defect"]), self.assertRaises(Malformed) as caught:
                self.read(record)
            self.assertEqual(str(caught.exception), record["error"], record["defect"])
            seen.add(record["error"])
        self.assertEqual(seen, {"truncated", "trailing_bytes", "wrong_type", "not_canonical", "unknown_version", "unknown_kind",
                                "unknown_suite", "length", "out_of_range", "tag", "duplicate"})

    def test_fresh_noise_is_as_small_as_it_must_be(self):
        document = self.document
        bounds = {"tfhe-2048-tfhe-rs": 1 << 17, "tfhe-1024-tuniform": 256, "tfhe-1024-tfhepp": 992, "tfhe-1024-binary": 992}
        whole = [record for record in document["tfhe_frames"] if record["kind"] == 6 and record["width"] in (4, 8)
                 and not (record["set"] == "tfhe-2048-tfhe-rs" and record["width"] == 4)]
        self.assertGreater(len(whole), 30)
        for record in whole:
            self.assertLessEqual(record["largest_noise"], bounds[record["set"]])
