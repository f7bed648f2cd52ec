"""Packets on an Arduino Uno's controller, an ATmega328P under simavr.

Builds ports/atmega328p/main.c for the controller or for the host, and reads its digests and measurements. simavr counts cycles,
not instructions. The key lies in program memory; RAM is everything: objects, constants among them, and the stack."""
import struct
from dataclasses import dataclass
from pathlib import Path

from bench.device import keys
from bench.device.avr import NUMBER, SECTION, simulated_on
from bench.device.cases import parameter_sets
from ports.emulate import output

TARGET = "atmega328p"
PROGRAM = "ports/atmega328p/main.c"
SET = "ckks-1024x1-sum"
CASES = {"packet-1024-one": 1, "packet-1024-ten": 10}
# Limits of each case: cycles, RAM in all, flash.
MOST = {"packet-1024-one": (1_800_000, 700, 16_384), "packet-1024-ten": (2_800_000, 780, 16_384)}
FLAGS = ["-std=c11", "-Os", "-Wall", "-Wextra", "-Werror", "-ffunction-sections", "-fdata-sections", "-I", "device/include"]
COMPILERS = {"host": ["gcc"], "board": ["avr-gcc", f"-mmcu={TARGET}", "-mcall-prologues", "-mrelax"]}
CONTEXT_KEY = ", ".join(str((7 * index + 3) % 256) for index in range(32))


@dataclass(frozen=True)
class Workshop:
    """A folder that holds the library in one file, compiled for both machines."""

    folder: Path

    def prepare(self) -> None:
        """Compiles the library, and writes the key."""
        output(["python3", "device/amalgamate.py", "--out", self.folder])
        blob = keys.blob(parameter_sets()[SET], "ternary")
        words = ", ".join(f"{word}u" for word in struct.unpack(f"<{len(blob) // 4}I", blob))
        (self.folder / "blob.h").write_text(f"#define BLOB {words}\n#define CONTEXT_KEY {CONTEXT_KEY}\n")
        for machine, compiler in COMPILERS.items():
            output([*compiler, *FLAGS, "-DISOPOD_ALLOW_DEVICE_SECRET_KEY", "-c", self.folder / "isopod.c", "-o",
                    self.folder / f"{machine}-isopod.o"])

    def build(self, machine: str, readings: int) -> str:
        """Builds the program for a number of readings, and returns its path."""
        elf = str(self.folder / f"{machine}-{readings}")
        output([*COMPILERS[machine], *FLAGS, f"-DREADINGS={readings}", "-I", self.folder, PROGRAM,
                self.folder / f"{machine}-isopod.o", "-Wl,--gc-sections", "-o", elf])
        return elf

    def numbers(self, machine: str, readings: int) -> dict[str, int]:
        """The lines that the program prints."""
        elf = self.build(machine, readings)
        said = simulated_on(TARGET, elf) if machine == "board" else output([elf])
        return {name: int(value, 16) for name, value in NUMBER.findall(said)}

    def record(self, case: str) -> dict:
        """One record of device.json."""
        readings = CASES[case]
        numbers = self.numbers("board", readings)
        if numbers.get("status") != 0:
            raise RuntimeError(f"{case}: the board did not encrypt")
        sections = SECTION.findall(output(["avr-size", "-A", str(self.folder / f"board-{readings}")]))
        return {"target": TARGET, "case": case, "set": SET, "kind": "ternary", "cycles": numbers["cycles"],
                "ram_bytes": numbers["objects_bytes"] + numbers["stack_bytes"], "stack_bytes": numbers["stack_bytes"],
                "flash_bytes": sum(int(size) for _, size in sections), "wire_bytes": 15 + (21 * readings + 7) // 8,
                "method": "cycles by timer 1, simavr"}
