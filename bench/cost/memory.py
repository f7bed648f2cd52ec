"""`python3 -m bench.cost.memory --isopod PROGRAM [--out FILE]`, from the root of the repository: measures the peak memory of
clients that use Isopod, SEAL and tfhe-rs.

Each client is a process that makes keys and tables and encrypts once by public key: all slots, or 256 integers of 8 bits. It
runs once without a limit and once under 64 MB. The program needs the feature tfhe.

The limit is on data (RLIMIT_DATA: heap and private mappings), and a 64 MB board has at most that. The pages of the program
itself do not count. All clients are the same program, `isopod bench --peak`, so they differ by the libraries alone."""
import argparse
import resource
import subprocess
import sys
from pathlib import Path

from bench.record import write

LIMIT = 64 << 20
CASES = [(scheme, degree, name) for scheme, sets in {
    "bfv": {4096: "bfv-4096x2w-seal-default", 8192: "bfv-8192x4w-seal-default", 16384: "bfv-16384x8w-seal-default",
            32768: "bfv-32768x15w-seal-default"},
    "ckks": {4096: "ckks-4096x3-multiply", 8192: "ckks-8192x3w-multiply", 16384: "ckks-16384x13-multiply",
             32768: "ckks-32768x14w-multiply"}, "tfhe": {2048: "tfhe-2048-tfhe-rs"}}.items() for degree, name in sets.items()]
PEERS = {"bfv": "SEAL", "ckks": "SEAL", "tfhe": "tfhe-rs"}


def limit() -> None:
    """Sets the limit for this process."""
    resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT))


def run(command: list[str], limited: bool) -> tuple[int, str]:
    """Exit status and output of one process."""
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit if limited else None, check=False)
    return done.returncode, done.stdout


def client(program: str, library: str, case: tuple[str, int, str]) -> dict:
    """Measures one client on one set."""
    scheme, degree, name = case
    command = [program, "bench", "--peak", library.lower(), name]
    status, said = run(command, False)
    if status:
        sys.exit(f"{' '.join(command)}: exit status {status}")
    status, _ = run(command, True)
    return {"client": library, "scheme": scheme, "degree": degree, "what": name, "peak_bytes": int(said),
            "limited": "runs" if status == 0 else f"fails, exit status {status}"}


def main() -> None:
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(prog="python3 -m bench.cost.memory", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--isopod", required=True, help="the program isopod")
    parser.add_argument("--out", type=Path, default=Path("bench/out/memory.json"), help="where the records go")
    options = parser.parse_args()
    records = [client(options.isopod, library, case) for case in CASES for library in ("Isopod", PEERS[case[0]])]
    for record in records:
        print(f"{record['client']:<7} {record['what']:<27} {record['peak_bytes'] / 1e6:8.1f} MB   64 MB: {record['limited']}")
    write(options.out, records)


if __name__ == "__main__":
    main()
