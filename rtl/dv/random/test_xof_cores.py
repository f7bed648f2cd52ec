"""isopod_chacha20_core and isopod_keccak_core against spec/model/streams.py and the vectors of
streams."""
import hashlib
import json
import random
import struct

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly

from rtl.dv.bench import ROOT, Bench, reset, rounds, start
from spec.model.streams import stream_bytes

BENCHES = [
    Bench("chacha20", "isopod_chacha20_core", __name__, quick=False),
    Bench("chacha20-2", "isopod_chacha20_core", __name__, {"RoundsPerCycle": 2}, quick=False),
    Bench("keccak", "isopod_keccak_core", __name__, quick=False),
    Bench("keccak-3", "isopod_keccak_core", __name__, {"RoundsPerCycle": 3}, quick=False),
]
PUBLIC = (1, 2)


class Core:
    """Offers blocks to a core and collects their words; hides the difference between the cores."""

    def __init__(self, dut):
        self.dut = dut
        chacha20 = dut._name == "isopod_chacha20_core"
        self.suite, self.words, self.spacing = (1, 16, 16) if chacha20 else (2, 34, 0)
        self.collected: list[tuple[int, int, int]] = []
        self.since_start = self.spacing

    async def cycle(self, block: tuple[int, int, int, int] | None) -> bool:
        """One cycle, offering (domain, index, counter, parity); True if it was taken."""
        offered = block is not None and self.since_start >= self.spacing
        self.dut.block_valid_i.value = int(offered)
        if offered:
            domain, index, counter, parity = block
            self.dut.block_i.value = domain << 21 | index << 17 | counter << 1 | parity
        await ReadOnly()
        taken = offered and self.dut.block_ready_o.value == 1
        if self.dut.word_valid_o.value == 1:
            word = int(self.dut.word_o.value)
            self.collected.append((word >> 2, word >> 1 & 1, word & 1))
        await FallingEdge(self.dut.clk_i)
        self.since_start = 1 if taken else self.since_start + 1
        return taken

    async def run(self, blocks: list[tuple[int, int, int, int]]) -> int:
        """Offers all blocks without pauses and waits for all their words; the number of cycles."""
        elapsed, wanted = 0, len(self.collected) + self.words * len(blocks)
        for block in blocks:
            while not await self.cycle(block):
                elapsed += 1
                assert elapsed < 200 * (len(blocks) + 1), "a block is never taken"
            elapsed += 1
        while len(self.collected) < wanted:
            await self.cycle(None)
            elapsed += 1
            assert elapsed < 200 * (len(blocks) + 2), "words are missing"
        return elapsed

    def expected(self, keys: tuple[bytes, bytes],
                 block: tuple[int, int, int, int]) -> list[tuple[int, int, int]]:
        """Words of the model."""
        domain, index, counter, parity = block
        size = 4 * self.words
        stream = stream_bytes(self.suite, keys[domain not in PUBLIC], domain, index,
                              (counter + 1) * size)
        words = struct.unpack(f"<{self.words}I", stream[counter * size:])
        return [(word, int(domain == 2), parity) for word in words]


async def prepared(dut, keys: tuple[bytes, bytes]) -> Core:
    """After reset, with both keys."""
    mask_seed, noise_key = (int.from_bytes(key, "little") for key in keys)
    core = Core(dut)
    tag = dict.fromkeys(("tag_key_i", "tag_subkey_i", "tag_input_i"), 0) if core.suite == 1 else {}
    await start(dut, abort_i=0, mask_seed_i=mask_seed, noise_key_i=noise_key, block_i=0,
                block_valid_i=0, **tag)
    return core


def random_block(counter: int | None = None) -> tuple[int, int, int, int]:
    """Block of any stream; large counters make the model slow."""
    return (random.randrange(1, 7), random.randrange(16),
            random.randrange(40) if counter is None else counter,
            random.randrange(2))


def random_keys() -> tuple[bytes, bytes]:
    """Mask seed and noise key."""
    return random.randbytes(32), random.randbytes(32)


@cocotb.test()
async def known_answers(dut):
    """spec/vectors/streams.json."""
    core = await prepared(dut, random_keys())
    document = json.loads((ROOT / "spec/vectors/streams.json").read_text())
    cases = [case for case in document["streams"] if case["suite"] == core.suite]
    assert cases
    for case in cases:
        key = bytes(range(case["key_start"], case["key_start"] + 32))
        dut.mask_seed_i.value = dut.noise_key_i.value = int.from_bytes(key, "little")
        core.collected.clear()
        blocks = -(-case["length"] // (4 * core.words))
        await core.run([(case["domain"], case["index"], counter, 0) for counter in range(blocks)])
        stream = b"".join(struct.pack("<I", word) for word, _, _ in core.collected)[:case["length"]]
        assert stream[:32].hex() == case["first_32"]
        assert hashlib.sha3_256(stream).hexdigest() == case["sha3"]


@cocotb.test()
async def random_blocks_with_pauses(dut):
    """Any order of streams under both keys, up to the largest counter."""
    keys = random_keys()
    core = await prepared(dut, keys)
    blocks = [random_block() for _ in range(rounds(20, 200))] + [(1, 15, (1 << 16) - 1, 1)]
    for block in blocks:
        for _ in range(random.choice((0, 0, random.randrange(120)))):
            await core.cycle(None)
        while not await core.cycle(block):
            pass
    await core.run([])
    for _ in range(200):
        await core.cycle(None)
    expected = [word for block in blocks[:-1] for word in core.expected(keys, block)]
    assert core.collected[:len(expected)] == expected
    assert core.collected[len(expected):] == last_block(core, keys, blocks[-1])


def last_block(core: Core, keys: tuple[bytes, bytes],
               block: tuple[int, int, int, int]) -> list[tuple[int, int, int]]:
    """A block far into the stream, without the blocks before it."""
    from spec.model.chacha20 import chacha20_blocks
    domain, index, counter, parity = block
    nonce = struct.pack("<3I", domain, index, 0)
    data = (chacha20_blocks(keys[0], counter, nonce) if core.suite == 1 else
            hashlib.shake_256(keys[0] + struct.pack("<3I", domain, index, counter)).digest(136))
    return [(word, 0, parity) for word in struct.unpack(f"<{core.words}I", data)]


@cocotb.test()
async def rate(dut):
    """Cycles per block: ChaCha20 20 / RoundsPerCycle, but not less than the 16 in which it leaves
    and one to the next place of the pipeline; Keccak one to load, 24 / RoundsPerCycle, 34 to
    leave."""
    keys = random_keys()
    core = await prepared(dut, keys)
    speed = int(dut.RoundsPerCycle.value)
    wanted = max(20 // speed, 17) if core.suite == 1 else 35 + 24 // speed
    cycles = await core.run([random_block(counter % 8) for counter in range(100)])
    latency = 100
    assert cycles <= 100 * wanted + latency, f"{cycles / 100} cycles per block"


@cocotb.test()
async def abort_and_reset_in_the_middle(dut):
    """No word of an abandoned block is output; the next block is correct."""
    keys = random_keys()
    core = await prepared(dut, keys)
    for action in ("abort", "reset") * rounds(5, 40):
        block = random_block()
        while not await core.cycle(random_block()):
            pass
        for _ in range(random.randrange(130)):
            await core.cycle(random_block())
        if action == "abort":
            dut.abort_i.value = 1
            await core.cycle(None)
            dut.abort_i.value = 0
        else:
            await reset(dut)
        core.collected.clear()
        core.since_start = core.spacing
        await core.run([block])
        assert core.collected == core.expected(keys, block)
