"""isopod_montgomery: products and residues of extreme and random factors."""
import random

import cocotb
from cocotb.triggers import FallingEdge

from rtl.dv.arithmetic import key_bits, ring_bits, signed
from rtl.dv.bench import Bench, clock, rounds
from spec.base.arithmetic import is_prime
from spec.base.parameters import read_sets

BENCHES = [Bench(f"montgomery-{width}{'-tiled' * tiled}", "isopod_montgomery", __name__,
                 {"Tiled": tiled}, quick=width == 54 and not tiled, width=width)
           for width in (32, 54, 61) for tiled in (0, 1)]
# Cycles from factors to product and residue, by product_latency and montgomery_latency of the
# package.
NARROW_LATENCY, TILED_LATENCY, WIDE_LATENCY = (3, 9), (6, 15), (8, 23)
EXCESS_BITS, WORD_BITS, WIDE_BITS = 12, 13, 36


def width_of(dut) -> int:
    """Width of the moduli of this build."""
    bits = len(dut.result_o)
    return bits if bits == 32 else bits - 2


def moduli(width: int) -> list[int]:
    """Primes of the sets, and the extremes of what is admitted."""
    primes = {prime for entry in read_sets() for prime in entry.data_primes
              if entry.has_primes64 == (width != 32) and prime.bit_length() <= width}
    if width == 32:
        return sorted(primes)
    step = 1 << WORD_BITS
    for bits in (WIDE_BITS, width):
        chain = [(1 << bits) - excess * step + 1 for excess in range(1, 1 << EXCESS_BITS)]
        found = [prime for prime in chain if is_prime(prime)]
        primes |= {found[0], found[-1]}
    return sorted(primes)


def reduction(width: int, prime: int) -> int:
    """The bits of reduction_t."""
    high = (1 << 21) - 1
    bits = prime.bit_length()
    if width == 32:
        return (-(prime >> 11) & high) << 38 | (-(prime >> 10) & high) << 17
    excess = ((1 << bits) - prime + 1) >> WORD_BITS
    return excess << 6 | bits


def factors(prime: int, most: int, count: int) -> list[tuple[int, int]]:
    """Pairs of the extremes that lanes see, and random ones; the first factor up to `most`."""
    edges = [0, 1, -1, prime, -prime, most, -most]
    pairs = [(a, b) for a in edges for b in (0, 1, -1, prime - 1, 1 - prime)]
    return pairs + [(random.randint(-most, most), random.randrange(-prime, prime))
                    for _ in range(count)]


@cocotb.test()
async def products_and_residues(dut):
    """One pair a cycle: the exact product, then a residue of a b / 2^KeyBits within 0.77 q."""
    width = width_of(dut)
    latency = WIDE_LATENCY if width != 32 else (
        TILED_LATENCY if int(dut.Tiled.value) else NARROW_LATENCY)
    dut.clk_i.value = 0
    await clock(dut)
    await FallingEdge(dut.clk_i)
    product_bits = len(dut.product_o)
    for prime in moduli(width):
        dut.reduction_i.value = reduction(width, prime)
        inverse = pow(1 << key_bits(width), -1, prime)
        pairs = factors(prime, prime if width == 32 else 2 * prime, rounds(200, 5000))
        for cycle in range(len(pairs) + latency[1]):
            if cycle < len(pairs):
                a, b = pairs[cycle]
                dut.a_i.value = a & (1 << len(dut.a_i)) - 1
                dut.b_i.value = b & (1 << len(dut.b_i)) - 1
            await FallingEdge(dut.clk_i)
            if 0 <= (index := cycle + 1 - latency[0]) < len(pairs):
                a, b = pairs[index]
                found = int(dut.product_o.value)
                assert found == a * b & (1 << product_bits) - 1, f"{a} * {b}: {found:x}"
            if 0 <= (index := cycle + 1 - latency[1]) < len(pairs):
                a, b = pairs[index]
                found = signed(int(dut.result_o.value), ring_bits(width))
                assert (found - a * b * inverse) % prime == 0, f"{a} * {b} modulo {prime}: {found}"
                assert abs(found) <= 77 * prime // 100 + 1, f"{a} * {b} modulo {prime}: {found}"
