"""`python3 -m bench.paper.tfhe-sbc.tfhepp --tfhepp DIR`, from the root of the repository on an x86-64 machine: measures TFHEpp
itself beside the device library, and writes tfhepp.json of this folder. DIR is a checkout with its submodules BLAKE3 and
cereal.

There is one program for each generator that TFHEpp can be built for, compiled with TFHEpp's own flags. In each, TFHEpp's
encryption and ours take turns. This repository contains nothing of TFHEpp."""
import argparse
import json
import platform
import subprocess
import sys
from pathlib import Path

from . import measure

FILE = measure.HERE / "tfhepp.json"
# Flags of TFHEpp's CMakeLists.txt with its default transform, but link-time optimisation.
FLAGS = ["-std=gnu++20", "-O3", "-march=native", "-funroll-loops", "-w", "-DUSE_SPQLIOS_INTL", "-DUSE_INTERLEAVED_FORMAT"]
FOLDERS = ("include", "thirdparties/spqlios-intl", "thirdparties/randen", "thirdparties/BLAKE3/c", "thirdparties/cereal/include")
SOURCES = ["thirdparties/spqlios-intl/fft_processor_spqlios_intl.cpp", "thirdparties/spqlios-intl/intl-fft-fma.s"]
BLAKE3 = ["blake3.c", "blake3_dispatch.c", "blake3_portable.c",
          *(f"blake3_{name}_x86-64_unix.S" for name in ("sse2", "sse41", "avx2", "avx512"))]
# Name of a generator: its definition, its sources and the program's argument.
GENERATORS = {
    "BLAKE3": (["-DUSE_BLAKE3"], [f"thirdparties/BLAKE3/c/{name}" for name in BLAKE3], []),
    "randen": (["-DUSE_RANDEN"], ["thirdparties/randen/randen.cc"], []),
    "rdrand": ([], [], []),
    "urandom": ([], [], ["urandom"]),
}


def build(checkout: Path, name: str, library: list[Path]) -> list[str]:
    """The command that builds the program of one generator; `library` are the objects of the device library."""
    definitions, sources, arguments = GENERATORS[name]
    flags = ["-O3", "-march=native", *definitions, *(f"-I{checkout / folder}" for folder in FOLDERS)]
    objects = [*library]
    for source in (*SOURCES, *sources):
        target = measure.BUILD / f"tfhepp-{name}-{Path(source).name}.o"
        compiler = ["cc"] if source.endswith((".c", ".S", ".s")) else ["c++", *FLAGS]
        subprocess.run([*compiler, *flags, "-c", checkout / source, "-o", target], check=True)
        objects.append(target)
    program = measure.BUILD / f"tfhepp-{name}"
    main = measure.HERE / "baseline/tfhepp.cpp"
    subprocess.run(["c++", *FLAGS, *measure.INTERFACE, *flags, main, *objects, "-o", program], check=True)
    return [str(program), *arguments]


def run(command: list[str]) -> dict[str, float]:
    """The record that one program prints; ValueError if it did not encrypt."""
    said = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    if said.pop("wrong"):
        raise ValueError(f"{command[0]}: bits come back wrong")
    return said


def first_line(*command: str) -> str:
    """The first line that a command prints."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[0]


def method(checkout: Path) -> dict[str, str | int]:
    """The processor, versions and commit, because the figures depend on them."""
    head = ("rev-parse", "HEAD")
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    model, flags = (next(line for line in lines if line.startswith(name)) for name in ("model name", "flags"))
    vectors = "with AVX-512" if "avx512f" in flags else "without AVX-512"
    return {"what": "median CPU time of a thread per call, microseconds; the calls take turns", "flags": " ".join(FLAGS),
            "compiler": first_line("c++", "--version"), "processor": f"{model.partition(': ')[2]}, {vectors}",
            "tfhepp": first_line("git", "-C", str(checkout), *head),
            "blake3": first_line("git", "-C", str(checkout / "thirdparties/BLAKE3"), *head),
            "isopod": first_line("git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*")}


def main() -> int:
    """The exit status: 2 on another machine."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tfhepp", type=Path, required=True, metavar="DIR")
    checkout = parser.parse_args().tfhepp.resolve()
    if platform.machine() != "x86_64":
        print("the flags and the generators are those of x86-64", file=sys.stderr)
        return 2
    library = measure.library()
    times = {name: run(build(checkout, name, library)) for name in GENERATORS}
    FILE.write_text(json.dumps({"method": method(checkout), "microseconds": times}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
