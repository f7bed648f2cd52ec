"""Decoding on isopod_engine against spec/model and the known answers of spec/vectors/decoding.json,
which the C library gives, too: of ciphertexts whose polynomial is known, in bound and beyond it."""
import json
import random
import struct

import cocotb

from rtl.dv.bench import ROOT, record, rounds
from rtl.dv.streams import always, sometimes
from rtl.dv.top.engine import (
    DECODE,
    FORMAT,
    KEY,
    NO_ERROR,
    OVERFLOW,
    PRIMES,
    Command,
    Engine,
)
from rtl.dv.top.test_engine import engine, interleaved
from rtl.dv.top.test_measure import primes
from spec.base.parameters import read_sets
from spec.gen.vectors.results import Plan, message, value_digests_of
from spec.model.decode_fixed import MESSAGE32_BITS, Declared, OutOfBound, decode_words, value_of
from spec.model.encode import Precision, encode, slot_positions
from spec.model.ntt import ntt
from spec.model.packing import pack, unpack
from spec.model.result import Grid

BENCHES = [
    engine("decode-w54p4-2048", __name__, ModulusWidth=54, Lanes=4, MaxLogN=11,
           TwiddleTables=1, KeyWords=0, Factors=3, SharedNoise=1, Decode=1),
    engine("decode-w54p8-2048", __name__, quick=False, ModulusWidth=54, Lanes=8, MaxLogN=11,
           TwiddleTables=1, KeyWords=0, Decode=1),
    engine("decode-w61p4-8192", __name__, quick=False, large=True, ModulusWidth=61, Lanes=4,
           MaxLogN=13, TwiddleTables=1, KeyWords=8192, Decode=1),
]
# log2 of scale and bound: exact folds, ties, the extremes.
BOUNDS = ((20, 0), (28, 0), (27, 0), (10, 16), (30, -4), (3, 0))
NOISE = 21
RECORDS = json.loads((ROOT / "spec/vectors/decoding.json").read_text())["results"]
PLAN = ("primes", "pattern", "log2_scale", "log2_bound")
GRID = ("first", "rows", "columns", "stride")


def slots_of(polynomial: list[int], declared: Declared) -> list[int]:
    """The words v_i in the order of the slots; OutOfBound."""
    words = decode_words(polynomial, declared)
    return [words[place] for place in slot_positions(declared.ring_degree)]


class Decoding:
    """A key, and ciphertexts of polynomials that the tests choose."""

    def __init__(self, unit: Engine, ring_degree: int):
        self.unit, self.ring_degree = unit, ring_degree
        self.prime = primes(1, ring_degree, unit.width)[0]
        self.secret = [random.randrange(-1, 2) for _ in range(ring_degree)]
        self.secret_ntt = ntt([value % self.prime for value in self.secret], self.prime)

    async def prepare(self) -> None:
        """Descriptor and secret key."""
        await self.unit.describe([self.prime], self.ring_degree)
        await self.unit.write_secret(self.secret, [self.secret_ntt], [self.prime])

    def command(self, magnitude: int, **changes) -> Command:
        """A decoding of the magnitude L."""
        fields = {"opcode": DECODE, "log_degree": self.ring_degree.bit_length() - 1,
                  "suite": self.unit.suite, "shift": MESSAGE32_BITS - magnitude,
                  "secret_ntt": int(self.unit.key_words > 0)}
        return Command(**{**fields, **changes})

    def ciphertext(self, polynomial: list[int]) -> list[int]:
        """Words of c0 and c1, of which c1 is random."""
        c1 = [random.randrange(self.prime) for _ in polynomial]
        message = ntt([value % self.prime for value in polynomial], self.prime)
        c0 = [(m - a * s) % self.prime for m, a, s in zip(message, c1, self.secret_ntt)]
        return interleaved([c0], [c1])

    def expected(self, polynomial: list[int], declared: Declared) -> bytes:
        """The slots' words as residues; OutOfBound."""
        slots = [value % self.prime for value in slots_of(polynomial, declared)]
        return pack(slots, self.prime.bit_length())

    async def decode(self, polynomial: list[int], declared: Declared) -> int:
        """Cycles of a decoding, which must be the model's."""
        self.unit.forget()
        command = self.command(declared.magnitude)
        taken = await self.unit.run(command, public=self.ciphertext(polynomial), limit=2_000_000)
        try:
            expected, error = self.expected(polynomial, declared), NO_ERROR
        except OutOfBound:
            expected, error = b"", OVERFLOW
        assert self.unit.error == error, f"{declared}: error {self.unit.error}"
        assert self.unit.collected() == expected, f"{declared}: wrong slots"
        if error:
            await self.unit.pulse(self.unit.dut.clear_i)
        return taken

    def words(self) -> list[int]:
        """The slots' words that came out."""
        found = unpack(self.unit.collected(), self.prime.bit_length())
        return [value - self.prime * (2 * value > self.prime) for value in found]

    def message(self, log2_scale: int, log2_bound: int, swell: float = 1) -> list[int]:
        """Random slots up to `swell` times the bound, with noise if it is far below them."""
        precision = Precision(self.ring_degree, min(log2_scale + log2_bound, 28), 0)
        noise = NOISE if precision.log2_scale > 12 else 0
        values = [random.uniform(-1, 1) for _ in range(self.ring_degree // 2)]
        return [round(value * swell) + random.randint(-noise, noise)
                for value in encode(values, precision)]


def degrees(unit: Engine) -> list[int]:
    """Degrees with even and odd numbers of radix-2 levels."""
    return [1 << log_n for log_n in (unit.max_log_n - 1, unit.max_log_n)]


async def prepared(dut, ring_degree: int) -> Decoding:
    """An engine out of reset with a key."""
    unit = Engine(dut)
    await unit.start()
    case = Decoding(unit, ring_degree)
    await case.prepare()
    return case


@cocotb.test()
async def slots(dut):
    """Ciphertexts of random slots, at every degree and of several scales and bounds."""
    for ring_degree in degrees(Engine(dut)):
        case = await prepared(dut, ring_degree)
        for log2_scale, log2_bound in BOUNDS[:rounds(3, len(BOUNDS))]:
            declared = Declared(ring_degree, 2.0 ** log2_scale, log2_bound)
            taken = await case.decode(case.message(log2_scale, log2_bound), declared)
            dut._log.info("%d, 2^%d 2^%d: %d cycles", ring_degree, log2_scale, log2_bound, taken)
        record(f"ckks-{ring_degree}-decode", taken)


@cocotb.test()
async def known_answers(dut):
    """Messages of the vectors that words of 32 bits decode, whatever primes they were recorded
    under: the values of their slots in every type."""
    known = {entry.name: entry.ring_degree for entry in read_sets()}
    for ring_degree in degrees(Engine(dut)):
        records = [entry for entry in RECORDS
                   if entry["width"] == 32 and known[entry["set"]] == ring_degree]
        assert records
        case = await prepared(dut, ring_degree)
        for entry in records[:rounds(2, len(records))]:
            scale, = struct.unpack("<d", struct.pack("<Q", entry["scale_bits"]))
            declared = Declared(ring_degree, scale, entry["log2_bound"])
            plan = Plan(**{name: entry[name] for name in PLAN})
            await case.decode(message(ring_degree, plan), declared)
            words, grid = case.words(), Grid(**{name: entry[name] for name in GRID})
            forms = [[value_of(words[place], declared, form) for place in grid.places]
                     for form in ("f32", "f64", "int")]
            found = value_digests_of(forms)
            assert found == {name: entry[name] for name in found}, entry


@cocotb.test()
async def special_polynomials(dut):
    """Single coefficients, each index class of the pre-twist among them, and ties."""
    case = await prepared(dut, degrees(Engine(dut))[0])
    n = case.ring_degree
    declared = Declared(n, 2.0 ** 28, 0)
    places = [0, 1, n // 8, n // 4, 3 * n // 8, n // 2, n - 1, n // 4 - 1, n // 4 + 1]
    for place in places[:rounds(4, len(places))]:
        await case.decode([(index == place) << 26 for index in range(n)], declared)
    await case.decode([random.randrange(-6, 7) for _ in range(n)], declared)


@cocotb.test()
async def beyond(dut):
    """Refuses as a whole, by a difference, also one that is small only modulo the prime, by a word
    of a pass, by a slot; the next one is decoded."""
    case = await prepared(dut, degrees(Engine(dut))[0])
    n, half = case.ring_degree, case.prime // 2
    declared = Declared(n, 2.0 ** 20, 0)
    good = case.message(20, 0)
    for place, value in ((3, 1 << 22), (3, (1 << 22) - 1), (n // 2 + 5, 1 << 22), (0, 1 << 21)):
        await case.decode([value if index == place else 0 for index in range(n)], declared)
    await case.decode([{7: half, n - 7: -half}.get(index, 0) for index in range(n)], declared)
    await case.decode([half] * n, declared)
    for swell in (3, 1.2):
        await case.decode(case.message(20, 0, swell), declared)
    await case.decode(good, declared)


@cocotb.test()
async def pauses(dut):
    """Sides that pause change nothing."""
    case = await prepared(dut, degrees(Engine(dut))[0])
    for share in (0.3, 0.7):
        case.unit.pause(public=sometimes(share), beats=sometimes(share))
        await case.decode(case.message(20, 0), Declared(case.ring_degree, 2.0 ** 20, 0))
    case.unit.pause(always, always, always)


@cocotb.test()
async def aborts(dut):
    """Stopped in any of its parts it sends nothing more, and the next one is decoded."""
    case = await prepared(dut, degrees(Engine(dut))[0])
    unit, declared = case.unit, Declared(case.ring_degree, 2.0 ** 20, 0)
    polynomial = case.message(20, 0)
    await case.decode(polynomial, declared)          # builds the twiddle table
    whole = await case.decode(polynomial, declared)
    for _ in range(rounds(4, 16)):
        unit.forget()
        unit.give(case.command(20), public=case.ciphertext(polynomial))
        await unit.stop(random.randrange(10, whole - 50))
        await case.decode(polynomial, declared)


@cocotb.test()
async def refusals(dut):
    """More than one prime, a magnitude beyond words of 32 bits, no key."""
    case = await prepared(dut, degrees(Engine(dut))[0])
    for changes, error in (({"primes": 2}, PRIMES), ({"primes": 0}, PRIMES),
                           ({"shift": MESSAGE32_BITS + 1}, FORMAT),
                           ({"secret_ntt": int(not case.unit.key_words)}, KEY)):
        await case.unit.run(case.command(20, **changes))
        assert case.unit.error == error and not case.unit.collected()
        await case.unit.pulse(case.unit.dut.clear_i)
