"""Masks, errors and secrets (tfhe.md, sections 2 and 3), by TUniform [TUNIFORM25] or the table of the Gaussian."""

import struct

from ..base.gaussian import WEIGHTS, thresholds
from .aes import aes128_counter
from .sampling import ternary
from .streams import CHACHA20, MASK, SHAKE256, stream_bytes, stream_words
from .wire_codes import SUITE_AES128 as AES128

TFHE_SUITES = (CHACHA20, SHAKE256, AES128)


def words_of(data, word_bytes):
    """The little-endian words of the data."""
    return list(struct.unpack(f"<{len(data) // word_bytes}{'I' if word_bytes == 4 else 'Q'}", data))


def expand_mask(parameters, suite, nonce, key_id):
    """a_0 .. a_{N-1} of a secret-key ciphertext."""
    length = parameters.ring_degree * parameters.word_bytes
    data = aes128_counter(nonce, length) if suite == AES128 else stream_bytes(suite, nonce + key_id, MASK, 0, length)
    return words_of(data, parameters.word_bytes)


def noise_suite(suite):
    return CHACHA20 if suite == AES128 else suite


def errors(parameters, suite, noise_key, domain):
    """N signed errors."""
    bits = parameters.tuniform_bits
    if bits:
        return _tuniform(parameters.ring_degree, bits, suite, noise_key, domain)
    return _gaussian(parameters.ring_degree, suite, noise_key, domain)


def _tuniform(count, bits, suite, noise_key, domain):
    width = bits + 2
    data = stream_bytes(noise_suite(suite), noise_key, domain, 0, -(-count * width // 8))
    stream = int.from_bytes(data, "little")
    fields = ((stream >> width * i) % (1 << width) for i in range(count))
    return [(x >> 1) + (x & 1) - (1 << bits) for x in fields]


def _gaussian(count, suite, noise_key, domain):
    stream = stream_words(noise_suite(suite), noise_key, domain, 0)
    found = []
    while len(found) < count:
        draws = [[_draw(next(stream)) for _ in range(16)] for _ in WEIGHTS]
        found += [sum(weight * draw for weight, draw in zip(WEIGHTS, column)) for column in zip(*draws)]
    return found


def _draw(word):
    magnitude = sum(threshold <= word >> 1 for threshold in thresholds())
    return -magnitude if word & 1 else magnitude


def secret_of(parameters, suite, key, domain):
    """N coefficients drawn from the set's secret distribution."""
    suite = noise_suite(suite)
    if parameters.secret == "ternary":
        return ternary(parameters.ring_degree, suite, key, domain)
    stream = int.from_bytes(stream_bytes(suite, key, domain, 0, parameters.ring_degree // 8), "little")
    return [stream >> i & 1 for i in range(parameters.ring_degree)]
