"""Encryptions under a public key, for rtl.syn.power: as many as ISOPOD_ENCRYPTIONS says, after one
that builds the twiddle tables. The test's cycles.json has the cycles of the last one."""
import os
import random

import cocotb

from rtl.dv.bench import record
from rtl.dv.top.engine import NO_ERROR, PUBLIC, Command, Engine
from rtl.dv.top.test_measure import primes

SHAPES = {12: (4096, 3), 13: (8192, 3)}
SHIFT = 4


@cocotb.test()
async def encryptions(dut):
    """Random samples, keys and seeds, so that all words change as they do in use."""
    unit = Engine(dut)
    await unit.start()
    ring_degree, count = SHAPES.get(unit.max_log_n, (1 << unit.max_log_n, 1))
    chain = primes(count, ring_degree, unit.width)
    await unit.describe(chain, ring_degree)
    command = Command(PUBLIC, ring_degree.bit_length() - 1, count, unit.suite, 0, 0, SHIFT,
                      ring_degree // 2, int(unit.key_words > 0))
    for _ in range(1 + int(os.environ["ISOPOD_ENCRYPTIONS"])):
        unit.forget()
        unit.set_root(random.randbytes(32), random.randbytes(32))
        samples = [random.randrange(-(1 << 30), 1 << 30) for _ in range(ring_degree // 2)]
        public = [random.randrange(prime) for prime in chain for _ in range(2 * ring_degree)]
        record("cycles", await unit.run(command, samples, public, limit=2_000_000))
        assert unit.error == NO_ERROR
