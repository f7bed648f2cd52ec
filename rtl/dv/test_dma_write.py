"""isopod_dma_write between an engine that pauses and a memory that pauses and fails."""
import random

import cocotb

from rtl.dv.bench import Bench, reset, rounds, start
from rtl.dv.memory import BEAT_BYTES, Count, WriteMemory
from rtl.dv.streams import Source, always, cycles, idle, sometimes

BENCHES = [Bench("dma-write", "isopod_dma_write", "test_dma_write")]
MEMORY_BYTES = 1 << 20
# Of a burst of 16 beats: its address, and the state between bursts; at the end the queue and the answer.
BURST_CYCLES, LATENCY = 20, 30


class Writer:
    """The module between its two neighbours."""

    def __init__(self, dut, willing=always, broken=()):
        self.dut = dut
        self.memory = WriteMemory(dut, willing, broken)
        self.source = Source(dut.valid_i, dut.ready_o, (dut.beat_i,), willing)
        self.errors, self.done = Count(dut.bus_error_o), Count(dut.done_o)
        self.sides = (self.source, self.memory, self.errors, self.done)
        self.expected: dict[int, int] = {}

    async def begin(self, address: int, beats: int) -> None:
        """One cycle of start_i; the engine has the beats."""
        values = [random.getrandbits(64) for _ in range(beats)]
        self.memory.held.clear()
        self.expected = {address + BEAT_BYTES * place: value for place, value in enumerate(values)}
        self.source.add((value,) for value in values)
        self.done.seen = 0
        self.dut.address_i.value, self.dut.beats_i.value, self.dut.start_i.value = address, beats, 1
        await idle(self.dut, self.sides, 1)
        self.dut.start_i.value = 0

    async def quiet(self, limit: int) -> int:
        """Until every write was answered; the cycles."""
        return await cycles(self.dut, self.sides, lambda: self.dut.busy_o.value == 0, limit)

    async def transfer(self, address: int, beats: int) -> int:
        """A whole one, which must be right and write nothing else."""
        await self.begin(address, beats)
        taken = await self.quiet(100 * beats + 1000)
        assert self.memory.held == self.expected
        assert self.done.seen == 1 and self.dut.left_o.value == 0
        return taken


async def prepared(dut, willing=always, broken=()) -> Writer:
    """After reset."""
    writer = Writer(dut, willing, broken)
    await start(dut, abort_i=0, start_i=0, address_i=0, beats_i=1, beat_i=0, bresp_i=0)
    return writer


def place(beats: int) -> int:
    """An address for so many of them, often near the end of a burst."""
    address = random.randrange(0, MEMORY_BYTES - BEAT_BYTES * beats, BEAT_BYTES)
    return random.choice((address, address // 128 * 128, address // 128 * 128 + 120))


@cocotb.test()
async def without_pauses(dut):
    """Bursts follow one another."""
    writer = await prepared(dut)
    for beats in (1, 2, 15, 16, 17, 1024):
        taken = await writer.transfer(beats % 3 * 128, beats)
        assert taken <= (beats + 15) // 16 * BURST_CYCLES + LATENCY, f"{beats} beats in {taken} cycles"


@cocotb.test()
async def pauses(dut):
    """Of the engine and of the memory."""
    for _ in range(rounds(4, 40)):
        writer = await prepared(dut, sometimes(random.choice((0.1, 0.5, 0.9))))
        for _ in range(4):
            beats = random.choice((1, 3, 32, random.randrange(1, 200)))
            await writer.transfer(place(beats), beats)
        assert writer.errors.seen == 0


@cocotb.test()
async def errors_are_told(dut):
    """And a transfer whose last burst failed is not done."""
    for _ in range(rounds(4, 40)):
        address, beats = place(100), 100
        writer = await prepared(dut, sometimes(0.7), {address + BEAT_BYTES * random.choice((0, 50, beats - 1))})
        await writer.begin(address, beats)
        await writer.quiet(10000)
        assert writer.errors.seen == 1
        last_failed = address + BEAT_BYTES * (beats - 1) in writer.memory.broken
        assert not (last_failed and writer.done.seen), "done after an error"


@cocotb.test()
async def abort_and_reset_in_the_middle(dut):
    """Nothing wrong is ever written, no burst stays open, and the next transfer is right."""
    for action in ("abort", "reset") * rounds(8, 60):
        writer = await prepared(dut, sometimes(random.choice((0.2, 0.6, 1))))
        await writer.begin(place(300), 300)
        await idle(dut, writer.sides, random.randrange(400))
        if action == "abort":
            dut.abort_i.value = 1
            await idle(dut, writer.sides, 1)
            dut.abort_i.value = 0
            writer.source.drop()
            await writer.quiet(4000)
            assert writer.memory.held.items() <= writer.expected.items(), "something else was written"
        else:
            await reset(dut)
            writer = Writer(dut)
        await writer.transfer(place(50), 50)
