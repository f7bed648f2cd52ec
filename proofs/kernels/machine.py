"""Functions as machine code, run on terms.

Addresses, and conditions that are branched on, must be constants: a kernel whose control flow or addresses depend on its data is
refused. Loops are therefore followed as often as the given lengths say."""
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from capstone import CsInsn

from proofs.kernels.image import Image
from proofs.kernels.memory import Memory
from proofs.kernels.terms import Term, const, is_const, var

# Addresses where the boards of emulators have memory, or have none for RETURN
RETURN = 0x0F000000
STACK = 0x21200000
STEPS = 400_000


class Refused(Exception):
    """The code does what cannot be followed; the message says where."""


@dataclass
class State:
    """Registers, flags and memory."""

    registers: dict[int, Term]
    memory: Memory
    flags: dict[str, Term] = field(default_factory=dict)
    place: int = 0


class Step:
    """One instruction on a state, and the place of the next one."""

    def __init__(self, state: State, instruction: CsInsn):
        self.state, self.instruction = state, instruction
        self.next = instruction.address + instruction.size

    @cached_property
    def operands(self) -> list:
        """Operands, as capstone decoded them."""
        return self.instruction.operands


def constant(term: Term, what: str) -> int:
    """The value of a term that must be a constant."""
    if not is_const(term):
        raise Refused(f"{what} depends on data")
    return term.data


def initial_memory(image: Image) -> Memory:
    """The file's bytes; other bytes are variables."""
    def first(address: int) -> Term:
        found = image.bytes_at(address, 1)
        return const(found[0], 8) if found is not None else var(f"byte_{address:x}", 8)
    return Memory(first)


class Processor:
    """An instruction set: decoding, semantics, calling convention."""

    in_registers: int
    # Number of the register that a result is in
    result: int
    # Bytes of a pointer
    pointer = 4

    def decode(self, image: Image, address: int) -> CsInsn:
        """The instruction at an address."""
        raise NotImplementedError

    def step(self, state: State, instruction: CsInsn) -> None:
        """Executes one instruction, its place included."""
        raise NotImplementedError

    def enter(self, state: State, function: int, arguments: list[int]) -> None:
        """Sets up a call with word arguments."""
        raise NotImplementedError

    def arguments(self, state: State, count: int) -> list[Term]:
        """The first arguments of a function that begins."""
        raise NotImplementedError

    def leave(self, state: State, unknown: str) -> None:
        """Returns from a function of which nothing is known but that it keeps what a function keeps: other registers get
        variables of names that begin so."""
        raise NotImplementedError

    def left_well(self, before: dict[int, Term], state: State) -> bool:
        """Whether the registers that a function keeps are as before."""
        raise NotImplementedError


Stub = Callable[[Processor, State], None]


def call(processor: Processor, image: Image, name: str, arguments: list[int], memory: Memory, stubs: dict[int, Stub]) -> State:
    """Runs a function until it returns; Refused if it cannot be followed or spoils a register. Stubs stand for functions at their
    addresses."""
    if name not in image.functions:
        raise Refused(f"{name} is not in {image.path.parent.name}")
    state = State({}, memory)
    processor.enter(state, image.functions[name], arguments)
    before = dict(state.registers)
    for _ in range(STEPS):
        if state.place == RETURN:
            if not processor.left_well(before, state):
                raise Refused(f"{name}: a register that the caller keeps is lost")
            return state
        if state.place in stubs:
            stubs[state.place](processor, state)
            continue
        instruction = processor.decode(image, state.place)
        try:
            processor.step(state, instruction)
        except Refused as refusal:
            place = f"{instruction.address:x}: {instruction.mnemonic} {instruction.op_str}"
            raise Refused(f"{name}, {place}: {refusal}") from None
    raise Refused(f"{name}: more than {STEPS} instructions")
