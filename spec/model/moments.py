"""Squares and products of the columns of readings (columns.md), in fixed point as a device computes them."""

SQUARES, PRODUCTS = 1, 2
MOST_BITS = 30  # of a magnitude in units


def own_bound(log2_bound):
    """The power of two that bounds the readings of a frame whose columns all are bounded by 2^log2_bound."""
    return min(log2_bound, log2_bound // 2)


def fits(log2_bound, fraction):
    """True if every product of readings fits 32 bits."""
    return 0 <= fraction <= MOST_BITS and log2_bound + fraction <= MOST_BITS


def in_units(reading, fraction):
    """A real reading as a whole number of units of 2^-fraction, rounded to nearest, ties away from zero."""
    magnitude = int(abs(reading) * 2**(fraction + 1))
    return (magnitude + 1 >> 1) * (1 if reading >= 0 else -1)


def product(first, second, fraction):
    """The product of two readings in the unit of both, rounded to nearest, ties up."""
    return first * second + (1 << fraction >> 1) >> fraction


def row(readings, moments, fraction):
    """A row of readings with its squares or products behind it."""
    behind = [[reading] if moments == SQUARES else readings[place:] for place, reading in enumerate(readings)]
    return readings + [product(reading, other, fraction) for reading, others in zip(readings, behind) for other in others]


def numbers(readings, columns, moments, fraction, stride=0):
    """The numbers of a frame, whose rows begin `stride` apart, by default without gaps; zeros fill the gaps."""
    rows = [row(readings[at:at + columns], moments, fraction) for at in range(0, len(readings), columns)]
    gap = [0] * (stride - len(rows[0]) if stride else 0)
    return sum((one + gap for one in rows[:-1]), []) + rows[-1]
