"""Cores without Helium in Unicorn."""
import unicorn
from unicorn import arm64_const, arm_const, riscv_const

from proofs.kernels.claim import APART, FIRST_REGION
from proofs.kernels.emulators.emulator import PAGE, STACK_SIZE, Emulator, pages
from proofs.kernels.image import Image
from proofs.kernels.machine import STACK, Processor, State
from proofs.kernels.processors.aarch64 import AArch64
from proofs.kernels.processors.riscv import RiscV
from proofs.kernels.processors.thumb import Thumb


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


class Unicorn(Emulator):
    """Unicorn on the file of an image."""

    # An IT and the instructions that it gives conditions to are executed as one.
    takes_blocks = True

    def __init__(self, processor: Processor, image: Image):
        self.is_thumb = isinstance(processor, Thumb)
        self.machine, self.registers, self.place = MACHINES[type(processor)]()
        for page in pages(image):
            self.machine.mem_map(page, PAGE)
        for start, data in image.loaded:
            self.machine.mem_write(start, data)
        self.machine.mem_map(STACK - STACK_SIZE, 2 * STACK_SIZE)
        self.machine.mem_map(FIRST_REGION, 16 * APART)

    def __exit__(self, *_: object) -> None:
        """Nothing is left open."""

    def write_memory(self, address: int, data: bytes) -> None:
        """Bytes into memory."""
        self.machine.mem_write(address, data)

    def write_registers(self, state: State) -> None:
        """Registers by the translator's numbers."""
        for number, register in enumerate(self.registers):
            if number in state.registers:
                self.machine.reg_write(register, state.registers[number].data)

    def step(self, place: int) -> int:
        """Runs one instruction; the place behind it."""
        self.machine.emu_start(place | int(self.is_thumb), 0xFFFFFFF0, count=1)
        return self.machine.reg_read(self.place)

    def values(self) -> dict[int, int]:
        """All registers by number."""
        return {number: self.machine.reg_read(register) for number, register in enumerate(self.registers)}
