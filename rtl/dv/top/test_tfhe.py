"""Products of the TFHE rings on isopod_engine, doc/tfhe.md: a s modulo X^N + 1 and 2^32 or 2^64,
digit by digit by a transform and a decryption modulo one prime."""
import random

import cocotb

from rtl.dv.arithmetic import NARROW
from rtl.dv.bench import record
from rtl.dv.top.engine import DECRYPT, FORWARD, NO_ERROR, Command, Engine
from rtl.dv.top.test_engine import engine, interleaved
from rtl.dv.top.test_measure import primes
from spec.model.ntt import ntt
from spec.model.packing import unpack
from spec.model.tfhe import negacyclic

BENCHES = [
    engine("tfhe-w32p4", __name__, quick=False, Lanes=4, MaxLogN=11, TwiddleTables=1, KeyWords=0),
    engine("tfhe-w54p4", __name__, quick=False, ModulusWidth=54, Lanes=4, MaxLogN=11,
           TwiddleTables=1, KeyWords=0, Factors=3, SharedNoise=1, Decode=1),
]
# Degree, log2 of the modulus, and what coefficients of the secret are.
RINGS = ((1024, 32, (-1, 0, 1)), (2048, 64, (0, 1)))


class Ring:
    """Products in one of the rings, modulo a prime beyond twice the largest coefficient."""

    def __init__(self, unit: Engine, degree: int, log2_modulus: int):
        self.unit, self.degree, self.log2_modulus = unit, degree, log2_modulus
        self.prime = primes(1, degree, unit.width)[0]
        self.digit_bits = 16 if unit.width == NARROW else 32
        assert degree << self.digit_bits < self.prime // 2

    async def run(self, opcode: int, words=(), public=()) -> tuple[list[int], int]:
        """Residues of an operation, and its cycles."""
        self.unit.forget()
        command = Command(opcode, self.degree.bit_length() - 1, 1, self.unit.suite, secret_ntt=0)
        taken = await self.unit.run(command, words, public, limit=200_000)
        assert self.unit.error == NO_ERROR
        return unpack(self.unit.collected(), self.prime.bit_length())[:self.degree], taken

    async def product(self, a: list[int]) -> tuple[list[int], int]:
        """The product with the secret of the slot, and the cycles of all digits."""
        total, cycles = [0] * self.degree, 0
        for low in range(0, self.log2_modulus, self.digit_bits):
            digit = [word >> low & (1 << self.digit_bits) - 1 for word in a]
            transformed, forward = await self.run(FORWARD, digit)
            zeros = [[0] * self.degree]
            residues, back = await self.run(DECRYPT, public=interleaved(zeros, [transformed]))
            centred = [value - self.prime * (2 * value > self.prime) for value in residues]
            total = [sum_ + (value << low) for sum_, value in zip(total, centred)]
            cycles += forward + back
        return [value % (1 << self.log2_modulus) for value in total], cycles


@cocotb.test()
async def products(dut):
    """Both rings, random and extreme words, twice each: the second time tables are in place."""
    unit = Engine(dut)
    await unit.start()
    for degree, log2_modulus, symbols in RINGS:
        ring = Ring(unit, degree, log2_modulus)
        secret = [random.choice(symbols) for _ in range(degree)]
        await unit.describe([ring.prime], degree)
        await unit.write_secret(secret, [ntt([value % ring.prime for value in secret],
                                             ring.prime)], [ring.prime])
        largest = (1 << log2_modulus) - 1
        for a in ([largest] * degree, [random.randint(0, largest) for _ in range(degree)]):
            found, taken = await ring.product(a)
            assert found == negacyclic(a, secret, log2_modulus)
        record(f"tfhe-{degree}-product", taken)
        dut._log.info("N = %d, 2^%d: %d cycles", degree, log2_modulus, taken)
