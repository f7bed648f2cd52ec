"""The cosine table of ckks.md section 4, exactly as it is defined there."""

from functools import cache

from .precise import cosine_sine, round_away

COARSE_COUNT = 65
FINE_COUNT = 128
FULL_TURN = 16384


@cache
def coarse_roots():
    """(cos, sin) of pi * 128 h / 16384 in Q62, h = 0..64."""
    return tuple(_root(FINE_COUNT * h) for h in range(COARSE_COUNT))


@cache
def fine_roots():
    """(cos, sin) of pi * l / 16384 in Q62, l = 0..127."""
    return tuple(_root(index) for index in range(FINE_COUNT))


def _root(index):
    return tuple(round_away(value, 62) for value in cosine_sine(index, FULL_TURN))


def cosine62(index):
    """C62(j) for the angle pi * j / 16384, 0 <= j <= 8192."""
    a, b = coarse_roots()[index // FINE_COUNT]
    c, d = fine_roots()[index % FINE_COUNT]
    return (a * c - b * d + (1 << 61)) >> 62


@cache
def cosine_table(ring_degree, width):
    """cos(pi * j / n), j = 0..n/2, with width - 2 fraction bits; width is 32 or 64."""
    step = FULL_TURN // ring_degree
    table = [cosine62(j * step) for j in range(ring_degree // 2 + 1)]
    return table if width == 64 else [(value + (1 << 31)) >> 32 for value in table]
