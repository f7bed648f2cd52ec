"""isopod_poly1305 against spec/model/authentication.py and the vectors of RFC 8439."""
import random

import cocotb

from rtl.dv.bench import Bench, reset, rounds, start
from rtl.dv.streams import Sink, Source, always, cycles, idle, sometimes
from spec.model.authentication import POLY1305_CLAMP, POLY1305_PRIME, poly1305

BENCHES = [Bench("poly1305", "isopod_poly1305", __name__),
           Bench("poly1305-tiled", "isopod_poly1305", __name__, {"Tiled": 1}, quick=False)]

BLOCK, SLOT = 16, 5
# From the last block to the tag: 21 slots and what fills them.
FINISH = 21 * SLOT + 8
ONES = bytes([255]) * BLOCK

# [RFC8439], appendix A.3, vectors of whole blocks: (r, s, message, tag).
VECTORS = (
    ("00" * 16, "00" * 16, "00" * 64, "00" * 16),
    ("02" + "00" * 15, "00" * 16, "ff" * 16, "03" + "00" * 15),
    ("02" + "00" * 15, "ff" * 16, "02" + "00" * 15, "03" + "00" * 15),
    ("01" + "00" * 15, "00" * 16, "ff" * 16 + "f0" + "ff" * 15 + "11" + "00" * 15,
     "05" + "00" * 15),
    ("01" + "00" * 15, "00" * 16, "ff" * 16 + "fb" + "fe" * 15 + "01" * 16, "00" * 16),
    ("02" + "00" * 15, "00" * 16, "fd" + "ff" * 15, "fa" + "ff" * 15),
    ("0100000000000000" + "0400000000000000", "00" * 16,
     "e33594d7505e43b9" + "00" * 8 + "3394d7505e4379cd01" + "00" * 7 + "00" * 16 + "01" + "00" * 15,
     "14000000000000005500000000000000"),
    ("0100000000000000" + "0400000000000000", "00" * 16,
     "e33594d7505e43b9" + "00" * 8 + "3394d7505e4379cd01" + "00" * 7 + "00" * 16,
     "13" + "00" * 15),
)


def beats(key: bytes, message: bytes) -> list[tuple[int, int]]:
    """(word, last) of r, the blocks and s."""
    data = key[:BLOCK] + message + key[BLOCK:]
    words = [int.from_bytes(data[place:place + 8], "little") for place in range(0, len(data), 8)]
    return [(word, int(place == len(words) - 3)) for place, word in enumerate(words)]


async def prepared(dut, send=always, take=always) -> tuple[Source, Sink]:
    """After reset."""
    source = Source(dut.valid_i, dut.ready_o, (dut.beat_i, dut.last_i), send)
    sink = Sink(dut.tag_valid_o, dut.tag_ready_i, (dut.tag_o,), take)
    await start(dut, clear_i=0, beat_i=0, last_i=0)
    return source, sink


async def tag(dut, sides: tuple[Source, Sink], key: bytes, message: bytes) -> tuple[bytes, int]:
    """The tag of a message, and the cycles that it took."""
    source, sink = sides
    sink.beats.clear()
    source.add(beats(key, message))
    taken = await cycles(dut, sides, lambda: bool(sink.beats), 40 * len(message) + 1000)
    return sink.beats[0].to_bytes(BLOCK, "little"), taken


async def check(dut, sides: tuple[Source, Sink], key: bytes, message: bytes) -> int:
    """Compares one tag with the model's; the cycles."""
    found, taken = await tag(dut, sides, key, message)
    assert found == poly1305(key, message), (key.hex(), message.hex())
    return taken


def key_of(r: int, s: int = 0) -> bytes:
    """A one-time key of this multiplier, as it is before it is clamped."""
    return r.to_bytes(BLOCK, "little") + s.to_bytes(BLOCK, "little")


@cocotb.test()
async def vectors(dut):
    """Published tags, one after the other."""
    sides = await prepared(dut)
    for r, s, message, expected in VECTORS:
        found, _ = await tag(dut, sides, bytes.fromhex(r + s), bytes.fromhex(message))
        assert found.hex() == expected, message


@cocotb.test()
async def lengths(dut):
    """Random messages of 1 to 41 blocks, at full rate and with pauses on both sides."""
    for send, take in ((always, always), (sometimes(0.3), sometimes(0.2)),
                       (sometimes(0.9), always)):
        sides = await prepared(dut, send, take)
        for blocks in [1, 2, 3, 4, 5, 6, 7, 8, 9, *random.choices(range(10, 42),
                                                                  k=rounds(3, 30))]:
            await check(dut, sides, random.randbytes(2 * BLOCK), random.randbytes(BLOCK * blocks))


def extreme_block() -> bytes:
    """A block that makes limbs zero, full or about p."""
    kind = random.randrange(4)
    if kind == 0:
        return random.choice((bytes(BLOCK), ONES))
    if kind == 1:
        limbs = [random.choice((0, 1, (1 << 26) - 1)) for _ in range(5)]
        return (sum(limb << 26 * place for place, limb in enumerate(limbs)) % (1 << 128)).to_bytes(
            BLOCK, "little")
    return random.choice((1, 2, 4, 5, 6)).to_bytes(BLOCK, "little") if kind == 2 else bytes(
        random.choice((0, 255)) for _ in range(BLOCK))


@cocotb.test()
async def extremes(dut):
    """Multipliers and blocks of zeros and ones; the largest sums of every column."""
    sides = await prepared(dut)
    multipliers = (POLY1305_CLAMP, (1 << 128) - 1, 0, 1, 1 << 123, 0x0FFFFFFC << 96, 0x0FFFFFFF)
    for r in multipliers:
        for s in (0, (1 << 128) - 1):
            await check(dut, sides, key_of(r, s), ONES * random.randrange(1, 14))
            await check(dut, sides, key_of(r, s), b"".join(extreme_block() for _ in range(11)))
    for _ in range(rounds(10, 300)):
        r = int.from_bytes(extreme_block(), "little")
        message = b"".join(extreme_block() for _ in range(random.randrange(1, 10)))
        await check(dut, sides, key_of(r, random.getrandbits(128)), message)


def block_for(total: int, r: int) -> bytes | None:
    """The one block whose product with r is total modulo p, if there is one."""
    value = total * pow(r, -1, POLY1305_PRIME) % POLY1305_PRIME - (1 << 128)
    return value.to_bytes(BLOCK, "little") if 0 <= value < 1 << 128 else None


@cocotb.test()
async def around_p(dut):
    """Sums at p - 6 .. p + 5, where the reduction changes, and at the carries of every limb."""
    sides = await prepared(dut)
    totals = [POLY1305_PRIME + offset for offset in range(-6, 6)]
    totals += [(1 << 26 * limb) + offset for limb in range(1, 5) for offset in (-1, 0)]
    reached = 0
    for total in totals:
        for _ in range(rounds(4, 40)):
            r = random.getrandbits(128) & POLY1305_CLAMP
            block = block_for(total, r)
            if block is not None:
                reached += 1
                await check(dut, sides, key_of(r, random.choice((0, (1 << 128) - 1))), block)
    assert reached >= len(totals) // 2


@cocotb.test()
async def rate(dut):
    """A block in five cycles, and the time that a tag takes besides."""
    sides = await prepared(dut)
    await check(dut, sides, random.randbytes(32), ONES)
    short = await check(dut, sides, random.randbytes(32), random.randbytes(BLOCK * 20))
    long = await check(dut, sides, random.randbytes(32), random.randbytes(BLOCK * 220))
    assert long - short == 200 * SLOT
    dut._log.info("start and end: %d cycles", short - 20 * SLOT)
    assert short - 20 * SLOT < 16 * SLOT + FINISH + 8


@cocotb.test()
async def aborts(dut):
    """clear_i and reset at any time: the next tag is right and does not depend on what was
    before."""
    sides = await prepared(dut, sometimes(0.8))
    source, sink = sides
    for _ in range(rounds(12, 200)):
        source.add(beats(random.randbytes(32), random.randbytes(BLOCK * random.randrange(1, 20))))
        await idle(dut, sides, random.randrange(300))
        source.drop()
        source.valid.value = 0
        if random.randrange(4):
            dut.clear_i.value = 1
            await idle(dut, (sink,), 1)
            dut.clear_i.value = 0
        else:
            await reset(dut)
        await check(dut, sides, random.randbytes(32), random.randbytes(BLOCK * 5))
