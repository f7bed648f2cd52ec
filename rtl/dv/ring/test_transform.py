"""Forward and inverse NTT against the model, through the guest ports."""
import random

import cocotb
from cocotb.triggers import FallingEdge

from rtl.dv.arithmetic import bank_bits, pack, place, signed, twiddles, unpack
from rtl.dv.bench import QUICK, Bench, record, start
from spec.model.ntt import inverse_ntt, ntt


def transform_bench(lanes: int, tiled: int, max_log_n: int, quick: bool) -> Bench:
    """The bench of one shape of the transform."""
    parameters = {"Lanes": lanes, "Tiled": tiled, "MaxLogN": max_log_n}
    name = f"transform-{lanes}-{max_log_n}{'-tiled' * tiled}"
    return Bench(name, "isopod_transform", __name__, parameters, quick=quick)


BENCHES = [
    transform_bench(4, 0, 12, False),
    transform_bench(8, 1, 12, True),
    transform_bench(1, 0, 12, False),
    transform_bench(2, 1, 12, False),
    transform_bench(4, 1, 14, False),
    transform_bench(1, 1, 14, False),
]
# (log2 n, prime) of every degree: the smallest and largest primes of the sets, 26 to 30 bits.
CASES = [(10, 67104769), (10, 1073707009), (11, 134176769), (12, 66994177), (12, 1073692673),
         (12, 1054212097), (12, 268369921),
         (13, 536690689), (13, 1053818881), (14, 1073643521), (14, 1068564481)]
# Cycles after which a guest may write.
GUEST_CYCLES = 20
INPUTS = [
    "abort_i", "start_i", "inverse_i", "source_i", "hold_last_i", "message_i", "table_i", "guest_i",
    "guest_read_i",
    "guest_write_i", "guest_common_data_i", "external_i", "twiddle_guest_i", "twiddle_write_i",
    "source_upper_i",
    "source_lower_i", "external_a_i", "external_b_i", "constant_i", "guest_write_data_i",
]


class Shape:
    """Sizes of the module under test."""

    def __init__(self, dut):
        self.lanes, self.max_log_n = int(dut.Lanes.value), int(dut.MaxLogN.value)
        self.banks, self.address_bits = 2 * self.lanes, self.max_log_n - bank_bits(self.lanes)


async def load(dut, shape, values):
    """Writes values into the work banks, one word of each bank at a time."""
    slots = [[0] * shape.banks for _ in range(len(values) // shape.banks)]
    for index, value in enumerate(values):
        bank, address = place(index, shape.lanes)
        slots[address][bank] = value
    dut.guest_i.value = 1
    for _ in range(GUEST_CYCLES):
        await FallingEdge(dut.clk_i)
    dut.guest_write_i.value = (1 << shape.banks) - 1
    for address, words in enumerate(slots):
        dut.guest_write_address_i.value = pack([address] * shape.banks, shape.address_bits)
        dut.guest_write_data_i.value = pack(words)
        await FallingEdge(dut.clk_i)
    dut.guest_write_i.value = 0
    dut.guest_write_data_i.value = 0
    await FallingEdge(dut.clk_i)
    dut.guest_i.value = 0


async def load_twiddles(dut, shape, words):
    dut.twiddle_write_i.value = (1 << shape.lanes) - 1
    for address in range(len(words) // shape.lanes):
        dut.twiddle_write_address_i.value = address
        dut.twiddle_write_data_i.value = pack(words[address * shape.lanes:][:shape.lanes])
        await FallingEdge(dut.clk_i)
    dut.twiddle_write_i.value = 0


async def transform(dut, shape, log_n, inverse):
    """The result words in index order, and the cycles from start to the last write."""
    results, cycles = [None] * (1 << log_n), 0
    dut.start_i.value, dut.inverse_i.value, dut.log_degree_i.value = 1, int(inverse), log_n
    await FallingEdge(dut.clk_i)
    dut.start_i.value = 0
    where = {place(index, shape.lanes): index for index in range(1 << log_n)}
    while True:
        await FallingEdge(dut.clk_i)
        cycles += 1
        if dut.result_valid_o.value:
            addresses = unpack(int(dut.result_address_o.value), shape.banks, shape.address_bits)
            for bank, word in enumerate(unpack(int(dut.result_data_o.value), shape.banks)):
                results[where[bank, addresses[bank]]] = signed(word)
            if dut.result_final_o.value:
                return results, cycles
        assert cycles < (log_n << log_n) // shape.lanes, "twice the time"


@cocotb.test()
async def both_directions(dut):
    """Every case that fits, forward and inverse, in (n / 2P) log2 n cycles and the latency."""
    shape = Shape(dut)
    await start(dut, **dict.fromkeys(INPUTS, 0))
    cases = [case for case in CASES if case[0] <= shape.max_log_n]
    for log_n, prime in cases[:3] if QUICK else cases:
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
            assert cycles <= ring_degree // (2 * shape.lanes) * log_n + 25
            if not inverse:
                record(f"ntt-{ring_degree}", cycles)
            dut._log.info("n=%d q=%d inverse=%s: %d cycles", ring_degree, prime, inverse, cycles)
