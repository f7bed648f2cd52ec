"""`python3 -m bench.paper.seal-embedded.memory`, from the root of the repository on an x86-64 machine: memory of one whole
encryption by the device library, as Table 3 of the paper gives it for libraries of hosts. Writes bench/out/host-memory.json.

`rss` is the largest resident set, by GNU time. `vm` is the smallest address space in which the program still runs, found with
RLIMIT_AS. Both are KB of 1024 bytes. The program is linked statically, and has input, output, tables and key in its memory."""
import argparse
import resource
import subprocess
import sys

from bench.device import measure
from bench.device.cases import Case, by_prefix
from bench.record import OUT, ROOT, write

from .tables import KINDS, PREFIX

KB = 1024
LARGEST = 64 * KB  # of the search, KB


def resident(command: list[str]) -> int:
    """The largest resident set."""
    done = subprocess.run(["/usr/bin/time", "-f", "%M", *command], cwd=ROOT, check=True, capture_output=True, text=True)
    return int(done.stderr.split()[-1])


def runs_in(command: list[str], kilobytes: int) -> bool:
    """Whether the program runs in this much address space."""
    limit = kilobytes * KB
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    return done.returncode == 0


def address_space(command: list[str]) -> int:
    """The smallest address space in which the program runs; RuntimeError if even the largest is too small."""
    low, high = 0, LARGEST
    if not runs_in(command, high):
        raise RuntimeError(f"{command[0]} does not run in {LARGEST} KB")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if runs_in(command, middle) else (middle, high)
    return high


def main() -> int:
    """Measures both kinds of key with one chunk; exit status 2 if something does not build or run."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    try:
        found = {}
        for kind in KINDS.values():
            files = measure.build(Case(f"{PREFIX}-{kind}-fast", by_prefix(PREFIX), kind, 1), "x86-64")
            command = [str(ROOT / files.elf), str(ROOT / files.key), "1"]
            found[kind] = {"rss": resident(command), "vm": address_space(command)}
    except (RuntimeError, OSError, subprocess.CalledProcessError) as error:
        print(f"cannot measure: {error}", file=sys.stderr)
        return 2
    write(OUT / "host-memory.json", found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
