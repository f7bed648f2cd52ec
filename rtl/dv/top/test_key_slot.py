"""Attacks on the key slot of isopod_system (doc/key_slot.md): every one of them could write all
registers, and learns nothing of the key."""
import hashlib
import random
import struct
from collections.abc import Callable
from dataclasses import replace

import cocotb
from cocotb.triggers import FallingEdge

from rtl.dv.arithmetic import NARROW
from rtl.dv.bench import reset, rounds
from rtl.dv.streams import always, idle
from rtl.dv.top.engine import DRAW, KEY, NO_ERROR, OPCODE, PUBLIC, ZEROISE
from rtl.dv.top.slot import key_words
from rtl.dv.top.system import (
    ABORT,
    BUSY,
    CLEAR,
    DONE,
    KEY_VALID,
    MAP,
    REFUSED,
    SEEDS,
    START,
    System,
)
from rtl.dv.top.test_system import OKAY, SLAVE_ERROR, Operation, bench, load, prepared
from spec.model.keys import SECRET_NTT, SECRET_TERNARY, blob
from spec.model.mask import mask
from spec.model.packing import unpack
from spec.model.sampling import ternary
from spec.model.streams import CHACHA20
from spec.model.streams import SECRET as SECRET_DOMAIN

SHAPE = {"MaxLogN": 11, "Lanes": 1}
BENCHES = [
    bench("key-slot", 32, __name__, KeyWords=2048, **SHAPE),
    bench("key-slot-ternary", 32, __name__, KeyWords=0, Draw=1, **SHAPE),
    bench("key-slot-w54", 54, __name__, KeyWords=1024),
]
LOCK_KEY, LOCK_DECRYPT = 1, 2
CAPABILITY_DRAW = 1 << 22
SECRET_WORDS, HEAD_WORDS = 8, 12
KIND, DEGREE, PRIMES = (SECRET_WORDS + place for place in (2, 3, 10))


def key_of(system: System) -> bytes:
    """The blob of the small case."""
    pair = Operation(system, 2).case.pair
    return blob(pair, SECRET_NTT if system.key_words else SECRET_TERNARY)


async def begins(system: System, operation: Operation, **changes: int) -> None:
    """Starts an operation with other fields in its command."""
    operation.command = replace(operation.command, **changes)
    await operation.begin(system)
    await operation.ended(system)


async def has_no_key(system: System) -> None:
    """No operation by secret key runs."""
    assert not await system.read("STATUS") & KEY_VALID
    for kind in (2, 0):
        operation = Operation(system, kind)
        await begins(system, operation)
        await system.until_quiet()
        assert await system.error() == KEY and not system.writes.held
        await system.write("CONTROL", CLEAR)


async def encrypts(system: System, seed: bytes, noise: bytes) -> tuple[bytes, list[int]]:
    """Mask seed and c0 of an encryption by secret key under seeds of the attacker's choice."""
    operation = Operation(system, 2)
    operation.ciphertext = replace(operation.ciphertext, root=replace(
        operation.ciphertext.root, mask_seed=seed, noise_key=noise))
    await operation.well(system)
    prime = operation.case.primes[0]
    return await system.seed(), unpack(operation.expected, prime.bit_length())


@cocotb.test()
async def chosen_noise(dut):
    """Whoever chooses NOISE_KEY twice the same and two mask seeds gets other seeds than these, and
    noise of nobody's choice: the quotient of the differences is not the key."""
    system = await prepared(dut)
    noise = random.randbytes(32)
    seeds = [random.randbytes(32) for _ in range(2)]
    found = [await encrypts(system, seed, noise) for seed in (*seeds, seeds[0])]
    assert len({made for made, _ in found} | set(seeds)) == 5, "a seed was used twice"
    case = Operation(system, 2).case
    prime, secret = case.primes[0], case.pair.secret_ntt[0]
    masks = [mask(case.parameters, CHACHA20, made)[0] for made, _ in found]
    for first, second in ((0, 1), (0, 2)):
        rows = zip(found[first][1], found[second][1], masks[first], masks[second])
        guess = [(y - x) * pow(a - b, -1, prime) % prime if a != b else 0 for x, y, a, b in rows]
        right = sum(g == s for g, s in zip(guess, secret))
        assert right < 4, f"{right} words of NTT(s)"


@cocotb.test()
async def late_writes(dut):
    """Between start and end no register changes what runs: COMMAND turned to a public key does not
    make NOISE_KEY count, seeds that were given stay, keys are refused."""
    system = await prepared(dut)
    operation = Operation(system, 2)
    command = operation.command
    begin_seeds = system.write

    async def write(name: str, *values: int, place: int = 0) -> None:
        await begin_seeds(name, *values, place=place)
        if name == "CONTROL" and values == (START,):
            await begin_seeds("COMMAND", PUBLIC | command.log_degree << 4 | 1 << 8 | 1 << 13)
        if name == "CONTROL" and values == (SEEDS,):
            for held in ("MASK_SEED", "NOISE_KEY"):
                for index in range(8):
                    address = MAP[held].offset + 4 * index
                    assert await system.try_write(address, random.getrandbits(32)) == SLAVE_ERROR
            assert await system.try_write(MAP["KEY_BEGIN"].offset, 0) == SLAVE_ERROR

    system.write = write
    await operation.well(system)
    assert await system.read("STATUS") & KEY_VALID
    assert await system.read("NOISE_KEY") == 0


def damaged(words: list[int], ternary_key: bool) -> dict[str, tuple[list[int], int]]:
    """Loads that are none, and the word that the slot refuses."""
    def changed(place: int, change: Callable[[int], int]) -> tuple[list[int], int]:
        return [*words[:place], change(words[place]), *words[place + 1:]], place

    last, payload = len(words) - 1, SECRET_WORDS + HEAD_WORDS
    bit = 1 << random.randrange(32)
    found = {
        "kind": changed(KIND, lambda _: random.choice((0, 1, 3 + ternary_key, 17, 1 << 31))),
        "degree": changed(DEGREE, lambda word: random.choice((0, 512, 4096, word + 1, 1 << 31))),
        "no prime": changed(PRIMES, lambda _: 0),
        "primes": changed(PRIMES, lambda _: random.choice((17, 1 << 16 | 1, 33))),
        "last word": changed(last, lambda word: word ^ bit),
    }
    for name, place in (("digest", random.randrange(last - 7, last)),
                        ("set", SECRET_WORDS + random.randrange(4, 10)),
                        ("magic", SECRET_WORDS),
                        ("payload", random.randrange(payload, last - 7))):
        low = bit if not ternary_key or name != "payload" else 0
        swapped = changed(place, lambda word, low=low: word ^ low if low else word >> 2)
        if swapped[0] != words:
            found[name] = (swapped[0], last)
    if ternary_key:
        found["symbol"] = changed(payload + random.randrange(8), lambda word: word | 3 << 4)
    return found


@cocotb.test()
async def wrong_keys(dut):
    """A key counts only whole and with its digest; who brings another one loses what was there."""
    system = await prepared(dut)
    words = key_words(random.randbytes(32), key_of(system))
    for name, (load_words, place) in damaged(words, not system.key_words).items():
        await system.write("KEY_BEGIN", 0)
        await system.write("KEY_DATA", *load_words[:1])
        for index, word in enumerate(load_words[1:], 1):
            answer = await system.try_write(MAP["KEY_DATA"].offset, word)
            assert answer == (SLAVE_ERROR if index == place else OKAY), f"{name}, word {index}"
            if answer == SLAVE_ERROR:
                break
        assert not await system.read("STATUS") & KEY_VALID, name
        assert await system.try_write(MAP["KEY_DATA"].offset, words[place]) == SLAVE_ERROR, name
    await has_no_key(system)
    await load(system)
    await Operation(system, 2).well(system)


@cocotb.test()
async def parts(dut):
    """A part of a key, after reset or after another key, is none: the rest does not come from the
    memory."""
    system = await prepared(dut)
    words = key_words(bytes(32), key_of(system))
    for count in (0, SECRET_WORDS, SECRET_WORDS + HEAD_WORDS + 1, len(words) - 9, len(words) - 1):
        if random.random() < 0.5:
            await reset(dut)
            system = System(dut, always)
            await system.until_quiet()
        await system.write("KEY_BEGIN", 0)
        for word in words[:count]:
            await system.write("KEY_DATA", word)
        if random.random() < 0.5:
            await system.write("CONTROL", ABORT)
            await system.write("CONTROL", CLEAR)
            assert await system.try_write(MAP["KEY_DATA"].offset, 0) == SLAVE_ERROR
    await has_no_key(system)


@cocotb.test()
async def other_shapes(dut):
    """A key serves its own degree and number of primes, and the descriptors that it was loaded
    for."""
    system = await prepared(dut)
    shapes = [{"primes": 2}] if system.width == NARROW else []
    if int(dut.MaxLogN.value) > 10:
        shapes.append({"log_degree": 11})
    for shape in shapes:
        for kind in (2, 0):
            await begins(system, Operation(system, kind), **shape)
            await system.until_quiet()
            assert await system.error() == KEY and not system.writes.held
            await system.write("CONTROL", CLEAR)
    await system.write("KEY_ID", 1, 2, 3, 4)
    await system.write_word("PRIME", 0, place=32 + 16)
    assert await system.read("KEY_ID") == 0
    await has_no_key(system)


@cocotb.test()
async def locks(dut):
    """Locks stay until reset, whatever is written; the key serves behind them, and zeroise ends
    it."""
    system = await prepared(dut)
    await system.write("KEY_ID", 5)
    await system.write("KEY_LOCK", LOCK_KEY)
    for value in (0, LOCK_DECRYPT, 0xFFFFFFF0):
        await system.write("KEY_LOCK", value)
        for name in ("KEY_BEGIN", "KEY_DATA", "KEY_ID", "PRIME"):
            place = MAP[name].offset + 4 * random.randrange(MAP[name].count)
            assert await system.try_write(place, random.getrandbits(32)) == SLAVE_ERROR, name
    assert await system.read("KEY_LOCK") == LOCK_KEY | LOCK_DECRYPT
    assert await system.read("KEY_ID") == 5
    await Operation(system, 2).well(system)
    await system.write("CONTROL", CLEAR)
    decryption = Operation(system, 0)
    await system.write("COMMAND", decryption.command.opcode | 10 << 4 | 1 << 8 | 1 << 17)
    await system.write("CONTROL", START)
    assert await system.read("STATUS") & (REFUSED | BUSY) == REFUSED
    await zeroise(system)
    assert not await system.read("STATUS") & KEY_VALID
    assert await system.try_write(MAP["KEY_BEGIN"].offset, 0) == SLAVE_ERROR
    await reset(dut)
    system = System(dut, always)
    await system.until_quiet()
    await load(system)
    await Operation(system, 2).well(system)


@cocotb.test()
async def no_draw(dut):
    """A build without it draws nothing, and the key stays."""
    system = await prepared(dut)
    if system.draws:
        return
    assert not await system.read("CAPABILITY") & CAPABILITY_DRAW
    await begins(system, Operation(system, 2), opcode=DRAW)
    await system.until_quiet()
    assert await system.error() == OPCODE and not system.writes.held
    await system.write("CONTROL", CLEAR)
    await Operation(system, 2).well(system)


async def zeroise(system: System) -> None:
    """Starts it, without its end."""
    await system.write("SAMPLE_WORDS", 0)
    await system.write("PUBLIC_WORDS", 0)
    await system.write("INTERRUPT_STATE", 7, DONE)
    await system.write("COMMAND", ZEROISE)
    await system.write("CONTROL", START)


@cocotb.test()
async def zeroise_to_the_end(dut):
    """Nothing stops a zeroise: it ends as late as ever, and the key is gone at once."""
    system = await prepared(dut)
    await zeroise(system)
    await system.until_interrupt(400_000)
    whole = await system.read("CYCLES")
    await load(system)
    await zeroise(system)
    while await system.read("STATUS") & BUSY:
        assert not await system.read("STATUS") & KEY_VALID
        await idle(dut, system.sides, random.randrange(200))
        await system.write("CONTROL", random.choice((ABORT, CLEAR)))
        await system.try_write(MAP["PRIME"].offset, 0)
        await system.try_write(MAP["KEY_DATA"].offset, 0)
    assert await system.read("CYCLES") == whole
    await system.write("CONTROL", CLEAR)
    await has_no_key(system)


@cocotb.test()
async def readable_registers(dut):
    """No address gives a word of the key or of the secret, while it comes, while it is used and
    afterwards; nor does the sponge."""
    system = await prepared(dut)
    secret, key = random.randbytes(32), key_of(system)
    words = key_words(secret, key)
    hidden = {word for word in words[:SECRET_WORDS] + words[SECRET_WORDS + HEAD_WORDS:-8]
              if word > 0xFFFF}
    stops = (SECRET_WORDS, SECRET_WORDS + HEAD_WORDS + 20, len(words))
    await system.write("KEY_BEGIN", 0)
    for index, word in enumerate(words, 1):
        await system.write("KEY_DATA", word)
        if index in stops:
            assert not hidden & {(await system.try_read(4 * place))[0] for place in range(128)}
    system.secret, system.roots = secret, 0
    await Operation(system, 2).well(system)
    assert not hidden & {(await system.try_read(4 * place))[0] for place in range(1024)}


async def hashes(system: System) -> None:
    """Software's hash is right."""
    message = random.randbytes(100)
    block = bytearray(message + b"\x06" + bytes(99))
    block[135] |= 0x80
    for word in struct.unpack("<50I", block):
        assert await system.try_write(MAP["SPONGE_IN"].offset, word) == OKAY
    given = [await system.read("SPONGE_OUT") for _ in range(50)]
    assert struct.pack("<8I", *given[:8]) == hashlib.sha3_256(message).digest()


@cocotb.test()
async def sponge_of_software(dut):
    """Software's hashes are right around loads and roots; what it had begun is lost, never mixed
    with what the slot hashes."""
    system = await prepared(dut)
    for _ in range(rounds(1, 4)):
        await system.write("SPONGE_IN", 0xFFFFFFFF)
        await load(system)
        await hashes(system)
        await system.write("SPONGE_IN", 0xFFFFFFFF)
        await Operation(system, 2).well(system)
    await system.write("KEY_BEGIN", 0)
    assert await system.try_write(MAP["SPONGE_IN"].offset, 0) == SLAVE_ERROR
    await system.write("CONTROL", ABORT)


@cocotb.test()
async def equal_cycles(dut):
    """Operations by secret key, roots and loads take as long whatever key, secret, message and
    noise are."""
    system = await prepared(dut)
    case = Operation(system, 2).case
    taken: dict[str, set[int]] = {"load": set(), "encryption": set(), "decryption": set()}
    await Operation(system, 2).well(system)  # builds the twiddle table
    for _ in range(rounds(3, 8)):
        seeds = replace(case.pair.seeds, secret_key=random.randbytes(32))
        pair = replace(case.pair, seeds=seeds)
        assert pair.secret == ternary(1024, CHACHA20, seeds.secret_key, SECRET_DOMAIN)
        started = Cycles(dut)
        await system.load(blob(pair, SECRET_NTT if system.key_words else SECRET_TERNARY))
        taken["load"].add(started.count())
        for name, kind in (("encryption", 2), ("decryption", 0)):
            operation = Operation(system, kind)
            if kind == 2:
                operation.words = {place: random.choice((0, 0x3F800000, 0xBF000001))
                                   for place in operation.words}
            await begins(system, operation)
            assert await system.error() == NO_ERROR
            await system.read("OUT_LEFT")
            taken[name].add(await system.read("CYCLES"))
    dut._log.info("cycles %s", taken)
    assert all(len(found) == 1 for found in taken.values()), taken


class Cycles:
    """Clock cycles of the simulation."""

    def __init__(self, dut):
        self.counted = 0
        cocotb.start_soon(self.follow(dut))

    async def follow(self, dut) -> None:
        """Counts for ever."""
        while True:
            await FallingEdge(dut.clk_i)
            self.counted += 1

    def count(self) -> int:
        """Cycles since it began."""
        return self.counted
