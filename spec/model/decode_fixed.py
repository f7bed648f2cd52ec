"""Decoding of real slots in fixed point, decryption.md section 2."""

from dataclasses import dataclass
from fractions import Fraction

from ..base.arithmetic import bit_reverse
from .encode import radix_4_pass, roots, slot_positions

# The largest L that 32-bit words can decode.
MESSAGE32_BITS = 28


class OutOfBound(Exception):
    """A result that exceeds its declared bound."""


@dataclass(frozen=True)
class Declared:
    """The facts that are known before decoding: ring degree, scale (a float), log2 of the largest magnitude."""

    ring_degree: int
    scale: float
    log2_bound: int

    @property
    def log2_scale(self):
        """The logarithm c of the scale, rounded up."""
        numerator, denominator = self.scale.as_integer_ratio()
        return (-(-numerator // denominator) - 1).bit_length()

    @property
    def magnitude(self):
        """The magnitude L."""
        return self.log2_scale + self.log2_bound

    @property
    def width(self):
        """The word size W."""
        return 32 if self.magnitude <= MESSAGE32_BITS else 64

    @property
    def bound_bits(self):
        """The number of bits G that a word at the bound has."""
        return self.width - 5

    @property
    def reciprocal(self):
        """The reciprocal rho."""
        return int(Fraction(1 << 62 + self.log2_scale) / Fraction(self.scale))


@dataclass(frozen=True)
class DeclaredCoefficients(Declared):
    """The facts that are known of values in coefficients. Their words always have 64 bits."""

    width = 64


def coefficient_word(coefficient, declared):
    """The word of a value in a coefficient, or OutOfBound."""
    limit = 1 << declared.magnitude + 1
    if not -limit <= coefficient < limit:
        raise OutOfBound
    return coefficient << declared.bound_bits - declared.magnitude


def decode_words(coefficients, declared):
    """v_0 .. v_{n/2-1} from n integers, or OutOfBound."""
    points = transform(pre_twist(fold(coefficients, declared), declared), declared)
    _check_range(points, declared)
    return [word for imaginary, real in points for word in (real, imaginary)]


def fold(coefficients, declared):
    """The folded coefficients D_k, 0 <= k < n/2."""
    n, limit = declared.ring_degree, 1 << declared.magnitude + 2
    odd = [2 * coefficients[0]] + [coefficients[k] - coefficients[n - k] for k in range(1, n // 2)]
    if any(not -limit <= value < limit for value in odd):
        raise OutOfBound
    shift = declared.bound_bits - 1 - declared.magnitude
    if shift >= 0:
        return [value << shift for value in odd]
    return [_nearest_even(value, -shift) for value in odd]


def _nearest_even(value, shift):
    """value / 2^shift, ties to even. At shift 1 half of all differences are ties, and rounding all ties one way would bias
    them."""
    return value + (1 << shift - 1) - 1 + (value >> shift & 1) >> shift


def pre_twist(folded, declared):
    """The exchanged points at their bit-reversed positions."""
    half, count, width = len(folded), len(folded) // 2, declared.width
    turn, points = roots(declared.ring_degree, width), [None] * count

    def twisted(k):
        return _times_conjugate((folded[k], -folded[half - k]), turn[k], width)

    points[0] = _first_point(folded[0], folded[count], turn[count][0], width)
    for k in range(1, count // 2):
        points[k], points[count - k] = _join(twisted(k), twisted(count - k), turn[4 * k], width)
    real, imaginary = twisted(count // 2)
    points[count // 2] = 2 * real, -2 * imaginary
    bits = count.bit_length() - 1
    exchanged = [(imaginary, real) for real, imaginary in points]
    return [exchanged[bit_reverse(position, bits)] for position in range(count)]


def _first_point(zeroth, middle, cosine, width):
    upper = _rounded(2 * middle * cosine, width - 2)
    return zeroth + upper, zeroth - upper


def _join(low, high, factor, width):
    """X_k and X_{M-k} from V and V'."""
    s = low[0] + high[0], low[1] - high[1]
    y = low[0] - high[0], low[1] + high[1]
    r = _times_conjugate(y, factor, width)
    return (s[0] - r[1], s[1] + r[0]), (s[0] + r[1], -(s[1] - r[0]))


def _times_conjugate(point, factor, width):
    (real, imaginary), (cosine, sine) = point, factor
    return (_rounded(real * cosine + imaginary * sine, width - 2),
            _rounded(imaginary * cosine - real * sine, width - 2))


def _rounded(value, shift):
    return value + (1 << shift - 1) >> shift


def transform(points, declared):
    """The FFT without scaling. OutOfBound if a word is out of range before any pass."""
    size, length = len(points), 1
    if (size.bit_length() - 1) % 2:
        _check_range(points, declared)
        for start in range(0, size, 2):
            a, b = points[start:start + 2]
            points[start:start + 2] = (a[0] + b[0], a[1] + b[1]), (a[0] - b[0], a[1] - b[1])
        length = 2
    while length < size:
        _check_range(points, declared)
        radix_4_pass(points, length, declared, tuple, 4)
        length *= 4
    return points


def _check_range(points, declared):
    limit = 1 << declared.bound_bits + 1
    if any(not -limit <= word < limit for point in points for word in point):
        raise OutOfBound


def decode_fixed(coefficients, declared, form="f64"):
    """The n/2 slots: floats of form f32 or f64, integers of form int."""
    words = decode_words(coefficients, declared)
    return [value_of(words[position], declared, form) for position in slot_positions(declared.ring_degree)]


def value_of(word, declared, form):
    """One slot from its word."""
    exponent = declared.log2_bound - declared.bound_bits - 2
    reciprocal, drop = (declared.reciprocal >> 31, 29) if declared.width == 32 else (declared.reciprocal, 60)
    magnitude = abs(word) * reciprocal >> drop
    if form == "int":
        value = magnitude + (1 << -exponent - 1) >> -exponent
    else:
        value = float(_significant(magnitude, 24 if form == "f32" else 53)) * 2.0 ** exponent
    return -value if word < 0 and value else value


def _significant(magnitude, digits):
    """A number rounded to nearest, ties to even, to some binary digits."""
    drop = max(0, magnitude.bit_length() - digits)
    kept, rest = magnitude >> drop, magnitude & (1 << drop) - 1
    half = 1 << drop >> 1
    up = rest > half or (rest == half and kept % 2)
    return kept + (1 if drop and up else 0) << drop
