"""The public mask (ckks.md, sections 3.3 and 3.4): residues in NTT output order."""

import hashlib
import struct
from itertools import count

from .packing import unpack
from .streams import MASK, MASK_REFILL, SEAL_SHAKE256, stream_bytes, stream_long_words, stream_words

SEAL_BUFFER_BYTES = 4096
SEAL_WORD_LIMIT = (1 << 64) - 1


def mask(parameters, suite, mask_seed):
    """One list of n residues for each data prime."""
    if suite == SEAL_SHAKE256:
        return seal_mask(parameters.ring_degree, parameters.data_primes, seal_words(mask_seed))
    primes = enumerate(parameters.data_primes)
    refill = stream_long_words if parameters.has_primes64 else stream_words
    return [packed_mask(parameters.ring_degree, prime, refill, (suite, mask_seed, index)) for index, prime in primes]


def packed_mask(ring_degree, prime, refill_words, place):
    """The mask of suites 1 and 2; place = (suite, mask seed, prime number j)."""
    suite, mask_seed, index = place
    bits = prime.bit_length()
    candidates = unpack(stream_bytes(suite, mask_seed, MASK, index, ring_degree * bits // 8), bits)
    return replace_rejected(candidates, prime, refill_words(suite, mask_seed, MASK_REFILL, index))


def replace_rejected(candidates, prime, refill_words):
    """Replaces candidates >= prime by the accepted refill values, from the first position on."""
    bits_mask = (1 << prime.bit_length()) - 1
    refill = (word & bits_mask for word in refill_words)
    accepted = (value for value in refill if value < prime)
    return [value if value < prime else next(accepted) for value in candidates]


def seal_words(mask_seed):
    """The endless stream of 64-bit words of SEAL's generator [SEAL44]."""
    for buffer in count():
        data = hashlib.shake_256(mask_seed + struct.pack("<Q", buffer)).digest(SEAL_BUFFER_BYTES)
        yield from struct.unpack("<512Q", data)


def seal_mask(ring_degree, primes, words):
    """The mask of suite 3, from any iterator of 64-bit words."""
    first = [[next(words) for _ in range(ring_degree)] for _ in primes]
    masks = []
    for row, prime in zip(first, primes):
        bound = SEAL_WORD_LIMIT - SEAL_WORD_LIMIT % prime - 1
        masks.append([_accepted(word, bound, words) % prime for word in row])
    return masks


def _accepted(word, bound, words):
    while word >= bound:
        word = next(words)
    return word
