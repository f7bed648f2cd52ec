"""A Cortex-M55 of QEMU's board mps3-an547, instruction by instruction, by the protocol of its stub for debuggers.

The board has memory where images, the stack and regions lie. Helium is switched on by two instructions that run first."""
import shutil
import subprocess

from proofs.kernels.emulators.emulator import Emulator
from proofs.kernels.image import Image
from proofs.kernels.machine import State
from proofs.kernels.processors.encodings import decoded
from proofs.kernels.processors.helium import BLOCK, FIRST_VECTOR, PREDICATE, TAIL, VECTORS

EMULATOR = "qemu-system-arm"
COMMAND = (EMULATOR, "-M", "mps3-an547", "-display", "none", "-monitor", "none", "-serial", "none", "-S", "-gdb", "stdio")
# The stub's numbers of registers: the core's 16, its state with the bit for Thumb, halves of vectors, two words of state
CORE, PC, XPSR, FIRST_HALF, FPSCR, VPR = 16, 15, 25, 26, 42, 43
THUMB_STATE = 1 << 24
# CPACR, the control of access to coprocessors, and its bits for vectors
CPACR, VECTORS_ON = 0xE000ED88, 0xF << 20
# Room for the instructions that switch on: str r0, [r1], and vmrs r0, p0, with which the state of vectors begins
ROOM, SWITCH = 0x21000000, bytes.fromhex("0860") + bytes.fromhex("fdee100a")
PIECE = 1024


def is_there() -> bool:
    """Whether the emulator is installed."""
    return shutil.which(EMULATOR) is not None


class Board(Emulator):
    """The file of an image on the board."""

    def __init__(self, image: Image):
        self.image, self.is_vector, self.place = image, True, 0
        self.process = subprocess.Popen([*COMMAND, "-device", f"loader,file={image.path}"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        # Its description is read first: without it the stub knows no vectors.
        self.ask("qXfer:features:read:target.xml:0,ffb")
        self.write_memory(ROOM, SWITCH)
        for number, value in ((0, VECTORS_ON), (1, CPACR), (PC, ROOM), (XPSR, THUMB_STATE)):
            self.write(number, value)
        for _ in range(2):
            self.ask("s")

    def __exit__(self, *_: object) -> None:
        """Ends the emulator."""
        self.process.kill()
        self.process.communicate()

    def answers(self, *questions: str) -> list[str]:
        """The answers to questions that are sent together."""
        packets = (f"+${one}#{sum(one.encode()) & 0xFF:02x}" for one in questions)
        self.process.stdin.write("".join(packets).encode())
        self.process.stdin.flush()
        return [self.answer() for _ in questions]

    def answer(self) -> str:
        """The next answer: between a dollar and a hash with two digits."""
        stdout, found = self.process.stdout, bytearray()
        while (byte := stdout.read(1)) != b"#":
            if not byte:
                raise RuntimeError(f"{EMULATOR} has ended")
            found += byte
        stdout.read(2)
        return found[found.index(b"$") + 1:].decode()

    def ask(self, question: str) -> str:
        """The answer to a question."""
        return self.answers(question)[0]

    def confirm(self, question: str) -> None:
        """A request that has to succeed."""
        if (found := self.ask(question)) != "OK":
            raise RuntimeError(f"{EMULATOR}: {found or 'no answer'} to {question[:20]}")

    def write_memory(self, address: int, data: bytes) -> None:
        """Bytes into memory."""
        for at in range(0, len(data), PIECE):
            piece = data[at:at + PIECE]
            self.confirm(f"M{address + at:x},{len(piece):x}:{piece.hex()}")

    def write(self, number: int, value: int, size: int = 4) -> None:
        """A register of the stub's number."""
        self.confirm(f"P{number:x}={value.to_bytes(size, 'little').hex()}")

    def write_registers(self, state: State) -> None:
        """Sets registers and predicate to those of the translator."""
        for number, term in state.registers.items():
            if number < CORE:
                self.write(number, term.data)
            elif number < FIRST_VECTOR + VECTORS:
                half = FIRST_HALF + 2 * (number - FIRST_VECTOR)
                self.write(half, term.data & (1 << 64) - 1, 8)
                self.write(half + 1, term.data >> 64, 8)
            elif number == PREDICATE:
                self.write(VPR, term.data)
        self.write(XPSR, THUMB_STATE)
        self.is_vector = True

    def step(self, place: int) -> int:
        """Runs one instruction; the place behind it."""
        if place != self.place:
            self.write(PC, place)
        self.is_vector = decoded(place, self.image.bytes_at(place, 4)) is not None
        self.ask("s")
        self.place = self.core()[PC]
        return self.place

    def core(self) -> list[int]:
        """The registers of the core."""
        found = bytes.fromhex(self.ask("g"))
        return [int.from_bytes(found[4 * number:4 * number + 4], "little") for number in range(CORE)]

    def values(self) -> dict[int, int]:
        """Registers by the translator's numbers; vectors only behind an instruction of the table that has them."""
        found = dict(enumerate(self.core()[:PC]))
        if not self.is_vector:
            return found
        numbers = [*range(FIRST_HALF, FIRST_HALF + 2 * VECTORS), FPSCR, VPR]
        *halves, control, predicate = (int.from_bytes(bytes.fromhex(one), "little")
                                       for one in self.answers(*(f"p{number:x}" for number in numbers)))
        found |= {FIRST_VECTOR + at: halves[2 * at] | halves[2 * at + 1] << 64 for at in range(VECTORS)}
        return found | {PREDICATE: predicate & 0xFFFF, BLOCK: predicate >> 20 & 0xF, TAIL: control >> 16 & 7}
