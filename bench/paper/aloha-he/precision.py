"""`.venv/bin/python -m bench.paper.aloha-he.precision`: errors of our encoding beside those of one in IEEE doubles, before and
after the rounding to integers, in units of a coefficient. The model's words are those of library and engine, bit for bit."""
import argparse
import random
from fractions import Fraction

from spec.base.precise import BITS, cosine_sine
from spec.model.encode import Precision, encode, slot_positions

RING_DEGREE = 8192
MAGNITUDES = (30, 40, 50, 57)
# Coefficients that are compared.
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


def main() -> None:
    """Prints the table."""
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


if __name__ == "__main__":
    main()
