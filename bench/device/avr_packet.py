"""Packets on an Arduino Uno's controller, an ATmega328P under simavr.

Builds the programs of ports/atmega328p for the controller or for the host, and reads their digests and measurements. simavr
counts cycles, not instructions. Keys lie in program memory; RAM is everything: objects, constants among them, and the stack."""
import struct
from dataclasses import dataclass
from pathlib import Path

from bench.device import keys
from bench.device.avr import NUMBER, SECTION, simulated_on
from bench.device.cases import parameter_sets
from ports.emulate import output

TARGET = "atmega328p"
SET = "ckks-1024x1-sum"


@dataclass(frozen=True)
class Program:
    """A program of ports/atmega328p with its definition, the bytes of its packets, and the most cycles, RAM and flash."""

    source: str
    definition: str
    wire_bytes: int
    most: tuple[int, int, int]


CASES = {
    "packet-1024-one": Program("main.c", "READINGS=1", 18, (1_800_000, 640, 16_384)),
    "packet-1024-ten": Program("main.c", "READINGS=10", 42, (2_800_000, 700, 16_384)),
    "pads-ten": Program("pads.c", "LAST=2", 33, (150_000, 400, 8_192)),
    "pads-ten-crossing": Program("pads.c", "LAST=15", 33, (300_000, 400, 8_192)),
}
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

    def build(self, machine: str, case: str) -> str:
        """Builds the program of a case, and returns its path."""
        elf, program = str(self.folder / f"{machine}-{case}"), CASES[case]
        output([*COMPILERS[machine], *FLAGS, f"-D{program.definition}", "-I", self.folder, f"ports/{TARGET}/{program.source}",
                self.folder / f"{machine}-isopod.o", "-Wl,--gc-sections", "-o", elf])
        return elf

    def numbers(self, machine: str, case: str) -> dict[str, int]:
        """The lines that the program prints."""
        elf = self.build(machine, case)
        said = simulated_on(TARGET, elf) if machine == "board" else output([elf])
        return {name: int(value, 16) for name, value in NUMBER.findall(said)}

    def record(self, case: str) -> dict:
        """One record of device.json."""
        numbers = self.numbers("board", case)
        if numbers.get("status") != 0:
            raise RuntimeError(f"{case}: the board did not encrypt")
        sections = SECTION.findall(output(["avr-size", "-A", str(self.folder / f"board-{case}")]))
        return {"target": TARGET, "case": case, "cycles": numbers["cycles"],
                "ram_bytes": numbers["objects_bytes"] + numbers["stack_bytes"], "stack_bytes": numbers["stack_bytes"],
                "flash_bytes": sum(int(size) for _, size in sections), "wire_bytes": CASES[case].wire_bytes,
                "method": "cycles by timer 1, simavr"}
