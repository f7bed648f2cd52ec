"""Records of sets with 64-bit primes, in separate lists because their residues are 64-bit words."""

from ...model.ntt import ntt
from . import ciphertexts, integers, primitives
from .digest import digest
from .inputs import LARGEST_DEGREE, recurrence

# Frames of integers are given for smaller degrees only: their records take long to make.
LARGE = 16384


def roots_of(entry):
    """Pairs (prime, root). For the largest degree only the first and the last."""
    every = list(zip(entry.data_primes, entry.roots))
    return every if entry.ring_degree < LARGEST_DEGREE else (every[0], every[-1])


def transforms(sets):
    """The input is that of ntt.json, times 2^32, with one more value of the recurrence in the low half: |x| < 2^62."""
    primes = {(entry.ring_degree, prime): root for entry in sets for prime, root in roots_of(entry)}
    for (ring_degree, prime), root in sorted(primes.items()):
        states = list(recurrence(2 * ring_degree))
        high, low = states[0::2], states[1::2]
        values = [((upper >> 1) - (1 << 30) << 32) + lower for upper, lower in zip(high, low)]
        yield {"ring_degree": ring_degree, "modulus": prime, "root": root, **digest(ntt(values, prime), 64)}


def records(sets):
    """The lists of primes64.json. BFV sets give keys and frames of integers. CKKS sets of the largest degree give keys, and
    frames among the shapes."""
    usual = [entry for entry in sets if entry.ring_degree < LARGEST_DEGREE]
    by_set = [ciphertexts.records(entry) for entry in usual if entry.scheme == "ckks"]
    keys_only = [entry for entry in sets if entry.scheme == "bfv" or entry not in usual]
    keys = ciphertexts.joined([ciphertexts.key_records(entry) for entry in keys_only] + by_set)
    reals = ciphertexts.joined(by_set)
    bfv = integers.bfv_ciphertexts([entry for entry in sets if entry.scheme == "bfv" and entry.ring_degree < LARGE])
    return {
        "masks64": primitives.masks(usual),
        "transforms64": transforms(sets),
        "keys64": keys["keys"],
        "blobs64": keys["blobs"],
        "split_blobs64": keys["split_blobs"],
        "generated_blobs64": keys["generated_blobs"],
        "encryption64": reals["encryption"],
        "frames64": reals["frames"],
        "decryption64": reals["decryption"],
        "bfv_frames64": bfv["bfv_frames"],
        "bfv_decryption64": bfv["bfv_decryption"],
    }
