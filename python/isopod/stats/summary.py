"""Summaries of tables, from the sums of their columns."""
from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _isopod
from ..columns import Columns
from ..errors import InputError
from ..owner import Results

if TYPE_CHECKING:
    import pandas

_QUARTILES = ("25%", "50%", "75%")
STATISTICS = ("count", "mean", "std", "min", *_QUARTILES, "max")


class Estimate(NamedTuple):
    """A value, and the distance that it is off by at most; both are NaN where nothing is known."""

    value: float
    error: float


UNKNOWN = Estimate(np.nan, np.nan)


@dataclass(frozen=True)
class Histogram:
    """Readings of a column in buckets: below the first edge, between every two, and from the last one on."""

    edges: tuple[float, ...]
    counts: tuple[Estimate, ...]

    def quantile(self, share: float) -> Estimate:
        """The value below which a share of the readings lies: the middle of the buckets that hold the order statistics beside it,
        off by at most half of their width."""
        if not 0.0 <= share <= 1.0:
            raise InputError(f"quantile: {share}; allowed is 0 to 1")
        value, error = np.array(self.counts, dtype=np.float64).T
        below, off = np.cumsum(value), np.cumsum(error)
        if not below[-1] - off[-1] > 0.5:
            return UNKNOWN
        place = share * (below[-1] - 1)
        first = int(np.argmax(np.floor(place) - share * off[-1] < below + off - 0.25))
        reached = np.ceil(place) + share * off[-1] < below - off - 0.25
        last = int(np.argmax(reached)) if reached.any() else len(below) - 1
        ends = np.array([-np.inf, *self.edges, np.inf])
        least, most = ends[first], ends[last + 1]
        if np.isfinite(least) and np.isfinite(most):
            return Estimate((least + most) / 2, (most - least) / 2)
        known = [end for end in (least, most) if np.isfinite(end)]
        return Estimate(known[0] if known else 0.0, np.inf)


@dataclass(frozen=True)
class Column:
    """Statistics of a column, in the unit of its readings; those that its sums do not tell are NaN.

    ``statistics`` has the names of pandas' ``describe``: count, mean, std, min, 25%, 50%, 75%, max."""

    name: str
    statistics: dict[str, Estimate]
    standard_error: Estimate
    histogram: Histogram | None


@dataclass(frozen=True)
class Group:
    """Statistics of the rows of a category, or of all rows where ``category`` is None.

    ``covariance`` and ``covariance_error`` are matrices in the order of the columns, None without their products."""

    category: str | None
    rows: Estimate
    columns: dict[str, Column]
    covariance: NDArray[np.float64] | None
    covariance_error: NDArray[np.float64] | None


@dataclass(frozen=True, repr=False)
class Summary:
    """Summary of the sums of the columns of a table: a :class:`Group` for each category, or one for all rows.

    :func:`describe` makes it. ``columns`` describes the columns."""

    columns: Columns
    groups: tuple[Group, ...]
    _sums: tuple[str, NDArray[np.float64], float, int | None]

    def __repr__(self) -> str:
        return f"Summary(columns={len(self.columns.names)}, groups={len(self.groups)}, moments={self.columns.moments!r})"

    def __iter__(self) -> Iterator[Group]:
        return iter(self.groups)

    def to_pandas(self) -> pandas.DataFrame:
        """A table like that of pandas' ``describe``, with the error beside each cell: a column of values and one of errors for
        each column; with groups a row for each. Needs pandas."""
        import pandas

        value, error = self.table("value"), self.table("error")
        return pandas.concat({"value": value, "error": error}, axis=1).reorder_levels(
            [*range(1, value.columns.nlevels + 1), 0], axis=1
        )[[(*_words(name), part) for name in value.columns for part in ("value", "error")]]

    def table(self, part: str = "value") -> pandas.DataFrame:
        """The table of pandas' ``describe``, or of ``groupby(...).describe`` with groups: its values, or with ``"error"`` their
        errors. Needs pandas."""
        import pandas

        at = Estimate._fields.index(part)
        names = self.columns.names
        if not self.columns.group:
            cells = {name: [one[at] for one in self.groups[0].columns[name].statistics.values()] for name in names}
            return pandas.DataFrame(cells, index=list(STATISTICS), dtype=np.float64)
        rows = [[one[at] for name in names for one in group.columns[name].statistics.values()] for group in self.groups]
        index = pandas.Index([group.category for group in self.groups], name=self.columns.group)
        return pandas.DataFrame(rows, index=index, columns=pandas.MultiIndex.from_product([names, STATISTICS]))

    def covariance(self, part: str = "value") -> pandas.DataFrame:
        """The covariance of every two columns over all rows, or with ``"error"`` its errors. Needs pandas."""
        value, error = self._matrix()
        return self._square(value if part == "value" else error)

    def correlation(self, part: str = "value") -> pandas.DataFrame:
        """The correlation of every two columns over all rows, or with ``"error"`` its errors; NaN beside constant columns. Needs
        pandas.

        Refused with missing readings, since pandas takes the deviations over the rows that have both columns."""
        whole = self.pooled().groups[0]
        if gaps := [name for name, one in whole.columns.items() if one.statistics["count"].value != whole.rows.value]:
            raise InputError(f"{gaps[0]}: missing readings; allowed for correlation are columns without. Drop those rows")
        value, error = correlation(*self._matrix())
        return self._square(value if part == "value" else error)

    def pooled(self) -> Summary:
        """The summary of all rows, whatever their category."""
        if not self.columns.group:
            return self
        job, values, error, rows = self._sums
        blocks = values.reshape(len(self.columns.categories), -1)
        sums, counted = blocks.sum(axis=0), blocks[:, 0].sum()
        if rows is None:
            rows = round(counted) if job == "column-sum" and error * len(blocks) < 0.5 else None
        plain = replace(self.columns, group="", categories=())
        return _summary(plain, (job, sums[1:], error * len(blocks), rows))

    def _matrix(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        group = self.pooled().groups[0]
        if group.covariance is None or group.covariance_error is None:
            raise InputError(f'columns: moments="{self.columns.moments}"; allowed for covariance is moments="products"')
        return group.covariance, group.covariance_error

    def _square(self, values: NDArray[np.float64]) -> pandas.DataFrame:
        import pandas

        names = list(self.columns.names)
        return pandas.DataFrame(values, index=names, columns=names)


def describe(results: Results, columns: Columns | None = None) -> Summary:
    """The summary of results of column-sum or column-mean, which were decrypted with ``columns``."""
    if not isinstance(results, Results):
        raise InputError(f"results: {type(results).__name__}; allowed are results of Owner.decrypt")
    columns = columns or results.columns
    if columns is None:
        raise InputError("columns: missing; allowed are those of the devices, as in Owner.decrypt(answer, columns=...)")
    if results.columns is not None and results.columns != columns:
        raise InputError(f"columns: {', '.join(columns.names)}; allowed are those that the results were decrypted with, "
                         f"{', '.join(results.columns.names)}")
    if len(results) != 1:
        raise InputError(f"results: {len(results)} of them, of {results.job}; allowed is one of column-sum or column-mean")
    values = np.asarray(results.values, dtype=np.float64).reshape(-1)
    return _summary(columns, (results.job, values, results.error, results.rows))


def _summary(columns: Columns, sums: tuple[str, NDArray[np.float64], float, int | None]) -> Summary:
    job, values, error, rows = sums
    told = json.loads(_isopod.summary(columns.fields(), job, values.tolist(), error, rows))
    return Summary(columns, tuple(_group(one) for one in told["groups"]), sums)


def _group(told: dict[str, Any]) -> Group:
    columns = {one["name"]: _column(one) for one in told["columns"]}
    cells = told.get("covariance")
    matrix = None if cells is None else np.array([[_estimate(cell) for cell in row] for row in cells], dtype=np.float64)
    if matrix is not None:
        matrix[np.isinf(matrix[..., 1])] = np.nan  # of columns that no row has both of
    return Group(
        told.get("category"), _estimate(told["rows"]), columns,
        None if matrix is None else matrix[..., 0], None if matrix is None else matrix[..., 1],
    )


def _column(told: dict[str, Any]) -> Column:
    quartiles = told["quartiles"] or [None] * 3
    given = [told["count"], told["mean"], told["std"], told["min"], *quartiles, told["max"]]
    histogram = told.get("histogram")
    buckets = histogram and Histogram(tuple(histogram["edges"]), tuple(map(_estimate, histogram["counts"])))
    statistics = dict(zip(STATISTICS, map(_estimate, given)))
    return Column(told["name"], statistics, _estimate(told["standard_error"]), buckets)


def _estimate(told: dict[str, float | None] | None) -> Estimate:
    """An estimate; JSON has null where an error is infinite or a value is not a number."""
    if told is None or told["value"] is None:
        return UNKNOWN
    error = told["error"]
    return Estimate(told["value"], np.inf if error is None else error)


def correlation(
    value: NDArray[np.float64], error: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The correlations of a covariance and their errors, NaN beside a column that may be constant."""
    variance, off = np.diag(value), np.diag(error)
    with np.errstate(all="ignore"):
        least, most = np.sqrt(np.where(variance > off, variance - off, np.nan)), np.sqrt(variance + off)
        scale = np.sqrt(np.where(variance > off, variance, np.nan))
        scales, smallest, largest = (np.outer(one, one) for one in (scale, least, most))
        found = np.clip(value / scales, -1.0, 1.0)
        ends = np.array([(value + sign * error) / by for sign in (-1, 1) for by in (smallest, largest)])
        off_by = np.maximum(ends.max(axis=0) - found, found - ends.min(axis=0))
    same = np.eye(len(value), dtype=bool) & ~np.isnan(found)
    return np.where(same, 1.0, found), np.where(same, 0.0, np.minimum(off_by, 2.0))


def _words(name: Any) -> tuple[str, ...]:
    return name if isinstance(name, tuple) else (name,)
