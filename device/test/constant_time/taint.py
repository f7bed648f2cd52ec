"""Secrets as undefined memory under valgrind: one cell per compiler and optimisation level."""
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from compilers import BUILD, LEVELS, ROOT, Compiler, library

SECRETS = ("key", "noise", "message", "device", "owner", "tfhe")
CONTROLS = ("branch", "index")
# Those that are C for this machine; the kernels of the RV32IM use nothing of it.
BACKENDS = ("portable", "x86", "rv32im")
WITHOUT_CPU_MODEL = ("x86", "clang-zig")  # its runtime cannot tell what the processor has, and the kernels ask
QUICK = (("portable", "gcc", "O2"), ("portable", "gcc", "Os"), ("portable", "clang-14", "O2"), ("x86", "gcc", "O3"),
         ("rv32im", "gcc", "O2"))
# valgrind 3.19 does not read DWARF 5: it would stop, and count no error.
FLAGS = ("-std=c11", "-gdwarf-4", "-Wall", "-Wextra", "-Idevice/include", "-DISOPOD_ALLOW_DEVICE_SECRET_KEY=1",
         "-include", "device/test/constant_time/declassify.h")
TEST_SOURCES = ("check.c", "fixture.c", "key_calls.c", "wide_key_calls.c", "platform_host.c", "result_input.c",
                "result_residues.c", "tfhe_fixture.c", "vector_input.c", "wide_result_residues.c", "constant_time/taint.c",
                "constant_time/taint_owner.c", "constant_time/taint_tfhe.c")
SUMMARY = re.compile(r"ERROR SUMMARY: (\d+) errors from (\d+) contexts")
REPORT = re.compile(r"(Conditional jump or move depends on|Use of) uninitialised")
COMPLETE = re.compile(r"^complete( \d+)?$", re.MULTILINE)


@dataclass(frozen=True)
class Cell:
    """A compiler at a level, and a backend's kernels (device/src/backend.h)."""

    backend: str
    compiler: Compiler
    level: str

    @property
    def name(self) -> str:
        """For people and for folders."""
        return f"{self.backend} {self.compiler.name} -{self.level}"


@dataclass(frozen=True)
class Outcome:
    """Contexts that memcheck reported per secret, and why the cell fails, if it does."""

    cell: Cell
    contexts: dict[str, int]
    complaints: tuple[str, ...]


def files(backend: str) -> list[str]:
    """The library and the harness."""
    return [*library(backend), *(f"device/test/{name}" for name in TEST_SOURCES)]


def _compile(cell: Cell, names: list[str], program: Path) -> str:
    """What the compiler complains about."""
    command = [*cell.compiler.command, f"-{cell.level}", *FLAGS, *names, "-o", str(program)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"{program.name} does not compile: {done.stderr[-1500:]}"


def memcheck(program: Path, argument: str) -> tuple[int, bool, str]:
    """Contexts reported, whether the program said that it came to its end, and everything that was said."""
    done = subprocess.run(["valgrind", "--leak-check=no", "--num-callers=8", str(program), argument], cwd=ROOT,
                          capture_output=True, text=True, timeout=900, check=False)
    summary = SUMMARY.search(done.stderr)
    complete = done.returncode == 0 and summary is not None and COMPLETE.search(done.stdout) is not None
    return int(summary[2]) if summary else -1, complete, done.stdout + done.stderr


def _control(program: Path, argument: str) -> list[str]:
    contexts, complete, said = memcheck(program, argument)
    if complete and contexts == 1 and REPORT.search(said):
        return []
    return [f"positive control: the secret {argument} was not reported"]


def _secret(program: Path, secret: str) -> tuple[int, list[str]]:
    contexts, complete, said = memcheck(program, secret)
    complaints = [] if complete else [f"{secret}: did not come to its end:\n{said[-1500:]}"]
    if contexts > 0:
        complaints.append(f"{secret}: {contexts} contexts depend on the secret:\n{said[:3000]}")
    return contexts, complaints


def run_cell(cell: Cell) -> Outcome:
    """Builds both programs and runs all controls and secrets."""
    folder = ROOT / BUILD / "cells" / cell.name.replace(" ", "")
    folder.mkdir(parents=True, exist_ok=True)
    control, program = folder / "control", folder / "taint"
    failure = (_compile(cell, ["device/test/constant_time/control.c"], control)
               or _compile(cell, files(cell.backend), program))
    if failure:
        return Outcome(cell, {}, (failure,))
    complaints = [complaint for argument in CONTROLS for complaint in _control(control, argument)]
    contexts = {}
    for secret in SECRETS:
        contexts[secret], found = _secret(program, secret)
        complaints += found
    return Outcome(cell, contexts, tuple(complaints))


def cells(compilers: list[Compiler], quick: bool) -> list[Cell]:
    """The whole matrix, or its quick part."""
    return [Cell(backend, compiler, level) for backend in BACKENDS for compiler in compilers for level in LEVELS
            if (backend, compiler.name) != WITHOUT_CPU_MODEL and (not quick or (backend, compiler.name, level) in QUICK)]


def run(chosen: list[Cell]) -> list[Outcome]:
    """Two cells at a time; outcomes in order."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        return list(pool.map(run_cell, chosen))


def table(outcomes: list[Outcome]) -> str:
    """Reported contexts per cell and secret; `-` where nothing was run."""
    lines = [f"{'cell':<24}" + "".join(f"{secret:>9}" for secret in SECRETS) + "  outcome"]
    for outcome in outcomes:
        counts = "".join(f"{outcome.contexts.get(secret, '-'):>9}" for secret in SECRETS)
        lines.append(f"{outcome.cell.name:<24}{counts}  {'FAILED' if outcome.complaints else 'passed'}")
    return "\n".join(lines)
