"""Tests answers that prove themselves: frames with linear tags, honest sums, and every lie refused by name and counted."""
import struct
import unittest

from support import InFolder

# isort: split
import isopod
import numpy as np

from spec.model.authentication import tag
from spec.model.wire_codes import DOMAIN_RESULT

TAG_ITEM, LINEAR_TAG, NONCE = 17, 8, slice(31, 47)
LINK_KEY = slice(-66, -34)  # of a server's key file, which ends in two keys of 32 bytes, each behind a head of 2
MODULUS = 2**61 - 1


class Proofs(InFolder):
    """Three devices with keys of tags, and a server that lies under its own seal."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.keys = isopod.keygen(cls.folder / "keys", set="bfv-2048x2-air", devices=[1, 2, 3], passphrase=None)
        cls.owner = isopod.Owner(cls.keys.owner)
        cls.server = isopod.Server(cls.keys.server)
        cls.table = np.array([[1, -7], [2, 8]], dtype=np.int32)
        cls.untagged = isopod.Device(cls.keys.device(3)).encrypt(cls.table, bound_bits=10)
        cls.first = cls.owner.tag_keys(cls.keys.folder, [1, 2, 3])

    def frames(self, *devices):
        return [isopod.Device(self.keys.device(number)).encrypt(number * self.table, bound_bits=10)[0] for number in devices]

    def sealed(self, answer):
        """An answer under the server's seal, whatever it says."""
        link = (self.keys.server / "server.key").read_bytes()[LINK_KEY]
        return bytes(answer[:-16]) + tag(link, bytes(answer[NONCE]), DOMAIN_RESULT, bytes(answer[:-TAG_ITEM]))

    def refuses(self, answer, owner=None):
        with self.assertRaisesRegex(isopod.UnverifiedError, "not verified"):
            (owner or self.owner).decrypt(answer)

    def test_1_an_honest_sum_is_verified(self):
        self.assertEqual(self.first, isopod.TagPeriod(group=0, period=0))
        frames = self.frames(1, 2, 3, 3)
        self.assertEqual(len(frames[0]), len(self.untagged[0]) + LINEAR_TAG)
        result = self.owner.decrypt(self.server.sum(frames), verify=True)
        self.assertEqual(result.values.tolist(), (9 * self.table).tolist())
        proof = result.verified
        self.assertEqual((proof.frames, proof.devices, proof.period, proof.bits), (4, 3, 0, 50))
        self.assertEqual([(span.device, span.last - span.first) for span in proof.spans], [(1, 0), (2, 0), (3, 1)])
        self.assertRegex(str(proof), r"^verified: 4 frames of 3 devices, sequences \d+ to \d+ of device 1, .* forgery 2\^-50$")

    def test_2_states_carry_tags(self):
        halves = [self.server.partial("sum", self.frames(1, 2)), self.server.partial("sum", self.frames(3))]
        self.assertEqual(self.owner.decrypt(self.server.sum(halves), verify=True).verified.frames, 3)

    def test_3_answers_without_a_proof(self):
        answer = self.server.sum([*self.frames(1, 2), *self.untagged])
        with self.assertRaisesRegex(isopod.UnverifiedError, "verify: the results have no linear tags"):
            self.owner.decrypt(answer, verify=True)
        self.assertEqual(self.owner.decrypt(answer).news, "new", "what was refused is not remembered")
        self.assertIsNone(self.owner.decrypt(answer).verified)

    def test_4_lies_are_refused_and_counted(self):
        honest, other = (bytes(self.server.sum(self.frames(*devices))) for devices in ((1, 2, 3), (1, 2)))
        self.assertEqual(self.sealed(honest), honest)
        at = slice(-TAG_ITEM - LINEAR_TAG, -TAG_ITEM)
        number, = struct.unpack("<Q", honest[at])
        for word in (number ^ 1, (number + 1) % MODULUS, 2 * number % MODULUS, 0, struct.unpack("<Q", other[at])[0]):
            lie = bytearray(honest)
            lie[at] = struct.pack("<Q", word)
            self.refuses(self.sealed(lie))
        self.assertEqual(self.owner.decrypt(honest).verified.frames, 3)
        lie = self.sealed(lie)
        with self.assertRaisesRegex(isopod.UnverifiedError, "period 0 ended after 64 refusals"):
            for _ in range(64):
                self.refuses(lie, isopod.Owner(self.keys.owner))
            self.owner.decrypt(honest)

    def test_5_a_new_period_and_a_new_group(self):
        for options, period in (({"next_period": True}, (0, 1)), ({"new_group": True}, (1, 2)), ({}, (1, 2))):
            self.assertEqual(self.owner.tag_keys(self.keys.folder, [1, 2, 3], **options), period)
            result = self.owner.decrypt(self.server.sum(self.frames(1, 2, 3)), verify=True)
            self.assertEqual(result.verified.period, period[1])
        self.owner.tag_keys(self.keys.folder, [1], next_period=True)
        self.assertIsNone(self.owner.decrypt(self.server.sum(self.frames(1, 2))).verified, "frames of two periods")

    def test_6_keys_of_tags_that_are_refused(self):
        with self.assertRaises(isopod.Error):
            self.owner.tag_keys(self.keys.folder, [9])
        (self.keys.folder / "device-8").symlink_to("device-1")
        with self.assertRaisesRegex(isopod.InputError, "devices: .*device-8 is of another device"):
            self.owner.tag_keys(self.keys.folder, [8])
        bits = isopod.keygen(self.folder / "bits", set="tfhe-2048-tfhe-rs", evaluation_keys=False, passphrase=None)
        with self.assertRaisesRegex(isopod.InputError, "keys: a set without linear tags"):
            isopod.Owner(bits.owner).tag_keys(bits.folder, [1])
        path = self.keys.device(2) / "linear.key"
        damaged = bytearray(path.read_bytes())
        damaged[60] ^= 1
        path.write_bytes(damaged)
        with self.assertRaisesRegex(isopod.KeysError, "linear.key"):
            isopod.Device(self.keys.device(2))


if __name__ == "__main__":
    unittest.main()
