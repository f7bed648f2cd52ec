"""`.venv/bin/python -m rtl.soc.build [CONFIGURATION ...]`: builds isopod_soc in Verilator, one
program per configuration of rtl/configs.yaml, or `core` without an engine, as
build/rtl/soc-<configuration>/soc. The program checks assertions."""
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

from rtl.dv.bench import BUILD, ROOT
from rtl.dv.encode.cosines import write_cosines
from rtl.dv.simulator import MAKE, RUNTIME_LEVEL, runtime_objects
from rtl.sources import PACKAGE, configurations, defines, search

SOC = ROOT / "rtl/soc"
DEFAULT = "w32p4"
# Core and memory without an engine, for software alone.
CORE = "core"
SECONDS = 900
# Warnings about the core, which is third-party code.
WARNINGS = ["-Wno-fatal", "-Wno-lint", "-Wno-style"]
OPTIMISE = ("OPT_FAST=-O1", "OPT_SLOW=-O0", RUNTIME_LEVEL, "CFG_CXXFLAGS_PCH_I=-include")
# Variables of a make around this program, kept from the generated makefile.
OF_MAKE = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")
PACKAGES = ("cv32e40p_apu_core_pkg", "cv32e40p_fpu_pkg", "cv32e40p_pkg")


def core() -> Path:
    """RTL of the CV32E40P in its Python package; RuntimeError if that is not installed."""
    found = importlib.util.find_spec("pythondata_cpu_cv32e40p")
    if found is None or found.origin is None:
        raise RuntimeError("no pythondata-cpu-cv32e40p; ./bootstrap.sh installs it into .venv")
    return Path(found.origin).parent / "system_verilog/rtl"


def command(folder: Path, parameters: dict[str, str]) -> list[str]:
    """Verilator's command line."""
    rtl = core()
    packages = [str(rtl / f"include/{name}.sv") for name in PACKAGES]
    chosen = [f"-G{name}={value}" for name, value in parameters.items()]
    return [str(ROOT / "rtl/bin/verilator"), "--cc", "--exe", "-O3", "--assert",
            "--x-assign", "fast", "--x-initial", "fast", "--top-module", "isopod_soc",
            "--prefix", "Vtop", "--Mdir", str(folder), "-o", "soc", *WARNINGS, f"-I{rtl}/include",
            *defines(int(parameters["ModulusWidth"])), *search(SOC, rtl),
            *chosen, *packages, str(rtl / "cv32e40p_register_file_ff.sv"), str(PACKAGE),
            str(SOC / "isopod_soc.sv"), str(SOC / "main.cpp")]


def build(configuration: str = DEFAULT) -> Path:
    """Builds the program; its path, or RuntimeError with the output of a failing tool."""
    known = configurations()
    parameters = known[DEFAULT] | {"Engine": "0"} if configuration == CORE else known[configuration]
    parameters["CosineFile"] = f'"{write_cosines(BUILD, int(parameters["MaxLogN"]))}"'
    folder = BUILD / f"soc-{configuration}"
    folder.mkdir(parents=True, exist_ok=True)
    environment = {name: value for name, value in os.environ.items() if name not in OF_MAKE}
    environment["PATH"] = os.pathsep.join((str(ROOT / ".venv/bin"), os.environ["PATH"]))
    if shutil.which("ccache"):
        environment.setdefault("OBJCACHE", "ccache")
    try:
        tool(command(folder, parameters), ROOT, environment)
        tool([*MAKE, "-j2", *OPTIMISE, *runtime_objects(folder), "soc"], folder, environment)
    except subprocess.CalledProcessError as error:
        said = f"{error.stdout}{error.stderr}"
        raise RuntimeError(f"isopod_soc, {configuration}, does not build\n{said}") from None
    return folder / "soc"


def tool(words: list[str], folder: Path, environment: dict[str, str]) -> None:
    """Runs one step of a build; CalledProcessError with its output if it fails."""
    subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=True,
                   env=environment)


def main() -> int:
    """Exit status 1 if one does not build."""
    try:
        for name in sys.argv[1:] or [DEFAULT]:
            print(build(name))
    except (RuntimeError, KeyError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
