"""isopod_randomness against spec/model/{mask,sampling}.py and the vectors of spec/vectors."""
import hashlib
import json
import random
import struct
from dataclasses import dataclass

import cocotb

from rtl.dv.arithmetic import NARROW
from rtl.dv.bench import QUICK, ROOT, Bench, reset, rounds, start
from rtl.dv.streams import Sink, Source, always, cycles, idle, sometimes
from spec.base.parameters import RingSet, read_sets
from spec.model.mask import packed_mask
from spec.model.sampling import error, ternary
from spec.model.streams import stream_long_words, stream_words

BENCHES = [
    Bench("randomness-chacha20", "isopod_randomness", __name__),
    Bench("randomness-chacha20-2", "isopod_randomness", __name__, {"RoundsPerCycle": 2},
          quick=False),
    Bench("randomness-keccak", "isopod_randomness", __name__, {"Xof": 1}),
    Bench("randomness-keccak-2", "isopod_randomness", __name__,
          {"Xof": 1, "RoundsPerCycle": 2}, quick=False),
    Bench("randomness-chacha20-2-w54", "isopod_randomness", __name__, {"RoundsPerCycle": 2},
          width=54),
    Bench("randomness-keccak-w61", "isopod_randomness", __name__, {"Xof": 1}, quick=False,
          width=61),
]
NARROW_BITS = 30
LARGEST_DEGREE = 16384
MASK, ERRORS, TERNARIES = 1, (3, 4), (5, 6)
# Primes = 1 mod 2^11 that reject almost none, a quarter and almost half of the candidates.
EASY, MIDDLE, HARD = 1073668097, 100679681, 536881153
PRIMES = (EASY, MIDDLE, HARD, 16760833, 67104769)
# Wide ones, likewise; no sampler tells them from primes.
WIDE_EASY, WIDE_MIDDLE, WIDE_HARD = 18014398507892737, (3 << 52) + 1, (1 << 53) + 1
WIDE_MODULI = (WIDE_EASY, WIDE_MIDDLE, WIDE_HARD, 68719403009, (1 << 40) + 1, 8796092858369)
PAUSES = (0.05, 0.3, 0.8, 1)


@dataclass(frozen=True)
class Job:
    """A job, the type random_job_t."""

    domain: int
    log_degree: int
    index: int = 0
    prime: int = EASY
    width: int = NARROW

    @property
    def packed(self) -> int:
        """The bits of random_job_t."""
        narrow = self.width == NARROW
        fields = ((self.domain, 3), (self.index, 4), (self.log_degree, 4),
                  (self.prime, 30 if narrow else self.width),
                  (self.prime.bit_length(), 5 if narrow else 6))
        value = 0
        for field, bits in fields:
            value = value << bits | field
        return value

    def values(self, suite: int, keys: tuple[bytes, bytes]) -> list[int]:
        """Values of the model."""
        ring_degree = 1 << self.log_degree
        if self.domain == MASK:
            refill = stream_words if self.width == NARROW else stream_long_words
            return packed_mask(ring_degree, self.prime, refill, (suite, keys[0], self.index))
        sample = error if self.domain in ERRORS else ternary
        return sample(ring_degree, suite, keys[1], self.domain)


def coefficients(pairs: list[int]) -> list[int]:
    """The coefficients of small_pair_t, even one first."""
    return [(half ^ 32) - 32 for pair in pairs for half in (pair & 63, pair >> 6)]


class Randomness:
    """The module with its streams."""

    def __init__(self, dut):
        self.dut = dut
        self.suite = 1 + int(dut.Xof.value)
        self.rounds = int(dut.RoundsPerCycle.value)
        self.width = NARROW if len(dut.mask_o) == NARROW_BITS else len(dut.mask_o)
        self.jobs = Source(dut.job_valid_i, dut.job_ready_o, (dut.job_i,))
        self.small = Sink(dut.small_valid_o, dut.small_ready_i, (dut.small_o,))
        self.mask = Sink(dut.mask_valid_o, dut.mask_ready_i, (dut.mask_o,))
        self.sides = (self.jobs, self.small, self.mask)
        self.keys = (bytes(32), bytes(32))

    async def start(self) -> None:
        """Out of reset with new keys."""
        await start(self.dut, abort_i=0, wipe_i=0, suite_i=self.suite, mask_seed_i=0,
                    noise_key_i=0, job_i=0, tag_key_i=0, tag_subkey_i=0, tag_input_i=0, tag_i=0,
                    tag_raw_i=0)
        self.set_keys(random.randbytes(32), random.randbytes(32))

    def set_keys(self, mask_seed: bytes, noise_key: bytes) -> None:
        """Sets the keys while no job runs."""
        self.keys = (mask_seed, noise_key)
        self.dut.mask_seed_i.value = int.from_bytes(mask_seed, "little")
        self.dut.noise_key_i.value = int.from_bytes(noise_key, "little")

    def pause(self, small, mask) -> None:
        """Sets how often the consumers are ready."""
        self.small.willing, self.mask.willing = small, mask

    def forget(self) -> None:
        """Drops all collected values and all beats to be sent."""
        self.jobs.drop()
        self.small.beats.clear()
        self.mask.beats.clear()

    async def run(self, jobs: list[Job], limit: int) -> int:
        """Runs all jobs until the module is idle; the number of cycles."""
        self.jobs.add([(job.packed,) for job in jobs])
        return await cycles(self.dut, self.sides,
                            lambda: not self.jobs.waiting and self.dut.idle_o.value == 1, limit)

    def collected(self) -> tuple[list[int], list[int]]:
        """Small coefficients and mask values."""
        return coefficients(self.small.beats), list(self.mask.beats)

    def expected(self, jobs: list[Job]) -> tuple[list[int], list[int]]:
        """Values of the model."""
        small, mask = [], []
        for job in jobs:
            (mask if job.domain == MASK else small).extend(job.values(self.suite, self.keys))
        return small, mask


async def prepared(dut) -> Randomness:
    """The bench after reset."""
    randomness = Randomness(dut)
    await randomness.start()
    return randomness


def random_job(width: int) -> Job:
    """A random job of any kind; the degree is small to save time."""
    domain = random.choice((MASK, MASK, *ERRORS, *TERNARIES))
    log_degree = 10 if QUICK else random.choice((10, 10, 10, 11))
    if domain != MASK:
        return Job(domain, log_degree, width=width)
    moduli = PRIMES if width == NARROW else WIDE_MODULI
    return Job(domain, log_degree, random.randrange(16), random.choice(moduli), width)


@cocotb.test()
async def known_samples(dut):
    """spec/vectors/sampling.json: domains 3, 4, 5."""
    randomness = await prepared(dut)
    document = json.loads((ROOT / "spec/vectors/sampling.json").read_text())
    largest = 4096 if QUICK else 16384
    cases = [case for case in document["sampling"]
             if case["suite"] == randomness.suite and case["ring_degree"] <= largest]
    assert cases
    for case in cases:
        key = bytes(range(case["key_start"], case["key_start"] + 32))
        randomness.set_keys(key, key)
        randomness.forget()
        await randomness.run([Job(case["domain"], case["ring_degree"].bit_length() - 1,
                                   width=randomness.width)], 200_000)
        values = randomness.collected()[0]
        assert values[:4] == case["first"] and values[-4:] == case["last"]
        packed = struct.pack(f"<{len(values)}b", *values)
        assert hashlib.sha3_256(packed).hexdigest() == case["sha3"]


def mask_cases(randomness: Randomness) -> list[tuple[dict, RingSet]]:
    """Recorded masks of the module's suite and width, each with its set."""
    wide = randomness.width != NARROW
    sets = {item.name: item for item in read_sets()
            if item.has_primes64 == wide and item.ring_degree <= LARGEST_DEGREE}
    name = "primes64" if wide else "mask"
    document = json.loads((ROOT / f"spec/vectors/{name}.json").read_text())
    records = [record for record in document["masks64" if wide else "masks"]
               if record["suite"] == randomness.suite and record["set"] in sets]
    cases = [(record, sets[record["set"]]) for record in records]
    return [(record, chosen) for record, chosen in cases
            if chosen.data_primes[record["prime"]].bit_length() <= randomness.width]


@cocotb.test()
async def known_masks(dut):
    """The masks of spec/vectors whose primes have this build's width."""
    randomness = await prepared(dut)
    cases = mask_cases(randomness)
    assert cases
    for case, chosen in cases[:rounds(4, len(cases))]:
        randomness.set_keys(bytes(range(case["seed_start"], case["seed_start"] + 32)), bytes(32))
        randomness.forget()
        job = Job(MASK, chosen.ring_degree.bit_length() - 1, case["prime"],
                  chosen.data_primes[case["prime"]], randomness.width)
        await randomness.run([job], 400_000)
        values = randomness.collected()[1]
        assert values[:4] == case["first"] and values[-4:] == case["last"]
        packed = struct.pack(f"<{len(values)}{'QI'[randomness.width == NARROW]}", *values)
        assert hashlib.sha3_256(packed).hexdigest() == case["sha3"]


@cocotb.test()
async def random_jobs(dut):
    """Any jobs one after the other, both consumers pausing; easy and hard primes."""
    randomness = await prepared(dut)
    for _ in range(rounds(3, 25)):
        randomness.forget()
        randomness.set_keys(random.randbytes(32), random.randbytes(32))
        randomness.pause(sometimes(random.choice(PAUSES)), sometimes(random.choice(PAUSES)))
        jobs = [random_job(randomness.width) for _ in range(random.randrange(1, 6))]
        await randomness.run(jobs, 400_000)
        assert randomness.collected() == randomness.expected(jobs), jobs


@cocotb.test()
async def one_consumer_blocks_the_other(dut):
    """A mask that is not taken holds back the errors after it, and no value is lost."""
    randomness = await prepared(dut)
    easy, hard = (EASY, HARD) if randomness.width == NARROW else (WIDE_EASY, WIDE_HARD)
    jobs = [Job(domain, 10, index, prime, randomness.width)
            for domain, index, prime in ((MASK, 0, easy), (3, 0, easy), (5, 0, easy),
                                         (MASK, 1, hard), (4, 0, easy))]
    randomness.pause(always, lambda: False)
    randomness.jobs.add([(job.packed,) for job in jobs])
    await idle(dut, randomness.sides, 3000)
    assert randomness.collected() == ([], [])
    randomness.pause(always, always)
    await randomness.run([], 60_000)
    assert randomness.collected() == randomness.expected(jobs)


@cocotb.test()
async def abort_and_reset_in_the_middle(dut):
    """Stops at any moment of any jobs; the next jobs, with other keys, are correct."""
    randomness = await prepared(dut)
    for action in ("abort", "reset") * rounds(2, 20):
        randomness.forget()
        randomness.set_keys(random.randbytes(32), random.randbytes(32))
        randomness.pause(sometimes(random.choice(PAUSES)), sometimes(random.choice(PAUSES)))
        randomness.jobs.add([(random_job(randomness.width).packed,) for _ in range(4)])
        await idle(dut, randomness.sides, random.randrange(1, 4000))
        randomness.forget()
        dut.job_valid_i.value = 0
        if action == "abort":
            dut.abort_i.value = 1
            await idle(dut, (), 1)
            dut.abort_i.value = 0
        else:
            await reset(dut)
        randomness.set_keys(random.randbytes(32), random.randbytes(32))
        assert dut.idle_o.value == 1
        assert dut.mask_valid_o.value == 0 and dut.small_valid_o.value == 0
        jobs = [random_job(randomness.width), random_job(randomness.width)]
        await randomness.run(jobs, 300_000)
        assert randomness.collected() == randomness.expected(jobs), jobs


@cocotb.test()
async def other_suite(dut):
    """A job of a suite that the instance lacks is not taken; unsupported_o reports it."""
    randomness = await prepared(dut)
    assert dut.unsupported_o.value == 0
    for suite in {0, 1, 2, 3} - {randomness.suite}:
        dut.suite_i.value = suite
        randomness.jobs.add([(Job(3, 10, width=randomness.width).packed,)])
        await idle(dut, randomness.sides, 300)
        assert dut.unsupported_o.value == 1 and dut.idle_o.value == 1
        assert randomness.collected() == ([], [])
        randomness.forget()


@cocotb.test()
async def rates(dut):
    """Cycles of whole jobs at degree 4096; the bounds are those of the README."""
    randomness = await prepared(dut)
    limits = {(1, 1): (4950, 6850, 2900), (1, 2): (4250, 5900, 2900), (2, 1): (6800, 9450, 2900),
              (2, 2): (5400, 7500, 2900)}
    wide_limits = {(1, 2): (7450, 5900, 2900), (2, 1): (12100, 9450, 2900)}
    narrow = randomness.width == NARROW
    jobs = [Job(domain, 12, prime=EASY if narrow else WIDE_EASY, width=randomness.width)
            for domain in (MASK, 3, 5)]
    chosen = (limits if narrow else wide_limits)[randomness.suite, randomness.rounds]
    for job, limit in zip(jobs, chosen):
        taken = await randomness.run([job], 20_000)
        dut._log.info("domain %d: %d cycles", job.domain, taken)
        assert taken <= limit, f"domain {job.domain}: {taken} cycles"
