"""`python3 -m bench.questions.run --library FILE`: measures what the owner of a table asks, against limits, and writes
bench/out/questions.json.

FILE is a release build of the Python package's library. Exit status: 0 within the limits, 1 if one is missed, 2 if it cannot
measure."""
import argparse
import importlib.util
import shutil
import sys
from importlib import import_module
from pathlib import Path

from bench.record import OUT, ROOT, commit, judged, merge

PARTS = ("models", "stats", "columns")
# Least and largest value of a case; the others are for comparison.
LIMITS = {
    "digits-multinomial-equal": (360, 360), "iris-multinomial-equal": (150, 150), "iris-lda-equal": (150, 150),
    "ridge-diabetes-coef-error": (0, 1e-3), "ridge-diabetes-printed-error": (0, 1e-3), "ridge-diabetes-within-printed": (1, 1),
    "gaussian-nb-iris-equal": (150, 150), "describe-vs-pandas": (1, 1),
    "column-mean-1m-public-error_ratio": (0, 1), "column-mean-1m-secret-error_ratio": (0, 1),
    "column-mean-1m-public-bytes_per_row": (0, 30), "column-mean-1m-secret-bytes_per_row": (0, 15),
    "column-mean-1m-public-cpu_seconds_ratio": (0, 1.5), "column-mean-1m-secret-cpu_seconds_ratio": (0, 1.5),
}


def main() -> int:
    """Measures, writes and prints the records, and judges them by their limits."""
    parser = argparse.ArgumentParser(prog="python3 -m bench.questions.run", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True, type=Path, metavar="FILE")
    options = parser.parse_args()
    if not options.library.exists():
        print(f"cannot measure: {options.library} is missing; make bench-questions builds it", file=sys.stderr)
        return 2
    shutil.copy(options.library, ROOT / "python/isopod/_isopod.abi3.so")
    sys.path.insert(0, str(ROOT / "python"))
    found: dict[str, float] = {}
    for name in (part for part in PARTS if importlib.util.find_spec(f"bench.questions.{part}")):
        found |= import_module(f"bench.questions.{name}").cases()
    merge(OUT / "questions.json", [{"case": case, "value": value, "commit": commit()} for case, value in found.items()])
    for case, value in found.items():
        print(f"{case:<40} {value:.4g}")
    return judged(complaints(found))


def complaints(found: dict[str, float]) -> list[str]:
    """The cases that are missing, or beyond their limits."""
    missing = [f"{case}: missing; allowed is {least} to {most}" for case, (least, most) in LIMITS.items() if case not in found]
    values = [(case, value, *LIMITS[case]) for case, value in found.items() if case in LIMITS]
    return missing + [f"{case}: {value}; allowed is {least} to {most}" for case, value, least, most in values
                      if not least <= value <= most]


if __name__ == "__main__":
    sys.exit(main())
