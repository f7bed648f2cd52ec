"""Simulation programs of the benches: cocotb's runner around the pinned Verilator.

A model, that is a top with its parameters, is built once for all benches that drive it, and
Verilator's own runtime once for all models."""
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from cocotb_tools.runner import Verilator, get_results

from rtl.dv.bench import BUILD, DV, QUICK, ROOT, Bench
from rtl.sources import PACKAGE, defines, is_precise, modules, search

# Options of the generated makefile: hot code optimised, less for the short runs of the smoke set;
# precompiled headers in gcc's form.
LEVEL = "-O1" if QUICK else "-O2"
RUNTIME_LEVEL = "OPT_GLOBAL=-O2"
MAKE_FLAGS = f"-j2 OPT_FAST={LEVEL} OPT_SLOW=-O0 {RUNTIME_LEVEL} CFG_CXXFLAGS_PCH_I=-include"
# Registers start with random values, which reveals a missing reset.
STRICT = ["--assert", "--x-initial", "unique", "--x-assign", "unique", "-Wall", "-Wno-DECLFILENAME"]
COVERAGE = ["--coverage-line", "--coverage-toggle"]
MAKE = ("make", "-f", "Vtop.mk")
RUNTIME_PARTS = re.compile(r"VM_GLOBAL_(?:FAST|SLOW) \+= \\\n((?:  \w+ \\\n)*)")
FEATURES = re.compile(r"^VM_\w+ = \d$", re.MULTILINE)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keeps other benches' processes out of a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


class SharedVerilator(Verilator):
    """Verilator with only the ports of the top visible to the tests, which is several times faster
    than all signals, and with a runtime that is compiled once."""

    def _build_command(self) -> list[Sequence[str]]:
        generate, compile_program = super()._build_command()
        place = generate.index("--public-flat-rw")
        return [[*generate[:place], "--public-depth", "1", *generate[place + 1:]], compile_program]

    def _execute(self, cmds: Sequence[Sequence[str]], cwd) -> None:
        if len(cmds) == 1:
            super()._execute(cmds, cwd)
            return
        super()._execute(cmds[:1], cwd)
        super()._execute([[*cmds[1], *runtime_objects(self.build_dir)]], cwd)


def runtime_objects(folder: Path) -> list[str]:
    """Puts the runtime's objects into the folder of a generated model; the arguments of make that
    call them current whatever their time stamps."""
    text = (folder / "Vtop_classes.mk").read_text()
    parts = [word for block in RUNTIME_PARTS.findall(text)
             for word in block.split() if word != "\\"]
    objects = [f"{part}.o" for part in parts]
    include = next((ROOT / ".venv/lib").glob("python3*/site-packages/verilator/include"))
    digest = hashlib.sha256(f"{RUNTIME_LEVEL} {sorted(FEATURES.findall(text))}".encode())
    for source in sorted(include.glob("*.cpp")):
        digest.update(source.read_bytes())
    shared = BUILD / "runtime" / digest.hexdigest()[:16]
    with locked(shared):
        missing = [name for name in objects if not (shared / name).exists()]
        if missing:
            subprocess.run([*MAKE, "-s", RUNTIME_LEVEL, *missing], cwd=folder, check=True)
            for name in missing:
                shutil.copyfile(folder / name, shared / name)
    for name in objects:
        shutil.copyfile(shared / name, folder / name)
    return [f"--old-file={name}" for name in objects]


def runner() -> Verilator:
    """Runner with the wrapper first on the path, and the python of .venv, which the generated
    makefile calls."""
    os.environ["PATH"] = os.pathsep.join((str(ROOT / "rtl/bin"), str(ROOT / ".venv/bin"),
                                          os.environ["PATH"]))
    os.environ["MAKEFLAGS"] = MAKE_FLAGS  # not those of a make around this program
    if shutil.which("ccache"):
        os.environ.setdefault("OBJCACHE", "ccache")
    return SharedVerilator()


def model_folder(bench: Bench, coverage: bool) -> Path:
    """Folder of the bench's model, the same for all benches with its top and parameters."""
    digest = hashlib.sha256(
        f"{sorted(bench.parameters.items())} {bench.width} {coverage} {LEVEL}".encode())
    return BUILD / "models" / f"{bench.top}-{digest.hexdigest()[:12]}"


def build(bench: Bench, coverage: bool) -> None:
    """Builds the model of a bench; RuntimeError on any warning."""
    folder = model_folder(bench, coverage)
    harness = DV / bench.folder / f"{bench.top}.sv"
    sources = [PACKAGE, ROOT / "rtl/lint.vlt", DV / "visible.vlt",
               modules().get(bench.top, harness)]
    with locked(folder):
        runner().build(sources=sources, hdl_toplevel=bench.top, build_dir=folder, always=True,
                       build_args=[*STRICT, *defines(bench.width, is_precise(bench.parameters)),
                                   *search(),
                                   *(COVERAGE if coverage else [])],
                       parameters=bench.parameters, timescale=("1ns", "1ps"))


def test(bench: Bench, coverage: bool, seed: int) -> tuple[int, int]:
    """Runs the tests of a bench; the numbers passed and failed."""
    folder = BUILD / bench.name
    results = folder / "results.xml"
    results.unlink(missing_ok=True)
    runner().test(hdl_toplevel=bench.top, test_module=bench.module,
                  build_dir=model_folder(bench, coverage),
                  test_dir=folder, results_xml=str(results), seed=seed, hdl_toplevel_lang="verilog",
                  test_args=[f"+verilator+seed+{seed % (1 << 31)}", "+verilator+rand+reset+2"])
    total, failed = get_results(results)
    return total - failed, failed
