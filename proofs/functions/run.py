"""`python3 -m proofs.functions.run [--faults]`: proves the contracts of the device library, by two solvers, and prints a table.

Writes how many functions are proved into bench/out/proofs.json; with --faults also how many mistakes break a contract. The exit
status is 1 if a contract is proved by neither, or a mistake breaks none."""
import shutil
import sys
import tempfile
from pathlib import Path

from bench.record import OUT, commit, merge
from proofs.functions.contracts import ROOT, SOURCES, Contract, by_unit, contracts, functions
from proofs.functions.faults import FAULTS, Fault
from proofs.functions.prover import SOLVERS, configuration, unproved


def is_shown(fault: Fault, found: list[Contract], settings: Path) -> bool:
    """Whether the contract of a function breaks by a mistake, in a copy of the library."""
    contract = next(one for one in found if one.function == fault.function)
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place)
        shutil.copytree(ROOT / "device", copy / "device", ignore=shutil.ignore_patterns("test"))
        path = copy / "device/src" / fault.path
        text = path.read_text()
        if text.count(fault.before) != 1:
            raise SystemExit(f"{fault.path}: {fault.before!r} is not there once")
        path.write_text(text.replace(fault.before, fault.after))
        return fault.function in (unproved(contract.unit, [contract], "z3", settings, copy) or ())


def proved(found: list[Contract], settings: Path) -> dict[Contract, int]:
    """How many solvers prove each contract alone; prints each."""
    count = {}
    for unit, wanted in sorted(by_unit(found).items()):
        failed = {solver: unproved(unit, wanted, solver, settings) for solver in SOLVERS}
        for one in wanted:
            by = [solver for solver, names in failed.items() if names is not None and one.function not in names]
            print(f"{unit.relative_to(SOURCES)!s:28} {one.function:32} {' and '.join(by) or 'NOT PROVED'}", flush=True)
            count[one] = len(by)
    return count


def shown(found: list[Contract], settings: Path) -> int:
    """How many mistakes break a contract; prints each."""
    count = 0
    for fault in FAULTS:
        caught = is_shown(fault, found, settings)
        count += caught
        what = "caught" if caught else "NOT CAUGHT"
        print(f"{what}: {fault.function}: {fault.before!r} becomes {fault.after!r}", flush=True)
    return count


def main() -> int:
    """Runs all."""
    settings = configuration(ROOT / "build/proofs-why3.conf")
    found, total = contracts(), len(functions())
    solvers = proved(found, settings)
    held = [one for one in found if solvers[one] == len(SOLVERS)]
    by_one = sum(0 < count < len(SOLVERS) for count in solvers.values())
    more, missed = sum(one.says_more for one in held), len(found) - len(held) - by_one
    records = [{"case": "functions-proved", "value": more, "by-one-solver": by_one},
               {"case": "functions-free-of-ub", "value": len(held), "of": total}]
    if "--faults" in sys.argv[1:]:
        caught = shown(found, settings)
        missed += len(FAULTS) - caught
        records.append({"case": "function-faults", "value": caught, "of": len(FAULTS)})
    method = "WP of Frama-C, each goal by Z3 and by cvc5"
    merge(OUT / "proofs.json", [{**record, "method": method, "commit": commit()} for record in records])
    print(f"{len(held)} of {total} portable functions have no undefined behaviour by both solvers, {by_one} more by one;\n"
          f"{more} contracts say more\n{len(held) + by_one} passed, {missed} failed, 0 skipped")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
