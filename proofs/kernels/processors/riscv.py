"""RV32IM, without compressed instructions: what compilers make of kernels in C."""
from collections.abc import Callable
from dataclasses import dataclass

from proofs.kernels import machine, terms
from proofs.kernels.image import Image
from proofs.kernels.machine import RETURN, STACK, Processor, Refused, State, constant
from proofs.kernels.terms import Term, const, extract, sext, signed, var, zext

WORD = 32
RA, SP, FIRST_ARGUMENT, ARGUMENTS = 1, 2, 10, 8
KEPT = (SP, 3, 4, 8, 9, *range(18, 28))


@dataclass(frozen=True)
class Instruction:
    """A word of code, and its fields."""

    address: int
    word: int
    mnemonic: str
    size: int = 4

    def bits(self, high: int, low: int) -> int:
        """Some bits of the word."""
        return self.word >> low & ((1 << (high - low + 1)) - 1)

    @property
    def op_str(self) -> str:
        """The word in hexadecimal."""
        return f"{self.word:08x}"

    @property
    def rd(self) -> int:
        """Number of the register that is written."""
        return self.bits(11, 7)

    @property
    def sources(self) -> tuple[int, int]:
        """Numbers of the registers that are read."""
        return self.bits(19, 15), self.bits(24, 20)

    @property
    def of_i(self) -> int:
        """The immediate of loads and of operations."""
        return signed(self.bits(31, 20), 12)

    @property
    def of_s(self) -> int:
        """The immediate of stores."""
        return signed(self.bits(31, 25) << 5 | self.bits(11, 7), 12)

    @property
    def of_b(self) -> int:
        """The distance of branches."""
        return signed(self.bits(31, 31) << 12 | self.bits(7, 7) << 11 | self.bits(30, 25) << 5 | self.bits(11, 8) << 1, 13)

    @property
    def of_j(self) -> int:
        """The distance of jumps."""
        return signed(self.bits(31, 31) << 20 | self.bits(19, 12) << 12 | self.bits(20, 20) << 11 | self.bits(30, 21) << 1, 21)


def by_shift(shift: Callable[[Term, int], Term]) -> Callable[[Term, Term], Term]:
    """A shift by a constant."""
    return lambda a, b: shift(a, constant(b, "a shift") & 31)


def truth(condition: Term) -> Term:
    """A condition as a word."""
    return zext(condition, WORD)


def high_word(wide_a: Callable[[Term, int], Term], wide_b: Callable[[Term, int], Term]) -> Callable[[Term, Term], Term]:
    """The upper half of a product."""
    return lambda a, b: extract(terms.mul(wide_a(a, 2 * WORD), wide_b(b, 2 * WORD)), 2 * WORD - 1, WORD)


def quotient(a: Term, b: Term) -> Term:
    """divu of public numbers: a division takes a time that depends on them."""
    divisor = constant(b, "a divisor")
    return const(constant(a, "a dividend") // divisor if divisor else -1, WORD)


def remainder(a: Term, b: Term) -> Term:
    """remu of public numbers."""
    dividend, divisor = constant(a, "a dividend"), constant(b, "a divisor")
    return const(dividend % divisor if divisor else dividend, WORD)


# By the fields funct7 and funct3
OPERATIONS: dict[tuple[int, int], tuple[str, Callable[[Term, Term], Term]]] = {
    (0, 0): ("add", terms.add), (32, 0): ("sub", terms.sub), (0, 1): ("sll", by_shift(terms.shl)),
    (0, 2): ("slt", lambda a, b: truth(terms.slt(a, b))), (0, 3): ("sltu", lambda a, b: truth(terms.ult(a, b))),
    (0, 4): ("xor", terms.xor), (0, 5): ("srl", by_shift(terms.lshr)), (32, 5): ("sra", by_shift(terms.ashr)),
    (0, 6): ("or", terms.or_), (0, 7): ("and", terms.and_), (1, 0): ("mul", terms.mul),
    (1, 1): ("mulh", high_word(sext, sext)), (1, 2): ("mulhsu", high_word(sext, zext)), (1, 3): ("mulhu", high_word(zext, zext)),
    (1, 5): ("divu", quotient), (1, 7): ("remu", remainder),
}
BRANCHES: dict[int, tuple[str, Callable[[Term, Term], Term]]] = {
    0: ("beq", terms.eq), 1: ("bne", lambda a, b: terms.not_(terms.eq(a, b))), 4: ("blt", terms.slt),
    5: ("bge", lambda a, b: terms.not_(terms.slt(a, b))), 6: ("bltu", terms.ult),
    7: ("bgeu", lambda a, b: terms.not_(terms.ult(a, b))),
}
LOADS = {0: ("lb", 1, sext), 1: ("lh", 2, sext), 2: ("lw", 4, sext), 4: ("lbu", 1, zext), 5: ("lhu", 2, zext)}
STORES = {0: ("sb", 1), 1: ("sh", 2), 2: ("sw", 4)}
LUI, AUIPC, JAL, JALR, BRANCH, LOAD, STORE, IMMEDIATE, REGISTER = 0x37, 0x17, 0x6F, 0x67, 0x63, 0x03, 0x23, 0x13, 0x33
SHIFTS = (1, 5)
# funct7 of products and quotients, which have no immediates
MULTIPLIES = 1


def kind_of(word: int) -> tuple[str, Callable | None]:
    """The mnemonic of a word, and what it computes where that depends on further fields."""
    opcode, funct3, funct7 = word & 127, word >> 12 & 7, word >> 25
    if opcode == REGISTER and (funct7, funct3) in OPERATIONS:
        return OPERATIONS[funct7, funct3]
    operation = funct7 if funct3 in SHIFTS else 0, funct3
    if opcode == IMMEDIATE and operation in OPERATIONS and operation[0] != MULTIPLIES:
        name, combine = OPERATIONS[operation]
        return name + "i", combine
    if opcode == BRANCH and funct3 in BRANCHES:
        return BRANCHES[funct3]
    names = {LUI: "lui", AUIPC: "auipc", JAL: "jal", JALR: "jalr"}
    names |= {LOAD: LOADS.get(funct3, ("?",))[0], STORE: STORES.get(funct3, ("?",))[0]}
    return names.get(opcode, "?"), None


class Step(machine.Step):
    """One instruction of RV32IM, with the registers that it reads."""

    def __init__(self, state: State, instruction: Instruction):
        super().__init__(state, instruction)
        self.first, self.second = (state.registers[number] for number in instruction.sources)

    def write(self, value: Term) -> None:
        """Writes the register; the first one stays zero."""
        if self.instruction.rd:
            self.state.registers[self.instruction.rd] = value

    def operation(self) -> None:
        """Operations on registers, and on a register and an immediate."""
        is_immediate = self.instruction.word & 127 == IMMEDIATE
        second = const(self.instruction.of_i, WORD) if is_immediate else self.second
        self.write(kind_of(self.instruction.word)[1](self.first, second))

    def upper(self) -> None:
        """lui, auipc."""
        value = self.instruction.word & 0xFFFFF000
        self.write(const(value + (self.instruction.address if self.instruction.word & 127 == AUIPC else 0), WORD))

    def jump(self) -> None:
        """jal, jalr."""
        if self.instruction.word & 127 == JAL:
            target = self.instruction.address + self.instruction.of_j
        else:
            target = constant(self.first, "an address of code") + self.instruction.of_i & ~1
        self.write(const(self.next, WORD))
        self.next = target & 0xFFFFFFFF

    def branch(self) -> None:
        """Conditional branches."""
        condition = kind_of(self.instruction.word)[1](self.first, self.second)
        if constant(condition, "a condition that is branched on"):
            self.next = self.instruction.address + self.instruction.of_b

    def load(self) -> None:
        """Loads."""
        _, size, wider = LOADS[self.instruction.bits(14, 12)]
        address = constant(self.first, "an address") + self.instruction.of_i & 0xFFFFFFFF
        self.write(wider(self.state.memory.load(address, size), WORD))

    def store(self) -> None:
        """Stores."""
        _, size = STORES[self.instruction.bits(14, 12)]
        address = constant(self.first, "an address") + self.instruction.of_s & 0xFFFFFFFF
        self.state.memory.store(address, extract(self.second, 8 * size - 1, 0))


SEMANTICS = {REGISTER: Step.operation, IMMEDIATE: Step.operation, LUI: Step.upper, AUIPC: Step.upper, JAL: Step.jump,
             JALR: Step.jump, BRANCH: Step.branch, LOAD: Step.load, STORE: Step.store}


class RiscV(Processor):
    """A core with RV32IM, and the calling convention ilp32."""

    in_registers = ARGUMENTS
    result = FIRST_ARGUMENT

    def decode(self, image: Image, address: int) -> Instruction:
        code = image.bytes_at(address, 4)
        if code is None:
            raise Refused(f"{address:x} is no code")
        word = int.from_bytes(code, "little")
        return Instruction(address, word, kind_of(word)[0])

    def step(self, state: State, instruction: Instruction) -> None:
        if instruction.mnemonic == "?":
            raise Refused("the instruction has no semantics here")
        step = Step(state, instruction)
        SEMANTICS[instruction.word & 127](step)
        state.place = step.next

    def enter(self, state: State, function: int, arguments: list[int]) -> None:
        state.registers = {number: var(f"x{number}", WORD) for number in range(1, WORD)} | {0: const(0, WORD)}
        state.registers[SP], state.registers[RA] = const(STACK, WORD), const(RETURN, WORD)
        for number, argument in enumerate(arguments[:ARGUMENTS]):
            state.registers[FIRST_ARGUMENT + number] = const(argument, WORD)
        for number, argument in enumerate(arguments[ARGUMENTS:]):
            state.memory.store(STACK + 4 * number, const(argument, WORD))
        state.place = function

    def arguments(self, state: State, count: int) -> list[Term]:
        return [state.registers[FIRST_ARGUMENT + number] for number in range(count)]

    def leave(self, state: State, unknown: str) -> None:
        state.place = constant(state.registers[RA], "an address of code")
        state.registers |= {number: var(f"{unknown}_{number}", WORD) for number in range(1, WORD) if number not in KEPT}

    def left_well(self, before: dict[int, Term], state: State) -> bool:
        return all(state.registers[number] is before[number] for number in KEPT)
