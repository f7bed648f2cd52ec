"""isopod_framer against spec/model: parts of any header and length, and beats without a frame."""
import random
import struct
from dataclasses import dataclass

import cocotb

from rtl.dv.bench import Bench, reset, rounds, start
from rtl.dv.streams import Sink, Source, always, cycles, idle, sometimes
from spec.model.authentication import padded, poly1305

BENCHES = [Bench("framer", "isopod_framer", __name__, {"Cut": 1}),
           Bench("framer-whole", "isopod_framer", __name__, {"Tiled": 1}, quick=False)]
BEAT, LONGEST_HEADER = 8, 255
TAG_HEAD = b"\x50"
# A beat in 2.5 cycles, and what a part takes besides.
LEAST_CYCLES = 2.5
SIDES = ((always, always), (sometimes(0.2), always), (always, sometimes(0.3)),
         (sometimes(0.6), sometimes(0.6)))


@dataclass
class Part:
    """Header, polynomials in whole beats, and the one-time key of a part."""

    header: bytes
    polynomials: list[bytes]
    key: bytes

    def encoded(self, cut: int) -> bytes:
        """The bytes of the part, c0 cut to so many."""
        first, *others = self.polynomials
        covered = self.header + b"".join([first[:cut] if cut else first, *others])
        lengths = struct.pack("<2Q", len(covered), 0)
        return covered + TAG_HEAD + poly1305(self.key, padded(covered) + lengths)


def random_part(polynomials: int) -> Part:
    """A part of any lengths."""
    header = random.randbytes(random.choice((1, 8, LONGEST_HEADER, random.randrange(1, 256))))
    return Part(header, [random.randbytes(BEAT * random.choice((1, 2, random.randrange(1, 60))))
                         for _ in range(polynomials)], random.randbytes(32))


def beats(data: bytes) -> list[int]:
    """Words of 8 bytes; the last one ends with zeros."""
    whole = data + bytes(-len(data) % BEAT)
    return [int.from_bytes(whole[place:place + BEAT], "little")
            for place in range(0, len(whole), BEAT)]


def header_pieces(header: bytes) -> list[tuple[int]]:
    """The type header_piece_t."""
    words = [header[place:place + 4] for place in range(0, len(header), 4)]
    return [(int.from_bytes(word, "little") << 4 | len(word) << 1 | int(number == len(words)),)
            for number, word in enumerate(words, 1)]


class Framer:
    """The module with its streams."""

    def __init__(self, dut, send, take):
        self.dut = dut
        self.cuts = bool(int(dut.Cut.value))
        self.headers = Source(dut.header_valid_i, dut.header_ready_o, (dut.header_i,), send)
        self.keys = Source(dut.key_valid_i, dut.key_ready_o, (dut.key_i,), send)
        self.residues = Source(dut.residues_valid_i, dut.residues_ready_o, (dut.residues_i,), send)
        self.out = Sink(dut.beat_valid_o, dut.beat_ready_i, (dut.beat_o,), take)
        self.sides = (self.headers, self.keys, self.residues, self.out)

    def give(self, part: Part) -> None:
        """The streams of a part."""
        self.headers.add(header_pieces(part.header))
        self.keys.add([(beat,) for beat in beats(part.key)])
        self.polynomials(part.polynomials)

    def polynomials(self, polynomials: list[bytes]) -> None:
        """Beats, the last of each polynomial marked."""
        for data in polynomials:
            *most, last = beats(data)
            self.residues.add([*((beat << 1,) for beat in most), (last << 1 | 1,)])

    def begin(self, parts: int, pairs: bool, cut: int):
        """The pulse that starts a frame, frame_shape_t."""
        self.dut.shape_i.value = parts << 19 | int(pairs) << 18 | cut
        return self.pulse(self.dut.start_i)

    async def pulse(self, signal) -> None:
        """One cycle."""
        signal.value = 1
        await idle(self.dut, self.sides, 1)
        signal.value = 0

    async def frame(self, parts: list[Part], cut: int = 0) -> int:
        """A whole frame, which must be right; its cycles."""
        self.out.beats.clear()
        await self.begin(len(parts), len(parts[0].polynomials) == 2, cut)
        for part in parts:
            self.give(part)
        taken = await cycles(self.dut, self.sides, lambda: self.dut.busy_o.value == 0, 100_000)
        expected = []
        for part in parts:
            *most, last = beats(part.encoded(cut))
            expected += [*(beat << 1 for beat in most), last << 1 | 1]
        assert self.out.beats == expected, (len(self.out.beats), len(expected))
        return taken


async def prepared(dut, send=always, take=always) -> Framer:
    """After reset."""
    framer = Framer(dut, send, take)
    await start(dut, abort_i=0, active_i=1, start_i=0, bare_i=0, shape_i=0, header_i=0, key_i=0,
                residues_i=0)
    return framer


@cocotb.test()
async def frames(dut):
    """Frames of one part and of several, of c0 alone and of pairs, whole or cut."""
    for send, take in SIDES:
        framer = await prepared(dut, send, take)
        for _ in range(rounds(4, 40)):
            polynomials = random.choice((1, 2))
            parts = [random_part(polynomials) for _ in range(random.choice((1, 1, 2, 5)))]
            shortest = min(len(part.polynomials[0]) for part in parts)
            cut = random.choice((0, shortest, random.randrange(1, shortest + 1)))
            await framer.frame(parts, cut if framer.cuts else 0)


@cocotb.test()
async def every_alignment(dut):
    """Headers and cuts of every length modulo 8, so that the tag begins at every place."""
    framer = await prepared(dut)
    for header in range(1, 9):
        for cut in range(17, 25) if framer.cuts else (0,):
            part = Part(random.randbytes(header), [random.randbytes(24)], random.randbytes(32))
            await framer.frame([part], cut)


@cocotb.test()
async def rate(dut):
    """Residues at the rate of the tag."""
    framer = await prepared(dut)
    part = Part(random.randbytes(150), [random.randbytes(BEAT * 1920)], random.randbytes(32))
    taken = await framer.frame([part])
    dut._log.info("besides the beats: %d cycles", taken - LEAST_CYCLES * 1920)
    assert taken < LEAST_CYCLES * 1920 + 350


@cocotb.test()
async def without_a_frame(dut):
    """Beats pass as they are, before and after frames."""
    framer = await prepared(dut, sometimes(0.7), sometimes(0.7))
    for _ in range(rounds(2, 10)):
        framer.out.beats.clear()
        polynomials = [random.randbytes(BEAT * random.randrange(1, 30)) for _ in range(3)]
        framer.polynomials(polynomials)
        total = sum(map(len, polynomials)) // BEAT
        await cycles(dut, framer.sides, lambda total=total: len(framer.out.beats) == total, 5000)
        assert [beat >> 1 for beat in framer.out.beats] == beats(b"".join(polynomials))
        assert sum(beat & 1 for beat in framer.out.beats) == 3
        await framer.frame([random_part(2)])


@cocotb.test()
async def given_up(dut):
    """bare_i in place of a header: the residues pass, and the next frame is right. Later it changes
    nothing."""
    framer = await prepared(dut, sometimes(0.7), sometimes(0.7))
    for _ in range(rounds(5, 40)):
        framer.out.beats.clear()
        await framer.begin(1, False, 0)
        framer.keys.add([(beat,) for beat in beats(random.randbytes(32))])
        data = random.randbytes(BEAT * random.randrange(1, 30))
        framer.polynomials([data])
        await idle(dut, framer.sides, random.randrange(60))
        assert not framer.out.beats
        framer.keys.drop()
        framer.keys.valid.value = 0
        await framer.pulse(dut.bare_i)
        await cycles(dut, framer.sides,
                     lambda: dut.busy_o.value == 0 and not framer.residues.waiting, 1000)
        assert [beat >> 1 for beat in framer.out.beats] == beats(data)
        part = random_part(1)
        framer.out.beats.clear()
        await framer.begin(1, False, 0)
        framer.give(part)
        await cycles(dut, framer.sides, lambda: bool(framer.out.beats), 1000)
        await framer.pulse(dut.bare_i)
        await cycles(dut, framer.sides, lambda: dut.busy_o.value == 0, 20_000)
        assert [beat >> 1 for beat in framer.out.beats] == beats(part.encoded(0))


@cocotb.test()
async def headers_ahead(dut):
    """Headers of later parts wait inside; header_room_o says when another one fits."""
    framer = await prepared(dut)
    fitting = 0
    while dut.header_room_o.value == 1:
        framer.headers.add(header_pieces(random.randbytes(LONGEST_HEADER)))
        await cycles(dut, framer.sides, lambda: not framer.headers.waiting, 300)
        await idle(dut, framer.sides, 2)
        fitting += 1
    assert fitting >= 3


@cocotb.test()
async def aborts(dut):
    """abort_i and reset at any time: the stream goes quiet, and the next frame is right."""
    framer = await prepared(dut, sometimes(0.8), sometimes(0.8))
    for _ in range(rounds(10, 80)):
        parts = [random_part(2) for _ in range(2)]
        await framer.begin(2, True, 0)
        for part in parts:
            framer.give(part)
        await idle(dut, framer.sides, random.randrange(600))
        for source in framer.sides[:3]:
            source.drop()
            source.valid.value = 0
        if random.randrange(4):
            await framer.pulse(dut.abort_i)
        else:
            await reset(dut)
        framer.out.beats.clear()
        await idle(dut, framer.sides, 10)
        assert not framer.out.beats and dut.busy_o.value == 0
        await framer.frame([random_part(1)])
