"""x86-64: integer instructions, memory and control; x86_vectors.py has the vectors.

The library reads the processor's features from __cpu_model, which the compiler's support library fills. Here a processor has the
features that a claim is about, and images have that word at FEATURES."""
from collections.abc import Callable

import capstone
from capstone import x86 as cs

from proofs.kernels import machine, terms
from proofs.kernels.image import FEATURES, Image
from proofs.kernels.machine import RETURN, STACK, Processor, Refused, State, constant
from proofs.kernels.processors import x86_vectors
from proofs.kernels.processors.x86_names import (
    AX,
    BP,
    BX,
    CX,
    DI,
    DX,
    FIRST_MASK,
    FIRST_VECTOR,
    MASK,
    SI,
    SP,
    VECTOR,
    WORD,
    decoder,
    place_of,
)
from proofs.kernels.terms import Term, const, extract, sext, var, zext

ARGUMENTS = (DI, SI, DX, CX, 8, 9)
KEPT = (BX, BP, *range(12, 16))
ONE, ZERO = const(1, 1), const(0, 1)
# Zero, sign, carry, overflow, and the order of signed numbers
FLAGS = "zscol"
# Bits of the compiler's features: popcnt, avx2, fma, bmi, bmi2; avx512f, avx512vl, avx512bw, avx512dq
AVX2 = 1 << 2 | 1 << 10 | 1 << 14 | 1 << 16 | 1 << 17
AVX512 = AVX2 | 1 << 15 | 1 << 20 | 1 << 21 | 1 << 22
LONGEST = 15


class Flags(dict):
    """Flags that are computed where they are read: most never are."""

    def __init__(self, makers: dict[str, Callable[[], Term]]):
        super().__init__()
        self.makers = makers

    def __missing__(self, name: str) -> Term:
        self[name] = self.makers[name]()
        return self[name]


class Step(machine.Step):
    """One instruction of x86-64."""

    @property
    def width(self) -> int:
        """Bits of the first operand."""
        return 8 * self.operands[0].size

    def register(self, register: int) -> Term:
        """A register of capstone's number."""
        number, width, low = place_of(register)
        return extract(self.state.registers[number], low + width - 1, low)

    def address(self, operand) -> Term:
        """The address of a memory operand."""
        memory, parts = operand.mem, [const(operand.mem.disp, WORD)]
        if memory.segment:
            raise Refused("segments are not followed")
        if memory.base:
            is_next = memory.base == cs.X86_REG_RIP
            parts.append(const(self.next, WORD) if is_next else zext(self.register(memory.base), WORD))
        if memory.index:
            parts.append(terms.mul(const(memory.scale, WORD), zext(self.register(memory.index), WORD)))
        return terms.add(const(0, WORD), *parts)

    def read(self, at: int, width: int = 0) -> Term:
        """An operand; immediates are as wide as the first one, or as the caller says."""
        operand = self.operands[at]
        if operand.type == cs.X86_OP_IMM:
            return const(operand.imm, width or self.width)
        if operand.type == cs.X86_OP_REG:
            return self.register(operand.reg)
        return self.state.memory.load(constant(self.address(operand), "an address"), operand.size)

    def write(self, at: int, value: Term) -> None:
        """Writes an operand. A register of 32 bits gets zeros above; of narrower ones the bits above stay."""
        operand = self.operands[at]
        if operand.type == cs.X86_OP_MEM:
            self.state.memory.store(constant(self.address(operand), "an address"), value)
            return
        number, width, low = place_of(operand.reg)
        if width < 32:
            old = self.state.registers[number]
            behind = [extract(old, low - 1, 0)] if low else []
            self.state.registers[number] = terms.concat(extract(old, WORD - 1, low + width), value, *behind)
        else:
            self.state.registers[number] = zext(value, WORD)

    def flag(self, total: Term, **others: Callable[[], Term]) -> None:
        """Sets the flags by a result: carry and overflow are zero, if nothing else is said."""
        top = total.width - 1
        flags = Flags({"z": lambda: terms.eq(total, const(0, total.width)), "s": lambda: extract(total, top, top),
                       "c": lambda: ZERO, "o": lambda: ZERO, "l": lambda: terms.xor(flags["s"], flags["o"]), **others})
        self.state.flags = flags

    def unknown(self, *names: str) -> None:
        """Flags that are undefined, or that nothing here follows."""
        self.state.flags.update({name: var(f"undefined_{name}", 1) for name in names})

    def push(self, value: Term) -> None:
        """Puts a word on the stack."""
        top = terms.sub(self.state.registers[SP], const(8, WORD))
        self.state.memory.store(constant(top, "an address"), value)
        self.state.registers[SP] = top

    def pop(self) -> Term:
        """Takes a word from the stack."""
        top = self.state.registers[SP]
        self.state.registers[SP] = terms.add(top, const(8, WORD))
        return self.state.memory.load(constant(top, "an address"), 8)


CONDITIONS: dict[str, Callable[[dict[str, Term]], Term]] = {
    "e": lambda f: f["z"], "b": lambda f: f["c"], "s": lambda f: f["s"], "o": lambda f: f["o"], "l": lambda f: f["l"],
    "be": lambda f: terms.or_(f["c"], f["z"]), "le": lambda f: terms.or_(f["l"], f["z"]),
}
CONDITIONS |= {name: lambda f, of=CONDITIONS[of]: terms.not_(of(f)) for name, of in (
    ("ne", "e"), ("ae", "b"), ("ns", "s"), ("no", "o"), ("ge", "l"), ("a", "be"), ("g", "le"))}


# Arithmetic

def overflow_of(a: Term, b: Term, total: Term) -> Term:
    """Whether a sum of signed numbers leaves their width."""
    signs = [extract(one, one.width - 1, one.width - 1) for one in (a, b, total)]
    return terms.and_(terms.xor(signs[0], signs[2]), terms.xor(signs[1], signs[2]))


def summing(takes_carry: bool) -> Callable[[Step], None]:
    """add, adc."""
    def run(step: Step) -> None:
        a, b = step.read(0), step.read(1)
        parts = [a, b, zext(step.state.flags["c"], a.width)] if takes_carry else [a, b]
        total = terms.add(*parts)
        step.write(0, total)
        step.flag(total, c=lambda: extract(terms.add(*(zext(one, a.width + 1) for one in parts)), a.width, a.width),
                  o=lambda: overflow_of(a, b, total))
    return run


def subtract(step: Step) -> None:
    """sub, cmp."""
    a, b = step.read(0), step.read(1)
    total = terms.sub(a, b)
    if step.instruction.mnemonic == "sub":
        step.write(0, total)
    step.flag(total, c=lambda: terms.ult(a, b), o=lambda: overflow_of(a, terms.not_(b), total), l=lambda: terms.slt(a, b))


def borrow(step: Step) -> None:
    """sbb."""
    a, b, carry = step.read(0), step.read(1), step.state.flags["c"]

    def wide() -> Term:
        first, second, third = (zext(one, a.width + 1) for one in (a, b, carry))
        return extract(terms.sub(terms.sub(first, second), third), a.width, a.width)
    total = terms.sub(terms.sub(a, b), zext(carry, a.width)) if a is not b else sext(carry, a.width)
    step.write(0, total)
    step.flag(total, c=wide if a is not b else lambda: carry, o=lambda: overflow_of(a, terms.not_(b), total))


def by_one(is_down: bool) -> Callable[[Step], None]:
    """inc, dec: the carry stays."""
    def run(step: Step) -> None:
        a, flags = step.read(0), step.state.flags
        one = const(1, a.width)
        total = terms.sub(a, one) if is_down else terms.add(a, one)
        step.write(0, total)
        step.flag(total, c=lambda: flags["c"], o=lambda: overflow_of(a, terms.not_(one) if is_down else one, total))
    return run


def negate(step: Step) -> None:
    """neg."""
    a = step.read(0)
    total, zero = terms.neg(a), const(0, a.width)
    step.write(0, total)
    step.flag(total, c=lambda: terms.not_(terms.eq(a, zero)), o=lambda: overflow_of(zero, terms.not_(a), total))


def logical(combine: Callable[[Term, Term], Term]) -> Callable[[Step], None]:
    """and, or, xor, test, andn."""
    def run(step: Step) -> None:
        at = 1 if len(step.operands) == 3 else 0
        total = combine(step.read(at), step.read(at + 1))
        if step.instruction.mnemonic != "test":
            step.write(0, total)
        step.flag(total)
    return run


def complement(step: Step) -> None:
    """not: no flags."""
    step.write(0, terms.not_(step.read(0)))


def multiply(step: Step) -> None:
    """imul with two or three operands: the low half."""
    at = 1 if len(step.operands) == 3 else 0
    step.write(0, terms.mul(step.read(at), step.read(at + 1)))
    step.unknown(*FLAGS)


def multiply_wide(step: Step) -> None:
    """mul, imul with one operand: both halves, of 32 or 64 bits."""
    if len(step.operands) > 1:
        multiply(step)
        return
    wider, width = (sext if step.instruction.mnemonic == "imul" else zext), step.width
    if width < 32:
        raise Refused("products of bytes are not followed")
    a, b = extract(step.state.registers[AX], width - 1, 0), step.read(0)
    product = terms.mul(wider(a, 2 * width), wider(b, 2 * width))
    step.state.registers[AX] = zext(extract(product, width - 1, 0), WORD)
    step.state.registers[DX] = zext(extract(product, 2 * width - 1, width), WORD)
    step.unknown(*FLAGS)


def divide(is_signed: bool) -> Callable[[Step], None]:
    """div, idiv of public numbers: a division takes a time that depends on them."""
    def run(step: Step) -> None:
        width = step.width
        halves = [constant(extract(step.state.registers[number], width - 1, 0), "a dividend") for number in (DX, AX)]
        dividend, divisor = halves[0] << width | halves[1], constant(step.read(0), "a divisor")
        if is_signed:
            dividend, divisor = terms.signed(dividend, 2 * width), terms.signed(divisor, width)
        if divisor == 0:
            raise Refused("a division by zero")
        quotient = abs(dividend) // abs(divisor) * (1 if (dividend < 0) == (divisor < 0) else -1)
        step.state.registers[AX] = zext(const(quotient, width), WORD)
        step.state.registers[DX] = zext(const(dividend - quotient * divisor, width), WORD)
        step.unknown(*FLAGS)
    return run


# Shifts and bits

def shifting(shift: Callable[[Term, int], Term], last: Callable[[int, int], int]) -> Callable[[Step], None]:
    """shl, shr, sar by a constant, which may be in a register; `last` is the number of the bit that becomes the carry."""
    def run(step: Step) -> None:
        a, count = step.read(0), step.read(1, 8) if len(step.operands) > 1 else const(1, 8)
        by = constant(count, "a shift") & (63 if a.width == 64 else 31)
        if not by:
            step.write(0, a)
            return
        total = shift(a, by)
        step.write(0, total)
        at = last(a.width, by)
        step.flag(total, c=lambda: extract(a, at, at) if 0 <= at < a.width else ZERO)
        step.unknown("o", "l")
    return run


def rotating(is_left: bool) -> Callable[[Step], None]:
    """rol, ror by a constant; zero and sign stay."""
    def run(step: Step) -> None:
        a, count = step.read(0), step.read(1, 8) if len(step.operands) > 1 else const(1, 8)
        by = constant(count, "a shift") & (63 if a.width == 64 else 31)
        step.write(0, terms.ror(a, -by if is_left else by))
        step.unknown("c", "o", "l")
    return run


def without_flags(shift: Callable[[Term, int], Term]) -> Callable[[Step], None]:
    """shlx, shrx, sarx, rorx."""
    def run(step: Step) -> None:
        a = step.read(1)
        step.write(0, shift(a, constant(step.read(2, 8), "a shift") & (a.width - 1)))
    return run


def swap_bytes(step: Step) -> None:
    """bswap."""
    a = step.read(0)
    step.write(0, terms.concat(*(extract(a, at + 7, at) for at in range(0, a.width, 8))))


def counting(count: Callable[[int], int]) -> Callable[[Step], None]:
    """bsr, tzcnt, popcnt of public numbers."""
    def run(step: Step) -> None:
        step.write(0, const(count(constant(step.read(1), "a number whose bits are counted")), step.width))
        step.unknown(*FLAGS)
    return run


def bit_at(change: Callable[[Term], Term] | None) -> Callable[[Step], None]:
    """bt, bts, btr, btc: a bit becomes the carry, and is changed."""
    def run(step: Step) -> None:
        a, index = step.read(0), step.read(1)
        at = constant(index, "the number of a bit") % a.width
        if change is not None:
            parts = [extract(a, a.width - 1, at + 1)] if at + 1 < a.width else []
            parts += [change(extract(a, at, at)), *([extract(a, at - 1, 0)] if at else [])]
            step.write(0, terms.concat(*parts))
        step.state.flags["c"] = extract(a, at, at)
        step.unknown("s", "o", "l")
    return run


# Moves

def move(step: Step) -> None:
    """mov, movabs."""
    step.write(0, step.read(1))


def extension(wider: Callable[[Term, int], Term]) -> Callable[[Step], None]:
    """movzx, movsx, movsxd."""
    return lambda step: step.write(0, wider(step.read(1), step.width))


def address(step: Step) -> None:
    """lea."""
    step.write(0, extract(step.address(step.operands[1]), step.width - 1, 0))


def widened(source: tuple[int, int], target: tuple[int, int]) -> Callable[[Step], None]:
    """cwde, cdqe, cdq, cqo: the sign of a register in its upper half, or in all of another one."""
    def run(step: Step) -> None:
        (number, bits), (to, width) = source, target
        value = extract(step.state.registers[number], bits - 1, 0)
        step.state.registers[to] = zext(sext(value, width) if to == AX else terms.ashr(value, bits - 1), WORD)
    return run


def exchange(step: Step) -> None:
    """xchg."""
    a, b = step.read(0), step.read(1)
    step.write(0, b)
    step.write(1, a)


def repeated(step: Step) -> None:
    """rep stos, rep movs: as often as a public number says."""
    registers, size = step.state.registers, step.operands[0].size
    to, count = (constant(registers[number], "an address or a length") for number in (DI, CX))
    is_copy = "movs" in step.instruction.mnemonic
    start = constant(registers[SI], "an address") if is_copy else 0
    for at in range(0, count * size, size):
        value = step.state.memory.load(start + at, size) if is_copy else extract(registers[AX], 8 * size - 1, 0)
        step.state.memory.store(to + at, value)
    registers[DI], registers[CX] = const(to + count * size, WORD), const(0, WORD)
    if is_copy:
        registers[SI] = const(start + count * size, WORD)


def on_stack(step: Step) -> None:
    """push, pop, leave."""
    name = step.instruction.mnemonic
    if name == "push":
        step.push(step.read(0, WORD))
    elif name == "pop":
        step.write(0, step.pop())
    else:
        step.state.registers[SP] = step.state.registers[BP]
        step.state.registers[BP] = step.pop()


# Control

def jump(step: Step) -> None:
    """jmp, call, ret."""
    name = step.instruction.mnemonic
    target = step.pop() if name == "ret" else step.read(0, WORD)
    if name == "call":
        step.push(const(step.next, WORD))
    step.next = constant(target, "an address of code")


def jump_if(condition: Callable[[dict[str, Term]], Term]) -> Callable[[Step], None]:
    """je and its kin."""
    def run(step: Step) -> None:
        if constant(condition(step.state.flags), "a condition that is branched on"):
            step.next = step.operands[0].imm
    return run


def move_if(condition: Callable[[dict[str, Term]], Term]) -> Callable[[Step], None]:
    """cmove and its kin."""
    return lambda step: step.write(0, terms.ite(condition(step.state.flags), step.read(1), step.read(0)))


def set_if(condition: Callable[[dict[str, Term]], Term]) -> Callable[[Step], None]:
    """sete and its kin."""
    return lambda step: step.write(0, zext(condition(step.state.flags), 8))


def nothing(_: Step) -> None:
    """nop, endbr64."""


SEMANTICS: dict[str, Callable[[Step], None]] = {
    "add": summing(False), "adc": summing(True), "sub": subtract, "cmp": subtract, "sbb": borrow, "inc": by_one(False),
    "dec": by_one(True), "neg": negate, "not": complement, "imul": multiply_wide, "mul": multiply_wide,
    "div": divide(False), "idiv": divide(True),
    "and": logical(terms.and_), "test": logical(terms.and_), "or": logical(terms.or_), "xor": logical(terms.xor),
    "andn": logical(lambda a, b: terms.and_(terms.not_(a), b)),
    "shl": shifting(terms.shl, lambda width, by: width - by), "shr": shifting(terms.lshr, lambda _, by: by - 1),
    "sar": shifting(terms.ashr, lambda width, by: min(by, width) - 1), "rol": rotating(True), "ror": rotating(False),
    "shlx": without_flags(terms.shl), "shrx": without_flags(terms.lshr), "sarx": without_flags(terms.ashr),
    "rorx": without_flags(terms.ror), "bswap": swap_bytes,
    "bsr": counting(lambda value: value.bit_length() - 1), "tzcnt": counting(lambda value: (value & -value).bit_length() - 1),
    "popcnt": counting(int.bit_count),
    "bt": bit_at(None), "bts": bit_at(lambda _: ONE), "btr": bit_at(lambda _: ZERO), "btc": bit_at(terms.not_),
    "mov": move, "movabs": move, "movzx": extension(zext), "movsx": extension(sext), "movsxd": extension(sext),
    "lea": address, "cwde": widened((AX, 16), (AX, 32)), "cdqe": widened((AX, 32), (AX, 64)),
    "cdq": widened((AX, 32), (DX, 32)), "cqo": widened((AX, 64), (DX, 64)), "xchg": exchange,
    **{f"rep {kind}{size}": repeated for kind in ("stos", "movs") for size in "bdq"},
    "push": on_stack, "pop": on_stack, "leave": on_stack, "jmp": jump, "call": jump, "ret": jump,
    **{f"j{name}": jump_if(condition) for name, condition in CONDITIONS.items()},
    **{f"cmov{name}": move_if(condition) for name, condition in CONDITIONS.items()},
    **{f"set{name}": set_if(condition) for name, condition in CONDITIONS.items()},
    "nop": nothing, "endbr64": nothing,
}


class X86(Processor):
    """x86-64 with some features, and the System V calling convention."""

    in_registers = len(ARGUMENTS)
    result = AX
    pointer = 8

    def __init__(self, features: int):
        self.features = features
        self.decoded: dict[tuple[Image, int], capstone.CsInsn] = {}

    def decode(self, image: Image, address: int) -> capstone.CsInsn:
        key = image, address
        if key not in self.decoded:
            code = next((found for length in range(LONGEST, 0, -1) if (found := image.bytes_at(address, length))), b"")
            found = next(decoder().disasm(code, address), None)
            if found is None:
                raise Refused(f"{address:x} is no code")
            self.decoded[key] = found
        return self.decoded[key]

    def step(self, state: State, instruction: capstone.CsInsn) -> None:
        step = Step(state, instruction)
        if x86_vectors.is_vector(step):
            x86_vectors.run(step)
        elif instruction.mnemonic in SEMANTICS:
            SEMANTICS[instruction.mnemonic](step)
        else:
            raise Refused("the instruction has no semantics here")
        state.place = step.next

    def enter(self, state: State, function: int, arguments: list[int]) -> None:
        state.registers = {number: var(f"r{number}", WORD) for number in range(FIRST_VECTOR)}
        state.registers |= {FIRST_VECTOR + number: var(f"zmm{number}", VECTOR) for number in range(32)}
        state.registers |= {FIRST_MASK + number: var(f"k{number}", MASK) for number in range(8)}
        state.flags = {name: var(f"flag_{name}", 1) for name in FLAGS}
        state.registers[SP] = const(STACK - 8, WORD)
        state.memory.store(STACK - 8, const(RETURN, WORD))
        state.memory.store(FEATURES, const(self.features, 32))
        for number, argument in zip(ARGUMENTS, arguments):
            state.registers[number] = const(argument, WORD)
        for number, argument in enumerate(arguments[len(ARGUMENTS):]):
            state.memory.store(STACK + 8 * number, const(argument, WORD))
        state.place = function

    def arguments(self, state: State, count: int) -> list[Term]:
        return [state.registers[number] for number in ARGUMENTS[:count]]

    def leave(self, state: State, unknown: str) -> None:
        top = constant(state.registers[SP], "an address")
        state.place = constant(state.memory.load(top, 8), "an address of code")
        state.registers[SP] = const(top + 8, WORD)
        state.registers |= {number: var(f"{unknown}_{number}", term.width) for number, term in state.registers.items()
                            if number not in (SP, *KEPT)}
        state.flags = {name: var(f"{unknown}_{name}", 1) for name in FLAGS}

    def left_well(self, before: dict[int, Term], state: State) -> bool:
        is_popped = state.registers[SP] is const(STACK, WORD)
        return is_popped and all(state.registers[number] is before[number] for number in KEPT)
