"""A machine that runs beside the translator, instruction by instruction."""
import random
from abc import abstractmethod
from contextlib import AbstractContextManager

from proofs.kernels.image import Image
from proofs.kernels.machine import State
from proofs.kernels.terms import Term, const, is_const

PAGE, STACK_SIZE = 0x1000, 0x10000


def pages(image: Image) -> list[int]:
    """Pages of the file of an image, and one behind each part."""
    return sorted({place & -PAGE for start, data in image.loaded for place in range(start, start + len(data) + PAGE, PAGE)})


class Emulator(AbstractContextManager):
    """An emulator, or the processor that this runs on, with the file of an image in its memory."""

    # Whether an IT and the instructions that it gives conditions to are executed as one
    takes_blocks = False

    @abstractmethod
    def write_memory(self, address: int, data: bytes) -> None:
        """Bytes into memory."""

    @abstractmethod
    def write_registers(self, state: State) -> None:
        """Registers and flags by the translator's numbers."""

    @abstractmethod
    def step(self, place: int) -> int:
        """Runs one instruction; the place behind it."""

    @abstractmethod
    def values(self) -> dict[int, int]:
        """Registers by the translator's numbers."""

    def flags(self) -> dict[str, int]:
        """Flags by name, where they are compared; elsewhere only by what they decide."""
        return {}

    def start(self, state: State, words: dict[int, Term]) -> None:
        """Sets registers and words to those of the translator."""
        for address, term in words.items():
            self.write_memory(address, term.data.to_bytes(term.width // 8, "little"))
        self.write_registers(state)

    def follow(self, state: State, draw: random.Random) -> None:
        """Sets registers and memory to those of the translator after a stub; what is unknown there gets random values."""
        known(state, draw)
        self.start(state, {address: state.memory.load(address, 1) for address in state.memory.bytes})


def known(state: State, draw: random.Random) -> None:
    """Gives random values to registers without one, and zeros to flags."""
    for number, term in state.registers.items():
        state.registers[number] = term if is_const(term) else const(draw.getrandbits(term.width), term.width)
    state.flags = {flag: const(0, 1) for flag in state.flags}
