"""`python3 -m proofs.values.run [--accept] [HARNESS ...]`: runs Eva over all harnesses, and prints how many functions each
reaches, in how many it raises no alarm, and what it raises in the others.

A function is free of undefined behaviour if some harness reaches it and none raises an alarm in it. The exit status is 1 if one
of free.toml is not, if a harness does not end, or if a bound that is taken for granted is wrong. --accept writes free.toml and
the record in bench/out/proofs.json; both need a run of all harnesses."""
import argparse
import sys
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench.record import OUT, commit, merge
from proofs.functions.contracts import functions
from proofs.functions.reasons import proved, unproved
from proofs.values import free
from proofs.values.analysis import Outcome, analysed, runs
from proofs.values.instances import wanted
from proofs.values.reduction import wrong

SECONDS = 900
WORKERS = 2
BOUNDED = ("ring/montgomery.h", "isopod_reduce")


def told(run: tuple[Path, str]) -> tuple[str, Outcome]:
    """The outcome of one run; prints a line, and one for each alarm."""
    start = time.monotonic()
    found = analysed(*run, SECONDS)
    name = f"{run[0].stem}:{run[1]}"
    lines = [f"{name:28} {len(found.reached):4} reached, {len(set(found.reached) - set(found.alarms)):4} without alarm, "
             f"{time.monotonic() - start:5.0f} s {found.error}"]
    lines += [f"    {file} {function}: {alarm}" for (file, function), alarms in sorted(found.alarms.items()) for alarm in alarms]
    print("\n".join(lines), flush=True)
    return name, found


def without_alarm(outcomes: list[Outcome]) -> dict[str, list[str]]:
    """Names by file of functions that some run reaches, in all their instances, and in which none raises an alarm."""
    reached = {one for found in outcomes for one, (statements, _) in found.reached.items() if statements > 0}
    instances = defaultdict(set)
    for one, some in (item for found in outcomes for item in found.instances.items()):
        instances[one].update(some)
    reached = {one for one in reached if wanted(*one) <= instances[one]}
    alarmed = {one for found in outcomes for one in found.alarms}
    free_of = defaultdict(list)
    for file, name in sorted(reached - alarmed | {BOUNDED}):
        free_of[file].append(name)
    return dict(free_of)


def record() -> None:
    """Writes how many functions are free of undefined behaviour by either way."""
    total, left = len(functions()), sum(map(len, unproved().values()))
    by_eva = sum(map(len, free.listed().values()))
    merge(OUT / "proofs.json", [{"case": "functions-free-of-ub", "value": total - left, "of": total, "by-eva": by_eva,
                                 "by-contract": proved(), "method": "WP by Z3 and by cvc5, or Eva without alarm",
                                 "commit": commit()}])
    print(f"functions-free-of-ub: {total - left} of {total}")


def main() -> int:
    """Runs all, or some."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--accept", action="store_true", help="write the table and the record")
    options.add_argument("harnesses", nargs="*", metavar="HARNESS")
    chosen = options.parse_args()
    wanted = [run for run in runs() if not chosen.harnesses or run[0].stem in chosen.harnesses]
    with ThreadPoolExecutor(WORKERS) as pool:
        outcomes = dict(pool.map(told, wanted))
    missed = wrong() + [f"{name}: {found.error}" for name, found in outcomes.items() if found.error]
    found = without_alarm(list(outcomes.values()))
    if not chosen.harnesses:
        if chosen.accept and not missed:
            free.write(found)
            record()
        missed += [f"{file}: {name} is not free of alarms any more" for file, names in free.listed().items()
                   for name in names if name not in found.get(file, [])]
    print("\n".join(missed))
    print(f"{sum(map(len, found.values()))} passed, {len(missed)} failed, 0 skipped")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
