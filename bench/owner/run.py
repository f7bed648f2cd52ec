"""`python3 -m bench.owner.run --target FOLDER`: measures the Python package against its limits and writes
bench/out/owner.json.

FOLDER is cargo's folder with a release build of isopod-python and its example. Wheels in build/wheels are measured, too. Exit
status: 0 within the limits, 1 if one is missed, 2 if it cannot measure."""
import argparse
import shutil
import sys
from pathlib import Path

from bench.record import OUT, ROOT, commit, judged, merge

# Largest value of a case; web/bench/run.mjs judges the browsers, and other cases are for comparison.
LIMITS = {"bytes-per-weight": 6.5, "python-decrypt-overhead": 1.1, "wheel-mb": 8}


def main() -> int:
    """Measures, writes and prints the records, and judges them by their limits."""
    parser = argparse.ArgumentParser(prog="python3 -m bench.owner.run", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", required=True, type=Path, metavar="FOLDER")
    options = parser.parse_args()
    library, example = options.target / "lib_isopod.so", options.target / "examples/decrypt"
    if missing := [path for path in (library, example) if not path.exists()]:
        print(f"cannot measure: {missing[0]} is missing; make bench-owner builds it", file=sys.stderr)
        return 2
    shutil.copy(library, ROOT / "python/isopod/_isopod.abi3.so")
    sys.path.insert(0, str(ROOT / "python"))
    from bench.owner import python  # noqa: PLC0415, after its package

    same = {"commit": commit()}
    records = [found | same for found in (*python.decryption(example), *python.weights(), *wheels())]
    merge(OUT / "owner.json", records)
    for found in records:
        print(f"{found['case']:<40} {found['value']:.4g}")
    return judged([f"{found['case']}: {found['value']}; allowed is at most {LIMITS[found['case']]}" for found in records
                   if found["value"] > LIMITS.get(found["case"], float("inf"))])


def wheels() -> list[dict]:
    """The size of the largest wheel in megabytes."""
    sizes = {wheel.name: wheel.stat().st_size for wheel in (ROOT / "build/wheels").glob("isopod-*.whl")}
    if not sizes:
        return []
    return [{"case": "wheel-mb", "value": round(max(sizes.values()) / 1e6, 3), "wheels": sizes}]


if __name__ == "__main__":
    sys.exit(main())
