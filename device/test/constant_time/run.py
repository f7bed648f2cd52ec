"""Constant-time evidence for the device library: secrets as undefined memory on x86-64, disassembly and every executed
address on Cortex-M4, RV32 and NEON.

    python3 device/test/constant_time/run.py            every compiler, level and profile
    python3 device/test/constant_time/run.py --quick    some of each, in about two minutes

Exit status: 0 if all that could be run passed, 1 otherwise."""
import argparse
import sys
import time

import counts
import disassembly
import taint
from compilers import all_compilers, install_zig


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two compilers, two levels, some builds and profiles")
    parser.add_argument("--install-zig", action="store_true", help="first install ziglang under build/, about 440 MB")
    return parser.parse_args()


def run_taint(options: argparse.Namespace) -> tuple[list[list[str]], int]:
    """Complaints of each cell, and how many compilers are missing."""
    compilers, missing = all_compilers()
    print("Secrets as undefined memory: contexts that memcheck reports")
    for compiler in compilers:
        print(f"  {compiler.name}: {compiler.version}")
    if missing and not options.quick:
        print(f"  skipped, not installed: {', '.join(missing)}")
    outcomes = taint.run(taint.cells(compilers, options.quick))
    print(taint.table(outcomes))
    named = [[f"{outcome.cell.name}: {text}" for text in outcome.complaints] for outcome in outcomes]
    return named, 0 if options.quick else len(missing)


def run_disassembly(options: argparse.Namespace) -> list[list[str]]:
    """Complaints of each build; declarations are stale by what all builds use."""
    print("\nBranches, divisions and helper calls that have a reason, and that have none")
    results, reasons = [], disassembly.Reasons()
    for build, accepted, complaints in disassembly.run(options.quick, reasons):
        name = f"{build.target.name} {build.name} -{build.level}"
        print(f"{name:<24}{accepted:>6}{len(complaints):>6}")
        results.append([f"{name}: {text}" for text in complaints])
    return [*results, reasons.stale()]


def run_counts(options: argparse.Namespace) -> list[list[str]]:
    """Complaints of each profile."""
    print("\nInstructions and addresses over random secrets")
    results = []
    for name, seen, complaints in counts.run(options.quick):
        print(f"{name}: {seen}{', FAILED' if complaints else ''}", flush=True)
        results.append([f"{name}: {text}" for text in complaints])
    return results


def main() -> int:
    """Runs, prints, judges."""
    options, start = arguments(), time.monotonic()
    if options.install_zig:
        install_zig()
    results, skipped = run_taint(options)
    results += run_disassembly(options)
    results += run_counts(options)
    for complaint in (text for complaints in results for text in complaints):
        print(f"\n{complaint}", file=sys.stderr)
    failed = sum(bool(complaints) for complaints in results)
    print(f"\n{len(results) - failed} passed, {failed} failed, {skipped} skipped in {time.monotonic() - start:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
