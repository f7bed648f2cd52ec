"""Encryption and decryption of polynomials, ckks.md section 6."""

from dataclasses import dataclass

from .mask import mask
from .ntt import inverse_ntt, ntt
from .sampling import error, ternary
from .streams import ERROR_0, ERROR_1, TERNARY, Root, derive_root, is_public


@dataclass(frozen=True)
class Ciphertext:
    """c0 and c1: n residues in NTT order for each data prime of the level."""

    kind: int
    suite: int
    root: Root
    c0: list
    c1: list


def encrypt(pair, message, source, kind, suite, level=None):
    """A ciphertext of n integer coefficients under a key pair. Odd kinds use its public half, even kinds its secret half.
    Without a level it has all data primes."""
    root = derive_root(source, suite, kind, pair.key_id, pair.parameters.set_id)
    at_level = pair.parameters.at_level(level)
    encrypt_rows = _public_rows if is_public(kind) else _secret_rows
    rows = list(encrypt_rows(pair, at_level, message, (root, suite)))
    return Ciphertext(kind, suite, root, [c0 for c0, _ in rows], [c1 for _, c1 in rows])


def _noisy(message, root, suite):
    noise = error(len(message), suite, root.noise_key, ERROR_0)
    return [m + e for m, e in zip(message, noise)]


def _secret_rows(pair, at_level, message, randomness):
    root, suite = randomness
    noisy = _noisy(message, root, suite)
    masks = mask(at_level, suite, root.mask_seed)
    for prime, masked, secret in zip(at_level.data_primes, masks, pair.secret_ntt):
        body = ntt(noisy, prime)
        yield [(b - a * s) % prime for b, a, s in zip(body, masked, secret)], masked


def _public_rows(pair, at_level, message, randomness):
    root, suite = randomness
    noisy = _noisy(message, root, suite)
    noise = error(len(message), suite, root.noise_key, ERROR_1)
    blind = ternary(len(message), suite, root.noise_key, TERNARY)
    for prime, key_0, key_1 in zip(at_level.data_primes, pair.public_0, pair.public_1):
        factor = ntt(blind, prime)
        yield (
            [(m + k * u) % prime for m, k, u in zip(ntt(noisy, prime), key_0, factor)],
            [(e + k * u) % prime for e, k, u in zip(ntt(noise, prime), key_1, factor)],
        )


def decrypt(pair, ciphertext):
    """The message plus noise: n integers, centred modulo the product of the level's primes."""
    rows = []
    parts = zip(pair.parameters.data_primes, ciphertext.c0, ciphertext.c1, pair.secret_ntt)
    for prime, c0, c1, secret in parts:
        values = [(body + a * s) % prime for body, a, s in zip(c0, c1, secret)]
        rows.append(inverse_ntt(values, prime))
    return recombine(rows, pair.parameters.data_primes[:len(rows)])


def recombine(rows, primes):
    """Residues per prime to integers in (-Q/2, Q/2]."""
    modulus, total = 1, [0] * len(rows[0])
    for row, prime in zip(rows, primes):
        inverse = pow(modulus, -1, prime)
        total = [low + modulus * ((value - low) * inverse % prime) for low, value in zip(total, row)]
        modulus *= prime
    return [value - modulus if 2 * value > modulus else value for value in total]
