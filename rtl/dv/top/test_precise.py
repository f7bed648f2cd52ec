"""Encryptions of messages of 64-bit words on isopod_engine, against the model.

Words are those of SampleLong, round(z * 2^(62-b)); the cases below take every slot to its bound."""
import random
from dataclasses import replace
from fractions import Fraction

import cocotb

from rtl.dv.bench import QUICK
from rtl.dv.top.engine import (
    FLOAT,
    FORMAT,
    LONG,
    NO_ERROR,
    OVERFLOW,
    PUBLIC,
    SECRET,
    Command,
    Engine,
)
from rtl.dv.top.test_engine import LOG64, SET64, Case, encrypts_well, engine, named
from spec.base.parameters import RingSet, read_sets
from spec.gen.vectors.ciphertexts import SEEDS
from spec.model.encode import MESSAGE64_BITS, Precision, encode
from spec.model.keys import KeyPair

PRECISE = {"ModulusWidth": 54, "Lanes": 4, "MaxLogN": 11, "XofRounds": 2, "TwiddleTables": 1,
           "KeyWords": 0, "Factors": 3, "SharedNoise": 1, "Decode": 1, "Precise": 1}
BENCHES = [
    engine("w54p4-precise", module=__name__, quick=False, **PRECISE),
    engine("w54p8-precise", module=__name__, quick=False,
           **PRECISE | {"Lanes": 8, "MaxLogN": 10, "KeyWords": 3072, "Factors": 1, "Decode": 0}),
    engine("w54p4-precise-8192", module=__name__, quick=False, large=True,
           **PRECISE | {"MaxLogN": 13}),
]
FRACTION = 62
LIMIT = 1 << FRACTION
# The shortest primes of a wide build, and of its largest degree: a message of 2^57 is far beyond.
SHORT_PRIMES = "bfv-4096x2w-seal-default"
SHORT_PRIMES_8192 = "bfv-8192x4w-seal-default"
PAIRS = {}


def chain(unit: Engine, primes: str, log_degree: int) -> RingSet:
    """A set of one degree with the primes of another set, as many as the key slot holds."""
    known = {entry.name: entry for entry in read_sets()}
    fitting = 3 if not unit.key_words else unit.key_words >> log_degree
    return replace(known[SET64], name=f"{primes} at 2^{log_degree}", ring_degree=1 << log_degree,
                   data_primes=known[primes].data_primes[:fitting])


class LongCase(Case):
    """One ciphertext of words, whose scale times bound has `magnitude` bits."""

    def __init__(self, unit: Engine, entry: RingSet, kind: int, magnitude: int, words: list[int]):
        if entry.name not in PAIRS:
            PAIRS[entry.name] = KeyPair(entry, SEEDS)
        self.unit, self.pair, self.kind = unit, PAIRS[entry.name], kind
        self.parameters, self.primes = entry, entry.data_primes
        self.precision = Precision(entry.ring_degree, magnitude, 0)
        self.pattern, self.ciphertext = f"{magnitude} bits", None
        self.values = [Fraction(word, LIMIT) for word in words]
        self.words = words

    @property
    def command(self) -> Command:
        return replace(super().command, sample=LONG)

    @property
    def samples(self) -> list[int]:
        return self.words

    def message(self) -> list[int]:
        return encode(self.values, self.precision)

    async def run(self, ciphertext) -> int:
        self.unit.forget()
        self.unit.set_root(ciphertext.root.mask_seed, ciphertext.root.noise_key)
        public = self.public_words() if self.kind == 1 else ()
        return await self.unit.run(self.command, [word % (1 << 64) for word in self.words],
                                   public, limit=2_000_000)


class PreciseCase(LongCase):
    """A message of the most bits, of random words, under a named set."""

    def __init__(self, unit: Engine, name: str, kind: int):
        entry = named(unit, name)
        words = [random.randrange(-LIMIT, LIMIT + 1) for _ in range(entry.ring_degree // 2)]
        super().__init__(unit, entry, kind, MESSAGE64_BITS, words)


def worst(half: int) -> dict[str, list[int]]:
    """Words of all slots that reach the bounds of points, sums and coefficients."""
    residues = [slot * slot // 7 % 2 for slot in range(half)]
    return {
        "constant": [LIMIT] * half,
        "minus": [-LIMIT] * half,
        "alternating": [LIMIT, -LIMIT] * (half // 2),
        "pairs": [LIMIT, LIMIT, -LIMIT, -LIMIT] * (half // 4),
        "signs": [random.choice((LIMIT, -LIMIT)) for _ in range(half)],
        "squares": [-LIMIT if residue else LIMIT for residue in residues],
        "halves": [LIMIT] * (half // 2) + [-LIMIT] * (half // 2),
        "impulse": [LIMIT],
        "low halves": [random.choice(((1 << 32) - 1, -(1 << 32), 1 << 31)) for _ in range(half)],
        "random": [random.randrange(-LIMIT, LIMIT + 1) for _ in range(half)],
        "few": [random.randrange(-LIMIT, LIMIT + 1) for _ in range(5)],
        "none": [],
    }


def degrees(unit: Engine) -> list[int]:
    """An even and an odd logarithm, where both fit."""
    return {10: [10], 13: [12, 13]}.get(unit.max_log_n, [10, 11])


@cocotb.test()
async def worst_inputs(dut):
    """Every worst input with the longest and the shortest messages, and the bytes of the model."""
    unit = Engine(dut)
    await unit.start()
    for log_degree in degrees(unit):
        short_primes = SHORT_PRIMES_8192 if log_degree == LOG64 else SHORT_PRIMES
        for number, primes in enumerate((SET64, short_primes)):
            entry = chain(unit, primes, log_degree)
            prepared = LongCase(unit, entry, 2, MESSAGE64_BITS, [])
            await prepared.prepare()
            patterns = worst(entry.ring_degree // 2)
            if QUICK or unit.max_log_n == LOG64:
                patterns = dict(list(patterns.items())[number::6 if QUICK else 3])
            for place, (name, words) in enumerate(patterns.items()):
                magnitude = (MESSAGE64_BITS, 31, 44)[place % 3] if name != "constant" else \
                    MESSAGE64_BITS
                case = LongCase(unit, entry, 1 + place % 2, magnitude, words)
                case.pattern = f"{name}, {magnitude} bits"
                await encrypts_well(case)


@cocotb.test()
async def beside_short_words(dut):
    """Messages of 32-bit and of 64-bit words by turns, after an abort within either encode."""
    unit = Engine(dut)
    await unit.start()
    entry = chain(unit, SET64, 10)
    words = worst(512)["random"]
    long = LongCase(unit, entry, 2, 50, words)
    await long.prepare()
    for after in (200, 1500, 4000, 7000):
        ciphertext = long.expected()
        unit.forget()
        unit.set_root(ciphertext.root.mask_seed, ciphertext.root.noise_key)
        unit.give(long.command, [word % (1 << 64) for word in words])
        await unit.stop(after)
        await encrypts_well(long)
        short = ShortCase(unit, entry, 2, 20, [word >> 39 << 39 for word in words])
        await encrypts_well(short)


class ShortCase(LongCase):
    """Values as floats, a message of 32-bit words."""

    @property
    def command(self) -> Command:
        return replace(super().command, sample=FLOAT)

    async def run(self, ciphertext) -> int:
        return await Case.run(self, ciphertext)

    @property
    def samples(self) -> list[float]:
        return [float(value) for value in self.values]


@cocotb.test()
async def refuses(dut):
    """Shifts, layouts and words out of range."""
    unit = Engine(dut)
    await unit.start()
    entry = chain(unit, SET64, 10)
    case = LongCase(unit, entry, 2, MESSAGE64_BITS, [])
    await case.prepare()
    for change in ({"shift": 4}, {"shift": 0}, {"complex_slots": 1}, {"count": 513}):
        unit.forget()
        await unit.run(replace(case.command, **change))
        assert unit.error == FORMAT, change
        await unit.pulse(dut.clear_i)
    edge = ((LIMIT, True), (LIMIT + 1, False), (-LIMIT, True), (-LIMIT - 1, False),
            (LIMIT + (1 << 31), False), (LIMIT + (1 << 32), False), (-LIMIT - (1 << 32), False),
            (1 << 63, False), (LIMIT - 1, True), (-LIMIT + 1, True), ((1 << 63) - 1, False),
            (-LIMIT - (1 << 31), False), (-LIMIT + (1 << 31), True))
    for opcode in (SECRET, PUBLIC):
        public = [0] * (2 * 1024 * len(entry.data_primes)) if opcode == PUBLIC else ()
        for word, good in edge:
            unit.forget()
            command = replace(case.command, opcode=opcode, count=3)
            await unit.run(command, [0, word % (1 << 64), 0], public)
            assert unit.error == (NO_ERROR if good else OVERFLOW), (opcode, word, unit.error)
            await unit.pulse(dut.clear_i)
