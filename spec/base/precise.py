"""pi, cosine and sine on scaled integers, value * 2^BITS, with errors far below the last bit that any caller rounds to."""

from functools import cache

BITS = 192
# Every result is within ERROR units of 2^-BITS: at most ~60 truncated terms, each below two units.
ERROR = 1 << 10


@cache
def pi():
    """pi * 2^BITS by Machin's formula [MACHIN06], 16 atan(1/5) - 4 atan(1/239)."""
    guard = 16
    return 16 * _arctangent_inverse(5, guard) - 4 * _arctangent_inverse(239, guard) >> guard


def _arctangent_inverse(divisor, guard):
    power = (1 << BITS + guard) // divisor
    total, odd, sign = 0, 1, 1
    while power:
        total += sign * (power // odd)
        power //= divisor * divisor
        odd, sign = odd + 2, -sign
    return total


def cosine_sine(numerator, denominator):
    """(cos, sin) * 2^BITS of pi * numerator / denominator, 0 <= numerator <= denominator / 2."""
    angle = pi() * numerator // denominator
    return _taylor(angle, 1 << BITS, 1), _taylor(angle, angle, 2)


def _taylor(angle, term, divisor):
    square, total = angle * angle >> BITS, 0
    while term:
        total += term
        term = -(term * square >> BITS) // (divisor * (divisor + 1))
        divisor += 2
        if abs(term) <= 1:
            break
    return total


def round_away(value, bits):
    """A precise value rounded to `bits` fraction bits, half away from zero; refuses a value too near a tie."""
    shift = BITS - bits
    half = 1 << shift - 1
    magnitude = abs(value)
    if value and abs(magnitude % (2 * half) - half) <= ERROR:
        raise ArithmeticError("too close to a tie to round")
    rounded = magnitude + half >> shift
    return -rounded if value < 0 else rounded
