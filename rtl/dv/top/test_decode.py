"""Decoding on isopod_engine against spec/model and the known answers of spec/vectors/decoding.json,
which the C library gives, too: of ciphertexts whose polynomial is known, in bound and beyond it, of
one prime and of several."""
import json
import math
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
    ZEROISE,
    Command,
    Engine,
)
from rtl.dv.top.test_engine import WHOLE54, engine, interleaved
from rtl.dv.top.test_measure import primes
from spec.base.parameters import read_sets
from spec.gen.vectors.results import Plan, message, value_digests_of
from spec.model.decode_fixed import MESSAGE32_BITS, Declared, OutOfBound, decode_words, value_of
from spec.model.encode import Precision, encode, slot_positions
from spec.model.ntt import ntt
from spec.model.packing import pack, unpack
from spec.model.result import Grid

BENCHES = [
    engine("decode-w54p4", __name__, **WHOLE54),
    engine("decode-w54p8-2048", __name__, quick=False, large=True, ModulusWidth=54, Lanes=8,
           MaxLogN=11, TwiddleTables=1, KeyWords=0, Decode=1),
    engine("decode-w61p4-8192", __name__, quick=False, large=True, ModulusWidth=61, Lanes=4,
           MaxLogN=13, TwiddleTables=1, KeyWords=24576, Decode=1),
]
MOST_PRIMES = 3
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
        self.chain = primes(MOST_PRIMES, ring_degree, unit.width)
        self.secret = [random.randrange(-1, 2) for _ in range(ring_degree)]
        self.secret_ntt = [ntt([value % prime for value in self.secret], prime)
                           for prime in self.chain]

    @property
    def prime(self) -> int:
        """The prime of results that have one."""
        return self.chain[0]

    async def prepare(self) -> None:
        """Descriptors and secret key."""
        await self.unit.describe(self.chain, self.ring_degree)
        await self.unit.write_secret(self.secret, self.secret_ntt, self.chain)

    def command(self, magnitude: int, **changes) -> Command:
        """A decoding of the magnitude L."""
        fields = {"opcode": DECODE, "log_degree": self.ring_degree.bit_length() - 1,
                  "suite": self.unit.suite, "shift": MESSAGE32_BITS - magnitude,
                  "secret_ntt": int(self.unit.key_words > 0)}
        return Command(**{**fields, **changes})

    def ciphertext(self, polynomial: list[int], count: int = 1) -> list[int]:
        """Words of c0 and c1 of so many primes, of which c1 is random."""
        words = []
        for prime, secret in zip(self.chain[:count], self.secret_ntt):
            c1 = [random.randrange(prime) for _ in polynomial]
            message = ntt([value % prime for value in polynomial], prime)
            c0 = [(m - a * s) % prime for m, a, s in zip(message, c1, secret)]
            words += interleaved([c0], [c1])
        return words

    async def run(self, polynomial: list[int], magnitude: int, count: int) -> int:
        """Cycles of a decoding of the first primes, whatever its outcome."""
        self.unit.forget()
        command = self.command(magnitude, primes=count)
        return await self.unit.run(command, public=self.ciphertext(polynomial, count),
                                   limit=2_000_000)

    async def decode(self, polynomial: list[int], declared: Declared, count: int = 1) -> int:
        """Cycles of a decoding of the first primes, which must be the model's."""
        taken = await self.run(polynomial, declared.magnitude, count)
        try:
            slots = slots_of(polynomial, declared)
        except OutOfBound:
            await self.refused()
            return taken
        assert self.unit.error == NO_ERROR, f"{declared}: error {self.unit.error}"
        assert self.unit.collected() == self.sent(slots, count), f"{declared}: wrong slots"
        return taken

    def sent(self, slots: list[int], count: int) -> bytes:
        """The bytes of slots, as residues of the last prime."""
        prime = self.chain[count - 1]
        return pack([value % prime for value in slots], prime.bit_length())

    async def refused(self) -> None:
        """The result must have been refused as a whole."""
        assert self.unit.error == OVERFLOW, f"error {self.unit.error}"
        assert not self.unit.collected()
        await self.unit.pulse(self.unit.dut.clear_i)

    def words(self) -> list[int]:
        """The slots' words that came out."""
        found = unpack(self.unit.collected(), self.prime.bit_length())
        return [value - self.prime * (2 * value > self.prime) for value in found]

    def congruent(self, residues: list[int]) -> int:
        """The integer around zero with these residues modulo the first primes."""
        product, value = math.prod(self.chain[:len(residues)]), 0
        for residue, prime in zip(residues, self.chain):
            others = product // prime
            value += residue * others * pow(others, -1, prime)
        return (value + product // 2) % product - product // 2

    def even(self, count: int) -> list[int]:
        """A random polynomial up to half the product of the first primes without an odd part."""
        half, n = math.prod(self.chain[:count]) // 2 - (1 << 40), self.ring_degree
        values = [random.randrange(-half, half) for _ in range(n // 2)]
        return [0, *values[1:], values[0], *values[:0:-1]]

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
async def several_primes(dut):
    """Results of two and three primes at every degree, also with a large even part: its pairs must
    not wrap modulo a prime, which they do with probability 2^-15 at most."""
    for ring_degree in degrees(Engine(dut)):
        case = await prepared(dut, ring_degree)
        for count in range(2, MOST_PRIMES + 1):
            for log2_scale, log2_bound in ((20, 0), *BOUNDS[1:rounds(1, len(BOUNDS))]):
                declared = Declared(ring_degree, 2.0 ** log2_scale, log2_bound)
                polynomial = case.message(log2_scale, log2_bound)
                await case.decode(polynomial, declared, count)
            polynomial = [sum(pair) for pair in zip(polynomial, case.even(count))]
            taken = await case.decode(polynomial, declared, count)
            record(f"ckks-{ring_degree}x{count}-decode", taken)
            dut._log.info("%d, %d primes: %d cycles", ring_degree, count, taken)


def fold_places(n: int) -> list[int]:
    """Coefficients of the first, the last and other pairs of the pre-twist."""
    first_and_last = [n // 8, 0, 3 * n // 8, n // 4]
    return [*first_and_last, 1, n // 2 - 1, n // 4 - 1, n // 4 + 1, random.randrange(2, n // 8)]


@cocotb.test()
async def small_in_one(dut):
    """A difference that is small modulo a prime and not modulo the next, or the reverse, or small
    and another modulo every one, by one unit alone, is none; the next result is decoded."""
    for ring_degree, most in zip(degrees(Engine(dut)), (rounds(2, 9), rounds(0, 2))):
        case = await prepared(dut, ring_degree)
        for number, place in enumerate(fold_places(ring_degree)[:most]):
            await small_in_one_at(case, place, 2 + number % 2)


async def small_in_one_at(case: Decoding, place: int, count: int) -> None:
    """Differences of one coefficient and the next, modulo so many primes."""
    magnitude = random.choice((27, 28))
    declared = Declared(case.ring_degree, 2.0 ** magnitude, 0)
    polynomial, small = case.message(magnitude, 0), random.randrange(-1000, 1000)
    await case.decode(polynomial, declared, count)
    others = [small] * (count - 1)
    for residues in ([*others, small + 1], [*others, small - 1], [*others, 1 << 40],
                     [1 << 40, *others], [small - 1, *others]):
        polynomial[place] = case.congruent(residues)
        if place:
            polynomial[-place] = 0
        await case.decode(polynomial, declared, count)


@cocotb.test()
async def wraps(dut):
    """A difference that is small only modulo the product is refused. So is one whose coefficients
    are on both sides of an odd half of a prime, which the specification accepts; on one side, as
    close to it, it is decoded."""
    case = await prepared(dut, degrees(Engine(dut))[0])
    declared, place = Declared(case.ring_degree, 2.0 ** 20, 0), case.ring_degree // 8
    for count in range(2, 1 + rounds(2, MOST_PRIMES)):
        product = math.prod(case.chain[:count])
        top = product // 2
        polynomial = case.message(20, 0)
        for pair in ((top, -top), (-top, top - 5)):
            polynomial[place], polynomial[-place] = pair
            await case.decode(polynomial, declared, count)
        for prime in case.chain[:count]:
            half = prime * random.randrange(-product // prime // 4, product // prime // 4) + (
                prime // 2)
            polynomial[place], polynomial[-place] = half + 3, half - 2
            slots_of(polynomial, declared)
            await case.run(polynomial, declared.magnitude, count)
            await case.refused()
            for pair in ((half, half - 5), (half + 6, half + 1)):
                polynomial[place], polynomial[-place] = pair
                await case.decode(polynomial, declared, count)


@cocotb.test()
async def equal_cycles(dut):
    """Cycles of several primes do not depend on keys and results."""
    ring_degree, found = degrees(Engine(dut))[0], set()
    for swell in (1, 0, 0.001)[:rounds(2, 3)]:
        case = await prepared(dut, ring_degree)
        declared = Declared(ring_degree, 2.0 ** 20, 0)
        polynomial = [sum(pair) for pair in zip(case.message(20, 0, swell), case.even(3))]
        found.add(await case.decode(polynomial, declared, 3))
    assert len(found) == 1, found


@cocotb.test()
async def aborts_between(dut):
    """Stopped anywhere in the second or third prime; the next one, of another length, compares with
    nothing that is left."""
    case = await prepared(dut, degrees(Engine(dut))[0])
    unit, declared = case.unit, Declared(case.ring_degree, 2.0 ** 20, 0)
    await case.decode(case.message(20, 0), declared, 3)
    whole = await case.decode(case.message(20, 0), declared, 3)
    for count in (1, 2, 3) * rounds(2, 6):
        polynomial = case.message(20, 0)
        unit.forget()
        unit.give(case.command(20, primes=3), public=case.ciphertext(polynomial, 3))
        await unit.stop(random.randrange(whole // 4, whole - 50))
        await case.decode(case.message(20, 0), declared, count)


def differences(dut) -> list[int]:
    """The words of the message memory."""
    return [int(word.value) for half in dut.u_source.gen_half for lane in half.gen_lane
            for word in lane.u_message.memory]


@cocotb.test()
async def zeroised(dut):
    """A zeroise leaves none of the differences that a decoding keeps; one prime keeps none."""
    unit = Engine(dut)
    case = await prepared(dut, degrees(unit)[-1])
    declared = Declared(case.ring_degree, 2.0 ** 28, 0)
    await unit.run(Command(ZEROISE), limit=400_000)
    for count, kept in ((1, False), (2, True)):
        await case.prepare()
        await case.decode(case.message(28, 0), declared, count)
        assert (sum(map(bool, differences(dut))) > case.ring_degree // 4) == kept
        unit.forget()
        await unit.run(Command(ZEROISE), limit=400_000)
        assert unit.error == NO_ERROR and not any(differences(dut))


@cocotb.test()
async def refusals(dut):
    """More than three primes, or none, a magnitude beyond words of 32 bits, no key."""
    case = await prepared(dut, degrees(Engine(dut))[0])
    for changes, error in (({"primes": 4}, PRIMES), ({"primes": 0}, PRIMES),
                           ({"shift": MESSAGE32_BITS + 1}, FORMAT),
                           ({"secret_ntt": int(not case.unit.key_words)}, KEY)):
        await case.unit.run(case.command(20, **changes))
        assert case.unit.error == error and not case.unit.collected()
        await case.unit.pulse(case.unit.dut.clear_i)
