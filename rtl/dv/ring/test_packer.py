"""isopod_packer against spec/model/packing.py."""
import random

import cocotb

from rtl.dv.bench import Bench, reset, rounds, start
from rtl.dv.streams import Sink, Source, always, cycles, idle, sometimes
from spec.model.packing import pack

BENCHES = [Bench("packer", "isopod_packer", __name__, quick=False),
           *(Bench(f"packer-w{width}", "isopod_packer", __name__, quick=width == 54, width=width)
             for width in (54, 61))]
NARROW_WIDTHS, LEAST_WIDE = range(24, 31), 36


def widths(dut) -> range:
    """Bits of the residues that this build packs."""
    most = len(dut.word_i)
    return NARROW_WIDTHS if most in NARROW_WIDTHS else range(LEAST_WIDE, most + 1)


def residues(count: int, bits: int) -> list[int]:
    """Random residues with the extremes among them."""
    return [random.choice((0, 1, (1 << bits) - 1, random.getrandbits(bits),
                           random.getrandbits(bits))) for _ in range(count)]


def beats_in(values: list[int]) -> list[tuple[int, int]]:
    """(word, last) of a polynomial."""
    return [(value, int(place == len(values) - 1)) for place, value in enumerate(values)]


def beats_out(values: list[int], bits: int) -> list[int]:
    """packed_beat_t as an integer: 64 bits of data above `last`."""
    packed = pack(values, bits)
    words = [int.from_bytes(packed[place:place + 8], "little")
             for place in range(0, len(packed), 8)]
    return [word << 1 | int(place == len(words) - 1) for place, word in enumerate(words)]


async def prepared(dut, send=always, take=always) -> tuple[Source, Sink]:
    """After reset."""
    source = Source(dut.valid_i, dut.ready_o, (dut.word_i, dut.last_i), send)
    sink = Sink(dut.valid_o, dut.ready_i, (dut.beat_o,), take)
    await start(dut, abort_i=0, bits_i=len(dut.word_i), word_i=0, last_i=0)
    return source, sink


async def polynomial(dut, sides: tuple[Source, Sink], bits: int, count: int) -> int:
    """Packs one polynomial, which must be correct; the number of cycles."""
    source, sink = sides
    values = residues(count, bits)
    expected = beats_out(values, bits)
    dut.bits_i.value = bits
    sink.beats.clear()
    source.add(beats_in(values))
    taken = await cycles(dut, sides, lambda: len(sink.beats) == len(expected), 40 * count + 100)
    assert sink.beats == expected, f"{bits} bits"
    return taken


@cocotb.test()
async def every_width_without_pauses(dut):
    """One residue per cycle."""
    sides = await prepared(dut)
    for bits in widths(dut):
        taken = await polynomial(dut, sides, bits, 1024)
        assert taken <= 1024 + 4, f"{taken} cycles"


@cocotb.test()
async def every_width_with_pauses(dut):
    """Both sides pause at random."""
    for _ in range(rounds(2, 12)):
        sides = await prepared(dut, sometimes(random.choice((0.1, 0.5, 1))),
                               sometimes(random.choice((0.1, 0.5, 1))))
        for bits in widths(dut):
            await polynomial(dut, sides, bits, 64 * random.randrange(1, 5))


@cocotb.test()
async def abort_and_reset_in_the_middle(dut):
    """Words in flight are dropped; the next polynomial is correct."""
    for action in ("abort", "reset") * rounds(3, 20):
        sides = await prepared(dut, sometimes(0.7), sometimes(0.7))
        bits = random.choice(widths(dut))
        dut.bits_i.value = bits
        sides[0].add(beats_in(residues(256, bits)))
        await idle(dut, sides, random.randrange(1, 200))
        sides[0].drop()
        dut.valid_i.value = 0
        if action == "abort":
            dut.abort_i.value = 1
            await idle(dut, (), 1)
            dut.abort_i.value = 0
        else:
            await reset(dut)
        await idle(dut, (), 1)
        assert dut.valid_o.value == 0
        await polynomial(dut, sides, random.choice(widths(dut)), 128)
