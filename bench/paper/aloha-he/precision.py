"""`.venv/bin/python -m bench.paper.aloha-he.precision`: errors of our encoding beside those of one in IEEE doubles, before and
after the rounding to integers, in units of a coefficient; then those of our decoding, in bits below the bound of the slots. The
model's words are those of library and engine, bit for bit."""
import argparse
import math
import random
from collections.abc import Iterable
from fractions import Fraction

from spec.base.precise import BITS, cosine_sine
from spec.model.decode_fixed import Declared, decode_words
from spec.model.encode import Precision, encode, slot_positions

RING_DEGREE = 8192
MAGNITUDES, DECODED = (30, 40, 50, 57), (28, 40, 52)
# Coefficients, or slots, that are compared.
COUNT = 96


def exponents() -> list[int]:
    """e of each slot, the power of the root that it is evaluated at."""
    return [4 * position + 1 for position in slot_positions(RING_DEGREE)]


def cosines() -> list[int]:
    """cos(pi j / n) times 2^BITS, j = 0 .. 2n - 1."""
    quarter = [cosine_sine(index, RING_DEGREE)[0] for index in range(RING_DEGREE // 2 + 1)]
    half = [*quarter, *(-value for value in quarter[-2::-1])]
    return [*half, *half[-2:0:-1]]


def reference(values: list[Fraction], indices: list[int], magnitude: int) -> list[Fraction]:
    """2^magnitude times coefficients m_k, from the definition."""
    table, places = cosines(), exponents()
    numbers = [int(value * (1 << 62)) for value in values]
    scale = Fraction(1 << magnitude + 1, RING_DEGREE << 62 + BITS)
    return [scale * sum(number * table[place * index % (2 * RING_DEGREE)] for number, place in zip(numbers, places))
            for index in indices]


def in_doubles(values: list[Fraction], magnitude: int) -> list[float]:
    """Coefficients by a transform in complex128, times the scale, not rounded to integers."""
    # Only here, so that the program says what it is for where numpy is not installed.
    import numpy
    spectrum = numpy.zeros(2 * RING_DEGREE)
    spectrum[exponents()] = [float(value) for value in values]
    return list(numpy.fft.fft(spectrum).real * (2 / RING_DEGREE) * 2.0**magnitude)


def spread(errors: list[Fraction]) -> str:
    """Root mean square and largest magnitude."""
    mean = sum(error * error for error in errors) / len(errors)
    return f"{float(mean) ** 0.5:.2f} / {float(max(map(abs, errors))):.2f}"


def slots_of(coefficients: list[int], places: list[int]) -> list[int]:
    """2^BITS times slots at places, from the definition."""
    table, powers = cosines(), exponents()
    return [sum(value * table[powers[place] * index % (2 * RING_DEGREE)] for index, value in enumerate(coefficients))
            for place in places]


def slots_in_doubles(coefficients: list[int]) -> list[float]:
    """All slots by a transform in complex128."""
    import numpy
    twist = numpy.exp(1j * numpy.pi * numpy.arange(RING_DEGREE) / RING_DEGREE)
    spectrum = numpy.fft.ifft(numpy.array(coefficients, dtype=float) * twist) * RING_DEGREE
    return [float(spectrum[power // 2].real) for power in exponents()]


def bits_of(errors: Iterable[Fraction]) -> str:
    """Minus the logarithms of root mean square and of the largest magnitude."""
    found = [abs(error) for error in errors]
    mean = sum(error * error for error in found) / len(found)
    return f"{-math.log2(mean) / 2:.1f} / {-math.log2(max(found)):.1f}"


def decodings(values: list[Fraction]) -> None:
    """Prints the table of decodings."""
    places = random.sample(range(RING_DEGREE // 2), COUNT)
    print("\n| magnitude of slots | words | ours | doubles |")
    print("| ---: | ---: | ---: | ---: |")
    for magnitude in DECODED:
        coefficients = encode(values, Precision(RING_DEGREE, magnitude, 0))
        declared, positions = Declared(RING_DEGREE, 2.0**magnitude, 0), slot_positions(RING_DEGREE)
        words, doubles = decode_words(coefficients, declared), slots_in_doubles(coefficients)
        exact = [Fraction(slot, 1 << BITS + magnitude) for slot in slots_of(coefficients, places)]
        rows = ([Fraction(words[positions[place]], 1 << declared.bound_bits) for place in places],
                [Fraction(doubles[place]) / (1 << magnitude) for place in places])
        print(f"| 2^{magnitude} | {declared.width} | " +
              " | ".join(bits_of(one - true for one, true in zip(row, exact)) for row in rows) + " |")


def main() -> None:
    """Prints both tables."""
    argparse.ArgumentParser(prog="python -m bench.paper.aloha-he.precision", description=__doc__).parse_args()
    random.seed(1)
    # Doubles of 53 bits: their own rounding costs nothing.
    values = [Fraction(random.randrange(-(1 << 53), (1 << 53) + 1), 1 << 53) for _ in range(RING_DEGREE // 2)]
    values = [Fraction(float(value)) for value in values]
    indices = random.sample(range(1, RING_DEGREE // 2), COUNT)
    print("| scale times bound | words | ours | doubles, rounded | doubles, before the rounding |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    for magnitude in MAGNITUDES:
        precision = Precision(RING_DEGREE, magnitude, 0)
        exact, ours = reference(values, indices, magnitude), encode(values, precision)
        doubles = in_doubles(values, magnitude)
        rows = ([ours[index] - true for index, true in zip(indices, exact)],
                [round(doubles[index]) - true for index, true in zip(indices, exact)],
                [Fraction(doubles[index]) - true for index, true in zip(indices, exact)])
        print(f"| 2^{magnitude} | {precision.width} | " + " | ".join(map(spread, rows)) + " |")
    decodings(values)


if __name__ == "__main__":
    main()
