"""Vectors of AArch64 (Advanced SIMD): integer lanes of 8 to 64 bits in registers of 128."""
import re
from collections.abc import Callable
from functools import reduce

from proofs.kernels import terms
from proofs.kernels.machine import Refused, constant
from proofs.kernels.processors.lanes import joined, lanes, narrowed, on_lanes
from proofs.kernels.processors.saturation import doubled_high, halved_difference, rounded_shift
from proofs.kernels.terms import Term, const, extract, sext, zext

VECTOR, FIRST_VECTOR = 128, 32
LETTERS = {"b": 8, "h": 16, "s": 32, "d": 64}
OPERAND = re.compile(r"v(\d+)\.(\d*)([bhsd])(?:\[(0x[0-9a-f]+|\d+)\])?")
IMMEDIATE = re.compile(r"#(-?(?:0x[0-9a-f]+|\d+))")


class Vectors:
    """The vector operands of an instruction, first the destination: register, lane width, bits in use, number of a lane."""

    def __init__(self, step):
        self.step, self.text = step, step.instruction.op_str
        self.places = [(int(number), LETTERS[letter], LETTERS[letter] * int(count or VECTOR // LETTERS[letter]),
                        None if at == "" else int(at, 0)) for number, count, letter, at in OPERAND.findall(self.text)]

    @property
    def width(self) -> int:
        """Bits of a lane of the destination."""
        return self.places[0][1]

    @property
    def immediate(self) -> int:
        """The last constant."""
        return int(IMMEDIATE.findall(self.text)[-1], 0)

    def register(self, number: int) -> Term:
        """All 128 bits."""
        return self.step.state.registers[FIRST_VECTOR + number]

    def whole(self, at: int) -> Term:
        """The bits in use of an operand."""
        number, _, bits, _ = self.places[at]
        return extract(self.register(number), bits - 1, 0)

    def lanes(self, at: int) -> list[Term]:
        """The lanes of an operand, lowest first; one that is chosen by its number as often as the destination has lanes."""
        number, width, bits, chosen = self.places[at]
        if chosen is None:
            return lanes(self.whole(at), width)
        return [extract(self.register(number), width * chosen + width - 1, width * chosen)] * (self.places[0][2] // self.width)

    def write(self, value: Term) -> None:
        """The destination; bits above are zeros."""
        self.step.state.registers[FIRST_VECTOR + self.places[0][0]] = zext(value, VECTOR)


def lanewise(combine: Callable[..., Term]) -> Callable[[Vectors], None]:
    """Operations on the lanes of all sources."""
    def run(vectors: Vectors) -> None:
        sources = [vectors.lanes(at) for at in range(1, len(vectors.places))]
        vectors.write(on_lanes(combine, *sources))
    return run


def accumulating(combine: Callable[..., Term]) -> Callable[[Vectors], None]:
    """Operations that read the destination as well."""
    def run(vectors: Vectors) -> None:
        vectors.write(on_lanes(combine, *(vectors.lanes(at) for at in range(len(vectors.places)))))
    return run


def shifting(shift: Callable[[Term, int], Term]) -> Callable[[Vectors], None]:
    """Shifts by a constant."""
    return lambda vectors: vectors.write(on_lanes(lambda a: shift(a, vectors.immediate), vectors.lanes(1)))


def shifting_into(combine: Callable[[Term, Term, int], Term]) -> Callable[[Vectors], None]:
    """sri, sli, srsra, usra, ssra: shifts by a constant, joined with the destination."""
    def run(vectors: Vectors) -> None:
        vectors.write(on_lanes(lambda old, a: combine(old, a, vectors.immediate), vectors.lanes(0), vectors.lanes(1)))
    return run


def inserted_right(old: Term, a: Term, by: int) -> Term:
    """sri: the upper bits of the destination stay."""
    if by >= a.width:
        return old
    return terms.concat(extract(old, a.width - 1, a.width - by), extract(a, a.width - 1, by))


def inserted_left(old: Term, a: Term, by: int) -> Term:
    """sli: the lower bits of the destination stay."""
    return terms.concat(extract(a, a.width - 1 - by, 0), extract(old, by - 1, 0)) if by else a


def by_lane(right: Callable[[Term, int], Term]) -> Callable[[Term, Term], Term]:
    """ushl, sshl: left by a signed constant of a lane, right where it is negative."""
    def run(a: Term, by: Term) -> Term:
        amount = terms.signed(constant(extract(by, 7, 0), "a shift"), 8)
        return terms.shl(a, amount) if amount >= 0 else right(a, -amount)
    return run


def mask_if(condition: Term, width: int) -> Term:
    """All ones where a condition holds."""
    return sext(condition, width)


def comparing(compare: Callable[[Term, Term], Term]) -> Callable[[Vectors], None]:
    """cmhi and its kin; the last operand may be zero."""
    def run(vectors: Vectors) -> None:
        second = vectors.lanes(2) if len(vectors.places) > 2 else [const(0, vectors.width)] * len(vectors.lanes(1))
        vectors.write(on_lanes(lambda a, b: mask_if(compare(a, b), vectors.width), vectors.lanes(1), second))
    return run


def selecting(order: tuple[int, int, int]) -> Callable[[Vectors], None]:
    """bsl, bit, bif: the operands that are the mask, and what ones and zeros choose."""
    def run(vectors: Vectors) -> None:
        mask, yes, no = (vectors.whole(at) for at in order)
        vectors.write(terms.choose(mask, yes, no))
    return run


def bitwise(combine: Callable[[Term, Term], Term]) -> Callable[[Vectors], None]:
    """and, orr, eor, bic, orn; with a constant the destination is a source."""
    def run(vectors: Vectors) -> None:
        if len(vectors.places) == 1:
            vectors.write(combine(vectors.whole(0), immediate_lanes(vectors)))
        else:
            vectors.write(combine(vectors.whole(1), vectors.whole(2)))
    return run


def immediate_lanes(vectors: Vectors) -> Term:
    """A constant in all lanes of the destination."""
    found = IMMEDIATE.findall(vectors.text)
    value = int(found[0], 0) << (int(found[1], 0) if len(found) > 1 else 0)
    _, width, bits, _ = vectors.places[0]
    return joined([const(value, width)] * (bits // width))


def immediate(vectors: Vectors) -> None:
    """movi, mvni; a register of 64 bits takes all of them."""
    if not vectors.places:
        vectors.step.write(vectors.step.operands[0].reg, const(vectors.immediate, vectors.step.width))
        return
    value = immediate_lanes(vectors)
    vectors.write(terms.not_(value) if vectors.step.instruction.mnemonic == "mvni" else value)


def permuting(pick: Callable[[list[Term], list[Term]], list[Term]]) -> Callable[[Vectors], None]:
    """Permutations of the lanes of two sources."""
    return lambda vectors: vectors.write(joined(pick(vectors.lanes(1), vectors.lanes(2))))


def zipped(part: int) -> Callable[[list[Term], list[Term]], list[Term]]:
    """zip1, zip2."""
    def run(a: list[Term], b: list[Term]) -> list[Term]:
        start = part * len(a) // 2
        return [one for pair in zip(a[start:start + len(a) // 2], b[start:start + len(a) // 2]) for one in pair]
    return run


def transposed(part: int) -> Callable[[list[Term], list[Term]], list[Term]]:
    """trn1, trn2."""
    return lambda a, b: [one for pair in zip(a[part::2], b[part::2]) for one in pair]


def reversing(vectors: Vectors) -> None:
    """rev16, rev32, rev64: the lanes of each group."""
    group = int(vectors.step.instruction.mnemonic[3:]) // vectors.width
    found = vectors.lanes(1)
    vectors.write(joined([one for at in range(0, len(found), group) for one in reversed(found[at:at + group])]))


def cut_out(vectors: Vectors) -> None:
    """ext: bytes of two sources from a place on."""
    low, bits = 8 * vectors.immediate, vectors.places[0][2]
    vectors.write(extract(terms.concat(vectors.whole(2), vectors.whole(1)), low + bits - 1, low))


def table(vectors: Vectors) -> None:
    """tbl: bytes by their constant numbers, zero beyond the end."""
    *tables, indices = range(1, len(vectors.places))
    entries = [one for at in tables for one in lanes(vectors.register(vectors.places[at][0]), 8)]
    numbers = [constant(one, "a number of a byte") for one in vectors.lanes(indices)]
    vectors.write(joined([entries[number] if number < len(entries) else const(0, 8) for number in numbers]))


def widening(wider: Callable[[Term, int], Term], combine: Callable[..., Term], is_added: bool) -> Callable[[Vectors], None]:
    """smull, umlal, sshll and their kin; the forms with a 2 take the upper half."""
    def run(vectors: Vectors) -> None:
        name, width = vectors.step.instruction.mnemonic, vectors.width
        half = VECTOR // width
        sources = []
        for at in range(1, len(vectors.places)):
            found = vectors.lanes(at)
            found = found[-half:] if name.endswith("2") and vectors.places[at][3] is None else found[:half]
            sources.append([wider(one, width) for one in found])
        if is_added:
            sources.insert(0, vectors.lanes(0))
        by = vectors.immediate if "sh" in name else 0
        vectors.write(on_lanes(lambda *each: terms.shl(combine(*each), by), *sources))
    return run


def adding_wide(combine: Callable[[Term, Term], Term]) -> Callable[[Vectors], None]:
    """saddw, usubw and their kin: the second source has half as wide lanes."""
    def run(vectors: Vectors) -> None:
        name, width = vectors.step.instruction.mnemonic, vectors.width
        wider, half = sext if name[0] == "s" else zext, VECTOR // width
        found = vectors.lanes(2)
        found = found[-half:] if name.endswith("2") else found[:half]
        vectors.write(on_lanes(combine, vectors.lanes(1), [wider(one, width) for one in found]))
    return run


def narrowing(low: Callable[[Vectors], int]) -> Callable[[Vectors], None]:
    """xtn, shrn: some bits of each lane; the forms with a 2 write the upper half."""
    def run(vectors: Vectors) -> None:
        half = narrowed(vectors.lanes(1), vectors.places[1][1] // 2, low(vectors))
        if vectors.step.instruction.mnemonic.endswith("2"):
            half = terms.concat(half, extract(vectors.register(vectors.places[0][0]), 63, 0))
        vectors.write(half)
    return run


def moving(vectors: Vectors) -> None:
    """dup, fmov, mov of lanes, umov, smov: between vectors, their lanes, and integer registers."""
    step, operands = vectors.step, vectors.step.operands
    if not vectors.places:
        step.write(operands[0].reg, step.read(operands[1].reg))
    elif vectors.text.startswith("v"):
        number, width, bits, chosen = vectors.places[0]
        if len(vectors.places) == 1:
            source = [extract(step.read(operands[1].reg), width - 1, 0)] * (bits // width)
        else:
            source = vectors.lanes(1)
        if chosen is None:
            vectors.write(joined(source))
        else:
            found = lanes(vectors.register(number), width)
            found[chosen] = source[0]
            vectors.write(joined(found))
    else:
        wider = sext if step.instruction.mnemonic == "smov" else zext
        number, width, _, chosen = vectors.places[0]
        part = extract(vectors.register(number), width * chosen + width - 1, width * chosen)
        step.write(operands[0].reg, wider(part, step.width))


def summing(vectors: Vectors) -> None:
    """addv, addp of pairs."""
    step = vectors.step
    if step.instruction.mnemonic == "addp" and len(vectors.places) == 3:
        both = vectors.lanes(1) + vectors.lanes(2)
        vectors.write(joined([terms.add(a, b) for a, b in zip(both[::2], both[1::2])]))
    else:
        number, width, bits, _ = vectors.places[0]
        step.write(step.operands[0].reg, reduce(terms.add, lanes(extract(vectors.register(number), bits - 1, 0), width)))


def extremes(vectors: Vectors) -> None:
    """umaxv: the greatest lane."""
    number, width, bits, _ = vectors.places[0]
    found = lanes(extract(vectors.register(number), bits - 1, 0), width)
    vectors.step.write(vectors.step.operands[0].reg, reduce(lambda a, b: terms.ite(terms.ult(a, b), b, a), found))


# Structures in memory

def structures(is_load: bool) -> Callable[[Vectors], None]:
    """ld1 .. ld4, st1 .. st4, ld1r: lanes of several registers, which alternate in memory but with ld1 and st1."""
    def run(vectors: Vectors) -> None:
        step, name = vectors.step, vectors.step.instruction.mnemonic
        registers, memory = [place[0] for place in vectors.places], step.state.memory
        _, width, bits, chosen = vectors.places[0]
        size, each = width // 8, bits // width
        if chosen is not None:
            each = 1
        start = structure_address(vectors, size if name == "ld1r" else size * each * len(registers))
        if name == "ld1r":
            step.state.registers[FIRST_VECTOR + registers[0]] = zext(joined([memory.load(start, size)] * each), VECTOR)
            return
        step_of = {"1": (size, bits // 8)}.get(name[2], (size * len(registers), size))
        for number, register in enumerate(registers):
            found = lanes(vectors.register(register), width)
            for lane in range(each):
                place, at = start + lane * step_of[0] + number * step_of[1], lane if chosen is None else chosen
                if is_load:
                    found[at] = memory.load(place, size)
                else:
                    memory.store(place, found[at])
            if is_load:
                kept = joined(found) if chosen is not None else extract(joined(found), bits - 1, 0)
                step.state.registers[FIRST_VECTOR + register] = zext(kept, VECTOR)
    return run


def structure_address(vectors: Vectors, size: int) -> int:
    """The address of structures; moves the pointer behind them where the instruction says so."""
    step = vectors.step
    at = len(vectors.places)
    base = step.read(step.operands[at].mem.base)
    if step.instruction.writeback:
        is_register = len(step.operands) > at + 1 and step.operands[at + 1].type == 1
        by = step.value(at + 1, 64) if is_register else const(size, 64)
        step.write(step.operands[at].mem.base, terms.add(base, by))
    return constant(base, "an address")


def halved(wider: Callable[[Term, int], Term], combine: Callable[[Term, Term], Term]) -> Callable[[Term, Term], Term]:
    """shadd, uhadd, uhsub: half of a sum or difference."""
    return lambda a, b: extract(combine(wider(a, a.width + 1), wider(b, a.width + 1)), a.width, 1)


def greater(a: Term, b: Term) -> Term:
    return terms.slt(b, a)


def higher(a: Term, b: Term) -> Term:
    return terms.ult(b, a)


SEMANTICS: dict[str, Callable[[Vectors], None]] = {
    "add": lanewise(terms.add), "sub": lanewise(terms.sub), "mul": lanewise(terms.mul), "neg": lanewise(terms.neg),
    "mla": accumulating(lambda old, a, b: terms.add(old, terms.mul(a, b))),
    "mls": accumulating(lambda old, a, b: terms.sub(old, terms.mul(a, b))),
    "and": bitwise(terms.and_), "orr": bitwise(terms.or_), "eor": bitwise(terms.xor),
    "bic": bitwise(lambda a, b: terms.and_(a, terms.not_(b))), "orn": bitwise(lambda a, b: terms.or_(a, terms.not_(b))),
    "not": lanewise(terms.not_), "mvn": lanewise(terms.not_), "rbit": lanewise(lambda a: joined(lanes(a, 1)[::-1])),
    "shl": shifting(terms.shl), "ushr": shifting(terms.lshr), "sshr": shifting(terms.ashr), "srshr": shifting(rounded_shift),
    "sri": shifting_into(inserted_right), "sli": shifting_into(inserted_left),
    "srsra": shifting_into(lambda old, a, by: terms.add(old, rounded_shift(a, by))),
    "ssra": shifting_into(lambda old, a, by: terms.add(old, terms.ashr(a, by))),
    "usra": shifting_into(lambda old, a, by: terms.add(old, terms.lshr(a, by))),
    "ushl": lanewise(by_lane(terms.lshr)), "sshl": lanewise(by_lane(terms.ashr)),
    "sqdmulh": lanewise(doubled_high), "shsub": lanewise(halved_difference), "shadd": lanewise(halved(sext, terms.add)),
    "uhadd": lanewise(halved(zext, terms.add)), "uhsub": lanewise(halved(zext, terms.sub)),
    "cmhi": comparing(higher), "cmhs": comparing(lambda a, b: terms.not_(terms.ult(a, b))), "cmeq": comparing(terms.eq),
    "cmgt": comparing(greater), "cmge": comparing(lambda a, b: terms.not_(terms.slt(a, b))), "cmlt": comparing(terms.slt),
    "cmle": comparing(lambda a, b: terms.not_(greater(a, b))),
    "cmtst": comparing(lambda a, b: terms.not_(terms.eq(terms.and_(a, b), const(0, a.width)))),
    "bsl": selecting((0, 1, 2)), "bit": selecting((2, 1, 0)), "bif": selecting((2, 0, 1)),
    "movi": immediate, "mvni": immediate, **{name: moving for name in ("dup", "fmov", "mov", "umov", "smov", "ins")},
    "zip1": permuting(zipped(0)), "zip2": permuting(zipped(1)),
    "trn1": permuting(transposed(0)), "trn2": permuting(transposed(1)),
    "uzp1": permuting(lambda a, b: (a + b)[::2]), "uzp2": permuting(lambda a, b: (a + b)[1::2]),
    "rev16": reversing, "rev32": reversing, "rev64": reversing, "ext": cut_out, "tbl": table,
    **{f"{sign}{name}{two}": widening(wider, combine, is_added) for sign, wider in (("s", sext), ("u", zext)) for two in ("", "2")
       for name, combine, is_added in (
           ("mull", terms.mul, False), ("mlal", lambda old, a, b: terms.add(old, terms.mul(a, b)), True),
           ("mlsl", lambda old, a, b: terms.sub(old, terms.mul(a, b)), True), ("shll", lambda a: a, False),
           ("xtl", lambda a: a, False), ("addl", terms.add, False), ("subl", terms.sub, False))},
    **{f"{sign}{name}w{two}": adding_wide(combine) for sign in "su" for two in ("", "2")
       for name, combine in (("add", terms.add), ("sub", terms.sub))},
    **{f"xtn{two}": narrowing(lambda _: 0) for two in ("", "2")},
    **{f"shrn{two}": narrowing(lambda vectors: vectors.immediate) for two in ("", "2")},
    "addv": summing, "addp": summing, "umaxv": extremes,
    **{f"ld{count}": structures(True) for count in ("1", "2", "3", "4", "1r")},
    **{f"st{count}": structures(False) for count in "1234"},
}


def run(step) -> None:
    """One instruction on vectors; `step` is aarch64.py's."""
    vectors, name = Vectors(step), step.instruction.mnemonic
    if name == "mov" and len(vectors.places) == 2 and all(place[3] is None for place in vectors.places):
        vectors.write(vectors.whole(1))
    elif name in SEMANTICS:
        SEMANTICS[name](vectors)
    else:
        raise Refused("the instruction has no semantics here")
