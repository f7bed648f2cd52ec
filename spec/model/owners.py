"""Several owners (owners.md): a holder's part of a key, shares over the ring, and what opens a result."""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from math import prod

from . import wire_codes as wire
from .mask import mask
from .ntt import inverse_ntt, ntt
from .packing import pack
from .streams import CHACHA20

CENTRED_BITS = 21
DRAW_BYTES = 6  # of one error
DEALT, MASKED = 1, 3  # steps of a change


def _shake(label, *parts):
    return hashlib.shake_256(label + b"".join(parts))


def mask_seed(invitation):
    """The seed of the mask of all parts; `invitation` is a digest here and below."""
    return _shake(wire.HASH_LABEL_OWNERS_MASK, invitation).digest(wire.MASK_SEED_BYTES)


def commitment(invitation, holder, blind, packed):
    """A holder's commitment to a packed part of the public key."""
    return hashlib.sha3_256(wire.HASH_LABEL_OWNERS_COMMIT + invitation + bytes([holder]) + blind + packed).digest()


def packed(parameters, polynomial):
    """The residues of each prime, one after the other."""
    return b"".join(pack(row, prime.bit_length()) for row, prime in zip(polynomial, parameters.data_primes))


@dataclass(frozen=True)
class HolderPart:
    """The part of a holder, from a seed of 32 bytes."""

    parameters: object
    invitation: bytes
    holder: int
    seed: bytes

    def _derived(self, label, *parts):
        return _shake(label, self.invitation, bytes([self.holder]), self.seed, *parts)

    @cached_property
    def _draws(self):
        """Secret and error, as coefficients."""
        degree = self.parameters.ring_degree
        # A byte in 256 is skipped: twice as many suffice.
        data = self._derived(wire.HASH_LABEL_OWNERS_SECRET).digest((2 + DRAW_BYTES) * degree)
        secret, at = [], 0
        while len(secret) < degree:
            if data[at] < 255:
                secret.append(data[at] % 3 - 1)
            at += 1
        draws = [data[at + DRAW_BYTES * index:at + DRAW_BYTES * (index + 1)] for index in range(degree)]
        return secret, [_ones(draw[:3]) - _ones(draw[3:]) for draw in draws]

    @property
    def secret(self):
        """s of this holder: integers of -1, 0 and 1."""
        return self._draws[0]

    def public(self):
        """pk0 of this part, in NTT order."""
        entry = self.parameters
        rows = zip(mask(entry, CHACHA20, mask_seed(self.invitation)), entry.data_primes)
        secret, error = self._draws
        return [[(e - a * s) % prime for e, a, s in zip(ntt(error, prime), row, ntt(secret, prime))] for row, prime in rows]

    def _random(self, power, index):
        """The coefficient of X^power of the sharing polynomial, modulo one prime."""
        return uniform(self.parameters, self._derived(wire.HASH_LABEL_OWNERS_SHARE, bytes([power, index])), index)

    def share(self, threshold, receiver):
        """f(receiver), in NTT order."""
        shares = []
        for index, prime in enumerate(self.parameters.data_primes):
            value = ntt(self.secret, prime)
            for power in range(1, threshold):
                factor = receiver ** power
                value = [(v + r * factor) % prime for v, r in zip(value, self._random(power, index))]
            shares.append(value)
        return shares

    def link_and_master(self):
        """Link key and device master, of the first holder."""
        return _shake(wire.HASH_LABEL_OWNERS_LINK, self.invitation, self.seed).digest(2 * wire.LINK_KEY_BYTES)


def uniform(parameters, stream, index):
    """The residues modulo one prime that follow from a SHAKE256."""
    prime, degree = parameters.data_primes[index], parameters.ring_degree
    data = stream.digest(8 * 4 * degree)
    words = (int.from_bytes(data[at:at + 8], "little") for at in range(0, len(data), 8))
    kept = [word for word in (word % (1 << prime.bit_length()) for word in words) if word < prime]
    return kept[:degree]


def _ones(data):
    return (int.from_bytes(data, "little") % (1 << CENTRED_BITS)).bit_count()


def joined(parameters, polynomials):
    """The sum of polynomials, in NTT order."""
    primes = enumerate(parameters.data_primes)
    return [[sum(values) % prime for values in zip(*(one[index] for one in polynomials))] for index, prime in primes]


def factor(answering, holder, prime, point=0):
    """The weight of a holder's share among those who answer, for the value of the polynomial at a point."""
    others = [other for other in answering if other != holder]
    return prod((other - point) * pow(other - holder, -1, prime) for other in others) % prime


def change_digest(step, fingerprint, generation, data):
    """The digest that binds a step of a change; `data` says what it is about."""
    head = bytes([step]) + fingerprint + generation.to_bytes(4, "little")
    return hashlib.sha3_256(wire.HASH_LABEL_OWNERS_CHANGE + head + data).digest()


@dataclass(frozen=True)
class Change:
    """A holder who deals in a change of generation `generation`, from a fresh seed of 32 bytes."""

    parameters: object
    fingerprint: bytes
    generation: int
    holder: int
    seed: bytes

    @property
    def commitment(self):
        """The commitment to a sharing of zero."""
        return change_digest(DEALT, self.fingerprint, self.generation, bytes([self.holder]) + self.seed)

    def zero(self, threshold, receiver):
        """z(receiver), in NTT order, of a polynomial whose value at 0 is zero."""
        shares = []
        for index, prime in enumerate(self.parameters.data_primes):
            value = [0] * self.parameters.ring_degree
            for power in range(1, threshold):
                where = self.commitment + bytes([self.holder, power, index])
                stream = _shake(wire.HASH_LABEL_OWNERS_CHANGE, where, self.seed)
                weight = receiver ** power
                value = [(v + r * weight) % prime for v, r in zip(value, uniform(self.parameters, stream, index))]
            shares.append(value)
        return shares

    def pair_seed(self, session, other):
        """The seed of the mask between this helper and one with a higher number."""
        return _shake(wire.HASH_LABEL_OWNERS_PAIR, session, bytes([self.holder, other]), self.seed).digest(wire.HOLDER_SEED_BYTES)


def session(fingerprint, generation, announcement, helpers):
    """The digest that binds a replacement, by the newcomer's announcement and the numbers of the helpers, ascending."""
    return change_digest(MASKED, fingerprint, generation, hashlib.sha3_256(announcement).digest() + bytes(helpers))


def pair_mask(parameters, binding, pair, seed):
    """The mask that the lower helper of a pair adds and the higher one subtracts."""
    streams = (_shake(wire.HASH_LABEL_OWNERS_CHANGE, binding, bytes([*pair, index]), seed)
               for index in range(len(parameters.data_primes)))
    return [uniform(parameters, stream, index) for index, stream in enumerate(streams)]


def piece(parameters, share, helpers, holder, lost, masks):
    """The piece of a helper for the newcomer; `masks` are pairs of +1 or -1 and a mask."""
    weighed = [[value * factor(helpers, holder, prime, lost) % prime for value in row]
               for row, prime in zip(share, parameters.data_primes)]
    signed = [[[sign * value for value in row] for row in mask] for sign, mask in masks]
    return joined(parameters, [weighed, *signed])


def fractions(primes, polynomial, bits):
    """round(2^bits x / Q) mod 2^bits of the coefficients x of a polynomial in NTT order."""
    modulus = prod(primes)
    rows = [inverse_ntt(row, prime) for row, prime in zip(polynomial, primes)]
    weights = [modulus // prime * pow(modulus // prime, -1, prime) for prime in primes]
    integers = (sum(map(int.__mul__, residues, weights)) % modulus for residues in zip(*rows))
    return [((x << bits + 1) + modulus) // (2 * modulus) % (1 << bits) for x in integers]


def contribution(parameters, share, c1, answering, holder, masks):
    """A contribution without the noise that hides the share, in NTT order; `masks` as in `piece`."""
    return piece(parameters, [[s * c for s, c in zip(*rows)] for rows in zip(share, c1)], answering, holder, 0, masks)


def pair_key(fingerprint, ends, shared):
    """The key of two holders, lower number first: `ends` are their numbers and points of X25519, `shared` the secret of both."""
    points = (bytes([number]) + point for number, point in ends)
    return _shake(wire.HASH_LABEL_OWNERS_PAIR_KEY, fingerprint, *points, shared).digest(wire.PAIR_KEY_BYTES)


def answer_mask(parameters, key, result, answering):
    """The mask of two holders with a key; the lower number adds it. `result` is digest of the answer, index, generation."""
    answer, index, generation = result
    place = answer + index.to_bytes(4, "little") + generation.to_bytes(4, "little") + bytes(answering)
    return mask(parameters, CHACHA20, _shake(wire.HASH_LABEL_OWNERS_ANSWER, key, place).digest(wire.MASK_SEED_BYTES))


def integers(primes, c0, contributions, bits, plain):
    """The integers modulo t of an opened result of BFV, in coefficients; None if one is too far from all integers."""
    values = []
    for numbers in zip(fractions(primes, c0, bits), *contributions):
        scaled = plain * (sum(numbers) % (1 << bits))
        nearest = (scaled + (1 << bits - 1)) >> bits
        if abs(scaled - (nearest << bits)) * 16 > 7 << bits:
            return None
        values.append(nearest % plain)
    return values
