"""The translator of x86-64 against the processor that this runs on: a stopped child process, stepped by one instruction.

The child maps the file of an image, a stack and regions at their addresses; the parent sets its registers and reads them after
each step, the vectors as the processor saves them (xsave)."""
import ctypes
import mmap
import os
import platform
import signal
import struct

from proofs.kernels.claim import APART, FIRST_REGION
from proofs.kernels.emulators.emulator import PAGE, STACK_SIZE, Emulator, pages
from proofs.kernels.image import CPU_MODEL, Image
from proofs.kernels.machine import STACK, State
from proofs.kernels.processors.x86_names import FIRST_MASK, FIRST_VECTOR

# Requests of ptrace, and the kinds of registers that it knows
TRACEME, SINGLESTEP, GETREGS, SETREGS, GETREGSET, SETREGSET = 0, 9, 12, 13, 0x4204, 0x4205
XSTATE = 0x202
MAP_FIXED_NOREPLACE = 0x100000
# Places in struct user_regs_struct of the registers by their numbers, of the instruction pointer and of the flags
PLACES = (10, 11, 12, 5, 19, 4, 13, 14, 9, 8, 7, 6, 3, 2, 1, 0)
POINTER, FLAGS, WORDS = 16, 18, 27
FLAG_BITS = {"c": 0, "z": 6, "s": 7, "o": 11}
# Components of the state that the processor saves: upper halves of 256 bits, masks, upper halves of 512 bits, vectors 16 to 31
UPPER_256, MASKS, UPPER_512, HIGH_16 = 2, 5, 6, 7
SAVED, LOW_128, HEADER = 4096, 160, 512
# cpuid with eax and ecx of the first two arguments, to the memory that the third points to
CPUID = bytes.fromhex("5389f889f14989d00fa241890041895804418948084189500c5bc3")

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.restype = ctypes.c_long
libc.ptrace.argtypes = (ctypes.c_ulong, ctypes.c_ulong, ctypes.c_ulong, ctypes.c_void_p)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long)


def is_x86() -> bool:
    """Whether this is a processor of the architecture."""
    return platform.machine() == "x86_64"


def features() -> set[str]:
    """The names that the kernel has for what the processor can do."""
    with open("/proc/cpuinfo") as file:
        line = next((one for one in file if one.startswith("flags")), "")
    return set(line.partition(":")[2].split())


def offsets() -> dict[int, int]:
    """Where each component of the saved state begins."""
    memory = mmap.mmap(-1, PAGE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(CPUID)
    place = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    call = ctypes.CFUNCTYPE(None, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_void_p)(place)
    found = {}
    for component in (UPPER_256, MASKS, UPPER_512, HIGH_16):
        out = (ctypes.c_uint32 * 4)()
        call(0xD, component, ctypes.addressof(out))
        found[component] = out[1]
    return found


class Parts(ctypes.Structure):
    """struct iovec."""

    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


def map_at(address: int, length: int) -> None:
    """Maps memory for everything at an address."""
    every = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_FIXED_NOREPLACE
    if libc.mmap(address, length, every, flags, -1, 0) != address:
        raise OSError(ctypes.get_errno(), f"no memory at {address:x}")


def begin_child(image: Image) -> None:
    """In the child: maps everything and stops; the parent never lets it return."""
    for page in pages(image):
        map_at(page, PAGE)
    for start, data in image.loaded:
        ctypes.memmove(start, data, len(data))
    map_at(STACK - STACK_SIZE, 2 * STACK_SIZE)
    map_at(FIRST_REGION, 16 * APART)
    map_at(CPU_MODEL, PAGE)
    libc.ptrace(TRACEME, 0, 0, None)
    os.kill(os.getpid(), signal.SIGSTOP)


class Native(Emulator):
    """A child process in the state of the translator."""

    def __init__(self, image: Image):
        self.process = os.fork()
        if not self.process:
            try:
                begin_child(image)
            finally:
                os._exit(1)
        self.wait()
        self.memory = os.open(f"/proc/{self.process}/mem", os.O_RDWR)
        self.words, self.saved = (ctypes.c_uint64 * WORDS)(), ctypes.create_string_buffer(SAVED)
        self.parts = Parts(ctypes.addressof(self.saved), SAVED)
        self.offsets = offsets()
        self.has_512 = "avx512f" in features()
        self.request(GETREGS, 0, ctypes.addressof(self.words))
        self.read_vectors()

    def wait(self) -> None:
        """Waits until the child stops after a step."""
        _, status = os.waitpid(self.process, 0)
        if not os.WIFSTOPPED(status) or os.WSTOPSIG(status) not in (signal.SIGSTOP, signal.SIGTRAP):
            raise RuntimeError(f"the child ended with status {status:x}")

    def __exit__(self, *_: object) -> None:
        """Ends the child."""
        os.close(self.memory)
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)

    def request(self, kind: int, address: int, data: int) -> None:
        """A request of ptrace."""
        if libc.ptrace(kind, self.process, address, data) < 0:
            raise OSError(ctypes.get_errno(), f"ptrace {kind:x}")

    def read_vectors(self) -> None:
        """Fetches what the processor saved."""
        self.parts.length = SAVED
        self.request(GETREGSET, XSTATE, ctypes.addressof(self.parts))

    def vector_parts(self, number: int) -> list[tuple[int, int]]:
        """Places and lengths of a vector's parts, lowest first."""
        if number >= 16:
            return [(self.offsets[HIGH_16] + 64 * (number - 16), 64)]
        low = [(LOW_128 + 16 * number, 16), (self.offsets[UPPER_256] + 16 * number, 16)]
        return low + ([(self.offsets[UPPER_512] + 32 * number, 32)] if self.has_512 else [])

    def places(self, number: int) -> list[tuple[int, int]]:
        """Places and lengths of a vector's or mask's parts; none of what the processor does not have."""
        if number >= FIRST_MASK:
            return [(self.offsets[MASKS] + 8 * (number - FIRST_MASK), 8)] if self.has_512 else []
        return self.vector_parts(number - FIRST_VECTOR) if self.has_512 or number < FIRST_VECTOR + 16 else []

    def write_memory(self, address: int, data: bytes) -> None:
        """Writes the child's memory."""
        os.pwrite(self.memory, data, address)

    def write_registers(self, state: State) -> None:
        """Sets registers and flags to those of the translator."""
        for number, term in state.registers.items():
            if number < FIRST_VECTOR:
                self.words[PLACES[number]] = term.data
                continue
            at = 0
            for place, length in self.places(number):
                part = term.data >> 8 * at & ((1 << 8 * length) - 1)
                self.saved[place:place + length] = part.to_bytes(length, "little")
                at += length
        for flag, bit in FLAG_BITS.items():
            self.words[FLAGS] = self.words[FLAGS] & ~(1 << bit) | state.flags[flag].data << bit
        # All components count as in use.
        in_use = 7 | (7 << MASKS if self.has_512 else 0)
        self.saved[HEADER:HEADER + 8] = struct.pack("<Q", in_use)
        self.request(SETREGSET, XSTATE, ctypes.addressof(self.parts))

    def step(self, place: int) -> int:
        """Runs one instruction, and all turns of one that repeats itself; the place behind it."""
        self.words[POINTER] = place
        while self.words[POINTER] == place:
            self.request(SETREGS, 0, ctypes.addressof(self.words))
            self.request(SINGLESTEP, 0, 0)
            self.wait()
            self.request(GETREGS, 0, ctypes.addressof(self.words))
        self.read_vectors()
        return self.words[POINTER]

    def values(self) -> dict[int, int]:
        """All registers by number."""
        found = {number: self.words[place] for number, place in enumerate(PLACES)}
        for number in range(FIRST_VECTOR, FIRST_MASK + 8):
            parts = [self.saved.raw[place:place + length] for place, length in self.places(number)]
            if parts:
                found[number] = int.from_bytes(b"".join(parts), "little")
        return found

    def flags(self) -> dict[str, int]:
        """Flags by name."""
        return {name: self.words[FLAGS] >> bit & 1 for name, bit in FLAG_BITS.items()}
