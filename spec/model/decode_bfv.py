"""Rounding and decoding of integers in fixed point, decryption.md section 3."""

from math import prod

from .bfv import slot_places
from .decode_fixed import OutOfBound
from .ntt import ntt
from .shapes import IN_COEFFICIENTS

FRACTION = 30
MARGIN = 1 << FRACTION - 4


def round_fixed(coefficients, parameters, level):
    """p_0 .. p_{n-1} from the integers x, known modulo the first `level` primes. OutOfBound if one is not close to a multiple
    of q/t."""
    plain, primes = parameters.plain_modulus, parameters.data_primes[:level]
    terms = [(prime, plain * pow(prod(primes) // prime, -1, prime), pow(-prime, -1, plain)) for prime in primes]
    return [_coefficient(value, terms, plain) for value in coefficients]


def _coefficient(value, terms, plain):
    whole, fraction = 0, 0
    for prime, scaling, inverse in terms:
        y = value * scaling % prime
        whole += y * inverse
        fraction += _fraction(y, prime)
    nearest, rest = divmod(fraction + (1 << FRACTION - 1), 1 << FRACTION)
    if not MARGIN <= rest < (1 << FRACTION) - MARGIN:
        raise OutOfBound
    return (whole + nearest) % plain


def _fraction(y, prime):
    """The fraction f of one prime: y / prime in units of 2^-FRACTION."""
    bits = prime.bit_length()
    drop = max(0, bits - 31)
    return (y >> drop) * ((1 << bits + FRACTION) // prime) >> bits - drop


def decode_fixed(coefficients, parameters, level, layout):
    """All n slots or coefficients, each in 0 .. t-1."""
    polynomial = round_fixed(coefficients, parameters, level)
    if layout in IN_COEFFICIENTS:
        return polynomial
    transformed = ntt(polynomial, parameters.plain_modulus)
    return [transformed[place] for place in slot_places(parameters.ring_degree)]


def signed(value, plain):
    """The representative in -(t-1)/2 .. (t-1)/2."""
    return value - plain if 2 * value > plain else value
