"""Limits on the records: budget.toml, and what exceeds them."""
import tomllib
from fnmatch import fnmatch
from pathlib import Path


def load(path: Path) -> list[dict]:
    """The limits; ValueError names one that lacks a field or has one too many."""
    limits = tomllib.loads(path.read_text())["limit"]
    for limit in limits:
        if set(limit) != {"field", "targets", "cases", "maximum"}:
            raise ValueError(f"{path}: a limit needs field, targets, cases and maximum, found {sorted(limit)}")
    return limits


def applies(limit: dict, record: dict) -> bool:
    """Whether the limit is about this record."""
    return record["target"] in limit["targets"] and any(fnmatch(record["case"], glob) for glob in limit["cases"])


def exceeded(limits: list[dict], records: list[dict]) -> list[str]:
    """One line per record above a limit, naming case, field, value and limit."""
    return [f"{record['target']} {record['case']}: {limit['field']} = {record[limit['field']]:,}, "
            f"the limit is {limit['maximum']:,}"
            for limit in limits for record in records
            if applies(limit, record) and record[limit["field"]] > limit["maximum"]]


def unused(limits: list[dict], records: list[dict]) -> list[str]:
    """Limits that no record falls under, which therefore watch nothing."""
    return [f"budget.toml: no record for {limit['field']} of {limit['cases']} on {limit['targets']}"
            for limit in limits if not any(applies(limit, record) for record in records)]
