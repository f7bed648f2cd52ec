"""Merging (merge.md): frames of rounded coefficients under one key become one ciphertext of a larger ring."""

from cmath import pi, rect
from dataclasses import dataclass
from math import sqrt

# Bits by which a value and its noise stay below the modulus.
HEADROOM = 12


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


def bound_fits(modulus, log2_scale, log2_bound):
    """True if values within the bound leave the headroom of section 4."""
    return log2_bound + log2_scale <= modulus.bit_length() - HEADROOM


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
