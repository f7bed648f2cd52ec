"""isopod_dma_read between a memory that pauses and fails and a reader that pauses."""
import random

import cocotb

from rtl.dv.bench import Bench, reset, rounds, start
from rtl.dv.bus import transfers
from rtl.dv.bus.memory import BEAT_BYTES, ReadMemory, word_at
from rtl.dv.streams import Sink, always, idle, sometimes

BENCHES = [Bench("dma-read", "isopod_dma_read", __name__)]
WORD_BYTES = 4
# Cycles from the start to the first word with a memory that responds in the next cycle.
LATENCY = 12


class Reader(transfers.Transfers):
    """The module between its two neighbours."""

    def __init__(self, dut, willing=always, broken=()):
        self.memory = ReadMemory(dut, willing, broken)
        self.sink = Sink(dut.valid_o, dut.ready_i, (dut.word_o, dut.beat_o), willing)
        super().__init__(dut, "words_i", (self.memory, self.sink))

    async def begin(self, address: int, words: int) -> None:
        """Drops all collected words and starts a transfer."""
        self.memory.read.clear()
        self.sink.beats.clear()
        await self.order(address, words)

    async def transfer(self, address: int, words: int) -> int:
        """Runs a whole transfer; it must be correct and read nothing else."""
        await self.begin(address, words)
        taken = await self.quiet(60 * words + 1000)
        found = [word for word, _ in self.sink.beats]
        assert found == [word_at(address + 4 * place) for place in range(words)]
        first, end = address // BEAT_BYTES * BEAT_BYTES, address + 4 * words
        assert self.memory.read == list(range(first, end, BEAT_BYTES)), "the beats of the memory"
        return taken


async def prepared(dut, willing=always, broken=()) -> Reader:
    """The bench after reset."""
    reader = Reader(dut, willing, broken)
    await start(dut, abort_i=0, start_i=0, address_i=0, words_i=1, whole_i=0,
                rdata_i=0, rresp_i=0, rlast_i=0)
    return reader


async def beats_well(reader: Reader, address: int, beats: int) -> int:
    """Runs a transfer of whole beats; it must be correct and read nothing else."""
    reader.dut.whole_i.value = 1
    await reader.begin(address, beats)
    reader.dut.whole_i.value = 0
    taken = await reader.quiet(60 * beats + 1000)
    places = range(address, address + BEAT_BYTES * beats, BEAT_BYTES)
    found = [beat for _, beat in reader.sink.beats]
    assert found == [word_at(place) | word_at(place + 4) << 32 for place in places]
    assert reader.memory.read == list(places), "the beats of the memory"
    return taken


def place(words: int) -> int:
    """A random address for a number of words."""
    return transfers.place(words, WORD_BYTES)


@cocotb.test()
async def every_cycle_a_word(dut):
    """One word per cycle without pauses."""
    reader = await prepared(dut)
    for words in (1, 2, 31, 32, 33, 2048):
        taken = await reader.transfer(place(words), words)
        assert taken <= words + LATENCY, f"{words} words in {taken} cycles"
        taken = await beats_well(reader, transfers.place(words, BEAT_BYTES), words)
        assert taken <= words + LATENCY, f"{words} beats in {taken} cycles"


@cocotb.test()
async def pauses(dut):
    """Pauses of the memory and of the reader."""
    for _ in range(rounds(4, 40)):
        reader = await prepared(dut, sometimes(random.choice((0.1, 0.5, 0.9))))
        for _ in range(4):
            words = random.choice((1, 3, 64, random.randrange(1, 300)))
            await reader.transfer(place(words), words)
            await beats_well(reader, transfers.place(words, BEAT_BYTES), words)
        assert reader.errors.seen == 0


@cocotb.test()
async def errors_are_told(dut):
    """One pulse for each failed beat; the transfer still ends."""
    for _ in range(rounds(4, 40)):
        address, words = place(200), 200
        broken = {address // 8 * 8 + 8 * random.randrange(90) for _ in range(3)}
        reader = await prepared(dut, sometimes(0.7), broken)
        await reader.begin(address, words)
        await reader.quiet(10000)
        assert reader.errors.seen == len(broken)


@cocotb.test()
async def abort_and_reset_in_the_middle(dut):
    """Words in flight arrive and are dropped; the next transfer is correct."""
    for action in ("abort", "reset") * rounds(8, 60):
        reader = await prepared(dut, sometimes(random.choice((0.2, 0.6, 1))))
        await reader.begin(place(500), 500)
        await idle(dut, reader.sides, random.randrange(300))
        if action == "abort":
            await reader.abort()
            seen = len(reader.sink.beats)
            await reader.quiet(2000)
            assert len(reader.sink.beats) == seen, "a word after the abort"
        else:
            await reset(dut)
            reader = Reader(dut)
        await reader.transfer(place(100), 100)
