"""Encryptions into coefficients on isopod_system between a master and a memory that pause, fail and
are stopped: the transfers of public key and message by turns, and roots of the slot."""
import random
from types import SimpleNamespace

import cocotb

from rtl.dv.bench import rounds
from rtl.dv.streams import always, idle, sometimes
from rtl.dv.top.engine import ABORT as ABORTED
from rtl.dv.top.engine import BUS, NO_ERROR
from rtl.dv.top.system import ABORT, CLEAR, System
from rtl.dv.top.test_coefficients import Case, small
from rtl.dv.top.test_system import bench
from rtl.dv.top.test_system_bfv import PUBLIC_AT, SAMPLES_AT, Encryption
from spec.gen.vectors.rounded import FRAMES
from spec.model.keys import SECRET_NTT, blob
from spec.model.streams import CHACHA20

BENCHES = [bench("system-coefficients", 32, __name__, MaxLogN=11, KeyWords=4096, Decrypt=0,
                 Coefficients=1)]
TWO_PRIMES = "ckks-2048x2-air"
PUBLIC, SECRET = 1, 2
COUNTS = (7, 64, 300, 1024)


def engine() -> SimpleNamespace:
    """Properties of the engine that the cases depend on."""
    return SimpleNamespace(suite=CHACHA20, key_words=4096, max_log_n=11)


def encryption(system: System, case: Case) -> Encryption:
    """One of a case."""
    return Encryption(system, case, case.command)


def some(kind: int) -> Case:
    """One prime, rounded, of any number of coefficients."""
    return small(engine(), kind, (5, 2) if kind == PUBLIC else (9, 0), random.choice(COUNTS))


def two(kind: int) -> Case:
    """Two primes."""
    return Case(engine(), TWO_PRIMES, FRAMES[TWO_PRIMES][0], kind)


async def prepared(dut, case: Case, willing) -> System:
    """After reset, with the descriptors and the key of the case's set."""
    system = System(dut, willing)
    await system.start()
    await load(system, case)
    return system


async def load(system: System, case: Case) -> None:
    """Descriptors and key."""
    await system.describe(case.parameters.data_primes, case.degree)
    await system.load(blob(case.pair, SECRET_NTT))


@cocotb.test()
async def with_pauses(dut):
    """Both kinds of key, one prime and two, under all pauses of memory and master."""
    system = await prepared(dut, some(SECRET), always)
    for share in (1, 0.3, 0.7)[:rounds(2, 3)]:
        for side in (system.reads.orders, system.reads.responses, system.writes.orders,
                     system.writes.data, system.writes.responses):
            side.willing = sometimes(share)
        for cases in ([some(PUBLIC), some(SECRET), some(PUBLIC)], [two(PUBLIC), two(SECRET)]):
            await load(system, cases[0])
            for case in cases:
                await encryption(system, case).well()


@cocotb.test()
async def memory_fails(dut):
    """A failure anywhere in message or public key is a bus error; the next one is right."""
    system = await prepared(dut, some(SECRET), sometimes(0.8))
    for _ in range(rounds(2, 6)):
        for at in (SAMPLES_AT, PUBLIC_AT):
            failing = encryption(system, some(PUBLIC))
            size = 4 * len(failing.samples if at == SAMPLES_AT else failing.public)
            system.reads.broken.add((at + random.randrange(size)) // 8 * 8)
            await failing.begin()
            await failing.ended()
            await system.until_quiet()
            assert await system.error() == BUS
            assert system.writes.held.items() <= failing.held.items()
            system.reads.broken.clear()
            await system.write("CONTROL", CLEAR)
            await encryption(system, some(random.choice((PUBLIC, SECRET)))).well()


@cocotb.test()
async def aborts(dut):
    """Stopped at any time, the next one is right; KEY_LOCK leaves encryption alone."""
    system = await prepared(dut, some(SECRET), sometimes(0.9))
    for _ in range(rounds(3, 12)):
        stopped = encryption(system, some(random.choice((PUBLIC, SECRET))))
        await stopped.begin()
        await idle(dut, system.sides, random.randrange(1, 9000))
        await system.write("CONTROL", ABORT)
        await system.until_quiet()
        assert await system.error() in (ABORTED, NO_ERROR)
        await stopped.settle()
        assert system.writes.held.items() <= stopped.held.items()
        await system.write("CONTROL", CLEAR)
        await encryption(system, some(random.choice((PUBLIC, SECRET)))).well()
    await system.write("KEY_LOCK", 3)
    for kind in (SECRET, PUBLIC):
        await encryption(system, some(kind)).well()
