"""Records of merged frames (merge.md)."""

from itertools import islice
from math import prod

from ...model.merge import CIRCLE_HEADROOM, LargeRing, bound_fits, merged, noise_fits
from .digest import digest
from .inputs import recurrence

# Set, degree of the large ring, prime of the large ring, frames.
MERGES = (
    ("ckks-1024x1-sum", 4096, 1152921504606830593, 3),
    ("ckks-2048x1-air", 8192, 1152921504606830593, 4),
    ("ckks-2048x1-air", 65536, 1152921504598720513, 32),
    ("ckks-2048x2-air", 2048, 1152921504606830593, 1),
)
FIELDS = ("set", "degree", "modulus", "frames")
# Sets of frames that are merged.
LIMITS = ("ckks-1024x1-sum", "ckks-2048x1-air", "ckks-2048x2-air")


def words(count, modulus):
    """Numbers below the modulus by the rule of the document."""
    numbers = recurrence(2 * count)
    return [(high << 32 | low) % modulus for high, low in zip(numbers, numbers)]


def records(sets):
    """One record of each merge of the sets."""
    by_name = {entry.name: entry for entry in sets}
    return [record(by_name[merge[0]], dict(zip(FIELDS, merge))) for merge in MERGES if merge[0] in by_name]


def record(entry, merge):
    """The inputs of one merge and the digests of its polynomials."""
    modulus, degree = prod(entry.data_primes), entry.ring_degree
    numbers = iter(words(2 * merge["frames"] * degree, modulus))
    polynomials = [list(islice(numbers, degree)) for _ in range(2 * merge["frames"])]
    large = LargeRing(merge["degree"], merge["modulus"])
    c0, c1 = (digest(merged(polynomials[first::2], modulus, large), 64) for first in (0, 1))
    return {**merge, **{f"c0_{name}": value for name, value in c0.items()}, **{f"c1_{name}": value for name, value in c1.items()}}


def limits(sets):
    """The range of section 4 for each set of frames."""
    return [limit(entry) for entry in sets if entry.name in LIMITS]


def limit(entry):
    """The largest numbers that section 4 allows."""
    modulus, degree = prod(entry.data_primes), entry.ring_degree
    most = range(modulus.bit_length())
    return {
        "set": entry.name,
        "log2_bound_and_scale": max(bits for bits in most if bound_fits(modulus, bits, 0)),
        "circle_log2_bound_and_scale": max(bits for bits in most if bound_fits(modulus, bits, 0, CIRCLE_HEADROOM)),
        "secret_dropped_0": max(bits for bits in most if noise_fits(modulus, degree, (bits, 0), False)),
        "public_dropped_0": max(bits for bits in most if noise_fits(modulus, degree, (bits, 0), True)),
        "public_dropped_1": max(bits for bits in most if noise_fits(modulus, degree, (0, bits), True)),
    }
