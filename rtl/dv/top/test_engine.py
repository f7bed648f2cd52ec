"""Whole encryptions on isopod_engine against the model. Slots of the engine are rounded to nearest:
frames of the vectors in those layouts are in test_engine_complex.py."""
import random
import re
import struct
from dataclasses import replace
from itertools import groupby

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from rtl.dv.arithmetic import NARROW, radix
from rtl.dv.bench import BUILD, QUICK, ROOT, Bench
from rtl.dv.encode.cosines import write_cosines
from rtl.dv.top.engine import (
    DECRYPT,
    FLOAT,
    FORWARD,
    INVERSE,
    NO_ERROR,
    PUBLIC,
    SECRET,
    Command,
    Engine,
    packed_rows,
)
from rtl.sources import is_precise
from spec.base.parameters import RingSet, read_sets
from spec.gen.vectors.ciphertexts import SEEDS, source_of
from spec.gen.vectors.inputs import values_of
from spec.model.encode import Precision, encode
from spec.model.encryption import encrypt
from spec.model.keys import KeyPair
from spec.model.ntt import inverse_ntt, ntt


def engine(name: str, module: str = __name__, quick: bool = True, large: bool = False,
           **parameters) -> Bench:
    """A bench of the engine in one configuration."""
    max_log_n = parameters.setdefault("MaxLogN", 12)
    parameters["CosineFile"] = f'"{write_cosines(BUILD, max_log_n)}"'
    if is_precise(parameters):
        parameters["LongCosineFile"] = f'"{write_cosines(BUILD, max_log_n, 64)}"'
    return Bench(f"engine-{name}", "isopod_engine", module, parameters, quick=quick,
                 large=large, width=parameters.get("ModulusWidth", NARROW))


# The engine of 54-bit moduli with everything: one model for several benches.
WHOLE54 = {"ModulusWidth": 54, "Lanes": 4, "MaxLogN": 11, "XofRounds": 2, "TwiddleTables": 1,
           "KeyWords": 0, "Factors": 3, "SharedNoise": 1, "Decode": 1, "Bfv": 1, "Complex": 1}
# The engine of 32-bit moduli with everything, likewise.
WHOLE32 = {"Lanes": 4, "MaxLogN": 11, "TwiddleTables": 1, "KeyWords": 6144, "Complex": 1,
           "Coefficients": 1, "Frame": 1}
BENCHES = [
    engine("w32p4", Lanes=4),
    engine("w32p8", quick=False, Lanes=8, XofRounds=2),
    engine("w32p1", quick=False, Lanes=1, Tiled=1),
    engine("w32p2", quick=False, Lanes=2, Tiled=1),
    engine("w32p4-small", quick=False, Lanes=4, TwiddleTables=1, KeyWords=0, Xof=1),
    engine("w32p1-small", quick=False, large=True, Lanes=1, TwiddleTables=1, KeyWords=0),
    engine("w32p4-16384", quick=False, large=True, Lanes=4, MaxLogN=14, TwiddleTables=1,
           KeyWords=0, Tiled=1),
    engine("w54p4-1024", quick=False, ModulusWidth=54, Lanes=4, MaxLogN=10, XofRounds=2,
           TwiddleTables=1, KeyWords=3072),
    engine("w54p4-resident", **WHOLE54),
    engine("w54p8-1024", quick=False, ModulusWidth=54, Lanes=8, MaxLogN=10, XofRounds=2,
           TwiddleTables=1, KeyWords=0),
    engine("w54p1-1024", quick=False, ModulusWidth=54, Lanes=1, MaxLogN=10, TwiddleTables=2,
           KeyWords=3072, Tiled=1),
    engine("w61p2-1024", quick=False, ModulusWidth=61, Lanes=2, MaxLogN=10, TwiddleTables=1,
           KeyWords=0, Xof=1),
    engine("w54p4", quick=False, large=True, ModulusWidth=54, Lanes=4, MaxLogN=13, XofRounds=2,
           TwiddleTables=1, KeyWords=0, Factors=3, SharedNoise=1),
    engine("w61p4", quick=False, large=True, ModulusWidth=61, Lanes=4, MaxLogN=13, XofRounds=2,
           TwiddleTables=1, KeyWords=24576),
    engine("w54p4-16384", quick=False, large=True, ModulusWidth=54, Lanes=4, MaxLogN=14,
           XofRounds=2, TwiddleTables=1, KeyWords=0, Factors=3, SharedNoise=1),
]
SMALL_SET = "ckks-1024x1-sum"
# Sets of 64-bit primes at other degrees: one prime of SET64, and three of SEAL's.
SET64, SMALL_SET64, LARGE_SET64 = "ckks-8192x3w-sum", "ckks-1024x1w", "ckks-16384x3w"
LARGE_PRIMES = "bfv-16384x8w-seal-default"
DEGREE64, LOG64 = 8192, 13
# The largest scale of messages of 32 bits, and that under 64-bit primes.
LARGEST_SCALE, SCALE64 = 30, 20
# state_e of isopod_sequencer.
STATES = ("Idle", "Check", "Moduli", "Encode", "Describe", "Sum", "Table", "Mask", "Ready",
          "Transform", "Decode", "Drain", "Sweep", "Reset")
PAIRS = {}


def named(unit: Engine, name: str) -> RingSet:
    """A set; one of 64-bit primes that is too large for the engine is tried at its degree."""
    known = {entry.name: entry for entry in read_sets()}
    if name == SMALL_SET64:
        one = known[SET64].data_primes[:1]
        return replace(known[SET64], name=name, ring_degree=1024, data_primes=one)
    if name == LARGE_SET64:
        three = known[LARGE_PRIMES].data_primes[:3]
        return replace(known[SET64], name=name, ring_degree=16384, data_primes=three)
    entry = known[name]
    most = 1 << unit.max_log_n
    if entry.ring_degree <= most:
        return entry
    return replace(entry, name=f"{entry.name} at {most}", ring_degree=most)


def key_pair(unit: Engine, name: str) -> KeyPair:
    """The known answers' key pair of a set, computed once."""
    if name not in PAIRS:
        PAIRS[name] = KeyPair(named(unit, name), SEEDS)
    return PAIRS[name]


def float_word(value: float) -> int:
    return struct.unpack("<I", struct.pack("<f", value))[0]


def sets(unit: Engine) -> list[str]:
    """CKKS sets to try: in the whole run all whose degree and words fit; in the smoke set the
    default one and, with four lanes, one of three primes."""
    if unit.width != NARROW:
        return sets64(unit)
    if QUICK:
        return [SMALL_SET] + ["ckks-4096x3-multiply"] * (unit.lanes == 4 and unit.key_words > 0)
    fitting = [entry for entry in read_sets()
               if entry.scheme == "ckks" and not entry.has_primes64
               and entry.ring_degree <= 1 << unit.max_log_n]
    beyond = 4096 if unit.max_log_n > 12 else 0
    return [entry.name for entry in fitting if entry.ring_degree > beyond]


def sets64(unit: Engine) -> list[str]:
    """CKKS sets of degree 8192 whose 64-bit primes fit; of the degree beyond its own one."""
    if unit.max_log_n > LOG64:
        return [LARGE_SET64]
    entries = [entry for entry in read_sets() if entry.scheme == "ckks" and entry.has_primes64]
    fitting = [entry.name for entry in entries if entry.ring_degree == DEGREE64
               and max(entry.data_primes).bit_length() <= unit.width]
    return fitting[:1] if QUICK else fitting


class Case:
    """One ciphertext of the vectors."""

    def __init__(self, unit: Engine, name: str, kind: int, pattern: str = "random"):
        self.unit, self.pair, self.kind = unit, key_pair(unit, name), kind
        self.parameters = self.pair.parameters
        self.primes = self.parameters.data_primes
        # The engine encodes 32-bit messages only.
        self.log2_scale = min(self.parameters.log2_scale[1],
                              SCALE64 if self.parameters.has_primes64 else LARGEST_SCALE)
        self.precision = Precision(self.parameters.ring_degree, self.log2_scale, 0)
        self.pattern, self.ciphertext = pattern, None
        self.values = values_of(pattern, "f32", self.parameters.ring_degree, 0)

    @property
    def command(self) -> Command:
        log_degree = self.parameters.ring_degree.bit_length() - 1
        return Command(SECRET if self.kind == 2 else PUBLIC, log_degree, len(self.primes),
                       self.unit.suite, FLOAT, 0,
                       self.precision.shift, len(self.values), int(self.unit.key_words > 0))

    @property
    def samples(self) -> list[float]:
        """The samples, number by number."""
        return self.values

    def message(self) -> list[int]:
        """The polynomial of the values."""
        return encode(self.values, self.precision)

    @property
    def source(self):
        """The inputs of the root."""
        return source_of(self.values)

    def expected(self):
        """The ciphertext of the model, computed once."""
        if self.ciphertext is None:
            self.ciphertext = encrypt(self.pair, self.message(), self.source, self.kind,
                                      self.unit.suite)
        return self.ciphertext

    def expected_bytes(self, ciphertext) -> bytes:
        rows = [row for pair in zip(ciphertext.c0, ciphertext.c1)
                for row in pair] if self.kind == 1 else ciphertext.c0
        primes = [prime for prime in self.primes for _ in range(3 - self.kind)]
        return packed_rows(rows, primes)

    def public_words(self):
        rows = zip(self.pair.public_0, self.pair.public_1, self.primes)
        return [value * radix(prime) % prime for *pair, prime in rows for row in pair
                for value in row]

    async def prepare(self):
        await self.unit.describe(self.primes, self.parameters.ring_degree)
        if self.kind == 2:
            await self.unit.write_secret(self.pair.secret, self.pair.secret_ntt, self.primes)

    async def run(self, ciphertext) -> int:
        self.unit.forget()
        self.unit.set_root(ciphertext.root.mask_seed, ciphertext.root.noise_key)
        public = self.public_words() if self.kind == 1 else ()
        return await self.unit.run(self.command, map(float_word, self.samples), public,
                                   limit=2_000_000)


async def encrypts(dut, kind: int) -> None:
    """Encrypts every set twice: twiddles are built, then reused. Under 64-bit primes the second has
    few values."""
    unit = Engine(dut)
    await unit.start()
    for name in sets(unit):
        case = Case(unit, name, kind)
        words = len(case.primes) * case.parameters.ring_degree
        if kind == 2 and 0 < unit.key_words < words:
            continue
        await case.prepare()
        await encrypts_well(case)
        if case.parameters.has_primes64:
            await encrypts_well(Case(unit, name, kind, "short"))
        elif not (QUICK and kind == 1 and len(case.primes) > 1):
            await encrypts_well(case)


async def encrypts_well(case: Case) -> None:
    """Runs a case; the bytes are those of the model."""
    unit, ciphertext = case.unit, case.expected()
    taken = await case.run(ciphertext)
    name = f"{case.parameters.name}, {case.pattern}, kind {case.kind}"
    assert unit.error == NO_ERROR, f"{name}: error {unit.error}"
    assert unit.polynomials() == len(case.primes) * (3 - case.kind)
    assert unit.collected() == case.expected_bytes(ciphertext), f"{name}: wrong bytes"
    unit.dut._log.info("%s: %d cycles", name, taken)


@cocotb.test()
async def secret_key(dut):
    """Kind 2."""
    await encrypts(dut, 2)


@cocotb.test()
async def public_key(dut):
    """Kind 1."""
    await encrypts(dut, 1)


@cocotb.test()
async def resident_secret(dut):
    """NTT(s) stays in its factor buffers until u takes the last one, or another key comes."""
    unit = Engine(dut)
    await unit.start()
    if int(dut.Factors.value) == 1:
        return
    secret, public = (Case(unit, sets(unit)[0], kind) for kind in (2, 1))
    taken = []
    await secret.prepare()
    for case in (secret, secret, public, secret, secret):
        taken.append(await case.run(case.expected()))
        assert unit.collected() == case.expected_bytes(case.expected())
    made, stays, _, last_made, _ = taken
    assert stays == taken[4] and stays < last_made < made, taken
    await secret.prepare()
    again = await secret.run(secret.expected())
    assert unit.collected() == secret.expected_bytes(secret.expected())
    assert again >= made, (again, taken)


async def trace(dut, found: list[int]) -> None:
    """Appends the sequencer's state of every cycle."""
    while True:
        await RisingEdge(dut.clk_i)
        await ReadOnly()
        found.append(int(dut.u_sequencer.state_q.value))


@cocotb.test()
async def states(dut):
    """Cycles of every state of an encryption with four lanes: the tables of rtl/doc/timing.md."""
    unit = Engine(dut)
    await unit.start()
    if unit.lanes != 4 or not unit.key_words or unit.width != NARROW:
        return
    for kind, heading in ((2, "## Secret key"), (1, "## Public key")):
        case = Case(unit, SMALL_SET, kind)
        await case.prepare()
        ciphertext, found = case.expected(), []
        await case.run(ciphertext)  # builds the twiddle table
        tracing = cocotb.start_soon(trace(dut, found))
        await case.run(ciphertext)
        tracing.cancel()
        passed = [(STATES[state], len(list(run))) for state, run in groupby(found) if state]
        dut._log.info("%s: %s", heading, passed)
        assert passed == documented_states(heading)


def documented_states(heading: str) -> list[tuple[str, int]]:
    """States and their cycles in one table of rtl/doc/timing.md."""
    text = (ROOT / "rtl/doc/timing.md").read_text().split(heading)[1].split("\n## ")[0]
    rows = re.findall(r"\| `State(\w+)` \| (\d+) \|", text)
    return [(state, int(cycles)) for state, cycles in rows]


@cocotb.test()
async def transforms(dut):
    """Single forward and inverse NTTs."""
    unit = Engine(dut)
    await unit.start()
    for name in sets(unit):
        parameters = named(unit, name)
        primes, ring_degree = parameters.data_primes, parameters.ring_degree
        await unit.describe(primes, ring_degree)
        number = random.randrange(len(primes))
        words = [random.randrange(primes[number]) for _ in range(ring_degree)]
        for opcode, model in ((FORWARD, ntt), (INVERSE, inverse_ntt)):
            unit.forget()
            command = Command(opcode, ring_degree.bit_length() - 1, number + 1, unit.suite)
            taken = await unit.run(command, words)
            assert unit.error == NO_ERROR
            assert unit.collected() == packed_rows([model(words, primes[number])],
                                                   primes[number:number + 1])
            dut._log.info(f"{name} opcode {opcode}: {taken} cycles")


@cocotb.test()
async def decryptions(dut):
    """c0 + c1 s of every prime, in coefficients, as spec/decryption.md wants it: of ciphertexts of
    the model, and of any residues."""
    unit = Engine(dut)
    await unit.start()
    for name in sets(unit):
        case = Case(unit, name, 2)
        words = len(case.primes) * case.parameters.ring_degree
        if 0 < unit.key_words < words:
            continue
        await case.prepare()
        encrypted = case.expected()
        await decrypts_well(case, encrypted.c0, encrypted.c1)
        rows = [[[random.choice((0, prime - 1, random.randrange(prime)))
                  for _ in range(case.parameters.ring_degree)] for prime in case.primes]
                for _ in range(2)]
        await decrypts_well(case, *rows)


async def decrypts_well(case: Case, c0, c1) -> int:
    """Runs a decryption, which must be the model's."""
    unit = case.unit
    unit.forget()
    command = replace(case.command, opcode=DECRYPT, count=0)
    taken = await unit.run(command, public=interleaved(c0, c1), limit=2_000_000)
    assert unit.error == NO_ERROR, f"{case.parameters.name}: error {unit.error}"
    assert unit.collected() == decrypted(case, c0, c1), f"{case.parameters.name}: wrong polynomial"
    unit.dut._log.info("%s decrypted: %d cycles", case.parameters.name, taken)
    return taken


def decrypted(case: Case, c0, c1) -> bytes:
    """Bytes of c0 + c1 s in coefficients, by the model."""
    sums = [[(a + b * s) % prime for a, b, s in zip(*rows)]
            for *rows, prime in zip(c0, c1, case.pair.secret_ntt, case.primes)]
    return packed_rows([inverse_ntt(row, prime) for row, prime in zip(sums, case.primes)],
                       case.primes)


def interleaved(c0, c1) -> list[int]:
    """Words of the public stream of a decryption: of each prime c0 and c1 by turns."""
    return [word for pair in zip(c0, c1) for words in zip(*pair) for word in words]
