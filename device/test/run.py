"""`python3 device/test/run.py [--all]`: runs the tests of the device library on every installed platform.

`make test` leaves to `make test-all` (--all) the exhaustive groups of slow configurations, groups of portable code on three of
the boards, and ten configurations. The budgets still compare whole ciphertexts of every board with those of the host
(bench/device/checks.py).

Prints one line per configuration, missing tools as skipped, and last "N passed, N failed", in configurations. The known
answers are part of the tests, so all configurations that pass compute the same bits."""
import argparse
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import every_file
import freestanding
from objects import Compilation, objects
from sources import (
    DEVICE,
    FOLDER,
    INCLUDE,
    ROOT,
    SANITISED,
    WARNINGS,
    amalgamation,
    backend_flag,
    build,
    call,
    groups_of,
    library,
    platform_groups,
    tests,
    tool,
    write_known_answers,
)

sys.path.insert(0, str(ROOT))
os.environ.setdefault("BUILD", str(ROOT / "build"))
from ports import emulate  # noqa: E402

BOARD_COMPILERS = {"mps2-an386": "arm-none-eabi-gcc", "mps3-an547": "arm-none-eabi-gcc",
                   "virt-rv32": "riscv64-unknown-elf-gcc", "linux-aarch64": "aarch64-linux-gnu-gcc",
                   "linux-armv7a": "arm-linux-gnueabihf-gcc"}
# Groups that repeat whole encryptions or try every bound: on fast machines, once per kind of sanitised kernels, and with --all.
TRACES = ("traces", "traces64", "rounded_traces", "owner_traces", "tfhe_traces")
EXHAUSTIVE = ("ciphertext_vectors", "encode_bound", "encryption", "ciphertexts64")
# Groups of code that is portable on boards other than the Cortex-M4, or of kernels that other groups test: the Cortex-M4 runs
# them for 32-bit machines, AArch64 and the hosts for 64-bit ones.
PORTABLE = ("inverse", "inverse64", "vectors64", "split_key", "integers", "decryption", "decryption64", "integer_decryption",
            "integer_decryption64", "tfhe_decryption", "tfhe_errors")
# Transforms of degrees up to 4096, as on boards, for emulators: the larger ones run on every host.
SMALL_DEGREES = "-DISOPOD_TEST_SMALL_DEGREES"
BOARD, HOST = platform_groups("board"), platform_groups("host")
WITHOUT_TRACES = groups_of("GROUP", "HOST_GROUP")
LONGEST_MATRIX = 6 * 3600  # seconds
LONGEST_RUN = 1800  # seconds, for a busy machine; on two idle cores the slowest board needs under 200
# Tests are compiled with fewer optimisations than the library, and once for both sanitizers.
OF_TESTS = {"-O2": "-O1", "-O3": "-O1", "-fsanitize=address,undefined": "-fsanitize=address"}
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
        Configuration("QEMU Cortex-M55, Helium", "qemu-system-arm", groups=BOARD, board="mps3-an547",
                      later=EXHAUSTIVE + TRACES + PORTABLE),
        Configuration("QEMU RV32IM", "qemu-system-riscv32", groups=BOARD, board="virt-rv32",
                      later=EXHAUSTIVE + TRACES + PORTABLE),
        Configuration("QEMU AArch64, NEON", "qemu-aarch64", groups=HOST, board="linux-aarch64",
                      later=EXHAUSTIVE + TRACES),
        Configuration("QEMU Armv7-A, NEON, not encode_bound: double is its longest type", "qemu-arm",
                      groups=without_bound, board="linux-armv7a", later=(*EXHAUSTIVE, *TRACES, *PORTABLE, "shapes")),
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
                      kernels=("-fno-sanitize=undefined",), later=("encode_bound",)),
        Configuration("gcc -O1, x86, ASan and UBSan, not traces", "gcc", both, WITHOUT_TRACES, backend="x86", only_all=True),
        Configuration("gcc -O1, x86 without AVX2, ASan and UBSan, not traces", "gcc", both, WITHOUT_TRACES,
                      backend="x86", kernels=without_avx2, only_all=True),
        Configuration("clang -O1, x86, UBSan, not traces", clang, ("-O1", *TRAPS), WITHOUT_TRACES, backend="x86",
                      only_all=True),
        Configuration("gcc -O3, x86", "gcc", ("-O3",), backend="x86"),
        Configuration("gcc -O3, x86 without AVX-512", "gcc", ("-O3",), backend="x86", kernels=without_avx512,
                      later=EXHAUSTIVE + TRACES),
        Configuration("gcc -O3, x86 without AVX2", "gcc", ("-O3",), backend="x86", kernels=without_avx2, only_all=True),
        Configuration("clang -O3, x86", clang, ("-O3",), backend="x86", only_all=True),
        Configuration("gcc -O1, x86, amalgamated", "gcc", ("-O1",), backend="x86", amalgamated=True,
                      later=EXHAUSTIVE + TRACES),
    ]


def host_command(configuration: Configuration) -> list:
    """Builds a host's program; the command that starts it."""
    program = FOLDER / configuration.name.replace(" ", "-").replace(",", "")
    program.parent.mkdir(parents=True, exist_ok=True)
    kernels = (*backend_flag(configuration.backend), *configuration.kernels)
    flags = ("-std=c11", *configuration.flags, *WARNINGS, *INCLUDE)
    of_tests = tuple(OF_TESTS.get(flag, flag) for flag in (*flags, "-DISOPOD_TEST_HOST"))
    built = objects(Compilation(configuration.tool, of_tests, kernels), tests("host"))
    if configuration.amalgamated:
        build([configuration.tool, *flags, *kernels, *amalgamation(), *built, "-lm", "-o", program])
    else:
        built += objects(Compilation(configuration.tool, flags, kernels), library())
        build([configuration.tool, *configuration.flags, *built, "-lm", "-o", program])
    return [program]


def command(configuration: Configuration, groups: tuple, extent: str) -> list:
    """Builds the tests; the command line that runs these groups."""
    if not configuration.board:
        return [*host_command(configuration), *groups]
    is_board = configuration.board in emulate.BOARDS
    kind, flags = ("board", "-DISOPOD_TEST_BOARD") if is_board else ("host", "-DISOPOD_TEST_HOST")
    small = "" if extent == "all" else f" {SMALL_DEGREES}"
    sources = [str(path) for path in tests(kind)]
    elf = emulate.build_app(configuration.board, "device-test", sources, f"{flags}{small} -O1 -g0")
    if is_board and (faults := freestanding.faults_of_board(configuration.board)):
        raise RuntimeError("\n".join(faults))
    return emulate.command(configuration.board, elf, list(groups))


def chosen_groups(configuration: Configuration, extent: str) -> tuple:
    """The groups to run."""
    return tuple(group for group in configuration.groups if extent == "all" or group not in configuration.later)


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
    left_out = () if extent == "all" else EXHAUSTIVE
    chosen = [group for group in platform_groups("wasm") if group not in left_out]
    return outcome_of("freestanding", lambda: dict(freestanding.results(chosen, extent == "all")))


def run_every_file(extent: str) -> Outcome:
    """device/test/every_file.py as one configuration."""
    return outcome_of("every file", lambda: every_file.faults(extent == "all"))


def outcome_of(name: str, check: Callable[[], dict[str, str | list[str]]]) -> Outcome:
    """Some checks by name, with the faults of each, as one configuration."""
    started = time.monotonic()
    found = check()
    faults = "".join(f"\n{part}: {fault}" for part, fault in found.items() if fault)
    return Outcome(name, not faults, f"{', '.join(found)} in {time.monotonic() - started:.0f} s{faults}")


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
    """"all", or "usual" as in `make test`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="every group on every configuration")
    return "all" if parser.parse_args().all else "usual"


def report_missing(wanted: list[Configuration]) -> list[Configuration]:
    """The configurations that can be built here; prints the tools that the others lack."""
    lacking = {item: what for item in wanted if (what := item.lacks())}
    for item, what in lacking.items():
        print(f"{item.name}: skipped, {what}")
    return [item for item in wanted if item not in lacking]


def main() -> int:
    """Runs all configurations, two at a time."""
    extent = extent_of_arguments()
    write_known_answers()
    wanted = [item for item in configurations() if extent == "all" or not item.only_all]
    possible = report_missing(wanted)
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
