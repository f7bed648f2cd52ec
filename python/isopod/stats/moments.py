"""Counts, means and covariances with their errors, and linear systems of them."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .summary import Group

Array = NDArray[np.float64]
_LARGEST_INFLATION = 1e10  # of a variance beside the other columns; beyond it float64 leaves no digits


@dataclass(frozen=True)
class Moments:
    """Number of rows, means and covariance of columns, with the distances that they are off by at most.

    The covariance is divided by one less than the number of rows."""

    names: tuple[str, ...]
    rows: int
    mean: Array
    mean_error: Array
    covariance: Array
    covariance_error: Array

    @classmethod
    def of(cls, group: Group) -> Moments:
        """The moments of a group; refuses missing readings, and numbers of rows that are not exact."""
        where = "" if group.category is None else f" of {group.category}"
        if group.rows.error > 0 or not group.rows.value > 0:
            found = "empty" if group.rows.error == 0 else f"of {group.rows.value:g} rows, off by {group.rows.error:g}"
            raise InputError(f"rows{where}: {found}; allowed are groups with rows whose number is exact")
        for name, column in group.columns.items():
            count = column.statistics["count"]
            if count.value != group.rows.value or count.error > 0:
                raise InputError(f"{name}{where}: {count.value:g} readings in {group.rows.value:g} rows; allowed are columns "
                                 "without missing readings")
        means = np.array([column.statistics["mean"] for column in group.columns.values()], dtype=np.float64)
        covariance, error = _covariance(group)
        return cls(tuple(group.columns), int(group.rows.value), means[:, 0], means[:, 1], covariance, error)

    def of_columns(self, chosen: list[int]) -> Moments:
        """The moments of some columns."""
        square = np.ix_(chosen, chosen)
        return Moments(
            tuple(self.names[at] for at in chosen), self.rows, self.mean[chosen], self.mean_error[chosen],
            self.covariance[square], self.covariance_error[square],
        )

    def name(self, estimator: Any) -> None:
        """Tells an estimator the names of its features."""
        estimator.n_features_in_ = len(self.names)
        estimator.feature_names_in_ = np.array(self.names, dtype=object)

    def without(self, target: str) -> Moments:
        """The moments of all columns but one."""
        return self.of_columns([at for at, name in enumerate(self.names) if name != target])


def _covariance(group: Group) -> tuple[Array, Array]:
    """The covariance, or the variances alone where there are no products; of one row it is zero."""
    width = len(group.columns)
    if group.rows.value == 1:
        return np.zeros((width, width)), np.zeros((width, width))
    if group.covariance is not None and group.covariance_error is not None:
        return group.covariance, group.covariance_error
    deviations = np.array([column.statistics["std"] for column in group.columns.values()], dtype=np.float64)
    value, error = deviations[:, 0], deviations[:, 1]
    return np.diag(value**2), np.diag(2 * value * error + error**2)


@dataclass(frozen=True)
class System:
    """Symmetric linear equations whose coefficients are off by at most ``error``, on the scale of the columns.

    ``matrix`` times ``scale`` on both sides is that of the equations. ``names`` are the columns."""

    names: tuple[str, ...]
    matrix: Array
    error: Array
    scale: Array

    @classmethod
    def of(cls, names: tuple[str, ...], matrix: Array, error: Array) -> System:
        """Scales the columns to ones on the diagonal; refuses a column that is constant as far as the errors tell."""
        diagonal, off = np.diag(matrix), np.diag(error)
        if not (diagonal > off).all():
            name = names[int(np.argmin(diagonal - off))]
            raise InputError(f"columns: {name} is constant, within the error; allowed are columns that vary")
        scale = np.sqrt(diagonal)
        by = np.outer(scale, scale)
        return cls(names, matrix / by, error / by, scale)

    def inverse(self) -> Array:
        """The inverse of the scaled matrix; refuses a column that is a combination of the others, as far as the errors tell."""
        values, vectors = np.linalg.eigh(self.matrix)
        least = np.finfo(np.float64).eps * len(values)
        kept = np.where(values > least, values, least)
        inverse: Array = (vectors / kept) @ vectors.T
        spread = np.abs(np.linalg.eigvals(np.abs(inverse) @ self.error)).max()
        if values.min() <= least or np.diag(inverse).max() > _LARGEST_INFLATION or not spread < 1.0:
            name = self.names[int(np.argmax(np.diag(inverse)))]
            raise InputError(f"columns: {name} is a combination of the others, within the error; allowed are columns that do not "
                             "follow from others. Leave it out, or take a ridge")
        return inverse

    def solve(self, right: Array, right_error: Array) -> tuple[Array, Array]:
        """The solution for a right side, and by how much it is off at most.

        If A x = b, and A and b are off by at most E and e, then x is off by at most the y with y = |A^-1| (e + E (|x| + y))."""
        inverse = self.inverse()
        scaled, scaled_error = right / self.scale, right_error / self.scale
        solution = inverse @ scaled
        solution += inverse @ (scaled - self.matrix @ solution)
        growth = np.abs(inverse)
        first = growth @ (scaled_error + self.error @ np.abs(solution))
        error = np.linalg.solve(np.eye(len(first)) - growth @ self.error, first)
        return solution / self.scale, np.maximum(error, 0.0) / self.scale
