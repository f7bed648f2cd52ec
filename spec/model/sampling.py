"""Error and ternary sampling, ckks.md sections 3.1 and 3.2: centred binomial [NEWHOPE15], exactly uniform ternary."""

import struct

from .streams import stream_batches, stream_bytes

LANES = 32
WORDS_PER_GROUP = 42


def error(ring_degree, suite, noise_key, domain):
    """CBD(21): n coefficients in -21..21."""
    data = stream_bytes(suite, noise_key, domain, 0, ring_degree // LANES * WORDS_PER_GROUP * 4)
    coefficients = []
    for words in struct.iter_unpack(f"<{WORDS_PER_GROUP}I", data):
        coefficients += _group(words)
    return coefficients


def _group(words):
    group = [0] * LANES
    for lane in range(LANES):
        ones = sum([word >> lane & 1 for word in words])
        group[4 * (lane % 8) + lane // 8] = ones - 21
    return group


def ternary(ring_degree, suite, key, domain):
    """n coefficients in -1..1, exactly uniform."""
    kept = []
    for piece in stream_batches(suite, key, domain, 0):
        for byte in piece:
            symbols = (byte & 3, byte >> 2 & 3, byte >> 4 & 3, byte >> 6)
            kept += [symbol - 1 for symbol in symbols if symbol != 3]
        if len(kept) >= ring_degree:
            return kept[:ring_degree]
