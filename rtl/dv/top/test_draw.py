"""Keys that the slot draws itself (doc/key_slot.md): the pair is the model's of the secret that
this bench knows, and whoever writes all registers neither learns nor chooses it."""
import random
import struct
from dataclasses import replace
from types import SimpleNamespace

import cocotb
from cocotb.triggers import FallingEdge

from rtl.dv.bench import reset, rounds
from rtl.dv.streams import always, idle, sometimes
from rtl.dv.top.engine import ABORT as ABORTED
from rtl.dv.top.engine import (
    BUS,
    DRAW,
    FORMAT,
    KEY,
    NO_ERROR,
    ORDER,
    SECRET,
    Command,
    descriptor,
    packed_rows,
)
from rtl.dv.top.slot import encrypt_from, head_of, root
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
from rtl.dv.top.test_bfv import pair_of
from rtl.dv.top.test_engine import Case
from rtl.dv.top.test_engine_robust import SMALL
from rtl.dv.top.test_key_slot import (
    CAPABILITY_DRAW,
    LOCK_KEY,
    SECRET_WORDS,
    SHAPE,
    has_no_key,
    hashes,
    zeroise,
)
from rtl.dv.top.test_system import OKAY, OUT_AT, SLAVE_ERROR, Operation, bench, load
from rtl.dv.top.test_system_bfv import SECRET_KIND, encryption
from spec.gen.vectors.ciphertexts import source_of
from spec.model.encode import encode
from spec.model.encryption import encrypt
from spec.model.keys import KeyPair, KeySeeds, ternary_bytes
from spec.model.mask import mask
from spec.model.sampling import ternary
from spec.model.streams import CHACHA20
from spec.model.streams import SECRET as SECRET_DOMAIN
from spec.model.wire_codes import KEY_KIND_SECRET_TERNARY

DRAWS = {"KeyWords": 0, "Draw": 1}
BENCHES = [
    bench("draw", 32, __name__, **DRAWS, **SHAPE),
    bench("draw-shake", 32, __name__, **DRAWS, Xof=1),
    bench("draw-w54", 54, __name__, **DRAWS, XofRounds=2, Factors=3, SharedNoise=1, Bfv=1),
]
# Cycles in which a draw is over, its root included.
LONGEST = 5000
# And cycles in which it is not.
SHORTEST = 800
SAMPLE_AT = 0x1000
OUT_WAITING = 4
# Errors by what stops a draw in the middle.
STOPS = {"abort": ABORTED, "descriptor": ORDER, "bus error": BUS}


def shape(system: System) -> SimpleNamespace:
    """The engine as its cases see it."""
    return SimpleNamespace(suite=system.suite, key_words=0, max_log_n=10)


def parameters_of(system: System):
    """The set whose keys are drawn; where there are BFV encryptions one for both schemes."""
    if int(system.dut.Bfv.value):
        return pair_of(shape(system)).parameters
    return Case(shape(system), SMALL[system.width], SECRET).parameters


def head_words(parameters, **changes: int) -> list[int]:
    """The head of a key of this set, or of another shape."""
    shown = {"degree": parameters.ring_degree, "primes": len(parameters.data_primes)} | changes
    head = head_of(KEY_KIND_SECRET_TERNARY, shown["degree"], shown["primes"],
                   shown["degree"] // 4)
    return list(struct.unpack("<12I", head))


class Draw:
    """One draw: what software writes, and the pair that it leads to."""

    def __init__(self, system: System, secret: bytes | None = None, seed: bytes | None = None):
        self.system, self.parameters = system, parameters_of(system)
        self.secret = secret or random.randbytes(32)
        self.seed = seed or random.randbytes(32)

    async def head(self, **changes: int) -> None:
        """Secret and head."""
        await self.system.write("KEY_BEGIN", 0)
        for word in (*struct.unpack("<8I", self.secret), *head_words(self.parameters, **changes)):
            await self.system.write("KEY_DATA", word)

    async def begin(self, samples: int = 0, **changes: int) -> None:
        """The command, by default that of the head."""
        command = replace(Command(DRAW, self.parameters.ring_degree.bit_length() - 1,
                                  len(self.parameters.data_primes), self.system.suite,
                                  secret_ntt=0), **changes)
        await self.system.command(command)
        await self.system.write("SAMPLE_ADDRESS", SAMPLE_AT, samples)
        await self.system.write("PUBLIC_WORDS", 0)
        await self.system.write("INTERRUPT_STATE", 7, DONE)
        await self.system.write("CONTROL", START)

    async def seeds(self) -> None:
        """The rest of the entropy."""
        await self.system.write("MASK_SEED", *struct.unpack("<8I", self.seed))
        await self.system.write("CONTROL", SEEDS)

    async def ended(self) -> int:
        """Waits for the interrupt; the error."""
        await self.system.until_interrupt(LONGEST)
        await self.system.until_quiet()
        return await self.system.error()

    async def well(self) -> None:
        """All of it; the slot must hold the key."""
        await self.head()
        await self.begin()
        await self.seeds()
        assert await self.ended() == NO_ERROR
        assert await self.system.read("STATUS") & KEY_VALID
        self.system.secret, self.system.roots = self.secret, 1
        assert await self.system.seed() == self.root.mask_seed

    async def refused(self, error: int, **changes: int) -> None:
        """The command ends in this error, and there is no key."""
        await self.begin(**changes)
        assert await self.ended() == error, changes
        await self.system.write("CONTROL", CLEAR)
        assert not await self.system.read("STATUS") & KEY_VALID, changes

    @property
    def root(self):
        """The root of the draw."""
        return root(self.system.joined(self.secret), 0, self.seed)

    def pair(self) -> KeyPair:
        """The pair without a public half yet."""
        pair = KeyPair(self.parameters, KeySeeds(self.root.noise_key, bytes(32), bytes(32)))
        vars(pair)["secret"] = ternary(self.parameters.ring_degree, self.system.suite,
                                       self.root.noise_key, SECRET_DOMAIN)
        return pair

    async def public(self) -> KeyPair:
        """Makes the public key by an encryption of zero, which must be the model's; the pair."""
        system, secret = self.system, self.pair()
        primes, degree = self.parameters.data_primes, self.parameters.ring_degree
        size = sum(degree * prime.bit_length() // 64 for prime in primes)
        system.writes.held.clear()
        await self.begin(opcode=SECRET)
        seed = random.randbytes(32)
        await system.write("MASK_SEED", *struct.unpack("<8I", seed))
        await system.write("CONTROL", SEEDS)
        await system.write("OUT_ADDRESS", OUT_AT)
        await system.write("OUT_BEATS", size)
        await system.until_interrupt(100_000)
        assert await system.error() == NO_ERROR
        made = await system.made_root(seed)
        pair = KeyPair(self.parameters,
                       KeySeeds(self.root.noise_key, made.mask_seed, made.noise_key))
        vars(pair)["secret"] = secret.secret
        if system.suite != CHACHA20:
            found = encrypt_from(made, secret, [0] * degree, 2, system.suite)
            vars(pair)["public_0"], vars(pair)["public_1"] = found.c0, found.c1
        assert pair.public_1 == mask(self.parameters, system.suite, made.mask_seed)
        data = packed_rows(pair.public_0, primes)
        assert system.writes.held == {
            OUT_AT + at: int.from_bytes(data[at:at + 8], "little")
            for at in range(0, len(data), 8)}, "public key"
        return pair


async def described(dut) -> System:
    """After reset, with the descriptors of the set."""
    system = System(dut, always)
    await system.start()
    await describe(system)
    return system


async def describe(system: System) -> None:
    """Descriptors of the set, for BFV with words of t."""
    parameters = parameters_of(system)
    plain = parameters.plain_modulus if int(system.dut.Bfv.value) else 0
    for number, prime in enumerate(parameters.data_primes):
        for word, value in descriptor(prime, parameters.ring_degree, plain).items():
            await system.write_word("PRIME", value, place=32 * number + word)


def case_of(system: System, pair: KeyPair, kind: int):
    """The small case under another pair, of CKKS: its ciphertext and bytes."""
    case = Case(shape(system), SMALL[system.width], kind)
    case.pair = replace(pair, parameters=replace(
        case.parameters, data_primes=pair.parameters.data_primes))
    for name in ("secret", "public_0", "public_1"):
        vars(case.pair)[name] = getattr(pair, name)
    case.parameters, case.primes = case.pair.parameters, pair.parameters.data_primes
    ciphertext = encrypt(case.pair, encode(case.values, case.precision), source_of(case.values),
                         kind, system.suite)
    return case, ciphertext, case.expected_bytes(ciphertext)


@cocotb.test()
async def makes_a_pair(dut):
    """Draw, public key, encryptions of CKKS and BFV under both halves, decryption: all of them are
    the model's for the secret that the formula gives."""
    system = await described(dut)
    assert await system.read("CAPABILITY") & CAPABILITY_DRAW
    for _ in range(rounds(1, 3)):
        draw = Draw(system)
        await draw.well()
        pair = await draw.public()
        under_public = case_of(system, pair, 1)
        await Operation(system, 1, under_public).well(system)
        await Operation(system, 0, under_public).well(system)
        await Operation(system, 2, case_of(system, pair, 2)).well(system)
        if int(dut.Bfv.value):
            bfv = encryption(system, SECRET_KIND)
            bfv.case.pair = pair
            await bfv.well()


@cocotb.test()
async def fresh_keys(dut):
    """Another word of the source, of software's secret or of its seed is another key; a draw
    without a new head is none, and leaves the key that is there."""
    system = await described(dut)
    first = Draw(system)
    await first.well()
    await first.public()
    await first.begin()
    assert await first.ended() == KEY
    await system.write("CONTROL", CLEAR)
    await first.public()
    keys = [first.pair().secret]
    for draw in (Draw(system, seed=first.seed), Draw(system, secret=first.secret),
                 Draw(system, first.secret, first.seed)):
        if draw.secret == first.secret and draw.seed == first.seed:
            system.give_entropy(system.entropy ^ 1 << random.randrange(32))
        await draw.well()
        await draw.public()
        keys.append(draw.pair().secret)
    assert len({tuple(key) for key in keys}) == len(keys)


async def readable(system: System) -> set[int]:
    """The values of all addresses."""
    return {(await system.try_read(4 * place))[0] for place in range(1024)}


def queued(dut) -> list[int]:
    """The memory of the samplers' words."""
    turns = dut.u_engine.u_randomness.u_stream.gen_turn
    return [int(word.value) for turn in turns for word in turn.u_words.memory]


@cocotb.test()
async def shows_nothing(dut):
    """No address gives a word of secret, source, noise key or s, before, during and after a draw;
    nothing comes out, and software's seed is gone."""
    system = await described(dut)
    draw = Draw(system)
    packed = struct.unpack(f"<{len(draw.pair().secret) // 16}I", ternary_bytes(draw.pair().secret))
    words = struct.unpack("<24I", draw.secret + system.joined(draw.secret) + draw.root.noise_key)
    hidden = {word for word in (*words, *packed, system.entropy) if word > 0xFFFF}
    await draw.head()
    assert not hidden & await readable(system)
    await draw.begin()
    assert not hidden & await readable(system)
    await draw.seeds()
    for name in ("KEY_BEGIN", "KEY_DATA", "MASK_SEED", "NOISE_KEY"):
        assert await system.try_write(MAP[name].offset, 0) == SLAVE_ERROR, name
    during, filled = set(), False
    while await system.read("STATUS") & BUSY:
        place = 4 * random.randrange(512)
        if place not in (MAP["OUT_LOW"].offset, MAP["OUT_HIGH"].offset):
            during.add((await system.try_read(place))[0])
        filled = filled or any(queued(dut))
    assert await system.error() == NO_ERROR
    given = await readable(system)
    assert not hidden & (during | given)
    assert not set(struct.unpack("<8I", draw.seed)) & given
    assert not await system.read("STATUS") & OUT_WAITING and not system.writes.held
    assert filled and not any(queued(dut)), "words that the key was made of"
    system.secret, system.roots = draw.secret, 1
    await draw.public()
    await hashes(system)


@cocotb.test()
async def refusals(dut):
    """No head, another shape than the head's, words of a payload, a lock: no key, and the next draw
    is right."""
    system = await described(dut)
    draw = Draw(system)
    log_degree, primes = draw.parameters.ring_degree.bit_length() - 1, len(
        draw.parameters.data_primes)
    await draw.refused(KEY)
    shapes = [{"primes": primes + 1}, {"primes": 16}, {"secret_ntt": 1}]
    shapes += [{"primes": primes - 1}] * (primes > 1)
    shapes += [{"log_degree": log_degree + 1}] * (int(dut.MaxLogN.value) > log_degree)
    for changes in shapes:
        await draw.head()
        await draw.refused(KEY, **changes)
        await draw.refused(KEY)
    await draw.head()
    await draw.refused(FORMAT, suite=3 - system.suite)
    await draw.head(primes=primes + 1)
    await draw.refused(KEY)
    for count in (1, random.randrange(2, 30), draw.parameters.ring_degree // 16):
        await draw.head()
        for _ in range(count):
            await system.write("KEY_DATA", 0)
        await draw.refused(KEY)
        assert await system.try_write(MAP["KEY_DATA"].offset, 0) == SLAVE_ERROR
    await has_no_key(system)
    await draw.well()
    await draw.public()
    await draw.head()
    await system.write("KEY_LOCK", LOCK_KEY)
    await draw.begin()
    assert await system.read("STATUS") & (REFUSED | BUSY | KEY_VALID) == REFUSED
    assert await system.try_write(MAP["KEY_BEGIN"].offset, 0) == SLAVE_ERROR


async def stopped(system: System, draw: Draw, action: str) -> None:
    """Stops a draw in the middle."""
    if action == "bus error":
        system.reads.broken.add(SAMPLE_AT)
        system.reads.responses.willing = sometimes(0.02)  # within SHORTEST
    await draw.begin(samples=int(action == "bus error"))
    if random.random() < 0.8:
        await draw.seeds()
    if action == "bus error":
        await system.until_interrupt(LONGEST)
        system.reads.broken.clear()
        system.reads.responses.willing = always
    else:
        await idle(system.dut, system.sides, random.randrange(1, SHORTEST))
    if action == "abort":
        await system.write("CONTROL", ABORT)
    elif action == "descriptor":
        await system.write_word("PRIME", 0, place=16)
    await system.until_quiet()
    assert await system.error() == STOPS[action]
    await system.write("CONTROL", CLEAR)


async def spoilt(system: System, draw: Draw, action: str) -> System:
    """A head whose key does not come, or a draw that is stopped; the system, also after a reset."""
    await draw.head()
    if action in STOPS:
        await stopped(system, draw, action)
    elif action == "begin":
        await system.write("KEY_BEGIN", 0)
    elif action == "stop":
        await system.write("CONTROL", ABORT)
        await system.write("CONTROL", CLEAR)
    elif action == "zeroise":
        await zeroise(system)
    elif action == "entropy":
        await without_entropy(system)
    else:
        await draw.begin()
        await draw.seeds()
        await idle(system.dut, system.sides, random.randrange(1, SHORTEST))
        await reset(system.dut)
        system = System(system.dut, always)
    await system.until_quiet()
    return system


@cocotb.test()
async def parts(dut):
    """A draw that is stopped leaves no key, no secret and nothing in the sponge, whatever stops it;
    neither does a head whose key begins again, is stopped or zeroised."""
    system = await described(dut)
    for action in (*STOPS, "reset", "begin", "stop", "zeroise", "entropy") * rounds(1, 4):
        system = await spoilt(system, Draw(system), action)
        await Draw(system).refused(KEY)
        await has_no_key(system)
        assert secret_of(dut) == 0, action
        await system.write("CONTROL", ABORT)
        await system.write("CONTROL", CLEAR)
        await hashes(system)
    await describe(system)
    draw = Draw(system)
    await draw.well()
    await draw.public()
    await load_again(system)
    await draw.well()
    await zeroise(system)
    await system.until_quiet()
    await has_no_key(system)
    assert secret_of(dut) == 0


def secret_of(dut) -> int:
    """The slot's secret, below the top."""
    return int(dut.u_guard.secret_q.value)


async def without_entropy(system: System) -> None:
    """A word without one of the source is refused; it may come again."""
    await system.write("KEY_BEGIN", 0)
    await system.write("KEY_DATA", 5)
    system.give_entropy(system.entropy, 0)
    for _ in range(3):
        assert await system.try_write(MAP["KEY_DATA"].offset, 5) == SLAVE_ERROR
    system.give_entropy(system.entropy, 1)
    for _ in range(SECRET_WORDS - 1):
        assert await system.try_write(MAP["KEY_DATA"].offset, 5) == OKAY
    head = head_words(parameters_of(system))
    wrong = [*head[:2], head[2] + 1]
    for word, answer in zip(wrong, (OKAY, OKAY, SLAVE_ERROR)):
        assert await system.try_write(MAP["KEY_DATA"].offset, word) == answer


async def load_again(system: System) -> None:
    """A key from outside takes the place of a drawn one."""
    await load(system)
    await Operation(system, 2).well(system)


async def runs(draw: Draw) -> None:
    """A draw with both seeds, after one that was stopped: the words that an operation leaves behind
    would have to be dropped first."""
    await draw.head()
    await draw.begin()
    await draw.system.write("CONTROL", ABORT)
    await draw.system.until_quiet()
    await draw.system.write("CONTROL", CLEAR)
    await draw.head()
    await draw.begin()
    await draw.seeds()


@cocotb.test()
async def last_cycles(dut):
    """An abort in each of the last cycles of a draw: there is a whole key, or none."""
    system = await described(dut)
    draw = Draw(system)
    await runs(draw)
    length = await system.until_interrupt(LONGEST)
    found = set()
    for early in range(0, 24, rounds(4, 1)):
        await runs(draw)
        await idle(dut, system.sides, length - early)
        await system.write("CONTROL", ABORT)
        await system.until_quiet()
        valid = bool(await system.read("STATUS") & KEY_VALID)
        assert valid == (await system.error() == NO_ERROR)
        found.add(valid)
        await system.write("CONTROL", CLEAR)
        if valid:
            system.secret, system.roots = draw.secret, 1
            await draw.public()
        else:
            await FallingEdge(dut.clk_i)
            assert secret_of(dut) == 0
    assert found == {False, True}
