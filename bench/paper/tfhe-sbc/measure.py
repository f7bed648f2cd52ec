"""`python3 -m bench.paper.tfhe-sbc.measure [--check]`, from the root of the repository on an x86-64 machine: builds the
baselines and the device library into one program, times it, counts instructions under callgrind, and writes
bench/out/tfhe-sbc.json.

BUDGETS say how many times the instructions of Isopod the baseline with the fast generator must take. The program fails if it
takes fewer. Times are recorded but judge nothing. With --check nothing is timed or written."""
import argparse
import json
import platform
import re
import subprocess
import sys
from pathlib import Path

from bench.record import OUT, ROOT, write

HERE = Path(__file__).resolve().parent
BUILD = ROOT / "build/tfhe-sbc"
DEVICE, PORTS = ROOT / "device", ROOT / "ports"
BASELINE = "ring-fast"
BUDGETS = {"isopod-tuniform": 5, "isopod-tuniform-public": 2}  # the least ratios of its instructions to ours
INTERFACE = ["-I", str(DEVICE / "include"), "-I", str(PORTS), "-I", str(ROOT / "bench"), "-DISOPOD_ALLOW_DEVICE_SECRET_KEY=1"]
FLAGS = ["-O3", "-march=x86-64-v3", "-maes", *INTERFACE]
# Flags of a firmware or a package for the library: no flag of a processor, its kernels choose at run time.
C_FLAGS = ["-std=c11", "-O3", "-I", str(DEVICE / "include"), "-I", str(DEVICE / "src"), "-DISOPOD_ALLOW_DEVICE_SECRET_KEY=1"]


def sources() -> list[Path]:
    """Every source of the library, and the sources that the counters need."""
    return [*sorted((DEVICE / "src").glob("**/*.c")), PORTS / "stack/stack.c", PORTS / "linux/stack_limit.c"]


def library() -> list[Path]:
    """Compiles the library; its objects."""
    BUILD.mkdir(parents=True, exist_ok=True)
    objects = []
    for source in sources():
        target = BUILD / (source.relative_to(ROOT).as_posix().replace("/", "_") + ".o")
        subprocess.run(["cc", *C_FLAGS, "-c", source, "-o", target], check=True)
        objects.append(target)
    return objects


def build() -> Path:
    """Builds the program; its path."""
    program = BUILD / "measure"
    subprocess.run(["c++", "-std=c++17", *FLAGS, HERE / "baseline/main.cpp", *library(), "-o", program], check=True)
    return program


def instructions(program: Path, case: str) -> int:
    """Instructions of the second call of a case, in user space."""
    counts = BUILD / "counts"
    subprocess.run(["valgrind", "--tool=callgrind", "--toggle-collect=watched*", f"--callgrind-out-file={counts}", program, case],
                   check=True, capture_output=True)
    return int(re.search(r"^totals: (\d+)", counts.read_text(), re.MULTILINE).group(1))


def over_budget(counts: dict[str, int]) -> list[str]:
    """One line for each case in which the baseline does not take enough times our instructions."""
    ratios = {ours: counts[BASELINE] / counts[ours] for ours in BUDGETS}
    return [f"{BASELINE} takes {ratio:.1f} times the instructions of {ours}; the budget is {BUDGETS[ours]}"
            for ours, ratio in ratios.items() if ratio < BUDGETS[ours]]


def record(program: Path) -> dict:
    """The record that is written."""
    said = json.loads(subprocess.run([program], check=True, capture_output=True, text=True).stdout)
    errors, memory = {name: said.pop(name) for name in ("double", "single")}, said.pop("memory")
    counted = [name for name in said if not name.startswith("lwe-1024")]
    return {"microseconds": said, "instructions": {name: instructions(program, name) for name in counted},
            "memory": memory, "product_errors": errors}


def main() -> int:
    """The exit status: 1 if a budget is missed; on another machine 2, or 0 with --check."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if platform.machine() != "x86_64":
        print("the baselines use AES instructions of x86-64", file=sys.stderr)
        return 0 if options.check else 2
    program = build()
    if options.check:
        complaints = over_budget({name: instructions(program, name) for name in (BASELINE, *BUDGETS)})
    else:
        measured = record(program)
        write(OUT / "tfhe-sbc.json", measured)
        complaints = over_budget(measured["instructions"])
    print("\n".join(complaints), file=sys.stderr, end="\n" if complaints else "")
    return int(bool(complaints))


if __name__ == "__main__":
    sys.exit(main())
