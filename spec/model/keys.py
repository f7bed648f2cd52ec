"""Key pairs (ckks.md section 6) and their flash blobs (wire.md section 5)."""

import hashlib
import struct
from dataclasses import dataclass
from functools import cached_property

from ..base.parameters import CkksSet
from . import wire_codes as wire
from .mask import mask
from .ntt import ntt
from .packing import pack
from .sampling import error, ternary
from .streams import CHACHA20, ERROR_0, SECRET

PUBLIC, SEEDED_PUBLIC, SECRET_TERNARY, SECRET_NTT = BLOB_KINDS = (
    wire.KEY_KIND_PUBLIC, wire.KEY_KIND_PUBLIC_SEEDED, wire.KEY_KIND_SECRET_TERNARY, wire.KEY_KIND_SECRET_NTT)
SPLIT_KINDS = (wire.KEY_KIND_PUBLIC_PRIME, wire.KEY_KIND_PUBLIC_SEEDED_PRIME)  # one prime of kinds 1 and 2


@dataclass(frozen=True)
class KeySeeds:
    """The 32-byte secrets of a key generation, and the public seed of its mask."""

    secret_key: bytes
    mask_seed: bytes
    noise_key: bytes


@dataclass(frozen=True)
class KeyPair:
    """Lists of n residues per data prime, in NTT order. The secret is ternary. Suite 1 expands every seed."""

    parameters: CkksSet
    seeds: KeySeeds

    @cached_property
    def secret(self):
        return ternary(self.parameters.ring_degree, CHACHA20, self.seeds.secret_key, SECRET)

    @cached_property
    def secret_ntt(self):
        return [ntt(self.secret, prime) for prime in self.parameters.data_primes]

    @cached_property
    def public_1(self):
        return mask(self.parameters, CHACHA20, self.seeds.mask_seed)

    @cached_property
    def public_0(self):
        noise = error(self.parameters.ring_degree, CHACHA20, self.seeds.noise_key, ERROR_0)
        rows = zip(self.parameters.data_primes, self.public_1, self.secret_ntt)
        return [
            [(e - a * s) % prime for e, a, s in zip(ntt(noise, prime), masked, secret)]
            for prime, masked, secret in rows
        ]

    @cached_property
    def key_id(self):
        text = wire.HASH_LABEL_KEY_ID + self.parameters.set_id + self.head
        return hashlib.sha3_256(text).digest()[:wire.KEY_ID_BYTES]

    @cached_property
    def head(self):
        """The mask seed and the digest of each prime's pk0. They name the pair."""
        rows = zip(self.parameters.data_primes, self.public_0)
        digests = [hashlib.sha3_256(pack(row, prime.bit_length())).digest() for prime, row in rows]
        return self.seeds.mask_seed + b"".join(digests)


def blob(pair, kind):
    """The flash image of one of BLOB_KINDS."""
    return sealed_blob(pair, kind, len(pair.parameters.data_primes), _payload(pair, kind))


def split_blob(pair, kind, prime):
    """The flash image of one of SPLIT_KINDS: one prime's part of a public key."""
    form, modulus = _form(pair), pair.parameters.data_primes[prime]
    tail = form(pair.public_1[prime], modulus) if kind == SPLIT_KINDS[0] else b""
    primes = len(pair.parameters.data_primes) + (prime << wire.KEY_PRIME_SHIFT)
    return sealed_blob(pair, kind, primes, pair.head + form(pair.public_0[prime], modulus) + tail)


def sealed_blob(pair, kind, primes, payload):
    """The header, digest and payload of a blob, in any scheme."""
    parameters = pair.parameters
    head = struct.pack(wire.KEY_BLOB_HEAD, wire.KEY_BLOB_MAGIC, kind, parameters.ring_degree, parameters.set_id, pair.key_id,
                       primes, len(payload))
    return head + hashlib.sha3_256(head + payload).digest() + payload


def _form(pair):
    """The function that turns residues of a prime into words in Montgomery form."""
    bits, letter = pair.parameters.word_bits, "Q" if pair.parameters.has_primes64 else "I"
    return lambda residues, prime: struct.pack(f"<{len(residues)}{letter}", *[(residue << bits) % prime for residue in residues])


def _payload(pair, kind):
    primes, form = pair.parameters.data_primes, _form(pair)
    if kind == SECRET_TERNARY:
        return ternary_bytes(pair.secret)
    if kind == SECRET_NTT:
        return b"".join(map(form, map(_negated, pair.secret_ntt), primes))
    if kind == SEEDED_PUBLIC:
        return pair.seeds.mask_seed + b"".join(map(form, pair.public_0, primes))
    rows = zip(pair.public_0, pair.public_1, primes)
    return pair.seeds.mask_seed + b"".join(form(first, prime) + form(second, prime) for first, second, prime in rows)


def ternary_bytes(coefficients):
    """Four coefficients per byte, each as value + 1, the first in the lowest two bits."""
    return pack([value + 1 for value in coefficients], 2)


def _negated(residues):
    """The residues of -x. Both kinds of key are negated, so that encryption is a multiply-add."""
    return [-residue for residue in residues]
