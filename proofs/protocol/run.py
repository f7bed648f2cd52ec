"""`python3 -m proofs.protocol.run`: searches the protocol's states and its faults. Counts go into bench/out/proofs.json.

The exit status is 1 if a promise is broken, or a fault breaks none."""
import json
import subprocess
import sys

from bench.record import OUT, ROOT, commit, merge

COMMAND = ["cargo", "run", "--release", "--locked", "--quiet", "-p", "isopod-protocol"]


def main() -> int:
    """Runs the program, whose last line has the records."""
    done = subprocess.run(COMMAND, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    *told, last = done.stdout.splitlines() or [""]
    print(*told, sep="\n")
    if last:
        method = "every state within bounds, by breadth-first search with stateright"
        merge(OUT / "proofs.json", [{**record, "method": method, "commit": commit()} for record in json.loads(last)])
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
