"""The discrete Gaussian of tfhe.md, section 3.2: thresholds of the table, and the exact distribution of the sum of draws."""

from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache

WEIGHTS = (1, 5, 25)
VARIANCE = Fraction(128 * 128, sum(weight * weight for weight in WEIGHTS))
SCALE = 1 << 31
DIGITS = 80


@cache
def thresholds():
    """The thresholds T_0, T_1, ... below 2^31."""
    with localcontext() as context:
        context.prec = DIGITS
        masses = gaussian_masses(VARIANCE, 100)
        total, below, found = masses[0] + 2 * sum(masses[1:]), Decimal(0), []
        for x, mass in enumerate(masses):
            below += mass if x == 0 else 2 * mass
            scaled = below / total * SCALE
            if abs(scaled % 1 - Decimal("0.5")) < Decimal("1e-20"):
                raise ArithmeticError("too close to a tie to round")
            threshold = int(scaled + Decimal("0.5"))
            if threshold >= SCALE:
                return tuple(found)
            found.append(threshold)
    raise ArithmeticError("the table does not end")


def gaussian_masses(variance, count):
    """exp(-x^2 / (2 variance)), x = 0 .. count-1, as decimals of the current context."""
    step = -Decimal(variance.denominator) / (2 * Decimal(variance.numerator))
    return [(step * x * x).exp() for x in range(count)]


def draw_masses():
    """Exact probability of each value of one draw."""
    edges = (0, *thresholds(), SCALE)
    masses = {}
    for magnitude, (low, high) in enumerate(zip(edges, edges[1:])):
        for value in (magnitude, -magnitude):
            masses[value] = masses.get(value, 0) + Fraction(high - low, 2 * SCALE)
    return masses


@cache
def error_masses():
    """Exact probability of each value of an error."""
    total = {0: Fraction(1)}
    for weight in WEIGHTS:
        grown = {}
        for value, mass in total.items():
            for draw, chance in draw_masses().items():
                at = value + weight * draw
                grown[at] = grown.get(at, 0) + mass * chance
        total = grown
    return total
