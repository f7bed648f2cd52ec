"""Answers as pandas tables that carry their errors. Importing this module imports pandas."""
from __future__ import annotations

import numpy as np
import pandas
from numpy.typing import NDArray


class ErrorSeries(pandas.Series):
    """A series with ``errors``: the distances that its values are off by at most. What is derived from it has none."""

    _internal_names = [*pandas.Series._internal_names, "errors"]  # type: ignore[attr-defined]  # noqa: RUF012
    _internal_names_set = set(_internal_names)
    errors: pandas.Series[float]


class ErrorFrame(pandas.DataFrame):
    """A table with ``errors``: the distances that its values are off by at most. What is derived from it has none."""

    _internal_names = [*pandas.DataFrame._internal_names, "errors"]  # type: ignore[attr-defined]  # noqa: RUF012
    _internal_names_set = set(_internal_names)
    errors: pandas.DataFrame


def series(values: NDArray[np.generic], errors: NDArray[np.generic], index: pandas.Index, name: object = None) -> ErrorSeries:
    """A series with errors of the same index."""
    found = ErrorSeries(values, index=index, name=name)
    found.errors = pandas.Series(errors, index=index, name=name)
    return found


def frame(values: pandas.DataFrame, errors: pandas.DataFrame) -> ErrorFrame:
    """A table with errors of the same shape."""
    found = ErrorFrame(values)
    found.errors = errors
    return found
