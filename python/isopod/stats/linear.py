"""Least squares and ridge."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InputError
from .moments import Moments, System


def fit_linear(estimator: Any, moments: Moments, target: str) -> None:
    """Fits LinearRegression or Ridge, which explain the target by the other columns."""
    alpha = _checked(estimator, moments, target)
    features, explained = moments.without(target), moments.names.index(target)
    others = [at for at in range(len(moments.names)) if at != explained]
    right, right_error = moments.covariance[others, explained], moments.covariance_error[others, explained]
    matrix = features.covariance + alpha / (moments.rows - 1) * np.eye(len(others))
    coefficients, error = System.of(features.names, matrix, features.covariance_error).solve(right, right_error)
    features.name(estimator)
    estimator.coef_, estimator.coef_error_ = coefficients, error
    estimator.intercept_ = float(moments.mean[explained] - features.mean @ coefficients)
    estimator.intercept_error_ = float(
        moments.mean_error[explained] + features.mean_error @ (np.abs(coefficients) + error) + np.abs(features.mean) @ error
    )
    if alpha == 0.0:
        estimator.rank_ = len(others)
    else:
        estimator.n_iter_, estimator.solver_ = None, "cholesky"


def _checked(estimator: Any, moments: Moments, target: str) -> float:
    """The weight of the squares of the coefficients."""
    name = type(estimator).__name__
    if not target:
        raise InputError(f"target: missing; allowed for {name} is one of the columns, Columns(..., target=...): "
                         f"{', '.join(moments.names)}")
    if len(moments.names) < 2:
        raise InputError(f"columns: none but the target {target}; allowed for {name} is at least one more")
    if not estimator.fit_intercept or estimator.positive:
        raise InputError(f"estimator: {name} without intercept, or positive; allowed is fit_intercept=True, positive=False")
    alpha = getattr(estimator, "alpha", 0.0)
    if np.ndim(alpha) != 0 or not 0.0 <= float(alpha) < np.inf:
        raise InputError(f"estimator: alpha={alpha}; allowed is a number from 0")
    least = 2 if alpha > 0 else len(moments.names) + 1
    if moments.rows < least:
        raise InputError(f"rows: {moments.rows}; allowed for {name} of {len(moments.names) - 1} columns are at least {least}")
    return float(alpha)
