"""Encryptions of complex slots on isopod_engine against the model and the frames of
spec/vectors/shapes.json, which the C library makes, too."""
import cmath
import json
import math
import random
from dataclasses import replace
from itertools import chain

import cocotb

from rtl.dv.arithmetic import NARROW
from rtl.dv.bench import ROOT, rounds
from rtl.dv.streams import always, sometimes
from rtl.dv.top.engine import (
    FORMAT,
    FORWARD,
    NO_ERROR,
    OVERFLOW,
    ZEROISE,
    Command,
    Engine,
    packed_rows,
)
from rtl.dv.top.test_engine import (
    LARGEST_SCALE,
    SMALL_SET,
    SMALL_SET64,
    WHOLE32,
    WHOLE54,
    Case,
    decrypts_well,
    engine,
    named,
    sets64,
)
from rtl.dv.top.test_engine_robust import refused
from spec.base.arithmetic import is_prime
from spec.gen.vectors.ciphertexts import SEEDS, SENDER, described, identity_of, source_of
from spec.gen.vectors.digest import sha3
from spec.gen.vectors.shapes import Shape
from spec.model.encode import Precision
from spec.model.encryption import Ciphertext
from spec.model.frame import Encoding, frame
from spec.model.keys import KeyPair
from spec.model.ntt import ntt
from spec.model.packing import unpack_rows
from spec.model.shapes import COMPLEX, COMPLEX_REPEATED, encode, fill
from spec.model.streams import CHACHA20

BENCHES = [
    engine("complex-w32p4", __name__, **WHOLE32),
    engine("complex-w32p8", __name__, quick=False, Lanes=8, MaxLogN=11, XofRounds=2, Xof=1,
           TwiddleTables=1, KeyWords=0, Tiled=1, Complex=1),
    engine("complex-w54p4", __name__, quick=False, **WHOLE54),
    engine("complex-w54p8-1024", __name__, quick=False, ModulusWidth=54, Lanes=8, MaxLogN=10,
           XofRounds=2, TwiddleTables=1, KeyWords=3072, Complex=1),
]
STEP64 = 1 << 13
RECORDS = [entry for entry in json.loads((ROOT / "spec/vectors/shapes.json").read_text())[
    "shape_frames"] if entry["set"] == SMALL_SET and entry["layout"] in (COMPLEX, COMPLEX_REPEATED)]


class ComplexCase(Case):
    """One ciphertext of complex slots, by default of all."""

    def __init__(self, unit: Engine, name: str, kind: int, shape: Shape | None = None):
        super().__init__(unit, name, kind)
        self.slots = self.parameters.ring_degree // 2
        self.shape = shape or Shape(COMPLEX, self.slots)
        self.values = self.shape.values("f32", 0)

    def use(self, prime: int) -> None:
        """Another prime instead of the set's, and the largest scale."""
        name = f"{self.parameters.name} of {prime}"
        self.parameters = replace(self.parameters, name=name, data_primes=(prime,))
        self.primes = self.parameters.data_primes
        self.pair = KeyPair(self.parameters, SEEDS)
        self.precision = Precision(self.parameters.ring_degree, LARGEST_SCALE, 0)

    @property
    def given(self) -> list[tuple[float, float]]:
        """The slots that the engine is given: it repeats none itself."""
        if self.shape.layout == COMPLEX:
            return self.values
        return fill(self.values, self.shape.layout, self.slots)

    @property
    def command(self) -> Command:
        return replace(super().command, count=len(self.given), complex_slots=1)

    @property
    def samples(self) -> list[float]:
        """Parts in turn."""
        return list(chain.from_iterable(self.given))

    @property
    def encoding(self) -> Encoding:
        """The description of the values in the frame."""
        return Encoding(self.log2_scale, self.shape.count, 1, self.shape.claims,
                        self.shape.layout)

    @property
    def source(self):
        """The inputs of the root."""
        identity = identity_of(self.pair, self.kind, self.unit.suite)
        return described(source_of(self.values), identity, self.encoding)

    def message(self) -> list[int]:
        return encode(self.values, self.precision, self.shape.layout)

    async def encrypts(self) -> int:
        """Runs it; the bytes are those of the model. The cycles."""
        taken = await self.run(self.expected())
        assert self.unit.error == NO_ERROR, self.unit.error
        assert self.unit.collected() == self.expected_bytes(self.expected()), self.shape
        return taken

    def framed(self) -> bytes:
        """The frame of the engine's residues."""
        each = 3 - self.kind
        primes = [prime for prime in self.primes for _ in range(each)]
        rows = unpack_rows(self.unit.collected(), primes, self.parameters.ring_degree)
        c1 = rows[1::2] if self.kind == 1 else self.expected().c1
        made = Ciphertext(self.kind, self.unit.suite, self.expected().root, rows[::each], c1)
        return b"".join(frame(self.pair, made, SENDER, self.encoding))


def names(unit: Engine) -> list[str]:
    """Sets of the two largest degrees, one of which has an even number of levels."""
    if unit.width == NARROW:
        return [SMALL_SET, "ckks-2048x1-sum"]
    return [SMALL_SET64] + sets64(unit)[:1] * (unit.max_log_n > 10)


async def started(dut) -> Engine:
    """Out of reset."""
    unit = Engine(dut)
    await unit.start()
    return unit


@cocotb.test()
async def encryptions(dut):
    """By both keys, at even and odd numbers of levels, of all slots, of some and of none."""
    unit = await started(dut)
    for name in names(unit):
        for kind in (2, 1):
            whole = ComplexCase(unit, name, kind)
            await whole.prepare()
            taken = await whole.encrypts()
            dut._log.info("%s, kind %d: %d cycles", whole.parameters.name, kind, taken)
            for count in (0, 1, random.randrange(2, whole.slots)):
                await ComplexCase(unit, name, kind, Shape(COMPLEX, count)).encrypts()


def largest_slots(ring_degree: int, k: int) -> list[tuple[float, float]]:
    """Corners whose message has a coefficient k near 4 sqrt(2) / pi, or sqrt(2) for k = n/4."""
    values = [cmath.exp(1j * cmath.pi * (4 * i + 1) * k / ring_degree)
              for i in range(ring_degree // 2)]
    slots, power = [], 1
    for _ in values:
        folded = 2 * ring_degree - power if power % 4 == 3 else power
        aligned = values[(folded - 1) // 4]
        sign = -1 if folded != power else 1
        slots.append((math.copysign(1, aligned.real), sign * math.copysign(1, aligned.imag)))
        power = power * 3 % (2 * ring_degree)
    return slots


def shortest_primes(unit: Engine, ring_degree: int) -> list[int]:
    """The smallest prime of every narrow length; of the shortest wide one the largest, whose excess
    is legal."""
    if unit.width == NARROW:
        found = [range((1 << length - 1) + 1, 1 << length, 2 * ring_degree)
                 for length in range(26, 31)]
    else:
        found = [range((1 << 36) - STEP64 + 1, 1 << 35, -STEP64)]
    return [next(filter(is_prime, candidates)) for candidates in found]


@cocotb.test()
async def largest_messages(dut):
    """Coefficients beyond 2^30 under the shortest primes, which no reduction comes before."""
    unit = await started(dut)
    for name in names(unit):
        quarter = named(unit, name).ring_degree // 4
        for k in (quarter, 1, random.randrange(2, 9))[:rounds(1, 3)]:
            for prime in shortest_primes(unit, named(unit, name).ring_degree):
                case = ComplexCase(unit, name, 1)
                case.use(prime)
                case.values = largest_slots(case.parameters.ring_degree, k)
                assert max(map(abs, case.message())) > 5 << 28
                await case.prepare()
                await case.encrypts()


@cocotb.test()
async def known_answers(dut):
    """Frames of the vectors, zero-filled and repeated."""
    unit = await started(dut)
    if unit.width != NARROW or unit.suite != CHACHA20:
        return
    for entry in RECORDS:
        shape = Shape(entry["layout"], entry["count"])
        case = ComplexCase(unit, entry["set"], entry["kind"], shape)
        assert case.log2_scale == entry["log2_scale"]
        await case.prepare()
        await case.encrypts()
        assert sha3(case.framed()) == entry["sha3"], entry


@cocotb.test()
async def after_another(dut):
    """Between encryptions of real slots; the flag means nothing to transforms, decryptions and
    zeroise."""
    unit = await started(dut)
    name = names(unit)[0]
    pointed, real = ComplexCase(unit, name, 2), Case(unit, name, 2)
    await real.prepare()
    for case in (real, pointed, real, pointed):
        await case.run(case.expected())
        assert unit.collected() == case.expected_bytes(case.expected())
    await decrypts_well(pointed, pointed.expected().c0, pointed.expected().c1)
    words = [random.randrange(pointed.primes[0]) for _ in range(pointed.parameters.ring_degree)]
    command = replace(pointed.command, opcode=FORWARD, primes=1)
    unit.forget()
    await unit.run(command, words, limit=200_000)
    assert unit.collected() == packed_rows([ntt(words, pointed.primes[0])], pointed.primes[:1])
    unit.forget()
    await unit.run(Command(ZEROISE, complex_slots=1), limit=400_000)
    assert unit.error == NO_ERROR and not unit.collected()
    await pointed.prepare()
    await pointed.encrypts()


@cocotb.test()
async def refused_values(dut):
    """Parts beyond the bound, of whatever slot, and more slots than there are."""
    unit = await started(dut)
    case = ComplexCase(unit, names(unit)[0], 2)
    await case.prepare()
    for place in (0, 1, 2, 3, 2 * case.slots - 1, random.randrange(2 * case.slots)):
        words = [0] * (2 * case.slots)
        words[place] = random.choice((0x3F800001, 0xBF800001, 0x7F800000, 0x7FC00000))
        await refused(unit, case.command, OVERFLOW, words)
    await refused(unit, replace(case.command, count=case.slots + 1), FORMAT)
    await case.encrypts()


@cocotb.test()
async def pauses_and_aborts(dut):
    """Sides that pause change nothing; stopped anywhere it sends nothing more, and the next one is
    right."""
    unit = await started(dut)
    for kind in (2, 1):
        case = ComplexCase(unit, names(unit)[0], kind)
        await case.prepare()
        await case.encrypts()
        whole = await case.encrypts()
        for _ in range(rounds(2, 8)):
            unit.pause(*[sometimes(random.choice((0.2, 0.7, 1))) for _ in range(3)])
            await case.encrypts()
            unit.pause(always, always, always)
            unit.forget()
            unit.give(case.command, (0,) * (2 * case.slots),
                      case.public_words() if kind == 1 else ())
            await unit.stop(random.randrange(10, whole - 50))
        await case.encrypts()
