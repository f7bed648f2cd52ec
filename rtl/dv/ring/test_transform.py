"""Forward and inverse NTT against the model and the known answers, through the guest ports."""
import hashlib
import json
import random
import struct

import cocotb
from cocotb.triggers import FallingEdge

from rtl.dv.arithmetic import NARROW, bank_bits, pack, place, signed, twiddles, unpack
from rtl.dv.bench import QUICK, ROOT, Bench, record, start
from spec.gen.vectors.inputs import recurrence
from spec.model.ntt import inverse_ntt, ntt


def transform_bench(lanes: int, tiled: int, max_log_n: int, quick: bool,
                    width: int = NARROW) -> Bench:
    """The bench of one shape of the transform."""
    parameters = {"Lanes": lanes, "Tiled": tiled, "MaxLogN": max_log_n}
    wide = f"-w{width}" if width != NARROW else ""
    name = f"transform-{lanes}-{max_log_n}{'-tiled' * tiled}{wide}"
    return Bench(name, "isopod_transform", __name__, parameters, quick=quick, width=width)


BENCHES = [
    transform_bench(4, 0, 12, False),
    transform_bench(8, 1, 12, False),
    transform_bench(1, 0, 12, False),
    transform_bench(2, 1, 12, False),
    transform_bench(4, 1, 14, False),
    transform_bench(1, 1, 14, False),
    transform_bench(4, 0, 13, True, 54),
    transform_bench(8, 0, 13, False, 54),
    transform_bench(4, 0, 14, False, 54),
    transform_bench(1, 1, 13, False, 54),
    transform_bench(2, 0, 13, False, 54),
    transform_bench(4, 0, 13, False, 61),
]
# (log2 n, prime) of every degree: the smallest and largest primes of the sets, 26 to 30 bits.
CASES = [(10, 67104769), (10, 1073707009), (11, 134176769), (12, 66994177), (12, 1073692673),
         (12, 1054212097), (12, 268369921),
         (13, 536690689), (13, 1053818881), (14, 1073643521), (14, 1068564481)]
# Wide words: the primes of the sets and of SEAL's chains from 36 bits on, also at degrees below
# their own, and the smallest and largest one of their form.
WIDE_CASES = [(10, 18014398508400641), (12, 68719230977), (10, 68685938689), (10, 1099510890497),
              (11, 8796092858369), (12, 17592185438209), (13, 18014398507892737),
              (13, 1125899884625921), (14, 281474976546817), (14, 562949951881217),
              (13, 1152921504606748673), (14, 1152921504598720513), (10, 2305843009213554689),
              (10, 2305843009180311553), (10, 18014398475968513)]
# Cycles after which a guest may write; at most those of a transform beyond its butterflies.
GUEST_CYCLES = {32: 20, 54: 34, 61: 34}
DRAIN_CYCLES = {32: 25, 54: 35, 61: 35}
INPUTS = [
    "abort_i", "start_i", "inverse_i", "source_i", "hold_last_i", "message_i", "table_i", "guest_i",
    "guest_read_i",
    "guest_write_i", "guest_product_i", "guest_common_data_i", "external_i", "twiddle_guest_i",
    "twiddle_write_i",
    "source_upper_i",
    "source_lower_i", "external_a_i", "external_b_i", "constant_i", "guest_write_data_i",
]


class Shape:
    """Sizes of the module under test."""

    def __init__(self, dut):
        self.lanes, self.max_log_n = int(dut.Lanes.value), int(dut.MaxLogN.value)
        self.banks, self.address_bits = 2 * self.lanes, self.max_log_n - bank_bits(self.lanes)
        self.word = len(dut.result_data_o) // self.banks
        self.width = self.word if self.word == NARROW else self.word - 2

    @property
    def cases(self) -> list[tuple[int, int]]:
        """The cases that fit."""
        known = CASES if self.width == NARROW else WIDE_CASES
        return [(log_n, prime) for log_n, prime in known
                if log_n <= self.max_log_n and prime.bit_length() <= self.width]


async def load(dut, shape, values):
    """Writes values into the work banks, one word of each bank at a time."""
    slots = [[0] * shape.banks for _ in range(len(values) // shape.banks)]
    for index, value in enumerate(values):
        bank, address = place(index, shape.lanes)
        slots[address][bank] = value
    dut.guest_i.value = 1
    for _ in range(GUEST_CYCLES[shape.width]):
        await FallingEdge(dut.clk_i)
    dut.guest_write_i.value = (1 << shape.banks) - 1
    for address, words in enumerate(slots):
        dut.guest_write_address_i.value = pack([address] * shape.banks, shape.address_bits)
        dut.guest_write_data_i.value = pack(words, shape.word)
        await FallingEdge(dut.clk_i)
    dut.guest_write_i.value = 0
    dut.guest_write_data_i.value = 0
    await FallingEdge(dut.clk_i)
    dut.guest_i.value = 0


async def load_twiddles(dut, shape, words):
    dut.twiddle_write_i.value = (1 << shape.lanes) - 1
    for address in range(len(words) // shape.lanes):
        dut.twiddle_write_address_i.value = address
        dut.twiddle_write_data_i.value = pack(words[address * shape.lanes:][:shape.lanes],
                                              shape.word)
        await FallingEdge(dut.clk_i)
    dut.twiddle_write_i.value = 0


def result_place(index: int, lanes: int, log_n: int, inverse: bool) -> tuple[int, int]:
    """Bank and row of a result: the rows of an inverse leave out the top bits and bit 0."""
    bank, row = place(index, lanes)
    bits = bank_bits(lanes)
    if inverse:
        row = (index & (2 << log_n - bits) - 1) >> 1 if bits > 1 else index & (1 << log_n - 1) - 1
    return bank, row


async def transform(dut, shape, log_n, inverse):
    """The result words in index order, and the cycles from start to the last write."""
    results, cycles = [None] * (1 << log_n), 0
    dut.start_i.value, dut.inverse_i.value, dut.log_degree_i.value = 1, int(inverse), log_n
    await FallingEdge(dut.clk_i)
    dut.start_i.value = 0
    where = {result_place(index, shape.lanes, log_n, inverse): index for index in range(1 << log_n)}
    while True:
        await FallingEdge(dut.clk_i)
        cycles += 1
        if dut.result_valid_o.value:
            row = int(dut.result_row_o.value)
            words = unpack(int(dut.result_data_o.value), shape.banks, shape.word)
            for bank, word in enumerate(words):
                results[where[bank, row]] = signed(word, shape.word)
            if dut.result_final_o.value:
                return results, cycles
        assert cycles < (log_n << log_n) // shape.lanes, "twice the time"


@cocotb.test()
async def both_directions(dut):
    """Every case that fits, forward and inverse, in (n / 2P) log2 n cycles and the latency."""
    shape = Shape(dut)
    await start(dut, **dict.fromkeys(INPUTS, 0))
    for log_n, prime in shape.cases[:3] if QUICK else shape.cases:
        ring_degree = 1 << log_n
        dut.modulus_i.value, dut.modulus_bits_i.value = prime, prime.bit_length()
        await load_twiddles(dut, shape, twiddles(prime, ring_degree))
        values = [random.choice((0, prime - 1, random.randrange(prime)))
                  for _ in range(ring_degree)]
        for inverse in (False, True):
            await load(dut, shape, values)
            results, cycles = await transform(dut, shape, log_n, inverse)
            expected = [value * ring_degree
                        for value in inverse_ntt(values, prime)] if inverse else ntt(values, prime)
            wrong = sum((a - b) % prime != 0 for a, b in zip(results, expected))
            assert wrong == 0, f"{wrong} of {ring_degree} words differ"
            assert max(map(abs, results)) <= 2 * prime
            assert cycles <= ring_degree // (2 * shape.lanes) * log_n + DRAIN_CYCLES[shape.width]
            if not inverse:
                record(f"ntt-{ring_degree}", cycles)
            dut._log.info("n=%d q=%d inverse=%s: %d cycles", ring_degree, prime, inverse, cycles)


@cocotb.test()
async def known_transforms64(dut):
    """transforms64 of spec/vectors/primes64.json, in builds of such words."""
    shape = Shape(dut)
    if shape.width == NARROW:
        return
    await start(dut, **dict.fromkeys(INPUTS, 0))
    records = json.loads((ROOT / "spec/vectors/primes64.json").read_text())["transforms64"]
    fitting = [case for case in records if case["ring_degree"] <= 1 << shape.max_log_n
               and case["modulus"].bit_length() <= shape.width]
    assert fitting
    for case in fitting[:1] if QUICK else fitting:
        prime, ring_degree = case["modulus"], case["ring_degree"]
        dut.modulus_i.value, dut.modulus_bits_i.value = prime, prime.bit_length()
        await load_twiddles(dut, shape, twiddles(prime, ring_degree))
        states = list(recurrence(2 * ring_degree))
        values = [((high >> 1) - (1 << 30) << 32) + low
                  for high, low in zip(states[::2], states[1::2])]
        await load(dut, shape, [value % prime for value in values])
        results, _ = await transform(dut, shape, ring_degree.bit_length() - 1, False)
        row = [value % prime for value in results]
        found = hashlib.sha3_256(struct.pack(f"<{ring_degree}Q", *row)).hexdigest()
        assert found == case["sha3"], f"n={ring_degree} q={prime}"
