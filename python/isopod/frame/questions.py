"""Needs of the questions about a table, of its columns, and how columns share frames."""
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import _isopod
from ..columns import Columns
from ..errors import InputError

# Moments, and whether buckets are needed.
NEEDS = {
    "count": ("none", False), "sum": ("none", False), "mean": ("none", False), "var": ("squares", False),
    "std": ("squares", False), "min": ("none", True), "max": ("none", True), "quantile": ("none", True),
    "describe": ("squares", True), "cov": ("products", False), "corr": ("products", False),
}


@dataclass(frozen=True)
class Batch:
    """Columns that are encrypted together, the bound of their readings, and their values in each row."""

    columns: Columns
    bound_bits: int
    width: int

    def rows_per_frame(self, places: int) -> int:
        """Rows in a frame of so many places."""
        return places // self.width

    def frames(self, rows: int, places: int) -> int:
        """Frames for so many rows."""
        return math.ceil(rows / self.rows_per_frame(places))


def needs(question: str) -> tuple[str, bool]:
    """Moments, and whether there are buckets."""
    if question not in NEEDS:
        raise InputError(f"question: {question}; allowed are {', '.join(NEEDS)}, predict")
    return NEEDS[question]


def batches(table: Any, columns: Columns, places: int) -> list[Batch]:
    """The columns in as few frames as they fit; those with products all together."""
    names, rows = columns.names, len(table)
    most = 1 if columns.moments == "products" else len(names)
    found: list[list[Batch]] = []
    for parts in range(1, most + 1):
        some = [_batch(table, _part(columns, part)) for part in _parts(len(names), parts)]
        if all(one.width <= places for one in some):
            found.append(some)
    if not found:
        raise InputError(_too_many(columns, places))
    return min(found, key=lambda some: sum(one.frames(rows, places) for one in some))


def _parts(count: int, parts: int) -> list[list[int]]:
    return [part.tolist() for part in np.array_split(np.arange(count), parts)]


def bound_bits(readings: Any) -> int:
    """The smallest power of two, and at least one, that no reading exceeds."""
    magnitudes = np.abs(readings)
    largest = float(np.max(magnitudes, where=np.isfinite(magnitudes), initial=1.0))
    return math.ceil(math.log2(largest))


def _batch(table: Any, columns: Columns) -> Batch:
    return Batch(columns, bound_bits(columns.readings(table)[0]), len(_isopod.column_names(columns.fields())))


def _part(columns: Columns, chosen: Sequence[int]) -> Columns:
    def take(values: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(values[at] for at in chosen) if values else ()

    return replace(columns, names=take(columns.names), means=take(columns.means), scales=take(columns.scales),
                   buckets=take(columns.buckets), target=columns.target if columns.target in take(columns.names) else "")


def _too_many(columns: Columns, places: int) -> str:
    def width(count: int) -> int:
        return len(_isopod.column_names(_part(columns, range(count)).fields()))

    fit = next((count for count in range(len(columns.names), 0, -1) if width(count) <= places), 0)
    derived = f"{len(columns.names)} make {width(len(columns.names))} with all that is derived from them" \
        + (f" for {len(columns.categories)} categories" if columns.group else "")
    most = f"at most {fit}, as in table[[...]]" if fit else "fewer categories or buckets"
    return f"columns: {derived}; allowed in a frame of {places} places are {most}"
