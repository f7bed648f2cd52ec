"""`.venv/bin/python -m rtl.soc.test_whole`: runs the long programs on the simulated processor.

Slow memory; the library's tests of its primitives and of calls out of order, and others with
the known ciphertexts of degree 1024; ternary keys and degree 8192 on the larger engine and on one
for 64-bit primes; those cases of the experiment that are quick, have rounded coefficients, frames
or a public key of 64-bit primes, in which software and engine must give the same bytes, also of
repeated and of complex slots, and a set that the engine leaves to software. The experiment itself
compares the bytes of its other cases."""
import sys

from rtl.soc.experiment import (
    AIR,
    AIR_FRAME,
    ALL,
    CASES,
    FRAME,
    LARGE,
    WIDE,
    Case,
    both_ways,
    encryptions,
)
from rtl.soc.test import Program, library, registers, test

WHOLE = (
    Program("registers, slow memory", lambda: registers("ckks-1024x1-sum", "sym"), latency=20),
    Program("library", lambda: library(1024, "primitives", "states")),
    Program("registers, degree 4096", lambda: registers("ckks-4096x3-multiply", "sym")),
    Program("registers, public key", lambda: registers("ckks-1024x1-sum", "pk")),
    Program("registers, ternary key", lambda: registers("ckks-8192x6-multiply", "ternary"), LARGE),
    Program("registers, 64-bit primes", lambda: registers("ckks-8192x3w-sum", "ternary"), WIDE),
    Program("library, degree 1024",
            lambda: library(1024, "roots", "errors", "ciphertext_vectors")),
)
# Words of NTT(s), primes of 60 and 40 bits.
WORDS = Case("ckks-8192x3w-sym", "ckks-8192x3w-multiply", "sym", "w61p4")
# Repeated slots; complex ones of one value each are among CASES.
LAYOUTS = (Case("ckks-1024x1-repeated", "ckks-1024x1-sum", "sym", layout=1),
           Case("ckks-8192x3w-complex-repeated", "ckks-8192x3w-sum", "ternary", ALL, layout=3))
# Primes of 30 bits on an engine for 54.
LEFT = Case("ckks-1024x1-pk", "ckks-1024x1-sum", "pk", WIDE)


def same_bytes() -> bool:
    """True if software and engine give the same bytes, also where the engine leaves them to
    software."""
    try:
        chosen = [case for case in CASES
                  if case.quick or case.configuration in (AIR, FRAME, AIR_FRAME)
                  or (case.configuration == WIDE and case.kind == "pk")]
        for case in (*chosen, WORDS, *LAYOUTS):
            encryptions(case, 0)
        both_ways(LEFT, 0)
    except (RuntimeError, ValueError) as error:
        print(error)
        return False
    return True


if __name__ == "__main__":
    same = same_bytes()
    print(f"software and engine: {'the same bytes' if same else 'FAILED'}")
    sys.exit(test(WHOLE, ("pk",)) or not same)
