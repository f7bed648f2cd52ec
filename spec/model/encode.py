"""Encoding of real slots in fixed point, ckks.md section 4."""

from dataclasses import dataclass
from functools import cache
from itertools import islice

from ..base.arithmetic import bit_reverse
from ..base.cosine import cosine_table

# The largest log2 scale + log2 bound of a message in 32-bit words, and of a 64-bit message.
MESSAGE32_BITS = 30
MESSAGE64_BITS = 57


@dataclass(frozen=True)
class Precision:
    """The facts that are declared before encoding: ring degree, log2 of the scale, log2 of the largest magnitude."""

    ring_degree: int
    log2_scale: int
    log2_bound: int

    @property
    def width(self):
        """The word size W in bits."""
        return 32 if self.log2_scale + self.log2_bound <= MESSAGE32_BITS else 64

    @property
    def fraction(self):
        """The fraction bits F of a word."""
        return self.width - 2

    @property
    def shift(self):
        """The number f of bits that the end drops."""
        return self.fraction - self.log2_scale - self.log2_bound


def encode(values, precision, dither=None):
    """m_0 .. m_{n-1} from at most n/2 real numbers (int, float or Fraction); missing slots are zero. Rounds to nearest, or by
    the words of a dither."""
    return unfold(encode_packed(values, precision, dither))


def encode_packed(values, precision, dither=None):
    """The n/2 words in the order of the packed layout."""
    if precision.log2_scale + precision.log2_bound > MESSAGE64_BITS:
        raise ValueError(f"log2 scale + log2 bound must be at most {MESSAGE64_BITS}")
    points = transform(load(values, precision), precision)
    return twist(points, precision, offsets(dither, precision.ring_degree // 8))


def offsets(dither, words):
    """The offsets of four roundings for each word, times 2^32 (section 4.4). Without a dither they are one half, which rounds
    to nearest."""
    if dither is None:
        return [(1 << 31,) * 4] * words
    return [tuple((word >> turn | word << 32 - turn) % (1 << 32) for turn in (0, 8, 16, 24)) for word in islice(dither, words)]


def slot_positions(ring_degree):
    """The index i of v_i for each slot j."""
    positions, power = [], 1
    for _ in range(ring_degree // 2):
        folded = 2 * ring_degree - power if power % 4 == 3 else power
        positions.append((folded - 1) // 4)
        power = power * 3 % (2 * ring_degree)
    return positions


def load(values, precision):
    """The M complex points (re, im), at bit-reversed positions."""
    half = precision.ring_degree // 2
    if len(values) > half or any(abs(value) > 2 ** precision.log2_bound for value in values):
        raise ValueError(f"at most {half} values, each within 2^{precision.log2_bound}")
    fixed = [0] * half
    for value, position in zip(values, slot_positions(precision.ring_degree)):
        fixed[position] = round_away(value, precision.fraction - precision.log2_bound)
    bits = (half // 2).bit_length() - 1
    points = [None] * (half // 2)
    for index in range(half // 2):
        points[bit_reverse(index, bits)] = (fixed[2 * index], fixed[2 * index + 1])
    return points


def round_away(value, shift):
    """round(value * 2^shift), ties away from zero, exactly."""
    numerator, denominator = value.as_integer_ratio()
    if shift >= 0:
        numerator <<= shift
    else:
        denominator <<= -shift
    magnitude = (2 * abs(numerator) + denominator) // (2 * denominator)
    return -magnitude if numerator < 0 else magnitude


@cache
def roots(ring_degree, width):
    """T(j) = e^(-i pi j / n) as (re, im), j = 0 .. 2n-1."""
    table, half = cosine_table(ring_degree, width), ring_degree // 2

    def cosine(index):
        index %= 2 * ring_degree
        index = min(index, 2 * ring_degree - index)
        return table[index] if index <= half else -table[ring_degree - index]

    return [(cosine(index), -cosine(index - half)) for index in range(2 * ring_degree)]


def transform(points, precision):
    """The FFT of M points, divided by M."""
    size, length = len(points), 1
    if (size.bit_length() - 1) % 2:
        for start in range(0, size, 2):
            points[start:start + 2] = _radix_2(*points[start:start + 2])
        length = 2
    while length < size:
        radix_4_pass(points, length, precision, quarter)
        length *= 4
    return points


def _radix_2(first, second):
    a, b = [tuple(part + 1 >> 1 for part in point) for point in (first, second)]
    return (a[0] + b[0], a[1] + b[1]), (a[0] - b[0], a[1] - b[1])


def radix_4_pass(points, length, precision, scaled, number=1):
    """One pass over groups of four points. The first point is scaled; the others are multiplied by their roots times number /
    4. In the first pass these roots are 1."""
    turn = roots(precision.ring_degree, precision.width)
    for offset in range(length):
        step = precision.ring_degree * offset // (2 * length)
        factors = turn[2 * step], turn[step], turn[3 * step]
        for start in range(offset, len(points), 4 * length):
            places = range(start, start + 4 * length, length)
            first, *others = [points[place] for place in places]
            if length == 1:
                turned = map(scaled, others)
            else:
                turned = [_turn(point, factor, (precision.width, number)) for point, factor in zip(others, factors)]
            points[start:start + 4 * length:length] = _radix_4(scaled(first), *turned)


def quarter(point):
    """A quarter of the point, rounded to nearest."""
    return point[0] + 2 >> 2, point[1] + 2 >> 2


def _turn(point, factor, scale):
    """point * factor, times number / 4 for a scale (width, number). Each product is rounded by itself."""
    (real, imaginary), (cosine, sine), (width, number) = point, factor, scale
    half, real, imaginary = 1 << width - 1, number * real, number * imaginary
    return (
        (real * cosine + half >> width) + (-imaginary * sine + half >> width),
        (real * sine + half >> width) + (imaginary * cosine + half >> width),
    )


def _radix_4(a, b, c, d):
    s, u = (a[0] + b[0], a[1] + b[1]), (a[0] - b[0], a[1] - b[1])
    p, r = (c[0] + d[0], c[1] + d[1]), (c[0] - d[0], c[1] - d[1])
    return (
        (s[0] + p[0], s[1] + p[1]),
        (u[0] + r[1], u[1] - r[0]),
        (s[0] - p[0], s[1] - p[1]),
        (u[0] - r[1], u[1] + r[0]),
    )


def halve(value, shift, offset):
    """floor(value / 2^shift + offset / 2^32)"""
    return (value << 32) + (offset << shift) >> 32 + shift


def twist(points, precision, by):
    """Packed coefficients from the transformed points, rounded by offsets."""
    count, width, shift = len(points), precision.width, precision.shift
    turn = roots(precision.ring_degree, width)
    packed = [0] * (2 * count)
    real, imaginary = points[0]
    packed[0] = halve(real + imaginary, 1 + shift, by[0][0])
    packed[1] = halve((real - imaginary) * turn[count][0], width - 1 + shift, by[0][1])
    for k in range(1, count // 2):
        pair = _separate(points[k], points[count - k], turn[4 * k], precision.fraction)
        for index, value, offset in zip((k, count - k), pair, (by[k][:2], by[k][2:])):
            packed[2 * index:2 * index + 2] = _last(value, turn[index], width + shift, offset)
    middle = count // 2
    conjugate = points[middle][0], -points[middle][1]
    packed[2 * middle:2 * middle + 2] = _last(conjugate, turn[middle], width - 1 + shift, by[0][2:])
    return packed


def _separate(point, mirror, factor, fraction):
    """V for k and V' for M - k."""
    sum_real, sum_imaginary = point[0] + mirror[0], point[1] - mirror[1]
    real, imaginary = point[0] - mirror[0], point[1] + mirror[1]
    half = 1 << fraction - 1
    q_real = real * factor[0] - imaginary * factor[1] + half >> fraction
    q_imaginary = real * factor[1] + imaginary * factor[0] + half >> fraction
    return (
        (sum_real + q_imaginary, sum_imaginary - q_real),
        (sum_real - q_imaginary, -(sum_imaginary + q_real)),
    )


def _last(value, factor, shift, by):
    """m_k and m_{H-k} from V and T(k)."""
    real = value[0] * factor[0] - value[1] * factor[1]
    imaginary = value[0] * factor[1] + value[1] * factor[0]
    return halve(real, shift, by[0]), halve(-imaginary, shift, by[1])


def unfold(packed):
    """All n coefficients from the packed layout."""
    half, quarter = len(packed), len(packed) // 2
    coefficients = [0] * (2 * half)
    coefficients[0], coefficients[quarter] = packed[0], packed[1]
    for k in range(1, quarter):
        coefficients[k], coefficients[half - k] = packed[2 * k], packed[2 * k + 1]
    for index in range(1, half):
        coefficients[2 * half - index] = -coefficients[index]
    return coefficients
