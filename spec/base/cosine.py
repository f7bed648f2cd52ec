"""Computes the cosine table exactly as ckks.md, section 4, defines it."""

from functools import cache

from .precise import cosine_sine, round_away

COARSE_COUNT = 65
FINE_COUNT = 128
# Index j is the angle pi * j / HALF_TURN. The roots have even indices: the largest degree alone has odd ones.
HALF_TURN = 32768


@cache
def coarse_roots():
    """(cos, sin) of pi * 128 h / 16384 in Q62, h = 0..64."""
    return tuple(_root(2 * FINE_COUNT * h) for h in range(COARSE_COUNT))


@cache
def fine_roots():
    """(cos, sin) of pi * l / 16384 in Q62, l = 0..127."""
    return tuple(_root(2 * index) for index in range(FINE_COUNT))


@cache
def half_step():
    """(cos, sin) of pi / 32768 in Q62."""
    return _root(1)


def _root(index):
    return tuple(round_away(value, 62) for value in cosine_sine(index, HALF_TURN))


def cosine62(index):
    """C62(j) for the angle pi * j / 32768, 0 <= j <= 16384."""
    a, b = coarse_roots()[index // (2 * FINE_COUNT)]
    c, d = fine_roots()[index // 2 % FINE_COUNT]
    if index % 2:
        u, v = half_step()
        c, d = _rounded(c * u - d * v), _rounded(c * v + d * u)
    return _rounded(a * c - b * d)


def _rounded(product):
    return (product + (1 << 61)) >> 62


@cache
def cosine_table(ring_degree, width):
    """cos(pi * j / n), j = 0..n/2, with width - 2 fraction bits; width is 32 or 64."""
    step = HALF_TURN // ring_degree
    table = [cosine62(j * step) for j in range(ring_degree // 2 + 1)]
    return table if width == 64 else [(value + (1 << 31)) >> 32 for value in table]
