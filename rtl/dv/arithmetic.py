"""Primes, roots, the bank mapping and Montgomery form, from the specification's model."""
from spec.base.arithmetic import bit_reversed_powers, minimal_root

NARROW, WIDE = 32, 64  # bits of key words
RADIX = 1 << NARROW


def key_bits(width):
    """Bits of key words where moduli have `width` bits, KeyBits of isopod_pkg."""
    return NARROW if width == NARROW else WIDE


def ring_bits(width):
    """Bits of the lanes' words, RingBits of isopod_pkg."""
    return NARROW if width == NARROW else width + 2


def radix(prime):
    """The factor of the Montgomery form of a prime."""
    return 1 << (NARROW if prime.bit_length() <= 30 else WIDE)


def bank_bits(lanes):
    return (2 * lanes).bit_length() - 1


def bit_class(position, bits):
    """Bank class of an index bit, equal to `isopod_pkg::bit_class`."""
    return 0 if position == 0 or bits == 1 else 1 + (position - 1) % (bits - 1)


def place(index, lanes):
    """(bank, address) of an index."""
    bits, bank = bank_bits(lanes), 0
    for position in range(index.bit_length()):
        bank ^= (index >> position & 1) << bit_class(position, bits)
    return bank, index >> bits


def signed(value, bits=32):
    """Two's complement to int."""
    return value - (1 << bits) if value >> bits - 1 else value


def unpack(value, count, bits=32):
    """Fields of a packed array, first field lowest."""
    mask = (1 << bits) - 1
    return [value >> bits * index & mask for index in range(count)]


def pack(values, bits=32):
    """The packed array of some values."""
    mask, total = (1 << bits) - 1, 0
    for value in reversed(list(values)):
        total = total << bits | value & mask
    return total


def twiddles(prime, ring_degree):
    """psi^brv(k), k = 0 .. n-1, in Montgomery form."""
    powers = bit_reversed_powers(minimal_root(prime, ring_degree), ring_degree, prime)
    return [power * radix(prime) % prime for power in powers]


def doubling_roots(prime, ring_degree):
    """psi^(n / 2^(i+1)), i = 0 .. log2 n - 1, in Montgomery form: words 16 + i of a descriptor."""
    root = minimal_root(prime, ring_degree)
    exponents = [ring_degree >> i + 1 for i in range(ring_degree.bit_length() - 1)]
    return [pow(root, exponent, prime) * radix(prime) % prime for exponent in exponents]
