"""Merging (merge.md): frames of rounded coefficients under one key become one ciphertext of a larger ring."""

from cmath import pi, rect
from dataclasses import dataclass
from math import sin, sqrt

# Bits by which a value and its noise stay below the modulus: where a sine reduces, and where points of a circle do.
HEADROOM = 12
CIRCLE_HEADROOM = 2


@dataclass(frozen=True)
class LargeRing:
    """The ring that frames are merged into: its degree N and its prime q0."""

    degree: int
    modulus: int


def raised(coefficient, modulus, target):
    """A coefficient modulo q times target / q, rounded: a coefficient modulo target."""
    return (coefficient * target + modulus // 2) // modulus


def merged(polynomials, modulus, large):
    """One polynomial of N coefficients modulo q0 from up to k polynomials of n coefficients modulo q."""
    count = large.degree // len(polynomials[0])
    if len(polynomials) > count:
        raise ValueError(f"frames: {len(polynomials)}; allowed are 1 to {count}")
    if large.modulus < modulus:
        raise ValueError(f"modulus: {large.modulus}; allowed are {modulus} or more")
    result = [0] * large.degree
    for index, polynomial in enumerate(polynomials):
        result[index::count] = [raised(value, modulus, large.modulus) for value in polynomial]
    return result


def place(frame, coefficient, ring_degree, large):
    """The coefficient of the merged ciphertext that holds one of a frame."""
    return coefficient * (large.degree // ring_degree) + frame


def slot(place, degree):
    """The slot whose real part belongs to a coefficient of the first half."""
    bits = (degree // 2).bit_length() - 1
    return int(f"{place:0{bits}b}"[::-1], 2) if bits else 0


def slot_values(message):
    """Section 6: the value of each coefficient's slot, term by term."""
    degree = len(message)
    values = [0.0] * degree
    for place in range(degree // 2):
        exponent = pow(5, slot(place, degree), 2 * degree)
        value = sum(
            coefficient * rect(1.0, pi * (power * exponent % (2 * degree)) / degree)
            for power, coefficient in enumerate(message)
        )
        values[place], values[place + degree // 2] = value.real, value.imag
    return values


def spread_key(secret, large):
    """s(X^k), the key of a merged ciphertext."""
    result = [0] * large.degree
    result[::large.degree // len(secret)] = secret
    return result


def bound_fits(modulus, log2_scale, log2_bound, headroom=HEADROOM):
    """True if values within the bound leave the headroom of section 4."""
    return log2_bound + log2_scale <= modulus.bit_length() - headroom


def noise_fits(modulus, ring_degree, dropped, public):
    """True if six deviations of the noise do."""
    variances = [4.0**bits / 12 if bits else 0.0 for bits in dropped]
    free, key = 10.5 + variances[0], 2 * ring_degree / 3
    variance = free + key * (2 * 10.5 + variances[1]) if public else free
    return 6 * sqrt(variance) <= 2.0 ** (modulus.bit_length() - HEADROOM)


def rotated(values, by):
    """Each slot gets the value that many slots behind it."""
    return values[by % len(values):] + values[:by % len(values)]


def times(one, other):
    """Products slot by slot."""
    return [a * b for a, b in zip(one, other)]


def covariance(halves, layout, pair):
    """Section 7, slot by slot: `halves` of readings, zeros where none are; `layout`: bits of k, bits of a row, rows."""
    frame_bits, row_bits, rows = layout
    slots = len(halves[0])
    lowest = slots.bit_length() - 1 - frame_bits - row_bits
    column = ((1 << row_bits) - 1) << lowest
    first, second = (slot(number, 2 << row_bits) << lowest for number in pair)
    apart = second - first
    products = [sum(two) for two in zip(*(times(half, rotated(half, apart)) for half in halves))]
    means = [sum(two) / rows for two in zip(*halves)]
    for bit in (bit for bit in range(slots.bit_length() - 1) if not column >> bit & 1):
        means = [a + b for a, b in zip(means, rotated(means, 1 << bit))]
    squares = times(means, rotated(means, apart))
    ones = [float(place & (column | (1 << lowest) - 1) == first) for place in range(slots)]
    of_products = sum(times(products, [float(place & column == first) for place in range(slots)])) / rows
    return of_products - sum(times(squares, ones)) / sum(ones)


def kernel(period, turn):
    """Section 8: Fejér's kernel, 1 at 0; zero, and with it its derivative, at all other multiples of 1 / period."""
    sine = sin(pi * turn)
    return (sin(pi * period * turn) / (period * sine)) ** 2 if sine else 1.0


@dataclass(frozen=True)
class Grid:
    """Entries on the circle: turns from one to the next, number of the first one, entries in a turn."""

    spacing: float
    first: int
    period: int

    def turn(self, entry):
        """The place of an entry."""
        return (self.first + entry) * self.spacing

    def heights(self, values, corrections=3):
        """Each value beyond 1/2, less what all other entries add to it."""
        kernels = [kernel(self.period, apart * self.spacing) for apart in range(len(values))]
        heights = [0.0] * len(values)
        for _ in range(corrections):
            found = [sum(height * kernels[abs(entry - other)] for other, height in enumerate(heights))
                     for entry in range(len(values))]
            heights = [height + value - 0.5 - at for height, value, at in zip(heights, values, found, strict=True)]
        return heights

    def series(self, values):
        """Coefficients of the powers of exp(2 pi i x), of whose sum the real part is the table."""
        heights = self.heights(values)
        sums = [sum(height * rect(1.0, -2 * pi * power * self.turn(entry)) for entry, height in enumerate(heights))
                for power in range(self.period)]
        series = [2 * (1 - power / self.period) / self.period * value for power, value in enumerate(sums)]
        return [series[0] / 2 + 0.5, *series[1:]]

    def share(self, apart, off):
        """The most that an entry so many entries away counts for a reading that is off by this share of an entry."""
        scale = self.spacing * self.period
        place, off = abs(apart) * scale, off * scale
        distance = abs(place - self.period * round(place / self.period))
        numerator = pi * (abs(place - round(place)) + off)
        denominator = self.period * sin(pi * max(0.0, distance - off) / self.period)
        return min(1.0, (numerator / denominator) ** 2) if denominator else 1.0

    def error(self, entries, off):
        """Bound on the error of any entry of values from 0 to 1, for readings that are off by this share of an entry."""
        own = (pi * off * self.spacing * self.period) ** 2 / 3
        shares = [self.share(apart, off) for apart in range(entries)]
        return max(own + sum(shares[1:entry + 1]) + sum(shares[1:entries - entry]) for entry in range(entries)) / 2


def table_at(series, turn):
    """The value of a table at a point of the circle."""
    return sum(coefficient * rect(1.0, 2 * pi * power * turn) for power, coefficient in enumerate(series)).real
