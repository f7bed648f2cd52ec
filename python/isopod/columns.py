"""Columns of a table, and those that a device derives from them before it encrypts."""
from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from . import _isopod
from .errors import InputError
from .missing import refuse_masked
from .options import DERIVED, DerivedOptions, filled

MOMENTS = ("none", "squares", "products")
_BEYOND = 1e-6  # share of a bucket by which the last edge lies beyond the largest reading


@dataclass(frozen=True)
class Columns:
    """Columns of a table, and those that a device derives from them; what the owner needs to read sums of columns.

    ``names`` are the columns; ``means`` and ``scales`` standardise them, ``(x - mean) / scale``, or are empty. ``moments`` adds
    the squares of the columns (``"squares"``, for spread) or the products of every two besides (``"products"``, for correlation
    and least squares). With ``missing`` readings may be NaN: an indicator beside each column counts those that are there.
    ``target`` is the column that the others are to explain. ``group`` names a column of categories and ``categories`` lists
    them, which is public; each row fills the block of its category, and nobody sees which one. ``buckets`` are ascending edges
    for each column, in its standardised unit: counts for quantiles and histograms.

    All devices of a fleet take the same columns: :meth:`save` and :meth:`load` are files of the command line's
    ``--write-packing`` and ``--like``. The server learns nothing of them but a digest."""

    names: tuple[str, ...]
    means: tuple[float, ...] = ()
    scales: tuple[float, ...] = ()
    moments: str = "none"
    missing: bool = False
    target: str = ""
    group: str = ""
    categories: tuple[str, ...] = ()
    buckets: tuple[tuple[float, ...], ...] = ()

    def __post_init__(self) -> None:
        if self.moments not in MOMENTS:
            raise InputError(f"moments: {self.moments}; allowed are {', '.join(MOMENTS)}")
        _isopod.description_file(self.fields())  # refuses what contradicts itself

    @classmethod
    def of(cls, table: Any, **options: Unpack[DerivedOptions]) -> Columns:
        """Columns of a table of pandas or a mapping of arrays. Options are those of :class:`isopod.options.DerivedOptions`.

        Means and deviations for the standardisation are the table's, categories those in its column ``group_by``, sorted, and
        ``quantiles`` makes so many buckets for each column between its smallest and its largest reading."""
        chosen = filled(DERIVED, options)
        group = chosen["group_by"]
        names = numeric(table, group) if chosen["names"] is None else list(chosen["names"])
        if not names:
            raise InputError("columns: none holds numbers; allowed is at least one column of numbers")
        readings = _stacked(table, names)
        means, scales = _spread(readings)
        return cls(
            names=tuple(map(str, names)), means=means, scales=scales, moments=chosen["moments"], missing=chosen["missing"],
            target=chosen["target"], group=group, categories=_categories(table, group),
            buckets=_buckets(_standard(readings, means, scales), chosen["quantiles"]),
        )

    def fields(self) -> str:
        """JSON of the description."""
        derived = {
            "group": self.group, "categories": self.categories, "missing": self.missing, "moments": self.moments,
            "target": self.target, "buckets": self.buckets,
        }
        return json.dumps({"names": self.names, "means": self.means, "scales": self.scales, "edges": [], "derived": derived})

    def derived(self) -> str:
        """JSON of what is derived."""
        return json.dumps(json.loads(self.fields())["derived"])

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the file that ``isopod describe --packing`` and ``isopod encrypt --like`` read."""
        Path(path).write_text(_isopod.description_file(self.fields()))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Columns:
        """Reads a file of :meth:`save` or of ``isopod encrypt --write-packing``."""
        fields = json.loads(_isopod.description_fields(Path(path).read_text()))
        derived = fields.get("derived", {})
        return cls(
            names=tuple(fields["names"]), means=tuple(fields["means"]), scales=tuple(fields["scales"]),
            moments=derived.get("moments", "none"), missing=derived.get("missing", False), target=derived.get("target", ""),
            group=derived.get("group", ""), categories=tuple(derived.get("categories", ())),
            buckets=tuple(map(tuple, derived.get("buckets", ()))),
        )

    def readings(self, table: Any) -> tuple[NDArray[np.float64], list[int]]:
        """The standardised readings of a table, of shape (rows, columns), and the number of each row's category."""
        readings = np.ascontiguousarray(_standard(_stacked(table, self.names), self.means, self.scales))
        if not self.group:
            return readings, []
        numbers = {category: number for number, category in enumerate(self.categories)}
        cells = [str(cell) for cell in _column(table, self.group)]
        if other := [cell for cell in cells if cell not in numbers]:
            raise InputError(f"{self.group}: {other[0]}; allowed is one of the categories {', '.join(self.categories)}")
        return readings, [numbers[cell] for cell in cells]


def numeric(table: Any, group: str = "") -> list[str]:
    """Names of the columns that hold numbers."""
    columns = [name for name in table if name != group]
    return [name for name in columns if getattr(getattr(table[name], "dtype", None), "kind", "") in "biuf"
            or np.asarray(table[name]).dtype.kind in "biuf"]


def _numbers(column: Any, name: str) -> NDArray[np.float64]:
    """The numbers of a column; what is missing is NaN."""
    refuse_masked(name, column)
    try:
        if hasattr(column, "to_numpy") and hasattr(column, "isna"):
            return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
        return np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        found = getattr(column, "dtype", np.asarray(column).dtype)
        raise InputError(f"columns: {name} holds {found}; allowed are numbers, and categories in group_by") from None


def _column(table: Any, name: str) -> Any:
    if name not in table:
        raise InputError(f"columns: {name} is missing; allowed are tables that have it")
    return table[name]


def _stacked(table: Any, names: Sequence[str]) -> NDArray[np.float64]:
    return np.stack([_numbers(_column(table, name), name) for name in names], axis=1)


def _standard(readings: NDArray[np.float64], means: Sequence[float], scales: Sequence[float]) -> NDArray[np.float64]:
    return (readings - np.asarray(means)) / np.asarray(scales) if means else readings


def _categories(table: Any, group: str) -> tuple[str, ...]:
    return tuple(sorted({str(one) for one in _column(table, group)})) if group else ()


def _buckets(readings: NDArray[np.float64], count: int) -> tuple[tuple[float, ...], ...]:
    columns = readings.T if count else ()
    return tuple(_edges(column[np.isfinite(column)], count) for column in columns)


def _spread(readings: NDArray[np.float64]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Mean and standard deviation of each column over what is there; a deviation of one where there is none."""
    present = np.isfinite(readings)
    counts = np.maximum(present.sum(axis=0), 1)
    means = np.where(present, readings, 0.0).sum(axis=0) / counts
    variances = np.where(present, (readings - means) ** 2, 0.0).sum(axis=0) / counts
    deviations = np.sqrt(variances)
    return tuple(means.tolist()), tuple(np.where(deviations > 0, deviations, 1.0).tolist())


def _edges(values: NDArray[np.float64], buckets: int) -> tuple[float, ...]:
    least, most = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    if most <= least:
        least, most = least - 0.5, least + 0.5
    edges = np.linspace(least, most, buckets + 1)
    edges[-1] += _BEYOND * (most - least) / buckets
    return tuple(edges.tolist())
