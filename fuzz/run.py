"""`python3 -m fuzz.run [--hours N] [TARGET ...]`: fuzzes every parser of bytes from outside, all processors at once.

Each target gets an equal share of the time and goes on from the inputs that earlier runs found, in build/fuzz/corpus, which are
reduced to the fewest that reach the same code. Rust runs with checks of overflow, C with AddressSanitizer and
UndefinedBehaviorSanitizer. Prints a table and writes bench/out/fuzz.json; the exit status is 1 if an input breaks a target, whose
file is named then."""
import argparse
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bench.record import OUT, ROOT, commit, merge
from fuzz.device import run as device

FOLDER = ROOT / "build/fuzz"
CALLS_LONGEST = 512  # bytes of a program of calls
RUST_LONGEST = 8192  # bytes of an input: no parser in Rust has a longer field that it does not copy as it is
# Coverage as libFuzzer reads it, by a stable compiler; our crates forbid unsafe code, so that no sanitizer is needed.
RUST_FLAGS = ("--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 "
              "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table "
              "-Cllvm-args=-sanitizer-coverage-trace-compares -Cdebug-assertions -Coverflow-checks -Ccodegen-units=1")
MACHINE = "x86_64-unknown-linux-gnu"
EXECUTED = re.compile(r"^stat::number_of_executed_units: (\d+)", re.MULTILINE)
COVERED = re.compile(r"cov: (\d+) ft: (\d+)")


@dataclass(frozen=True)
class Target:
    """A program of libFuzzer, and the longest input in bytes."""

    name: str
    program: Path
    longest: int

    @property
    def corpus(self) -> Path:
        """The inputs that it begins with."""
        return FOLDER / "corpus" / self.name


@dataclass(frozen=True)
class Outcome:
    """Executions, edges of the program that they reached, inputs that are kept, and whether all went well."""

    target: Target
    executions: int
    edges: int
    inputs: int
    is_sound: bool


def rust_targets() -> list[Target]:
    """Builds the targets in Rust."""
    environment = {**os.environ, "RUSTFLAGS": RUST_FLAGS, "CARGO_TARGET_DIR": str(FOLDER / "target")}
    command = ["cargo", "build", "--release", "--locked", "--target", MACHINE]
    subprocess.run(command, cwd=ROOT / "fuzz", env=environment, check=True)
    built = FOLDER / "target" / MACHINE / "release"
    return [Target(path.stem, built / path.stem, RUST_LONGEST) for path in sorted((ROOT / "fuzz/fuzz_targets").glob("*.rs"))]


def device_targets() -> list[Target]:
    """Builds the reader of results of the device library, and programs of its calls."""
    program = device.build(FOLDER / "device_result", "clang-14", "fuzzer,address,undefined")
    result = Target("device_result", program, device.LONGEST)
    result.corpus.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(device.corpus()):
        (result.corpus / f"kept-{number}").write_bytes(data)
    return [result, Target("device_calls", device.build_calls(FOLDER / "device_calls"), CALLS_LONGEST)]


def fuzzed(target: Target, seconds: int) -> Outcome:
    """Fuzzes for so long, then keeps the fewest inputs."""
    target.corpus.mkdir(parents=True, exist_ok=True)
    common = [str(target.program), f"-max_len={target.longest}"]
    command = [*common, f"-max_total_time={seconds}", "-len_control=0", "-print_final_stats=1",
               f"-artifact_prefix={FOLDER}/{target.name}-", str(target.corpus)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, errors="replace", check=False)
    executions = sum(map(int, EXECUTED.findall(done.stderr)))
    edges = max((int(edges) for edges, _ in COVERED.findall(done.stderr)), default=0)
    is_sound = done.returncode == 0
    if is_sound:
        reduce(target, common)
    else:
        print(f"{target.name}: {done.stderr[-2000:]}", file=sys.stderr)
    return Outcome(target, executions, edges, len(list(target.corpus.iterdir())), is_sound)


def reduce(target: Target, common: list[str]) -> None:
    """Replaces the inputs by the fewest that reach the same code."""
    least = target.corpus.with_suffix(".least")
    shutil.rmtree(least, ignore_errors=True)
    least.mkdir()
    subprocess.run([*common, "-merge=1", str(least), str(target.corpus)], capture_output=True, check=True)
    shutil.rmtree(target.corpus)
    least.rename(target.corpus)
    if target.name == "device_result":
        device.keep([path.read_bytes() for path in target.corpus.iterdir()])


def report(outcomes: list[Outcome]) -> int:
    """Prints the table and writes the records; the exit status."""
    print(f"{'target':<20} {'executions':>12} {'edges':>7} {'inputs':>7}")
    for one in outcomes:
        word = "" if one.is_sound else f"  BROKEN by {FOLDER.relative_to(ROOT)}/{one.target.name}-*"
        print(f"{one.target.name:<20} {one.executions:>12,} {one.edges:>7,} {one.inputs:>7,}{word}")
    total = sum(one.executions for one in outcomes)
    print(f"{total:,} executions in all")
    method = "libFuzzer, edges reached; Rust with checks of overflow, C under AddressSanitizer and UndefinedBehaviorSanitizer"
    records = [{"case": f"fuzz-{one.target.name}", "value": one.executions, "edges": one.edges, "inputs": one.inputs,
                "method": method, "commit": commit()} for one in outcomes]
    whole = {"case": "fuzz-executions", "value": total, "method": method, "commit": commit()}
    merge(OUT / "fuzz.json", [*records, whole])
    return int(not all(one.is_sound for one in outcomes))


def main() -> int:
    """Builds, fuzzes side by side, reports."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hours", type=float, default=1, help="time of the whole run, without the builds")
    parser.add_argument("targets", nargs="*", help="all without names")
    options = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    targets = [*rust_targets(), *device_targets()]
    known = [target.name for target in targets]
    if unknown := set(options.targets) - set(known):
        parser.error(f"no target {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    chosen = [target for target in targets if not options.targets or target.name in options.targets]
    workers = min(os.cpu_count() or 1, len(chosen))
    seconds = max(1, round(options.hours * 3600 * workers / len(chosen)))
    print(f"{len(chosen)} targets, {seconds} seconds each, {workers} at once", flush=True)
    with ThreadPoolExecutor(workers) as pool:
        outcomes = list(pool.map(lambda target: fuzzed(target, seconds), chosen))
    return report(outcomes)


if __name__ == "__main__":
    sys.exit(main())
