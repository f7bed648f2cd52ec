"""Cycles of whole operations of isopod_system with its transfers, for bench/rtl; test_system checks
their results.

From CONTROL.start to the last residue in memory, by the register CYCLES. The memory moves a beat of
64 bits a cycle in either direction and never pauses; it answers in the next cycle. Every case runs
twice and the second run counts: descriptors, twiddles and, where it stays, NTT(s) are in place. One
more case is the first encryption by secret key after NTT(s) of the last prime gave way."""
import random
import struct

import cocotb

from rtl.dv.arithmetic import radix
from rtl.dv.bench import BUILD, Bench, record
from rtl.dv.encode.cosines import write_cosines
from rtl.dv.streams import always
from rtl.dv.top.engine import (
    BFV_PUBLIC,
    BFV_SECRET,
    DECODE,
    DECRYPT,
    NO_ERROR,
    PUBLIC,
    SECRET,
    Command,
    descriptor,
)
from rtl.dv.top.slot import sealed
from rtl.dv.top.system import DONE, SEEDS, START, System
from rtl.dv.top.test_measure import CHAINS64, primes
from rtl.sources import configurations
from spec.model.keys import SECRET_NTT, SECRET_TERNARY, ternary_bytes

CONFIGURATIONS = ("w54p4", "w54p4-bfv")
RING_DEGREE = 8192
SAMPLES_AT, PUBLIC_AT, OUT_AT = 0x1000, 0x100000, 0x400000
FIXED, SHIFT = 0, 4
# A plaintext modulus beyond all words of the memory; encryptions take any.
PLAIN = (1 << 29) + 1


def bench(name: str) -> Bench:
    """The system around a configuration, which runs only by name."""
    parameters = configurations()[name]
    cosines = write_cosines(BUILD, int(parameters["MaxLogN"]))
    return Bench(f"measure-system-{name}", "isopod_system", __name__,
                 {**parameters, "Decrypt": 1, "CosineFile": f'"{cosines}"'}, quick=False,
                 large=True, width=int(parameters["ModulusWidth"]))


BENCHES = [bench(name) for name in CONFIGURATIONS]


def word(address: int) -> int:
    """Samples, and residues below every prime of 54 bits."""
    value = address * 2654435761 & 0x0FFFFFFF
    return value if address < PUBLIC_AT or address % 8 == 0 else value & 0x1FFFFF


async def run(system: System, opcode: int, chain: list[int], times: int = 2) -> int:
    """Cycles of the last of some runs."""
    polynomials = 2 * len(chain) if opcode in (PUBLIC, BFV_PUBLIC) else len(chain)
    samples = 0 if opcode in (DECRYPT, DECODE) else RING_DEGREE // 2
    if opcode in (BFV_SECRET, BFV_PUBLIC):
        samples = RING_DEGREE * len(chain)
    public = 0 if opcode in (SECRET, BFV_SECRET) else 2 * RING_DEGREE * len(chain)
    await system.command(Command(opcode, RING_DEGREE.bit_length() - 1, len(chain), sample=FIXED,
                                 shift=SHIFT, count=RING_DEGREE // 2,
                                 secret_ntt=int(system.key_words > 0)))
    await system.write("SAMPLE_ADDRESS", SAMPLES_AT, samples, PUBLIC_AT, public)
    await system.write("MASK_SEED", *[random.getrandbits(32) for _ in range(8)])
    for _ in range(times):
        await system.write("INTERRUPT_STATE", 7, DONE)
        await system.write("OUT_ADDRESS", OUT_AT)
        await system.write("NOISE_KEY", *[random.getrandbits(32) for _ in range(8)])
        await system.write("CONTROL", START)
        await system.write("CONTROL", SEEDS)
        words = RING_DEGREE // 2 if opcode == DECODE else polynomials * RING_DEGREE
        beats = words * chain[0].bit_length() // 64
        await system.write("OUT_BEATS", beats)
        await system.until_interrupt(500_000)
        assert await system.error() == NO_ERROR and await system.read("OUT_LEFT") == 0
    return await system.read("CYCLES")


def key(system: System, chain: list[int]) -> bytes:
    """A secret key in the form that the slot keeps."""
    secret = [random.choice((0, 1, -1)) for _ in range(RING_DEGREE)]
    if not system.key_words:
        return sealed(SECRET_TERNARY, RING_DEGREE, len(chain), ternary_bytes(secret))
    words = [value * radix(prime) % prime for prime in chain for value in secret]
    return sealed(SECRET_NTT, RING_DEGREE, len(chain), struct.pack(f"<{len(words)}Q", *words))


@cocotb.test()
async def measure(dut):
    """The operations at degree 8192 with three primes; a decryption is that of one, a decoding that
    of zeros."""
    system = System(dut, always)
    await system.start()
    system.reads.words = word
    chain = primes(CHAINS64[RING_DEGREE], RING_DEGREE, system.width)
    for number, prime in enumerate(chain):
        for place, value in descriptor(prime, RING_DEGREE, PLAIN).items():
            await system.write_word("PRIME", value, place=32 * number + place)
    await system.load(key(system, chain))
    cases = (("ckks-8192x3-sym-dma", SECRET, chain), ("ckks-8192x3-pk-dma", PUBLIC, chain),
             ("ckks-8192-prime-decrypt-dma", DECRYPT, chain[:1]))
    for case, opcode, used in cases:
        record(case, await run(system, opcode, used))
    record("ckks-8192x3-sym-after-decrypt-dma", await run(system, SECRET, chain, times=1))
    if int(dut.Bfv.value):
        for case, opcode in (("bfv-8192x3-sym-dma", BFV_SECRET), ("bfv-8192x3-pk-dma", BFV_PUBLIC)):
            record(case, await run(system, opcode, chain))
    if int(dut.Decode.value):
        system.reads.words = lambda address: 0
        record("ckks-8192x3-decrypt-dma", await run(system, DECODE, chain[:1]))
        record("ckks-8192x3-decode-dma", await run(system, DECODE, chain))
