"""TFHE keys, messages and encryption (tfhe.md, sections 4 and 5) and key blobs (wire.md, section 5)."""

import hashlib
import struct
from dataclasses import dataclass
from functools import cached_property

from ..base.tfhe_parameters import PRIME, TfheSet
from . import wire_codes as wire
from .keys import KeySeeds, sealed_blob, ternary_bytes
from .ntt import ntt
from .streams import CHACHA20, ERROR_0, ERROR_1, MASK, SECRET, TERNARY, stream_bytes
from .tfhe_sampling import errors, expand_mask, secret_of, words_of

TFHE_PUBLIC, TFHE_SECRET = TFHE_KINDS = (wire.KIND_TFHE_PUBLIC, wire.KIND_TFHE_SECRET)
PUBLIC, SEEDED_PUBLIC, SECRET_PLAIN, SECRET_NTT = TFHE_BLOB_KINDS = (
    wire.TFHE_KEY_KIND_PUBLIC, wire.TFHE_KEY_KIND_PUBLIC_SEEDED, wire.TFHE_KEY_KIND_SECRET, wire.TFHE_KEY_KIND_SECRET_TRANSFORMED)

# Bits of each type of value; I8 and those after it are signed.
TYPE_BITS = {
    wire.VALUE_TYPE_BOOL: 1,
    wire.VALUE_TYPE_U8: 8, wire.VALUE_TYPE_U16: 16, wire.VALUE_TYPE_U32: 32, wire.VALUE_TYPE_U64: 64,
    wire.VALUE_TYPE_I8: 8, wire.VALUE_TYPE_I16: 16, wire.VALUE_TYPE_I32: 32, wire.VALUE_TYPE_I64: 64,
}


def negacyclic(a, s, log2_modulus):
    """a*s modulo X^N + 1 and q, by one product of big integers. The coefficients of s are small and signed."""
    ring_degree, slot = len(a), 2 * log2_modulus
    total = _packed(a, slot) * _packed([max(x, 0) for x in s], slot)
    borrowed = _packed(a, slot) * _packed([max(-x, 0) for x in s], slot)
    plus, minus = _unpacked(total, slot, 2 * ring_degree), _unpacked(borrowed, slot, 2 * ring_degree)
    wide = [x - y for x, y in zip(plus, minus)]
    return [(low - high) % (1 << log2_modulus) for low, high in zip(wide, wide[ring_degree:])]


def _packed(values, slot):
    return int.from_bytes(b"".join(value.to_bytes(slot // 8, "little") for value in values), "little")


def _unpacked(number, slot, count):
    data, size = number.to_bytes(count * slot // 8, "little"), slot // 8
    return [int.from_bytes(data[start:start + size], "little") for start in range(0, len(data), size)]


@dataclass(frozen=True)
class TfheKeyPair:
    """A secret s and a public key p0, p1 = p0*s + e."""

    parameters: TfheSet
    seeds: KeySeeds

    @cached_property
    def secret(self):
        return secret_of(self.parameters, CHACHA20, self.seeds.secret_key, SECRET)

    @cached_property
    def public_0(self):
        length = self.parameters.ring_degree * self.parameters.word_bytes
        return words_of(stream_bytes(CHACHA20, self.seeds.mask_seed, MASK, 0, length), self.parameters.word_bytes)

    @cached_property
    def public_1(self):
        noise = errors(self.parameters, CHACHA20, self.seeds.noise_key, ERROR_0)
        return add(negacyclic(self.public_0, self.secret, self.parameters.log2_modulus), noise, self.parameters)

    @cached_property
    def key_id(self):
        packed = packed_words(self.public_0, self.parameters) + packed_words(self.public_1, self.parameters)
        return hashlib.sha3_256(wire.HASH_LABEL_TFHE_KEY_ID + self.parameters.set_id + packed).digest()[:wire.KEY_ID_BYTES]


def add(words, numbers, parameters):
    """The sums modulo q of numbers and the first words."""
    return [(word + number) % (1 << parameters.log2_modulus) for word, number in zip(words, numbers)]


def packed_words(words, parameters, word_bytes=None):
    """The words as little-endian bytes."""
    return b"".join(word.to_bytes(word_bytes or parameters.word_bytes, "little") for word in words)


def tfhe_blob(pair, kind):
    """The flash image of one of TFHE_BLOB_KINDS."""
    return sealed_blob(pair, kind, 0, _payload(pair, kind))


def _payload(pair, kind):
    parameters = pair.parameters
    if kind == PUBLIC:
        return packed_words(pair.public_0, parameters) + packed_words(pair.public_1, parameters)
    if kind == SEEDED_PUBLIC:
        return pair.seeds.mask_seed + packed_words(pair.public_1, parameters)
    if kind == SECRET_NTT:
        return struct.pack(f"<{parameters.ring_degree}I", *transformed(pair))
    if parameters.secret == "ternary":
        return ternary_bytes(pair.secret)
    return sum(bit << i for i, bit in enumerate(pair.secret)).to_bytes(parameters.ring_degree // 8, "little")


def transformed(pair):
    """NTT(s) / N in Montgomery form."""
    scale = (1 << 32) * pow(pair.parameters.ring_degree, -1, PRIME)
    return [value * scale % PRIME for value in ntt(pair.secret, PRIME)]


def blocks_of(parameters, schema, values):
    """The blocks of a message; the schema is pairs of type and count."""
    kinds = [kind for kind, count in schema for _ in range(count)]
    bits, found = parameters.message_bits, []
    for kind, value in zip(kinds, values, strict=True):
        found += [value >> shift & (1 << bits) - 1 for shift in range(0, TYPE_BITS[kind], bits)]
    return found


def packed_blocks(blocks):
    """Blocks of two bits, four to a byte. The hedge of a root covers them (section 2)."""
    number = sum(block << 2 * place for place, block in enumerate(blocks))
    return number.to_bytes(-(-len(blocks) // 4), "little")


def encode_blocks(parameters, blocks):
    """The signed coefficients of the message."""
    offset = 1 << parameters.log2_delta - 1 if parameters.centred else 0
    return [(block << parameters.log2_delta) - offset for block in blocks]


@dataclass(frozen=True)
class TfheCiphertext:
    """N words of mask and c words of body."""

    kind: int
    suite: int
    nonce: bytes
    mask: list
    body: list


def tfhe_encrypt(pair, blocks, root, kind, suite):
    """A ciphertext under a key pair. Kind 5 uses its public half, kind 6 its secret half."""
    parameters = pair.parameters
    message = encode_blocks(parameters, blocks)
    noisy = [m + e for m, e in zip(message, errors(parameters, suite, root.noise_key, ERROR_0))]
    if kind == TFHE_SECRET:
        mask = expand_mask(parameters, suite, root.nonce, pair.key_id)
        body = add(negacyclic(mask, pair.secret, parameters.log2_modulus), noisy, parameters)
    else:
        u = secret_of(parameters, suite, root.noise_key, TERNARY)
        mask_errors = errors(parameters, suite, root.noise_key, ERROR_1)
        mask = add(negacyclic(pair.public_0, u, parameters.log2_modulus), mask_errors, parameters)
        body = add(negacyclic(pair.public_1, u, parameters.log2_modulus), noisy, parameters)
    return TfheCiphertext(kind, suite, root.nonce, mask, body)


def rounded(parameters, body, width):
    """The bodies rounded to `width` bytes."""
    shift = parameters.log2_modulus - 8 * width
    half = 1 << shift - 1 if shift else 0
    return [(word + half >> shift) % (1 << 8 * width) for word in body]


def phases(pair, mask, body):
    """Message plus noise: b - a*s, centred."""
    modulus = 1 << pair.parameters.log2_modulus
    products = negacyclic(mask, pair.secret, pair.parameters.log2_modulus)
    return [(b - p + modulus // 2) % modulus - modulus // 2 for b, p in zip(body, products)]


def decode_blocks(parameters, values):
    """The blocks nearest to the phases."""
    delta, offset = 1 << parameters.log2_delta, 1 << parameters.log2_delta - 1 if parameters.centred else 0
    return [(value + offset + delta // 2) // delta % (1 << parameters.message_bits) for value in values]
