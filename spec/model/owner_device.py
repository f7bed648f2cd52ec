"""A holder on a board (owners.md, section 4): its noise, its key blob, and its contributions.

E = 2^m G + U1 + U2 - (2^m - 1): G is a discrete Gaussian of deviation 2 by a table, U1 and U2 are uniform below 2^m. The density
is the masses of G joined by straight lines."""

from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from math import ceil, log, log2

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
    """Fisher information of the joined masses in units of 2^-2m, but for the two pieces at the ends, which fall to zero. Pieces from
    p to q have (q - p) ln(q / p)."""
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
