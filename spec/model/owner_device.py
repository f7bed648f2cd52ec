"""A holder on a board (owners.md, section 4): its noise, its key blob, and its contributions.

E = 2^m G + U1 + U2 - (2^m - 1): G is a discrete Gaussian of deviation 2 by a table, U1 and U2 are uniform below 2^m. The density
is the masses of G joined by straight lines."""

import hashlib
import struct
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from math import ceil, log, log2, prod

from . import wire_codes as wire
from .authentication import tag
from .chacha20 import chacha20_blocks, hchacha20
from .frame import head, item
from .ntt import inverse_ntt
from .owners import factor
from .packing import pack

DEVIATION = 2  # of G
SCALE = 1 << 31
DIGITS = 60
WORDS = 5  # of 32 bits, for one coefficient


@cache
def masses():
    """Numerators of the masses of G, G = -k .. k, over 2^31: positive, symmetric, rounded; the middle one takes what is left."""
    with localcontext() as context:
        context.prec = DIGITS
        weights = [(-Decimal(x * x) / (2 * DEVIATION ** 2)).exp() for x in range(60)]
        total = weights[0] + 2 * sum(weights[1:])
        half = [int((weight / total * SCALE).to_integral_value()) for weight in weights[1:]]
    half = [mass for mass in half if mass > 0]
    return tuple([*half[::-1], SCALE - 2 * sum(half), *half])


def thresholds():
    """How many thresholds a draw of 31 bits reaches, less the largest value, is G."""
    found, below = [], 0
    for mass in masses()[:-1]:
        below += mass
        found.append(below)
    return tuple(found)


def information():
    """Fisher information of the joined masses in units of 2^-2m, but for the two pieces at the ends, which fall to zero. A piece
    from p to q has (q - p) ln(q / p)."""
    pairs = zip(masses(), masses()[1:])
    return sum((q - p) * log(q / p) for p, q in pairs) / SCALE


def variance():
    """Variance of the joined masses, in units of 2^2m: that of G, and 1/12 of each uniform number."""
    most = len(masses()) // 2
    return Fraction(sum(mass * (value - most) ** 2 for value, mass in enumerate(masses())), SCALE) + Fraction(1, 6)


def shift_bits(flood):
    """m: the least with a Fisher information of at most flood^-2."""
    return ceil(log2(flood / DEVIATION))


def noise(words, bits):
    """E of one coefficient from five words; `bits` is m."""
    mask = (1 << bits) - 1
    drawn = sum(words[0] >> 1 >= threshold for threshold in thresholds())
    first, second = ((words[at + 1] << 32 | words[at]) & mask for at in (1, 3))
    return ((drawn - len(thresholds()) // 2) << bits) + first + second - mask


@dataclass(frozen=True)
class BoardShare:
    """A holder's share on a board, and what the invitation says."""

    parameters: object
    key_id: bytes
    holder: int
    threshold: int
    holders: int
    frames: int
    bits: int
    shift: int
    used: int
    queries: int
    link: bytes
    transport: bytes
    residues: list  # n in NTT order for each prime

    def blob(self):
        """The key blob of kind 5 (wire.md, section 17)."""
        entry = self.parameters
        words = (self.holder, self.threshold, self.holders, self.frames, self.bits, self.shift)
        payload = struct.pack("<6I2Q", *words, self.used, self.queries) + self.link + self.transport
        for row, prime in zip(self.residues, entry.data_primes):
            payload += struct.pack(f"<{len(row)}I", *((value << 32) % prime for value in row))
        before = wire.KEY_BLOB_MAGIC + struct.pack("<II", wire.KEY_KIND_HOLDER_SHARE, entry.ring_degree)
        before += entry.set_id + self.key_id + struct.pack("<II", len(entry.data_primes), len(payload))
        return before + hashlib.sha3_256(before + payload).digest() + payload

    def contribution(self, c1, answering, result, drawn):
        """The bytes that a board writes; result is the nonce of the result, drawn = entropy and the board's own count."""
        entropy, own = drawn
        count = self.used + own
        derived = hashlib.shake_256(wire.HASH_LABEL_OWNERS_BOARD + entropy + self.transport + struct.pack("<Q", count)).digest(48)
        nonce, noise_key = derived[:16], derived[16:]
        values = pack(self.values(c1, answering, noise_key), self.bits)
        domain = wire.DOMAIN_BOARD_CONTRIBUTION
        stream = chacha20_blocks(hchacha20(self.transport, nonce), 1, bytes(4) + struct.pack("<Q", domain), -(-len(values) // 64))
        sealed = bytes(a ^ b for a, b in zip(values, stream))
        numbers = head(wire.CBOR_ARRAY, len(answering)) + b"".join(map(item, answering))
        message = b"".join([head(wire.CBOR_ARRAY, len(wire.BOARD_CONTRIBUTION)), item(wire.VERSION),
                            item(wire.KIND_BOARD_CONTRIBUTION), item(self.key_id), item(nonce), item(self.holder), numbers,
                            item(result), item(count), item(self.bits), item(sealed)])
        return message + item(tag(self.transport, nonce, domain, message))

    def values(self, c1, answering, noise_key):
        """Numbers of b bits, those of even coefficients first, with the noise of this key."""
        primes = self.parameters.data_primes
        modulus, half = prod(primes), self.parameters.ring_degree // 2
        rows = [inverse_ntt([s * c * factor(answering, self.holder, prime) % prime for s, c in zip(mine, row)], prime)
                for mine, row, prime in zip(self.residues, c1, primes)]
        weights = [modulus // prime * pow(modulus // prime, -1, prime) for prime in primes]
        integers = [sum(map(int.__mul__, residues, weights)) % modulus for residues in zip(*rows)]
        words = struct.unpack(f"<{2 * half * WORDS}I", chacha20_blocks(noise_key, 0, bytes(12), half * WORDS // 8))
        drawn = [noise(words[at:at + WORDS], self.shift) for at in range(0, len(words), WORDS)]
        return [rounded(d + e, modulus, self.bits) for d, e in zip(integers[::2] + integers[1::2], drawn)]


def rounded(value, modulus, bits):
    """round(2^bits value / modulus) mod 2^bits."""
    return ((value << bits + 1) + modulus) // (2 * modulus) % (1 << bits)
