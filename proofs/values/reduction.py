"""isopod_reduce for every prime of every set: its contract, which Eva takes for granted, holds for all values.

The quotient does not fall as the value grows, and with one quotient the result grows with the value. So the results for the first
and the last value of each quotient bound all others.

In words of 64 bits there are too many quotients. With R = 2^64 the quotient k is within a half of value * b / R, so that
|value - k * q| <= q/2 + |value| * |R - b * q| / R. It is below 3q/4 for |value| <= R/2 if |R - b * q| <= q/2."""
import re
from collections.abc import Iterator

from proofs.functions.contracts import SOURCES

LEAST, MOST = -(1 << 31), (1 << 31) - 1
SETS = ("base/parameter_sets.c", "tfhe/tfhe_parameter_sets.c")
PRIME64 = re.compile(r"\{UINT64_C\((\d+)\), UINT64_C\(\d+\), UINT64_C\(\d+\), UINT64_C\((\d+)\), UINT64_C\(\d+\), \d+\}")
PRIME = re.compile(r"\{(\d+)u, \d+u, \d+u, (\d+)u, \d+u, \d+\}")


def primes() -> set[tuple[int, int]]:
    """Modulus and Barrett's constant of every prime below 2^30, as the sets list them."""
    return {(int(modulus), int(barrett)) for path in SETS for modulus, barrett in PRIME.findall((SOURCES / path).read_text())}


def primes64() -> set[tuple[int, int]]:
    """Modulus and Barrett's constant of every prime below 2^60."""
    return {(int(modulus), int(barrett)) for modulus, barrett in PRIME64.findall((SOURCES / SETS[0]).read_text())}


def is_nearest64(modulus: int, barrett: int) -> bool:
    """Whether Barrett's constant is so near to 2^64 / q that the bound holds."""
    return 2 * abs((1 << 64) - barrett * modulus) <= modulus and modulus < 1 << 60


def quotient(value: int, barrett: int) -> int:
    """The quotient of isopod_reduce."""
    return (value * barrett + (1 << 31)) >> 32


def ends(modulus: int, barrett: int) -> Iterator[tuple[int, int]]:
    """The first and the last value of each quotient whose product with the modulus is an int32_t, with that quotient."""
    for k in range(quotient(LEAST, barrett), quotient(MOST, barrett) + 1):
        if LEAST <= k * modulus <= MOST:
            first = -(-((k << 32) - (1 << 31)) // barrett)
            last = -(-(((k + 1) << 32) - (1 << 31)) // barrett) - 1
            yield from ((value, k) for value in (max(first, LEAST), min(last, MOST)) if first <= value <= last)


def wrong() -> list[str]:
    """A line for each prime for which the bound of 3q/4 does not hold; the result is then also an int32_t."""
    return [f"isopod_reduce: modulus {modulus}" for modulus, barrett in sorted(primes())
            if any(quotient(value, barrett) != k or abs(value - k * modulus) > 3 * modulus // 4
                   for value, k in ends(modulus, barrett))] + [
        f"isopod_reduce: modulus {modulus}" for modulus, barrett in sorted(primes64()) if not is_nearest64(modulus, barrett)]
