"""Exact decoding of real slots, the inverse of ckks.md section 4, with far more digits than a device's words."""

from functools import cache

from ..base.precise import BITS, cosine_sine

# Fraction bits of the transform; each layer adds an error of less than two units.
FRACTION = 96


def decode(coefficients, log2_scale):
    """The real parts of the n/2 slots, as integers in units of 2^-FRACTION."""
    ring_degree = len(coefficients)
    values = [value << FRACTION - log2_scale for value in coefficients]
    twisted = [_times((value, 0), _root(ring_degree, index)) for index, value in enumerate(values)]
    at_odd_powers = _evaluate(twisted, ring_degree)
    slots, power = [], 1
    for _ in range(ring_degree // 2):
        slots.append(at_odd_powers[(power - 1) // 2][0])
        power = power * 3 % (2 * ring_degree)
    return slots


def _evaluate(points, ring_degree):
    """Entry k is the sum of points[t] e^(2 pi i t k / len(points)); splits into even and odd t."""
    size = len(points)
    if size == 1:
        return points
    even, odd = _evaluate(points[0::2], ring_degree), _evaluate(points[1::2], ring_degree)
    step = 2 * ring_degree // size
    turned = [_times(point, _root(ring_degree, step * index)) for index, point in enumerate(odd)]
    pairs = list(zip(even, turned))
    return [(a[0] + b[0], a[1] + b[1]) for a, b in pairs] + [(a[0] - b[0], a[1] - b[1]) for a, b in pairs]


def _times(point, factor):
    (real, imaginary), (cosine, sine) = point, factor
    return real * cosine - imaginary * sine >> FRACTION, real * sine + imaginary * cosine >> FRACTION


def _root(ring_degree, index):
    """e^(i pi index / n), 0 <= index < n."""
    cosines, half = _quarter_turn(ring_degree), ring_degree // 2
    if index <= half:
        return cosines[index], cosines[half - index]
    return -cosines[ring_degree - index], cosines[index - half]


@cache
def _quarter_turn(ring_degree):
    shift = BITS - FRACTION
    return [cosine_sine(index, ring_degree)[0] >> shift for index in range(ring_degree // 2 + 1)]
