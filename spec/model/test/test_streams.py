"""Tests the primitives with published answers, and the samplers by statistics."""

import unittest
from itertools import islice

from ..authentication import chacha20_poly1305, poly1305, xchacha20_poly1305
from ..chacha20 import chacha20_blocks, hchacha20
from ..mask import replace_rejected, seal_mask
from ..packing import pack, unpack
from ..sampling import error, ternary
from ..streams import SUITES, Sender, Source, derive_root, stream_bytes, stream_words

SUNSCREEN = (
    b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, "
    b"sunscreen would be it."
)
COUNTING_KEY = bytes(range(32))


class ChaCha20(unittest.TestCase):
    def test_rfc_8439_block(self):
        """[RFC8439], section 2.3.2."""
        block = chacha20_blocks(COUNTING_KEY, 1, bytes.fromhex("000000090000004a00000000"))
        expected = (
            "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
            "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"
        )
        self.assertEqual(block.hex(), expected)

    def test_many_blocks_equal_single_blocks(self):
        nonce = bytes(range(12))
        single = b"".join(chacha20_blocks(COUNTING_KEY, counter, nonce) for counter in range(5, 12))
        self.assertEqual(chacha20_blocks(COUNTING_KEY, 5, nonce, 7), single)

    def test_hchacha20(self):
        """[XCHACHA03], section 2.2.1."""
        subkey = hchacha20(COUNTING_KEY, bytes.fromhex("000000090000004a0000000031415927"))
        self.assertEqual(subkey.hex(), "82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc")


class Authentication(unittest.TestCase):
    def test_rfc_8439_poly1305(self):
        """[RFC8439], section 2.5.2."""
        key = bytes.fromhex("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b")
        authenticator = poly1305(key, b"Cryptographic Forum Research Group")
        self.assertEqual(authenticator.hex(), "a8061dc1305136c6c22b8baf0c0127a9")

    def test_rfc_8439_seal(self):
        """[RFC8439], section 2.8.2."""
        key, nonce = bytes(range(0x80, 0xA0)), bytes.fromhex("070000004041424344454647")
        associated = bytes.fromhex("50515253c0c1c2c3c4c5c6c7")
        ciphertext, tag = chacha20_poly1305(key, nonce, SUNSCREEN, associated)
        self.assertEqual(ciphertext[:16].hex(), "d31a8d34648e60db7b86afbc53ef7ec2")
        self.assertEqual(tag.hex(), "1ae10b594f09e26a7e902ecbd0600691")

    def test_xchacha20_poly1305(self):
        """[XCHACHA03], appendix A.3.1."""
        key, nonce = bytes(range(0x80, 0xA0)), bytes(range(0x40, 0x58))
        associated = bytes.fromhex("50515253c0c1c2c3c4c5c6c7")
        ciphertext, tag = xchacha20_poly1305(key, nonce, SUNSCREEN, associated)
        self.assertEqual(ciphertext[:16].hex(), "bd6d179d3e83d43b9576579493c0e939")
        self.assertEqual(tag.hex(), "c0875924c1c7987947deafd8780acf49")


class Streams(unittest.TestCase):
    def test_prefixes_agree(self):
        for suite in SUITES:
            long = stream_bytes(suite, COUNTING_KEY, 3, 0, 20000)
            self.assertEqual(stream_bytes(suite, COUNTING_KEY, 3, 0, 77), long[:77])
            words = islice(stream_words(suite, COUNTING_KEY, 3, 0), 5000)
            self.assertEqual(b"".join(word.to_bytes(4, "little") for word in words), long)

    def test_domains_and_indices_differ(self):
        seen = {stream_bytes(1, COUNTING_KEY, domain, index, 32) for domain in range(1, 8) for index in range(3)}
        self.assertEqual(len(seen), 21)

    def test_every_input_changes_the_root(self):
        base = dict(entropy=bytes(32), device_key=bytes(32), epoch=0, sequence=0, values=b"", description=b"", suite=1, kind=1,
                    key_id=bytes(16), set_id=bytes(8))
        changes = [{}, dict(entropy=bytes(31) + b"\1"), dict(device_key=b"\1" + bytes(31)), dict(epoch=1), dict(sequence=1),
                   dict(values=bytes(1)), dict(description=bytes(16)), dict(suite=2), dict(kind=2),
                   dict(key_id=bytes(15) + b"\1"), dict(set_id=b"\1" + bytes(7))]
        roots = set()
        for change in changes:
            choice = {**base, **change}
            sender = Sender(choice.pop("device_key"), 0, choice.pop("epoch"), choice.pop("sequence"))
            source = Source(choice.pop("entropy"), sender, choice.pop("values"), choice.pop("description"))
            roots.add(derive_root(source, **choice).noise_key)
        self.assertEqual(len(roots), len(changes))


class Sampling(unittest.TestCase):
    def test_error_has_the_binomial_moments(self):
        for suite in SUITES:
            sample = error(16384, suite, COUNTING_KEY, 3)
            mean = sum(sample) / len(sample)
            variance = sum(value * value for value in sample) / len(sample) - mean * mean
            self.assertLess(abs(mean), 0.1)
            self.assertLess(abs(variance - 10.5), 0.5)
            self.assertLessEqual(max(map(abs, sample)), 21)

    def test_ternary_is_uniform(self):
        sample = ternary(16384, 1, COUNTING_KEY, 5)
        self.assertEqual(len(sample), 16384)
        counts = [sample.count(value) for value in (-1, 0, 1)]
        chi_square = sum((count - 16384 / 3) ** 2 for count in counts) / (16384 / 3)
        self.assertLess(chi_square, 13.8)  # 0.1 % at two degrees of freedom

    def test_rejected_candidates_take_accepted_refills_in_order(self):
        self.assertEqual(replace_rejected([1, 5, 7, 2, 6], 5, iter([6, 12, 7, 9, 3])), [1, 4, 1, 2, 3])

    def test_rejected_words_of_seal_continue_after_the_first(self):
        high = (1 << 64) - 1
        words = iter([high, 5, 6, high, high, 8, 9])
        self.assertEqual(seal_mask(2, [7, 11], words), [[8 % 7, 5], [6, 9]])

    def test_bound_of_seal(self):
        bound = (1 << 64) - 1 - ((1 << 64) - 1) % 7 - 1
        self.assertEqual(seal_mask(1, [7], iter([bound, 3])), [[3]])
        self.assertEqual(seal_mask(1, [7], iter([bound - 1, 3])), [[(bound - 1) % 7]])

    def test_packing_inverts(self):
        values = [(i * 2654435761) % (1 << 27) for i in range(64)]
        self.assertEqual(unpack(pack(values, 27), 27), values)
        self.assertEqual(pack([1, 2, 3, 0, 0, 0, 0, 3], 2), bytes([0b00111001, 0b11000000]))
