"""Encryptions on an 8-bit AVR, an ATmega1284P under simavr.

Builds ports/atmega1284p/main.c for the controller or for the host, and reads its digests and measurements. simavr counts
cycles, not instructions. All constants are in RAM, because an AVR keeps `const` data there. Integers under a public key do not
fit."""
import re
import struct
from dataclasses import dataclass
from pathlib import Path

from bench.device import keys, measure
from bench.device.cases import parameter_sets
from ports.emulate import output

TARGET = "atmega1284p"
PROGRAM = "ports/atmega1284p/main.c"
CASES = (("ckks-1024x1-sum", "pkseed"), ("ckks-1024x1-sum", "ternary"), ("bfv-1024x1-count", "ternary"))
FLAGS = ["-std=c11", "-Os", "-Wall", "-Wextra", "-Werror", "-ffunction-sections", "-fdata-sections",
         "-DISOPOD_ALLOW_DEVICE_SECRET_KEY", "-DISOPOD_BACKEND=portable", "-I", "device/include"]
COMPILERS = {"host": ["gcc"], "board": ["avr-gcc", f"-mmcu={TARGET}"]}
DIGEST = re.compile(r"([0-9a-f]{8}) (bare|done)")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
NUMBER = re.compile(r"\b([a-z_]+) ([0-9a-f]{8})")
SECTION = re.compile(r"^(\.text|\.data)\s+(\d+)", re.MULTILINE)
CYCLES = ("cycles", "cycles_framed")


def simulated_on(controller: str, elf: str) -> str:
    """The text of the serial line of a controller, without the simulator's colours."""
    return COLOUR.sub("", output(["simavr", "-m", controller, "-f", "16000000", elf], 300))


def simulated(elf: str) -> str:
    """The text of the serial line."""
    return simulated_on(TARGET, elf)


@dataclass(frozen=True)
class Workshop:
    """A folder that holds the library in one file, compiled for both machines."""

    folder: Path

    def prepare(self) -> None:
        """Compiles the library."""
        output(["python3", "device/amalgamate.py", "--out", self.folder])
        for machine, compiler in COMPILERS.items():
            for name in ("isopod", "isopod64"):
                output([*compiler, *FLAGS, "-c", self.folder / f"{name}.c", "-o", self.folder / f"{machine}-{name}.o"])

    def build(self, machine: str, set_name: str, kind: str) -> str:
        """Builds the program for one set and kind of key, and returns its path."""
        blob, tables = keys.blob(parameter_sets()[set_name], kind), measure.generate_tables(set_name, lean=True)
        words = struct.unpack(f"<{len(blob) // 4}I", blob)
        (self.folder / "blob.h").write_text(f"#define BLOB {', '.join(f'{word}u' for word in words)}\n")
        choice = [f"-DSET={set_name.replace('-', '_')}", *(["-DINTEGERS"] if set_name.startswith("bfv") else [])]
        objects = [self.folder / f"{machine}-{name}.o" for name in ("isopod", "isopod64")]
        elf = str(self.folder / machine)
        output([*COMPILERS[machine], *FLAGS, *choice, "-I", self.folder, PROGRAM, tables, *objects, "-Wl,--gc-sections",
                "-o", elf])
        return elf

    def record(self, set_name: str, kind: str) -> dict:
        """One record of device.json."""
        elf = self.build("board", set_name, kind)
        numbers = {name: int(value, 16) for name, value in NUMBER.findall(simulated(elf))}
        sizes = {name: int(size) for name, size in SECTION.findall(output(["avr-size", "-A", elf]))}
        if not numbers.get("cycles_framed"):
            raise RuntimeError(f"{set_name}, {kind}: the board did not encrypt")
        fields = (*CYCLES, "ram_bytes", "values_bytes", "frame_bytes", "stack_bytes")
        return {"target": TARGET, "case": f"avr-{set_name}-{kind}", "set": set_name, "kind": kind, "chunks": 8,
                **{name: numbers[name] for name in fields}, "constants_bytes": sizes[".data"],
                "text_bytes": sizes[".text"], "flash_key_bytes": len(keys.blob(parameter_sets()[set_name], kind)),
                "method": "cycles by timer 1, simavr"}
