"""BFV on isopod_engine: encode modulo t, encryption and decryption against spec/model and, at
degree 4096, the frames of spec/vectors/primes64.json, which the C library makes, too."""
import json
import random
from dataclasses import replace

import cocotb

from rtl.dv.arithmetic import WIDE
from rtl.dv.bench import ROOT, record, rounds
from rtl.dv.streams import always, sometimes
from rtl.dv.top.engine import (
    BFV_PUBLIC,
    BFV_SECRET,
    DECRYPT,
    FORWARD,
    INVERSE,
    MODULUS,
    NO_ERROR,
    OPCODE,
    OVERFLOW,
    PRIMES,
    PUBLIC,
    SECRET,
    Command,
    Engine,
    descriptor,
    packed_rows,
    plain_descriptor,
)
from rtl.dv.top.test_engine import WHOLE54, encrypts_well, engine, interleaved, sets64
from rtl.dv.top.test_engine import Case as CkksCase
from spec.base.parameters import read_sets
from spec.gen.vectors.ciphertexts import SEEDS, SENDER, described, identity_of, source_of
from spec.gen.vectors.digest import sha3
from spec.gen.vectors.inputs import integers_of
from spec.model import wire_codes as wire
from spec.model.bfv import message, plaintext, round_plain, slot_places, small_message
from spec.model.encryption import Ciphertext, encrypt, recombine
from spec.model.frame import Claims, Encoding, frame
from spec.model.keys import KeyPair
from spec.model.ntt import ntt
from spec.model.packing import unpack, unpack_rows
from spec.model.shapes import SLOTS
from spec.model.streams import CHACHA20

BENCHES = [
    engine("bfv-w54p4", __name__, **WHOLE54),
    engine("bfv-w54p8-1024", __name__, quick=False, large=True, ModulusWidth=54, Lanes=8,
           MaxLogN=10, XofRounds=2, TwiddleTables=1, KeyWords=3072, SharedNoise=1, Bfv=1, Xof=1),
    engine("bfv-w54p4-4096", __name__, quick=False, large=True, ModulusWidth=54, Lanes=4,
           MaxLogN=12, XofRounds=2, TwiddleTables=1, KeyWords=0, Factors=3, SharedNoise=1, Bfv=1),
]
SET, PLAIN_PLACE = "bfv-4096x2w-seal-default", 2
KINDS = {wire.KIND_BFV_PUBLIC: BFV_PUBLIC, wire.KIND_BFV_SECRET: BFV_SECRET}
RECORDS = json.loads((ROOT / "spec/vectors/primes64.json").read_text())["bfv_frames64"]
PAIRS = {}


def pair_of(unit: Engine) -> KeyPair:
    """The known answers' key pair of the set; at a smaller degree if the engine's is smaller."""
    if unit.max_log_n not in PAIRS:
        entry = next(entry for entry in read_sets() if entry.name == SET)
        if unit.max_log_n < entry.log2_degree:
            entry = replace(entry, name=f"{SET} at {unit.max_log_n}",
                            ring_degree=1 << unit.max_log_n)
        PAIRS[unit.max_log_n] = KeyPair(entry, SEEDS)
    return PAIRS[unit.max_log_n]


class Case:
    """One encryption at a level, of numbers by a rule of the vectors."""

    def __init__(self, unit: Engine, kind: int, level: int, rule: str = "u32"):
        self.unit, self.kind, self.level, self.rule = unit, kind, level, rule
        self.pair = pair_of(unit)
        self.parameters = self.pair.parameters
        self.degree, self.plain = self.parameters.ring_degree, self.parameters.plain_modulus
        self.primes = self.parameters.data_primes[:level]
        self.values = integers_of(self.degree, rule, self.plain)
        self.polynomial = plaintext(self.values, self.parameters, SLOTS)
        self.small = small_message(self.polynomial, self.parameters, level)
        self.message = message(self.small, self.parameters, level)
        letter = "I" if rule == "u32" else "i"
        identity = identity_of(self.pair, kind, unit.suite, level)
        source = described(source_of(self.values, letter), identity, self.encoding, letter)
        self.ciphertext = encrypt(self.pair, self.message, source, kind, unit.suite, level)

    @property
    def encoding(self) -> Encoding:
        """The description of the values in the frame."""
        return Encoding(0, self.degree, 1, Claims(self.plain // 2))

    @property
    def words(self) -> list[int]:
        """The message as the engine takes it, for every prime."""
        return [value % self.plain for value in self.small] * self.level

    def command(self, opcode: int, primes: int) -> Command:
        """Any operation of this degree."""
        return Command(opcode, self.degree.bit_length() - 1, primes, self.unit.suite,
                       secret_ntt=int(self.unit.key_words > 0))

    async def prepare(self) -> None:
        """Descriptors of the primes and, behind them, of t; the key."""
        chain = self.parameters.data_primes
        await self.unit.describe(chain, self.degree, self.plain)
        scale = -self.parameters.at_level(self.level).modulus % self.plain
        for word, value in plain_descriptor(self.plain, self.degree, scale).items():
            await self.unit.write_word(PLAIN_PLACE, word, value)
        await self.unit.write_secret(self.pair.secret, self.pair.secret_ntt, chain)

    def public_words(self) -> list[int]:
        """The public key's words up to the level."""
        if self.kind == wire.KIND_BFV_SECRET:
            return []
        rows = zip(self.primes, self.pair.public_0, self.pair.public_1)
        return [(value << WIDE) % prime for prime, *pair in rows for row in pair for value in row]

    def expected(self, ciphertext=None) -> bytes:
        """The bytes of a ciphertext, by default of this one."""
        found = ciphertext or self.ciphertext
        if self.kind == wire.KIND_BFV_SECRET:
            return packed_rows(found.c0, self.primes)
        rows = [row for pair in zip(found.c0, found.c1) for row in pair]
        return packed_rows(rows, [prime for prime in self.primes for _ in range(2)])

    async def run(self) -> int:
        """Cycles of the encryption, whose bytes must be the model's."""
        self.unit.forget()
        self.unit.set_root(self.ciphertext.root.mask_seed, self.ciphertext.root.noise_key)
        taken = await self.unit.run(self.command(KINDS[self.kind], self.level), self.words,
                                    self.public_words(), limit=1_000_000)
        assert self.unit.error == NO_ERROR, self.unit.error
        assert self.unit.collected() == self.expected(), f"kind {self.kind}, level {self.level}"
        return taken

    def framed(self) -> bytes:
        """The frame of the engine's residues."""
        each = 2 if self.kind == wire.KIND_BFV_PUBLIC else 1
        primes = [prime for prime in self.primes for _ in range(each)]
        rows = unpack_rows(self.unit.collected(), primes, self.degree)
        c0, c1 = rows[::each], rows[each - 1::each]
        made = Ciphertext(self.kind, self.unit.suite, self.ciphertext.root, c0, c1)
        return b"".join(frame(self.pair, made, SENDER, self.encoding))

    def recorded(self) -> str:
        """The digest of the frame in the vectors."""
        wanted = {"set": SET, "kind": self.kind, "suite": self.unit.suite, "numbers": self.rule,
                  "level": self.level, "layout": SLOTS, "count": self.degree, "interleave": 1}
        return next(entry["sha3"] for entry in RECORDS
                    if all(entry[name] == value for name, value in wanted.items()))


async def ready(dut) -> Engine:
    """An engine out of reset."""
    unit = Engine(dut)
    await unit.start()
    return unit


def cases(unit: Engine) -> list[Case]:
    """Both kinds of key at the full level, and at the first one."""
    return [Case(unit, kind, level, rule) for level, rule in ((2, "u32"), (1, "s32"))
            for kind in KINDS]


@cocotb.test()
async def encryptions(dut):
    """Both kinds of key at both levels, each twice; the frames of the vectors."""
    unit = await ready(dut)
    for case in cases(unit):
        await case.prepare()
        for _ in range(2):
            taken = await case.run()
        name = "sym" if case.kind == wire.KIND_BFV_SECRET else "pk"
        record(f"bfv-{case.degree}x{case.level}-{name}", taken)
        dut._log.info("kind %d, level %d: %d cycles", case.kind, case.level, taken)
        if case.parameters.name == SET:
            assert sha3(case.framed()) == case.recorded()


@cocotb.test()
async def encodes(dut):
    """The message of slots by an inverse transform modulo t: the words that an encryption takes."""
    unit = await ready(dut)
    for level in (2, 1):
        case = Case(unit, wire.KIND_BFV_SECRET, level)
        await case.prepare()
        slots = [0] * case.degree
        for value, place in zip(case.values, slot_places(case.degree)):
            slots[place] = value % case.plain
        unit.forget()
        await unit.run(case.command(INVERSE, PLAIN_PLACE + 1), slots, limit=200_000)
        assert unit.error == NO_ERROR
        assert unpack(unit.collected(), 25) == case.words[:case.degree]


@cocotb.test()
async def decryptions(dut):
    """The polynomial of every prime, and the slots by a transform modulo t."""
    unit = await ready(dut)
    for level in (2, 1):
        case = Case(unit, wire.KIND_BFV_PUBLIC, level)
        await case.prepare()
        unit.forget()
        await unit.run(case.command(DECRYPT, level),
                       public=interleaved(case.ciphertext.c0, case.ciphertext.c1), limit=400_000)
        rows = unpack_rows(unit.collected(), case.primes, case.degree)
        noisy = recombine(rows, case.primes)
        found = round_plain(noisy, case.parameters, level)
        assert found == case.polynomial
        unit.forget()
        await unit.run(case.command(FORWARD, PLAIN_PLACE + 1), found, limit=200_000)
        transformed = unpack(unit.collected(), 25)
        assert [transformed[place] for place in slot_places(case.degree)] == [
            value % case.plain for value in case.values]


@cocotb.test()
async def public_keys(dut):
    """The public half of a pair of either scheme is an encryption of zero under its secret."""
    unit = await ready(dut)
    if unit.suite != CHACHA20:
        return
    case = Case(unit, wire.KIND_BFV_SECRET, 2)
    await case.prepare()
    unit.set_root(SEEDS.mask_seed, SEEDS.noise_key)
    for opcode, words in ((SECRET, ()), (BFV_SECRET, [0] * len(case.words))):
        unit.forget()
        await unit.run(case.command(opcode, 2), words, limit=400_000)
        assert unit.error == NO_ERROR
        assert unit.collected() == packed_rows(case.pair.public_0, case.primes)


@cocotb.test()
async def transforms(dut):
    """Transforms modulo plaintext moduli of all lengths that a batch of this degree has."""
    unit = await ready(dut)
    degree = 1 << min(unit.max_log_n, 12)
    plains = (40961, 1032193, 67043329, 65537, 786433, 33538049)
    for plain in plains[:rounds(2, 6)]:
        for word, value in plain_descriptor(plain, degree, 1).items():
            await unit.write_word(0, word, value)
        slots = [random.randrange(plain) for _ in range(degree)]
        command = Command(FORWARD, degree.bit_length() - 1, 1, unit.suite)
        unit.forget()
        await unit.run(command, slots, limit=200_000)
        assert unit.error == NO_ERROR, plain
        bits = max(25, plain.bit_length())
        transformed = unpack(unit.collected(), bits)
        assert transformed == ntt(slots, plain), plain
        unit.forget()
        await unit.run(replace(command, opcode=INVERSE), transformed, limit=200_000)
        assert unpack(unit.collected(), bits) == slots, plain


@cocotb.test()
async def after_another(dut):
    """Encryptions of both schemes and keys, one after the other."""
    unit = await ready(dut)
    secret, public = (Case(unit, kind, 2) for kind in (wire.KIND_BFV_SECRET, wire.KIND_BFV_PUBLIC))
    ckks = {kind: CkksCase(unit, sets64(unit)[0], kind) for kind in (1, 2)}
    if ckks[1].parameters.ring_degree * 3 > unit.key_words > 0:
        return
    for case in (secret, public, ckks[2], public, ckks[1], secret, ckks[2], secret):
        await case.prepare()
        if case in (secret, public):
            await case.run()
        else:
            await encrypts_well(case)


@cocotb.test()
async def pauses(dut):
    """Sides that pause change nothing."""
    unit = await ready(dut)
    for share in (0.3, 0.7)[:rounds(1, 2)]:
        for case in cases(unit)[:2]:
            await case.prepare()
            unit.pause(sometimes(share), sometimes(share), sometimes(share))
            await case.run()
    unit.pause(always, always, always)


@cocotb.test()
async def aborts(dut):
    """Stopped anywhere it sends nothing more, and the next one is right."""
    unit = await ready(dut)
    for case in cases(unit)[:2]:
        await case.prepare()
        await case.run()
        whole = await case.run()
        for _ in range(rounds(1, 12)):
            unit.forget()
            unit.give(case.command(KINDS[case.kind], case.level), case.words, case.public_words())
            await unit.stop(random.randrange(10, whole - 50))
            await case.run()


@cocotb.test()
async def equal_cycles(dut):
    """The number of cycles is the same whatever noise and message are."""
    unit = await ready(dut)
    for kind in KINDS:
        case, taken = Case(unit, kind, 2), set()
        await case.prepare()
        await case.run()
        root = case.ciphertext.root
        for _ in range(rounds(2, 6)):
            unit.forget()
            unit.set_root(root.mask_seed, random.randbytes(32))
            words = [random.randrange(case.plain) for _ in case.words]
            taken.add(await unit.run(case.command(KINDS[kind], 2), words, case.public_words(),
                                     limit=200_000))
        assert len(taken) == 1, taken


@cocotb.test()
async def refusals(dut):
    """Words beyond t, more words than there is room for, a plaintext modulus among the primes."""
    unit = await ready(dut)
    case = Case(unit, wire.KIND_BFV_SECRET, 2)
    await case.prepare()
    for place in (0, case.degree - 1, 2 * case.degree - 1):
        unit.forget()
        words = [case.plain if index == place else 0 for index in range(2 * case.degree)]
        await unit.run(case.command(BFV_SECRET, 2), words, limit=200_000)
        assert unit.error == OVERFLOW
        await unit.pulse(dut.clear_i)
    most = min(16, (1 << 15) // case.degree)
    for changes, error in (({"primes": most + 1}, PRIMES),
                           ({"primes": PLAIN_PLACE + 1, "opcode": BFV_PUBLIC}, MODULUS),
                           ({"primes": PLAIN_PLACE + 1, "opcode": PUBLIC}, MODULUS),
                           ({"opcode": 10}, OPCODE)):
        unit.forget()
        await unit.run(replace(case.command(BFV_SECRET, 2), **changes))
        assert unit.error == error and not unit.collected(), (changes, unit.error)
        await unit.pulse(dut.clear_i)
    prime = case.primes[1]
    for word, value in ((3, 0), (3, prime), (3, 2 * prime), (4, 0)):
        await case.prepare()
        before = descriptor(prime, case.degree, case.plain)[word]
        await unit.write_word(1, word, value)
        await unit.write_secret(case.pair.secret, case.pair.secret_ntt, case.parameters.data_primes)
        unit.forget()
        await unit.run(case.command(BFV_SECRET, 2), case.words, limit=200_000)
        assert unit.error == MODULUS and value != before, (word, unit.error)
        assert int(dut.error_prime_o.value) == 1 and unit.polynomials() <= 1
        await unit.pulse(dut.clear_i)
    await case.prepare()
    await case.run()
