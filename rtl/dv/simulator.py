"""How a bench becomes a program: cocotb's runner around the pinned Verilator."""
import os
import shutil
from collections.abc import Sequence

from cocotb_tools.runner import Verilator, get_results

from rtl.dv.bench import BUILD, ROOT, SOURCES, Bench

# For the generated makefile: optimised where it counts, precompiled headers as gcc wants them included.
MAKE_FLAGS = "-j2 OPT_FAST=-O2 OPT_SLOW=-O1 OPT_GLOBAL=-O2 CFG_CXXFLAGS_PCH_I=-include"
# Registers start with random values, so that a missing reset shows.
STRICT = ["--assert", "--x-initial", "unique", "--x-assign", "unique", "-Wall", "-Wno-DECLFILENAME"]
COVERAGE = ["--coverage-line", "--coverage-toggle"]


class QuietVerilator(Verilator):
    """Opens the ports of the top to the tests, not every signal: simulation is several times faster."""

    def _build_command(self) -> list[Sequence[str]]:
        generate, compile_program = super()._build_command()
        place = generate.index("--public-flat-rw")
        return [[*generate[:place], "--public-depth", "1", *generate[place + 1:]], compile_program]


def runner() -> Verilator:
    """With the wrapper first on the path, and the python of .venv, which the generated makefile asks for."""
    os.environ["PATH"] = os.pathsep.join((str(ROOT / "rtl/bin"), str(ROOT / ".venv/bin"), os.environ["PATH"]))
    os.environ["MAKEFLAGS"] = MAKE_FLAGS  # not those of a make around this program
    if shutil.which("ccache"):
        os.environ.setdefault("OBJCACHE", "ccache")
    return QuietVerilator()


def sources(bench: Bench) -> list:
    """The package and the top; Verilator finds the rest by module name, in rtl/src or beside the tests."""
    folder = SOURCES if (SOURCES / f"{bench.top}.sv").exists() else ROOT / "rtl/dv"
    return [SOURCES / "isopod_pkg.sv", ROOT / "rtl/lint.vlt", folder / f"{bench.top}.sv"]


def build(bench: Bench, coverage: bool) -> None:
    """RuntimeError if it does not compile without a warning."""
    libraries = ["-y", str(SOURCES), "-y", str(ROOT / "rtl/dv"), f"-I{SOURCES}"]
    folder = BUILD / bench.name / "build"
    runner().build(sources=sources(bench), hdl_toplevel=bench.top, build_dir=folder, always=True,
                   build_args=[*STRICT, *libraries, *(COVERAGE if coverage else [])],
                   parameters=bench.parameters, timescale=("1ns", "1ps"))


def test(bench: Bench, seed: int) -> tuple[int, int]:
    """Tests passed and failed."""
    folder = BUILD / bench.name
    results = folder / "results.xml"
    results.unlink(missing_ok=True)
    runner().test(hdl_toplevel=bench.top, test_module=f"rtl.dv.{bench.module}", build_dir=folder / "build", test_dir=folder,
                  results_xml=str(results), seed=seed, hdl_toplevel_lang="verilog",
                  test_args=[f"+verilator+seed+{seed % (1 << 31)}", "+verilator+rand+reset+2"])
    total, failed = get_results(results)
    return total - failed, failed
