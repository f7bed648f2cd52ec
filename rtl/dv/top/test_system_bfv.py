"""BFV encryptions on isopod_system between a master and a memory that pause, fail and are stopped:
the transfers of message and public key by turns, and roots of the slot. And decodings of results
of both primes, between encryptions."""
import itertools
import random
import struct
from dataclasses import replace
from types import SimpleNamespace

import cocotb

from rtl.dv.bench import rounds
from rtl.dv.streams import always, cycles, idle, sometimes
from rtl.dv.top.engine import ABORT as ABORTED
from rtl.dv.top.engine import BUS, DECODE, NO_ERROR, Command, descriptor
from rtl.dv.top.slot import encrypt_from
from rtl.dv.top.system import ABORT, CLEAR, DONE, SEEDS, START, System, halves
from rtl.dv.top.test_bfv import KINDS, Case
from rtl.dv.top.test_decode import slots_of
from rtl.dv.top.test_engine import interleaved
from rtl.dv.top.test_system import bench
from spec.model import wire_codes as wire
from spec.model.decode_fixed import MESSAGE32_BITS, Declared
from spec.model.encode import Precision, encode
from spec.model.keys import SECRET_TERNARY, blob
from spec.model.ntt import ntt
from spec.model.packing import pack
from spec.model.streams import CHACHA20

BENCHES = [bench("system-bfv-w54", 54, __name__, KeyWords=0, XofRounds=2, Factors=3, SharedNoise=1,
                 Bfv=1)]
SAMPLES_AT, PUBLIC_AT, OUT_AT = 0x1004, 0x100008, 0x400078
SECRET_KIND, PUBLIC_KIND = wire.KIND_BFV_SECRET, wire.KIND_BFV_PUBLIC
LIMIT = 200_000
LOG2_SCALE = 24


class Encryption:
    """One encryption of words in a memory."""

    def __init__(self, system: System, case, command: Command):
        self.system, self.case, self.command = system, case, command
        self.samples, self.public = case.words, case.public_words()
        self.expected = case.expected()

    async def begin(self) -> None:
        """Starts it, and the transfer of all residues."""
        system, command = self.system, self.command
        words = dict(zip(itertools.count(SAMPLES_AT, 4), self.samples))
        words |= dict(zip(itertools.count(PUBLIC_AT, 4),
                          (half for word in self.public for half in halves(word, system.width))))
        system.reads.words = lambda address: words.get(address, 0)
        system.writes.held.clear()
        await system.write("COMMAND", command.opcode | command.log_degree << 4
                           | command.primes << 8 | command.suite << 13
                           | command.secret_ntt << 17)
        await system.write("ENCODING", command.count | command.shift << 16
                           | command.log2_bound << 24)
        await system.write("SAMPLE_ADDRESS", SAMPLES_AT, len(self.samples), PUBLIC_AT,
                           len(self.public))
        await system.write("INTERRUPT_STATE", 7, DONE)
        await system.write("OUT_ADDRESS", OUT_AT)
        await system.write("CONTROL", START)
        root = self.case.ciphertext.root
        await system.write("MASK_SEED", *struct.unpack("<8I", root.mask_seed))
        await system.write("NOISE_KEY", *struct.unpack("<8I", root.noise_key))
        await system.write("CONTROL", SEEDS)
        await system.write("OUT_BEATS", len(self.expected) // 8)

    async def ended(self) -> None:
        """Waits for the interrupt."""
        await cycles(self.system.dut, self.system.sides,
                     lambda: self.system.dut.interrupt_o.value == 1, LIMIT)

    async def settle(self) -> None:
        """By secret key: finds the root that the slot made, and what it leads to."""
        if self.case.kind % 2:
            return
        case = self.case
        found = await self.system.made_root(case.ciphertext.root.mask_seed)
        if found and case.level == len(case.parameters.data_primes):
            made = encrypt_from(found, case.pair, case.message, case.kind, CHACHA20)
            self.expected = case.expected(made)

    @property
    def held(self) -> dict[int, int]:
        """Beats that the memory must hold afterwards."""
        return {OUT_AT + place: int.from_bytes(self.expected[place:place + 8], "little")
                for place in range(0, len(self.expected), 8)}

    async def well(self) -> None:
        """Runs it whole; it must be right."""
        await self.begin()
        await self.ended()
        assert await self.system.error() == NO_ERROR and await self.system.read("OUT_LEFT") == 0
        await self.settle()
        assert self.system.writes.held == self.held, self.case.kind


def bfv_case(kind: int, level: int) -> Case:
    """One encryption of BFV."""
    return Case(SimpleNamespace(suite=CHACHA20, key_words=0, max_log_n=10), kind, level)


def encryption(system: System, kind: int, level: int = 2) -> Encryption:
    """One of BFV."""
    case = bfv_case(kind, level)
    return Encryption(system, case, case.command(KINDS[kind], level))


class Decoding(Encryption):
    """A decoding of random slots at both primes instead."""

    def __init__(self, system: System):
        case = bfv_case(PUBLIC_KIND, 2)
        super().__init__(system, case, case.command(DECODE, 2))
        degree = case.degree
        values = [random.uniform(-1, 1) for _ in range(degree // 2)]
        polynomial = encode(values, Precision(degree, LOG2_SCALE, 0))
        c0, c1 = [], []
        for prime, secret in zip(case.primes, case.pair.secret_ntt):
            c1.append([random.randrange(prime) for _ in polynomial])
            sums = ntt([value % prime for value in polynomial], prime)
            c0.append([(m - a * s) % prime for m, a, s in zip(sums, c1[-1], secret)])
        self.samples, self.public = [], interleaved(c0, c1)
        self.command = replace(self.command, shift=MESSAGE32_BITS - LOG2_SCALE)
        last, declared = case.primes[-1], Declared(degree, 2.0 ** LOG2_SCALE, 0)
        self.expected = pack([slot % last for slot in slots_of(polynomial, declared)],
                             last.bit_length())


async def prepared(dut, willing) -> System:
    """After reset, with descriptors and key."""
    system = System(dut, willing)
    await system.start()
    case = bfv_case(SECRET_KIND, 2)
    for number, prime in enumerate(case.parameters.data_primes):
        for word, value in descriptor(prime, case.degree, case.plain).items():
            await system.write_word("PRIME", value, place=32 * number + word)
    await system.load(blob(case.pair, SECRET_TERNARY))
    return system


@cocotb.test()
async def with_pauses(dut):
    """Both kinds of key at both levels, and decodings, under all pauses of memory and master."""
    system = await prepared(dut, always)
    for share in (1, 0.3, 0.7)[:rounds(2, 3)]:
        for side in (system.reads.orders, system.reads.responses, system.writes.orders,
                     system.writes.data, system.writes.responses):
            side.willing = sometimes(share)
        for kind, level in ((PUBLIC_KIND, 2), (SECRET_KIND, 2), (PUBLIC_KIND, 1)):
            await encryption(system, kind, level).well()
            await Decoding(system).well()


@cocotb.test()
async def memory_fails(dut):
    """A failure anywhere in message or public key is a bus error; the next one is right."""
    system = await prepared(dut, sometimes(0.8))
    for _ in range(rounds(2, 6)):
        for at in (SAMPLES_AT, PUBLIC_AT):
            failing = encryption(system, PUBLIC_KIND)
            size = 4 * len(failing.samples) if at == SAMPLES_AT else 8 * len(failing.public)
            system.reads.broken.add((at + random.randrange(size)) // 8 * 8)
            await failing.begin()
            await failing.ended()
            await system.until_quiet()
            assert await system.error() == BUS
            assert system.writes.held.items() <= failing.held.items()
            system.reads.broken.clear()
            await system.write("CONTROL", CLEAR)
            await encryption(system, random.choice((PUBLIC_KIND, SECRET_KIND))).well()


@cocotb.test()
async def aborts(dut):
    """Stopped at any time, the next one is right; KEY_LOCK.decrypt leaves encryption alone."""
    system = await prepared(dut, sometimes(0.9))
    for _ in range(rounds(3, 12)):
        stopped = encryption(system, random.choice((PUBLIC_KIND, SECRET_KIND)))
        await stopped.begin()
        await idle(dut, system.sides, random.randrange(1, 9000))
        await system.write("CONTROL", ABORT)
        await system.until_quiet()
        assert await system.error() in (ABORTED, NO_ERROR)
        await stopped.settle()
        assert system.writes.held.items() <= stopped.held.items()
        await system.write("CONTROL", CLEAR)
        await encryption(system, random.choice((PUBLIC_KIND, SECRET_KIND))).well()
    await system.write("KEY_LOCK", 3)
    for kind in (SECRET_KIND, PUBLIC_KIND):
        await encryption(system, kind).well()
