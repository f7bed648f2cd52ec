"""Decodings in words of 64 bits on isopod_engine, against the model and the known answers of
spec/vectors/decoding.json, which the C library gives, too."""
import random
import struct
from itertools import product

import cocotb

from rtl.dv.bench import record, rounds
from rtl.dv.streams import always, sometimes
from rtl.dv.top.engine import FORMAT, KEY, LONG, PRIMES, Command, Engine
from rtl.dv.top.test_decode import GRID, PLAN, RECORDS, Decoding
from rtl.dv.top.test_engine import SET64, encrypts_well, engine
from rtl.dv.top.test_precise import PRECISE, LongCase, chain, degrees, worst
from spec.base.parameters import read_sets
from spec.gen.vectors.results import Plan, message, value_digests_of
from spec.model.decode_fixed import MESSAGE32_BITS, Declared, OutOfBound, decode_words, value_of
from spec.model.encode import Precision, encode
from spec.model.result import Grid

LONG_DECODE = PRECISE | {"DecodeLong": 1}
BENCHES = [
    engine("decode-w54p4-precise", __name__, **LONG_DECODE),
    engine("decode-w54p8-precise", __name__, quick=False,
           **LONG_DECODE | {"Lanes": 8, "MaxLogN": 10, "KeyWords": 3072, "Factors": 1}),
    engine("decode-w54p4-precise-8192", __name__, quick=False, large=True,
           **LONG_DECODE | {"MaxLogN": 13}),
]
# L of a command with shift 0, and the range of L with one prime of 54 bits.
LONG_BITS, LEAST, MOST = 58, MESSAGE32_BITS + 1, 52
NOISE = 21


class LongDecoding(Decoding):
    """Results of one prime and more than 28 bits."""

    def command(self, magnitude: int, **changes) -> Command:
        if magnitude <= MESSAGE32_BITS:
            return super().command(magnitude, **changes)
        fields = {"sample": LONG, "shift": LONG_BITS - magnitude}
        return super().command(0, **fields | changes)

    def sent(self, slots: list[int], count: int) -> bytes:
        if self.short:
            return super().sent(slots, count)
        return struct.pack(f"<{len(slots)}q", *slots)

    async def decode(self, polynomial: list[int], declared: Declared, count: int = 1) -> int:
        self.short = declared.width == 32
        return await super().decode(polynomial, declared, count)

    def message(self, log2_scale: int, log2_bound: int, swell: float = 1) -> list[int]:
        """Random slots up to `swell` times the bound, with noise."""
        precision = Precision(self.ring_degree, log2_scale + log2_bound, 0)
        values = [random.uniform(-1, 1) for _ in range(self.ring_degree // 2)]
        return [round(value * swell) + random.randint(-NOISE, NOISE)
                for value in encode(values, precision)]

    def words(self) -> list[int]:
        bytes_ = self.unit.collected()
        return list(struct.unpack(f"<{len(bytes_) // 8}q", bytes_))


async def prepared(dut, ring_degree: int) -> LongDecoding:
    """An engine out of reset with a key."""
    unit = Engine(dut)
    await unit.start()
    case = LongDecoding(unit, ring_degree)
    await case.prepare()
    return case


def sizes(dut) -> list[int]:
    """Ring degrees with an even and an odd logarithm, where both fit."""
    return [1 << log_n for log_n in degrees(Engine(dut))]


@cocotb.test()
async def slots(dut):
    """Random slots at every degree and of several magnitudes, also by turns with those of 32
    bits."""
    for ring_degree in sizes(dut):
        case = await prepared(dut, ring_degree)
        for log2_scale, log2_bound in ((50, 0), (LEAST, 0), (20, 16), (MESSAGE32_BITS, 0),
                                       (51, 1), (60, -20), (45, 2))[:rounds(4, 7)]:
            declared = Declared(ring_degree, 2.0 ** log2_scale, log2_bound)
            taken = await case.decode(case.message(log2_scale, log2_bound), declared)
            dut._log.info("%d, 2^%d 2^%d: %d cycles", ring_degree, log2_scale, log2_bound, taken)
        taken = await case.decode(case.message(50, 0), Declared(ring_degree, 2.0 ** 50, 0))
        record(f"ckks-{ring_degree}-decode-long", taken)


def known(ring_degree: int, prime: int) -> list[tuple[dict, Declared, list[int]]]:
    """Records of a degree within the engine's range, and their messages."""
    names = {entry.name for entry in read_sets() if entry.ring_degree == ring_degree}
    found = []
    for entry in RECORDS:
        scale, = struct.unpack("<d", struct.pack("<Q", entry["scale_bits"]))
        declared = Declared(ring_degree, scale, entry["log2_bound"])
        if entry["width"] == 64 and entry["set"] in names and declared.magnitude <= MOST:
            polynomial = message(ring_degree, Plan(**{name: entry[name] for name in PLAN}))
            if 2 * max(map(abs, polynomial)) < prime:
                found.append((entry, declared, polynomial))
    return found


@cocotb.test()
async def known_answers(dut):
    """Messages of the vectors whose L is within the engine's range, whatever primes they were
    recorded under: the values of their slots in every type."""
    for ring_degree in sizes(dut):
        case = await prepared(dut, ring_degree)
        records = known(ring_degree, case.prime)
        assert records or ring_degree == 1024
        for entry, declared, polynomial in records:
            await case.decode(polynomial, declared)
            words, grid = case.words(), Grid(**{name: entry[name] for name in GRID})
            forms = [[value_of(words[place], declared, form) for place in grid.places]
                     for form in ("f32", "f64", "int")]
            found = value_digests_of(forms)
            assert found == {name: entry[name] for name in found}, entry


@cocotb.test()
async def special_polynomials(dut):
    """Single coefficients, each index class of the pre-twist among them, and worst patterns."""
    case = await prepared(dut, sizes(dut)[0])
    n = case.ring_degree
    places = [0, 1, n // 8, n // 4, 3 * n // 8, n // 2, n - 1, n // 4 - 1, n // 4 + 1]
    for place in places[:rounds(5, len(places))]:
        await case.decode([(index == place) << 48 for index in range(n)],
                          Declared(n, 2.0 ** 50, 0))
    for words in list(worst(n // 2).values())[::rounds(4, 1)]:
        values = [word / (1 << 62) for word in words]
        polynomial = encode(values, Precision(n, 50, 0))
        await case.decode(polynomial, Declared(n, 2.0 ** 50, 0))


@cocotb.test()
async def beyond(dut):
    """Refuses as a whole, by a difference, by a word of the pre-twist or of a pass, by a slot, at
    the ends of the range; the next one is decoded."""
    case = await prepared(dut, sizes(dut)[0])
    n = case.ring_degree
    for bits in (30, 44)[:rounds(1, 2)]:
        declared, limit = Declared(n, 2.0 ** bits, 0), 1 << bits + 2
        for place, value in ((3, limit), (3, limit - 1), (n // 2 + 5, limit), (0, limit // 2),
                             (0, limit // 2 - 1), (n // 4, limit - 1), (n // 2 - 1, -limit),
                             (n // 2 - 1, -limit - 1), (n // 8, limit // 2)):
            await case.decode([value if index == place else 0 for index in range(n)], declared)
        for swell in (3, 1.9, 1.2):
            await case.decode(case.message(bits, 0, swell), declared)
        await case.decode(case.message(bits, 0), declared)


def polynomial_of(n: int, pair: int, values: list[int]) -> list[int]:
    """The folded coefficients of one pair of the pre-twist alone."""
    polynomial = [0] * n
    for place, value in zip((pair, n // 2 - pair, n // 4 - pair, n // 4 + pair), values):
        polynomial[place] = value >> (place == 0)
    return polynomial


@cocotb.test()
async def ends_of_range(dut):
    """Pairs of the pre-twist whose points are about as large as the range allows, or several times
    as large."""
    case = await prepared(dut, sizes(dut)[0])
    n, refused = case.ring_degree, 0
    declared, most = Declared(n, 2.0 ** 40, 0), (1 << 42) - 1
    pairs = (random.randrange(2, n // 8), n // 8 - 1, 1, 0, n // 8)[:rounds(1, 5)]
    rows = [polynomial_of(n, pair, [sign * most for sign in signs]) for pair in pairs
            for signs in product((-1, 1), repeat=4)]
    for _ in range(rounds(8, 60)):
        values = [random.choice((-1, 1)) * random.choice((
            most // 4, most // 5, random.randrange(most // 4))) for _ in range(4)]
        rows.append(polynomial_of(n, random.randrange(n // 8 + 1), values))
    for polynomial in rows:
        try:
            decode_words(polynomial, declared)
        except OutOfBound:
            refused += 1
        await case.decode(polynomial, declared)
    assert 16 <= refused < len(rows), refused


@cocotb.test()
async def pauses_and_aborts(dut):
    """Sides that pause change nothing. Stopped in any of its parts it sends nothing more, and the
    next one is decoded, of 64 bits or of 32."""
    case = await prepared(dut, sizes(dut)[0])
    unit, declared = case.unit, Declared(case.ring_degree, 2.0 ** 48, 0)
    for share in (0.3, 0.7):
        unit.pause(public=sometimes(share), beats=sometimes(share))
        await case.decode(case.message(48, 0), declared)
    unit.pause(always, always, always)
    polynomial = case.message(48, 0)
    whole = await case.decode(polynomial, declared)
    for number in range(rounds(4, 16)):
        unit.forget()
        unit.give(case.command(48), public=case.ciphertext(polynomial))
        await unit.stop(random.randrange(whole // 3, whole - 50))
        bits = (48, 24)[number % 2]
        await case.decode(case.message(bits, 0), Declared(case.ring_degree, 2.0 ** bits, 0))


@cocotb.test()
async def beside_encryptions(dut):
    """Encryptions of words of 64 bits after decodings of these, and the other way round."""
    unit = Engine(dut)
    for log_degree in degrees(unit)[:rounds(1, 2)]:
        case = await prepared(dut, 1 << log_degree)
        entry = chain(case.unit, SET64, log_degree)
        long = LongCase(case.unit, entry, 1, 50, worst(1 << log_degree - 1)["random"])
        for _ in range(2):
            await case.prepare()
            await case.decode(case.message(50, 0), Declared(1 << log_degree, 2.0 ** 50, 0))
            await long.prepare()
            await encrypts_well(long)


@cocotb.test()
async def refusals(dut):
    """Magnitudes out of range, more than one prime, no key."""
    case = await prepared(dut, sizes(dut)[0])
    for changes, error in (({"shift": 5}, FORMAT), ({"shift": 0}, FORMAT), ({"shift": 30}, FORMAT),
                           ({"primes": 2}, PRIMES), ({"primes": 3}, PRIMES),
                           ({"secret_ntt": int(not case.unit.key_words)}, KEY)):
        await case.unit.run(case.command(50, **changes))
        assert case.unit.error == error and not case.unit.collected(), changes
        await case.unit.pulse(case.unit.dut.clear_i)
