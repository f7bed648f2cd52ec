"""`python3 device/test/matrix.py [--core CORE] [--level=LEVEL] [--group GROUP]`: the tests of the device library on every
emulated core at every level of optimisation, and the tables of cores and kernels, and of cells and the checks that passed in
each, in device/README.md (--check, --document).

A cell is a build of its own, below build/matrix: gcc and Clang at -Os, -O2, -O3, and at -O2 with optimisation while linking.
Prints one line per cell, which it also adds to build/matrix/results.txt, and last "N passed, N failed"."""
import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

from sources import BUILD, ROOT, call, groups_of, platform_groups, tests, tool, write_known_answers

sys.path.insert(0, str(ROOT))
from ports import emulate  # noqa: E402
from ports.cores import CORES, Core  # noqa: E402

PAGE = ROOT / "device/README.md"
BEGIN, END = "<!-- backends-begin -->\n", "<!-- backends-end -->\n"
CELLS_BEGIN, CELLS_END = "<!-- cells-begin -->\n", "<!-- cells-end -->\n"
RESULTS = BUILD / "matrix/results.txt"
RESULT = re.compile(r"^(\S+) ((?:Clang )?\S+): (?:ok, (\d+) passed|(FAILED))", re.MULTILINE)
OPTIMISE = {"-Os": "-Os", "-O2": "-O2", "-O3": "-O3", "LTO": "-O2 -flto"}
LEVELS = (*OPTIMISE, *(f"Clang {level}" for level in OPTIMISE))
CLANG, LLVM = "clang-14", "/usr/lib/llvm-14"
CLANG_TARGETS = {"arm-none-eabi-gcc": "arm-none-eabi", "riscv64-unknown-elf-gcc": "riscv32-unknown-elf",
                 "aarch64-linux-gnu-gcc": "aarch64-linux-gnu", "arm-linux-gnueabihf-gcc": "arm-linux-gnueabihf"}
SECONDS = 1800  # for one cell on a busy machine
KERNELS = {"armv7em": "Armv7E-M", "armv7em 1": "Armv7E-M and Helium", "rv32im": "RV32IM", "neon": "NEON",
           "portable": "portable C"}
EXHAUSTIVE = ("ciphertext_vectors", "encode_bound", "encryption", "ciphertexts64", *groups_of("STACK_GROUP"))


def kernels(core: Core) -> str:
    """The backend that the preprocessor chooses for a core, from device/src/backend/backend.h."""
    extra = [f"-mabi={'lp64' if 'rv64' in core.flags else 'ilp32'}"] if core.port == "virt-rv32" else []
    done = call([emulate.COMPILER[core.port], *core.flags.split(), *extra, "-ffreestanding", "-E", "-P", "-include",
                 "device/src/backend/backend.h", "-x", "c", "-"], text="ISOPOD_BACKEND ISOPOD_HAS_HELIUM\n")
    words = done.stdout.split()[-2:]
    return KERNELS[words[0] + (" 1" if words[-1] == "1" else "")]


def table() -> str:
    """The table of the page."""
    rows = [f"| {core.name} | `{core.flags}` | {kernels(core)} |" for core in CORES]
    return "\n".join(["| core | flags of gcc | kernels |", "| --- | --- | --- |", *rows, ""])


def documented_cells(written: str) -> dict[tuple[str, str], str]:
    """Each cell as the page has it."""
    rows = written[written.index(CELLS_BEGIN):written.index(CELLS_END)].splitlines()[3:]
    words = [[word.strip() for word in row.strip("|").split("|")] for row in rows]
    return {(row[0], level): cell for row in words for level, cell in zip(LEVELS, row[1:])}


def latest_cells() -> dict[tuple[str, str], str]:
    """The last result of each cell that ran here."""
    text = RESULTS.read_text() if RESULTS.exists() else ""
    return {(core, level): "**failed**" if failed else f"{int(passed):,}" for core, level, passed, failed in RESULT.findall(text)}


def cell_table(cells_of_page: dict[tuple[str, str], str]) -> str:
    """The table of cells."""
    heads = [level if level.startswith("Clang") else f"gcc {level}" for level in LEVELS]
    rows = [f"| {core.name} | {' | '.join(cells_of_page.get((core.name, level), '') for level in LEVELS)} |" for core in CORES]
    return "\n".join([f"| core | {' | '.join(heads)} |", f"| --- |{' ---: |' * len(LEVELS)}", *rows, ""])


def page(written: str, news: dict[tuple[str, str], str]) -> str:
    """The page with the tables as they must be; news are results of cells."""
    known = cell_table(documented_cells(written) | news)
    for begin, text, end in ((BEGIN, table(), END), (CELLS_BEGIN, known, CELLS_END)):
        head, tail = written.index(begin) + len(begin), written.index(end)
        written = written[:head] + text + written[tail:]
    return written


def build(core: Core, level: str) -> Path:
    """Builds the tests of one cell; the path of the program."""
    kind, flag = ("board", "-DISOPOD_TEST_BOARD") if core.port in emulate.BOARDS else ("host", "-DISOPOD_TEST_HOST")
    folder = BUILD / "matrix" / f"{core.name}{level}".replace("+", "plus").replace(" ", "-")
    by_clang, kind_of_code = level.startswith("Clang"), level.removeprefix("Clang ")
    words = ["port-app", f"PORT={core.port}", f"PORTS={core.port}", "APP=device-test",
             f"APP_SOURCES={' '.join(map(str, tests(kind)))}",
             f"APP_FLAGS={flag} -DISOPOD_TEST_SMALL_DEGREES", f"OPTIMISE={OPTIMISE[kind_of_code]}", f"BUILD={folder}",
             *core.settings, f"{core.port}.AR={emulate.COMPILER[core.port]}-ar"]
    emulate.make(*words, *(clang(core, kind_of_code == "LTO") if by_clang else []))
    return folder / core.port / "device-test.elf"


def clang(core: Core, while_linking: bool) -> list[str]:
    """Arguments of ports.mk for a cell of Clang, which knows some flags of gcc only by name; while_linking: optimisation then."""
    compiler = emulate.COMPILER[core.port]
    target = CLANG_TARGETS[compiler].replace("32", "64" if "rv64" in core.flags else "32")
    quiet = "-Wno-ignored-optimization-argument -Wno-unused-command-line-argument"
    enums = "-fshort-enums" if target == "arm-none-eabi" else ""  # as in libgcc
    words = [f"{core.port}.CC={CLANG} --target={target} {enums} {quiet}", f"{core.port}.LINKER={compiler}",
             "MEMORY_CFLAGS=-fno-builtin -fno-lto", f"{core.port}.ASFLAGS=", "APP_LDFLAGS=-Wl,-z,noexecstack"]
    return words + (linker_of_bitcode(core, target) if while_linking else [])


def linker_of_bitcode(core: Core, target: str) -> list[str]:
    """Arguments for optimisation while linking: gcc's linker with Clang's plugin, lld where a whole C library is linked."""
    plugin = f"{LLVM}/lib/LLVMgold.so"
    linker = f"{emulate.COMPILER[core.port]} -fno-use-linker-plugin -Wl,-plugin,{plugin}"
    if core.slug == "cortex-m55":  # a pass of LLVM 14, for loops of Armv8.1-M, crashes on the whole program
        linker += " -Wl,-plugin-opt=-disable-arm-loloops"
    if core.port not in emulate.BOARDS:
        linker = f"{CLANG} --target={target} -fuse-ld=lld"
    return [f"{core.port}.AR=ar --plugin {plugin}", f"{core.port}.LINKER={linker}"]


def run(core: Core, level: str, groups: list[str]) -> bool:
    """Builds and runs one cell, prints its line; whether all passed."""
    try:
        done = call(emulate.command(core.slug, build(core, level), groups), seconds=SECONDS)
        said = (done.stdout + done.stderr).strip()
        passed = done.returncode == 0 and said.endswith(" passed, 0 failed")
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        said, passed = str(error), False
    line = f"{core.name} {level}: {'ok, ' + said.splitlines()[-1] if passed else 'FAILED, ' + said}"
    print(line, flush=True)
    if groups == usual_groups(core):
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        with RESULTS.open("a") as results:
            results.write(line.splitlines()[0] + "\n")
    return passed


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--core", action="append", choices=[core.name for core in CORES], help="only this core")
    parser.add_argument("--level", action="append", choices=LEVELS, help="only this level")
    parser.add_argument("--group", action="append", help="only this group of tests")
    parser.add_argument("--check", action="store_true", help="only compare the tables of device/README.md")
    parser.add_argument("--document", action="store_true", help="only write those tables, with the results of build/matrix")
    return parser.parse_args()


def keep_table(write: bool) -> None:
    """Writes the tables of the page, or ends the program if they are others."""
    written = PAGE.read_text()
    if write:
        PAGE.write_text(page(written, latest_cells()))
    elif written != page(written, {}):
        sys.exit(f"{PAGE.name}: the tables of cores are not those of the compilers; matrix.py --document writes them")


def cells(options: argparse.Namespace) -> list[bool]:
    """Runs the chosen cells; which passed."""
    chosen = [core for core in CORES if not options.core or core.name in options.core]
    if missing := {emulate.COMPILER[core.port] for core in chosen if not tool(emulate.COMPILER[core.port])}:
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
    write_known_answers()
    results = cells(options)
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    os.environ.setdefault("BUILD", str(BUILD))
    sys.exit(main())
