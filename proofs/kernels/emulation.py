"""The translators against an emulator: a function on random numbers, compared after every instruction."""
import random

import unicorn
from unicorn import arm64_const, arm_const, riscv_const

from proofs.kernels import terms
from proofs.kernels.claim import APART, FIRST_REGION, Claim, Layout, Region
from proofs.kernels.image import Image
from proofs.kernels.machine import RETURN, STACK, Processor, State, initial_memory
from proofs.kernels.native import Native
from proofs.kernels.processors.aarch64 import AArch64
from proofs.kernels.processors.riscv import RiscV
from proofs.kernels.processors.thumb import Thumb
from proofs.kernels.processors.x86 import X86
from proofs.kernels.stubs import MOST_FIXED, free_words, stubs_of
from proofs.kernels.terms import Term, const, is_const, var

# A register that the translator does not have, or that holds flags which it does not follow.
ABSENT = var("absent", 32)
PAGE = 0x1000
STACK_SIZE = 0x10000


def thumb() -> tuple[unicorn.Uc, list[int], int]:
    """A Cortex-M4, its registers in the translator's order, and the program counter."""
    machine = unicorn.Uc(unicorn.UC_ARCH_ARM, unicorn.UC_MODE_THUMB | unicorn.UC_MODE_MCLASS)
    machine.ctl_set_cpu_model(arm_const.UC_CPU_ARM_CORTEX_M4)
    names = [arm_const.UC_ARM_REG_R0 + number for number in range(13)]
    return machine, [*names, arm_const.UC_ARM_REG_SP, arm_const.UC_ARM_REG_LR], arm_const.UC_ARM_REG_PC


def riscv() -> tuple[unicorn.Uc, list[int], int]:
    """RV32."""
    machine = unicorn.Uc(unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV32)
    return machine, [riscv_const.UC_RISCV_REG_X0 + number for number in range(32)], riscv_const.UC_RISCV_REG_PC


def aarch64() -> tuple[unicorn.Uc, list[int], int]:
    """AArch64 with its vectors switched on."""
    machine = unicorn.Uc(unicorn.UC_ARCH_ARM64, unicorn.UC_MODE_ARM)
    machine.reg_write(arm64_const.UC_ARM64_REG_CPACR_EL1, 3 << 20)
    integers = [arm64_const.UC_ARM64_REG_X0 + number for number in range(29)]
    integers += [arm64_const.UC_ARM64_REG_X29, arm64_const.UC_ARM64_REG_X30, arm64_const.UC_ARM64_REG_SP]
    return machine, integers + [arm64_const.UC_ARM64_REG_Q0 + number for number in range(32)], arm64_const.UC_ARM64_REG_PC


MACHINES = {Thumb: thumb, RiscV: riscv, AArch64: aarch64}


class Emulator:
    """Unicorn on the file of an image."""

    def __init__(self, processor: Processor, image: Image):
        self.is_thumb = isinstance(processor, Thumb)
        self.machine, self.registers, self.place = MACHINES[type(processor)]()
        pages = {address & ~(PAGE - 1) for start, data in image.loaded
                 for address in range(start, start + len(data) + PAGE, PAGE)}
        for page in sorted(pages):
            self.machine.mem_map(page, PAGE)
        for start, data in image.loaded:
            self.machine.mem_write(start, data)
        self.machine.mem_map(STACK - STACK_SIZE, 2 * STACK_SIZE)
        self.machine.mem_map(FIRST_REGION, 16 * APART)

    def start(self, state: State, words: dict[int, Term]) -> None:
        """Sets the state to that of the translator."""
        for address, term in words.items():
            self.machine.mem_write(address, term.data.to_bytes(term.width // 8, "little"))
        for number, register in enumerate(self.registers):
            if number in state.registers:
                self.machine.reg_write(register, state.registers[number].data)

    def follow(self, state: State, draw: random.Random) -> None:
        """Sets registers and memory to those of the translator after a stub; what is unknown there gets random values."""
        for number, term in state.registers.items():
            state.registers[number] = term if is_const(term) else const(draw.getrandbits(term.width), term.width)
        state.flags = {flag: const(0, 1) for flag in state.flags}
        for address in state.memory.bytes:
            self.machine.mem_write(address, state.memory.load(address, 1).data.to_bytes(1, "little"))
        self.start(state, {})

    def step(self, place: int) -> int:
        """Runs one instruction; the place behind it."""
        self.machine.emu_start(place | int(self.is_thumb), 0xFFFFFFF0, count=1)
        return self.machine.reg_read(self.place)

    def flags(self) -> dict[str, int]:
        """Flags are compared by what they decide."""
        return {}

    def end(self) -> None:
        """Nothing is left behind."""

    def values(self) -> dict[int, int]:
        """All registers by number."""
        return {number: self.machine.reg_read(register) for number, register in enumerate(self.registers)}


def beside(processor: Processor, image: Image) -> Emulator | Native:
    """The machine that runs beside the translator."""
    return Native(image) if isinstance(processor, X86) else Emulator(processor, image)


class Drawn(dict):
    """Random values of variables, below a prime where their names say so."""

    def __init__(self, draw: random.Random, prime: int):
        super().__init__()
        self.draw, self.prime = draw, prime

    def __missing__(self, name: str) -> int:
        if name.startswith("value"):
            self[name] = self.draw.randint(-MOST_FIXED, MOST_FIXED) & 0xFFFFFFFF
        else:
            self[name] = self.draw.randrange(self.prime) if "below" in name else self.draw.getrandbits(32)
        return self[name]


def numbers(layout: Layout, words: dict[int, Term], draw: random.Random) -> dict[int, Term]:
    """Random words within the bounds of a layout."""
    given: dict[str, int] = {}
    for one in terms.ordered(list(words.values())):
        if one.kind == "var" and one.data in layout.bounds:
            given[one.data] = draw.randint(*layout.bounds[one.data]) & ((1 << one.width) - 1)
        elif one.kind == "var":
            given[one.data] = draw.choice((draw.getrandbits(32), 0, 1, 0x80000000, 0xFFFFFFFF)) & ((1 << one.width) - 1)
    return {address: const(terms.value(term, given), 32) for address, term in words.items()}


def started(claim: Claim, processor: Processor, place: tuple[Image, int], draw: random.Random) -> tuple[State, Emulator | Native]:
    """A call on random numbers, at the address of a function, in the translator and in the emulator."""
    image, function = place
    layout, words = Layout(processor.pointer), {}
    arguments = [layout.place(one, words) if isinstance(one, Region) else one for one in claim.arguments]
    words = numbers(layout, layout.stored(image, words), draw)
    memory = initial_memory(image)
    for address, term in words.items():
        memory.store(address, term)
    state = State({}, memory)
    processor.enter(state, function, arguments)
    for number, term in state.registers.items():
        state.registers[number] = term if is_const(term) else const(draw.getrandbits(term.width), term.width)
    state.flags = {flag: const(0, 1) for flag in state.flags}
    memory.first = lambda at: const((image.bytes_at(at, 1) or b"\0")[0], 8)
    emulator = beside(processor, image)
    # Entering wrote arguments to the stack, and the features of the processor.
    entered = {at: memory.load(at, 1) for at in list(memory.bytes) if at not in words and at < FIRST_REGION}
    emulator.start(state, words | entered)
    return state, emulator


def differences(claim: Claim, name: str, processor: Processor, image: Image, seed: int) -> list[str]:
    """Instructions that the translator executes otherwise than the emulator, until the first; empty if the function returned."""
    draw = random.Random(seed)
    state, emulator = started(claim, processor, (image, image.functions[name]), draw)
    words, given = free_words(claim.prime, claim.has_fields), Drawn(draw, claim.prime)
    stubs = stubs_of(claim.stubbed, image, lambda number, kind: const(terms.value(words(number, kind), given), 32))
    try:
        while state.place != RETURN:
            if state.place in stubs:
                stubs[state.place](processor, state)
                emulator.follow(state, draw)
            elif found := wrong_step(processor, image, state, emulator):
                return [f"{name}, {found[0]}", *found[1:]]
    finally:
        emulator.end()
    return []


def wrong_step(processor: Processor, image: Image, state: State, emulator: Emulator | Native) -> list[str]:
    """Runs one instruction; the registers and flags that differ from the emulator's."""
    place, instruction = state.place, processor.decode(image, state.place)
    processor.step(state, instruction)
    # The emulator takes an IT and the instructions that it gives conditions to as one.
    for _ in range(len(instruction.mnemonic) - 1 if instruction.mnemonic.startswith("it") else 0):
        instruction = processor.decode(image, state.place)
        processor.step(state, instruction)
    if state.place == RETURN:
        return []
    emulated = emulator.step(place)
    wrong = [f"r{number} = {state.registers[number].data:x}, not {found:x}" for number, found in emulator.values().items()
             if is_const(state.registers.get(number, ABSENT)) and state.registers[number].data != found]
    wrong += [f"{flag} is not {found}" for flag, found in emulator.flags().items()
              if is_const(state.flags[flag]) and state.flags[flag].data != found]
    if state.place != emulated:
        wrong.append(f"the place is {state.place:x}, not {emulated:x}")
    return [f"{instruction.address:x}: {instruction.mnemonic} {instruction.op_str}", *wrong] if wrong else []
