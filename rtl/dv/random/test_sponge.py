"""isopod_sponge against SHA3-256: of one block by software, whose state is the padded message, and
of any length for the key slot."""
import hashlib
import random
import struct

import cocotb
from cocotb.triggers import FallingEdge

from rtl.dv.bench import Bench, rounds, start

BENCHES = [Bench("sponge", "isopod_sponge", __name__)]
RATE, STATE_BYTES = 136, 200


async def access(dut, valid, ready) -> None:
    """Transfers one word as soon as the module is ready."""
    valid.value = 1
    for _ in range(60):
        taken = ready.value == 1
        await FallingEdge(dut.clk_i)
        if taken:
            valid.value = 0
            return
    raise AssertionError("never ready")


def padded(message: bytes) -> bytes:
    """The state after absorbing the message."""
    block = bytearray(message + b"\x06" + bytes(STATE_BYTES - len(message) - 1))
    block[RATE - 1] |= 0x80
    return bytes(block)


async def permuted(dut, state: bytes, pause: float) -> bytes:
    """Permutation of 200 bytes, with pauses between words."""
    for word in struct.unpack("<50I", state):
        while random.random() < pause:
            await FallingEdge(dut.clk_i)
        dut.data_i.value = word
        await access(dut, dut.write_i, dut.write_ready_o)
    assert dut.write_ready_o.value == 0, "a word would go into the middle of the permutation"
    words = []
    for _ in range(50):
        while dut.read_ready_o.value == 0 or random.random() < pause:
            await FallingEdge(dut.clk_i)
        words.append(int(dut.data_o.value))
        await access(dut, dut.read_i, dut.read_ready_o)
    assert dut.read_ready_o.value == 0 and dut.data_o.value == 0, "something is left"
    return struct.pack("<50I", *words)


@cocotb.test()
async def hashes(dut):
    """Messages of every length of a block, one after the other."""
    await start(dut, write_i=0, read_i=0, data_i=0, hash_i=0, clear_i=0)
    for length in random.sample(range(RATE - 1), rounds(6, 60)):
        message = random.randbytes(length)
        state = await permuted(dut, padded(message), random.choice((0, 0.3)))
        assert state[:32] == hashlib.sha3_256(message).digest()


async def cleared(dut) -> None:
    """Nothing is left after 50 zeros."""
    dut.clear_i.value = 1
    for _ in range(50):
        await FallingEdge(dut.clk_i)
    dut.clear_i.value = 0
    assert dut.empty_o.value == 1 and dut.data_o.value == 0


@cocotb.test()
async def hashes_words(dut):
    """Messages of any number of words, padded from outside, after whatever software left."""
    await start(dut, write_i=0, read_i=0, data_i=0, hash_i=0, clear_i=0)
    for length in [33, 34, 35, *random.sample(range(200), rounds(3, 20))]:
        dut.data_i.value = 0xFFFFFFFF
        for _ in range(random.randrange(3)):
            await access(dut, dut.write_i, dut.write_ready_o)
        dut.hash_i.value = 1
        await cleared(dut)
        message = random.randbytes(4 * length)
        padding = bytearray(b"\x06" + bytes(RATE - 1 - len(message) % RATE))
        padding[-1] |= 0x80
        for (word,) in struct.iter_unpack("<I", message + padding):
            dut.data_i.value = word
            await access(dut, dut.write_i, dut.write_ready_o)
        words = []
        for _ in range(8):
            while dut.read_ready_o.value == 0:
                await FallingEdge(dut.clk_i)
            words.append(int(dut.data_o.value))
            await access(dut, dut.read_i, dut.read_ready_o)
        assert struct.pack("<8I", *words) == hashlib.sha3_256(message).digest()
        await cleared(dut)
        dut.hash_i.value = 0
