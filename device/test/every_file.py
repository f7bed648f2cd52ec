"""`python3 device/test/every_file.py [--all]`: compiles the library for each target in one command, as an IDE or a package would.

The only flags are the include folder and the target's, because each file guards itself (device/src/backend/backend.h). The
amalgamation, which holds every guard and all assembly, is compiled for each target; with --all the files of device/src are, too,
which other tests compile for the hosts and boards.
All objects share one folder, so the names of
sources are unique."""
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from freestanding import PORTABLE, STRICT, UNUSED
from sources import FOLDER, INCLUDE, ROOT, amalgamation, library, tool

CLANG = tool("clang-14", "clang") or "clang"
TARGETS = {
    "x86-64": ("gcc",),
    "x86-64, clang": (CLANG, *STRICT, *PORTABLE, UNUSED),
    "Cortex-M4": ("arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb"),
    "Cortex-M0": ("arm-none-eabi-gcc", "-mcpu=cortex-m0", "-mthumb"),
    "Cortex-M3": ("arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb"),
    "Cortex-M55": ("arm-none-eabi-gcc", "-mcpu=cortex-m55", "-mthumb", "-mfloat-abi=hard"),
    "RV32IM": ("riscv64-unknown-elf-gcc", "-march=rv32im", "-mabi=ilp32", "-ffreestanding"),
    "RV64": ("riscv64-unknown-elf-gcc", "-march=rv64imac", "-mabi=lp64", "-mcmodel=medany", "-ffreestanding"),
    "AArch64": ("aarch64-linux-gnu-gcc",),
    "Armv7-A": ("arm-linux-gnueabihf-gcc",),
    "Armv7-A, NEON": ("arm-linux-gnueabihf-gcc", "-mfpu=neon"),
    "AVR": ("avr-gcc", "-mmcu=atmega1284p", "-std=c11", "-Os"),
    "wasm32": (CLANG, "--target=wasm32", "-ffreestanding", UNUSED),
}
# Left to --all: device/test/freestanding.py compiles the amalgamation for these, or device/test/run.py.
LATER = ("x86-64", "Cortex-M0", "wasm32")


def compile_for(target: str, name: str, files: list) -> str:
    """The compiler's complaints about these files, whose objects go into a folder of this name, or nothing."""
    folder = FOLDER / "every_file" / f"{target.replace(' ', '-').replace(',', '')}-{name}"
    subprocess.run(["rm", "-rf", folder], check=True)
    folder.mkdir(parents=True)
    compiler, *flags = TARGETS[target]
    done = subprocess.run([compiler, "-c", "-Wall", "-Wextra", "-Werror", *flags, INCLUDE[0], ROOT / INCLUDE[1],
                           *(ROOT / source for source in files)], cwd=folder, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


def names_twice() -> list[str]:
    """Names that more than one source has."""
    names = [source.stem for source in library()]
    return sorted({name for name in names if names.count(name) > 1})


def faults(complete: bool) -> dict[str, str]:
    """Each check with its faults, if any; two targets are compiled at a time."""
    wanted = [name for name in TARGETS if complete or name not in LATER]
    present = [name for name in wanted if tool(TARGETS[name][0])]
    for name in set(wanted) - set(present):
        print(f"every file, {name}: skipped, {TARGETS[name][0]} is not installed")
    kinds = {"amalgamation": amalgamation()} | ({"files": library()} if complete else {})
    jobs = [(target, kind) for target in present for kind in kinds]
    with ThreadPoolExecutor(2) as pool:
        complaints = pool.map(lambda job: compile_for(*job, kinds[job[1]]), jobs)
        found = {f"{target}, {kind}": complaint for (target, kind), complaint in zip(jobs, complaints)}
    return {"names of sources": ", ".join(f"{name} twice" for name in names_twice()), **found}


def main() -> int:
    """Prints a line for each check."""
    found = faults("--all" in sys.argv[1:])
    for name, fault in found.items():
        print(f"every file, {name}: {fault or 'ok'}")
    failed = sum(map(bool, found.values()))
    print(f"{len(found) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
