"""`.venv/bin/python -m bench.paper.seal-embedded.encoding`, from the root of the repository: the error of an encoding in fixed
point and of one in float64, without noise. Writes bench/out/encoding.json.

Both encode the same 2,048 random values for n = 4096 with scale 2^25: ours by spec/model, bit by bit what the device computes;
the other by sums in float64, rounded to the nearest integer, as SEAL-Embedded does after its inverse FFT. Each polynomial is
evaluated at the slots in float64. The errors are those of a slot, the largest and the root of the mean square.

numpy is imported when something is measured, because the other programs need nothing but Python itself."""
import argparse
import sys

from bench.record import OUT, write
from spec.model.encode import Precision, encode

DEGREE, LOG2_SCALE = 4096, 25


def slots(numpy, exponent_sign: int):
    """The powers of the slots' roots of unity: a row for each slot, a column for each coefficient."""
    powers = [1]
    while len(powers) < DEGREE // 2:
        powers.append(powers[-1] * 3 % (2 * DEGREE))
    angles = numpy.outer(powers, numpy.arange(DEGREE)) % (2 * DEGREE)
    return numpy.exp(exponent_sign * 1j * numpy.pi / DEGREE * angles)


def errors(numpy, coefficients, values) -> dict[str, float]:
    """The error of the slots of a polynomial."""
    found = numpy.abs((slots(numpy, 1) @ coefficients).real / 2 ** LOG2_SCALE - values)
    return {"max": float(found.max()), "rms": float(numpy.sqrt((found ** 2).mean()))}


def main() -> int:
    """Measures and prints."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    import numpy

    values = numpy.random.default_rng(12345).uniform(-1, 1, DEGREE // 2).astype(numpy.float32).astype(float)
    ours = numpy.array(encode([float(value) for value in values], Precision(DEGREE, LOG2_SCALE, 0)), dtype=float)
    exact = (slots(numpy, -1).T @ values).real * 2 / DEGREE * 2 ** LOG2_SCALE
    found = {"fixed point": errors(numpy, ours, values), "float64": errors(numpy, numpy.rint(exact), values)}
    write(OUT / "encoding.json", found)
    print(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
