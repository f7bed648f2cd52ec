"""`python3 bench/paper/tfhe-sbc/measure.py`, from the root of the repository on an x86-64 machine: builds the baselines and
the device library into one program, runs it, counts instructions under callgrind, and writes bench/out/tfhe-sbc.json."""
import json
import platform
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
BUILD = ROOT / "build/tfhe-sbc"
OUT = ROOT / "bench/out/tfhe-sbc.json"
DEVICE = ROOT / "device"
FLAGS = ["-O3", "-march=x86-64-v3", "-maes", "-I", str(DEVICE / "include"), "-DISOPOD_ALLOW_DEVICE_SECRET_KEY=1"]
# As a firmware or a package would build the library: no flag of a processor, its kernels choose at run time.
C_FLAGS = ["-std=c11", "-O3", "-I", str(DEVICE / "include"), "-I", str(DEVICE / "src"), "-DISOPOD_ALLOW_DEVICE_SECRET_KEY=1"]


def sources() -> list[Path]:
    """Every source of the library; the kernels of x86 replace the portable ones of the same name."""
    kernels = {}
    for backend in ("portable", "x86"):
        kernels.update({path.name: path for path in (DEVICE / "src/backend" / backend).glob("*.c")})
    return [*sorted((DEVICE / "src").glob("*.c")), *kernels.values()]


def build() -> Path:
    """The program."""
    BUILD.mkdir(parents=True, exist_ok=True)
    objects = []
    for source in sources():
        target = BUILD / (source.relative_to(DEVICE).as_posix().replace("/", "_") + ".o")
        subprocess.run(["cc", *C_FLAGS, "-c", source, "-o", target], check=True)
        objects.append(target)
    program = BUILD / "measure"
    subprocess.run(["c++", "-std=c++17", *FLAGS, HERE / "baseline/main.cpp", *objects, "-o", program], check=True)
    return program


def instructions(program: Path, case: str) -> int:
    """Of the second call of a case, in user space."""
    counts = BUILD / "counts"
    subprocess.run(["valgrind", "--tool=callgrind", "--toggle-collect=watched*", f"--callgrind-out-file={counts}", program, case],
                   check=True, capture_output=True)
    return int(re.search(r"^totals: (\d+)", counts.read_text(), re.MULTILINE).group(1))


def main() -> int:
    """Exit status 2 on another machine."""
    if platform.machine() != "x86_64":
        print("the baselines use AES instructions of x86-64", file=sys.stderr)
        return 2
    program = build()
    said = json.loads(subprocess.run([program], check=True, capture_output=True, text=True).stdout)
    errors = {name: said.pop(name) for name in ("double", "single")}
    counted = [name for name in said if not name.startswith("lwe-1024")]
    record = {"microseconds": said, "instructions": {name: instructions(program, name) for name in counted},
              "product_errors": errors}
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(record, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
