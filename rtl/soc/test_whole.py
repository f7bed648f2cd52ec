"""`.venv/bin/python -m rtl.soc.test_whole`: runs the long programs on the simulated processor.

Slow memory; the library's tests of its primitives and of calls out of order, and others with
the known ciphertexts of degree 1024; ternary keys and degree 8192 on the larger engine; the
experiment's three quick cases, in which software and engine must give the same bytes."""
import sys

from rtl.soc.experiment import CASES, encryptions
from rtl.soc.test import Program, library, registers, test

LARGE = "w32p4-16384"
WHOLE = (
    Program("registers, slow memory", lambda: registers("ckks-1024x1-sum", "sym"), latency=20),
    Program("library", lambda: library(1024, "primitives", "states")),
    Program("registers, degree 4096", lambda: registers("ckks-4096x3-multiply", "sym")),
    Program("registers, public key", lambda: registers("ckks-1024x1-sum", "pk")),
    Program("registers, ternary key", lambda: registers("ckks-8192x6-multiply", "ternary"), LARGE),
    Program("library, degree 1024",
            lambda: library(1024, "entropy", "roots", "errors", "ciphertext_vectors")),
)


def compare() -> bool:
    """True if software and engine give the same bytes in the experiment's quick cases."""
    try:
        for case in CASES:
            if case.quick:
                encryptions(case, 0)
    except (RuntimeError, ValueError) as error:
        print(error)
        return False
    return True


if __name__ == "__main__":
    same = compare()
    print(f"software and engine: {'the same bytes' if same else 'FAILED'}")
    sys.exit(test(WHOLE, ("pk",)) or not same)
