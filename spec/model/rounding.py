"""Rounded coefficients (coefficients.md): a ciphertext that is transformed back, rounded and cut to its rows."""

from dataclasses import dataclass
from math import prod

from .encryption import Ciphertext, decrypt, recombine
from .mask import mask
from .ntt import inverse_ntt, ntt
from .packing import pack, unpack
from .streams import is_public


@dataclass(frozen=True)
class Rounding:
    """The number of coefficients of c0 that each row sends, and the low bits dropped from c0 and c1."""

    run: int
    dropped: tuple = (0, 0)


@dataclass(frozen=True)
class Lifted:
    """Coefficients modulo q: c0, zero where it was not sent, and c1, or None if a seed replaces it."""

    c0: list
    c1: list | None


def sent_places(count, stride, run):
    """The coefficients of c0 that are sent, in their order."""
    rows = -(-count // stride)
    return [stride * row + index for row in range(rows) for index in range(run)]


def coefficients(rows, primes):
    """The coefficients modulo q of a polynomial, from its NTT modulo each prime."""
    modulus = prod(primes)
    return [value % modulus for value in recombine([inverse_ntt(row, prime) for row, prime in zip(rows, primes)], primes)]


def rounded(value, modulus, dropped):
    """The number that is sent for a coefficient: times 2^dropped it is nearest to the coefficient, modulo q."""
    kept = value + (1 << dropped >> 1) >> dropped
    return kept if kept << dropped < modulus else 0


def packed(values, modulus, dropped):
    """The bytes of coefficients; zeros fill the last one."""
    return pack([rounded(value, modulus, dropped) for value in values], modulus.bit_length() - dropped)


def payload(ciphertext, primes, places, dropped):
    """The field `residues` of a frame: c0 at its places, then c1 unless its seed is sent."""
    modulus, c0 = prod(primes), coefficients(ciphertext.c0, primes)
    data = packed([c0[place] for place in places], modulus, dropped[0])
    if is_public(ciphertext.kind):
        data += packed(coefficients(ciphertext.c1, primes), modulus, dropped[1])
    return data


def payload_bytes(modulus, counts, dropped):
    """The bytes of each polynomial, from the number of its coefficients that are sent."""
    return [(count * (modulus.bit_length() - bits) + 7) // 8 for count, bits in zip(counts, dropped)]


def lift(data, modulus, count, dropped):
    """Coefficients modulo q from their bytes."""
    return [value << dropped for value in unpack(data, modulus.bit_length() - dropped)[:count]]


def lift_frame(fields, parameters):
    """The polynomials of a parsed frame."""
    modulus, dropped = parameters.at_level(fields["parts"]).modulus, (fields["dropped_0"], fields["dropped_1"])
    places = sent_places(fields["count"], fields["stride"], fields["run"])
    split = payload_bytes(modulus, (len(places),), dropped)[0]
    first, second = fields["residues"][:split], fields["residues"][split:]
    c1 = lift(second, modulus, parameters.ring_degree, dropped[1]) if is_public(fields["kind"]) else None
    return Lifted(spread(lift(first, modulus, len(places), dropped[0]), places, parameters.ring_degree), c1)


def spread(values, places, ring_degree):
    """A polynomial with these values at these places, zero elsewhere."""
    polynomial = [0] * ring_degree
    for place, value in zip(places, values):
        polynomial[place] = value
    return polynomial


def decrypt_frame(pair, fields):
    """The message plus noise of a parsed frame: n integers, valid only where c0 was sent."""
    at_level, lifted = pair.parameters.at_level(fields["parts"]), lift_frame(fields, pair.parameters)
    masks = mask(at_level, fields["suite"], fields["seed"]) if lifted.c1 is None else None
    return decrypt_lifted(pair, at_level.data_primes, lifted, masks)


def decrypt_lifted(pair, primes, lifted, masks=None):
    """The message plus noise; `masks` replace c1 in NTT form if a seed was sent."""
    c0, c1 = ([ntt(polynomial, prime) for prime in primes] for polynomial in (lifted.c0, lifted.c1 or [0]))
    return decrypt(pair, Ciphertext(None, None, None, c0, masks or c1))
