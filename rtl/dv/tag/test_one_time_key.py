"""isopod_one_time_key and the core of isopod_randomness against spec/model/chacha20.py."""
import random
import struct

import cocotb

from rtl.dv.arithmetic import NARROW
from rtl.dv.bench import Bench, reset, rounds, start
from rtl.dv.random.test_randomness import MASK, NARROW_BITS, Job
from rtl.dv.streams import Sink, Source, always, cycles, idle, sometimes
from spec.model.chacha20 import chacha20_blocks, hchacha20

BENCHES = [
    Bench("one-time-key", "one_time_key_harness", __name__),
    Bench("one-time-key-2-w54", "one_time_key_harness", __name__, {"RoundsPerCycle": 2},
          quick=False, width=54),
]
CHACHA20, BEATS, PARTS = 1, 4, 16
LIMIT = 2000


def one_time_key(key: bytes, nonce: bytes, part: int) -> bytes:
    """r and s of a part of a frame, spec/wire.md, section 2."""
    subkey = hchacha20(key, nonce)
    return chacha20_blocks(subkey, 0, struct.pack("<IQ", 0, part))[:32]


class Keys:
    """The module with its key and streams."""

    def __init__(self, dut, willing=always):
        self.dut = dut
        self.beats = Sink(dut.valid_o, dut.ready_i, (dut.beat_o,), willing)
        self.jobs = Source(dut.job_valid_i, dut.job_ready_o, (dut.job_i,))
        self.mask = Sink(dut.mask_valid_o, dut.mask_ready_i, (dut.mask_o,))
        self.sides = (self.beats, self.jobs, self.mask)
        self.width = NARROW if len(dut.mask_o) == NARROW_BITS else len(dut.mask_o)
        self.key = self.seed = bytes(32)
        self.frames = 0

    async def start(self) -> None:
        """Out of reset, with a device key."""
        await start(self.dut, clear_i=0, key_i=0, nonce_i=0, frame_i=0, part_i=0, mask_seed_i=0,
                    job_i=0)
        self.key, self.seed, self.frames = random.randbytes(32), random.randbytes(32), 0
        self.dut.key_i.value = int.from_bytes(self.key, "little")
        self.dut.mask_seed_i.value = int.from_bytes(self.seed, "little")

    async def frame(self) -> bytes:
        """Begins a frame; its nonce."""
        nonce = random.randbytes(12)
        self.dut.nonce_i.value = int.from_bytes(nonce, "little")
        self.dut.frame_i.value = 1
        await idle(self.dut, self.sides, 1)
        self.dut.frame_i.value = 0
        self.frames += 1
        assert int(self.dut.number_o.value) == self.frames
        return nonce + struct.pack("<I", self.frames)

    async def part(self) -> tuple[bytes, int]:
        """The key of the next part, and its cycles."""
        self.beats.beats.clear()
        self.dut.part_i.value = 1
        taken = await cycles(self.dut, self.sides, lambda: len(self.beats.beats) == BEATS, LIMIT)
        self.dut.part_i.value = 0
        await idle(self.dut, self.sides, 4)
        return b"".join(beat.to_bytes(8, "little") for beat in self.beats.beats), taken


async def prepared(dut, willing=always) -> Keys:
    """The bench after reset."""
    keys = Keys(dut, willing)
    await keys.start()
    return keys


@cocotb.test()
async def frames(dut):
    """Frames of up to 16 parts, under one device key, at any rate."""
    keys = await prepared(dut, sometimes(0.4))
    for parts in (1, PARTS, *random.choices(range(2, PARTS), k=rounds(2, 10))):
        nonce = await keys.frame()
        for part in range(parts):
            found, _ = await keys.part()
            assert found == one_time_key(keys.key, nonce, part), part


@cocotb.test()
async def no_further_part(dut):
    """After 16 parts no key comes, so that none comes twice; a part without a frame has none."""
    keys = await prepared(dut)
    dut.part_i.value = 1
    await idle(dut, keys.sides, 300)
    assert not keys.beats.beats
    dut.part_i.value = 0
    await keys.frame()
    for _ in range(PARTS):
        await keys.part()
    keys.beats.beats.clear()
    dut.part_i.value = 1
    await idle(dut, keys.sides, 600)
    assert not keys.beats.beats
    dut.part_i.value = 0
    await keys.frame()
    await keys.part()


@cocotb.test()
async def beside_a_mask(dut):
    """Keys come while a mask is drawn, and neither disturbs the other."""
    keys = await prepared(dut)
    prime = 1073668097 if keys.width == NARROW else 18014398507892737
    job = Job(MASK, 10, 3, prime, keys.width)
    for _ in range(rounds(1, 4)):
        keys.mask.beats.clear()
        keys.jobs.add([(job.packed,)])
        nonce = await keys.frame()
        longest = 0
        for part in range(4):
            found, taken = await keys.part()
            assert found == one_time_key(keys.key, nonce, part)
            longest = max(longest, taken)
        await cycles(dut, keys.sides, lambda: len(keys.mask.beats) == 1 << 10, 20_000)
        assert keys.mask.beats == job.values(CHACHA20, (keys.seed, bytes(32)))
        dut._log.info("longest: %d cycles", longest)
        assert longest < 300


@cocotb.test()
async def aborts(dut):
    """clear_i at any time, reset: no key comes afterwards, and numbers go on or begin anew."""
    keys = await prepared(dut)
    for _ in range(rounds(10, 60)):
        await keys.frame()
        dut.part_i.value = 1
        await idle(dut, keys.sides, random.randrange(330))
        if random.randrange(4):
            dut.clear_i.value = 1
            await idle(dut, keys.sides, 1)
            dut.clear_i.value = 0
        else:
            await reset(dut)
            keys.frames = 0
        keys.beats.beats.clear()
        await idle(dut, keys.sides, 250)
        dut.part_i.value = 0
        assert not keys.beats.beats
        nonce = await keys.frame()
        found, _ = await keys.part()
        assert found == one_time_key(keys.key, nonce, 0)
