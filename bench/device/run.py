"""`python3 -m bench.device.run`, from the root of the repository: measures the device library and judges the budgets.

Writes bench/out/device.json after a complete run; with --case or --target it writes only if --out names a file. Exit status: 0
within budget; 1 over budget, more than 1 % worse than accepted, or if outputs differ; 2 if it cannot measure. With --accept
the measurements become the budget in ports/*/budget.toml."""
import argparse
import sys
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path

from bench.device import (
    budget,
    calls,
    checks,
    contribute,
    decryption,
    key_open,
    key_pair,
    measure,
    modules,
    moments,
    packet,
    pad,
    tables,
    tfhe,
)
from bench.device.budget import Budget
from bench.device.cases import TARGETS, Case, all_cases
from bench.device.tfhe_cases import TfheCase
from bench.record import OUT as FOLDER
from bench.record import ROOT, write

OUT = FOLDER / "device.json"
COLUMNS = ("instructions", "instructions_framed", "est_cycles", "ram_bytes", "stack_bytes", "flash_table_bytes",
           "flash_key_bytes", "text_bytes", "wire_bytes")


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python3 -m bench.device.run", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", default="*", help="only cases that match this pattern")
    parser.add_argument("--target", choices=TARGETS, help="only this target")
    parser.add_argument("--accept", action="store_true", help="write the budgets that the ports keep from now on")
    parser.add_argument("--out", type=Path, help="where the records go instead of bench/out/device.json")
    return parser.parse_args()


def select(options: argparse.Namespace) -> list[tuple[str, Case | TfheCase]]:
    """The chosen measurements; the command ends if there are none."""
    targets = [options.target] if options.target else TARGETS
    chosen = [(target, case) for target in targets for case in all_cases()
              if target in case.targets and fnmatch(case.name, options.case)]
    if not chosen:
        names = "\n  ".join(case.name for case in all_cases())
        sys.exit(f"no case matches {options.case!r}; the cases are\n  {names}")
    return chosen


def measure_all(chosen: list[tuple[str, Case | TfheCase]]) -> list[dict]:
    """The records in order, with a line of progress for each. Cases that differ by name alone are measured once."""
    measure.prepare()
    records, known = [], {}
    for number, (target, case) in enumerate(chosen, 1):
        print(f"[{number}/{len(chosen)}] {target} {case.name} ... ", end="", file=sys.stderr, flush=True)
        unnamed = target, replace(case, name="", targets=())
        if unnamed not in known:
            known[unnamed] = records_of(case, target)
            records += known[unnamed]
        else:
            records += [record | {"case": case.name} for record in known[unnamed]]
        print(f"{records[-1]['instructions']:,} instructions", file=sys.stderr)
    return records


def records_of(case: Case | TfheCase, target: str) -> list[dict]:
    """The records of one case on one target."""
    if isinstance(case, TfheCase):
        return [tfhe.record(case, target)]
    if case.kind == "modules":
        return modules.records(case, target)
    special = {"decrypt": decryption.record, "contribute": contribute.record, "keygen": key_pair.record, "open": key_open.record,
               "moments": moments.record, "packet": packet.record, "pad": pad.record, "calls": calls.record,
               "tables": tables.record}
    record = special.get(case.kind, measure.measure)
    return [record(case, target)]


def table(records: list[dict]) -> str:
    """A table of the records."""
    rows = [("target", "case", *(column.replace("_", " ") for column in COLUMNS))]
    rows += [(record["target"], record["case"], *(cell(record, column) for column in COLUMNS)) for record in records]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) if i < 2 else cell.rjust(width)
                               for i, (cell, width) in enumerate(zip(row, widths))) for row in rows)


def cell(record: dict, column: str) -> str:
    """One cell; empty if the record lacks the field."""
    return f"{record[column]:,}" if column in record else ""


def public(records: list[dict]) -> list[dict]:
    """The records without private fields."""
    return [{name: value for name, value in record.items() if name not in measure.PRIVATE} for record in records]


def budgets() -> list[Budget]:
    """The budget of every port."""
    return [budget.load(ROOT / "ports" / measure.PORT_OF[target] / "budget.toml", target) for target in TARGETS]


def report(title: str, lines: list[str]) -> None:
    """Prints notes that are no complaints."""
    if lines:
        print("\n  ".join([f"\n{title}:", *lines]))


def judge(records: list[dict], complete: bool) -> list[str]:
    """Complaints about the records; prints improvements."""
    complaints = checks.differences(records)
    for port in budgets():
        complaints += budget.exceeded(port, port.limits, records) + budget.changes(port, records, 1)
        complaints += budget.gaps(port, records) if complete else []
        report("goals not reached yet", budget.exceeded(port, port.goals, records))
        report(f"better than accepted; `{budget.ACCEPT}` lowers the budget", budget.changes(port, records, -1))
    return complaints


def main() -> int:
    """Measures, writes and prints the records, and checks them against the budgets."""
    options = arguments()
    chosen = select(options)
    complete = options.case == "*" and options.target is None
    ports = budgets()
    try:
        records = measure_all(chosen)
    except (RuntimeError, ValueError, OSError) as error:
        print(f"\ncannot measure: {error}", file=sys.stderr)
        return 2
    out = options.out or (OUT if complete else None)
    if out:
        write(out, public(records))
    print(table(records))
    if options.accept:
        for port in ports:
            budget.accept(port, records, complete)
    complaints = judge(records, complete)
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
