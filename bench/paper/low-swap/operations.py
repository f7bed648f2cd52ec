"""`python3 -m bench.paper.low-swap.operations [--seal FOLDER]`, from the root of the repository: milliseconds of SEAL's
operations on this machine under SEAL's default primes, which are the report's, in both schemes. Writes bench/out/operations.json.

The program is that of bench/cost/boards, linked with the SEAL that isopod-seal built. FOLDER has its include and lib; without it,
the newest one below the folder of Cargo's target is taken."""
import argparse
import os
import subprocess
import sys
from pathlib import Path

from bench.record import OUT, ROOT, write
from ports.emulate import BUILD

from .tables import COUNTED, DEGREES, SCHEMES

NAMES = {theirs: name for name, theirs in COUNTED.items()}
PROGRAM = ROOT / BUILD / "cost/x86-64/operations"


def newest() -> Path:
    """The SEAL that was built last; FileNotFoundError if there is none."""
    target = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
    found = sorted(target.glob("seal-*/complete"), key=lambda file: file.stat().st_mtime)
    if not found:
        raise FileNotFoundError("no SEAL below Cargo's target; `cargo build -p isopod-seal` builds it")
    return found[-1].parent


def build(seal: Path) -> None:
    """Compiles the program."""
    PROGRAM.parent.mkdir(parents=True, exist_ok=True)
    include, library = next(seal.glob("include/SEAL-*")), next(seal.glob("lib/libseal-*.a"))
    subprocess.run(["c++", "-std=c++17", "-O3", "-w", "-Ibench", f"-I{include}", "bench/cost/boards/operations.cpp", library,
                    "-lpthread", "-o", PROGRAM], cwd=ROOT, check=True)


def times(scheme: str, degree: int) -> dict[str, float]:
    """Milliseconds by the report's names."""
    done = subprocess.run([PROGRAM, scheme, str(degree), "times"], check=True, capture_output=True, text=True)
    return {NAMES.get(name, name): float(value) for name, value in (line.split() for line in done.stdout.splitlines())}


def main() -> int:
    """The exit status: 2 if it cannot build or measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seal", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    try:
        build(options.seal or newest())
        found = {scheme: {str(degree): times(scheme, degree) for degree in DEGREES} for scheme in SCHEMES}
    except (OSError, StopIteration, subprocess.CalledProcessError) as error:
        print(f"cannot measure: {error}", file=sys.stderr)
        return 2
    write(OUT / "operations.json", found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
