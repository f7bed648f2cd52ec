"""`python3 device/test/run.py [--quick | --all]`: runs the tests of the device library on every installed platform.

`make test` leaves the exhaustive groups of slow configurations, and ten configurations, to `make test-all` (--all); the
budgets still compare whole ciphertexts of every board with those of the host (bench/device/checks.py).

Prints one line per configuration, missing tools as skipped, and last "N passed, N failed", in configurations. The known
answers are part of the tests, so all configurations that pass compute the same bits."""
import argparse
import os
import platform
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from objects import Compilation, forget, objects
from sources import (
    DEVICE,
    FOLDER,
    ROOT,
    amalgamation,
    backend_flag,
    build,
    call,
    groups_of,
    library,
    platform_groups,
    tests,
    tool,
)

sys.path.insert(0, str(ROOT))
os.environ.setdefault("BUILD", str(ROOT / "build"))
from ports import emulate  # noqa: E402

BOARD_COMPILERS = {"mps2-an386": "arm-none-eabi-gcc", "mps3-an547": "arm-none-eabi-gcc",
                   "virt-rv32": "riscv64-unknown-elf-gcc", "linux-aarch64": "aarch64-linux-gnu-gcc",
                   "linux-armv7a": "arm-linux-gnueabihf-gcc"}
WARNINGS = ["-Wall", "-Wextra", "-Werror"]
# Groups too long for slow machines under --quick.
LONG = ("ciphertext_vectors", "decryption", "encryption", "encode_bound", "inverse", "shapes", "integers", "transforms",
        "ciphertexts64", "vectors64", "decryption64", "integer_decryption", "integer_decryption64",
        "inverse64")
# Groups that repeat whole encryptions or try every bound: on fast machines, once per kind of sanitised kernels, and with --all.
TRACES = ("traces", "traces64", "rounded_traces", "owner_traces", "tfhe_traces")
EXHAUSTIVE = ("ciphertext_vectors", "encode_bound", "encryption", "ciphertexts64")
# Transforms of degrees up to 4096, as on boards, for emulators: the larger ones run on every host.
SMALL_DEGREES = "-DISOPOD_TEST_SMALL_DEGREES"
BOARD, HOST = platform_groups("board"), platform_groups("host")
WITHOUT_TRACES = groups_of("GROUP", "HOST_GROUP")
LONGEST_MATRIX = 6 * 3600  # seconds
LONGEST_RUN = 1800  # seconds, for a busy machine; on two idle cores the slowest board needs under 200
SANITISED = ["-fno-sanitize-recover=all", "-fno-omit-frame-pointer", "-g"]
# Checks of clang that need no runtime, which few systems install: undefined behaviour ends the program with SIGILL.
TRAPS = ["-fsanitize=undefined", "-fsanitize-trap=undefined", "-g"]


@dataclass(frozen=True)
class Configuration:
    """One way to build and run the tests; its name decides which groups it cannot run. Only --all runs the groups `later`, or
    all groups if `only_all`."""

    name: str
    tool: str
    flags: tuple = ()
    groups: tuple = HOST
    board: str = ""
    backend: str = "portable"
    kernels: tuple = ()
    later: tuple = ()
    only_all: bool = False
    amalgamated: bool = False

    def lacks(self) -> str | None:
        """The tool that this configuration lacks here, or None."""
        needed = [self.tool, "make", BOARD_COMPILERS[self.board]] if self.board else [self.tool]
        absent = [name for name in needed if not tool(name)]
        if absent:
            return f"{absent[0]} is not installed"
        empty = "int main(void) { return 0; }"
        done = None if self.board else call([self.tool, *self.flags, "-x", "c", "-", "-o", os.devnull], text=empty)
        return "its sanitizer's runtime is not installed" if done and done.returncode else None


@dataclass(frozen=True)
class Outcome:
    """The outcome of a configuration."""

    name: str
    passed: bool
    said: str


def configurations() -> list[Configuration]:
    """All configurations, the slowest first, so that two workers finish together. Sanitizers enlarge stack frames beyond the
    reach of isopod_wipe_stack, so only builds without them search for traces."""
    clang = tool("clang-14", "clang") or "clang"
    without_bound = tuple(group for group in HOST if group != "encode_bound")
    return [
        Configuration("QEMU Cortex-M4", "qemu-system-arm", groups=BOARD, board="mps2-an386",
                      later=EXHAUSTIVE),
        # The wiped area of the stack has other sizes with Helium; these traces take seconds.
        Configuration("QEMU Cortex-M55, Helium", "qemu-system-arm", groups=BOARD, board="mps3-an547",
                      later=(*EXHAUSTIVE, "traces", "traces64", "tfhe_traces")),
        Configuration("QEMU RV32IM", "qemu-system-riscv32", groups=BOARD, board="virt-rv32", later=EXHAUSTIVE + TRACES),
        Configuration("QEMU AArch64, NEON", "qemu-aarch64", groups=HOST, board="linux-aarch64",
                      later=EXHAUSTIVE + TRACES),
        Configuration("QEMU Armv7-A, NEON, not encode_bound: double is its longest type", "qemu-arm",
                      groups=without_bound, board="linux-armv7a", later=(*EXHAUSTIVE, *TRACES, "shapes")),
        Configuration("gcc -O1, ASan and UBSan, not traces", "gcc", ("-O1", "-fsanitize=address,undefined", *SANITISED),
                      WITHOUT_TRACES, later=EXHAUSTIVE),
        Configuration("gcc -O0", "gcc", ("-O0",), only_all=True),
        Configuration("clang -O2, MSan, not traces", clang, ("-O2", "-gdwarf-4", "-fsanitize=memory", *SANITISED),
                      WITHOUT_TRACES, later=EXHAUSTIVE),
        Configuration("clang -O2, UBSan, not traces", clang, ("-O2", *TRAPS), WITHOUT_TRACES, only_all=True),
        Configuration("gcc -O3", "gcc", ("-O3",)),
        Configuration("clang -O3", clang, ("-O3",), only_all=True),
    ] + (x86_configurations(clang) if platform.machine() in ("x86_64", "AMD64") else [])


def x86_configurations(clang: str) -> list[Configuration]:
    """The vector kernels, and their replacements on a processor without vectors."""
    both = ("-O1", "-fsanitize=address,undefined", *SANITISED)
    without_avx2, without_avx512 = ("-DISOPOD_WITHOUT_AVX2",), ("-DISOPOD_WITHOUT_AVX512",)
    return [
        # Both sanitizers together take minutes to compile vector code; what kernels do not change has both.
        Configuration("gcc -O1, x86, ASan, not traces", "gcc", both, WITHOUT_TRACES, backend="x86",
                      kernels=("-fno-sanitize=undefined",)),
        Configuration("gcc -O1, x86, ASan and UBSan, not traces", "gcc", both, WITHOUT_TRACES, backend="x86", only_all=True),
        Configuration("gcc -O1, x86 without AVX2, ASan and UBSan, not traces", "gcc", both, WITHOUT_TRACES,
                      backend="x86", kernels=without_avx2, only_all=True),
        Configuration("clang -O1, x86, UBSan, not traces", clang, ("-O1", *TRAPS), WITHOUT_TRACES, backend="x86",
                      only_all=True),
        Configuration("gcc -O3, x86", "gcc", ("-O3",), backend="x86"),
        Configuration("gcc -O3, x86 without AVX-512", "gcc", ("-O3",), backend="x86", kernels=without_avx512,
                      later=EXHAUSTIVE),
        Configuration("gcc -O3, x86 without AVX2", "gcc", ("-O3",), backend="x86", kernels=without_avx2, only_all=True),
        Configuration("clang -O3, x86", clang, ("-O3",), backend="x86", only_all=True),
        Configuration("gcc -O3, x86, amalgamated", "gcc", ("-O3",), backend="x86", amalgamated=True,
                      later=EXHAUSTIVE + TRACES),
    ]


def host_command(configuration: Configuration) -> list:
    """Builds a host's program; the command that starts it."""
    program = FOLDER / configuration.name.replace(" ", "-").replace(",", "")
    program.parent.mkdir(parents=True, exist_ok=True)
    flags = ("-std=c11", *configuration.flags, *WARNINGS, "-DISOPOD_TEST_HOST", "-I", str(DEVICE / "include"))
    kernels = (*backend_flag(configuration.backend), *configuration.kernels)
    names = [*([] if configuration.amalgamated else library()), *tests("host")]
    whole = amalgamation() if configuration.amalgamated else []
    built = objects(Compilation(configuration.tool, flags, kernels), names)
    build([configuration.tool, *flags, *(kernels if whole else ()), *whole, *built, "-lm", "-o", program])
    return [program]


def command(configuration: Configuration, groups: tuple, extent: str) -> list:
    """Builds the tests; the command line that runs these groups."""
    if not configuration.board:
        return [*host_command(configuration), *groups]
    is_board = configuration.board in emulate.BOARDS
    kind, flags = ("board", "-DISOPOD_TEST_BOARD") if is_board else ("host", "-DISOPOD_TEST_HOST")
    small = "" if extent == "all" else f" {SMALL_DEGREES}"
    sources = [str(path) for path in tests(kind)]
    elf = emulate.build_app(configuration.board, "device-test", sources, flags + small)
    return emulate.command(configuration.board, elf, list(groups))


def chosen_groups(configuration: Configuration, extent: str) -> tuple:
    """The groups to run; with "quick" the long ones run on one configuration only."""
    left_out = {"quick": LONG if configuration.name != "gcc -O3" else (), "all": ()}.get(extent, configuration.later)
    return tuple(group for group in configuration.groups if group not in left_out)


def said_before(error: subprocess.TimeoutExpired) -> str:
    """The output of a program before it was stopped."""
    return b"".join(part for part in (error.stdout, error.stderr) if part).decode(errors="replace")


def run(configuration: Configuration, extent: str) -> Outcome:
    """Builds and runs one configuration."""
    started = time.monotonic()
    groups = chosen_groups(configuration, extent)
    try:
        started_as = command(configuration, groups, extent)
    except (RuntimeError, OSError) as error:
        return Outcome(configuration.name, False, f"does not build\n{error}")
    try:
        done = call(started_as, seconds=LONGEST_RUN)
    except subprocess.TimeoutExpired as error:
        return Outcome(configuration.name, False, f"hangs: stopped after {LONGEST_RUN} s\n{said_before(error)}")
    said = (done.stdout + done.stderr).strip()
    last = said.splitlines()[-1] if said else "silent"
    passed = done.returncode == 0 and last.endswith(" passed, 0 failed")
    missing = [group for group in configuration.groups if group not in groups]
    left_out = f", without {' '.join(missing)}" if missing else ""
    summary = f"{last} in {time.monotonic() - started:.0f} s{left_out}"
    return Outcome(configuration.name, passed, summary if passed else f"{summary}\n{said}")


def run_freestanding(extent: str) -> Outcome:
    """device/test/freestanding.py as one configuration."""
    started = time.monotonic()
    left_out = {"quick": LONG, "all": ()}.get(extent, EXHAUSTIVE)
    chosen = [group for group in platform_groups("wasm") if group not in left_out]
    done = call([sys.executable, DEVICE / "test/freestanding.py", *of_extent(extent), *chosen])
    said = (done.stdout + done.stderr).strip()
    skipped = "".join(f"\n  {line}" for line in said.splitlines() if "skipped" in line)
    summary = f"{said.splitlines()[-1]} in {time.monotonic() - started:.0f} s{skipped}"
    return Outcome("freestanding", done.returncode == 0, summary if done.returncode == 0 else f"{summary}\n{said}")


def of_extent(extent: str) -> list[str]:
    """The option of other programs that selects all machines."""
    return ["--all"] if extent == "all" else []


def run_every_file(extent: str) -> Outcome:
    """device/test/every_file.py as one configuration."""
    started = time.monotonic()
    done = call([sys.executable, DEVICE / "test/every_file.py", *of_extent(extent)])
    said = (done.stdout + done.stderr).strip()
    passed = done.returncode == 0
    summary = f"{said.splitlines()[-1]} in {time.monotonic() - started:.0f} s"
    return Outcome("every file", passed, summary if passed else said)


def run_matrix(extent: str) -> Outcome:
    """device/test/matrix.py: with --all every cell, else the table of cores and kernels alone."""
    started = time.monotonic()
    done = call([sys.executable, DEVICE / "test/matrix.py", *([] if extent == "all" else ["--check"])], seconds=LONGEST_MATRIX)
    said = (done.stdout + done.stderr).strip()
    last = said.splitlines()[-1] if said else "the table of cores is that of the compilers"
    summary = f"{last} in {time.monotonic() - started:.0f} s"
    return Outcome("matrix of cores", done.returncode == 0, summary if done.returncode == 0 else f"{summary}\n{said}")


def run_cmake() -> Outcome:
    """Checks that a CMake project of the library has every host group as a test."""
    folder = FOLDER / "cmake"
    done = call(["cmake", "-S", DEVICE, "-B", folder])
    listed = set(re.findall(r"Test +#\d+: (\w+)", call(["ctest", "--test-dir", folder, "-N"]).stdout))
    passed = done.returncode == 0 and listed == set(HOST)
    return Outcome("CMake", passed, f"{len(listed)} tests" if passed else
                   f"other tests than groups.def: {sorted(listed ^ set(HOST))}\n{done.stdout}{done.stderr}")


def report(outcome: Outcome) -> Outcome:
    """Prints one line, and the whole output after a failure."""
    print(f"{outcome.name}: {'ok' if outcome.passed else 'FAILED'}, {outcome.said}", flush=True)
    return outcome


def extent_of_arguments() -> str:
    """"quick", "all", or neither, as in `make test`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--quick", action="store_const", const="quick", dest="extent",
                      help="under a minute: the long groups on one configuration only")
    kind.add_argument("--all", action="store_const", const="all", dest="extent", help="every group on every configuration")
    return parser.parse_args().extent or "usual"


def report_missing(wanted: list[Configuration]) -> list[Configuration]:
    """The configurations that can be built here; prints the tools that the others lack."""
    lacking = {item: what for item in wanted if (what := item.lacks())}
    for item, what in lacking.items():
        print(f"{item.name}: skipped, {what}")
    return [item for item in wanted if item not in lacking]


def main() -> int:
    """Runs all configurations, two at a time."""
    extent = extent_of_arguments()
    wanted = [item for item in configurations() if extent == "all" or not item.only_all]
    possible = report_missing(wanted)
    forget()
    with ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(lambda item=item: report(run(item, extent))) for item in possible]
        jobs.append(pool.submit(lambda: report(run_freestanding(extent))))
        jobs.append(pool.submit(lambda: report(run_every_file(extent))))
        if all(map(tool, BOARD_COMPILERS.values())):
            jobs.append(pool.submit(lambda: report(run_matrix(extent))))
        if tool("cmake"):
            jobs.append(pool.submit(lambda: report(run_cmake())))
        outcomes = [job.result() for job in jobs]
    failed = sum(not outcome.passed for outcome in outcomes)
    print(f"{len(wanted) - len(possible)} skipped")
    print(f"{len(outcomes) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
