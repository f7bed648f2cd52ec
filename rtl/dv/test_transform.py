"""NTT and inverse against the model, through the guest ports."""
import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout

from dv.arithmetic import bank_bits, pack, place, signed, twiddles, unpack
from spec.gen.model.ntt import inverse_ntt, ntt

LANES = int(os.environ["LANES"])
MAX_LOG_N = int(os.environ["MAX_LOG_N"])
CASES = [tuple(map(int, case.split(":"))) for case in os.environ["CASES"].split(",")]
BANKS, ADDRESS_BITS = 2 * LANES, MAX_LOG_N - bank_bits(LANES)
LANE_BITS = LANES.bit_length() - 1
INPUTS = ("abort_i start_i inverse_i source_i wide_i table_i guest_i guest_read_i guest_write_i external_i "
          "twiddle_guest_i twiddle_write_i source_upper_i source_lower_i external_a_i external_b_i").split()


async def reset(dut):
    cocotb.start_soon(Clock(dut.clk_i, 10, "step").start())
    for name in INPUTS:
        getattr(dut, name).value = 0
    dut.rst_ni.value = 0
    await ClockCycles(dut.clk_i, 3)
    dut.rst_ni.value = 1
    await RisingEdge(dut.clk_i)


async def load(dut, values):
    """Values into the work banks, BANKS at a time."""
    slots = [[0] * BANKS for _ in range(len(values) // BANKS)]
    for index, value in enumerate(values):
        bank, address = place(index, LANES)
        slots[address][bank] = value
    dut.guest_i.value = 1
    dut.guest_write_i.value = (1 << BANKS) - 1
    for address, words in enumerate(slots):
        dut.guest_write_address_i.value = pack([address] * BANKS, ADDRESS_BITS)
        dut.guest_write_data_i.value = pack(words)
        await RisingEdge(dut.clk_i)
    dut.guest_write_i.value = 0
    dut.guest_i.value = 0


async def load_twiddles(dut, words):
    dut.twiddle_write_i.value = (1 << LANES) - 1
    for address in range(len(words) // LANES):
        dut.twiddle_write_address_i.value = address
        dut.twiddle_write_data_i.value = pack(words[address * LANES:][:LANES])
        await RisingEdge(dut.clk_i)
    dut.twiddle_write_i.value = 0


async def transform(dut, log_n, inverse):
    """The result words in index order, and the cycles from start to the last write."""
    results, cycles = [None] * (1 << log_n), 0
    dut.start_i.value, dut.inverse_i.value, dut.log_degree_i.value = 1, int(inverse), log_n
    await RisingEdge(dut.clk_i)
    dut.start_i.value = 0
    where = {place(index, LANES): index for index in range(1 << log_n)}
    while True:
        await RisingEdge(dut.clk_i)
        cycles += 1
        if dut.result_valid_o.value:
            addresses = unpack(int(dut.result_address_o.value), BANKS, ADDRESS_BITS)
            for bank, word in enumerate(unpack(int(dut.result_data_o.value), BANKS)):
                results[where[bank, addresses[bank]]] = signed(word)
            if dut.result_final_o.value:
                return results, cycles
        assert cycles < 60000


@cocotb.test()
async def both_directions(dut):
    await reset(dut)
    for log_n, prime in CASES:
        generator, ring_degree = random.Random(log_n), 1 << log_n
        dut.modulus_i.value, dut.modulus_bits_i.value = prime, prime.bit_length()
        await load_twiddles(dut, twiddles(prime, ring_degree))
        values = [generator.randrange(prime) for _ in range(ring_degree)]
        for inverse in (False, True):
            await load(dut, values)
            results, cycles = await with_timeout(transform(dut, log_n, inverse), 700000, "step")
            expected = [value * ring_degree for value in inverse_ntt(values, prime)] if inverse else ntt(values, prime)
            wrong = sum((a - b) % prime != 0 for a, b in zip(results, expected))
            assert wrong == 0, f"{wrong} of {ring_degree} words differ"
            assert max(map(abs, results)) <= 2 * prime
            assert cycles <= ring_degree // (2 * LANES) * log_n + 23
            dut._log.info(f"n={ring_degree} q={prime} inverse={inverse}: {cycles} cycles")
