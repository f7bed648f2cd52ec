"""`python3 -m bench.cost.boards --seal FOLDER`, from the root of the repository: counts instructions on Arm boards, of SEAL's
operations and of the device library's encryptions under the same sets, and writes crates/cost/tables/instructions.csv.

FOLDER is SEAL/ of the crate that isopod-seal builds from. `--board NAME` counts on one board and keeps the rows of the others.
This needs the packages g++-aarch64-linux-gnu and g++-arm-linux-gnueabihf, and those that `./bootstrap.sh boards` installs.
Counts repeat, except that SEAL's rejection sampling is random."""
import argparse
import csv
import subprocess
import sys
from pathlib import Path

from bench.device import measure
from bench.device.cases import Case, parameter_sets
from ports import emulate
from ports.emulate import BUILD, ROOT

OUT = ROOT / "crates/cost/tables/instructions.csv"
COLUMNS = ("board", "side", "scheme", "degree", "operation", "instructions")
DEGREES = (1024, 2048, 4096, 8192, 16384, 32768)
BOARDS = ("aarch64", "armv7a")
SETS = {("bfv", 4096): "bfv-4096x2w-seal-default", ("bfv", 8192): "bfv-8192x4w-seal-default",
        ("bfv", 16384): "bfv-16384x8w-seal-default", ("bfv", 32768): "bfv-32768x15w-seal-default",
        ("ckks", 4096): "ckks-4096x3-multiply", ("ckks", 8192): "ckks-8192x3w-multiply",
        ("ckks", 16384): "ckks-16384x13-multiply", ("ckks", 32768): "ckks-32768x14w-multiply"}
SECONDS = 3600


def peer(board: str, seal: Path) -> list[dict]:
    """SEAL's operations on one board."""
    done = subprocess.run(["make", "-s", "-f", "bench/cost/boards/boards.mk", f"SEAL={seal}", f"BUILD={BUILD}", board], cwd=ROOT,
                          check=False)
    if done.returncode:
        sys.exit(f"SEAL for {board} was not built")
    rows = []
    for degree in DEGREES:
        for scheme in ("bfv", "ckks"):
            counts = ROOT / BUILD / "cost" / "regions.txt"
            port = measure.PORT_OF[board]
            command = emulate.command(port, BUILD / "cost" / board / "operations", [scheme, str(degree)], counts)
            done = emulate.run(command, SECONDS)
            if done.returncode:
                print(f"{board} {scheme} {degree}: {done.stderr.strip()}", file=sys.stderr)
                continue
            names = done.stdout.split()
            rows += [row(board, "seal", scheme, degree, name, count) for name, count in zip(names, emulate.regions(counts))]
            print(f"{board} {scheme} {degree}", file=sys.stderr)
    return rows


def device(board: str) -> list[dict]:
    """Counts one encryption by secret key, with its frame, in the device library."""
    rows = []
    for (scheme, degree), name in SETS.items():
        record = measure.measure(Case(f"cost-{scheme}-{degree}", parameter_sets()[name], "sym", 1), board)
        rows.append(row(board, "isopod", scheme, degree, "send-secret", record["instructions_framed"]))
    return rows


def row(*cells) -> dict:
    """A row of the table."""
    return dict(zip(COLUMNS, cells))


def main() -> None:
    """Measures, and writes the table."""
    parser = argparse.ArgumentParser(prog="python3 -m bench.cost.boards", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seal", type=Path, required=True, help="folder of SEAL's sources")
    parser.add_argument("--board", choices=BOARDS, help="count this board alone")
    options = parser.parse_args()
    measure.prepare()
    boards = (options.board,) if options.board else BOARDS
    with open(OUT, newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["board"] not in boards]
    rows += [one for board in boards for one in (*peer(board, options.seal), *device(board))]
    with open(OUT, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
