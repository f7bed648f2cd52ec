"""Reads the figures of the report, of this machine and of the modelled board."""
import csv
import tomllib
from pathlib import Path

from bench.record import OUT, ROOT, read

HERE = Path(__file__).resolve().parent
FOUR = ("add", "multiply", "multiply-plain", "square")
# The report's operations in the names of boards.py.
COUNTED = {"batch": "encode", "unbatch": "decode", "rotate-one": "rotate", "rotate-columns": "columns"}


class Figures:
    """All figures that were read."""

    def __init__(self):
        self.paper = tomllib.loads((HERE / "paper.toml").read_text())
        self.bench, self.cost = read(OUT / "bench.json"), read(OUT / "cost.json")
        tables = ROOT / "crates/cost/tables"
        self.boards = {row["name"]: row for row in rows(tables / "boards.csv")}
        self.counts = {(row["board"], row["side"], row["scheme"], int(row["degree"]), row["operation"]):
                       float(row["instructions"]) for row in rows(tables / "instructions.csv")}

    def here(self, side: str, scheme: str, degree: int, operation: str, field: str = "ms") -> float | None:
        """A figure of this machine."""
        for record in self.bench["records"]:
            if (record["side"], record["scheme"], record["degree"], record["operation"]) == (side, scheme, degree, operation):
                return record["ms"]["median"] if field == "ms" else record[field]
        return None

    def modelled(self, board: str, scheme: str, degree: int, operation: str) -> float | None:
        """Milliseconds of SEAL on a board."""
        facts = self.boards[board]
        count = self.counts.get((facts["counted_as"], "seal", scheme, degree, COUNTED.get(operation, operation)))
        return count and count * float(facts["cycles_per_instruction"]) / float(facts["megahertz"]) / 1000

    def row(self, case: str, degree: int, operation: str, field: str = "ms") -> float | None:
        """One figure of the experiment."""
        for row in self.cost:
            if (row["case"], row["degree"], row["operation"]) == (case, degree, operation):
                return row[field]
        return None


def rows(path: Path) -> list[dict]:
    """The rows of a table."""
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def tables_of(figures: Figures, numbers: tuple[int, ...]) -> list[dict]:
    """Tables by their numbers."""
    return [table for table in figures.paper["table"] if table["number"] in numbers]
