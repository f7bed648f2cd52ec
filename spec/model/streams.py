"""Randomness (ckks.md, section 2): the root of a ciphertext, and the streams drawn from it."""

import hashlib
import struct
from dataclasses import dataclass
from itertools import count

from . import wire_codes as wire
from .authentication import tag
from .chacha20 import chacha20_blocks

CHACHA20, SHAKE256, SEAL_SHAKE256 = SUITES = (wire.SUITE_CHACHA20, wire.SUITE_SHAKE256, wire.SUITE_SEAL_SHAKE256)
PUBLIC_KEY, SECRET_KEY = KINDS = (wire.KIND_CKKS_PUBLIC, wire.KIND_CKKS_SECRET)
BFV_KINDS = (wire.KIND_BFV_PUBLIC, wire.KIND_BFV_SECRET)
KINDS_OF = {"ckks": KINDS, "bfv": BFV_KINDS}

MASK, MASK_REFILL, ERROR_0, ERROR_1, TERNARY, SECRET, DITHER = range(1, 8)

# Blocks computed at once; the bytes do not depend on it.
BATCH = 64


def is_public(kind):
    """Whether a kind of frame is encrypted under a public key. All others are under a secret key."""
    return kind % 2 == 1


def seed_bytes(suite):
    """The length of a mask's seed."""
    return wire.SEAL_MASK_SEED_BYTES if suite == SEAL_SHAKE256 else wire.MASK_SEED_BYTES


@dataclass(frozen=True)
class Root:
    """Seeds, keys and nonce derived from one call of the entropy source."""

    mask_seed: bytes
    noise_key: bytes
    nonce: bytes


@dataclass(frozen=True)
class Sender:
    """The identity, counters and key that a device adds to its ciphertexts."""

    device_key: bytes
    device: int
    epoch: int
    sequence: int


@dataclass(frozen=True)
class Source:
    """A device's inputs to a root.

    They are 32 bytes of entropy, the sender, the values as they lie in memory (in TFHE the packed blocks; nothing if they do
    not enter), and their description, which is the frame's header (frame.description)."""

    entropy: bytes
    sender: Sender
    values: bytes = b""
    description: bytes = b""

    @property
    def hedge(self):
        """The tag of description and values."""
        nonce = struct.pack("<IQI", self.sender.epoch, self.sender.sequence, 0)
        return tag(self.sender.device_key, nonce, wire.DOMAIN_HEDGE, self.description + self.values)


def derive_root(source, suite, kind, key_id, set_id):
    """The root of one ciphertext; mask_seed has 64 bytes in suite 3, otherwise 32."""
    size = seed_bytes(suite)
    root = _root_bytes(source, bytes([suite, kind]) + key_id + set_id, size + 48)
    return Root(root[:size], root[size:size + 32], root[size + 32:])


def derive_tfhe_root(source, suite, kind, key_id, set_id):
    """The root of a TFHE ciphertext, tfhe.md section 2; its nonce is the mask seed."""
    root = _root_bytes(source, bytes([suite, kind]) + key_id + set_id, 48)
    return Root(root[:16], root[16:], root[:16])


def derive_key_seeds(entropy, set_id):
    """The seeds of a key pair (ckks.md, section 7), for the secret key, the mask and the noise; each has 32 bytes."""
    root = hashlib.shake_256(wire.HASH_LABEL_KEYGEN + entropy + set_id).digest(96)
    return root[:32], root[32:64], root[64:]


def _root_bytes(source, identity, length):
    sender = source.sender
    numbers = struct.pack("<IQ", sender.epoch, sender.sequence)
    text = wire.HASH_LABEL_ROOT + source.entropy + sender.device_key + numbers + identity + source.hedge
    return hashlib.shake_256(text).digest(length)


def stream_batches(suite, key, domain, index):
    """The endless stream in pieces of BATCH blocks."""
    for first in count(0, BATCH):
        if suite == CHACHA20:
            yield chacha20_blocks(key, first, struct.pack("<3I", domain, index, 0), BATCH)
        else:
            yield b"".join(_shake_block(key, domain, index, first + block) for block in range(BATCH))


def _shake_block(key, domain, index, counter):
    return hashlib.shake_256(key + struct.pack("<3I", domain, index, counter)).digest(136)


def stream_bytes(suite, key, domain, index, length):
    """The first `length` bytes of a stream."""
    pieces, have = [], 0
    for piece in stream_batches(suite, key, domain, index):
        if have >= length:
            break
        pieces.append(piece)
        have += len(piece)
    return b"".join(pieces)[:length]


def stream_words(suite, key, domain, index):
    """The endless stream as little-endian 32-bit words."""
    for piece in stream_batches(suite, key, domain, index):
        yield from struct.unpack(f"<{len(piece) // 4}I", piece)


def stream_long_words(suite, key, domain, index):
    """The endless stream as little-endian 64-bit words."""
    words = stream_words(suite, key, domain, index)
    while True:
        low = next(words)
        yield low | next(words) << 32
