"""`python3 -m bench.owner.run --target FOLDER`: the Python package against its limits, into bench/out/owner.json.

FOLDER is cargo's folder of a release build of isopod-python and its example. Wheels are those of build/wheels, if there are any.
Exit status: 0 within the limits, 1 one is missed, 2 not measurable."""
import argparse
import shutil
import sys
from pathlib import Path

from bench.device.measure import commit
from bench.owner import record
from ports.emulate import ROOT


def main() -> int:
    """Measures, writes, prints and judges."""
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
    record.write(records)
    for found in records:
        print(f"{found['case']:<40} {found['value']:.4g}")
    missed = record.complaints(records)
    print("\n".join(missed) or "all within their limits", file=sys.stderr)
    return int(bool(missed))


def wheels() -> list[dict]:
    """Megabytes of the largest wheel."""
    sizes = {wheel.name: wheel.stat().st_size for wheel in (ROOT / "build/wheels").glob("isopod-*.whl")}
    if not sizes:
        return []
    return [{"case": "wheel-mb", "value": round(max(sizes.values()) / 1e6, 3), "wheels": sizes}]


if __name__ == "__main__":
    sys.exit(main())
