"""Secrets as undefined memory under valgrind: one cell per compiler and optimisation level."""
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from compilers import BUILD, LEVELS, ROOT, Compiler, library, sources

SECRETS = ("key", "noise", "message", "device", "owner", "tfhe", "packet")
SECONDS = 900
CONTROLS = ("branch", "index")
# Backends that compile as C on this machine; the RV32IM's kernels use none of its instructions.
BACKENDS = ("portable", "x86", "rv32im")
WITHOUT_CPU_MODEL = ("x86", "clang-zig")  # its runtime cannot report the processor's features, which the kernels query
QUICK = (("portable", "gcc", "O2"), ("portable", "clang-14", "O2"), ("x86", "gcc", "O3"), ("rv32im", "gcc", "O2"))
# valgrind 3.19 does not read DWARF 5: it would stop without counting an error.
FLAGS = ("-std=c11", "-gdwarf-4", "-Wall", "-Wextra", f"-I{ROOT}/device/include", "-DISOPOD_ALLOW_DEVICE_SECRET_KEY=1",
         "-include", f"{ROOT}/device/test/constant_time/declassify.h")
TEST_SOURCES = (*(f"harness/{name}.c" for name in (
                    "check", "fixture", "key_calls", "key_calls64", "platform_host", "result_input",
                    "result_residues", "result_residues64", "tfhe_fixture", "vector_input")),
                "holder/holder_input.c", "packet/packet_input.c", "pad/pad_input.c",
                *(f"constant_time/taint{part}.c" for part in ("", "_owner", "_tfhe", "_packet")))
SUMMARY = re.compile(r"ERROR SUMMARY: (\d+) errors from (\d+) contexts")
REPORT = re.compile(r"(Conditional jump or move depends on|Use of) uninitialised")
COMPLETE = re.compile(r"^complete( \d+)?$", re.MULTILINE)


@dataclass(frozen=True)
class Build:
    """A compiler at a level, and the backends (device/src/backend/backend.h) it compiles: one cell each."""

    compiler: Compiler
    level: str
    backends: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name printed in reports."""
        return f"{self.compiler.name} -{self.level}"

    @property
    def folder(self) -> Path:
        """The folder of objects and programs."""
        return ROOT / BUILD / "cells" / f"{self.compiler.name}-{self.level}"

    @property
    def command(self) -> list[str]:
        """The compiler with its options."""
        return [*self.compiler.at(self.level), *FLAGS]


@dataclass(frozen=True)
class Outcome:
    """The outcome of a cell: contexts that memcheck reported per secret, and complaints."""

    name: str
    contexts: dict[str, int]
    complaints: list[str]


def files() -> list[Path]:
    """The library and the harness, relative to the root of the repository."""
    sources_of_c = [path for path in map(Path, library()) if path.suffix == ".c"]  # .S files are empty on this machine
    return [*sources_of_c, *(Path("device/test") / name for name in TEST_SOURCES)]


def _call(command: list[str], folder: Path) -> str:
    """Runs the compiler; its complaints."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"{folder.name} does not compile: {done.stderr[-1500:]}"


@cache
def asks_for_backend(source: Path) -> bool:
    """True for a source whose object depends on the backend."""
    return source.name == "instance64.c" or "backend.h" in (ROOT / source).read_text()


def _objects(build: Build, names: list[Path], backend: str) -> tuple[list[str], str]:
    """Compiles the sources that this build still lacks, one by one, as zig's clang requires: objects, and complaints. Backends
    share the objects that do not depend on them."""
    objects = [build.folder / (backend if asks_for_backend(name) else "") / name.with_suffix(".o") for name in names]
    for name, target in zip(names, objects):
        target.parent.mkdir(parents=True, exist_ok=True)
        command = [*build.command, *sources.backend_flag(backend), "-c", str(ROOT / name), "-o", str(target)]
        complaint = "" if target.exists() else _call(command, build.folder)
        if complaint:
            return [], complaint
    return [str(target) for target in objects], ""


def _program(build: Build, name: str, names: list[Path], backend: str = "") -> tuple[Path, str]:
    """A linked program, and complaints."""
    objects, complaint = _objects(build, names, backend)
    program = build.folder / name
    return program, complaint or _call([*build.command, *objects, "-o", str(program)], build.folder)


def memcheck(program: Path, arguments: Sequence[str]) -> tuple[int, bool, str]:
    """Contexts reported, whether the program reported the end of each argument, and the whole output."""
    command = ["valgrind", "--leak-check=no", "--num-callers=8", str(program), *arguments]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return -1, False, f"stopped after {SECONDS} s"
    summary = SUMMARY.search(done.stderr)
    complete = done.returncode == 0 and summary is not None and len(COMPLETE.findall(done.stdout)) == len(arguments)
    return int(summary[2]) if summary else -1, complete, done.stdout + done.stderr


def _control(program: Path, argument: str) -> list[str]:
    contexts, complete, said = memcheck(program, [argument])
    if complete and contexts == 1 and REPORT.search(said):
        return []
    return [f"positive control: the secret {argument} was not reported"]


def _secret(program: Path, secret: str) -> tuple[int, list[str]]:
    contexts, complete, said = memcheck(program, [secret])
    complaints = [] if complete else [f"{secret}: did not come to its end:\n{said[-1500:]}"]
    if contexts > 0:
        complaints.append(f"{secret}: {contexts} contexts depend on the secret:\n{said[:3000]}")
    return contexts, complaints


def _run_backend(build: Build, backend: str) -> Outcome:
    """Runs the program of one backend with every secret, and after a failure with each one alone."""
    program, failure = _program(build, f"taint-{backend}", files(), backend)
    if failure:
        return Outcome(f"{backend} {build.name}", {}, [failure])
    contexts, complaints = dict.fromkeys(SECRETS, 0), []
    if memcheck(program, SECRETS)[:2] == (0, True):
        return Outcome(f"{backend} {build.name}", contexts, complaints)
    for secret in SECRETS:
        contexts[secret], found = _secret(program, secret)
        complaints += found
    complaints += [] if complaints else ["all secrets together: contexts that no secret alone has, or no end"]
    return Outcome(f"{backend} {build.name}", contexts, complaints)


def run_build(build: Build) -> list[Outcome]:
    """Empties the folder, runs all controls, then every backend."""
    shutil.rmtree(build.folder, ignore_errors=True)
    program, failure = _program(build, "control", [Path("device/test/constant_time/control.c")])
    complaints = [failure] if failure else [text for argument in CONTROLS for text in _control(program, argument)]
    outcomes = [Outcome(f"control {build.name}", {}, complaints)] if complaints else []
    return outcomes + [_run_backend(build, backend) for backend in build.backends]


def builds(compilers: list[Compiler], quick: bool) -> list[Build]:
    """The whole matrix, or its quick part."""
    chosen = [Build(compiler, level, tuple(
        backend for backend in BACKENDS if (backend, compiler.name) != WITHOUT_CPU_MODEL
        and (not quick or (backend, compiler.name, level) in QUICK))) for compiler in compilers for level in LEVELS]
    return [build for build in chosen if build.backends]


def run(compilers: list[Compiler], quick: bool) -> Iterator[tuple[str, str, list[str]]]:
    """Runs two builds at a time, in order: name of each cell, contexts reported per secret, complaints."""
    chosen = builds(compilers, quick)
    with ThreadPoolExecutor(max_workers=2) as pool:
        for at, outcomes in enumerate(pool.map(run_build, chosen), 1):
            for outcome in outcomes:
                seen = ", ".join(f"{secret} {contexts}" for secret, contexts in outcome.contexts.items())
                yield f"{at}/{len(chosen)} {outcome.name}", seen, outcome.complaints
