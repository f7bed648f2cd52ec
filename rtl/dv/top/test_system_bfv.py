"""BFV encryptions on isopod_system between a master and a memory that pause, fail and are stopped:
the transfers of message and public key by turns, and roots of the slot. And decodings of results
of both primes, between encryptions."""
import random
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import cocotb

from rtl.dv.bench import rounds
from rtl.dv.streams import always, sometimes
from rtl.dv.top.by_turns import Encryption, aborts, memory_fails
from rtl.dv.top.engine import DECODE, descriptor
from rtl.dv.top.system import System
from rtl.dv.top.test_bfv import KINDS, Case
from rtl.dv.top.test_decode import slots_of
from rtl.dv.top.test_engine import interleaved
from rtl.dv.top.test_system import bench
from spec.model import wire_codes as wire
from spec.model.decode_fixed import MESSAGE32_BITS, Declared
from spec.model.encode import Precision, encode
from spec.model.keys import SECRET_TERNARY, blob
from spec.model.ntt import ntt
from spec.model.packing import pack
from spec.model.streams import CHACHA20

BENCHES = [bench("system-bfv-w54", 54, __name__, KeyWords=0, XofRounds=2, Factors=3, SharedNoise=1,
                 Bfv=1)]
SECRET_KIND, PUBLIC_KIND = KIND_PAIR = wire.KIND_BFV_SECRET, wire.KIND_BFV_PUBLIC
LOG2_SCALE = 24


def bfv_case(kind: int, level: int) -> Case:
    """One encryption of BFV."""
    return Case(SimpleNamespace(suite=CHACHA20, key_words=0, max_log_n=10), kind, level)


def encryption(system: System, kind: int, level: int = 2) -> Encryption:
    """One of BFV."""
    case = bfv_case(kind, level)
    return Encryption(system, case, case.command(KINDS[kind], level))


class Decoding(Encryption):
    """A decoding of random slots at both primes instead."""

    def __init__(self, system: System):
        case = bfv_case(PUBLIC_KIND, 2)
        super().__init__(system, case, case.command(DECODE, 2))
        degree = case.degree
        values = [random.uniform(-1, 1) for _ in range(degree // 2)]
        polynomial = encode(values, Precision(degree, LOG2_SCALE, 0))
        c0, c1 = [], []
        for prime, secret in zip(case.primes, case.pair.secret_ntt):
            c1.append([random.randrange(prime) for _ in polynomial])
            sums = ntt([value % prime for value in polynomial], prime)
            c0.append([(m - a * s) % prime for m, a, s in zip(sums, c1[-1], secret)])
        self.samples, self.public = [], interleaved(c0, c1)
        self.command = replace(self.command, shift=MESSAGE32_BITS - LOG2_SCALE)
        last, declared = case.primes[-1], Declared(degree, 2.0 ** LOG2_SCALE, 0)
        self.expected = pack([slot % last for slot in slots_of(polynomial, declared)],
                             last.bit_length())


async def prepared(dut, willing) -> System:
    """After reset, with descriptors and key."""
    system = System(dut, willing)
    await system.start()
    case = bfv_case(SECRET_KIND, 2)
    for number, prime in enumerate(case.parameters.data_primes):
        for word, value in descriptor(prime, case.degree, case.plain).items():
            await system.write_word("PRIME", value, place=32 * number + word)
    await system.load(blob(case.pair, SECRET_TERNARY))
    return system


@cocotb.test()
async def with_pauses(dut):
    """Both kinds of key at both levels, and decodings, under all pauses of memory and master."""
    system = await prepared(dut, always)
    for share in (1, 0.3, 0.7)[:rounds(2, 3)]:
        for side in (system.reads.orders, system.reads.responses, system.writes.orders,
                     system.writes.data, system.writes.responses):
            side.willing = sometimes(share)
        for kind, level in ((PUBLIC_KIND, 2), (SECRET_KIND, 2), (PUBLIC_KIND, 1)):
            await encryption(system, kind, level).well()
            await Decoding(system).well()


@cocotb.test()
async def failures(dut):
    """A failure anywhere in message or public key is a bus error; the next one is right."""
    system = await prepared(dut, sometimes(0.8))
    await memory_fails(system, KIND_PAIR, partial(encryption, system))


@cocotb.test()
async def stops(dut):
    """Stopped at any time, the next one is right; KEY_LOCK.decrypt leaves encryption alone."""
    system = await prepared(dut, sometimes(0.9))
    await aborts(system, KIND_PAIR, partial(encryption, system))
