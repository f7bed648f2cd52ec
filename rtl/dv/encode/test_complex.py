"""The encode of complex slots against the known answers of spec/vectors/shapes.json and the
model."""
import hashlib
import json
import random
import struct
from itertools import chain, product

import cocotb
from cocotb.triggers import FallingEdge

from rtl.dv.bench import QUICK, ROOT, record, rounds, start
from rtl.dv.encode.test_encode import (
    CYCLE_LIMIT,
    FIXED,
    FLOAT,
    INPUTS,
    INTEGER,
    check_symmetry,
    degrees,
    encode,
    encode_bench,
    feed,
    float_words,
)
from spec.gen.vectors.shapes import Shape
from spec.model.encode import Precision
from spec.model.encode import encode as encode_real
from spec.model.shapes import COMPLEX, COMPLEX_REPEATED, fill
from spec.model.shapes import encode as encode_shape

BENCHES = [
    encode_bench(4, 0, 12, True, __name__, Complex=1),
    encode_bench(8, 1, 11, False, __name__, Complex=1),
    encode_bench(4, 1, 14, False, __name__, Complex=1),
]
LIMIT = 1 << 30
RECORDS = [entry for entry in json.loads((ROOT / "spec/vectors/shapes.json").read_text())[
    "shape_encodings"] if entry["width"] == 32 and entry["layout"] in (COMPLEX, COMPLEX_REPEATED)]


def words_of(pairs, form):
    """Parts in turn, in the form of the samples."""
    parts = list(chain.from_iterable(pairs))
    return float_words(parts) if form == FLOAT else parts


def of_words(pairs, log2_bound=0):
    """Values of fixed-point words."""
    return [tuple(part * 2.0 ** (log2_bound - 30) for part in pair) for pair in pairs]


async def begin(dut):
    """Out of reset, for complex slots."""
    await start(dut, **dict.fromkeys(INPUTS, 0) | {"complex_i": 1})


async def encodes_well(dut, precision, pairs, words, form=FIXED):
    """The message must be the model's; the cycles."""
    message, cycles = await encode(dut, precision, form, words)
    assert message == encode_shape(pairs, precision, COMPLEX), precision
    return cycles


@cocotb.test()
async def known_answers(dut):
    """Every degree, float32 and int32, few and all slots, repeated ones, in the same cycles."""
    await begin(dut)
    records = [entry for entry in RECORDS if entry["ring_degree"] in degrees(dut)]
    assert records
    taken: dict[int, int] = {}
    for entry in records:
        precision = Precision(entry["ring_degree"], entry["log2_scale"], entry["log2_bound"])
        pairs = Shape(entry["layout"], entry["count"]).values(entry["numbers"],
                                                              precision.log2_bound)
        if entry["layout"] == COMPLEX_REPEATED:
            pairs = fill(pairs, COMPLEX_REPEATED, precision.ring_degree // 2)
        form = INTEGER if entry["numbers"] == "i32" else FLOAT
        message, cycles = await encode(dut, precision, form, words_of(pairs, form))
        half = precision.ring_degree // 2
        packed = chain.from_iterable(zip(message[:half], message[half:]))
        found = hashlib.sha3_256(struct.pack(f"<{2 * half}i", *packed)).hexdigest()
        assert found == entry["sha3"], entry
        assert taken.setdefault(precision.ring_degree, cycles) == cycles, len(pairs)
        record(f"encode-{precision.ring_degree}-complex", cycles)


@cocotb.test()
async def extreme_words(dut):
    """Fixed-point words at the limits in all four corners, in every slot and mixed."""
    await begin(dut)
    corners = list(product((LIMIT, -LIMIT), repeat=2))
    for ring_degree in degrees(dut)[-2:]:
        half = ring_degree // 2
        for log2_scale in (30, 15, 0):
            pairs = [random.choice(corners) for _ in range(half)]
            await encodes_well(dut, Precision(ring_degree, log2_scale, 0), of_words(pairs),
                               words_of(pairs, FIXED))
        for corner in corners:
            await encodes_well(dut, Precision(ring_degree, 30, 0), of_words([corner] * half),
                               [*corner] * half)


@cocotb.test()
async def bounds_and_counts(dut):
    """Any number of slots, scales and bounds; floats that round, among them ties."""
    await begin(dut)
    for ring_degree in degrees(dut)[-2:]:
        half = ring_degree // 2
        for count in (0, 1, 2, half - 1, *(random.randrange(half) for _ in range(rounds(1, 6)))):
            log2_bound = random.randrange(-15, 16)
            log2_scale = random.randrange(0, 31 - abs(log2_bound)) - min(log2_bound, 0)
            precision = Precision(ring_degree, log2_scale, log2_bound)
            numbers = [random.choice((1, -1)) * random.getrandbits(24)
                       * 2.0 ** (log2_bound - random.randrange(24, 40)) for _ in range(2 * count)]
            pairs = list(zip(numbers[0::2], numbers[1::2]))
            await encodes_well(dut, precision, pairs, float_words(numbers), FLOAT)


@cocotb.test()
async def real_slots_too(dut):
    """Without the flag slots are real, before and after complex ones."""
    await begin(dut)
    precision = Precision(degrees(dut)[0], 30, 0)
    words = [random.randint(-LIMIT, LIMIT) for _ in range(precision.ring_degree // 2)]
    pairs = list(zip(words[0::2], words[1::2]))
    for is_complex in (0, 1, 0):
        dut.complex_i.value = is_complex
        await FallingEdge(dut.clk_i)
        if is_complex:
            await encodes_well(dut, precision, of_words(pairs), words)
            continue
        message, _ = await encode(dut, precision, FIXED, words)
        check_symmetry(message)
        assert message == encode_real([word / LIMIT for word in words], precision)


async def overflows(dut, words) -> bool:
    """Whether loading n/2 slots finds one out of range; it is aborted then."""
    dut.start_i.value = 1
    await FallingEdge(dut.clk_i)
    dut.start_i.value = 0
    feeder, found = cocotb.start_soon(feed(dut, words)), False
    for _ in range(CYCLE_LIMIT):
        await FallingEdge(dut.clk_i)
        found |= bool(dut.overflow_o.value)
        if feeder.done():
            break
    for _ in range(8):
        await FallingEdge(dut.clk_i)
        found |= bool(dut.overflow_o.value)
    dut.abort_i.value = 1
    await FallingEdge(dut.clk_i)
    dut.abort_i.value = 0
    return found


@cocotb.test()
async def out_of_range(dut):
    """A part beyond the bound, real or imaginary, in a slot whose conjugate is taken or not."""
    await begin(dut)
    ring_degree = degrees(dut)[0]
    dut.log_degree_i.value, dut.count_i.value = ring_degree.bit_length() - 1, ring_degree // 2
    dut.form_i.value, dut.log2_bound_i.value, dut.shift_i.value = FIXED, 0, 0
    for place in (None, 0, 1, 2, 3, ring_degree - 1):
        words = [random.choice((LIMIT, -LIMIT)) for _ in range(ring_degree)]
        if place is not None:
            words[place] += 1 if words[place] > 0 else -1
        assert await overflows(dut, words) == (place is not None), place
    if not QUICK:
        words = [random.randint(-LIMIT, LIMIT) for _ in range(ring_degree)]
        await encodes_well(dut, Precision(ring_degree, 30, 0),
                           of_words(zip(words[0::2], words[1::2])), words)
