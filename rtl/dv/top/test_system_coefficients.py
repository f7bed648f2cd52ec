"""Encryptions into coefficients on isopod_system between a master and a memory that pause, fail and
are stopped: the transfers of public key and message by turns, and roots of the slot."""
import random
from types import SimpleNamespace

import cocotb

from rtl.dv.bench import rounds
from rtl.dv.streams import always, sometimes
from rtl.dv.top.by_turns import Encryption, aborts, memory_fails
from rtl.dv.top.system import System
from rtl.dv.top.test_coefficients import Case, small
from rtl.dv.top.test_system import bench
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
async def failures(dut):
    """A failure anywhere in message or public key is a bus error; the next one is right."""
    system = await prepared(dut, some(SECRET), sometimes(0.8))
    await memory_fails(system, (SECRET, PUBLIC), lambda kind: encryption(system, some(kind)))


@cocotb.test()
async def stops(dut):
    """Stopped at any time, the next one is right; KEY_LOCK leaves encryption alone."""
    system = await prepared(dut, some(SECRET), sometimes(0.9))
    await aborts(system, (SECRET, PUBLIC), lambda kind: encryption(system, some(kind)))
