"""isopod_system between a master and a memory that pause, fail, abort and reset: registers, and
encryptions, decryptions and, with a wide build, decodings of the model."""
import random
import struct
from dataclasses import replace
from itertools import count

import cocotb

from rtl.dv.arithmetic import NARROW, key_bits
from rtl.dv.bench import BUILD, Bench, reset, rounds
from rtl.dv.encode.cosines import write_cosines
from rtl.dv.encode.test_decode_long import LONG_BITS
from rtl.dv.streams import always, idle, sometimes
from rtl.dv.top.engine import ABORT as ABORTED
from rtl.dv.top.engine import BUS, DECODE, DECRYPT, LONG, NO_ERROR
from rtl.dv.top.engine import SECRET as SECRET_OPCODE
from rtl.dv.top.slot import encrypt_from
from rtl.dv.top.system import (
    ABORT,
    BUS_ERROR,
    CLEAR,
    DONE,
    MAP,
    REFUSED,
    START,
    System,
    halves,
)
from rtl.dv.top.test_decode import slots_of
from rtl.dv.top.test_engine import Case, decrypted, float_word, interleaved
from rtl.dv.top.test_engine_complex import ComplexCase
from rtl.dv.top.test_engine_robust import computed
from rtl.dv.top.test_precise import PreciseCase
from rtl.sources import is_precise
from spec.model.decode_fixed import MESSAGE32_BITS, Declared
from spec.model.keys import SECRET_NTT, SECRET_TERNARY, blob
from spec.model.packing import pack, unpack

LOG_DEGREE, KEY_WORDS, SECRET = 10, 1024, 2
# log2 of the bound that a decoding in words of 64 bits declares.
WIDER = 18


def bench(name: str, width: int, module: str = __name__, **changes: int) -> Bench:
    """A small system that decrypts, too, and decodes if it is wide."""
    parameters = {"ModulusWidth": width, "Lanes": 4, "MaxLogN": LOG_DEGREE, "TwiddleTables": 1,
                  "KeyWords": KEY_WORDS, "Decrypt": 1, "Decode": int(width != NARROW)} | changes
    parameters["CosineFile"] = f'"{write_cosines(BUILD, parameters["MaxLogN"])}"'
    if is_precise(parameters):
        long = write_cosines(BUILD, parameters["MaxLogN"], 64)
        parameters["LongCosineFile"] = f'"{long}"'
    return Bench(name, "isopod_system", module, parameters, quick=False,
                 width=width)


BENCHES = [bench("system", 32), bench("system-w54", 54, Complex=1),
           bench("system-w54-precise", 54, Precise=1, DecodeLong=1),
           bench("system-ternary", 32, Lanes=1, KeyWords=0)]
SAMPLES_AT, PUBLIC_AT, OUT_AT = 0x1004, 0x10008, 0x40078
OKAY, SLAVE_ERROR = 0, 2
# Beats that may still be in flight when the engine is done: their error sets only
# STATUS.bus_error.
IN_FLIGHT = 64
FAILURES = (("samples", 2), ("public", 1), ("public", 0), ("residues", 2), ("residues", 0))
SHARES = (0.3, 0.7, 1)


class Operation:
    """The small case of the robustness tests in a memory: an encryption by secret (2) or public key
    (1), or the decryption (0), also decoded in words of 32 (3) or 64 bits (6), of one by secret
    key; an encryption of complex slots (4) or of a precise message (5) by secret key; or of a given
    case."""

    def __init__(self, system: System, kind: int, given: tuple | None = None):
        width, words = system.width, system.key_words
        self.case, self.ciphertext, self.expected = given or computed(
            kind if kind in (1, 2) else 2, system.suite, words, width,
            {4: ComplexCase, 5: PreciseCase}.get(kind, Case))
        self.command = self.case.command
        samples, public = [float_word(value) for value in self.case.samples], []
        if kind == 5:
            samples = [word >> shift & 0xFFFFFFFF for word in self.case.words for shift in (0, 32)]
        if kind == 1:
            public = list(self.case.public_words())
        elif kind in (0, 3, 6):
            samples, public = [], interleaved(self.ciphertext.c0, self.ciphertext.c1)
            self.decrypts(kind)
        self.samples, self.public = len(samples), len(public)
        self.words = dict(zip(count(SAMPLES_AT, 4), samples))
        self.words |= dict(zip(count(PUBLIC_AT, 4),
                               (half for word in public for half in halves(word, width))))

    def decrypts(self, kind: int) -> None:
        """Makes it a decryption, or a decoding."""
        self.command = replace(self.command, opcode=DECRYPT, count=0)
        self.expected = decrypted(self.case, self.ciphertext.c0, self.ciphertext.c1)
        if kind in (3, 6):
            shift = (MESSAGE32_BITS if kind == 3 else LONG_BITS - WIDER) - self.case.log2_scale
            self.command = replace(self.command, opcode=DECODE, shift=shift,
                                   sample=self.command.sample if kind == 3 else LONG)
            self.expected = decoded(self.case, self.expected, 0 if kind == 3 else WIDER)

    async def settle(self, system: System) -> None:
        """By secret key: finds the root that the slot made, and what it leads to."""
        if self.command.opcode != SECRET_OPCODE:
            return
        found = await system.made_root(self.seed)
        if found:
            ciphertext = encrypt_from(found, self.case.pair, self.case.message(), SECRET,
                                      system.suite)
            self.expected = self.case.expected_bytes(ciphertext)

    def held(self) -> dict[int, int]:
        """Bytes that the memory must hold afterwards."""
        return {OUT_AT + place: int.from_bytes(self.expected[place:place + 8], "little")
                for place in range(0, len(self.expected), 8)}

    async def begin(self, system: System) -> None:
        """Starts the operation, then writes the seeds and the transfer of all residues."""
        system.reads.words = lambda address: self.words.get(address, 0)
        system.writes.held.clear()
        await system.command(self.command)
        await system.write("SAMPLE_ADDRESS", SAMPLES_AT, self.samples, PUBLIC_AT, self.public)
        await system.write("INTERRUPT_STATE", 7, DONE)
        await system.write("OUT_ADDRESS", OUT_AT)
        await system.write("CONTROL", START)
        if self.command.opcode not in (DECRYPT, DECODE):
            self.seed = self.ciphertext.root.mask_seed
            await system.give_seeds(self.ciphertext.root)
        await system.try_write(MAP["OUT_BEATS"].offset, len(self.expected) // 8)

    async def ended(self, system: System) -> None:
        """Waits for the interrupt."""
        await system.until_interrupt(100_000)

    async def well(self, system: System) -> None:
        """Runs it whole; it must be correct."""
        await self.begin(system)
        await self.ended(system)
        assert await system.error() == NO_ERROR and await system.read("OUT_LEFT") == 0
        await self.settle(system)
        assert system.writes.held == self.held(), "residues"


def decoded(case, polynomial: bytes, log2_bound: int) -> bytes:
    """The slots of a packed polynomial, as the engine sends them."""
    prime, n = case.primes[0], case.parameters.ring_degree
    centred = [value - prime * (2 * value > prime)
               for value in unpack(polynomial, prime.bit_length())]
    declared = Declared(n, 2.0 ** case.log2_scale, log2_bound)
    slots = slots_of(centred, declared)
    if declared.width == 64:
        return struct.pack(f"<{len(slots)}q", *slots)
    return pack([value % prime for value in slots], prime.bit_length())


def kinds(system: System) -> tuple[int, ...]:
    """Operations that this system has."""
    decoding, complex_slots = int(system.dut.Decode.value), int(system.dut.Complex.value)
    precise, long = int(system.dut.Precise.value), int(system.dut.DecodeLong.value)
    return (0, 1, 2, *(3,) * decoding, *(4,) * complex_slots, *(5,) * precise,
            *(6,) * long)


async def prepared(dut, willing=always) -> System:
    """After reset, with descriptor and key."""
    system = System(dut, willing)
    await system.start()
    await load(system)
    return system


async def load(system: System) -> None:
    """Writes descriptor and key."""
    case = computed(SECRET, system.suite, system.key_words, system.width)[0]
    await system.describe(case.primes, case.parameters.ring_degree)
    await system.load(blob(case.pair, SECRET_NTT if system.key_words else SECRET_TERNARY))


@cocotb.test()
async def registers_keep_what_they_should(dut):
    """Registers of every kind keep their values while all channels pause."""
    system = System(dut, sometimes(0.6))
    await system.start()
    for entry in (entry for entry in MAP.values() if entry.kind == "storage"):
        for offset in range(entry.offset, entry.offset + 4 * entry.count, 4):
            value = random.getrandbits(32)
            assert await system.try_write(offset, value) == OKAY
            assert await system.try_write(offset, ~value & 0xFFFFFFFF,
                                          random.randrange(15)) == SLAVE_ERROR, "part of a word"
            assert await system.try_read(offset) == (value & entry.mask, OKAY), entry.name
    await system.write("KEY_LOCK", 1)
    await system.write("KEY_LOCK", 0)
    assert await system.read("KEY_LOCK") == 1, "a lock stays"
    for name in ("NOISE_KEY", "CONTROL"):
        if name == "NOISE_KEY":
            await system.write(name, 0xFFFFFFFF)
        assert await system.read(name) == 0, f"{name} is never read"


@cocotb.test()
async def accesses_are_refused(dut):
    """Accesses to no register, in the wrong direction or at the wrong time are refused; STATUS
    reports it until cleared."""
    system = System(dut, sometimes(0.6))
    await system.start()
    used = {entry.offset + 4 * place for entry in MAP.values() for place in range(entry.count)}
    reads = [offset for offset in random.sample(range(0, 0x800, 4), 40) if offset not in used]
    reads += [MAP[name].offset
              for name in ("KEY_DATA", "KEY_BEGIN", "PRIME", "SAMPLE_DATA", "OUT_LOW",
                           "SPONGE_OUT")]
    writes = [MAP[name].offset
              for name in ("ID", "STATUS", "CYCLES", "OUT_HIGH", "SAMPLE_DATA", "PUBLIC_DATA",
                           "KEY_DATA")]
    for offset in reads:
        assert await system.try_read(offset) == (0, SLAVE_ERROR), hex(offset)
    for offset in writes:
        assert await system.try_write(offset, 1) == SLAVE_ERROR, hex(offset)
    assert await system.read("STATUS") & REFUSED
    await system.write("CONTROL", CLEAR)
    assert not await system.read("STATUS") & REFUSED


@cocotb.test()
async def operations_with_pauses(dut):
    """Encryptions and decryptions give the same bytes under all pauses of memory and master."""
    system = await prepared(dut)
    for kind in kinds(system) * rounds(1, 3):
        willing = sometimes(random.choice(SHARES))
        for side in (system.reads.orders, system.reads.responses, system.writes.orders,
                     system.writes.data, system.writes.responses):
            side.willing = willing
        await Operation(system, kind).well(system)


@cocotb.test()
async def memory_fails(dut):
    """A failure for samples, public key, ciphertext or residues is a bus error until cleared; no
    wrong byte is written, and the next operation is correct."""
    system = await prepared(dut, sometimes(0.8))
    for place, kind in (*FAILURES,) * rounds(1, 3):
        operation = Operation(system, kind)
        if place == "residues":
            system.writes.broken.add(random.choice(list(operation.held())[:-IN_FLIGHT]))
        else:
            at, size = SAMPLES_AT, 4 * operation.samples
        if place == "public":
            at, size = PUBLIC_AT, key_bits(system.width) // 8 * operation.public
        if place != "residues":
            system.reads.broken.add((at + random.randrange(size)) // 8 * 8)
        await operation.begin(system)
        await operation.ended(system)
        await system.until_quiet()
        assert await system.error() == BUS and await system.read("STATUS") & BUS_ERROR, place
        await operation.settle(system)
        assert system.writes.held.items() <= operation.held().items()
        system.reads.broken.clear()
        system.writes.broken.clear()
        await system.write("CONTROL", CLEAR)
        await Operation(system, random.choice(kinds(system))).well(system)


@cocotb.test()
async def abort_and_reset_in_the_middle(dut):
    """Stops at any time: no wrong byte is written, the buses become quiet, and the next operation
    is correct."""
    system = await prepared(dut, sometimes(0.9))
    for action in ("abort", "reset") * rounds(2, 6):
        operation = Operation(system, random.choice(kinds(system)))
        await operation.begin(system)
        await idle(dut, system.sides, random.randrange(1, 2500))
        if action == "abort":
            await system.write("CONTROL", ABORT)
            await system.until_quiet()
            assert await system.error() == ABORTED
            await operation.settle(system)
            await system.write("CONTROL", CLEAR)
        else:
            await reset(dut)
            system = System(dut, system.reads.orders.willing)
            await system.until_quiet()
            await load(system)
        if action == "abort":
            assert system.writes.held.items() <= operation.held().items()
        await Operation(system, random.choice(kinds(system))).well(system)
