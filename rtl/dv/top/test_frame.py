"""Frames on isopod_engine against spec/model: whole parts, with header and tag."""
import random
from dataclasses import replace

import cocotb

from rtl.dv.bench import rounds
from rtl.dv.streams import always, idle, sometimes
from rtl.dv.top.engine import FORMAT, FORWARD, NO_ERROR, OVERFLOW, ZEROISE, Engine
from rtl.dv.top.frames import Framed, Frames, Inputs
from rtl.dv.top.test_bfv import KINDS as BFV_OPCODES
from rtl.dv.top.test_bfv import Case as BfvCase
from rtl.dv.top.test_coefficients import Case as CoefficientsCase
from rtl.dv.top.test_coefficients import small
from rtl.dv.top.test_engine import WHOLE32, WHOLE54, Case, engine, float_word, sets
from spec.gen.vectors.ciphertexts import SENDER
from spec.gen.vectors.rounded import FRAMES
from spec.model.frame import Claims, Encoding
from spec.model.shapes import SLOTS

BENCHES = [
    engine("frame-w32p4", __name__, **WHOLE32),
    engine("frame-w32p4-4096", __name__, quick=False, Lanes=4, Frame=1),
    engine("frame-w32p1", __name__, quick=False, Lanes=1, MaxLogN=11, KeyWords=0, TwiddleTables=1,
           Tiled=1, Frame=1),
    engine("frame-w54p4", __name__, quick=False, **{**WHOLE54, "Frame": 1}),
]
AIR = "ckks-2048x1-air"
BFV_LEVEL = 2


def of_slots(case: Case) -> tuple[Framed, Inputs]:
    """A frame of slots."""
    encoding = Encoding(case.log2_scale, len(case.values), 1, Claims(0), SLOTS)
    public = case.public_words() if case.kind == 1 else ()
    return (Framed(case.pair, case.expected(), SENDER, encoding),
            Inputs(case.command, [float_word(value) for value in case.samples], public))


def of_coefficients(case: CoefficientsCase) -> tuple[Framed, Inputs]:
    """A frame of rounded coefficients; c0 may end within a byte and within a beat."""
    kept = case.primes[0].bit_length() - case.dropped[0]
    return (Framed(case.pair, case.ciphertext, SENDER, case.encoding),
            Inputs(case.command, case.words, case.public_words(), (case.count * kept + 7) // 8))


def of_integers(case: BfvCase) -> tuple[Framed, Inputs]:
    """A frame of BFV slots."""
    return (Framed(case.pair, case.ciphertext, SENDER, case.encoding),
            Inputs(case.command(BFV_OPCODES[case.kind], case.level), case.words,
                   case.public_words()))


async def ready(dut) -> Frames:
    """An engine out of reset."""
    unit = Engine(dut)
    await unit.start()
    return Frames(unit)


@cocotb.test()
async def slots(dut):
    """Both kinds of key, one prime and three, each twice."""
    frames = await ready(dut)
    for name in sets(frames.unit):
        for kind in (2, 1):
            case = Case(frames.unit, name, kind)
            words = len(case.primes) * case.parameters.ring_degree
            if kind == 2 and 0 < frames.unit.key_words < words:
                continue
            await case.prepare()
            for _ in range(2):
                taken = await frames.well(*of_slots(case))
            dut._log.info("%s, kind %d: %d cycles", name, kind, taken)


@cocotb.test()
async def rounded(dut):
    """Coefficients of one prime, whole rows and any number, of any number of bits."""
    frames = await ready(dut)
    if not frames.unit.coefficients:
        return
    cases = [CoefficientsCase(frames.unit, AIR, FRAMES[AIR][0], kind) for kind in (2, 1)]
    cases += [small(frames.unit, kind, (random.randrange(16), random.randrange(16)),
                    random.choice((1, 7, 63, 64, 65, 1000, 1024)))
              for kind in (1, 2) for _ in range(rounds(3, 12))]
    for case in cases:
        await case.prepare()
        taken = await frames.well(*of_coefficients(case))
        dut._log.info("kind %d, %d coefficients: %d cycles", case.kind, case.count, taken)


@cocotb.test()
async def integers(dut):
    """BFV, whose parts have two primes here."""
    frames = await ready(dut)
    if not frames.unit.bfv:
        return
    for kind in BFV_OPCODES:
        case = BfvCase(frames.unit, kind, BFV_LEVEL)
        await case.prepare()
        await frames.well(*of_integers(case))


@cocotb.test()
async def among_others(dut):
    """Frames and bare encryptions by turns; only frames are counted."""
    frames = await ready(dut)
    case = Case(frames.unit, sets(frames.unit)[0], 1)
    await case.prepare()
    for framed in (1, 0, 0, 1, 1):
        if framed:
            await frames.well(*of_slots(case))
        else:
            await case.run(case.expected())
            assert frames.unit.collected() == case.expected_bytes(case.expected())


@cocotb.test()
async def pauses(dut):
    """Sides that pause change nothing, headers that come late included."""
    frames = await ready(dut)
    case = Case(frames.unit, sets(frames.unit)[0], 1)
    await case.prepare()
    for share in (0.3, 0.7)[:rounds(1, 2)]:
        frames.unit.pause(sometimes(share), sometimes(share), sometimes(share))
        frames.unit.headers.willing = sometimes(share / 100)
        await frames.well(*of_slots(case))
    frames.unit.pause(always, always, always)


@cocotb.test()
async def aborts(dut):
    """Stopped anywhere it sends nothing more. The next frame is right and has a new number."""
    frames = await ready(dut)
    case = Case(frames.unit, sets(frames.unit)[0], 2 if frames.unit.key_words else 1)
    await case.prepare()
    given = of_slots(case)
    whole = await frames.well(*given)
    for _ in range(rounds(4, 16)):
        frames.begin(*given)
        # Rejected draws make one encryption longer than another.
        await frames.unit.stop(random.randrange(10, 9 * whole // 10))
        frames.number = int(dut.frame_number_o.value)
        await frames.well(*given)


@cocotb.test()
async def without_header(dut):
    """Nothing leaves before its header, and nothing is lost."""
    frames = await ready(dut)
    case = Case(frames.unit, sets(frames.unit)[0], 1)
    await case.prepare()
    framed, inputs = of_slots(case)
    frames.begin(framed, inputs)
    frames.unit.headers.drop()
    await idle(dut, frames.unit.sides, 20_000)
    assert dut.busy_o.value == 1 and not frames.unit.collected()
    await frames.unit.stop(1)
    await frames.well(framed, inputs)


@cocotb.test()
async def refusals(dut):
    """Frames of what is no encryption, or of unrounded coefficients; values out of range."""
    frames = await ready(dut)
    unit = frames.unit
    case = Case(unit, sets(unit)[0], 1)
    await case.prepare()
    framed, inputs = of_slots(case)
    refused = [replace(inputs.command, opcode=FORWARD, framed=1)]
    if unit.coefficients:
        refused.append(replace(small(unit, 1, (0, 0), 1024).command, primes=2, framed=1))
    for command in refused:
        unit.forget()
        await unit.run(command)
        assert unit.error == FORMAT and not unit.collected()
        await unit.pulse(dut.clear_i)
    frames.begin(framed, replace(inputs, samples=[float_word(3.0), *inputs.samples[1:]]))
    await unit.until_ended()
    assert unit.error == OVERFLOW and not unit.collected()
    await unit.pulse(dut.clear_i)
    frames.number = int(dut.frame_number_o.value)
    await frames.well(framed, inputs)
    unit.forget()
    await unit.run(replace(inputs.command, opcode=ZEROISE))
    assert unit.error == NO_ERROR and int(dut.frame_number_o.value) == frames.number
