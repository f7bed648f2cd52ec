"""The tables of docs/measurements/tables/beside.md, from the rows that bench/air/beside.py measures, and their limits."""
from dataclasses import dataclass

from bench.document import markdown, with_table
from bench.freshness import stale
from bench.record import ROOT

DOCUMENT = ROOT / "docs/measurements/tables/beside.md"
# Bytes of TenSEAL's reading as a multiple of ours, at least.
LEAD = 2


@dataclass(frozen=True)
class Row:
    """A line of one of the tables."""

    table: str
    name: str
    parameters: str
    size: float
    error: float
    answers: int = 0
    seconds: float = 0.0


def tables(rows: list[Row]) -> str:
    """Both tables and what follows from the first."""
    cells = [(row.name, row.parameters, f"{row.size:.2f}", f"{row.error:.1e}") for row in rows if row.table == "readings"]
    large = [(row.name, row.parameters, f"{row.size / 1e6:.2f}", f"{row.answers / 1e6:.3f}", f"{row.seconds:.2f}",
              f"{row.error:.1e}") for row in rows if row.table == "scores"]
    return "\n\n".join([
        markdown(("a reading", "parameters", "bytes", "largest error"), cells, 2),
        f"By public key, TenSEAL takes {lead(rows):.1f} times the bytes of Isopod at the same error.",
        markdown(("10,000 rows of 30", "parameters", "MB sent", "MB of answers", "seconds", "largest error"), large, 2),
    ])


def lead(rows: list[Row]) -> float:
    """Bytes of TenSEAL's reading by public key in those of ours."""
    by_name = {row.name: row.size for row in rows if row.table == "readings"}
    return by_name["TenSEAL, public key"] / by_name["Isopod, public key"]


def complaints(rows: list[Row]) -> list[str]:
    """A line for each limit that is missed."""
    error = {row.name: row.error for row in rows if row.table == "readings"}
    missed = [f"{name}: error {error[f'Isopod, {name}']:.2g}, beyond that of TenSEAL, {error[f'TenSEAL, {name}']:.2g}"
              for name in ("public key", "secret key") if error[f"Isopod, {name}"] > error[f"TenSEAL, {name}"]]
    return [*missed, *([] if lead(rows) >= LEAD else [f"lead {lead(rows):.2f}, at least {LEAD}"])]


def update(rows: list[Row]) -> None:
    """Writes the page if its figures are stale by the rule of bench/freshness.py."""
    committed = DOCUMENT.read_text()
    fresh = with_table(committed, tables(rows))
    if stale(committed, fresh):
        DOCUMENT.write_text(fresh)
