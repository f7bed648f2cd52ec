"""The encode against the known answers of spec/vectors/encode.json and the model."""
import hashlib
import json
import struct

import cocotb
from cocotb.triggers import FallingEdge

from rtl.dv.arithmetic import signed, unpack
from rtl.dv.bench import BUILD, QUICK, ROOT, Bench, start
from rtl.dv.encode.cosines import write_cosines
from spec.gen.vectors.inputs import values_of
from spec.model.encode import Precision, encode_packed


def encode_bench(lanes: int, tiled: int, max_log_n: int, quick: bool, module: str = __name__,
                 **more: int) -> Bench:
    """The bench of one shape of the encoder, with `more` parameters."""
    parameters = {"Lanes": lanes, "Tiled": tiled, "MaxLogN": max_log_n, **more,
                  "CosineFile": f'"{write_cosines(BUILD, max_log_n)}"'}
    kind = module.rsplit(".test_", 1)[1]
    name = f"encode{f'-{kind}' * (kind != 'encode')}-{lanes}-{max_log_n}{'-tiled' * tiled}"
    return Bench(name, "encode_harness", module, parameters, quick=quick)


# The first one shares its model with a bench of complex slots.
BENCHES = [
    encode_bench(4, 0, 12, True, Complex=1),
    encode_bench(8, 1, 12, False),
    encode_bench(1, 0, 12, False),
    encode_bench(2, 1, 12, False),
    encode_bench(4, 1, 14, False),
]
VECTORS = json.loads((ROOT / "spec/vectors/encode.json").read_text())
RECORDS = [record for record in VECTORS["encodings"]
           if record["width"] == 32 and record["numbers"] != "f64"]
FIXED, INTEGER, FLOAT = 0, 1, 2
CYCLE_LIMIT = 120000
INPUTS = ("abort_i", "start_i", "complex_i", "sample_valid_i", "sample_i")


def degrees(dut) -> list[int]:
    """Ring degrees that fit; an even and an odd logarithm in the smoke set."""
    largest = int(dut.MaxLogN.value)
    return [1024, 2048] if QUICK else [1 << log_n for log_n in range(10, largest + 1)]


async def feed(dut, words):
    """Samples without pauses."""
    for word in words:
        dut.sample_i.value, dut.sample_valid_i.value = word & 0xFFFFFFFF, 1
        while not dut.sample_ready_o.value:
            await FallingEdge(dut.clk_i)
        await FallingEdge(dut.clk_i)
    dut.sample_valid_i.value = 0


async def encode(dut, precision, form, words):
    """Encodes words; the n coefficients and the number of cycles."""
    dut.log_degree_i.value = precision.ring_degree.bit_length() - 1
    dut.count_i.value = len(words) >> int(dut.complex_i.value)
    dut.form_i.value = form
    dut.log2_bound_i.value, dut.shift_i.value = precision.log2_bound, precision.shift
    dut.start_i.value = 1
    await FallingEdge(dut.clk_i)
    dut.start_i.value = 0
    feeder = cocotb.start_soon(feed(dut, words))
    return await collect(dut, precision.ring_degree, feeder)


async def collect(dut, ring_degree, feeder):
    """Message writes until the encode is done."""
    message, quarter = [None] * ring_degree, ring_degree // 4
    overflow, lanes = False, int(dut.Lanes.value)
    for cycle in range(CYCLE_LIMIT):
        await FallingEdge(dut.clk_i)
        overflow |= bool(dut.overflow_o.value)
        if halves := int(dut.message_write_o.value):
            low, odd = int(dut.message_low_o.value), int(dut.message_odd_o.value)
            for place, word in enumerate(unpack(int(dut.message_o.value), 4)):
                if halves >> place // 2 & 1 and (lanes >= 4 or place % 2 == 0):
                    number = place ^ odd
                    assert number * quarter + low < ring_degree
                    message[number * quarter + low] = signed(word)
        if not dut.busy_o.value and cycle > 4:
            break
    assert feeder.done()
    assert not overflow
    return message, cycle


def float_words(values):
    return [struct.unpack("<I", struct.pack("<f", value))[0] for value in values]


def digest(message):
    """SHA3 of the packed message, in the order of the known answers."""
    half, quarter = len(message) // 2, len(message) // 4
    packed = [message[0], message[quarter]]
    for k in range(1, quarter):
        packed += [message[k], message[half - k]]
    return hashlib.sha3_256(struct.pack(f"<{half}i", *packed)).hexdigest()


def check_symmetry(message):
    ring_degree = len(message)
    assert message[ring_degree // 2] == 0
    assert all(message[ring_degree - t] == -message[t] for t in range(1, ring_degree))


@cocotb.test()
async def known_answers(dut):
    await start(dut, **dict.fromkeys(INPUTS, 0))
    records = [record for record in RECORDS if record["ring_degree"] in degrees(dut)]
    assert records
    for record in records:
        precision = Precision(record["ring_degree"], record["log2_scale"], record["log2_bound"])
        values = values_of(record["pattern"], record["numbers"], precision.ring_degree,
                           precision.log2_bound)
        integers = record["numbers"] == "i32"
        words = [int(value) for value in values] if integers else float_words(values)
        message, cycles = await encode(dut, precision, INTEGER if integers else FLOAT, words)
        dut._log.info("%d %s %s: %d cycles", record["ring_degree"], record["pattern"],
                      record["numbers"], cycles)
        assert digest(message) == record["sha3"], record
        check_symmetry(message)


@cocotb.test()
async def extreme_words(dut):
    """Fixed-point words at the limits, against the model."""
    await start(dut, **dict.fromkeys(INPUTS, 0))
    ring_degree = degrees(dut)[-1]
    limit = 1 << 30
    for number, sign in enumerate(((1, 1), (-1, -1), (1, -1))):
        precision = Precision(ring_degree, 30 - 15 * number, 0)
        words = [limit * sign[slot * slot // 7 % 2] for slot in range(ring_degree // 2)]
        message, _ = await encode(dut, precision, FIXED, words)
        packed = encode_packed([word / limit for word in words], precision)
        assert message[0] == packed[0] and message[ring_degree // 4] == packed[1]
        for k in range(1, ring_degree // 4):
            assert [message[k], message[ring_degree // 2 - k]] == packed[2 * k:2 * k + 2]
