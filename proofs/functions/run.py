"""`python3 -m proofs.functions.run [--faults] [FILE ...]`: proves the contracts of the device library, by two solvers, and prints
a table. FILE is a path below device/src, and restricts the run to contracts of that file.

Writes how many functions are proved into bench/out/proofs.json, and how many are not; with --faults also how many mistakes break
a contract. A run of some files writes nothing. The exit status is 1 if a contract is proved by neither, a mistake breaks none, or
a function that is not proved is in no line of the table of reasons."""
import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bench.record import OUT, commit, merge
from proofs.functions.bits import wrong
from proofs.functions.contracts import ROOT, SOURCES, Contract, batches, contracts, functions
from proofs.functions.faults import FAULTS, damaged, shown
from proofs.functions.prover import SOLVERS, Attempt, Verdict, VerdictsBySolver, configuration, verdicts
from proofs.functions.reasons import unlisted, unproved


def proved(found: list[Contract], settings: Path) -> dict[Contract, VerdictsBySolver]:
    """The verdicts of each solver on each contract; prints which prove it, and the goals that a solver does not prove."""
    verdicts_on = {}
    for batch in batches(found):
        told = {solver: verdicts(batch, Attempt(solver, settings)) for solver in SOLVERS}
        for one in batch:
            all_goals = verdicts_on[one] = {solver: some[one.function] for solver, some in told.items()}
            by = provers(all_goals)
            print(f"{one.path.relative_to(SOURCES)!s:28} {one.function:32} {' and '.join(by) or 'NOT PROVED'}", flush=True)
            for solver, goal, verdict in open_goals(all_goals):
                print(f"    {solver}: {goal}: {verdict.word} after {verdict.seconds:.1f} s", flush=True)
    return verdicts_on


def provers(told: VerdictsBySolver) -> list[str]:
    """The solvers that prove all goals of a contract."""
    return [solver for solver, some in told.items() if some and all(verdict.holds for verdict in some.values())]


def open_goals(told: VerdictsBySolver) -> Iterator[tuple[str, str, Verdict]]:
    """The goals that a solver does not prove, by solver."""
    for solver, some in told.items():
        yield from ((solver, goal, verdict) for goal, verdict in some.items() if not verdict.holds)


def caught(files: list[str], found: dict[Contract, VerdictsBySolver], settings: Path) -> Counter[str]:
    """How many mistakes in some files, or in all if none is named, break a contract, by how the solver leaves the goal that it
    proves without them; prints each."""
    count: Counter[str] = Counter()
    by_place = {(str(one.path.relative_to(SOURCES)), one.function): one for one in found}
    for fault in FAULTS if not files else [one for one in FAULTS if one.path in files]:
        contract = by_place[fault.path, fault.function]
        with tempfile.TemporaryDirectory() as place:
            how = shown(contract, found[contract], settings, damaged(fault, Path(place)))
        count[how] += 1
        print(f"{how}: {fault.function}: {fault.before!r} becomes {fault.after!r}", flush=True)
    return count


def record(solvers: dict[Contract, int], faults: Counter[str] | None) -> None:
    """Writes the figures of a run of everything."""
    held = [one for one, count in solvers.items() if count == len(SOLVERS)]
    by_one = [one for one, count in solvers.items() if 0 < count < len(SOLVERS)]
    total, left = len(functions()), sum(map(len, unproved().values()))
    records = [{"case": "functions-proved", "value": sum(one.says_more for one in held),
                "by-one-solver": sum(one.says_more for one in by_one)},
               {"case": "contracts-proved", "value": len(held), "by-one-solver": len(by_one), "of": len(solvers)},
               {"case": "unproved", "value": left + sum(count == 0 for count in solvers.values()), "of": total},
               {"case": "unproved-unlisted", "value": len(unlisted())}]
    if faults is not None:
        records.append({"case": "function-faults", "value": faults["given up"] + faults["not proved"],
                        "given-up": faults["given up"], "of": len(FAULTS)})
    method = "WP of Frama-C, each goal by Z3 and by cvc5"
    merge(OUT / "proofs.json", [{**one, "method": method, "commit": commit()} for one in records])
    print("\n".join(f"{one['case']}: {one['value']}" for one in records))


def main() -> int:
    """Runs all, or some files."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--faults", action="store_true", help="make mistakes, too")
    options.add_argument("files", nargs="*", metavar="FILE")
    chosen = options.parse_args()
    settings = configuration(ROOT / "build/proofs-why3.conf")
    found = contracts()
    places = {str(one.path.relative_to(SOURCES)) for one in found}
    if strange := sorted(set(chosen.files) - places):
        raise SystemExit(f"{', '.join(strange)}: no contract there; files with contracts: {', '.join(sorted(places))}")
    lemmas = list(wrong())
    print("\n".join(lemmas) or "lemmas about bits: proved by both solvers", flush=True)
    some = [one for one in found if str(one.path.relative_to(SOURCES)) in chosen.files] if chosen.files else found
    told = proved(some, settings)
    solvers = {one: len(provers(verdicts_on)) for one, verdicts_on in told.items()}
    faults = caught(chosen.files, told, settings) if chosen.faults else None
    missed = sum(count == 0 for count in solvers.values()) + len(lemmas)
    missed += faults["NOT CAUGHT"] if faults else 0
    if not chosen.files:
        missed += len(unlisted())
        record(solvers, faults)
    print(f"{len(some) - missed} passed, {missed} failed, 0 skipped")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
