"""AArch64: integer instructions, memory and control; neon.py has the vectors."""
import re
from collections.abc import Callable
from functools import cache

import capstone
from capstone import arm64

from proofs.kernels import machine, terms
from proofs.kernels.image import Image
from proofs.kernels.machine import RETURN, STACK, Processor, Refused, State, constant
from proofs.kernels.processors import neon
from proofs.kernels.processors.thumb import conditions, sum_with_carry
from proofs.kernels.terms import Term, const, extract, sext, var, zext

WORD, VECTOR = 64, 128
LR, SP, FIRST_VECTOR, ARGUMENTS = 30, 31, 32, 8
FLAGS = "nzcv"
ONE, ZERO = const(1, 1), const(0, 1)
KEPT = (*range(19, 30), SP)
KEPT_HALVES = range(FIRST_VECTOR + 8, FIRST_VECTOR + 16)
WIDTHS = {"w": 32, "x": 64, "v": 128, "q": 128, "d": 64, "s": 32, "h": 16, "b": 8}
NAMED = {"sp": (SP, 64), "wsp": (SP, 32), "fp": (29, 64), "lr": (LR, 64), "xzr": (None, 64), "wzr": (None, 32)}


@cache
def decoder() -> capstone.Cs:
    """Capstone for AArch64, with operands."""
    found = capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_LITTLE_ENDIAN)
    found.detail = True
    return found


@cache
def place_of(register: int) -> tuple[int | None, int]:
    """Number of a register in the state, None for zero, and its width."""
    name = decoder().reg_name(register)
    if name in NAMED:
        return NAMED[name]
    number = int(name[1:])
    return number + (FIRST_VECTOR if name[0] in "vqdshb" else 0), WIDTHS[name[0]]


class Step(machine.Step):
    """One instruction of AArch64."""

    @property
    def width(self) -> int:
        """Bits of the first operand."""
        return place_of(self.operands[0].reg)[1]

    @property
    def condition(self) -> Term:
        """The condition in the instruction, a term of one bit."""
        return conditions(self.state.flags)[self.instruction.cc]()

    def read(self, register: int) -> Term:
        """A register of capstone's number, as wide as its name says."""
        number, width = place_of(register)
        return const(0, width) if number is None else extract(self.state.registers[number], width - 1, 0)

    def write(self, register: int, value: Term) -> None:
        """Writes a register; the bits above are zeros."""
        number, _ = place_of(register)
        if number is not None:
            self.state.registers[number] = zext(value, WORD if number < FIRST_VECTOR else VECTOR)

    def value(self, at: int, width: int) -> Term:
        """An operand with its extension and shift."""
        operand = self.operands[at]
        if operand.type == arm64.ARM64_OP_IMM:
            return terms.shl(const(operand.imm, width), operand.shift.value)
        found = self.read(operand.reg)
        if operand.ext:
            bits, wider = EXTENSIONS[operand.ext]
            found = wider(extract(found, bits - 1, 0), width)
        return SHIFTS.get(operand.shift.type, lambda a, _: a)(found, operand.shift.value)

    def flag(self, total: Term, carry: Term = ZERO, overflow: Term = ZERO) -> None:
        """Sets the flags by a result."""
        top = total.width - 1
        self.state.flags = {"n": extract(total, top, top), "z": terms.eq(total, const(0, total.width)), "c": carry, "v": overflow}


SHIFTS = {arm64.ARM64_SFT_LSL: terms.shl, arm64.ARM64_SFT_LSR: terms.lshr, arm64.ARM64_SFT_ASR: terms.ashr,
          arm64.ARM64_SFT_ROR: terms.ror}
EXTENSIONS = {arm64.ARM64_EXT_UXTB: (8, zext), arm64.ARM64_EXT_UXTH: (16, zext), arm64.ARM64_EXT_UXTW: (32, zext),
              arm64.ARM64_EXT_UXTX: (64, zext), arm64.ARM64_EXT_SXTB: (8, sext), arm64.ARM64_EXT_SXTH: (16, sext),
              arm64.ARM64_EXT_SXTW: (32, sext), arm64.ARM64_EXT_SXTX: (64, sext)}


# Arithmetic

def arithmetic(is_difference: bool) -> Callable[[Step], None]:
    """add, sub, cmp, cmn, and with flags; neg has one source."""
    def run(step: Step) -> None:
        name, width = step.instruction.mnemonic, step.width
        second = step.value(len(step.operands) - 1, width)
        is_compare = name in ("cmp", "cmn")
        first = const(0, width) if name.startswith("neg") else step.read(step.operands[0 if is_compare else 1].reg)
        if is_compare or step.instruction.update_flags:
            total, carry, overflow = sum_with_carry(first, terms.not_(second) if is_difference else second,
                                                    ONE if is_difference else ZERO)
            step.flag(total, carry, overflow)
        else:
            total = terms.sub(first, second) if is_difference else terms.add(first, second)
        if not is_compare:
            step.write(step.operands[0].reg, total)
    return run


def compare_if(step: Step) -> None:
    """ccmp: compares where the condition holds, and sets given flags elsewhere."""
    condition, given = step.condition, step.operands[2].imm
    total, carry, overflow = sum_with_carry(step.read(step.operands[0].reg), terms.not_(step.value(1, step.width)), ONE)
    step.flag(total, carry, overflow)
    step.state.flags = {name: terms.ite(condition, step.state.flags[name], const(given >> at, 1))
                        for name, at in zip(FLAGS, (3, 2, 1, 0))}


def logical(combine: Callable[[Term, Term], Term]) -> Callable[[Step], None]:
    """and, orr, eor, bic, orn, tst, mvn."""
    def run(step: Step) -> None:
        name, width = step.instruction.mnemonic, step.width
        first = step.read(step.operands[0 if name in ("tst", "mvn") else 1].reg)
        total = combine(first, step.value(len(step.operands) - 1, width))
        if name in ("tst", "ands", "bics"):
            step.flag(total)
        if name != "tst":
            step.write(step.operands[0].reg, total)
    return run


def move(step: Step) -> None:
    """mov, movz, movn."""
    value = step.value(1, step.width)
    step.write(step.operands[0].reg, terms.not_(value) if step.instruction.mnemonic == "movn" else value)


def move_part(step: Step) -> None:
    """movk: 16 bits of the register."""
    operand, old = step.operands[1], step.read(step.operands[0].reg)
    low = operand.shift.value
    parts = [extract(old, old.width - 1, low + 16)] if low + 16 < old.width else []
    parts += [const(operand.imm, 16), *([extract(old, low - 1, 0)] if low else [])]
    step.write(step.operands[0].reg, terms.concat(*parts))


def shifting(shift: Callable[[Term, int], Term]) -> Callable[[Step], None]:
    """lsl, lsr, asr, ror by a constant, which may be in a register."""
    def run(step: Step) -> None:
        by = constant(step.value(2, 64), "a shift") % step.width
        step.write(step.operands[0].reg, shift(step.read(step.operands[1].reg), by))
    return run


def multiply(step: Step) -> None:
    """mul, madd, msub, mneg."""
    a, b, *rest = (step.read(one.reg) for one in step.operands[1:])
    product, name = terms.mul(a, b), step.instruction.mnemonic
    if name in ("msub", "mneg"):
        product = terms.neg(product)
    step.write(step.operands[0].reg, terms.add(product, rest[0]) if rest else product)


def long(step: Step) -> None:
    """smull, umull, smaddl, umaddl, smsubl, umsubl, smnegl, umnegl."""
    name, wider = step.instruction.mnemonic, sext if step.instruction.mnemonic[0] == "s" else zext
    a, b, *rest = (step.read(one.reg) for one in step.operands[1:])
    product = terms.mul(wider(a, 64), wider(b, 64))
    if "neg" in name or "sub" in name:
        product = terms.neg(product)
    step.write(step.operands[0].reg, terms.add(rest[0], product) if rest else product)


def high(step: Step) -> None:
    """smulh, umulh."""
    wider = sext if step.instruction.mnemonic[0] == "s" else zext
    a, b = (wider(step.read(one.reg), 2 * WORD) for one in step.operands[1:])
    step.write(step.operands[0].reg, extract(terms.mul(a, b), 2 * WORD - 1, WORD))


def divide(step: Step) -> None:
    """udiv of public numbers: a division takes a time that depends on them."""
    a, b = (constant(step.read(one.reg), "a division") for one in step.operands[1:])
    step.write(step.operands[0].reg, const(a // b if b else 0, step.width))


def bit_field(step: Step) -> None:
    """ubfx, sbfx, ubfiz, sbfiz, bfi, bfxil."""
    name, width = step.instruction.mnemonic, step.width
    source, low, count = step.read(step.operands[1].reg), step.operands[2].imm, step.operands[3].imm
    is_inserted = name in ("bfi", "ubfiz", "sbfiz")
    part = extract(source, count - 1, 0) if is_inserted else extract(source, low + count - 1, low)
    if name in ("ubfx", "sbfx"):
        result = (sext if name[0] == "s" else zext)(part, width)
    elif name in ("ubfiz", "sbfiz"):
        result = terms.shl((sext if name[0] == "s" else zext)(part, width), low)
    else:
        old, at = step.read(step.operands[0].reg), low if is_inserted else 0
        pieces = [extract(old, width - 1, at + count)] if at + count < width else []
        result = terms.concat(*pieces, part, *([extract(old, at - 1, 0)] if at else []))
    step.write(step.operands[0].reg, result)


def extension(step: Step) -> None:
    """sxtb, sxth, sxtw, uxtb, uxth."""
    name = step.instruction.mnemonic
    bits = {"b": 8, "h": 16, "w": 32}[name[-1]]
    step.write(step.operands[0].reg, (sext if name[0] == "s" else zext)(extract(step.read(step.operands[1].reg), bits - 1, 0),
                                                                        step.width))


def rotate_pair(step: Step) -> None:
    """extr."""
    a, b = (step.read(one.reg) for one in step.operands[1:3])
    low = step.operands[3].imm
    step.write(step.operands[0].reg, extract(terms.concat(a, b), low + step.width - 1, low))


def reverse(bits: int) -> Callable[[Step], None]:
    """rbit, rev."""
    def run(step: Step) -> None:
        value = step.read(step.operands[1].reg)
        step.write(step.operands[0].reg, terms.concat(*(extract(value, at + bits - 1, at) for at in range(0, value.width, bits))))
    return run


def select(of_other: Callable[[Term], Term]) -> Callable[[Step], None]:
    """csel, csinc, csneg, csinv."""
    def run(step: Step) -> None:
        yes, no = (step.read(one.reg) for one in step.operands[1:3])
        step.write(step.operands[0].reg, terms.ite(step.condition, yes, of_other(no)))
    return run


def changed(change: Callable[[Term], Term]) -> Callable[[Step], None]:
    """cinc, cneg, cinv: changes the source where the condition holds."""
    def run(step: Step) -> None:
        source = step.read(step.operands[1].reg)
        step.write(step.operands[0].reg, terms.ite(step.condition, change(source), source))
    return run


def chosen(yes: int) -> Callable[[Step], None]:
    """cset, csetm."""
    def run(step: Step) -> None:
        step.write(step.operands[0].reg, terms.ite(step.condition, const(yes, step.width), const(0, step.width)))
    return run


# Memory

def address_of(step: Step, index: int) -> int:
    """The address of a memory operand; writes back."""
    operand = step.operands[index]
    base, offset = step.read(operand.mem.base), const(operand.mem.disp, WORD)
    if operand.mem.index:
        offset = step.read(operand.mem.index)
        bits, wider = EXTENSIONS.get(operand.ext, (WORD, zext))
        offset = terms.shl(wider(extract(offset, bits - 1, 0), WORD), operand.shift.value)
    address = terms.add(base, offset)
    if step.instruction.writeback:
        later = step.operands[index + 1] if len(step.operands) > index + 1 else None
        by = const(0, WORD) if later is None else step.value(index + 1, WORD)
        step.write(operand.mem.base, terms.add(address, by))
    return constant(address, "an address")


ACCESSED = {"ldrb": (8, zext), "ldrh": (16, zext), "ldrsb": (8, sext), "ldrsh": (16, sext), "ldrsw": (32, sext),
            "strb": (8, zext), "strh": (16, zext)}


def load(step: Step) -> None:
    """ldr, ldrb, ldrsw, ldur, ldp and their kin."""
    count = 2 if step.instruction.mnemonic == "ldp" else 1
    bits, wider = ACCESSED.get(step.instruction.mnemonic.replace("ldur", "ldr"), (step.width, zext))
    address = address_of(step, count)
    for at in range(count):
        step.write(step.operands[at].reg, wider(step.state.memory.load(address + at * bits // 8, bits // 8), step.width))


def store(step: Step) -> None:
    """str, strb, stur, stp and their kin."""
    count = 2 if step.instruction.mnemonic == "stp" else 1
    bits, _ = ACCESSED.get(step.instruction.mnemonic.replace("stur", "str"), (step.width, zext))
    values = [step.read(step.operands[at].reg) for at in range(count)]
    address = address_of(step, count)
    for at, value in enumerate(values):
        step.state.memory.store(address + at * bits // 8, extract(value, bits - 1, 0))


def address(step: Step) -> None:
    """adr, adrp."""
    step.write(step.operands[0].reg, const(step.operands[1].imm, WORD))


# Control

def branch(step: Step) -> None:
    """b, bl, br, blr, ret, and b with a condition."""
    name = step.instruction.mnemonic
    if not constant(step.condition, "a condition that is branched on"):
        return
    if name == "ret" and not step.operands:
        target = constant(step.state.registers[LR], "an address of code")
    else:
        operand = step.operands[0]
        target = operand.imm if operand.type == arm64.ARM64_OP_IMM else constant(step.read(operand.reg), "an address of code")
    if name in ("bl", "blr"):
        step.state.registers[LR] = const(step.next, WORD)
    step.next = target


def compare_branch(step: Step) -> None:
    """cbz, cbnz."""
    is_zero = constant(terms.eq(step.read(step.operands[0].reg), const(0, step.width)), "a condition that is branched on")
    if bool(is_zero) == (step.instruction.mnemonic == "cbz"):
        step.next = step.operands[1].imm


def test_branch(step: Step) -> None:
    """tbz, tbnz."""
    at = step.operands[1].imm
    bit = constant(extract(step.read(step.operands[0].reg), at, at), "a condition that is branched on")
    if bool(bit) == (step.instruction.mnemonic == "tbnz"):
        step.next = step.operands[2].imm


def nothing(_: Step) -> None:
    """nop."""


SEMANTICS: dict[str, Callable[[Step], None]] = {
    **{name: arithmetic(False) for name in ("add", "adds", "cmn")},
    **{name: arithmetic(True) for name in ("sub", "subs", "cmp", "neg", "negs")},
    **{name: logical(terms.and_) for name in ("and", "ands", "tst")}, "orr": logical(terms.or_), "eor": logical(terms.xor),
    **{name: logical(lambda a, b: terms.and_(a, terms.not_(b))) for name in ("bic", "bics")},
    "orn": logical(lambda a, b: terms.or_(a, terms.not_(b))), "eon": logical(lambda a, b: terms.xor(a, terms.not_(b))),
    "mvn": logical(lambda _, b: terms.not_(b)), "mov": move, "movz": move, "movn": move, "movk": move_part,
    "lsl": shifting(terms.shl), "lsr": shifting(terms.lshr), "asr": shifting(terms.ashr), "ror": shifting(terms.ror),
    **{name: multiply for name in ("mul", "madd", "msub", "mneg")},
    **{f"{sign}m{kind}l": long for sign in "su" for kind in ("ul", "add", "sub", "neg")},
    "smulh": high, "umulh": high, "udiv": divide,
    **{name: bit_field for name in ("ubfx", "sbfx", "ubfiz", "sbfiz", "bfi", "bfxil")},
    **{name: extension for name in ("sxtb", "sxth", "sxtw", "uxtb", "uxth")}, "extr": rotate_pair,
    "rbit": reverse(1), "rev": reverse(8),
    "csel": select(lambda a: a), "csinc": select(lambda a: terms.add(a, const(1, a.width))), "csneg": select(terms.neg),
    "csinv": select(terms.not_), "cinc": changed(lambda a: terms.add(a, const(1, a.width))), "cneg": changed(terms.neg),
    "cinv": changed(terms.not_), "cset": chosen(1), "csetm": chosen(-1),
    **{name: load for name in ("ldr", "ldrb", "ldrh", "ldrsb", "ldrsh", "ldrsw", "ldur", "ldurb", "ldurh", "ldursw", "ldp")},
    **{name: store for name in ("str", "strb", "strh", "stur", "sturb", "sturh", "stp")},
    "adr": address, "adrp": address, "ccmp": compare_if,
    **{name: branch for name in ("b", "bl", "br", "blr", "ret")}, "cbz": compare_branch, "cbnz": compare_branch,
    "tbz": test_branch, "tbnz": test_branch, "nop": nothing,
}
IS_VECTOR = re.compile(r"^\{?v\d|, v\d|^[dsqhb]\d+, [xwdsqv#]|^[xw]\d+, [dsqhb]\d")


class AArch64(Processor):
    """Armv8-A with Advanced SIMD, and its procedure call standard."""

    in_registers = ARGUMENTS
    result = 0
    pointer = 8

    def __init__(self):
        self.decoded: dict[tuple[Image, int], capstone.CsInsn] = {}

    def decode(self, image: Image, address: int) -> capstone.CsInsn:
        key = image, address
        if key not in self.decoded:
            found = next(decoder().disasm(image.bytes_at(address, 4) or b"", address), None)
            if found is None:
                raise Refused(f"{address:x} is no code")
            self.decoded[key] = found
        return self.decoded[key]

    def step(self, state: State, instruction: capstone.CsInsn) -> None:
        name = instruction.mnemonic.split(".")[0]
        step = Step(state, instruction)
        if IS_VECTOR.search(instruction.op_str) and name not in ("ldr", "str", "ldur", "stur", "ldp", "stp"):
            neon.run(step)
        elif name in SEMANTICS:
            SEMANTICS[name](step)
        else:
            raise Refused("the instruction has no semantics here")
        state.place = step.next

    def enter(self, state: State, function: int, arguments: list[int]) -> None:
        state.registers = {number: var(f"x{number}", WORD) for number in range(SP)}
        state.registers |= {FIRST_VECTOR + number: var(f"v{number}", VECTOR) for number in range(32)}
        state.registers[SP], state.registers[LR] = const(STACK, WORD), const(RETURN, WORD)
        state.flags = {name: var(f"flag_{name}", 1) for name in FLAGS}
        for number, argument in enumerate(arguments[:ARGUMENTS]):
            state.registers[number] = const(argument, WORD)
        for number, argument in enumerate(arguments[ARGUMENTS:]):
            state.memory.store(STACK + 8 * number, const(argument, WORD))
        state.place = function

    def arguments(self, state: State, count: int) -> list[Term]:
        return [state.registers[number] for number in range(count)]

    def leave(self, state: State, unknown: str) -> None:
        state.place = constant(state.registers[LR], "an address of code")
        for number, value in state.registers.items():
            if number in KEPT_HALVES:
                state.registers[number] = terms.concat(var(f"{unknown}_{number}", 64), extract(value, 63, 0))
            elif number not in KEPT:
                state.registers[number] = var(f"{unknown}_{number}", value.width)
        state.flags = {name: var(f"{unknown}_{name}", 1) for name in FLAGS}

    def left_well(self, before: dict[int, Term], state: State) -> bool:
        halves = (extract(state.registers[number], 63, 0) is extract(before[number], 63, 0) for number in KEPT_HALVES)
        return all(state.registers[number] is before[number] for number in KEPT) and all(halves)
