"""Encryptions on an 8-bit AVR, an ATmega1284P under simavr: ports/atmega1284p/main.c, built for it or for the host, its digests
and what it measures. simavr counts cycles and no instructions. Everything constant lies in RAM, since `const` does on an AVR;
integers under a public key do not fit."""
import re
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

from bench.device import keys
from bench.device.cases import parameter_sets
from ports.emulate import ROOT

TARGET = "atmega1284p"
PROGRAM = "ports/atmega1284p/main.c"
CASES = (("ckks-1024x1-sum", "pkseed"), ("ckks-1024x1-sum", "ternary"), ("bfv-1024x1-count", "ternary"))
FLAGS = ["-std=c11", "-Os", "-Wall", "-Wextra", "-Werror", "-ffunction-sections", "-fdata-sections",
         "-DISOPOD_ALLOW_DEVICE_SECRET_KEY", "-DISOPOD_BACKEND=portable", "-I", "device/include"]
COMPILERS = {"host": ["gcc"], "board": ["avr-gcc", f"-mmcu={TARGET}"]}
SIMULATOR = ["simavr", "-m", TARGET, "-f", "16000000"]
DIGEST = re.compile(r"([0-9a-f]{8}) (bare|done)")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
NUMBER = re.compile(r"\b([a-z_]+) ([0-9a-f]{8})")
SECTION = re.compile(r"^(\.text|\.data)\s+(\d+)", re.MULTILINE)
SECONDS = 300
CYCLES = ("cycles", "cycles_framed")


def run(command: list[str]) -> str:
    """The output of a command; RuntimeError with it if it fails."""
    done = subprocess.run(command, cwd=ROOT, text=True, capture_output=True, timeout=SECONDS, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def simulated(elf: str) -> str:
    """The text of the serial line, without the simulator's colours."""
    return COLOUR.sub("", run([*SIMULATOR, elf]))


@dataclass(frozen=True)
class Workshop:
    """A folder with the library in one file, compiled for both machines."""

    folder: Path

    def prepare(self) -> None:
        """Compiles the library."""
        run(["python3", "device/amalgamate.py", "--out", str(self.folder)])
        for machine, compiler in COMPILERS.items():
            for name in ("isopod", "isopod64"):
                run([*compiler, *FLAGS, "-c", str(self.folder / f"{name}.c"), "-o", str(self.folder / f"{machine}-{name}.o")])

    def build(self, machine: str, set_name: str, kind: str) -> str:
        """The program of one set and key."""
        blob, tables = keys.blob(parameter_sets()[set_name], kind), self.folder / f"{set_name}.c"
        words = struct.unpack(f"<{len(blob) // 4}I", blob)
        (self.folder / "blob.h").write_text(f"#define BLOB {', '.join(f'{word}u' for word in words)}\n")
        run(["python3", "-m", "spec.gen", "tables", "--set", set_name, "--lean", "--out", str(tables)])
        choice = [f"-DSET={set_name.replace('-', '_')}", *(["-DINTEGERS"] if set_name.startswith("bfv") else [])]
        objects = [str(self.folder / f"{machine}-{name}.o") for name in ("isopod", "isopod64")]
        elf = str(self.folder / machine)
        run([*COMPILERS[machine], *FLAGS, *choice, "-I", str(self.folder), PROGRAM, str(tables), *objects, "-Wl,--gc-sections",
             "-o", elf])
        return elf

    def record(self, set_name: str, kind: str) -> dict:
        """One record of device.json."""
        elf = self.build("board", set_name, kind)
        numbers = {name: int(value, 16) for name, value in NUMBER.findall(simulated(elf))}
        sizes = {name: int(size) for name, size in SECTION.findall(run(["avr-size", "-A", elf]))}
        if not numbers.get("cycles_framed"):
            raise RuntimeError(f"{set_name}, {kind}: the board did not encrypt")
        fields = (*CYCLES, "ram_bytes", "values_bytes", "frame_bytes", "stack_bytes")
        return {"target": TARGET, "case": f"avr-{set_name}-{kind}", "set": set_name, "kind": kind, "chunks": 8,
                **{name: numbers[name] for name in fields}, "constants_bytes": sizes[".data"],
                "text_bytes": sizes[".text"], "flash_key_bytes": len(keys.blob(parameter_sets()[set_name], kind)),
                "method": "cycles by timer 1, simavr"}
