"""Frames of coefficients on isopod_engine against spec/model and the digests of
spec/vectors/rounded.json, which the C library gives, too."""
import json
import random
from dataclasses import replace
from types import SimpleNamespace

import cocotb

from rtl.dv.arithmetic import radix
from rtl.dv.bench import QUICK, ROOT, record, rounds
from rtl.dv.streams import always, sometimes
from rtl.dv.top.engine import (
    COEFFICIENTS_PUBLIC,
    COEFFICIENTS_SECRET,
    FORMAT,
    KEY,
    NO_ERROR,
    OPCODE,
    OVERFLOW,
    Command,
    Engine,
)
from rtl.dv.top.test_engine import WHOLE32, encrypts_well, engine, key_pair
from rtl.dv.top.test_engine import Case as CkksCase
from spec.gen.vectors.ciphertexts import SENDER, described, identity_of, source_of
from spec.gen.vectors.digest import sha3
from spec.gen.vectors.rounded import FRAMES, ROW_NAME, frame_values, message_of
from spec.model.encryption import encrypt
from spec.model.frame import Claims, Encoding, frame
from spec.model.ntt import inverse_ntt
from spec.model.rounding import Rounding, coefficients, packed, payload, spread
from spec.model.shapes import COEFFICIENTS_ROUNDED

BENCHES = [
    engine("coefficients-w32p4", __name__, **WHOLE32),
    engine("coefficients-w32p4-small", __name__, quick=False, Lanes=4, MaxLogN=11, KeyWords=0,
           TwiddleTables=1, Coefficients=1, Decrypt=0, Xof=1),
    engine("coefficients-w32p1", __name__, quick=False, Lanes=1, MaxLogN=11, KeyWords=2048,
           TwiddleTables=1, Tiled=1, Coefficients=1),
    engine("coefficients-w32p8", __name__, quick=False, Lanes=8, MaxLogN=11, KeyWords=0,
           XofRounds=2, Factors=2, Coefficients=1),
]
OPCODES = {1: COEFFICIENTS_PUBLIC, 2: COEFFICIENTS_SECRET,
           3: COEFFICIENTS_PUBLIC, 4: COEFFICIENTS_SECRET}
RECORDS = json.loads((ROOT / "spec/vectors/rounded.json").read_text())["rounded_frames"]
SMALL_SET = "ckks-1024x1-sum"
BLOCK = 64            # coefficients that end with a whole beat
LIMIT = 200_000


class Case:
    """One frame's ciphertext: of a set, a plan of the vectors and a kind of key."""

    def __init__(self, unit: Engine, name: str, plan, kind: int):
        self.unit, self.plan, self.kind = unit, plan, kind
        self.pair = key_pair(unit, name)
        self.parameters = self.pair.parameters
        self.degree, self.level = self.parameters.ring_degree, plan.level
        self.primes = self.parameters.data_primes[:self.level]
        values = frame_values(self.parameters, plan)
        self.message = message_of(self.parameters, plan,
                                  spread(values, plan.rows.places, self.degree))
        letter = {"f32": "f", "i32": "i", "s32": "i", "u32": "I"}[plan.numbers]
        self.dropped = plan.public if kind % 2 else (plan.secret, 0)
        identity = identity_of(self.pair, kind, unit.suite, self.level)
        source = described(source_of(values, letter), identity, self.encoding, letter)
        self.ciphertext = encrypt(self.pair, self.message, source, kind, unit.suite, self.level)

    @property
    def encoding(self) -> Encoding:
        """The description of the values in the frame."""
        bound, rows = self.plan.log2_bound, self.plan.rows
        if self.parameters.scheme == "bfv":
            bound = self.parameters.plain_modulus // 2
        claims = Claims(bound, rows.stride, 1, ROW_NAME)
        return Encoding(self.plan.log2_scale, rows.count, 1, claims, COEFFICIENTS_ROUNDED,
                        Rounding(rows.run, self.dropped))

    @property
    def is_rounded(self) -> bool:
        """True with one prime: the engine rounds, and sends what the frame has."""
        return self.level == 1

    @property
    def count(self) -> int:
        """Coefficients of c0 that leave."""
        rows = self.plan.rows
        assert rows.run == rows.stride or rows.rows == 1
        return rows.rows * rows.run if self.is_rounded else self.degree

    @property
    def words(self) -> list[int]:
        """The message as the engine takes it, for every prime."""
        if self.is_rounded:
            return [value & 0xFFFFFFFF for value in self.message[:self.count]]
        return [value % prime for prime in self.primes for value in self.message]

    @property
    def command(self) -> Command:
        """The command of this ciphertext."""
        d0, d1 = self.dropped_inside
        count = self.count if self.count < self.degree else 0
        return Command(OPCODES[self.kind], self.degree.bit_length() - 1, self.level,
                       self.unit.suite, shift=d0, log2_bound=d1, count=count,
                       secret_ntt=int(self.unit.key_words > 0))

    async def prepare(self) -> None:
        """Descriptors and secret key."""
        chain = self.parameters.data_primes
        await self.unit.describe(chain, self.degree)
        if self.kind % 2 == 0:
            await self.unit.write_secret(self.pair.secret, self.pair.secret_ntt, chain)

    def public_words(self) -> list[int]:
        """The public key's words up to the level."""
        if self.kind % 2 == 0:
            return []
        rows = zip(self.primes, self.pair.public_0, self.pair.public_1)
        return [value * radix(prime) % prime for prime, *pair in rows for row in pair
                for value in row]

    def expected(self, ciphertext=None) -> bytes:
        """The bytes of a ciphertext, by default of this one: polynomial by polynomial, each to the
        end of a beat."""
        found = ciphertext or self.ciphertext
        parts = []
        for number, prime in enumerate(self.primes):
            rows = [found.c0[number]] + [found.c1[number]] * (self.kind % 2)
            for row, dropped, count in zip(rows, self.dropped_inside, (self.count, self.degree)):
                sent = inverse_ntt(row, prime)[:count]
                data = packed(sent, prime, dropped)
                whole = -(-count // BLOCK) * BLOCK * (prime.bit_length() - dropped) // 8
                parts.append(data.ljust(whole, b"\0"))
        return b"".join(parts)

    @property
    def dropped_inside(self) -> tuple[int, int]:
        """Bits that the engine drops of both polynomials."""
        return self.dropped if self.is_rounded else (0, 0)

    async def run(self) -> int:
        """Cycles of the encryption, whose bytes must be the model's."""
        unit, root = self.unit, self.ciphertext.root
        unit.forget()
        unit.set_root(root.mask_seed, root.noise_key)
        taken = await unit.run(self.command, self.words, self.public_words(), limit=LIMIT)
        name = f"{self.parameters.name}, kind {self.kind}, {self.plan}"
        assert unit.error == NO_ERROR, f"{name}: error {unit.error}"
        assert unit.polynomials() == self.level * (1 + self.kind % 2), name
        assert unit.collected() == self.expected(), f"{name}: wrong bytes"
        return taken

    def framed(self) -> str:
        """The digest of the frame that the engine's bytes make."""
        places = range(self.count)
        wanted = payload(self.ciphertext, self.primes, places, self.dropped)
        bits = self.primes[0].bit_length()
        sizes = [(count * (bits - dropped) + 7) // 8
                 for count, dropped in zip((self.count, self.degree), self.dropped)]
        data = self.unit.collected()
        second = -(-self.count // BLOCK) * BLOCK * (bits - self.dropped[0]) // 8
        sent = data[:sizes[0]] + (data[second:second + sizes[1]] if self.kind % 2 else b"")
        assert sent == wanted
        part, = frame(self.pair, self.ciphertext, SENDER, self.encoding)
        return sha3(part)

    def recorded(self) -> str:
        """The digest of the frame in the vectors."""
        rows = self.plan.rows
        wanted = {"set": self.parameters.name, "kind": self.kind, "suite": self.unit.suite,
                  "level": self.level, "rows": rows.rows, "columns": rows.columns,
                  "dropped_0": self.dropped[0], "log2_scale": self.plan.log2_scale}
        return next((entry["sha3"] for entry in RECORDS
                     if all(entry[name] == value for name, value in wanted.items())), None)


def fits(unit: Engine, name: str, kind: int) -> bool:
    """True if the key slot has room for the key."""
    parameters = key_pair(unit, name).parameters
    return kind % 2 == 1 or not 0 < unit.key_words < (
        len(parameters.data_primes) * parameters.ring_degree)


def cases(unit: Engine) -> list[Case]:
    """Frames of the vectors whose rows leave no gaps, of both schemes and kinds of key, with one
    prime and two."""
    names = [SMALL_SET, "ckks-2048x1-air", "bfv-2048x1-count", "ckks-2048x2-air",
             "bfv-2048x2-air"]
    found = []
    for name in names[:2] + names[3:4] if QUICK else names:
        kinds = (2, 1) if name.startswith("ckks") else (4, 3)
        plans = [plan for plan in FRAMES[name]
                 if plan.rows.run == plan.rows.stride or plan.rows.rows == 1]
        found += [Case(unit, name, plan, kind) for plan in plans[:rounds(1, 9)] for kind in kinds
                  if fits(unit, name, kind)]
    return found


async def ready(dut) -> Engine:
    """An engine out of reset."""
    unit = Engine(dut)
    await unit.start()
    return unit


@cocotb.test()
async def encryptions(dut):
    """Both kinds of key, each twice in the whole run; frames of one prime equal the vectors'."""
    unit = await ready(dut)
    recorded = 0
    for case in cases(unit):
        await case.prepare()
        for _ in range(rounds(1, 2)):
            taken = await case.run()
        dut._log.info("%s, kind %d, %d of %d: %d cycles", case.parameters.name, case.kind,
                      case.count, case.degree, taken)
        key = "pk" if case.kind % 2 else "sym"
        record(f"{case.parameters.name}-coefficients-{case.count}-{key}", taken)
        if case.is_rounded and case.recorded():
            recorded += 1
            assert case.framed() == case.recorded()
    assert recorded or unit.suite != 1


@cocotb.test()
async def two_primes(dut):
    """Residues of two primes are those whose coefficients modulo their product software rounds."""
    unit = await ready(dut)
    name = "ckks-2048x2-air"
    case = Case(unit, name, FRAMES[name][0], 1)
    await case.prepare()
    await case.run()
    rows = [inverse_ntt(row, prime) for row, prime in zip(case.ciphertext.c0, case.primes)]
    joined = coefficients(case.ciphertext.c0, case.primes)
    assert all(value % prime == row[place] for prime, row in zip(case.primes, rows)
               for place, value in enumerate(joined))


def small(unit: Engine, kind: int, dropped=(4, 1), count: int = 100) -> Case:
    """A case of degree 1024 with other numbers of bits and coefficients."""
    plan = FRAMES[SMALL_SET][1]
    rows = replace(plan.rows, columns=count, stride=count, run=count)
    return Case(unit, SMALL_SET,
                replace(plan, rows=rows, secret=dropped[0], public=dropped), kind)


@cocotb.test()
async def roundings(dut):
    """Every number of dropped bits, and counts around whole beats."""
    unit = await ready(dut)
    numbers = [(d, 15 - d) for d in range(16)]
    for index, dropped in enumerate(random.sample(numbers, rounds(4, 16))):
        for kind in (1, 2):
            count = (1, 63, 64, 65, 128, 1000, 1023, 1024)[index % 8]
            case = small(unit, kind, dropped, count)
            await case.prepare()
            await case.run()


@cocotb.test()
async def extreme_messages(dut):
    """Words at either end of their range; the sum is reduced once. Beyond it nothing is right,
    which is an error, and the next one is encrypted."""
    unit = await ready(dut)
    for kind in (2, 1):
        case = small(unit, kind, (3, 2), 200)
        await case.prepare()
        prime = case.primes[0]
        plain = case.message
        ends = [random.choice((-prime, 1 - prime, prime - 1, 0)) for _ in plain[:200]]
        case.message = ends + [0] * (case.degree - 200)
        values = ends + plain[200:]
        case.ciphertext = encrypt(case.pair, case.message, source_of([0.0], "f"), kind, unit.suite)
        assert len(values) == case.degree
        await case.run()
        for place in (0, 199):
            for value in (prime, -prime - 1, 1 << 30, -(1 << 31)):
                bad = [value & 0xFFFFFFFF if index == place else word
                       for index, word in enumerate(case.words)]
                unit.forget()
                await unit.run(case.command, bad, case.public_words(), limit=LIMIT)
                assert unit.error == OVERFLOW, (place, value)
                await unit.pulse(dut.clear_i)
        await case.run()


@cocotb.test()
async def after_another(dut):
    """After other encryptions of either kind, and before them."""
    unit = await ready(dut)
    ours = {kind: small(unit, kind) for kind in (1, 2)}
    others = {kind: CkksCase(unit, SMALL_SET, kind) for kind in (1, 2)}
    await ours[2].prepare()
    for case in (ours[2], others[2], ours[1], others[1], ours[2], ours[1], ours[1], others[2],
                 ours[2]):
        if case in ours.values():
            await case.run()
        else:
            await encrypts_well(case)


@cocotb.test()
async def pauses(dut):
    """Sides that pause change nothing."""
    unit = await ready(dut)
    for share in (0.3, 0.7)[:rounds(1, 2)]:
        for kind in (1, 2):
            case = small(unit, kind, (7, 3), 300)
            await case.prepare()
            unit.pause(sometimes(share), sometimes(share), sometimes(share))
            await case.run()
    unit.pause(always, always, always)


@cocotb.test()
async def aborts(dut):
    """Stopped anywhere it sends nothing more, and the next one is right."""
    unit = await ready(dut)
    for kind in (1, 2):
        case = small(unit, kind)
        await case.prepare()
        await case.run()
        whole = await case.run()
        for _ in range(rounds(4, 16)):
            unit.forget()
            unit.give(case.command, case.words, case.public_words())
            await unit.stop(random.randrange(10, whole - 50))
            await case.run()


@cocotb.test()
async def equal_cycles(dut):
    """The number of cycles is the same whatever key, message and noise of the same length are."""
    unit = await ready(dut)
    case, taken = small(unit, 2), set()
    await case.prepare()
    await case.run()
    root = case.ciphertext.root
    for _ in range(rounds(2, 6)):
        secret = [random.randrange(-1, 2) for _ in range(case.degree)]
        pair = SimpleNamespace(secret=secret, secret_ntt=None)
        await unit.write_secret(pair.secret, case.pair.secret_ntt, case.primes)
        unit.forget()
        unit.set_root(root.mask_seed, random.randbytes(32))
        words = [random.randrange(1 << 20) for _ in case.words]
        taken.add(await unit.run(case.command, words, limit=LIMIT))
    assert len(taken) == 1, taken


@cocotb.test()
async def refusals(dut):
    """Too many dropped bits or coefficients, rounding of two primes, no key of the form; without
    the parameter the opcode is unknown, which the benches of other engines check."""
    unit = await ready(dut)
    case = small(unit, 2)
    await case.prepare()
    two = {"primes": 2}
    for changes, error in (({"shift": 16}, FORMAT), ({"log2_bound": 16}, FORMAT),
                           ({"log2_bound": -1}, FORMAT), ({"count": case.degree + 1}, FORMAT),
                           ({"suite": 3 - unit.suite}, FORMAT),
                           ({**two, "opcode": COEFFICIENTS_PUBLIC}, FORMAT),
                           ({**two, "opcode": COEFFICIENTS_PUBLIC, "shift": 0, "log2_bound": 0},
                            FORMAT),
                           ({"secret_ntt": int(not unit.key_words)}, KEY),
                           ({"log_degree": 11}, KEY), ({"opcode": 13}, OPCODE)):
        unit.forget()
        await unit.run(replace(case.command, **changes))
        assert unit.error == error and not unit.collected(), (changes, unit.error)
        await unit.pulse(dut.clear_i)
    await case.run()
