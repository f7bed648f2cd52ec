"""Further cores: the port whose start-up code each core uses, the compiler's flags, QEMU's machine, and its memory."""
from dataclasses import dataclass

ARM, M55, RV32, AARCH64, ARMV7A = "mps2-an386", "mps3-an547", "virt-rv32", "linux-aarch64", "linux-armv7a"


@dataclass(frozen=True)
class Core:
    """One core. An empty `machine`, `memory` or `emulator` means the port's own. `backend` names its kernels."""

    name: str
    port: str
    flags: str
    machine: str = ""
    memory: str = ""
    backend: str = "portable"
    emulator: str = ""

    @property
    def slug(self) -> str:
        """The core's name in records and folders."""
        return self.name.lower().replace("+", "plus")

    @property
    def settings(self) -> list[str]:
        """The arguments for ports.mk."""
        chosen = [f"{self.port}.CPU={self.flags}"]
        chosen += [f"{self.port}.MEMORY={self.memory}"] if self.memory else []
        return [*chosen, f"{self.port}.ABI=-mabi=lp64"] if self.flags.startswith("-march=rv64") else chosen


# QEMU has no Cortex-M0+ with memory enough: its code, Armv6-M, runs on a Cortex-M3.
CORES = (
    Core("Cortex-M0+", ARM, "-mcpu=cortex-m0plus -mthumb", "mps2-an385"),
    Core("Cortex-M3", ARM, "-mcpu=cortex-m3 -mthumb", "mps2-an385"),
    Core("Cortex-M4", ARM, "-mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard", backend="armv7em"),
    Core("Cortex-M7", ARM, "-mcpu=cortex-m7 -mthumb -mfpu=fpv5-d16 -mfloat-abi=hard", "mps2-an500", "ports/mps2-an500/link.ld",
         "armv7em"),
    Core("Cortex-M33", ARM, "-mcpu=cortex-m33 -mthumb -mfpu=fpv5-sp-d16 -mfloat-abi=hard", "mps2-an505",
         "ports/mps2-an505/link.ld", "armv7em"),
    Core("Cortex-M55", M55, "-mcpu=cortex-m55 -mthumb -mfloat-abi=hard", backend="armv7em"),
    Core("RV32IMC", RV32, "-march=rv32imc", backend="rv32im"),
    Core("RV64IMAC", RV32, "-march=rv64imac", emulator="qemu-system-riscv64"),
    Core("AArch64", AARCH64, "-mcpu=cortex-a53", backend="neon"),
    Core("Armv7-A", ARMV7A, "-mcpu=cortex-a7 -mfpu=neon-vfpv4 -mfloat-abi=hard -marm", backend="neon"),
)
BY_SLUG = {core.slug: core for core in CORES}
