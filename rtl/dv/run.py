"""`.venv/bin/python -m rtl.dv.run [--quick] [--coverage] [--seed N] [BENCH ...]`: runs the test
benches of rtl/ in Verilator.

Without names all benches run, two at a time, long ones first; --quick runs the smoke set with fewer
repetitions. Prints one line per bench, the log of each failed one, the processor seconds of all,
and last "N passed, N failed, N skipped", in tests. Every bench has a time limit; logs and builds
are in build/rtl/<bench>."""
import argparse
import importlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from rtl.dv.bench import BUILD, DV, ROOT, Bench

LOG_LINES = 60


@dataclass(frozen=True)
class Outcome:
    """Outcome of a bench; a failed build or a hang counts as one failed test."""

    name: str
    passed: int
    failed: int
    said: str
    processor: float  # seconds, of the bench and all that it starts


def benches() -> list[Bench]:
    """Benches of all test files."""
    files = sorted(path for path in DV.glob("*/test_*.py") if "\nBENCHES = " in path.read_text())
    names = [f"rtl.dv.{path.parent.name}.{path.stem}" for path in files]
    return [bench for name in names for bench in importlib.import_module(name).BENCHES]


def simulate(bench: Bench, options: argparse.Namespace) -> int:
    """Builds and runs in this process and its children; the exit status of the runner."""
    if bench.program:
        return subprocess.call([sys.executable, "-m", bench.program], cwd=ROOT)
    from rtl.dv.simulator import build, test
    coverage = options.coverage and bench.quick
    try:
        build(bench, coverage)
    except RuntimeError as error:
        print(f"does not build: {error}\n0 passed, 1 failed, 0 skipped")
        return 1
    passed, failed = test(bench, coverage, options.seed)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return int(failed > 0 or passed == 0)


def command(bench: Bench, options: argparse.Namespace) -> list[str]:
    """The command line of this program for one bench."""
    flags = [flag for flag, wanted in (("--quick", options.quick),
                                       ("--coverage", options.coverage)) if wanted]
    return [sys.executable, "-m", "rtl.dv.run", "--here", "--seed", str(options.seed), *flags,
            bench.name]


def run(bench: Bench, options: argparse.Namespace) -> Outcome:
    """Runs a bench in a process group of its own, which ends at its time limit."""
    started = time.monotonic()
    folder = BUILD / bench.name
    folder.mkdir(parents=True, exist_ok=True)
    environment = os.environ | {"ISOPOD_RTL_QUICK": "1" if options.quick else "0"}
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command(bench, options), cwd=ROOT, stdout=log,
                                   stderr=subprocess.STDOUT,
                                   start_new_session=True, env=environment)
        status, processor = ended(process, bench.seconds)
    lines = (folder / "log").read_text(errors="replace").splitlines()
    passed, failed = counts(lines)
    seconds = time.monotonic() - started
    if status == 0:
        said = f"{passed} tests in {seconds:.0f} s, {processor:.0f} of a processor"
        return Outcome(bench.name, passed, 0, said, processor)
    why = f"{failed} tests failed, seed {options.seed}"
    if seconds >= bench.seconds:
        why = f"stopped after {bench.seconds} s"
    said = "\n".join([why, *lines[-LOG_LINES:]])
    return Outcome(bench.name, passed, max(failed, 1), said, processor)


def ended(process: subprocess.Popen, limit: int) -> tuple[int, float]:
    """Waits for a process, whose group is killed after `limit` seconds; its status, and its
    processor seconds with those of its children."""
    timer = threading.Timer(limit, os.killpg, (process.pid, signal.SIGKILL))
    timer.start()
    _, status, used = os.wait4(process.pid, 0)
    timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, used.ru_utime + used.ru_stime


def counts(lines: list[str]) -> tuple[int, int]:
    """Tests passed and failed, by the last line of a log."""
    words = lines[-1].split() if lines else []
    return (int(words[0]), int(words[2])) if words[1:2] == ["passed,"] else (0, 0)


def report(outcome: Outcome) -> Outcome:
    """Prints one line, and the end of the log after a failure."""
    print(f"{outcome.name}: {'FAILED' if outcome.failed else 'ok'}, {outcome.said}", flush=True)
    return outcome


def chosen(options: argparse.Namespace) -> list[Bench]:
    """The named benches, or all; ValueError for an unknown name."""
    known = benches()
    unknown = set(options.benches) - {bench.name for bench in known}
    if unknown:
        names = ", ".join(bench.name for bench in known)
        raise ValueError(f"no bench {', '.join(sorted(unknown))}; there are {names}")
    if options.benches:
        found = [bench for bench in known if bench.name in options.benches]
    else:
        found = [bench for bench in known if bench.quick or not options.quick]
    return sorted(found, key=lambda bench: (not bench.large, not bench.program))


def arguments() -> argparse.Namespace:
    """Options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benches", nargs="*", metavar="BENCH")
    parser.add_argument("--quick", action="store_true",
                        help="the smoke set, with fewer repetitions")
    parser.add_argument("--coverage", action="store_true",
                        help="also count lines and toggles, in benches of the smoke set, for "
                             "rtl.dv.coverage")
    parser.add_argument("--seed", type=int, default=1, help="of the random tests")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> int:
    """Exit status 1 if a test failed, 2 for an unknown name or a missing tool."""
    options = arguments()
    try:
        selected = chosen(options)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    if options.here:
        return simulate(selected[0], options)
    if shutil.which("make") is None or not (ROOT / ".venv").exists():
        print("no tools in .venv; `./bootstrap.sh` installs them", file=sys.stderr)
        return 2
    with ThreadPoolExecutor(options.jobs) as pool:
        outcomes = list(pool.map(lambda bench: report(run(bench, options)), selected))
    failed = sum(outcome.failed for outcome in outcomes)
    print(f"{sum(outcome.processor for outcome in outcomes):.0f} processor seconds")
    print(f"{sum(outcome.passed for outcome in outcomes)} passed, {failed} failed, 0 skipped")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
