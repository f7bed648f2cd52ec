"""The negacyclic NTT of ckks.md section 5 and its inverse, residues in [0, prime)."""

from functools import cache

from ..base.arithmetic import bit_reversed_powers, minimal_root


@cache
def _twiddles(prime, ring_degree):
    return bit_reversed_powers(minimal_root(prime, ring_degree), ring_degree, prime)


def ntt(polynomial, prime):
    """Values at psi^(2 brv(i) + 1), i = 0..n-1, of any integer coefficients; results in [0, prime)."""
    values = [coefficient % prime for coefficient in polynomial]
    twiddles, blocks, half = _twiddles(prime, len(values)), 1, len(values) // 2
    while half:
        _forward_layer(values, twiddles[blocks:2 * blocks], half, prime)
        blocks, half = 2 * blocks, half // 2
    return [value % prime for value in values]


def _forward_layer(values, roots, half, prime):
    for low, high, factors in _butterflies(values, roots, half):
        upper = values[low]
        lower = [value * factor % prime for value, factor in zip(values[high], factors)]
        values[low] = [a + b for a, b in zip(upper, lower)]
        values[high] = [a - b for a, b in zip(upper, lower)]


def inverse_ntt(values, prime):
    """The coefficients in [0, prime) whose NTT is `values`."""
    values, ring_degree = list(values), len(values)
    twiddles, blocks, half = _twiddles(prime, ring_degree), ring_degree // 2, 1
    while blocks:
        inverses = [pow(root, -1, prime) for root in twiddles[blocks:2 * blocks]]
        _inverse_layer(values, inverses, half, prime)
        blocks, half = blocks // 2, 2 * half
    scale = pow(ring_degree, -1, prime)
    return [value * scale % prime for value in values]


def _inverse_layer(values, roots, half, prime):
    for low, high, factors in _butterflies(values, roots, half):
        upper, lower = values[low], values[high]
        values[low] = [(a + b) % prime for a, b in zip(upper, lower)]
        values[high] = [(a - b) * factor % prime for a, b, factor in zip(upper, lower, factors)]


def _butterflies(values, roots, half):
    """Triples (slice, slice, factors) that together cover one layer, either by blocks or by offsets: the shorter way."""
    size = len(values)
    if len(roots) <= half:
        for block, root in enumerate(roots):
            start = 2 * half * block
            yield slice(start, start + half), slice(start + half, start + 2 * half), [root] * half
    else:
        for offset in range(half):
            yield slice(offset, size, 2 * half), slice(offset + half, size, 2 * half), roots
