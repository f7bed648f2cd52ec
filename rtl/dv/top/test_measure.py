"""Cycles of transforms and whole encryptions, for bench/rtl; test_engine checks their results.

Every case runs twice and the second run counts: descriptors, keys and, where they stay, twiddles
are in place. A prime's own cycles are the difference between three primes and two; a decryption
is that of one prime, to its polynomial. Inputs and outputs never pause: 32 bits of samples, a word
of public key or ciphertext and 64 bits of packed residues per cycle."""
import random

import cocotb

from rtl.dv.arithmetic import NARROW, radix
from rtl.dv.bench import BUILD, Bench, record
from rtl.dv.encode.cosines import write_cosines
from rtl.dv.tag.test_framer import header_pieces
from rtl.dv.top.engine import (
    BFV_PUBLIC,
    BFV_SECRET,
    COEFFICIENTS_PUBLIC,
    COEFFICIENTS_SECRET,
    DECODE,
    DECRYPT,
    FORWARD,
    LONG,
    NO_ERROR,
    PUBLIC,
    SECRET,
    Command,
    Engine,
)
from rtl.sources import configurations, is_precise
from spec.base.arithmetic import is_prime

# Primes of SEAL-Embedded's chains by degree.
CHAINS = {1024: 1, 2048: 1, 4096: 3, 8192: 6, 16384: 13}
# Chains of 64-bit primes; the second one has Aloha-HE's shape.
CHAINS64 = {4096: 2, 8192: 3}
PRIME_BITS = {32: 30, 54: 54, 61: 60}
STEP64 = 1 << 14
# A header with names of columns, of about the usual length.
HEADER_BYTES = 150
PLAIN = 1032193
# Decodings of 52 bits.
LONG_SHIFT = 58 - 52


def measurement(name: str, parameters: dict[str, str]) -> Bench:
    """Bench of one configuration, which runs only by name."""
    cosines = write_cosines(BUILD, int(parameters["MaxLogN"]))
    files = {"CosineFile": f'"{cosines}"'}
    if is_precise(parameters):
        long = write_cosines(BUILD, int(parameters["MaxLogN"]), 64)
        files |= {"LongCosineFile": f'"{long}"'}
    return Bench(f"measure-{name}", "isopod_engine", __name__, {**parameters, **files},
                 quick=False, large=True, width=int(parameters["ModulusWidth"]))


BENCHES = [measurement(name, parameters) for name, parameters in configurations().items()]


def primes(count: int, ring_degree: int, width: int) -> list[int]:
    """The largest primes of the width."""
    top = 1 << PRIME_BITS[width]
    step = 2 * ring_degree if width == NARROW else max(2 * ring_degree, STEP64)
    candidates = range(top - step + 1, top // 2, -step)
    return [found for found, _ in zip(filter(is_prime, candidates), range(count))]


class Measurement:
    """Measurements of one configuration."""

    def __init__(self, dut):
        self.unit = Engine(dut)

    async def twice(self, command: Command, samples=(), public=()) -> int:
        """Cycles of the second run."""
        taken = 0
        for _ in range(2):
            self.unit.forget()
            if command.framed:
                for _ in range(command.primes):
                    self.unit.headers.add(header_pieces(bytes(HEADER_BYTES)))
            taken = await self.unit.run(command, samples, public, limit=8_000_000)
            assert self.unit.error == NO_ERROR
        return taken

    async def transform(self, ring_degree: int) -> None:
        """One NTT from stream to stream."""
        log_degree = ring_degree.bit_length() - 1
        words = [random.getrandbits(24) for _ in range(ring_degree)]
        record(f"ntt-{ring_degree}-streamed",
               await self.twice(Command(FORWARD, log_degree, 1, self.unit.suite), words))

    async def encryption(self, ring_degree: int, chain: list[int], opcode: int, **options) -> int:
        """One encryption of n/2 slots, complex or framed as the command says."""
        command = Command(opcode, ring_degree.bit_length() - 1, len(chain), self.unit.suite, 0, 0,
                          4, ring_degree // 2,
                          int(self.unit.key_words > 0), **options)
        samples = [random.randrange(-(1 << 30), 1 << 30)
                   for _ in range(ring_degree // 2 << command.complex_slots)]
        public = [random.randrange(prime) for prime in chain
                  for _ in range(2 * ring_degree)] if opcode == PUBLIC else ()
        return await self.twice(command, samples, public)

    async def precise(self, ring_degree: int, chain: list[int]) -> None:
        """Encryptions of messages of 64-bit words, the longest ones and those of 50 bits, and a
        decoding in such words."""
        name = f"ckks-{ring_degree}x{len(chain)}-precise"
        words = [random.randrange(1 << 64) % ((1 << 63) + 1) - (1 << 62) & (1 << 64) - 1
                 for _ in range(ring_degree // 2)]
        public = [random.randrange(prime) for prime in chain for _ in range(2 * ring_degree)]
        for bits, suffix in ((57, ""), (50, "-50")):
            for opcode, key, stream in ((SECRET, "sym", ()), (PUBLIC, "pk", public)):
                command = Command(opcode, ring_degree.bit_length() - 1, len(chain),
                                  self.unit.suite, LONG, 0, 62 - bits, ring_degree // 2,
                                  int(self.unit.key_words > 0))
                record(f"{name}-{key}{suffix}", await self.twice(command, words, stream))
        if self.unit.decodes_long:
            record(f"{name}-decrypt",
                   await self.decoding(ring_degree, 1, sample=LONG, shift=LONG_SHIFT))

    async def decryption(self, ring_degree: int, prime: int) -> int:
        """c0 and c1 of one prime to its polynomial."""
        command = Command(DECRYPT, ring_degree.bit_length() - 1, 1, self.unit.suite,
                          secret_ntt=int(self.unit.key_words > 0))
        return await self.twice(command, public=[random.randrange(prime)
                                                 for _ in range(2 * ring_degree)])

    async def decoding(self, ring_degree: int, count: int, **options) -> int:
        """Zeros of some primes to their slots."""
        command = Command(DECODE, ring_degree.bit_length() - 1, count, self.unit.suite,
                          secret_ntt=int(self.unit.key_words > 0), **options)
        return await self.twice(command, public=[0] * (2 * ring_degree * count))

    async def integers(self, ring_degree: int, chain: list[int], opcode: int) -> int:
        """One BFV encryption, its message encoded."""
        command = Command(opcode, ring_degree.bit_length() - 1, len(chain), self.unit.suite,
                          secret_ntt=int(self.unit.key_words > 0))
        words = [random.randrange(PLAIN) for _ in range(len(chain) * ring_degree)]
        public = [random.randrange(prime) for prime in chain
                  for _ in range(2 * ring_degree)] if opcode == BFV_PUBLIC else ()
        return await self.twice(command, words, public)

    async def rounded(self, ring_degree: int, prime: int, opcode: int, framed: int = 0) -> int:
        """One encryption into all coefficients, rounded."""
        command = Command(opcode, ring_degree.bit_length() - 1, 1, self.unit.suite, shift=7,
                          log2_bound=3, secret_ntt=int(self.unit.key_words > 0),
                          framed=framed)
        words = [random.randrange(prime) for _ in range(ring_degree)]
        public = [random.randrange(prime) for _ in range(2 * ring_degree)]
        return await self.twice(command, words, public if opcode == COEFFICIENTS_PUBLIC else ())

    async def frames(self, ring_degree: int, chain: list[int]) -> None:
        """Whole frames, to the last byte of the last tag."""
        name = f"ckks-{ring_degree}x{len(chain)}"
        for opcode, key in ((SECRET, "sym"), (PUBLIC, "pk")):
            record(f"{name}-{key}-framed",
                   await self.encryption(ring_degree, chain, opcode, framed=1))
        if self.unit.coefficients and len(chain) == 1:
            for opcode, key in ((COEFFICIENTS_SECRET, "sym"), (COEFFICIENTS_PUBLIC, "pk")):
                record(f"{name}-coefficients-{key}-framed",
                       await self.rounded(ring_degree, chain[0], opcode, framed=1))

    async def keys(self, ring_degree: int, chain: list[int]) -> None:
        """Descriptors and a secret key."""
        await self.unit.describe(chain, ring_degree, PLAIN if self.unit.bfv else 0)
        secret = [random.randrange(-1, 2) for _ in range(ring_degree)]
        rows = [[value * radix(prime) % prime for value in secret] for prime in chain]
        await self.unit.write_secret(secret, rows, chain)

    def holds(self, ring_degree: int, count: int) -> bool:
        """True if the key slot and the banks are large enough."""
        fits = ring_degree <= 1 << self.unit.max_log_n
        return fits and (not self.unit.key_words or ring_degree * count <= self.unit.key_words)

    async def degree(self, ring_degree: int, count: int) -> None:
        """Measures all cases of one degree."""
        chain = primes(max(count, 3), ring_degree, self.unit.width)
        await self.keys(ring_degree, chain)
        await self.transform(ring_degree)
        record(f"ckks-{ring_degree}-prime-decrypt", await self.decryption(ring_degree, chain[0]))
        if self.unit.decodes:
            record(f"ckks-{ring_degree}x{count}-decrypt", await self.decoding(ring_degree, 1))
            record(f"ckks-{ring_degree}x{count}-decode", await self.decoding(ring_degree, count))
        two, three = [await self.encryption(ring_degree, chain[:number], SECRET)
                      for number in (2, 3)]
        record(f"ckks-{ring_degree}-prime-sym", three - two)
        known = {2: two, 3: three}
        whole = known[count] if count in known else await self.encryption(ring_degree,
                                                                          chain[:count], SECRET)
        record(f"ckks-{ring_degree}x{count}-sym", whole)
        record(f"ckks-{ring_degree}x{count}-pk",
               await self.encryption(ring_degree, chain[:count], PUBLIC))
        if self.unit.complex:
            record(f"ckks-{ring_degree}x{count}-complex-sym",
                   await self.encryption(ring_degree, chain[:count], SECRET, complex_slots=1))
        if self.unit.precise:
            await self.precise(ring_degree, chain[:3])
        if self.unit.frame:
            await self.frames(ring_degree, chain[:count])
        if self.unit.coefficients and count == 1:
            for opcode, name in ((COEFFICIENTS_SECRET, "sym"), (COEFFICIENTS_PUBLIC, "pk")):
                record(f"ckks-{ring_degree}x1-coefficients-{name}",
                       await self.rounded(ring_degree, chain[0], opcode))
        if self.unit.bfv:
            for opcode, name in ((BFV_SECRET, "sym"), (BFV_PUBLIC, "pk")):
                record(f"bfv-{ring_degree}x{count}-{name}",
                       await self.integers(ring_degree, chain[:count], opcode))


@cocotb.test()
async def measure(dut):
    """Every degree that fits."""
    measurement = Measurement(dut)
    await measurement.unit.start()
    chains = CHAINS if measurement.unit.width == NARROW else CHAINS64
    for ring_degree, count in chains.items():
        if measurement.holds(ring_degree, max(count, 3)):
            await measurement.degree(ring_degree, count)
