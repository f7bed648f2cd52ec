"""The tables of a paper as printed, whole: paper.toml lists every table, row and column, and this module says which of them have
neither a figure of ours beside them nor a stated reason.

    tables = ["Table 1", ...]        every table of the paper, and every figure whose numbers are printed
    [[table]]
    number = "Table 1"
    place = "table1"                 where the template shows it
    names = 1                        leading columns that name a row
    columns = [...]                  as printed
    rows = [[...], ...]
    ours = { "printed column" = "column of ours" }
    beside = [{ rows = ["name", ...], ours = "row of ours" }]
    without = [{ columns = [...], rows = [...], reason = "..." }]

The program of the paper gives our columns and rows."""
import textwrap
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from bench.document import ABSENT, markdown

EMPTY = ("", ABSENT)
WIDTH = 130


@dataclass(frozen=True)
class Ours:
    """Our figures beside a printed table: further columns, with a tuple of cells for each printed row, and further rows, each
    with names, printed columns and further columns. `converted` are columns whose cells in a printed row are the paper's own
    figures in another unit, and no answer to it."""

    columns: tuple[str, ...] = ()
    cells: tuple[tuple, ...] = ()
    rows: tuple[tuple, ...] = ()
    converted: tuple[str, ...] = ()

    def has(self, cells: tuple) -> bool:
        """Whether one of these cells is a figure of ours."""
        return any(str(cell) not in EMPTY for name, cell in zip(self.columns, cells) if name not in self.converted)


@dataclass(frozen=True)
class Printed:
    """One table as printed."""

    number: str
    place: str
    names: int
    columns: tuple[str, ...]
    rows: tuple[tuple, ...]
    ours: dict[str, str] = field(default_factory=dict)
    beside: tuple[dict, ...] = ()
    without: tuple[dict, ...] = ()
    machine: str = ""
    scheme: str = ""

    def name(self, row: tuple) -> str:
        """The name of a row: the texts of its leading cells."""
        return " ".join(str(cell) for cell in row[:self.names]).strip()

    def cell(self, row: tuple, column: str) -> int | float | str:
        """One printed cell."""
        return row[self.columns.index(column)]

    def row(self, name: str) -> tuple:
        """The row of this name; KeyError if there is none."""
        for row in self.rows:
            if self.name(row) == name:
                return row
        raise KeyError(f"{self.number}: no row {name}")

    def excused(self, kind: str) -> set[str]:
        """Names of the columns or rows that have a stated reason."""
        return {name for entry in self.without for name in entry.get(kind, ())}


def text(value: int | float | str) -> str:
    """A printed figure with commas between thousands; texts are shown as they are."""
    return value if isinstance(value, str) else f"{value:,}"


def read(path: Path) -> tuple[dict, dict[str, Printed]]:
    """A paper.toml: the whole document, and its tables by place; ValueError if a table is not rectangular or not announced."""
    document = tomllib.loads(path.read_text())
    found = {}
    for entry in document["table"]:
        table = Printed(**(entry | {"columns": tuple(entry["columns"]), "rows": tuple(map(tuple, entry["rows"]))}))
        if wrong := [table.name(row) for row in table.rows if len(row) != len(table.columns)]:
            raise ValueError(f"{table.number} does not have {len(table.columns)} cells in {', '.join(wrong)}")
        found[table.place] = table
    if (listed := [table.number for table in found.values()]) != document["tables"]:
        raise ValueError(f"{path.parent.name} announces {document['tables']} and lists {listed}")
    return document, found


def columns_missing(table: Printed, ours: Ours) -> list[str]:
    """Printed columns with neither a figure of ours nor a reason."""
    every = [*table.columns, *ours.columns]
    given = {name for at, name in enumerate(every) if any(str(row[at]) not in EMPTY for row in ours.rows)}
    given |= {name for at, name in enumerate(ours.columns) if name not in ours.converted
              and any(str(cells[at]) not in EMPTY for cells in ours.cells)}
    return [name for name in table.columns[table.names:]
            if not {name, table.ours.get(name)} & given and name not in table.excused("columns")]


def with_ours(table: Printed, ours: Ours) -> set[str]:
    """Names of the printed rows that have a figure of ours in their own line, or a row of ours named as standing beside them."""
    found = {table.name(row) for row, cells in zip(table.rows, ours.cells) if ours.has(cells)}
    known = {table.name(row) for row in ours.rows}
    return found | {name for entry in table.beside if entry["ours"] in known for name in entry["rows"]}


def missing(table: Printed, ours: Ours) -> list[str]:
    """One line for each row and column with neither a figure nor a reason, and for each reason that names nothing printed."""
    every = [table.name(row) for row in table.rows]
    found = [f"column {name}" for name in columns_missing(table, ours)]
    found += [f"row {name}" for name in every if name not in with_ours(table, ours) | table.excused("rows")]
    named = table.excused("rows") | {name for entry in table.beside for name in entry["rows"]}
    found += [f"unknown row {name}" for name in sorted(named - set(every))]
    found += [f"unknown column {name}" for name in sorted((table.excused("columns") | set(table.ours)) - set(table.columns))]
    return [f"{table.number}: {line}" for line in found]


def record(name: str, pairs: Iterable[tuple[Printed, Ours]]) -> dict:
    """The record of a paper in papers.json. A row with a figure and a reason counts with the figures."""
    pairs = list(pairs)
    given = [(len(table.rows), len(with_ours(table, ours) & {table.name(row) for row in table.rows})) for table, ours in pairs]
    lacking = sum(len(missing(table, ours)) for table, ours in pairs)
    rows, figures = sum(rows for rows, _ in given), sum(figures for _, figures in given)
    excused = sum(len(table.excused("rows") - with_ours(table, ours)) for table, ours in pairs)
    return {"case": name, "tables": len(pairs), "rows": rows, "rows_with_ours": figures, "rows_with_reason": excused,
            "missing": lacking}


def reasons(table: Printed) -> str:
    """The reasons below a table; empty if there are none."""
    lines = []
    for entry in table.without:
        named = [f"{kind} {', '.join(entry[kind])}" for kind in ("columns", "rows") if entry.get(kind)]
        lines.append(textwrap.fill(f"- {'; '.join(named)}: {entry['reason']}", WIDTH, subsequent_indent="  ",
                                   break_on_hyphens=False, break_long_words=False))
    return "\n\nWithout a figure of ours:\n\n" + "\n".join(lines) if lines else ""


def shown(table: Printed, ours: Ours) -> str:
    """The table with our columns and rows, and the reasons below it."""
    cells = ours.cells or ((),) * len(table.rows)
    rows = [(*map(text, row), *beside) for row, beside in zip(table.rows, cells, strict=True)]
    return markdown((*table.columns, *ours.columns), [*rows, *ours.rows], table.names) + reasons(table)
