"""Constant-time evidence for the device library: secrets as undefined memory on x86-64, disassembly and every executed
address on Cortex-M4, RV32 and NEON.

    python3 device/test/constant_time/run.py                   every compiler, level and profile
    python3 device/test/constant_time/run.py --quick           some of each, in about two minutes
    python3 device/test/constant_time/run.py --part traces     one of the three parts

Exit status: 0 if every check that could run passed, 1 otherwise."""
import argparse
import sys
import time
from collections.abc import Iterator

import counts
import disassembly
import taint
from compilers import all_compilers, install_zig, sources

Result = tuple[str, str, list[str]]  # name of the check, observation, complaints


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two compilers, two levels, some builds and profiles")
    parser.add_argument("--part", choices=PARTS, action="append", help="only this one; may be given again")
    parser.add_argument("--install-zig", action="store_true", help="first install ziglang under build/, about 440 MB")
    return parser.parse_args()


def run_taint(quick: bool) -> Iterator[Result]:
    """Checks each cell."""
    return taint.run(all_compilers()[0], quick)


def run_disassembly(quick: bool) -> Iterator[Result]:
    """Checks each build; a declaration is stale if no build uses it."""
    reasons = disassembly.Reasons()
    yield from disassembly.run(quick, reasons)
    yield "public.toml", f"{len(reasons.entries)} declarations", reasons.stale()


def run_counts(quick: bool) -> Iterator[Result]:
    """Checks each profile."""
    return counts.run(quick)


PARTS = {
    "taint": ("Secrets as undefined memory: contexts that memcheck reports", run_taint),
    "disassembly": ("Branches, divisions and helper calls that have a declared reason, of which there are none without",
                    run_disassembly),
    "traces": ("Instructions and addresses over random secrets", run_counts),
}


def print_compilers(quick: bool) -> int:
    """Prints the versions that the taint part uses; the number of the matrix's compilers that are missing."""
    compilers, missing = all_compilers()
    for compiler in compilers:
        print(f"{compiler.name}: {compiler.version}")
    if missing and not quick:
        print(f"skipped, not installed: {', '.join(missing)}")
    return 0 if quick else len(missing)


def run_part(name: str, quick: bool) -> tuple[int, list[str]]:
    """Prints each result as it comes; the number that passed, and the names of those that failed."""
    title, results = PARTS[name]
    passed, failed, start = 0, [], time.monotonic()
    print(f"\n{title}", flush=True)
    for what, seen, complaints in results(quick):
        print(f"{time.monotonic() - start:6.0f} s  {what}: {seen}{', FAILED' if complaints else ''}", flush=True)
        for complaint in complaints:
            print(complaint, file=sys.stderr, flush=True)
        passed += not complaints
        failed += [what] if complaints else []
    return passed, failed


def main() -> int:
    """Runs the parts and prints a summary."""
    options, start = arguments(), time.monotonic()
    if options.install_zig:
        install_zig()
    sources.write_known_answers()
    skipped = print_compilers(options.quick)
    outcomes = [run_part(name, options.quick) for name in PARTS if name in (options.part or PARTS)]
    failed = [name for _, names in outcomes for name in names]
    for name in failed:
        print(f"FAILED: {name}", file=sys.stderr)
    passed = sum(number for number, _ in outcomes)
    print(f"\n{passed} passed, {len(failed)} failed, {skipped} skipped in {time.monotonic() - start:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
