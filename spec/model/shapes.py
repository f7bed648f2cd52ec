"""Layouts of values, ckks.md section 4: slots and coefficients, zero-filled or repeated; complex slots."""

from ..base.arithmetic import bit_reverse
from . import encode as real
from . import wire_codes as wire

SLOTS, SLOTS_REPEATED, COMPLEX, COMPLEX_REPEATED, COEFFICIENTS, COEFFICIENTS_ROUNDED = NEAREST = (
    wire.LAYOUT_SLOTS, wire.LAYOUT_SLOTS_REPEATED, wire.LAYOUT_COMPLEX, wire.LAYOUT_COMPLEX_REPEATED, wire.LAYOUT_COEFFICIENTS,
    wire.LAYOUT_COEFFICIENTS_ROUNDED)
SLOTS_DITHERED, SLOTS_REPEATED_DITHERED, COMPLEX_DITHERED, COMPLEX_REPEATED_DITHERED = DITHERED = (
    wire.LAYOUT_SLOTS_DITHERED, wire.LAYOUT_SLOTS_REPEATED_DITHERED, wire.LAYOUT_COMPLEX_DITHERED,
    wire.LAYOUT_COMPLEX_REPEATED_DITHERED)
LAYOUTS = {"ckks": NEAREST + DITHERED, "bfv": (SLOTS, SLOTS_REPEATED, COEFFICIENTS, COEFFICIENTS_ROUNDED)}
IN_COEFFICIENTS = (COEFFICIENTS, COEFFICIENTS_ROUNDED)
REPEATED = (SLOTS_REPEATED, COMPLEX_REPEATED, SLOTS_REPEATED_DITHERED, COMPLEX_REPEATED_DITHERED)
COMPLEX_LAYOUTS = (COMPLEX, COMPLEX_REPEATED, COMPLEX_DITHERED, COMPLEX_REPEATED_DITHERED)


def places(parameters, layout):
    """The largest number of values of a layout."""
    halved = parameters.scheme == "ckks" and layout not in IN_COEFFICIENTS
    return parameters.ring_degree // 2 if halved else parameters.ring_degree


def fill(values, layout, size, zero=0):
    """The values, filled up or repeated to `size` places."""
    if layout in REPEATED:
        if size % len(values):
            raise ValueError("the number of repeated values must be a power of two")
        return list(values) * (size // len(values))
    return list(values) + [zero] * (size - len(values))


def dithered(layout):
    """The layout of the same slots with a dithered encoding; coefficients have none."""
    return layout if layout in IN_COEFFICIENTS else layout | SLOTS_DITHERED


def encode(values, precision, layout, dither=None):
    """m_0 .. m_{n-1}; complex values are pairs (re, im). A dithered layout takes the words of its dither."""
    words = encode_packed(values, precision, layout, dither)
    if layout in IN_COEFFICIENTS:
        return words
    return words[0::2] + words[1::2] if layout in COMPLEX_LAYOUTS else real.unfold(words)


def encode_packed(values, precision, layout, dither=None):
    """The words of the layout's packed form."""
    if (layout in DITHERED) != (dither is not None):
        raise ValueError("a dither is for dithered layouts, and for those alone")
    if layout in IN_COEFFICIENTS:
        return [real.round_away(value, precision.log2_scale) for value in fill(values, layout, precision.ring_degree)]
    half = precision.ring_degree // 2
    if layout in COMPLEX_LAYOUTS:
        points = load_complex(fill(values, layout, half, (0, 0)), precision)
        by = real.offsets(dither, precision.ring_degree // 4)
        return twist_complex(real.transform(points, precision), precision, by)
    return real.encode_packed(fill(values, layout, half), precision, dither)


def load_complex(slots, precision):
    """The H complex points (re, im), at bit-reversed positions."""
    ring_degree, shift = precision.ring_degree, precision.fraction - precision.log2_bound
    points, power, bits = [None] * len(slots), 1, len(slots).bit_length() - 1
    for slot in slots:
        point = [real.round_away(part, shift) for part in slot]
        odd = power
        if power % 4 == 3:
            odd, point = 2 * ring_degree - power, (point[0], -point[1])
        points[bit_reverse((odd - 1) // 4, bits)] = tuple(point)
        power = power * 3 % (2 * ring_degree)
    return points


def twist_complex(points, precision, by):
    """m_k and m_{k+H} alternating, for k < H; a word of offsets serves two k."""
    turn, shift = real.roots(precision.ring_degree, precision.width), precision.fraction + precision.shift
    packed = []
    for k, ((re, im), (cosine, sine)) in enumerate(zip(points, turn)):
        first, second = by[k // 2][2 * (k % 2):2 * (k % 2) + 2]
        packed += [real.halve(re * cosine - im * sine, shift, first), real.halve(re * sine + im * cosine, shift, second)]
    return packed
