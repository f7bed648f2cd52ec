"""Budgets of the ports in ports/*/budget.toml: promised limits, goals, and accepted measurements."""
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

FIELDS = ("instructions", "ram_bytes", "stack_bytes", "flash_table_bytes", "text_bytes")
MODELLED = ("cortex-m4",)  # targets whose model of cycles is calibrated (bench/counter)
TOLERANCE = 0.01
ACCEPT = "--accept"
HEADING = f"# Accepted measurements, written by `{ACCEPT}`; more than 1 % above them fails.\n[accepted]\n"


@dataclass(frozen=True)
class Budget:
    """The budget of one port. Limits and goals select cases by name or pattern (fnmatch). A missed goal does not fail."""

    path: Path
    target: str
    limits: list[dict]
    goals: list[dict]
    accepted: dict[str, dict[str, int]]


def load(path: Path, target: str) -> Budget:
    """Reads a budget; ValueError names an entry with a missing or unknown field."""
    content = tomllib.loads(path.read_text())
    for limit in content["limit"] + content.get("goal", []):
        if set(limit) != {"field", "cases", "maximum"}:
            raise ValueError(f"{path}: a limit or goal needs field, cases and maximum, found {sorted(limit)}")
    for case, values in content.get("accepted", {}).items():
        if set(values) != set(fields(case, target)):
            raise ValueError(f"{path}: {case} needs {', '.join(fields(case, target))}, found {sorted(values)}")
    return Budget(path, target, content["limit"], content.get("goal", []), content.get("accepted", {}))


def fields(case: str, target: str) -> tuple[str, ...]:
    """The accepted fields of a case. A module has no sizes, because nobody ships its program."""
    return (FIELDS[:1] if "-module-" in case else FIELDS) + ("est_cycles",) * (target in MODELLED)


def own(budget: Budget, records: list[dict]) -> list[dict]:
    """The records of the budget's target."""
    return [record for record in records if record["target"] == budget.target]


def watched(record: dict) -> bool:
    """False for cases of the memory surface, which run the same code as other cases with another number of chunks."""
    return "-surface-" not in record["case"]


def applies(limit: dict, record: dict) -> bool:
    """True if the limit applies to this record."""
    return any(fnmatch(record["case"], glob) for glob in limit["cases"])


def exceeded(budget: Budget, bounds: list[dict], records: list[dict]) -> list[str]:
    """One line per record above one of the budget's limits or goals, naming case, field, value and bound."""
    return [f"{budget.target} {record['case']}: {bound['field']} = {record[bound['field']]:,}, "
            f"at most {bound['maximum']:,}"
            for bound in bounds for record in own(budget, records)
            if applies(bound, record) and record[bound["field"]] > bound["maximum"]]


def changes(budget: Budget, records: list[dict], sign: int) -> list[str]:
    """One line per value that is more than the tolerance above (sign 1) or below (sign -1) the accepted one."""
    return [f"{budget.target} {record['case']}: {field} = {record[field]:,}, accepted is {before:,} "
            f"({(record[field] - before) / before:+.1%})"
            for record in own(budget, records) if record["case"] in budget.accepted
            for field, before in budget.accepted[record["case"]].items()
            if sign * (record[field] - before) > TOLERANCE * before]


def gaps(budget: Budget, records: list[dict]) -> list[str]:
    """The gaps that a complete run shows: limits, goals and accepted values without a record, and records without accepted
    values."""
    mine = own(budget, records)
    names = {record["case"] for record in mine if watched(record)}
    idle = [f"{budget.path}: no case for {limit['field']} of {limit['cases']}"
            for limit in budget.limits + budget.goals if not any(applies(limit, record) for record in mine)]
    idle += [f"{budget.path}: {case} is measured no more; {ACCEPT}" for case in budget.accepted if case not in names]
    return idle + [f"{budget.path}: {case} has no budget; {ACCEPT}" for case in sorted(names - budget.accepted.keys())]


def accept(budget: Budget, records: Iterable[dict], complete: bool) -> None:
    """Rewrites the file below its heading; a partial run keeps the other cases."""
    fresh = {record["case"]: {field: record[field] for field in fields(record["case"], budget.target)}
             for record in own(budget, list(records)) if watched(record)}
    values = fresh if complete else budget.accepted | fresh
    limits = budget.path.read_text().split(HEADING)[0]
    budget.path.write_text(limits + HEADING + "".join(line(case, values[case]) for case in values))


def line(case: str, values: dict[str, int]) -> str:
    """The line of one case in TOML."""
    return f"{case} = {{ {', '.join(f'{field} = {value}' for field, value in values.items())} }}\n"
