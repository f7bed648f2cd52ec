"""Constant-time evidence for the device library.

    python3 device/test/constant_time/run.py            the whole matrix of compilers, levels and secrets
    python3 device/test/constant_time/run.py --quick    three cells of it

Exit status: 0 if every cell that could be run passed, 1 otherwise, 2 if there is nothing to run."""
import argparse
import sys
import time

import taint
from compilers import all_compilers, install_zig


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="gcc -O2 and -Os, clang-14 -O2")
    parser.add_argument("--backend", default="portable", help="whose kernels (device/src/backend); x86-64 ones only")
    parser.add_argument("--install-zig", action="store_true", help="first install ziglang under build/, about 440 MB")
    return parser.parse_args()


def main() -> int:
    """Runs, prints, judges."""
    options, start = arguments(), time.monotonic()
    if options.install_zig:
        install_zig()
    compilers, missing = all_compilers()
    for compiler in compilers:
        print(f"{compiler.name}: {compiler.version}")
    outcomes = taint.run(taint.cells(compilers, options.quick, options.backend))
    print(taint.table(outcomes))
    for outcome in outcomes:
        for complaint in outcome.complaints:
            print(f"\n{outcome.cell.name}: {complaint}", file=sys.stderr)
    failed = sum(bool(outcome.complaints) for outcome in outcomes)
    skipped = 0 if options.quick else len(missing)
    if skipped:
        print(f"not installed: {', '.join(missing)}")
    print(f"{len(outcomes) - failed} passed, {failed} failed, {skipped} skipped  ({time.monotonic() - start:.0f} s)")
    return 2 if not outcomes else 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
