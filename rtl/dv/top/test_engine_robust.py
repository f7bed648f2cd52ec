"""isopod_engine under pauses, invalid commands and data, aborts and resets: it never outputs a
wrong byte, and is always usable afterwards."""
import random
from functools import cache

import cocotb
from cocotb.triggers import FallingEdge

from rtl.dv.arithmetic import NARROW
from rtl.dv.bench import QUICK, reset, rounds
from rtl.dv.streams import always, idle, sometimes
from rtl.dv.top import engine as unit_names
from rtl.dv.top.engine import (
    DECRYPT,
    FIXED,
    FORWARD,
    INTEGER,
    INVERSE,
    NO_ERROR,
    ZEROISE,
    Command,
    Engine,
    packed_rows,
    ternary_place,
)
from rtl.dv.top.test_engine import (
    SMALL_SET,
    SMALL_SET64,
    Case,
    decrypts_well,
    engine,
    key_pair,
)
from spec.base.arithmetic import is_prime
from spec.model.ntt import ntt

BENCHES = [
    engine("robust-w32p4", module=__name__, Lanes=4),
    engine("robust-w32p1", module=__name__, quick=False, Lanes=1, TwiddleTables=1, KeyWords=0),
    engine("robust-w32p8", module=__name__, quick=False, Lanes=8, XofRounds=2, Tiled=1),
    engine("robust-w54p4", module=__name__, quick=False, ModulusWidth=54, Lanes=4, MaxLogN=11,
           XofRounds=2, TwiddleTables=1, KeyWords=0, Factors=3, SharedNoise=1),
]
SMALL = {32: SMALL_SET, 54: SMALL_SET64}
BAD_MODULI = {
    32: (0, 1, 12289, (1 << 25) - 2047, 67104769 + 1024, 67104768, (1 << 30) + 2049, 0xFFFFF801),
    # Too short, too long, an excess of 0 and of 2^12, not 1 mod 2^13, a hole among the ones.
    54: (0, 1, 67104769, (1 << 35) - (1 << 13) + 1, (1 << 55) - (1 << 13) + 1, (1 << 54) + 1,
         (1 << 54) - (1 << 25) + 1, (1 << 54) - (1 << 12) + 1, (1 << 54) - (1 << 13),
         (1 << 54) - (1 << 40) - (1 << 13) + 1, (1 << 64) - (1 << 13) + 1),
}
SHARES = (0.02, 0.2, 0.7, 1)


@cache
def computed(kind: int, suite: int, key_words: int, width: int, made: type[Case] = Case):
    """Ciphertext, bytes and inputs of the small case; `made` wants only these of an engine."""
    shape = {"suite": suite, "key_words": key_words, "max_log_n": 10}
    case = made(type("Shape", (), shape)(), SMALL[width], kind)
    ciphertext = case.expected()
    return case, ciphertext, case.expected_bytes(ciphertext)


def expectation(kind: int, unit: Engine):
    """The small case of an engine."""
    return computed(kind, unit.suite, unit.key_words, unit.width)


def prime_of(unit: Engine) -> int:
    """The prime of the small case."""
    return key_pair(unit, SMALL[unit.width]).parameters.data_primes[0]


async def prepared(dut) -> Engine:
    """Out of reset, with descriptor and key of the small set."""
    unit = Engine(dut)
    await unit.start()
    await describe(unit)
    return unit


async def describe(unit: Engine) -> None:
    case, _, _ = expectation(2, unit)
    await unit.describe(case.primes, case.parameters.ring_degree)
    await unit.write_secret(case.pair.secret, case.pair.secret_ntt, case.primes)


async def encrypt_well(unit: Engine, kind: int = 2) -> int:
    """Runs a whole encryption, which must be correct; the number of cycles."""
    case, ciphertext, expected = expectation(kind, unit)
    case.unit = unit
    taken = await case.run(ciphertext)
    assert unit.error == NO_ERROR
    assert unit.collected() == expected
    return taken


async def refused(unit: Engine, command: Command, error: int, samples=(), public=()) -> None:
    """The command ends in this error, sends nothing and blocks until cleared; then the engine
    encrypts again."""
    unit.forget()
    await unit.run(command, samples, public, limit=20_000)
    assert unit.error == error, f"{command}: error {unit.error}"
    unit.samples.drop()
    unit.public.drop()
    await idle(unit.dut, unit.sides, 50)
    assert unit.dut.command_ready_o.value == 0 and unit.dut.busy_o.value == 0
    assert unit.error == error
    assert unit.collected() == b""
    await unit.pulse(unit.dut.clear_i)
    assert unit.error == NO_ERROR


@cocotb.test()
async def pauses(dut):
    """Any pattern of pauses on any side gives the same bytes."""
    unit = await prepared(dut)
    for _ in range(rounds(2, 12)):
        unit.pause(*[sometimes(random.choice(SHARES)) for _ in range(3)])
        await encrypt_well(unit, random.choice((1, 2)))
    unit.pause(sometimes(1), sometimes(1), sometimes(0.05 if QUICK else 0.01))
    await encrypt_well(unit, 1)


@cocotb.test()
async def bad_commands(dut):
    """Every field out of range."""
    unit = await prepared(dut)
    good = expectation(2, unit)[0].command
    changes = [({"opcode": code}, unit_names.OPCODE) for code in (0, 7, 11, 15)]
    changes += [({"log_degree": degree}, unit_names.DEGREE)
                for degree in (0, 9, unit.max_log_n + 1, 15)]
    changes += [({"primes": number}, unit_names.PRIMES) for number in (0, 17, 31)]
    changes += [({"suite": suite}, unit_names.FORMAT) for suite in {0, 1, 2, 3} - {unit.suite}]
    changes += [({"sample": 3}, unit_names.FORMAT), ({"shift": 31}, unit_names.FORMAT),
                ({"count": 513}, unit_names.FORMAT)]
    changes += [({"secret_ntt": 1 - good.secret_ntt}, unit_names.KEY)]
    if unit.key_words:
        changes += [({"primes": 13}, unit_names.PRIMES)]
    if not unit.complex:
        changes += [({"complex_slots": 1}, unit_names.FORMAT)]
    for change, error in changes:
        await refused(unit, Command(**vars(good) | change), error)
    await encrypt_well(unit)


@cocotb.test()
async def bad_moduli(dut):
    """Moduli that isopod_descriptor refuses; also in the last of several primes."""
    unit = await prepared(dut)
    good = expectation(1, unit)[0].command
    for modulus in BAD_MODULI[unit.width]:
        await unit.write_word(3, 0, modulus)
        for number in (1, 2):
            await unit.write_word(number, 0, prime_of(unit))
        command = Command(**vars(good) | {"primes": 4})
        await refused(unit, command, unit_names.MODULUS)
        await unit.pulse(dut.clear_i)
    await encrypt_well(unit, 1)


@cocotb.test()
async def overflowing_samples(dut):
    """Samples beyond the bound, infinities and NaNs; residues not below the modulus."""
    unit = await prepared(dut)
    good = expectation(2, unit)[0].command
    float_words = (0x7F800000, 0xFF800000, 0x7FC00000, 0x3F800001, 0xBF800001, 0x40000000,
                   0x7F7FFFFF)
    for word in float_words:
        await refused(unit, good, unit_names.OVERFLOW,
                      [0] * random.randrange(500) + [word] + [0] * 12)
    others = ((INTEGER, 3, 9), (INTEGER, 3, -9), (INTEGER, 0, 1 << 31), (INTEGER, -1, 0),
              (FIXED, 0, (1 << 30) + 1),
              (FIXED, 0, 1 << 31))
    for form, bound, word in others:
        command = Command(**vars(good) | {"sample": form, "log2_bound": bound})
        await refused(unit, command, unit_names.OVERFLOW, [word] * 3)
    for opcode in (FORWARD, INVERSE):
        await refused(unit, Command(opcode, 10, 1, unit.suite), unit_names.OVERFLOW,
                      [0] * 100 + [prime_of(unit)])
    await encrypt_well(unit)


@cocotb.test()
async def decryptions(dut):
    """Decryptions with pauses, and stopped at any time; residues not below the modulus."""
    unit = await prepared(dut)
    case, ciphertext, _ = expectation(2, unit)
    case.unit = unit
    command = Command(**vars(case.command) | {"opcode": DECRYPT})
    for word in (prime_of(unit), (1 << len(dut.public_i)) - 1):
        await refused(unit, command, unit_names.OVERFLOW,
                      public=[0] * random.randrange(1000) + [word] + [0] * 9)
    taken = await decrypts_well(case, ciphertext.c0, ciphertext.c1)
    for _ in range(rounds(2, 12)):
        unit.forget()
        unit.give(command, public=[1] * 2048)
        await idle(dut, unit.sides, random.randrange(1, taken - 100))
        await stop(unit, random.choice(("abort_i", "bus_error_i", "rst_ni")))
        unit.pause(public=sometimes(random.choice(SHARES)), beats=sometimes(random.choice(SHARES)))
        await decrypts_well(case, ciphertext.c0, ciphertext.c1)
        unit.pause()
        await encrypt_well(unit, random.choice((1, 2)))


@cocotb.test()
async def stopped_anywhere(dut):
    """Aborts, bus errors, writes while busy and resets at any time; nothing is output afterwards,
    and the next run is correct."""
    unit = await prepared(dut)
    await encrypt_well(unit)
    # With the twiddles built, so that all runs take equal time.
    shortest = {kind: await encrypt_well(unit, kind) for kind in (1, 2)}
    for _ in range(rounds(4, 40)):
        kind = random.choice((1, 2))
        case, ciphertext, expected = expectation(kind, unit)
        unit.forget()
        unit.set_root(ciphertext.root.mask_seed, ciphertext.root.noise_key)
        unit.give(case.command, [0x3F000000] * 512, case.public_words() if kind == 1 else ())
        await idle(dut, unit.sides, random.randrange(1, shortest[kind]))
        await stop(unit, random.choice(("abort_i", "bus_error_i", "prime_write_i", "key_write_i",
                                        "rst_ni")))
        await encrypt_well(unit, random.choice((1, 2)))


async def stop(unit: Engine, how: str) -> None:
    """Stops the engine and checks that it is quiet."""
    dut = unit.dut
    errors = {"abort_i": unit_names.ABORT, "bus_error_i": unit_names.BUS,
              "prime_write_i": unit_names.ORDER,
              "key_write_i": unit_names.ORDER}
    assert dut.busy_o.value == 1
    if how == "rst_ni":
        await reset(dut)
        unit.forget()
        await unit.swept()
        await describe(unit)
        return
    dut.key_address_i.value = 0 if unit.key_words else ternary_place(1024)
    dut.prime_address_i.value = 0
    for source in (unit.commands, unit.samples, unit.public):
        source.drop()
        source.drive()
    await unit.pulse(getattr(dut, how))
    await FallingEdge(dut.clk_i)
    assert unit.error == errors[how] and dut.busy_o.value == 0
    unit.forget()
    await idle(dut, unit.sides, 100)
    assert unit.collected() == b""
    await unit.pulse(dut.clear_i)


@cocotb.test()
async def keys_and_zeroise(dut):
    """Without a key there is no encryption; zeroise erases it and leaves nothing that a later
    operation could reveal."""
    unit = Engine(dut)
    await unit.start()
    case, _, _ = expectation(2, unit)
    await unit.describe(case.primes, case.parameters.ring_degree)
    for opcode in (case.command.opcode, DECRYPT):
        await refused(unit, Command(**vars(case.command) | {"opcode": opcode}), unit_names.KEY)
    await describe(unit)
    await encrypt_well(unit)
    unit.forget()
    taken = await unit.run(Command(ZEROISE), limit=400_000)
    dut._log.info("zeroise: %d cycles", taken)
    assert unit.error == NO_ERROR and unit.collected() == b""
    await refused(unit, case.command, unit_names.KEY)
    await describe(unit)
    await encrypt_well(unit)


@cocotb.test()
async def parts_of_keys(dut):
    """Only a whole key written in order is one: no word of an earlier key, and nothing that was in
    the slot at reset, is ever used with words that somebody else chose."""
    unit = await prepared(dut)
    case, _, _ = expectation(2, unit)
    first = 0 if unit.key_words else ternary_place(1024)
    words = 1024 if unit.key_words else 512
    parts = [
        [0],                                  # its first word, before the rest of the old key
        [words - 1],                          # its last one
        [index ^ 1 for index in range(words)],
        range(words - 1),                     # all but the last
        range(1, words),                      # all but the first
        [*range(words - 1), words - 2],
    ]
    for part in parts[:3] if QUICK else parts:
        await describe(unit)
        if random.random() < 0.5:
            await reset(dut)
            await unit.swept()
            await unit.describe(case.primes, case.parameters.ring_degree)
        for index in part:
            await unit.write_key(first + index, 0)
        for opcode in (case.command.opcode, DECRYPT):
            await refused(unit, Command(**vars(case.command) | {"opcode": opcode}), unit_names.KEY)
    await describe(unit)
    await unit.write_key(unit.key_words or 1, 0)  # without a place
    await unit.pulse(dut.clear_i)
    await encrypt_well(unit)


@cocotb.test()
async def swept_after_reset(dut):
    """After reset nothing is taken until the key slot and the noise memories are zero, whoever
    disturbs the sweep."""
    unit = await prepared(dut)
    await reset(dut)
    # Pairs of four small polynomials, whose halves one lane writes one after the other.
    pairs = 1 << unit.max_log_n - 1
    least = max(unit.key_words, 4 * pairs * (2 if unit.lanes == 1 else 1))
    for disturb in ("key_write_i", "abort_i", "bus_error_i"):
        await idle(dut, unit.sides, least // 4 - 10)
        assert dut.busy_o.value == 1 and dut.command_ready_o.value == 0
        await unit.pulse(getattr(dut, disturb))
    taken = await unit.swept()
    assert least // 4 - 10 <= taken <= least // 2 + 100, f"swept in {taken} cycles more"
    await unit.pulse(dut.clear_i)
    await describe(unit)
    await encrypt_well(unit)


@cocotb.test()
async def equal_cycles(dut):
    """An operation by secret key takes as long whatever key, message and noise are."""
    unit = await prepared(dut)
    case, ciphertext, _ = expectation(2, unit)
    prime, degree = case.primes[0], case.parameters.ring_degree
    taken = {case.command.opcode: set(), DECRYPT: set()}
    await encrypt_well(unit)  # builds the twiddle table
    for _ in range(rounds(3, 8)):
        secret = [random.randrange(-1, 2) for _ in range(degree)]
        await unit.write_secret(secret, [ntt(secret, prime)], case.primes)
        for opcode, cycles_taken in taken.items():
            unit.forget()
            unit.set_root(ciphertext.root.mask_seed, random.randbytes(32))
            command = Command(**vars(case.command) | {"opcode": opcode})
            samples = [random.choice((0, 0x3F800000, 0xBF000001)) for _ in range(command.count)]
            public = [random.randrange(prime) for _ in range(2 * degree)]
            given = ((), public) if opcode == DECRYPT else (samples, ())
            cycles_taken.add(await unit.run(command, *given))
            assert unit.error == NO_ERROR
    dut._log.info("cycles %s", taken)
    assert all(len(found) == 1 for found in taken.values()), taken


@cocotb.test()
async def key_words_without_place(dut):
    """A key word beyond the slot is an error and changes nothing."""
    unit = await prepared(dut)
    ternary = [0, ternary_place(1024) + 512, ternary_place(512), ternary_place(2 << unit.max_log_n),
               0xFFFFFFFF]
    addresses = [unit.key_words, 0x7FFFFFFF, 0xFFFFFFFF] if unit.key_words else ternary
    for address in addresses:
        await unit.write_key(address, 1)
        assert unit.error == unit_names.KEY
        await unit.pulse(dut.clear_i)
    await encrypt_well(unit)


@cocotb.test()
async def random_transforms(dut):
    """Any legal prime that has the roots."""
    unit = await prepared(dut)
    for _ in range(rounds(2, 10)):
        log_degree = 10 if QUICK else random.randrange(10, unit.max_log_n + 1)
        choose = random_prime if unit.width == NARROW else random_prime64
        prime = choose(log_degree)
        await unit.describe([prime], 1 << log_degree)
        words = [random.choice((0, 1, prime - 1, random.randrange(prime)))
                 for _ in range(1 << log_degree)]
        unit.forget()
        unit.pause(sometimes(random.choice(SHARES[2:])), always,
                   sometimes(random.choice(SHARES[1:])))
        await unit.run(Command(FORWARD, log_degree, 1, unit.suite), words)
        assert unit.collected() == packed_rows([ntt(words, prime)], [prime])


def random_prime(log_degree: int) -> int:
    """q = 1 mod 2n, 2^25 < q < 2^30."""
    step = 1 << max(log_degree + 1, 11)
    while True:
        candidate = random.randrange(1 << random.randrange(25, 30), 1 << 30) // step * step + 1
        if candidate < 1 << 30 and is_prime(candidate):
            return candidate


def random_prime64(log_degree: int) -> int:
    """q = 1 mod 2n, q = 2^k - c 2^13 + 1 with k from 36 to 54 and 0 < c < 2^12."""
    step = 1 << max(log_degree + 1, 13)
    while True:
        bits = random.randrange(36, 55)
        candidate = (1 << bits) + 1 - random.randrange(step, 1 << 25, step)
        if is_prime(candidate):
            return candidate
