"""isopod_dma_write between an engine that pauses and a memory that pauses and fails."""
import random

import cocotb

from rtl.dv.bench import Bench, reset, rounds, start
from rtl.dv.bus import transfers
from rtl.dv.bus.memory import BEAT_BYTES, Count, WriteMemory
from rtl.dv.streams import Source, always, idle, sometimes

BENCHES = [Bench("dma-write", "isopod_dma_write", __name__)]
# Cycles of a burst of 16 beats, with its address and the state between bursts; then those of the
# queue and of the last response.
BURST_CYCLES, LATENCY = 20, 30


class Writer(transfers.Transfers):
    """The module between its two neighbours."""

    def __init__(self, dut, willing=always, broken=()):
        self.memory = WriteMemory(dut, willing, broken)
        self.source = Source(dut.valid_i, dut.ready_o, (dut.beat_i,), willing)
        self.done = Count(dut.done_o)
        super().__init__(dut, "beats_i", (self.source, self.memory, self.done))
        self.expected: dict[int, int] = {}

    async def begin(self, address: int, beats: int) -> None:
        """Gives the engine the beats and starts a transfer."""
        values = [random.getrandbits(64) for _ in range(beats)]
        self.memory.held.clear()
        self.expected = {address + BEAT_BYTES * place: value for place, value in enumerate(values)}
        self.source.add((value,) for value in values)
        self.done.seen = 0
        await self.order(address, beats)

    async def transfer(self, address: int, beats: int) -> int:
        """Runs a whole transfer; it must be correct and write nothing else."""
        await self.begin(address, beats)
        taken = await self.quiet(100 * beats + 1000)
        assert self.memory.held == self.expected
        assert self.done.seen == 1 and self.dut.left_o.value == 0
        return taken


async def prepared(dut, willing=always, broken=()) -> Writer:
    """The bench after reset."""
    writer = Writer(dut, willing, broken)
    await start(dut, abort_i=0, start_i=0, address_i=0, beats_i=1, beat_i=0, bresp_i=0)
    return writer


def place(beats: int) -> int:
    """A random address for a number of beats."""
    return transfers.place(beats, BEAT_BYTES)


@cocotb.test()
async def without_pauses(dut):
    """Bursts follow one another."""
    writer = await prepared(dut)
    for beats in (1, 2, 15, 16, 17, 1024):
        taken = await writer.transfer(beats % 3 * 128, beats)
        allowed = (beats + 15) // 16 * BURST_CYCLES + LATENCY
        assert taken <= allowed, f"{beats} beats in {taken} cycles"


@cocotb.test()
async def pauses(dut):
    """Pauses of the engine and of the memory."""
    for _ in range(rounds(4, 40)):
        writer = await prepared(dut, sometimes(random.choice((0.1, 0.5, 0.9))))
        for _ in range(4):
            beats = random.choice((1, 3, 32, random.randrange(1, 200)))
            await writer.transfer(place(beats), beats)
        assert writer.errors.seen == 0


@cocotb.test()
async def errors_are_told(dut):
    """A transfer whose last burst failed is not done."""
    for _ in range(rounds(4, 40)):
        address, beats = place(100), 100
        writer = await prepared(dut, sometimes(0.7),
                                {address + BEAT_BYTES * random.choice((0, 50, beats - 1))})
        await writer.begin(address, beats)
        await writer.quiet(10000)
        assert writer.errors.seen == 1
        last_failed = address + BEAT_BYTES * (beats - 1) in writer.memory.broken
        assert not (last_failed and writer.done.seen), "done after an error"


@cocotb.test()
async def abort_and_reset_in_the_middle(dut):
    """No wrong word is written, no burst stays open, and the next transfer is correct."""
    for action in ("abort", "reset") * rounds(8, 60):
        writer = await prepared(dut, sometimes(random.choice((0.2, 0.6, 1))))
        await writer.begin(place(300), 300)
        await idle(dut, writer.sides, random.randrange(400))
        if action == "abort":
            await writer.abort()
            writer.source.drop()
            await writer.quiet(4000)
            held = writer.memory.held.items()
            assert held <= writer.expected.items(), "something else was written"
        else:
            await reset(dut)
            writer = Writer(dut)
        await writer.transfer(place(50), 50)
