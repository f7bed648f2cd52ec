"""`make test` and `make test-fast`: runs the stages, two at a time, and says what passed, failed and was skipped.

The output of each stage goes to build/logs/<stage>.log; the end of a failing one is printed. Two lanes run side by side,
Rust in one and everything else in the other; what needs both follows."""
import argparse
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

ROOT = Path(__file__).resolve().parents[1]
LOGS = ROOT / os.environ.get("BUILD", "build") / "logs"
TAIL_LINES = 40
PYTHON = "python3"
VENV_PYTHON = ".venv/bin/python"
EXAMPLE = ["-m", "unittest", "discover", "-v", "-s", "examples/breast-cancer", "-p"]
PASSED, FAILED, SKIPPED = "passed", "FAILED", "skipped"


@dataclass(frozen=True)
class Stage:
    """One command. `needs` are programs without which it is skipped; `fast` ones are also in `make test-fast`."""

    name: str
    command: list[str]
    needs: tuple[str, ...] = ()
    fast: bool = False


@dataclass(frozen=True)
class Outcome:
    """How a stage ended; a stage that counts no tests counts as one."""

    name: str
    state: str
    passed: int
    failed: int
    skipped: int
    seconds: float
    note: str


ARM, RISCV = ("arm-none-eabi-gcc", "qemu-system-arm"), ("riscv64-unknown-elf-gcc", "qemu-system-riscv32")

GENERATORS = ("bench.device.test.test_cost", "bench.device.test.test_memory")

PLAIN_LANE = [
    Stage("lint", [PYTHON, ".ci/lint.py"], ("clang-format-14", ".venv/bin/ruff"), fast=True),
    Stage("these programs", [PYTHON, "-m", "unittest", "discover", "-v", "-s", ".ci"], (".venv/bin/ruff",), fast=True),
    Stage("generators", [PYTHON, "-m", "unittest", "-v", *GENERATORS], fast=True),
    Stage("parameters", [PYTHON, "-m", "spec.gen", "checks"], fast=True),
    Stage("generated constants", [PYTHON, "-m", "spec.gen", "generate", "--check"], fast=True),
    Stage("training", [VENV_PYTHON, *EXAMPLE, "test_train.py"], (VENV_PYTHON,), fast=True),
    Stage("model of the contract", [PYTHON, "-m", "unittest", "discover", "-v", "-s", "spec", "-t", "."]),
    Stage("known answers", [PYTHON, "-m", "spec.gen", "vectors", "--check"]),
    Stage("device library", [PYTHON, "device/test/run.py"]),
    Stage("fuzz corpus", [PYTHON, "fuzz/device/run.py"]),
    Stage("constant time", [PYTHON, "device/test/constant_time/run.py", "--quick"], (*ARM, *RISCV, "valgrind")),
    Stage("ports", ["make", "-f", "ports/ports.mk", "test-ports"], (*ARM, *RISCV, "valgrind")),
    Stage("device budgets", [PYTHON, "-m", "bench.device.run"], (*ARM, *RISCV, "valgrind")),
    Stage("cost tables", [PYTHON, "-m", "bench.device.cost", "--check"], (*ARM, *RISCV, "valgrind")),
    Stage("memory surface", [PYTHON, "-m", "bench.device.memory", "--check"], (*ARM, *RISCV, "valgrind")),
    Stage("rtl lint", [VENV_PYTHON, "-m", "rtl.lint"], (VENV_PYTHON,)),
    Stage("rtl smoke", [VENV_PYTHON, "-m", "rtl.dv.run", "--quick"], (VENV_PYTHON, "make")),
    Stage("paper tables", [PYTHON, "bench/paper/seal-embedded/generate.py", "--check"], (*ARM, *RISCV, "valgrind")),
    Stage("TFHE paper tables", [PYTHON, "bench/paper/tfhe-sbc/generate.py", "--check"], (*ARM, *RISCV, "valgrind")),
    Stage("TFHE baselines", [PYTHON, "bench/paper/tfhe-sbc/measure.py", "--check"], ("c++", "valgrind")),
]
RUST_LANE = [
    Stage("rust format", ["cargo", "fmt", "--all", "--check"], fast=True),
    Stage("rust tests", ["cargo", "test", "--workspace", "--locked"], fast=True),
    Stage("rust lint", ["cargo", "clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"], fast=True),
    Stage("rust release", ["cargo", "build", "--release", "--locked", "-p", "isopod-cli"]),
]
# One selection of packages for everything that needs tfhe-rs, so that it is built once. It leaves the program with it behind.
# Clippy as the compiler of our own crates lints what is built only here, warnings being errors; `cargo clippy` would check all
# of tfhe-rs once more.
CLIPPY = ["env", "RUSTC_WORKSPACE_WRAPPER=clippy-driver", "CLIPPY_ARGS=-Dwarnings__CLIPPY_HACKERY__"]
TFHE = [*CLIPPY, "cargo", "test", "--release", "--locked", "-p", "isopod-tfhe", "-p", "isopod-eval",
        "-p", "isopod-workflow", "-p", "isopod-cli", "--features", "isopod-cli/tfhe"]
TOGETHER = [
    Stage("end to end", [PYTHON, *EXAMPLE, "test_demo.py"]),
    Stage("other libraries", [VENV_PYTHON, "-m", "unittest", "discover", "-v", "-s", "interop"], (VENV_PYTHON,)),
    Stage("tfhe-rs", TFHE),
    Stage("alarm example", [PYTHON, "examples/alarm/demo.py"]),
]

# What test programs say about their tests: cargo and our own runners; unittest.
COUNTS = re.compile(r"(\d+) passed[;,] (\d+) failed[;,] (\d+) (?:ignored|skipped)")
UNITTEST_TOTAL = re.compile(r"^Ran (\d+) tests? in ", re.MULTILINE)
UNITTEST_OTHERS = re.compile(r"\b(failures|errors|skipped)=(\d+)")


def counts(log: str, success: bool) -> tuple[int, int, int]:
    """Tests passed, failed and skipped, from the log of a stage; of a failed stage at least one failed."""
    totals = [sum(map(int, column)) for column in zip(*COUNTS.findall(log))] or [0, 0, 0]
    others = {"failures": 0, "errors": 0, "skipped": 0}
    for kind, number in UNITTEST_OTHERS.findall(log):
        others[kind] += int(number)
    ran = sum(map(int, UNITTEST_TOTAL.findall(log)))
    passed = totals[0] + ran - sum(others.values())
    failed, skipped = totals[1] + others["failures"] + others["errors"], totals[2] + others["skipped"]
    if not success:
        return max(passed, 0), max(failed, 1), skipped
    return (passed, 0, skipped) if passed + skipped else (1, 0, 0)


def run(stage: Stage) -> Outcome:
    """Runs one stage into its log."""
    missing = [program for program in stage.needs if shutil.which(program) is None]
    if missing:
        return Outcome(stage.name, SKIPPED, 0, 0, 1, 0.0, f"{', '.join(missing)} not found")
    log, start = LOGS / f"{stage.name.replace(' ', '-')}.log", time.monotonic()
    with log.open("w") as file:
        status = execute(stage.command, file)
    seconds, success = time.monotonic() - start, status == 0
    numbers = counts(log.read_text(errors="replace"), success)
    note = "" if success else f"exit status {status}, {log.relative_to(ROOT)}"
    return Outcome(stage.name, PASSED if success else FAILED, *numbers, seconds, note)


def execute(command: list[str], log: TextIO) -> int:
    """The exit status; 127 if the program cannot be started."""
    try:
        return subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                              check=False).returncode
    except OSError as error:
        print(error, file=log)
        return 127


def line(outcome: Outcome) -> str:
    """One row of the table."""
    numbers = f"{outcome.passed:>6} {outcome.failed:>6} {outcome.skipped:>7}"
    return f"{outcome.name:<22} {outcome.state:<8} {outcome.seconds:>6.0f} s {numbers}  {outcome.note}".rstrip()


class Runner:
    """Collects outcomes from both lanes and reports each as it comes."""

    def __init__(self):
        self.outcomes: list[Outcome] = []
        self.lock = threading.Lock()

    def lane(self, stages: list[Stage]) -> None:
        """One stage after the other."""
        for stage in stages:
            with self.lock:
                print(f"... {stage.name}", flush=True)
            outcome = run(stage)
            with self.lock:
                self.report(outcome)

    def report(self, outcome: Outcome) -> None:
        """A line, and the end of the log if it failed."""
        self.outcomes.append(outcome)
        print(line(outcome), flush=True)
        if outcome.state == FAILED:
            log = (LOGS / f"{outcome.name.replace(' ', '-')}.log").read_text(errors="replace")
            print("\n".join(f"    {text}" for text in log.splitlines()[-TAIL_LINES:]), flush=True)

    def side_by_side(self, lanes: list[list[Stage]]) -> None:
        """All lanes at the same time."""
        threads = [threading.Thread(target=self.lane, args=(lane,)) for lane in lanes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def summary(self, seconds: float) -> str:
        """The table of all stages, and the last line."""
        heading = f"{'stage':<22} {'':<8} {'time':>8} {'passed':>6} {'failed':>6} {'skipped':>7}"
        passed, failed, skipped = (sum(getattr(outcome, name) for outcome in self.outcomes)
                                   for name in ("passed", "failed", "skipped"))
        rows = "\n".join(map(line, self.outcomes))
        return f"\n{heading}\n{rows}\n\n{seconds:.0f} s\n{passed} passed, {failed} failed, {skipped} skipped"


def main() -> int:
    """Exit status 1 if a stage failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fast", action="store_true", help="only the stages that take little time")
    options = parser.parse_args()
    chosen = [[stage for stage in lane if stage.fast or not options.fast] for lane in (PLAIN_LANE, RUST_LANE, TOGETHER)]
    LOGS.mkdir(parents=True, exist_ok=True)
    runner, start = Runner(), time.monotonic()
    runner.side_by_side(chosen[:2])
    runner.lane(chosen[2])
    print(runner.summary(time.monotonic() - start))
    return int(any(outcome.state == FAILED for outcome in runner.outcomes))


if __name__ == "__main__":
    sys.exit(main())
