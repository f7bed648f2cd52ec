"""isopod_system between a master and a memory that pause, fail, abort and reset: registers, and
encryptions of the model."""
import random
import struct

import cocotb

from rtl.dv.arithmetic import radix
from rtl.dv.bench import BUILD, Bench, reset, rounds
from rtl.dv.encode.cosines import write_cosines
from rtl.dv.streams import always, cycles, idle, sometimes
from rtl.dv.top.engine import ABORT as ABORTED
from rtl.dv.top.engine import BUS, NO_ERROR
from rtl.dv.top.system import ABORT, BUS_ERROR, CLEAR, DONE, MAP, REFUSED, SEEDS, START, System
from rtl.dv.top.test_engine import float_word
from rtl.dv.top.test_engine_robust import expectation

LOG_DEGREE, KEY_WORDS, CHACHA20, SECRET = 10, 1024, 1, 2
BENCHES = [Bench("system", "isopod_system", __name__, {
    "Lanes": 4, "MaxLogN": LOG_DEGREE, "TwiddleTables": 1, "KeyWords": KEY_WORDS,
    "CosineFile": f'"{write_cosines(BUILD, LOG_DEGREE)}"'}, quick=False, seconds=1800)]
SAMPLES_AT, PUBLIC_AT, OUT_AT = 0x1004, 0x10004, 0x40078
OKAY, SLAVE_ERROR = 0, 2
# Beats that may still be in flight when the engine is done: their error sets only
# STATUS.bus_error.
IN_FLIGHT = 64
SHARES = (0.3, 0.7, 1)


class Encryption:
    """The small case of the robustness tests, in a memory."""

    def __init__(self, kind: int):
        self.case, self.ciphertext, self.expected = expectation(kind, CHACHA20, KEY_WORDS)
        samples = [float_word(value) for value in self.case.values]
        public = list(self.case.public_words()) if kind == 1 else []
        self.samples, self.public = len(samples), len(public)
        self.words = {SAMPLES_AT + 4 * place: word for place, word in enumerate(samples)}
        self.words |= {PUBLIC_AT + 4 * place: word for place, word in enumerate(public)}

    def held(self) -> dict[int, int]:
        """Bytes that the memory must hold afterwards."""
        return {OUT_AT + place: int.from_bytes(self.expected[place:place + 8], "little")
                for place in range(0, len(self.expected), 8)}

    async def begin(self, system: System) -> None:
        """Starts the encryption, then writes the seeds and the transfer of all residues."""
        command = self.case.command
        system.reads.words = lambda address: self.words.get(address, 0)
        system.writes.held.clear()
        await system.write("COMMAND",
                           command.opcode | command.log_degree << 4 | command.primes << 8
                           | command.suite << 13 |
                           command.sample << 15 | command.secret_ntt << 17)
        await system.write("ENCODING",
                           command.count | command.shift << 16 | (command.log2_bound & 63) << 24)
        await system.write("SAMPLE_ADDRESS", SAMPLES_AT, self.samples, PUBLIC_AT, self.public)
        await system.write("INTERRUPT_STATE", 7, DONE)
        await system.write("OUT_ADDRESS", OUT_AT)
        await system.write("CONTROL", START)
        await system.write("MASK_SEED", *struct.unpack("<8I", self.ciphertext.root.mask_seed[:32]))
        await system.write("NOISE_KEY", *struct.unpack("<8I", self.ciphertext.root.noise_key))
        await system.write("CONTROL", SEEDS)
        await system.try_write(MAP["OUT_BEATS"].offset, len(self.expected) // 8)

    async def ended(self, system: System) -> None:
        """Waits for the interrupt."""
        await cycles(system.dut, system.sides, lambda: system.dut.interrupt_o.value == 1, 100_000)

    async def well(self, system: System) -> None:
        """Runs a whole encryption, which must be correct."""
        await self.begin(system)
        await self.ended(system)
        assert await system.error() == NO_ERROR and await system.read("OUT_LEFT") == 0
        assert system.writes.held == self.held(), "residues"


async def prepared(dut, willing=always) -> System:
    """After reset, with descriptor and key."""
    system = System(dut, willing)
    await system.start()
    await load(system)
    return system


async def load(system: System) -> None:
    """Writes descriptor and key."""
    case = expectation(SECRET, CHACHA20, KEY_WORDS)[0]
    await system.describe(case.primes, case.parameters.ring_degree)
    prime = case.primes[0]
    await system.write_secret(-value * radix(prime) % prime for value in case.pair.secret_ntt[0])


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
              for name in ("KEY_DATA", "KEY_ADDRESS", "PRIME", "SAMPLE_DATA", "OUT_LOW",
                           "SPONGE_OUT")]
    writes = [MAP[name].offset
              for name in ("ID", "STATUS", "CYCLES", "OUT_HIGH", "SAMPLE_DATA", "PUBLIC_DATA")]
    for offset in reads:
        assert await system.try_read(offset) == (0, SLAVE_ERROR), hex(offset)
    for offset in writes:
        assert await system.try_write(offset, 1) == SLAVE_ERROR, hex(offset)
    assert await system.read("STATUS") & REFUSED
    await system.write("CONTROL", CLEAR)
    assert not await system.read("STATUS") & REFUSED


@cocotb.test()
async def encryptions_with_pauses(dut):
    """Encryptions give the same bytes under all pauses of memory and master."""
    system = await prepared(dut)
    for _ in range(rounds(2, 6)):
        willing = sometimes(random.choice(SHARES))
        for side in (system.reads.orders, system.reads.responses, system.writes.orders,
                     system.writes.data, system.writes.responses):
            side.willing = willing
        await Encryption(random.choice((1, 2))).well(system)


@cocotb.test()
async def memory_fails(dut):
    """A failure for samples, public key or residues is a bus error until cleared; no wrong byte is
    written, and the next encryption is correct."""
    system = await prepared(dut, sometimes(0.8))
    for place, kind in (("samples", 2), ("public", 1), ("residues", 2)) * rounds(1, 3):
        encryption = Encryption(kind)
        if place == "residues":
            system.writes.broken.add(random.choice(list(encryption.held())[:-IN_FLIGHT]))
        else:
            at, count = SAMPLES_AT, encryption.samples
        if place != "samples":
            at, count = PUBLIC_AT, encryption.public
            system.reads.broken.add((at + 4 * random.randrange(count)) // 8 * 8)
        await encryption.begin(system)
        await encryption.ended(system)
        await system.until_quiet()
        assert await system.error() == BUS and await system.read("STATUS") & BUS_ERROR, place
        assert system.writes.held.items() <= encryption.held().items()
        system.reads.broken.clear()
        system.writes.broken.clear()
        await system.write("CONTROL", CLEAR)
        await Encryption(random.choice((1, 2))).well(system)


@cocotb.test()
async def abort_and_reset_in_the_middle(dut):
    """Stops at any time: no wrong byte is written, the buses become quiet, and the next encryption
    is correct."""
    system = await prepared(dut, sometimes(0.9))
    for action in ("abort", "reset") * rounds(2, 6):
        encryption = Encryption(random.choice((1, 2)))
        await encryption.begin(system)
        await idle(dut, system.sides, random.randrange(1, 2500))
        if action == "abort":
            await system.write("CONTROL", ABORT)
            await system.until_quiet()
            assert await system.error() == ABORTED
            await system.write("CONTROL", CLEAR)
        else:
            await reset(dut)
            system = System(dut, system.reads.orders.willing)
            await load(system)
        assert system.writes.held.items() <= encryption.held().items()
        await Encryption(random.choice((1, 2))).well(system)
