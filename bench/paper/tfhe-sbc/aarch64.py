"""`python3 -m bench.paper.tfhe-sbc.aarch64 [--zig PYTHON]`, from the root of the repository: the paper's method beside the device
library on its own architecture. Builds baseline/main.cpp for a Cortex-A53, counts instructions of single calls under qemu-aarch64
with the plugin of bench/counter, and writes bench/out/tfhe-sbc-aarch64.json.

The C++ compiler is aarch64-linux-gnu-g++, or clang of the Python package ziglang that the interpreter PYTHON has. The library is
compiled as the port linux-aarch64 compiles it. The kernel's work for the system generator is not counted."""
import argparse
import json
import subprocess
import sys
from pathlib import Path

from bench.device.measure import prepare
from bench.record import OUT, ROOT, write
from ports import emulate

from . import measure

PORT = "linux-aarch64"
CPU = "-mcpu=cortex-a53"
CASES = ("ring-sbc", "ring-fast", "uniform-blake2", "gaussian-blake2", "ziggurat-blake2", "product", "forward", "pointwise",
         "inverse", "isopod-tuniform", "isopod-gaussian", "isopod-tuniform-public", "isopod-gaussian-public")
C_FLAGS = ["-std=c11", "-O2", CPU, "-ffunction-sections", *measure.INTERFACE, "-I", str(measure.DEVICE / "src")]


def compiler(python: str | None) -> list[str]:
    """The C++ compiler."""
    if python:
        return [python, "-m", "ziglang", "c++", "-target", "aarch64-linux-musl", "-mcpu=cortex_a53"]
    return ["aarch64-linux-gnu-g++", CPU]


def build(cxx: list[str]) -> Path:
    """Compiles library and baselines; the program."""
    folder = measure.BUILD / "aarch64"
    folder.mkdir(parents=True, exist_ok=True)
    objects = []
    for source in measure.sources():
        target = folder / (source.relative_to(ROOT).as_posix().replace("/", "_") + ".o")
        subprocess.run(["aarch64-linux-gnu-gcc", *C_FLAGS, "-c", source, "-o", target], check=True)
        objects.append(target)
    program = folder / "measure"
    subprocess.run([*cxx, "-std=c++17", "-O3", "-static", *measure.INTERFACE, measure.HERE / "baseline/main.cpp", *objects, "-o",
                    program], check=True)
    return program


def instructions(program: Path, case: str) -> int:
    """Instructions of the second call of a case, in user space."""
    counts = program.with_suffix(".regions")
    done = emulate.run(emulate.command(PORT, program, [case], counts))
    if done.returncode:
        raise RuntimeError(f"{case}: {done.stderr}")
    return emulate.regions(counts)[0]


def main() -> int:
    """The exit status: 2 if it cannot build or count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--zig", metavar="PYTHON", help="the interpreter that has ziglang")
    options = parser.parse_args()
    try:
        prepare()
        program = build(compiler(options.zig))
        counted = {case: instructions(program, case) for case in CASES}
    except (OSError, RuntimeError, subprocess.CalledProcessError) as error:
        print(f"cannot measure: {error}", file=sys.stderr)
        return 2
    write(OUT / "tfhe-sbc-aarch64.json", counted)
    print(json.dumps(counted, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
