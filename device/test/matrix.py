"""`python3 device/test/matrix.py [--core CORE] [--level LEVEL] [--group GROUP]`: the tests of the device library on every
emulated core at every level of optimisation, and the table of cores and kernels in device/README.md (--check, --document).

A cell is a build of its own, below build/matrix: gcc at -Os, -O2, -O3, and at -O2 with optimisation while linking. Prints one
line per cell, and last "N passed, N failed". QEMU has no Cortex-M0+ with memory enough: its code, Armv6-M, runs on a
Cortex-M3."""
import argparse
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from sources import BUILD, ROOT, call, groups_of, platform_groups, tests, tool

sys.path.insert(0, str(ROOT))
from ports import emulate  # noqa: E402

PAGE = ROOT / "device/README.md"
BEGIN, END = "<!-- backends-begin -->\n", "<!-- backends-end -->\n"
LEVELS = {"-Os": "-Os", "-O2": "-O2", "-O3": "-O3", "LTO": "-O2 -flto"}
SECONDS = 1800  # for one cell on a busy machine
KERNELS = {"armv7em": "Armv7E-M", "armv7em 1": "Armv7E-M and Helium", "rv32im": "RV32IM", "neon": "NEON",
           "portable": "portable C"}
EXHAUSTIVE = ("ciphertext_vectors", "encode_bound", "encryption", "ciphertexts64", *groups_of("STACK_GROUP"))


@dataclass(frozen=True)
class Core:
    """A core: the port whose startup code it takes, the flags that name it, QEMU's machine and the map of its memory."""

    name: str
    port: str
    flags: str
    machine: str = ""
    memory: str = ""


ARM = "mps2-an386"
CORES = (
    Core("Cortex-M0+", ARM, "-mcpu=cortex-m0plus -mthumb", "mps2-an385"),
    Core("Cortex-M3", ARM, "-mcpu=cortex-m3 -mthumb", "mps2-an385"),
    Core("Cortex-M4", ARM, "-mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard"),
    Core("Cortex-M7", ARM, "-mcpu=cortex-m7 -mthumb -mfpu=fpv5-d16 -mfloat-abi=hard", "mps2-an500", "ports/mps2-an500/link.ld"),
    Core("Cortex-M33", ARM, "-mcpu=cortex-m33 -mthumb -mfpu=fpv5-sp-d16 -mfloat-abi=hard", "mps2-an505",
         "ports/mps2-an505/link.ld"),
    Core("Cortex-M55", "mps3-an547", "-mcpu=cortex-m55 -mthumb -mfloat-abi=hard"),
    Core("RV32IMC", "virt-rv32", "-march=rv32imc"),
    Core("AArch64", "linux-aarch64", "-mcpu=cortex-a53"),
    Core("Armv7-A", "linux-armv7a", "-mcpu=cortex-a7 -mfpu=neon-vfpv4 -mfloat-abi=hard -marm"),
)
COMPILERS = {ARM: "arm-none-eabi-gcc", "mps3-an547": "arm-none-eabi-gcc", "virt-rv32": "riscv64-unknown-elf-gcc",
             "linux-aarch64": "aarch64-linux-gnu-gcc", "linux-armv7a": "arm-linux-gnueabihf-gcc"}


def kernels(core: Core) -> str:
    """The backend that the preprocessor chooses for a core, from device/src/backend/backend.h."""
    extra = ["-mabi=ilp32"] if core.port == "virt-rv32" else []
    done = call([COMPILERS[core.port], *core.flags.split(), *extra, "-ffreestanding", "-E", "-P", "-include",
                 "device/src/backend/backend.h", "-x", "c", "-"], text="ISOPOD_BACKEND ISOPOD_HAS_HELIUM\n")
    words = done.stdout.split()[-2:]
    return KERNELS[words[0] + (" 1" if words[-1] == "1" else "")]


def table() -> str:
    """The table of the page."""
    rows = [f"| {core.name} | `{core.flags}` | {kernels(core)} |" for core in CORES]
    return "\n".join(["| core | flags of gcc | kernels |", "| --- | --- | --- |", *rows, ""])


def page(written: str) -> str:
    """The page with the table as it must be."""
    return re.sub(re.escape(BEGIN) + ".*?" + re.escape(END), lambda _: BEGIN + table() + END, written, flags=re.DOTALL)


def build(core: Core, level: str) -> Path:
    """Builds the tests of one cell; the path of the program."""
    kind, flag = ("board", "-DISOPOD_TEST_BOARD") if core.port in emulate.BOARDS else ("host", "-DISOPOD_TEST_HOST")
    folder = BUILD / "matrix" / f"{core.name}{level}".replace("+", "plus")
    words = ["port-app", f"PORT={core.port}", f"PORTS={core.port}", "APP=device-test",
             f"APP_SOURCES={' '.join(map(str, tests(kind)))}",
             f"APP_FLAGS={flag} -DISOPOD_TEST_SMALL_DEGREES", f"OPTIMISE={LEVELS[level]}", f"BUILD={folder}",
             f"{core.port}.CPU={core.flags}", f"{core.port}.AR={COMPILERS[core.port]}-ar"]
    emulate.make(*words, *([f"{core.port}.MEMORY={core.memory}"] if core.memory else []))
    return folder / core.port / "device-test.elf"


def command(core: Core, program: Path, groups: list[str]) -> list[str]:
    """The command line that runs these groups on the core's machine."""
    words = emulate.command(core.port, program, groups)
    return [core.machine if core.machine and word == core.port else word for word in words]


def run(core: Core, level: str, groups: list[str]) -> bool:
    """Builds and runs one cell, prints its line; whether all passed."""
    try:
        done = call(command(core, build(core, level), groups), seconds=SECONDS)
        said = (done.stdout + done.stderr).strip()
        passed = done.returncode == 0 and said.endswith(" passed, 0 failed")
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        said, passed = str(error), False
    print(f"{core.name} {level}: {'ok, ' + said.splitlines()[-1] if passed else 'FAILED, ' + said}", flush=True)
    return passed


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--core", action="append", choices=[core.name for core in CORES], help="only this core")
    parser.add_argument("--level", action="append", choices=LEVELS, help="only this level")
    parser.add_argument("--group", action="append", help="only this group of tests")
    parser.add_argument("--check", action="store_true", help="only compare the table of device/README.md")
    parser.add_argument("--document", action="store_true", help="only write that table")
    return parser.parse_args()


def keep_table(write: bool) -> None:
    """Writes the table of the page, or ends the program if it is another."""
    written = PAGE.read_text()
    if write:
        PAGE.write_text(page(written))
    elif written != page(written):
        sys.exit(f"{PAGE.name}: the table of cores is not that of the compilers; matrix.py --document writes it")


def cells(options: argparse.Namespace) -> list[bool]:
    """Runs the chosen cells; which passed."""
    chosen = [core for core in CORES if not options.core or core.name in options.core]
    if missing := {COMPILERS[core.port] for core in chosen if not tool(COMPILERS[core.port])}:
        sys.exit(f"{', '.join(sorted(missing))} not installed")
    return [run(core, level, options.group or usual_groups(core)) for core in chosen for level in options.level or LEVELS]


def usual_groups(core: Core) -> list[str]:
    """The groups of a core but for the exhaustive ones."""
    kind = "board" if core.port in emulate.BOARDS else "host"
    return [group for group in platform_groups(kind) if group not in EXHAUSTIVE]


def main() -> int:
    """Runs the cells, or keeps the table."""
    options = arguments()
    if options.check or options.document:
        keep_table(options.document)
        return 0
    results = cells(options)
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    os.environ.setdefault("BUILD", str(BUILD))
    sys.exit(main())
