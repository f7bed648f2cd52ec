"""Armv7E-M in the Thumb instruction set, as the Cortex-M4 has it: integer and DSP instructions that kernels use."""
from collections.abc import Callable
from functools import cache

import capstone
from capstone import arm

from proofs.kernels import machine, terms
from proofs.kernels.image import Image
from proofs.kernels.machine import RETURN, STACK, Processor, Refused, State, constant
from proofs.kernels.terms import Term, const, extract, sext, var, zext

SP, LR, PC = 13, 14, 15
WORD = 32
FLAGS = "nzcvq"
ONE, ZERO = const(1, 1), const(0, 1)
KEPT = (*range(4, 12), SP)
# Bytes of an IT and of the four instructions behind it, at most
IT_BYTES = 2 + 4 * 4
NUMBER = {getattr(arm, f"ARM_REG_R{i}"): i for i in range(13)} | {arm.ARM_REG_SP: SP, arm.ARM_REG_LR: LR, arm.ARM_REG_PC: PC}


@cache
def decoder() -> capstone.Cs:
    """Capstone for profile M, with operands."""
    found = capstone.Cs(capstone.CS_ARCH_ARM, capstone.CS_MODE_THUMB | capstone.CS_MODE_MCLASS)
    found.detail = True
    return found


# Conditions: flags to a term of one bit

def conditions(flags: dict[str, Term]) -> dict[int, Callable[[], Term]]:
    """Terms of the conditions by capstone's numbers."""
    n, z, c, v = (flags[name] for name in "nzcv")
    both = terms.xor(n, v)
    return {
        arm.ARM_CC_EQ: lambda: z, arm.ARM_CC_NE: lambda: terms.not_(z), arm.ARM_CC_HS: lambda: c,
        arm.ARM_CC_LO: lambda: terms.not_(c), arm.ARM_CC_MI: lambda: n, arm.ARM_CC_PL: lambda: terms.not_(n),
        arm.ARM_CC_VS: lambda: v, arm.ARM_CC_VC: lambda: terms.not_(v),
        arm.ARM_CC_HI: lambda: terms.and_(c, terms.not_(z)), arm.ARM_CC_LS: lambda: terms.or_(terms.not_(c), z),
        arm.ARM_CC_GE: lambda: terms.not_(both), arm.ARM_CC_LT: lambda: both,
        arm.ARM_CC_GT: lambda: terms.and_(terms.not_(z), terms.not_(both)), arm.ARM_CC_LE: lambda: terms.or_(z, both),
        arm.ARM_CC_AL: lambda: ONE, arm.ARM_CC_INVALID: lambda: ONE,
    }


class Step(machine.Step):
    """One instruction of Thumb, with its condition."""

    def __init__(self, state: State, instruction: capstone.CsInsn):
        super().__init__(state, instruction)
        self.condition = conditions(state.flags)[instruction.cc]()

    def read(self, register: int) -> Term:
        """A register of capstone's number."""
        if register not in NUMBER:
            raise Refused("a register beyond the sixteen")
        number = NUMBER[register]
        return const(self.instruction.address + 4, WORD) if number == PC else self.state.registers[number]

    def write(self, register: int, value: Term) -> None:
        """Writes a register where the condition holds."""
        number = NUMBER[register]
        if number == PC:
            if not terms.is_const(self.condition):
                raise Refused("a condition that is branched on depends on data")
            if self.condition.data:
                self.next = constant(value, "an address of code") & ~1
            return
        old = self.state.registers[number]
        self.state.registers[number] = terms.ite(self.condition, value, old)

    def flag(self, **given: Term) -> None:
        """Writes flags where the condition holds."""
        for name, value in given.items():
            self.state.flags[name] = terms.ite(self.condition, value, self.state.flags[name])

    def shifted(self, operand, is_carry_wanted: bool = False) -> tuple[Term, Term]:
        """The value of a register or immediate with its shift, and the carry out."""
        carry = self.state.flags["c"]
        if operand.type == arm.ARM_OP_IMM:
            value = const(operand.imm, WORD)
            if is_carry_wanted and (operand.imm & 0xFFFFFFFF) > 0xFF:
                carry = extract(value, 31, 31)
            return value, carry
        value, kind, by = self.read(operand.reg), operand.shift.type, operand.shift.value
        return shift(value, SHIFTS.get(kind), by, carry)


SHIFTS = {arm.ARM_SFT_LSL: "lsl", arm.ARM_SFT_LSR: "lsr", arm.ARM_SFT_ASR: "asr", arm.ARM_SFT_ROR: "ror"}


def shift(value: Term, kind: str | None, by: int, carry: Term) -> tuple[Term, Term]:
    """A shift by a constant, and the carry out."""
    if kind is None or by == 0:
        return value, carry
    if kind == "lsl":
        return terms.shl(value, by), extract(value, WORD - by, WORD - by) if by <= WORD else ZERO
    last = min(by, WORD) - 1
    if kind == "lsr":
        return terms.lshr(value, by), extract(value, last, last) if by <= WORD else ZERO
    if kind == "asr":
        return terms.ashr(value, by), extract(value, last, last)
    return terms.ror(value, by), extract(terms.ror(value, by), 31, 31)


def sum_with_carry(a: Term, b: Term, carry: Term) -> tuple[Term, Term, Term]:
    """a + b + carry, the carry out, and the overflow."""
    width = a.width
    wide = terms.add(zext(a, width + 1), zext(b, width + 1), zext(carry, width + 1))
    total = extract(wide, width - 1, 0)
    is_difference = carry is ONE and not terms.is_const(b)
    out = terms.not_(terms.ult(a, terms.not_(b))) if is_difference else extract(wide, width, width)
    top = width - 1
    signs = [extract(one, top, top) for one in (a, b, total)]
    return total, out, terms.and_(terms.xor(signs[0], signs[2]), terms.xor(signs[1], signs[2]))


# Semantics by mnemonic without suffixes

def arithmetic(combine: Callable[[Term, Term, Term], tuple[Term, Term, Term]]) -> Callable[[Step], None]:
    """add, sub, rsb, adc, sbc, cmp, cmn."""
    def run(step: Step) -> None:
        name, operands = step.instruction.mnemonic, step.operands
        is_compare = name.startswith(("cmp", "cmn"))
        places = operands if is_compare or len(operands) == 3 else [operands[0], *operands]
        second, _ = step.shifted(places[-1])
        first = step.read(places[-2].reg)
        total, carry, overflow = combine(first, second, step.state.flags["c"])
        if is_compare or step.instruction.update_flags:
            step.flag(n=extract(total, 31, 31), z=terms.eq(total, const(0, WORD)), c=carry, v=overflow)
        if not is_compare:
            step.write(operands[0].reg, total)
    return run


def logical(combine: Callable[[Term, Term], Term], is_test: bool = False, is_move: bool = False) -> Callable[[Step], None]:
    """and, orr, eor, bic, orn, mvn, mov, tst, teq."""
    def run(step: Step) -> None:
        operands = step.operands
        second, carry = step.shifted(operands[-1], is_carry_wanted=True)
        first = second if is_move else step.read(operands[-2 if len(operands) > 1 else 0].reg)
        result = combine(first, second)
        if is_test or step.instruction.update_flags:
            step.flag(n=extract(result, 31, 31), z=terms.eq(result, const(0, WORD)), c=carry)
        if not is_test:
            step.write(operands[0].reg, result)
    return run


def shifting(kind: str) -> Callable[[Step], None]:
    """lsl, lsr, asr, ror by an immediate; capstone writes them with the shift in the last operand or as an operand."""
    def run(step: Step) -> None:
        operands = step.operands
        last = operands[-1]
        if last.type == arm.ARM_OP_IMM:
            value, by = step.read(operands[-2].reg), last.imm
        elif SHIFTS.get(last.shift.type):
            value, by = step.read(last.reg), last.shift.value
        else:
            value, by = step.read(operands[-2].reg), constant(step.read(last.reg), "a shift") & 0xFF
        result, carry = shift(value, kind, by, step.state.flags["c"])
        if step.instruction.update_flags:
            step.flag(n=extract(result, 31, 31), z=terms.eq(result, const(0, WORD)), c=carry)
        step.write(operands[0].reg, result)
    return run


def product(step: Step, a: Term, b: Term, is_signed: bool) -> Term:
    """The product of 64 bits."""
    wider = sext if is_signed else zext
    return terms.mul(wider(a, 64), wider(b, 64))


def multiply(step: Step) -> None:
    """mul, mla, mls."""
    registers = [step.read(one.reg) for one in step.operands[1:]]
    if len(registers) == 1:
        registers.insert(0, step.read(step.operands[0].reg))
    result = terms.mul(*registers[:2])
    if step.instruction.mnemonic.startswith("mla"):
        result = terms.add(registers[2], result)
    elif step.instruction.mnemonic.startswith("mls"):
        result = terms.sub(registers[2], result)
    if step.instruction.update_flags:
        step.flag(n=extract(result, 31, 31), z=terms.eq(result, const(0, WORD)))
    step.write(step.operands[0].reg, result)


def long(is_signed: bool, is_added: bool) -> Callable[[Step], None]:
    """smull, umull, smlal, umlal."""
    def run(step: Step) -> None:
        low, high, a, b = (one.reg for one in step.operands)
        result = product(step, step.read(a), step.read(b), is_signed)
        if is_added:
            result = terms.add(result, terms.concat(step.read(high), step.read(low)))
        step.write(low, extract(result, 31, 0))
        step.write(high, extract(result, 63, 32))
    return run


def umaal(step: Step) -> None:
    """Adds both words to the product."""
    low, high, a, b = (one.reg for one in step.operands)
    result = terms.add(product(step, step.read(a), step.read(b), False), zext(step.read(low), 64), zext(step.read(high), 64))
    step.write(low, extract(result, 31, 0))
    step.write(high, extract(result, 63, 32))


def most_significant(step: Step) -> None:
    """smmul, smmla, smmls and their rounding forms."""
    name = step.instruction.mnemonic
    result = product(step, *(step.read(one.reg) for one in step.operands[1:3]), True)
    if name.startswith(("smmla", "smmls")):
        before = terms.concat(step.read(step.operands[3].reg), const(0, WORD))
        result = terms.add(before, result) if name.startswith("smmla") else terms.sub(before, result)
    if name[5:6] == "r":
        result = terms.add(result, const(0x80000000, 64))
    step.write(step.operands[0].reg, extract(result, 63, 32))


def halves(step: Step) -> None:
    """smulbb, smlabt, smulwb and their kin."""
    name = step.instruction.mnemonic
    is_wide = name[4] == "w"
    letters = name[5:6] if is_wide else name[4:6]
    values = [step.read(one.reg) for one in step.operands[1:3]]
    picks = ["w", letters] if is_wide else letters
    a, b = (sext(one if pick == "w" else extract(one, 31, 16) if pick == "t" else extract(one, 15, 0), 64)
            for one, pick in zip(values, picks))
    result = terms.mul(a, b)
    result = extract(result, 47, 16) if is_wide else extract(result, 31, 0)
    if name.startswith("smla"):
        result = terms.add(result, step.read(step.operands[3].reg))
    step.write(step.operands[0].reg, result)


def extension(width: int, is_signed: bool, is_added: bool) -> Callable[[Step], None]:
    """uxtb, uxth, sxtb, sxth and with addition."""
    def run(step: Step) -> None:
        value, _ = step.shifted(step.operands[-1])
        part = extract(value, width - 1, 0)
        result = sext(part, WORD) if is_signed else zext(part, WORD)
        step.write(step.operands[0].reg, terms.add(step.read(step.operands[1].reg), result) if is_added else result)
    return run


def bit_field(step: Step) -> None:
    """ubfx, sbfx, bfi, bfc."""
    name, operands = step.instruction.mnemonic, step.operands
    low, width = operands[-2].imm, operands[-1].imm
    if name.startswith(("ubfx", "sbfx")):
        part = extract(step.read(operands[1].reg), low + width - 1, low)
        result = sext(part, WORD) if name[0] == "s" else zext(part, WORD)
    else:
        old = step.read(operands[0].reg)
        inner = extract(step.read(operands[1].reg), width - 1, 0) if name.startswith("bfi") else const(0, width)
        parts = [inner]
        if low + width < WORD:
            parts.insert(0, extract(old, 31, low + width))
        if low:
            parts.append(extract(old, low - 1, 0))
        result = terms.concat(*parts)
    step.write(operands[0].reg, result)


def pack_halves(step: Step) -> None:
    """pkhbt, pkhtb."""
    first = step.read(step.operands[1].reg)
    second, _ = step.shifted(step.operands[2])
    is_bottom = step.instruction.mnemonic.startswith("pkhbt")
    high, low = (second, first) if is_bottom else (first, second)
    step.write(step.operands[0].reg, terms.concat(extract(high, 31, 16), extract(low, 15, 0)))


def lanes(width: int, combine: Callable[[Term, Term], Term]) -> Callable[[Step], None]:
    """uadd8, usub16 and their kin, without their flags."""
    def run(step: Step) -> None:
        a, b = (step.read(one.reg) for one in step.operands[-2:])
        places = [(at + width - 1, at) for at in range(WORD - width, -1, -width)]
        parts = [combine(extract(a, *place), extract(b, *place)) for place in places]
        step.write(step.operands[0].reg, terms.concat(*parts))
    return run


def reverse(bits: int) -> Callable[[Step], None]:
    """rev, rbit."""
    def run(step: Step) -> None:
        value = step.read(step.operands[1].reg)
        step.write(step.operands[0].reg, terms.concat(*(extract(value, at + bits - 1, at) for at in range(0, WORD, bits))))
    return run


def divide(step: Step) -> None:
    """udiv of constants."""
    a, b = (constant(step.read(one.reg), "a division") for one in step.operands[-2:])
    step.write(step.operands[0].reg, const(a // b if b else 0, WORD))


def move_top(step: Step) -> None:
    """movt."""
    old = step.read(step.operands[0].reg)
    step.write(step.operands[0].reg, terms.concat(const(step.operands[1].imm, 16), extract(old, 15, 0)))


# Memory

def unconditional(step: Step) -> bool:
    """Whether the instruction runs; a condition on data is refused."""
    return bool(constant(step.condition, "a condition of an access to memory"))


def address_of(step: Step, index: int) -> int:
    """The address of a memory operand; writes back."""
    operand, instruction = step.operands[index], step.instruction
    base = step.read(operand.mem.base)
    if operand.mem.base == arm.ARM_REG_PC:
        base = const(base.data & ~3, WORD)
    offset = const(operand.mem.disp, WORD)
    if operand.mem.index:
        offset = terms.shl(step.read(operand.mem.index), operand.mem.lshift or operand.shift.value)
    later = step.operands[index + 1].imm if len(step.operands) > index + 1 else 0
    if len(step.operands) > index + 1 and getattr(step.operands[index + 1], "subtracted", False):
        later = -abs(later)
    address = terms.add(base, offset)
    if instruction.writeback:
        step.write(operand.mem.base, terms.add(address, const(later, WORD)))
    return constant(address, "an address")


def load(width: int, is_signed: bool = False, count: int = 1) -> Callable[[Step], None]:
    """ldr, ldrb, ldrh, ldrsb, ldrsh, ldrd."""
    def run(step: Step) -> None:
        if not unconditional(step):
            return
        address = address_of(step, count)
        for at in range(count):
            part = step.state.memory.load(address + 4 * at, width // 8)
            step.write(step.operands[at].reg, sext(part, WORD) if is_signed else zext(part, WORD))
    return run


def store(width: int, count: int = 1) -> Callable[[Step], None]:
    """str, strb, strh, strd."""
    def run(step: Step) -> None:
        if not unconditional(step):
            return
        values = [step.read(step.operands[at].reg) for at in range(count)]
        address = address_of(step, count)
        for at, value in enumerate(values):
            step.state.memory.store(address + 4 * at, extract(value, width - 1, 0))
    return run


def block(is_load: bool, is_down: bool, is_stack: bool = False) -> Callable[[Step], None]:
    """ldm, stm, ldmdb, stmdb, push, pop."""
    def run(step: Step) -> None:
        if not unconditional(step):
            return
        registers = [one.reg for one in step.operands[0 if is_stack else 1:]]
        pointer = arm.ARM_REG_SP if is_stack else step.operands[0].reg
        start = constant(step.read(pointer), "an address")
        size = 4 * len(registers)
        first = start - size if is_down else start
        values = [step.read(one) for one in registers]
        if is_stack or step.instruction.writeback:
            step.write(pointer, const(first if is_down else start + size, WORD))
        for at, register in enumerate(registers):
            if is_load:
                step.write(register, step.state.memory.load(first + 4 * at, 4))
            else:
                step.state.memory.store(first + 4 * at, values[at])
    return run


# Control

def branch(step: Step) -> None:
    """b, bl, bx, blx."""
    name, operand = step.instruction.mnemonic, step.operands[0]
    if not constant(step.condition, "a condition that is branched on"):
        return
    target = operand.imm if operand.type == arm.ARM_OP_IMM else constant(step.read(operand.reg), "an address of code")
    if name.startswith("bl") and not name.startswith(("blo", "bls", "blt", "ble")):
        step.state.registers[LR] = const(step.next | 1, WORD)
    step.next = target & ~1


def compare_branch(step: Step) -> None:
    """cbz, cbnz."""
    is_zero = constant(step.read(step.operands[0].reg), "a condition that is branched on") == 0
    if is_zero == (step.instruction.mnemonic == "cbz"):
        step.next = step.operands[1].imm


def table_branch(step: Step) -> None:
    """tbb, tbh."""
    name, memory = step.instruction.mnemonic, step.operands[0].mem
    base, index = (constant(step.read(one), "an index") for one in (memory.base, memory.index))
    size = 1 if name == "tbb" else 2
    step.next += 2 * constant(step.state.memory.load(base + size * index, size), "a table")


def address(step: Step) -> None:
    """adr."""
    step.write(step.operands[0].reg, const((step.instruction.address + 4 & ~3) + step.operands[1].imm, WORD))


def flags_from(step: Step) -> None:
    """msr apsr_nzcvq."""
    value = step.read(step.operands[-1].reg)
    step.flag(**{name: extract(value, at, at) for name, at in zip(FLAGS, (31, 30, 29, 28, 27))})


def flags_to(step: Step) -> None:
    """mrs apsr; the flags GE are not kept here."""
    flags = [step.state.flags[name] for name in FLAGS]
    step.write(step.operands[0].reg, terms.concat(*flags, var("flags_below", 27)))


def saturating(combine: Callable[[Term, Term], Term]) -> Callable[[Step], None]:
    """qadd, qsub: the nearest signed word, and the flag Q where that is another."""
    def run(step: Step) -> None:
        a, b = (sext(step.read(one.reg), WORD + 1) for one in step.operands[-2:])
        wide = combine(a, b)
        result = extract(wide, 31, 0)
        is_beyond = terms.xor(extract(wide, WORD, WORD), extract(wide, 31, 31))
        limit = terms.concat(extract(wide, WORD, WORD), sext(terms.not_(extract(wide, WORD, WORD)), 31))
        step.flag(q=terms.or_(step.state.flags["q"], is_beyond))
        step.write(step.operands[0].reg, terms.ite(is_beyond, limit, result))
    return run


def nothing(_: Step) -> None:
    """it, nop: conditions stand in the instructions behind."""


def less(a: Term, b: Term, _: Term) -> tuple[Term, Term, Term]:
    return sum_with_carry(a, terms.not_(b), ONE)


SEMANTICS: dict[str, Callable[[Step], None]] = {
    "add": arithmetic(lambda a, b, _: sum_with_carry(a, b, ZERO)), "sub": arithmetic(less),
    "addw": arithmetic(lambda a, b, _: sum_with_carry(a, b, ZERO)), "subw": arithmetic(less),
    "rsb": arithmetic(lambda a, b, c: less(b, a, c)), "adc": arithmetic(sum_with_carry),
    "sbc": arithmetic(lambda a, b, c: sum_with_carry(a, terms.not_(b), c)), "cmp": arithmetic(less),
    "cmn": arithmetic(lambda a, b, _: sum_with_carry(a, b, ZERO)),
    "and": logical(terms.and_), "orr": logical(terms.or_), "eor": logical(terms.xor),
    "bic": logical(lambda a, b: terms.and_(a, terms.not_(b))), "orn": logical(lambda a, b: terms.or_(a, terms.not_(b))),
    "tst": logical(terms.and_, is_test=True), "teq": logical(terms.xor, is_test=True),
    "mov": logical(lambda _, b: b, is_move=True), "mvn": logical(lambda _, b: terms.not_(b), is_move=True),
    "movw": logical(lambda _, b: b, is_move=True), "movt": move_top,
    "lsl": shifting("lsl"), "lsr": shifting("lsr"), "asr": shifting("asr"), "ror": shifting("ror"),
    "mul": multiply, "mla": multiply, "mls": multiply, "umaal": umaal,
    "smull": long(True, False), "umull": long(False, False), "smlal": long(True, True), "umlal": long(False, True),
    **{f"smm{kind}{rounds}": most_significant for kind in ("ul", "la", "ls") for rounds in ("", "r")},
    **{f"sm{kind}{x}{y}": halves for kind in ("ul", "la") for x in "bt" for y in "bt"},
    **{f"sm{kind}w{y}": halves for kind in ("ul", "la") for y in "bt"},
    **{f"{sign}xt{added}{letter}": extension(width, sign == "s", bool(added))
       for sign in "us" for added in ("", "a") for letter, width in (("b", 8), ("h", 16))},
    "ubfx": bit_field, "sbfx": bit_field, "bfi": bit_field, "bfc": bit_field, "pkhbt": pack_halves, "pkhtb": pack_halves,
    **{f"{sign}add{width}": lanes(width, terms.add) for sign in "us" for width in (8, 16)},
    **{f"{sign}sub{width}": lanes(width, terms.sub) for sign in "us" for width in (8, 16)},
    "rev": reverse(8), "rbit": reverse(1), "udiv": divide,
    "ldr": load(32), "ldrb": load(8), "ldrh": load(16), "ldrsb": load(8, True), "ldrsh": load(16, True),
    "ldrd": load(32, count=2),
    "str": store(32), "strb": store(8), "strh": store(16), "strd": store(32, count=2),
    "ldm": block(True, False), "stm": block(False, False), "ldmdb": block(True, True), "stmdb": block(False, True),
    "push": block(False, True, True), "pop": block(True, False, True),
    "b": branch, "bl": branch, "bx": branch, "blx": branch, "cbz": compare_branch, "cbnz": compare_branch,
    "tbb": table_branch, "tbh": table_branch, "adr": address, "msr": flags_from, "mrs": flags_to,
    "qadd": saturating(terms.add), "qsub": saturating(terms.sub), "nop": nothing, "it": nothing,
}
SUFFIXES = ("eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "al")


@cache
def semantics_of(mnemonic: str) -> Callable[[Step], None] | None:
    """Semantics of a mnemonic with its width, condition and flags."""
    name = mnemonic.split(".")[0]
    if name.startswith("it") and set(name[2:]) <= set("te"):
        return nothing
    shorter = [name[:-len(end)] for end in ("s", *SUFFIXES) if name.endswith(end)]
    shorter += [one[:-1] for one in shorter if one.endswith("s")]
    return next((SEMANTICS[one] for one in (name, *shorter) if one in SEMANTICS), None)


class Thumb(Processor):
    """The Cortex-M4."""

    in_registers = 4
    result = 0

    def __init__(self):
        self.decoded: dict[tuple[Image, int], capstone.CsInsn] = {}

    def decode(self, image: Image, address: int) -> capstone.CsInsn:
        key = image, address
        if key not in self.decoded:
            code = image.bytes_at(address, 64) or image.bytes_at(address, 4) or image.bytes_at(address, 2) or b""
            # An IT block is decoded as a whole, since it gives conditions to the instructions behind it: one that these bytes may
            # cut is left to the next call.
            for instruction in decoder().disasm(code, address):
                is_cut = instruction.address > max(address, address + len(code) - IT_BYTES)
                if is_cut and semantics_of(instruction.mnemonic) is nothing:
                    break
                self.decoded.setdefault((image, instruction.address), instruction)
        if key not in self.decoded:
            raise Refused(f"{address:x} is no code")
        return self.decoded[key]

    def step(self, state: State, instruction: capstone.CsInsn) -> None:
        found = semantics_of(instruction.mnemonic)
        if found is None:
            raise Refused("the instruction has no semantics here")
        step = Step(state, instruction)
        found(step)
        state.place = step.next

    def enter(self, state: State, function: int, arguments: list[int]) -> None:
        state.registers = {number: var(f"r{number}", WORD) for number in range(PC)}
        state.registers[SP], state.registers[LR] = const(STACK, WORD), const(RETURN | 1, WORD)
        state.flags = {name: var(f"flag_{name}", 1) for name in FLAGS}
        for number, argument in enumerate(arguments[:4]):
            state.registers[number] = const(argument, WORD)
        for number, argument in enumerate(arguments[4:]):
            state.memory.store(STACK + 4 * number, const(argument, WORD))
        state.place = function & ~1

    def arguments(self, state: State, count: int) -> list[Term]:
        return [state.registers[number] for number in range(count)]

    def leave(self, state: State, unknown: str) -> None:
        state.place = constant(state.registers[LR], "an address of code") & ~1
        state.registers |= {number: var(f"{unknown}_{number}", WORD) for number in (*range(4), 12, LR)}
        state.flags = {name: var(f"{unknown}_{name}", 1) for name in FLAGS}

    def left_well(self, before: dict[int, Term], state: State) -> bool:
        return all(state.registers[number] is before[number] for number in KEPT)
