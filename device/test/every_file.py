"""`python3 device/test/every_file.py [--all]`: compiles every source of device/src for each target in one command, as an IDE or
a package would.

Machines for which other tests compile every source, too, are left to --all.

No file is left out, and the only flags are the include folder and the target's: each file guards itself
(device/src/backend/backend.h). All objects share one folder, so the names of sources are unique. The amalgamation is also
compiled for the Cortex-M4."""
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from sources import FOLDER, ROOT, amalgamation, library, tool

AMALGAMATED = "Cortex-M4, amalgamated"
TARGETS = {
    "x86-64": ("gcc",),
    "x86-64, clang": (tool("clang-14", "clang") or "clang",),
    "Cortex-M4": ("arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb"),
    "Cortex-M4F": ("arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"),
    "Cortex-M0": ("arm-none-eabi-gcc", "-mcpu=cortex-m0", "-mthumb"),
    "Cortex-M3": ("arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb"),
    "RV32IM": ("riscv64-unknown-elf-gcc", "-march=rv32im", "-mabi=ilp32", "-ffreestanding"),
    "RV64": ("riscv64-unknown-elf-gcc", "-march=rv64imac", "-mabi=lp64", "-mcmodel=medany", "-ffreestanding"),
    "AArch64": ("aarch64-linux-gnu-gcc",),
    "Armv7-A": ("arm-linux-gnueabihf-gcc",),
    "Armv7-A, NEON": ("arm-linux-gnueabihf-gcc", "-mfpu=neon"),
    "AVR": ("avr-gcc", "-mmcu=atmega1284p", "-std=c11", "-Os"),
    AMALGAMATED: ("arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb"),
    "wasm32": (tool("clang-14", "clang") or "clang", "--target=wasm32", "-ffreestanding"),
}
# Without --all: machines that neither a port nor device/test/freestanding.py compiles for.
WITHOUT_PORT = ("Cortex-M3", "RV64", "Armv7-A", "AVR", AMALGAMATED)


def compile_for(target: str) -> str:
    """The compiler's complaints, or nothing."""
    command, folder = TARGETS[target], FOLDER / "every_file" / target.replace(" ", "-").replace(",", "")
    subprocess.run(["rm", "-rf", folder], check=True)
    folder.mkdir(parents=True)
    sources = amalgamation() if target == AMALGAMATED else library()
    done = subprocess.run([*command, "-c", "-Wall", "-Wextra", "-Werror", "-I", ROOT / "device/include",
                           *(ROOT / source for source in sources)], cwd=folder, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


def names_twice() -> list[str]:
    """Names that more than one source has."""
    names = [source.stem for source in library()]
    return sorted({name for name in names if names.count(name) > 1})


def main() -> int:
    """Compiles two targets at a time and prints a line for each."""
    twice = names_twice()
    print(f"names of sources: {'twice ' + ', '.join(twice) if twice else 'ok'}")
    wanted = TARGETS if "--all" in sys.argv[1:] else WITHOUT_PORT
    present = [name for name in wanted if tool(TARGETS[name][0])]
    for name in set(wanted) - set(present):
        print(f"every file, {name}: skipped, {TARGETS[name][0]} is not installed")
    with ThreadPoolExecutor(2) as pool:
        faults = dict(zip(present, pool.map(compile_for, present)))
    for name, fault in faults.items():
        print(f"every file, {name}: {fault or 'ok'}")
    failed = sum(map(bool, faults.values())) + bool(twice)
    print(f"{len(library())} files, {len(present)} targets, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
