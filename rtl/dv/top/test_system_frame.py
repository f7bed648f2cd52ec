"""Frames on isopod_system between a master and a memory that pause: headers, nonce and device key
by registers, whole parts in memory."""
import random
import struct
from dataclasses import replace

import cocotb

from rtl.dv.bench import rounds
from rtl.dv.streams import always, sometimes
from rtl.dv.top.engine import NO_ERROR, ZEROISE
from rtl.dv.top.frames import NONCE_BYTES
from rtl.dv.top.slot import encrypt_from
from rtl.dv.top.system import ABORT, CLEAR, DONE, MAP, START, System
from rtl.dv.top.test_frame import of_slots
from rtl.dv.top.test_system import OUT_AT, PUBLIC_AT, SAMPLES_AT, bench, computed, load

BENCHES = [bench("system-frame", 32, __name__, Frame=1, Decrypt=0)]
SECRET, PUBLIC = 2, 1
BARE, HEADER_ROOM, TAG_LOCK = 16, 1 << 16, 4
SLAVE_ERROR = 2


class Frame:
    """One frame of the small case of the robustness tests."""

    def __init__(self, system: System, kind: int):
        self.system, self.kind = system, kind
        self.case = computed(kind, system.suite, system.key_words, system.width)[0]
        self.framed, self.inputs = of_slots(self.case)
        self.nonce = random.randbytes(NONCE_BYTES)
        self.expected = b""

    def memory(self) -> dict[int, int]:
        """The words that the engine reads."""
        words = {SAMPLES_AT + 4 * place: word for place, word in enumerate(self.inputs.samples)}
        return words | {PUBLIC_AT + 4 * place: word
                        for place, word in enumerate(self.inputs.public)}

    async def start(self, key: bytes) -> None:
        """Up to the seeds."""
        system, words = self.system, self.memory()
        system.reads.words = lambda address: words.get(address, 0)
        system.writes.held.clear()
        for place, word in enumerate(struct.unpack("<8I", key)):
            await system.try_write(MAP["TAG_KEY"].offset + 4 * place, word)
        await system.command(replace(self.inputs.command, framed=1))
        await system.write("SAMPLE_ADDRESS", SAMPLES_AT, len(self.inputs.samples), PUBLIC_AT,
                           len(self.inputs.public))
        await system.write("FRAME_NONCE", *struct.unpack("<3I", self.nonce))
        await system.write("INTERRUPT_STATE", 7, DONE)
        await system.write("CONTROL", START)
        self.seed = self.framed.ciphertext.root.mask_seed
        await system.give_seeds(self.framed.ciphertext.root)
        while await system.read("STATUS") >> 13 & 1:
            pass

    async def settle(self) -> None:
        """Finds the slot's root and the frame's number; what the parts must be."""
        ciphertext = self.framed.ciphertext
        if self.kind == SECRET:
            made = await self.system.made_root(self.seed)
            ciphertext = encrypt_from(made, self.case.pair, self.case.message(), SECRET,
                                      self.system.suite)
        number = await self.system.read("FRAME_NUMBER")
        self.framed = replace(self.framed, ciphertext=ciphertext).named(
            self.nonce + struct.pack("<I", number))
        self.expected = b"".join(self.framed.parts())

    async def give_headers(self) -> None:
        """Every part's, word by word."""
        for header in self.framed.headers():
            assert await self.system.read("STATUS") & HEADER_ROOM
            await self.system.write("HEADER_BYTES", len(header))
            padded = header + random.randbytes(-len(header) % 4)
            for word in struct.unpack(f"<{len(padded) // 4}I", padded):
                await self.system.write("HEADER_DATA", word)

    async def end(self, expected: bytes) -> None:
        """Takes everything; memory must hold it."""
        system = self.system
        await system.write("OUT_ADDRESS", OUT_AT)
        await system.write("OUT_BEATS", len(expected) // 8)
        await system.until_interrupt(200_000)
        assert await system.error() == NO_ERROR and await system.read("OUT_LEFT") == 0
        assert system.writes.held == {
            OUT_AT + place: int.from_bytes(expected[place:place + 8], "little")
            for place in range(0, len(expected), 8)}

    async def well(self, key: bytes | None = None) -> None:
        """A whole frame; it must be right."""
        await self.start(key or self.framed.sender.device_key)
        await self.settle()
        await self.give_headers()
        await self.end(self.expected)


async def prepared(dut, willing=always) -> System:
    """After reset, with descriptors and a key."""
    system = System(dut, willing)
    await system.start()
    await load(system)
    return system


@cocotb.test()
async def with_pauses(dut):
    """Both kinds of key while all sides pause; every frame has the next number."""
    for share in (1, 0.4)[:rounds(1, 2)]:
        system = await prepared(dut, sometimes(share))
        for number, kind in enumerate((SECRET, PUBLIC, SECRET), 1):
            await Frame(system, kind).well()
            assert await system.read("FRAME_NUMBER") == number


@cocotb.test()
async def bare(dut):
    """CONTROL.bare in place of a header: the residues alone. Headers are then refused."""
    system = await prepared(dut)
    for kind in (SECRET, PUBLIC):
        frame = Frame(system, kind)
        await frame.start(bytes(32))
        await frame.settle()
        await system.write("CONTROL", BARE)
        assert await system.try_write(MAP["HEADER_BYTES"].offset, 8) == SLAVE_ERROR
        await frame.end(frame.case.expected_bytes(frame.framed.ciphertext))
        await system.write("CONTROL", CLEAR)
    await Frame(system, SECRET).well()


@cocotb.test()
async def locked_key(dut):
    """KEY_LOCK.tag keeps the device key, which zeroise clears; nothing reads it."""
    system = await prepared(dut)
    key = Frame(system, PUBLIC).framed.sender.device_key
    await Frame(system, PUBLIC).well()
    await system.write("KEY_LOCK", TAG_LOCK)
    assert await system.try_write(MAP["TAG_KEY"].offset, 1) == SLAVE_ERROR
    assert await system.read("TAG_KEY") == 0
    await system.write("CONTROL", CLEAR)
    await Frame(system, PUBLIC).well(bytes(32))  # which is refused
    await system.write("CONTROL", CLEAR)
    await system.write("COMMAND", ZEROISE)
    await system.write("SAMPLE_ADDRESS", 0, 0, 0, 0)
    await system.write("CONTROL", START)
    await system.until_quiet()
    frame = Frame(system, PUBLIC)
    await load(system)
    frame.framed = replace(frame.framed, sender=replace(frame.framed.sender, device_key=bytes(32)))
    assert frame.framed.sender.device_key != key
    await frame.well()


@cocotb.test()
async def refusals(dut):
    """Headers outside of frames, of no length and too long, and words too many; a read of a beat
    that no header allows. An abort ends everything, and the number goes on."""
    system = await prepared(dut)
    places = {name: MAP[name].offset for name in ("HEADER_BYTES", "HEADER_DATA", "OUT_LOW")}
    assert await system.try_write(places["HEADER_BYTES"], 8) == SLAVE_ERROR
    frame = Frame(system, PUBLIC)
    await frame.start(frame.framed.sender.device_key)
    for length in (0, 256):
        assert await system.try_write(places["HEADER_BYTES"], length) == SLAVE_ERROR
    assert await system.try_write(places["HEADER_DATA"], 1) == SLAVE_ERROR
    assert (await system.try_read(places["OUT_LOW"]))[1] == SLAVE_ERROR
    await system.write("HEADER_BYTES", 5)
    assert await system.try_write(places["HEADER_BYTES"], 5) == SLAVE_ERROR
    await system.write("HEADER_DATA", 1, place=0)
    await system.write("HEADER_DATA", 1, place=0)
    assert await system.try_write(places["HEADER_DATA"], 1) == SLAVE_ERROR
    await system.write("CONTROL", ABORT)
    await system.until_quiet()
    await system.write("CONTROL", CLEAR)
    await Frame(system, SECRET).well()
    assert await system.read("FRAME_NUMBER") == 2
