"""`make test`, `make test-fast` and `make test-all`: runs the stages side by side, and prints which passed, failed or were
skipped.

The output of each stage goes to build/logs/<stage>.log; the end of a failing one is printed. Two lanes run side by side, Rust
in one and everything else in the other; stages that need both follow, in three lanes. Each stage's processor time,
children included, is printed beside its elapsed time and does not depend on the machine's load: docs/contribute/testing.md
lists it, and BUDGET bounds the sum."""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from progress import Display, Progress, clock, last_times

ROOT = Path(__file__).resolve().parents[1]
LOGS = ROOT / os.environ.get("BUILD", "build") / "logs"
TIMES = LOGS / "seconds.json"
PAGE = ROOT / "docs/contribute/testing.md"
BUDGET = 35  # minutes of processor time of `make test` in a fresh clone
TAIL_LINES = 40
PYTHON = "python3"
VENV_PYTHON = ".venv/bin/python"
EXAMPLE = ["-m", "unittest", "discover", "-v", "-s", "examples/breast-cancer", "-p"]
# The program that the Rust stages build and other stages run.
os.environ["ISOPOD"] = f"{os.environ.get('CARGO_TARGET_DIR', 'target')}/debug/isopod"
PASSED, FAILED, SKIPPED = "passed", "FAILED", "skipped"


@dataclass(frozen=True)
class Stage:
    """One command. `needs` are programs without which it is skipped; `fast` stages are also in `make test-fast`, which runs
    `quick` instead if given, as `make test-all` runs `whole`."""

    name: str
    command: list[str]
    needs: tuple[str, ...] = ()
    fast: bool = False
    quick: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """The outcome of a stage; a stage without tests of its own counts as one test."""

    name: str
    state: str
    passed: int
    failed: int
    skipped: int
    seconds: float
    processor: float
    note: str


EMULATORS = ("arm-none-eabi-gcc", "qemu-system-arm", "riscv64-unknown-elf-gcc", "qemu-system-riscv32", "valgrind")
UNITTEST = ["-m", "unittest", "discover", "-v", "-s"]
SERVER = [*UNITTEST, "crates/server/test"]
GENERATORS = ("bench.counter.test.test_board", "bench.device.test.test_cost", "bench.device.test.test_cores",
              "bench.device.test.test_memory", "bench.air.test.test_equal", "bench.air.test.test_page",
              "bench.air.test.test_program", "bench.packet.test.test_airtime", "bench.paper.test.test_printed",
              "bench.rtl.test.test_system", "bench.rtl.test.test_cells", "device.test.start.cutoffs",
              "docs.site.test_comparison", "docs.site.test_links", "packages.release.test_release",
              "proofs.functions.test.test_functions", "proofs.values.test.test_values")
TRACES = [PYTHON, "device/test/constant_time/run.py"]
MODEL = [PYTHON, *UNITTEST, "spec", "-t", "."]
PACKAGES = [VENV_PYTHON, "-m", "unittest", "-v",
            *(f"packages.test.test_{part}"
              for part in ("manifest", "ecosystems", "arduino", "uno", "starts", "samples", "entropy", "kconfig"))]
PORTS = ["make", "-f", "ports/ports.mk", "test-ports"]

PLAIN_LANE = [
    Stage("lint", [PYTHON, ".ci/lint.py"], ("clang-format-14", ".venv/bin/ruff"), fast=True),
    Stage("these programs", [PYTHON, *UNITTEST, ".ci"], (".venv/bin/ruff",), fast=True),
    Stage("generators", [PYTHON, "-m", "unittest", "-v", *GENERATORS], fast=True),
    Stage("scale", [PYTHON, "-m", "unittest", "-v", "bench.scale.test.test_scale"]),
    Stage("parameters", [PYTHON, "-m", "spec.gen", "checks"], fast=True),
    Stage("generated constants", [PYTHON, "-m", "spec.gen", "generate", "--check"], fast=True),
    Stage("training", [VENV_PYTHON, *EXAMPLE, "test_train.py"], (VENV_PYTHON,), fast=True),
    Stage("model of the contract", MODEL, whole=("env", "ISOPOD_MODEL_DEGREE=8192", *MODEL)),
    Stage("known answers", [PYTHON, "-m", "spec.gen", "vectors", "--check"],
          whole=(PYTHON, "-m", "spec.gen", "vectors", "--check", "--all")),
    Stage("device library", [PYTHON, "device/test/run.py"], whole=(PYTHON, "device/test/run.py", "--all")),
    Stage("fuzz corpus", [PYTHON, "fuzz/device/run.py"]),
    Stage("constant time", [*TRACES, "--quick"], EMULATORS, whole=(*TRACES, "--install-zig")),
    Stage("ports", PORTS, EMULATORS, whole=("env", "ISOPOD_PLAIN_CMAKE=cortex-m4 rv32im aarch64 x86-64", *PORTS)),
    Stage("device budgets", [PYTHON, "-m", "bench.device.run"], EMULATORS),
    Stage("further cores", [PYTHON, "-m", "bench.device.cores", "--quick", "--check"], EMULATORS),
    Stage("cost tables", [PYTHON, "-m", "bench.device.cost", "--check"], EMULATORS),
    Stage("memory surface", [PYTHON, "-m", "bench.device.memory", "--check"], EMULATORS),
    Stage("rtl lint", [VENV_PYTHON, "-m", "rtl.lint"], (VENV_PYTHON,)),
    Stage("rtl smoke", [VENV_PYTHON, "-m", "rtl.dv.run", "--quick"], (VENV_PYTHON, "make"),
          whole=(VENV_PYTHON, "-m", "rtl.dv.run")),
    Stage("papers", [PYTHON, "-m", "bench.paper.run", "--check"], EMULATORS),
    Stage("deep", ["sh", "-c", "go -C deep test ./size && go -C deep test -tags insecure ./..."], ("go",)),
    Stage("values", [PYTHON, "-m", "proofs.values.run", "base", "links", "primitives", "tag"], ("frama-c",)),
    Stage("TFHE baselines", [PYTHON, "-m", "bench.paper.tfhe-sbc.measure", "--check"], ("c++", "valgrind")),
]
# Everything in Rust is compiled once: one profile, one selection of packages, and clippy as the compiler of our own crates, whose
# warnings are errors; `cargo clippy` would check all dependencies once more. The last build leaves the program with tfhe-rs.
CARGO_TEST = ("env", "CARGO_INCREMENTAL=0", "RUSTC_WORKSPACE_WRAPPER=clippy-driver", "CLIPPY_ARGS=-Dwarnings__CLIPPY_HACKERY__",
              "cargo", "test", "--workspace", "--locked", "--features", "isopod-server/acknowledge-early")
SCHEDULES = ("env", "CARGO_INCREMENTAL=0", "cargo", "test", "--locked", "-p", "isopod-store", "--features",
             "isopod-store/schedules", "--test", "schedules")
SCHEDULES_OF_JOBS = "cargo test --locked -p isopod-server --features isopod-server/schedules --lib hears_of"
RUST_LANE = [
    Stage("rust format", ["cargo", "fmt", "--all", "--check"], fast=True),
    Stage("rust without tfhe-rs", [*CARGO_TEST, "--test", "bits"], quick=CARGO_TEST),
    Stage("rust tests", [*CARGO_TEST, "--features", "isopod-cli/tfhe,isopod-bench-eval/tfhe"],
          whole=("env", "ISOPOD_HISTORIES=10000", "ISOPOD_DISK_HISTORIES=100000", *CARGO_TEST, "--features",
                 "isopod-cli/tfhe,isopod-bench-eval/tfhe", "--", "--include-ignored")),
    Stage("thread schedules", [*SCHEDULES], whole=("sh", "-c", f"{' '.join(SCHEDULES)} && {SCHEDULES_OF_JOBS}")),
]
# Stages that need the program of the Rust lane. Those in the first list load the Python package, or compile.
PYTHON_LANE = [
    Stage("packages", PACKAGES, (VENV_PYTHON,), whole=("env", "ISOPOD_CONAN=1", *PACKAGES)),
    Stage("python package", [VENV_PYTHON, "-W", "ignore", *UNITTEST, "crates/python/test"], (VENV_PYTHON,)),
    Stage("federated example", [VENV_PYTHON, *UNITTEST, "examples/federated", "-p", "test_demo.py"], (VENV_PYTHON,)),
    Stage("other libraries", [VENV_PYTHON, *UNITTEST, "interop"], (VENV_PYTHON,)),
    Stage("rust firmware", [PYTHON, *UNITTEST, "examples/rust-firmware", "-p", "test_demo.py"],
          ("arm-none-eabi-gcc", "qemu-system-arm", "cargo")),
]
PROGRAM_LANE = [
    Stage("end to end", [PYTHON, *EXAMPLE, "test_demo.py"]),
    Stage("documents", [PYTHON, "-m", "unittest", "-v", "docs.test_snippets"]),
    Stage("earlier versions", [PYTHON, *UNITTEST, "spec/compatibility"]),
    Stage("cost of computation", [VENV_PYTHON, *UNITTEST, "bench/cost/test"], (VENV_PYTHON, "chromium")),
    Stage("time series example", [PYTHON, *UNITTEST, "examples/time-series", "-p", "test_demo.py"]),
    Stage("page and package", [PYTHON, "web/test/run.py"], ("clang-14", "node", "chromium", "firefox-esr")),
    Stage("wearable example", [VENV_PYTHON, *UNITTEST, "examples/wearable", "-p", "test_demo.py"],
          (VENV_PYTHON, "arm-none-eabi-gcc", "qemu-system-arm", "go")),
    Stage("several owners example", ["node", "examples/three-browsers-and-a-board/demo.mjs"],
          ("node", "chromium", "arm-none-eabi-gcc", "qemu-system-arm")),
    Stage("Kubernetes example", [VENV_PYTHON, *UNITTEST, "examples/kubernetes"], (VENV_PYTHON,)),
    Stage("fleet example", [PYTHON, "examples/fleet/demo.py", "--program", os.environ["ISOPOD"], "--meters", "40"],
          ("mosquitto_pub",)),
    Stage("LoRaWAN example", [PYTHON, "examples/lorawan/demo.py", "--program", os.environ["ISOPOD"], "--meters", "12", "--days",
                              "5"]),
    Stage("holder on a board", [PYTHON, "-m", "unittest", "-v", "ports.test.test_holder"], EMULATORS),
    Stage("alarm example", [PYTHON, "examples/alarm/demo.py", "--program", os.environ["ISOPOD"]]),
]
# It mostly waits: for time limits, restarts and slow clients.
SERVER_LANE = [
    Stage("server", [VENV_PYTHON, *SERVER], (VENV_PYTHON, "mosquitto_pub"),
          whole=("env", "ISOPOD_KILL_ROUNDS=100", "ISOPOD_SERVER_HISTORIES=200", VENV_PYTHON, *SERVER)),
]
PHASES = [[PLAIN_LANE, RUST_LANE], [PYTHON_LANE, PROGRAM_LANE, SERVER_LANE]]

# Summary lines of test programs: cargo and our own runners; unittest.
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


def log_of(name: str) -> Path:
    """The log file of a stage."""
    return LOGS / f"{name.replace(' ', '-')}.log"


def run(stage: Stage) -> Outcome:
    """Runs one stage into its log."""
    missing = [program for program in stage.needs if shutil.which(program) is None]
    if missing:
        return Outcome(stage.name, SKIPPED, 0, 0, 1, 0.0, 0.0, f"{', '.join(missing)} not found; ./bootstrap.sh installs it")
    log, start = log_of(stage.name), time.monotonic()
    with log.open("w") as file:
        status, processor = execute(stage.command, file)
    seconds, success = time.monotonic() - start, status == 0
    numbers = counts(log.read_text(errors="replace"), success)
    note = "" if success else f"exit status {status}, {os.path.relpath(log, ROOT)}"
    return Outcome(stage.name, PASSED if success else FAILED, *numbers, seconds, processor, note)


def execute(command: list[str], log: TextIO) -> tuple[int, float]:
    """The exit status, 127 if the program cannot be started, and the processor time of it and its children."""
    try:
        process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
    except OSError as error:
        print(error, file=log)
        return 127, 0.0
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_utime + usage.ru_stime


def line(outcome: Outcome) -> str:
    """One row of the table."""
    numbers = f"{outcome.passed:>6} {outcome.failed:>6} {outcome.skipped:>7}"
    return (f"{outcome.name:<22} {outcome.state:<8} {clock(outcome.seconds):>6} {outcome.processor:>6.0f} s {numbers}  "
            f"{outcome.note}").rstrip()


def said(outcome: Outcome) -> str:
    """A line, and the end of the log if it failed."""
    if outcome.state != FAILED:
        return line(outcome)
    end = log_of(outcome.name).read_text(errors="replace").splitlines()[-TAIL_LINES:]
    return "\n".join([line(outcome), *(f"    {text}" for text in end)])


class Runner:
    """Collects outcomes from all lanes and reports each as it comes."""

    def __init__(self, display: Display):
        self.outcomes: list[Outcome] = []
        self.display = display

    def lane(self, stages: list[Stage]) -> None:
        """Runs the stages of one lane in order."""
        for stage in stages:
            self.display.begin(stage.name)
            outcome = run(stage)
            self.outcomes.append(outcome)
            self.display.end(stage.name, said(outcome))

    def side_by_side(self, lanes: list[list[Stage]]) -> None:
        """Runs all lanes at the same time."""
        threads = [threading.Thread(target=self.lane, args=(lane,)) for lane in lanes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def summary(self, seconds: float) -> str:
        """The table of all stages, their total times, and the last line."""
        heading = f"{'stage':<22} {'':<8} {'time':>6} {'processor':>8} {'passed':>5} {'failed':>6} {'skipped':>7}"
        passed, failed, skipped = (sum(getattr(outcome, name) for outcome in self.outcomes)
                                   for name in ("passed", "failed", "skipped"))
        rows = "\n".join(map(line, self.outcomes))
        minutes = sum(outcome.processor for outcome in self.outcomes) / 60
        return (f"\n{heading}\n{rows}\n\n{clock(seconds)} in all, {minutes:.1f} minutes of processor time, of {BUDGET} for "
                f"`make test` in a fresh clone\n"
                f"{passed} passed, {failed} failed, {skipped} skipped")


def every_stage() -> list[Stage]:
    """All stages in their order."""
    return [stage for lanes in PHASES for lane in lanes for stage in lane]


def chosen(options: argparse.Namespace) -> list[list[list[Stage]]]:
    """The chosen stages of each lane of each phase."""
    names = [stage.name for stage in every_stage()]
    if unknown := set(options.stages) - set(names):
        sys.exit(f"no stage {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    return [[[form(stage, options) for stage in lane if is_chosen(stage, options)] for lane in lanes] for lanes in PHASES]


def is_chosen(stage: Stage, options: argparse.Namespace) -> bool:
    """True for a stage that the options name, or select by its length."""
    return (not options.stages or stage.name in options.stages) and (not options.fast or stage.fast or bool(stage.quick))


def form(stage: Stage, options: argparse.Namespace) -> Stage:
    """The stage with the command that the options select."""
    instead = stage.quick if options.fast else stage.whole if options.all else ()
    return replace(stage, command=list(instead or stage.command))


ROW = re.compile(r"^(\| ([\w -]+) \| )(\d+)(?= \|)", re.MULTILINE)


def documented() -> dict[str, int]:
    """Seconds of processor time by stage, from the table of docs/contribute/testing.md."""
    return {name: int(seconds) for _, name, seconds in ROW.findall(PAGE.read_text())}


def document(outcomes: list[Outcome]) -> None:
    """Writes the processor times of this run into docs/contribute/testing.md."""
    took = {outcome.name: round(outcome.processor) for outcome in outcomes if outcome.state == PASSED}
    PAGE.write_text(ROW.sub(lambda row: f"{row[1]}{took.get(row[2], row[3])}", PAGE.read_text()))


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stages", nargs="*", metavar="STAGE", help="only these, by name")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--fast", action="store_true", help="only the stages that take little time")
    kind.add_argument("--all", action="store_true", help="the slow forms of the stages that have one")
    kind.add_argument("--document", action="store_true", help=f"also write the processor times of this run into {PAGE.name}")
    return parser.parse_args()


def main() -> int:
    """Runs the chosen stages; exit status 1 if one failed."""
    options = arguments()
    phases = chosen(options)
    LOGS.mkdir(parents=True, exist_ok=True)
    known, start = last_times(TIMES), time.monotonic()
    expected = documented() | known
    times = [[{stage.name: expected.get(stage.name, 1) for stage in lane} for lane in lanes] for lanes in phases]
    with Display(Progress(times, start), sys.stdout) as display:
        runner = Runner(display)
        for lanes in phases:
            runner.side_by_side(lanes)
    print(runner.summary(time.monotonic() - start))
    took = {outcome.name: round(outcome.seconds, 1) for outcome in runner.outcomes if outcome.state == PASSED}
    TIMES.write_text(json.dumps(known | took, indent=1) + "\n")
    if options.document:
        document(runner.outcomes)
    ended = [outcome.state for outcome in runner.outcomes]
    return int(FAILED in ended or len(ended) != sum(len(lane) for lanes in phases for lane in lanes))


if __name__ == "__main__":
    sys.exit(main())
