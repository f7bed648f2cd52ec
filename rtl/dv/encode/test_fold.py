"""The fold of a decoding against spec/model/decode_fixed.py, from residues modulo one prime."""
import random

import cocotb
from cocotb.triggers import FallingEdge

from rtl.dv.arithmetic import signed
from rtl.dv.bench import Bench, rounds, start
from rtl.dv.top.test_measure import primes
from spec.model.decode_fixed import MESSAGE32_BITS, Declared, OutOfBound, fold

WIDTH, LOG_N = 54, 10
DEGREE = 1 << LOG_N
# The largest L of a result with one prime, and the L from which a shift of 64-bit words counts.
MOST_BITS, LONG_BITS = WIDTH - 2, 58
READ_CYCLES, WORD_CYCLES, DIFFERENCE_CYCLES = 1, 3, 9
BENCHES = [
    Bench("fold", "isopod_fold", __name__, {"MaxLogN": LOG_N}, width=WIDTH),
    Bench("fold-long", "isopod_fold", __name__, {"MaxLogN": LOG_N, "Long": 1}, width=WIDTH),
]


def places(pair: int) -> list[tuple[int, int]]:
    """Place and sign of the folded coefficient that each of the four words of a pair is."""
    half, quarter = DEGREE // 2, DEGREE // 4
    return [(pair, 1), (half - pair, -1), (quarter - pair, 1), (quarter + pair, -1)]


def lazy(value: int, prime: int) -> int:
    """A word of the banks for a coefficient: congruent to it, within the prime."""
    residue = value % prime
    return random.choice((residue, residue - prime)) if residue else 0


async def folds(dut, words: list[int], width: int) -> tuple[list[int], bool]:
    """The folded words of all pairs, four in a row, and whether a difference was out of range."""
    pairs = DEGREE // 8 + 1
    reads: dict[int, tuple[int, int]] = {}
    found, beyond = [], False
    for cycle in range(4 * pairs + 12):
        dut.request_i.value = int(cycle < 4 * pairs)
        dut.pair_i.value, dut.slot_i.value = cycle // 4 % pairs, cycle % 4
        if dut.read_o.value:
            reads[cycle + WORD_CYCLES] = int(dut.index_o.value), int(dut.mirrored_o.value)
        index, mirrored = reads.pop(cycle, (0, 0))
        dut.word_i.value = words[index] % (1 << len(dut.word_i))
        dut.mirrored_word_i.value = words[mirrored] % (1 << len(dut.word_i))
        beyond |= bool(dut.beyond_o.value)
        if cycle > DIFFERENCE_CYCLES and cycle % 2 == 1 and cycle - 11 < 4 * pairs - 1:
            both, bits = int(dut.folded_o.value), len(dut.folded_o) // 2
            found += [word_of(part, bits, width) for part in (both % (1 << bits), both >> bits)]
        await FallingEdge(dut.clk_i)
    return found, beyond


def word_of(output: int, bits: int, width: int) -> int:
    """The folded word in one part of the output: all its bits, but of a word of 32 bits in an
    output of 62 those above the lowest two of 32."""
    if bits == 32 or width == 64:
        return signed(output, bits)
    return signed(output % (1 << 32), 32) >> 2


async def folds_well(dut, polynomial: list[int], magnitude: int, prime: int) -> None:
    """The words are the model's, or it refuses the polynomial, too."""
    width = 32 if magnitude <= MESSAGE32_BITS else 64
    dut.modulus_i.value, dut.points_i.value = prime, DEGREE // 4
    dut.shift_i.value = (MESSAGE32_BITS if width == 32 else LONG_BITS) - magnitude
    dut.long_i.value = int(width == 64)
    words = [lazy(value, prime) for value in polynomial]
    found, beyond = await folds(dut, words, width)
    try:
        expected = fold(polynomial, Declared(DEGREE, 2.0 ** magnitude, 0))
    except OutOfBound:
        assert beyond, f"L {magnitude}: in range"
        return
    assert not beyond, f"L {magnitude}: out of range"
    # The difference at n/2 is that of a coefficient and itself.
    expected.append(0)
    wanted = [sign * expected[place] for pair in range(DEGREE // 8 + 1)
              for place, sign in places(pair)]
    differ = [number for number, (a, b) in enumerate(zip(found, wanted, strict=True)) if a != b]
    assert not differ, f"L {magnitude}: words {differ[:9]}"


def long(dut) -> bool:
    """True for a build with words of 64 bits."""
    return bool(int(dut.Long.value))


def magnitudes(dut) -> list[int]:
    """Every L of the build."""
    return list(range(MOST_BITS + 1 if long(dut) else MESSAGE32_BITS + 1))


def random_polynomial(magnitude: int, prime: int) -> list[int]:
    """Coefficients whose differences are in range, some at its ends, and with even parts as large
    as centred residues allow."""
    limit = min(1 << magnitude + 2, prime - 1)
    polynomial = [0] * DEGREE
    polynomial[0] = random.choice((-(limit // 2), (limit - 1) // 2, 0, 1))
    for place in range(1, DEGREE // 2):
        difference = random.choice((-limit, limit - 1, 0, 1, -1, random.randrange(-limit, limit)))
        spare = (prime - 1 - abs(difference)) // 2
        lower = -(difference // 2) + random.randrange(-spare, spare + 1)
        polynomial[place], polynomial[-place] = difference + lower, lower
    polynomial[DEGREE // 2] = random.randrange(-(prime // 2), prime // 2)
    return [max(-(prime // 2), min(prime // 2, value)) for value in polynomial]


async def ready(dut) -> list[int]:
    """A fold out of reset; its primes, the longest first."""
    await start(dut, abort_i=0, modulus_i=0, shift_i=0, points_i=0, long_i=0, request_i=0,
                pair_i=0, slot_i=0, word_i=0, mirrored_word_i=0)
    return primes(3, 1 << 13, WIDTH)


@cocotb.test()
async def in_range(dut):
    """Every magnitude, with differences at the ends of the range, ties and both signs."""
    chain = await ready(dut)
    for magnitude in magnitudes(dut):
        for prime in chain[:rounds(1, 3)]:
            await folds_well(dut, random_polynomial(magnitude, prime), magnitude, prime)


@cocotb.test()
async def beyond(dut):
    """One difference outside of the range, by one and by much, at any place and magnitude."""
    prime = (await ready(dut))[0]
    for magnitude in magnitudes(dut)[::rounds(7, 1)]:
        limit = 1 << magnitude + 2
        for place in (1, DEGREE // 4, random.randrange(2, DEGREE // 2)):
            for difference in (limit, -limit - 1, 2 * limit, random.choice((-1, 1)) * (limit + 7)):
                polynomial = [0] * DEGREE
                polynomial[place] = difference // 2 + difference % 2
                polynomial[-place] = -(difference // 2)
                if max(map(abs, polynomial)) < prime // 2:
                    await folds_well(dut, polynomial, magnitude, prime)
