"""A table whose owner asks questions as of a pandas table, and whose answers a server computes without reading it."""
from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ..columns import Columns
from ..errors import InputError
from ..models import Model, Tree
from ..options import TABLE, TableOptions, filled
from ..scikit import from_sklearn
from ..stats import Column, Estimate, Summary, describe
from ..stats.summary import STATISTICS
from .parties import Parties
from .plan import Plan
from .questions import Batch, batches, bound_bits, needs

if TYPE_CHECKING:
    import pandas

    from .answers import ErrorFrame, ErrorSeries

_MISSING = ("refuse", "count")
_SCORES = "predict"


class DataFrame:
    """A table of pandas that is asked like one: each question is encrypted, computed by a server that cannot read, and decrypted.

    ``keys`` is a folder of :func:`isopod.keygen` with its ``passphrase``; it is made on first use, of ``set`` or of one that
    every question takes. Only what a question needs is encrypted: squares for spread, products for covariance, ``buckets`` for
    quantiles. :meth:`plan` tells bytes and errors before anything is. Columns without numbers are ``left_out``.

    ``group_by`` is a column of categories, for which every question is answered; nobody sees which row has which one, but their
    list and number are public. With ``missing="count"`` missing readings are left out and counted, and otherwise refused.
    ``target`` is the column that models of :meth:`summary` explain.

    Answers are tables of pandas with names, index and order as pandas has them. Their ``errors``, of the same shape, are the
    distances that they are off by at most. Needs pandas."""

    def __init__(
        self, data: pandas.DataFrame | Mapping[str, Any], *, keys: str | PathLike[str], passphrase: str | None,
        **options: Unpack[TableOptions],
    ) -> None:
        import pandas

        chosen = filled(TABLE, options)
        self._data = pandas.DataFrame(data)
        self._group_by, self._missing, self._target = (chosen[name] for name in ("group_by", "missing", "target"))
        self._buckets = chosen["buckets"]
        self._parties = Parties(keys, passphrase, chosen["set"])
        self._check()

    def _check(self) -> None:
        if self._missing not in _MISSING:
            raise InputError(f"missing: {self._missing}; allowed is one of {', '.join(_MISSING)}")
        if not 1 <= self._buckets <= 1000:
            raise InputError(f"buckets: {self._buckets}; allowed is 1 to 1000")
        if 0 in self._data.shape:
            rows, columns = self._data.shape
            raise InputError(f"data: {rows} rows and {columns} columns; allowed is at least one of each")
        self._check_names([str(name) for name in self._data.columns])
        if not self._numbers:
            raise InputError(f"columns: {', '.join(self.left_out)} hold no numbers; allowed is at least one column of numbers")
        self._check_missing()

    def _check_names(self, names: list[str]) -> None:
        if twice := [name for name in names if names.count(name) > 1]:
            raise InputError(f"columns: {twice[0]} occurs twice; allowed is each name once")
        for field, name in (("group_by", self._group_by), ("target", self._target)):
            if name is not None and (not isinstance(name, Hashable) or name not in self._data.columns):
                raise InputError(f"{field}: {name} is no column; allowed is one of {', '.join(names)}")

    def _check_missing(self) -> None:
        if self._group_by is not None and self._data[self._group_by].isna().any():
            raise InputError(f"group_by: {self._group_by} has missing categories; allowed are columns without. Fill or drop them")
        gaps = [name for name in self._numbers if self._data[name].isna().any()]
        if gaps and self._missing == "refuse":
            raise InputError(f'columns: {gaps[0]} has missing readings (NaN); allowed are numbers, and any with missing="count"')

    @property
    def _numbers(self) -> list[Any]:
        dtypes = self._data.dtypes.items()
        return [name for name, dtype in dtypes if name != self._group_by and getattr(dtype, "kind", "O") in "biuf"]

    @property
    def left_out(self) -> tuple[str, ...]:
        """Columns that hold no numbers, and enter no question."""
        used = [*self._numbers, self._group_by]
        return tuple(str(name) for name in self._data.columns if name not in used)

    @property
    def columns(self) -> pandas.Index:
        """The columns that enter questions."""
        return self._data[self._numbers].columns

    @property
    def index(self) -> pandas.Index:
        """The index of the rows."""
        return self._data.index

    @property
    def shape(self) -> tuple[int, int]:
        """Rows, and columns that enter questions."""
        return len(self._data), len(self._numbers)

    def __len__(self) -> int:
        return len(self._data)

    def __repr__(self) -> str:
        grouped = "" if self._group_by is None else f", group_by={self._group_by!r}"
        return f"isopod.DataFrame(rows={len(self)}, columns={len(self._numbers)}{grouped}, left_out={len(self.left_out)})"

    def __getitem__(self, names: list[Any]) -> DataFrame:
        """The table of some columns, and that of the groups, with the same keys."""
        if not isinstance(names, list):
            raise InputError(f"columns: {names!r}; allowed is a list of columns, as in table[[{names!r}]]")
        kept = [*names, *([self._group_by] if self._group_by is not None and self._group_by not in names else [])]
        if absent := [name for name in names if name not in self._data.columns]:
            raise InputError(f"columns: {absent[0]} is missing; allowed are {', '.join(map(str, self._data.columns))}")
        return self._with(self._data[kept], self._group_by)

    def groupby(self, by: Any) -> DataFrame:
        """The table whose questions are answered for each category of a column."""
        return self._with(self._data, by)

    def _with(self, data: pandas.DataFrame, group_by: Any) -> DataFrame:
        made = DataFrame.__new__(DataFrame)
        made.__dict__.update(self.__dict__, _data=data, _group_by=group_by)
        made._target = self._target if self._target in data.columns else None
        made._check()
        return made

    def count(self) -> ErrorSeries | ErrorFrame:
        """Readings of each column."""
        return self._statistic("count", lambda column: column.statistics["count"])

    def sum(self) -> ErrorSeries | ErrorFrame:
        """The sum of each column."""
        return self._statistic("sum", _sum)

    def mean(self) -> ErrorSeries | ErrorFrame:
        """The mean of each column."""
        return self._statistic("mean", lambda column: column.statistics["mean"])

    def std(self) -> ErrorSeries | ErrorFrame:
        """The standard deviation of each column, divided by one less than the readings."""
        return self._statistic("std", lambda column: column.statistics["std"])

    def var(self) -> ErrorSeries | ErrorFrame:
        """The variance of each column, divided by one less than the readings."""
        return self._statistic("var", _variance)

    def min(self) -> ErrorSeries | ErrorFrame:
        """The least reading of each column, within half a bucket."""
        return self._statistic("min", lambda column: column.statistics["min"])

    def max(self) -> ErrorSeries | ErrorFrame:
        """The largest reading of each column, within half a bucket."""
        return self._statistic("max", lambda column: column.statistics["max"])

    def quantile(self, q: float | Sequence[float] = 0.5) -> ErrorSeries | ErrorFrame:
        """A quantile of each column, or several with a row for each, within half a bucket."""
        import pandas

        from .answers import frame

        if isinstance(q, (int, float)):
            return self._statistic("quantile", lambda column: _quantile(column, float(q)), name=float(q))
        if self._group_by is not None:
            raise InputError(f"q: {len(q)} quantiles; allowed for groups is one number")
        found = self._columns("quantile")
        parts = [[[_quantile(column[0], one)[at] for column in found.values()] for one in q] for at in (0, 1)]
        index = pandas.Index(q, dtype=np.float64)
        value, error = (pandas.DataFrame(part, index=index, columns=self.columns) for part in parts)
        return frame(value, error)

    def describe(self) -> ErrorFrame:
        """Count, mean, standard deviation, minimum, quartiles and maximum of each column."""
        import pandas

        from .answers import frame

        found = self._columns("describe")
        tables = []
        for at in (0, 1):
            cells = {name: [[one[at] for one in group.statistics.values()] for group in groups] for name, groups in found.items()}
            if self._group_by is None:
                rows: Any = np.array([of[0] for of in cells.values()]).T
                tables.append(pandas.DataFrame(rows, index=list(STATISTICS), columns=self.columns))
            else:
                wide = np.concatenate([np.array(of) for of in cells.values()], axis=1)
                names = pandas.MultiIndex.from_product([self.columns, STATISTICS])
                tables.append(pandas.DataFrame(wide, index=self._categories, columns=names))
        return frame(*tables)

    def cov(self) -> ErrorFrame:
        """The covariance of every two columns."""
        return self._matrix("cov")

    def corr(self) -> ErrorFrame:
        """The correlation of every two columns."""
        return self._matrix("corr")

    def _matrix(self, question: str) -> ErrorFrame:
        import pandas

        from .answers import frame

        if self._group_by is not None:
            raise InputError(f"group_by: {self._group_by}; allowed for {question} is a table without groups")
        summary = self._summaries(question)[0]
        parts = [summary.covariance(part) if question == "cov" else summary.correlation(part) for part in ("value", "error")]
        value, error = (pandas.DataFrame(part.to_numpy(), index=self.columns, columns=self.columns) for part in parts)
        return frame(value, error)

    def summary(self) -> Summary:
        """Means and covariances of all columns, for :func:`isopod.stats.fit`; with groups for each."""
        return self._summaries("cov")[0]

    def predict(self, model: Any) -> ErrorSeries | ErrorFrame:
        """Predictions of a model, or rows of a transform, with the index of the table.

        Takes what :func:`isopod.from_sklearn` takes, or a :class:`isopod.Model`. ``errors`` of numbers are distances; those of
        classes are true where the class could be another one."""
        import pandas

        from .answers import frame, series

        one = self._model(model)
        results = self._parties.scores(one, self._data[self._of(one)].set_axis(list(one.features), axis=1), self._score_bits(one))
        found = one.transform(results) if one.link == "transform" else one.predict(results)
        if one.link in ("identity", "transform", "log"):
            errors = np.full(found.shape, results.error) if one.link != "log" else found * np.expm1(results.error)
        else:
            errors = one.uncertain(results)
        if found.ndim == 1:
            return series(found, errors, self.index)
        value, error = (pandas.DataFrame(part, index=self.index, columns=list(one.outputs) or None) for part in (found, errors))
        return frame(value, error)

    def plan(self, question: str, model: Any = None) -> Plan:
        """Bytes that a question will send, and the error of its answer. Nothing of the table is encrypted for it: errors and
        bytes are those of tables of zeros, under keys that are thrown away."""
        if question == _SCORES:
            return self._plan_scores(self._model(model))
        rows, places = len(self), self._parties.places
        found, errors, size = self._batches(question), [], 0
        per_frame = tuple(one.rows_per_frame(places) for one in found)
        for one, fit in zip(found, per_frame):
            part, error = self._parties.rehearse(one.columns, one.bound_bits, rows, fit)
            size += part
            errors += self._expected(question, one.columns, error)
        return self._planned(question, per_frame, (sum(one.frames(rows, places) for one in found), size), errors)

    def _plan_scores(self, model: Model) -> Plan:
        names = self._of(model)
        per_frame = self._parties.places // len(names)
        frames = -(-len(self) // per_frame)
        size, error = self._parties.rehearse_scores(model, self._score_bits(model))
        return self._planned(_SCORES, (per_frame,), (frames, frames * size), [error], ["score"])

    def _planned(
        self, question: str, per_frame: tuple[int, ...], sent: tuple[int, int], errors: list[float], names: Any = None
    ) -> Plan:
        import pandas

        expected = pandas.Series(errors, index=self.columns if names is None else names, dtype=np.float64)
        return Plan(question, self._parties.set, len(self), per_frame, *sent, expected, self.left_out)

    def _expected(self, question: str, columns: Columns, error: float) -> list[float]:
        """The expected error of each column, in its unit, in the smallest group."""
        scales = np.asarray(columns.scales)
        least = len(self) if self._group_by is None else int(self._groups.min())
        if question in ("min", "max", "quantile"):
            widths = np.array([np.diff(edges).max() for edges in columns.buckets])
            return list(scales * widths / 2)
        shares = {"count": np.zeros(len(scales)), "sum": scales * least, "std": scales / 2, "var": scales**2,
                  "cov": scales**2, "corr": np.full(len(scales), 2.0)}
        return list(shares.get(question, scales) * error / least)

    @property
    def _groups(self) -> pandas.Series[int]:
        """The number of rows of each category."""
        return self._data.groupby(self._group_by, observed=True).size()

    @property
    def _categories(self) -> pandas.Index:
        return self._groups.index

    def _batches(self, question: str) -> list[Batch]:
        moments, with_buckets = needs(question)
        numbers = self._numbers
        table = self._data[numbers].set_axis([str(name) for name in numbers], axis=1)
        group = "" if self._group_by is None else str(self._group_by)
        if group:
            table[group] = [str(one) for one in self._data[self._group_by]]
        columns = Columns.of(
            table, names=[str(name) for name in numbers], moments=moments, group_by=group, target=self._named_target(),
            missing=bool(self._data[numbers].isna().any(axis=None)), quantiles=self._buckets if with_buckets else 0,
        )
        self._table = table
        return batches(table, columns, self._parties.places)

    def _named_target(self) -> str:
        if self._target is None:
            return ""
        if self._target not in self._numbers:
            raise InputError(f"target: {self._target} holds no numbers; allowed is one of {', '.join(map(str, self._numbers))}")
        return str(self._target)

    def _summaries(self, question: str) -> list[Summary]:
        found = self._batches(question)
        return [describe(self._parties.sums(self._table, one.columns, one.bound_bits)) for one in found]

    def _columns(self, question: str) -> dict[str, list[Column]]:
        """The statistics of each column, for each group."""
        return {
            name: [self._of_category(summary, category).columns[name] for category in self._texts()]
            for summary in self._summaries(question) for name in summary.columns.names
        }

    def _texts(self) -> list[str | None]:
        return [None] if self._group_by is None else [str(one) for one in self._categories]

    @staticmethod
    def _of_category(summary: Summary, category: str | None) -> Any:
        return next(group for group in summary.groups if group.category == category)

    def _statistic(self, question: str, of: Callable[[Column], Estimate], name: Any = None) -> ErrorSeries | ErrorFrame:
        import pandas

        from .answers import frame, series

        cells = np.array([[of(group) for group in groups] for groups in self._columns(question).values()], dtype=np.float64)
        value, error = cells[..., 0], cells[..., 1]
        if question == "count" and not error.any():
            value = value.astype(np.int64)
        if self._group_by is None:
            return series(value[:, 0], error[:, 0], self.columns, name)
        index, names = self._categories, self.columns
        return frame(pandas.DataFrame(value.T, index=index, columns=names), pandas.DataFrame(error.T, index=index, columns=names))

    def _model(self, model: Any) -> Model:
        if model is None:
            raise InputError("model: missing; allowed is a fitted model of scikit-learn or an isopod.Model")
        if isinstance(model, (Model, Tree)):
            made: Model | Tree = model
        else:
            is_unnamed = not hasattr(model, "feature_names_in_") and getattr(model, "n_features_in_", 0) == len(self._numbers)
            made = from_sklearn(model, features=[str(name) for name in self._numbers] if is_unnamed else None)
        if isinstance(made, Tree):
            raise InputError("model: a decision tree; allowed are linear models, since trees need keys of TFHE and whole numbers")
        return made

    def _of(self, model: Model) -> list[Any]:
        """The columns that hold the features of a model."""
        labels = {str(name): name for name in self._data.columns}
        if absent := [name for name in model.features if name not in labels]:
            raise InputError(f"columns: {absent[0]} is missing; allowed are tables with all features of the model")
        if others := [name for name in model.features if labels[name] not in self._numbers]:
            raise InputError(f"columns: {others[0]} holds {self._data[labels[others[0]]].dtype}; allowed are columns of numbers")
        return [labels[name] for name in model.features]

    def _score_bits(self, model: Model) -> int:
        readings = self._data[self._of(model)].to_numpy(dtype=np.float64)
        return bound_bits((readings - np.asarray(model.mean or 0.0)) / np.asarray(model.scale or 1.0))


def _sum(column: Column) -> Estimate:
    count, mean = column.statistics["count"], column.statistics["mean"]
    if count == Estimate(0.0, 0.0):
        return count
    return Estimate(count.value * mean.value, count.value * mean.error + count.error * (abs(mean.value) + mean.error))


def _variance(column: Column) -> Estimate:
    value, error = column.statistics["std"]
    return Estimate(value**2, 2 * value * error + error**2)


def _quantile(column: Column, share: float) -> Estimate:
    histogram = column.histogram
    return Estimate(np.nan, np.nan) if histogram is None else histogram.quantile(share)
