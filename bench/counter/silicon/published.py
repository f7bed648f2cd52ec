"""`python3 -m bench.counter.silicon.published PQM4`, from the root of the repository: cycles of the model beside those that pqm4
publishes [KRSS19] for a Cortex-M4 without wait states. Prints the table of bench/counter/README.md.

PQM4 is a checkout of github.com/mupq/pqm4 with its submodule mupq (commit cc2c1b99), of which this repository holds nothing."""
import argparse
import csv
import subprocess
import sys
from pathlib import Path

from bench.device.measure import prepare
from bench.document import markdown
from bench.record import ROOT
from ports import emulate

PORT, RUNS = "mps2-an386", 10
# Scheme, implementation, and the columns of benchmarks.csv with the means of its operations.
SCHEMES = (*((f"ml-kem-{size}", "m4fspeed", {"keys": 2, "encapsulation": 5, "decapsulation": 8}) for size in (512, 768, 1024)),
           ("ml-dsa-44", "m4f", {"keys": 2, "verification": 8}))
FLAGS = ("-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard", "-O3", "-std=gnu11", "-w", "-ffunction-sections",
         "-ffreestanding", "-fno-tree-loop-distribute-patterns")
OURS = ("bench/counter/silicon/published.c", "ports/mps2-an386/startup.c",
        *(f"ports/semihosting/{name}" for name in ("semihosting.c", "text.c", "trap.S")),
        *(f"ports/freestanding/{name}" for name in ("memory.c", "start.c", "stack_limit.c")))

# The few declarations of a C library that the sources ask for.
HEADERS = {"string.h": "#include <stddef.h>\nvoid *memcpy(void *, const void *, size_t); void *memset(void *, int, size_t);\n"
                       "void *memmove(void *, const void *, size_t); int memcmp(const void *, const void *, size_t);\n",
           "stdio.h": "#include <stddef.h>\n", "stdlib.h": "", "crypto_declassify.h": "",
           "randombytes.h": "#include <stdint.h>\nint randombytes(uint8_t *, __SIZE_TYPE__);\n"}


def compiled(checkout: Path, scheme: str, implementation: str) -> Path:
    """The program of one scheme; CalledProcessError if it does not compile."""
    kind = "crypto_sign" if "dsa" in scheme else "crypto_kem"
    folder, out = checkout / kind / scheme / implementation, ROOT / emulate.BUILD / "published"
    (out / "include").mkdir(parents=True, exist_ok=True)
    for name, text in HEADERS.items():
        (out / "include" / name).write_text(text)
    sources = [path for path in folder.iterdir() if path.suffix in (".c", ".S", ".s")]
    sources += [checkout / "mupq/common/fips202.c", checkout / "common/keccakf1600.S", *(ROOT / name for name in OURS)]
    include = [f"-I{path}" for path in (out / "include", folder, checkout / "mupq/common", checkout / "common", ROOT / "bench",
                                       ROOT / "ports")]
    program = out / f"{scheme}.elf"
    subprocess.run(["arm-none-eabi-gcc", *FLAGS, *include, *["-DSIGNATURE"] * (kind == "crypto_sign"), *sources, "-nostdlib",
                    "-Wl,--gc-sections", f"-L{ROOT}/ports/freestanding", f"-T{ROOT}/ports/mps2-an386/link.ld", "-lgcc", "-o",
                    program], check=True)
    return program


def modelled(program: Path, operations: int) -> list[float]:
    """Mean cycles of each operation by the model."""
    counts = program.with_suffix(".regions")
    done = emulate.run(emulate.command(PORT, program, [], counts))
    if done.returncode:
        raise RuntimeError(f"{program}: {done.stderr}")
    found = emulate.cycles(counts)
    return [sum(found[at::operations]) / RUNS for at in range(operations)]


def published(checkout: Path, scheme: str, implementation: str) -> list[str]:
    """The row of benchmarks.csv with the cycles; StopIteration if there is none."""
    with open(checkout / "benchmarks.csv", newline="") as file:
        return next(row for row in csv.reader(file) if row[:2] and row[0].split(" ")[0] == scheme and row[1] == implementation)


def main() -> int:
    """The exit status: 2 if something does not build or run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path, metavar="PQM4")
    checkout, rows = parser.parse_args().checkout.resolve(), []
    try:
        prepare()
        for scheme, implementation, operations in SCHEMES:
            row = published(checkout, scheme, implementation)
            found = modelled(compiled(checkout, scheme, implementation), len(operations))
            for (name, column), ours in zip(operations.items(), found, strict=True):
                theirs = int(row[column])
                rows.append((scheme, name, f"{ours:,.0f}", f"{theirs:,}", f"{ours / theirs - 1:+.1%}"))
    except (OSError, RuntimeError, StopIteration, subprocess.CalledProcessError) as error:
        print(f"cannot measure: {error}", file=sys.stderr)
        return 2
    print(markdown(("scheme", "operation", "modelled cycles", "published", "model"), rows, 2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
