"""Linear discriminant analysis."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InputError
from .moments import Array, Moments, System


def fit_discriminant(estimator: Any, groups: list[Moments]) -> None:
    """Fits LinearDiscriminantAnalysis with the solver "svd", which divides the covariance within classes by the rows."""
    if estimator.solver != "svd" or estimator.shrinkage is not None or estimator.covariance_estimator is not None:
        raise InputError(f'estimator: solver="{estimator.solver}" or shrinkage; allowed is LinearDiscriminantAnalysis() with '
                         'solver="svd"')
    rows = np.array([group.rows for group in groups], dtype=np.float64)
    if rows.sum() <= len(groups):
        raise InputError(f"rows: {rows.sum():g} in {len(groups)} classes; allowed are more rows than classes")
    weights = (rows - 1) / rows.sum()
    covariances = np.stack([group.covariance for group in groups])
    system = System.of(groups[0].names, np.tensordot(weights, covariances, 1),
                       np.tensordot(weights, np.stack([group.covariance_error for group in groups]), 1))
    priors = priors_of(estimator, rows)
    means, off = np.stack([group.mean for group in groups]), np.stack([group.mean_error for group in groups])
    estimator.priors_, estimator.means_, estimator.xbar_ = priors, means, priors @ means
    if estimator.store_covariance:
        estimator.covariance_ = np.tensordot(priors * (rows - 1) / rows, covariances, 1)
    _project(estimator, system, rows.sum())
    _set_scores(estimator, system, off)


def priors_of(estimator: Any, rows: Array) -> Array:
    """The given probabilities of the classes, or their shares of the rows."""
    if estimator.priors is None:
        return np.asarray(rows / rows.sum())
    priors = np.asarray(estimator.priors, dtype=np.float64)
    if priors.shape != rows.shape or not (priors >= 0).all() or abs(priors.sum() - 1.0) > 1e-5:
        raise InputError(f"estimator: priors={priors.tolist()}; allowed are {len(rows)} numbers from 0 whose sum is 1")
    return priors


def _project(estimator: Any, system: System, rows: float) -> None:
    """The directions that separate the classes."""
    classes = len(estimator.priors_)
    most = min(classes - 1, len(system.names))
    wanted = estimator.n_components
    if wanted is not None and not 1 <= wanted <= most:
        raise InputError(f"estimator: n_components={wanted}; allowed are None and 1 to {most}")
    system.inverse()  # refuses what cannot be inverted
    variances, vectors = np.linalg.eigh(system.matrix)
    whitening = vectors / np.sqrt(variances) / system.scale[:, None]
    weights = np.sqrt(rows * estimator.priors_ / (classes - 1))
    spread, directions = np.linalg.svd(
        weights[:, None] * (estimator.means_ - estimator.xbar_) @ whitening, full_matrices=False
    )[1:]
    estimator._max_components = estimator._n_features_out = most if wanted is None else wanted
    estimator.explained_variance_ratio_ = (spread**2 / np.sum(spread**2))[: estimator._max_components]
    rank = int(np.sum(spread > estimator.tol * spread[0]))
    estimator.scalings_ = whitening @ directions.T[:, :rank]


def _set_scores(estimator: Any, system: System, off: Array) -> None:
    apart = estimator.means_ - estimator.xbar_
    centre_off = estimator.priors_ @ off
    errors = [system.solve(one, error) for one, error in zip(apart, off + centre_off)]
    coefficients = apart @ estimator.scalings_ @ estimator.scalings_.T
    coefficient_error = np.stack([error for _, error in errors])
    squares = np.sum(coefficients * apart, axis=1)
    # The intercept is -c (m - x) / 2 - c x; the error of each factor meets the other, and that of the products both.
    apart_off = off + centre_off
    quadratic = np.sum(np.abs(coefficients) * apart_off + coefficient_error * (np.abs(apart) + apart_off), axis=1)
    centre = np.abs(coefficients) @ centre_off + coefficient_error @ (np.abs(estimator.xbar_) + centre_off)
    with np.errstate(divide="ignore"):
        intercepts = np.log(estimator.priors_) - squares / 2 - coefficients @ estimator.xbar_
    intercept_error = quadratic / 2 + centre
    if len(coefficients) == 2:
        coefficients, intercepts = np.diff(coefficients, axis=0), np.diff(intercepts)
        coefficient_error, intercept_error = coefficient_error.sum(axis=0, keepdims=True), intercept_error.sum(keepdims=True)
    estimator.coef_, estimator.coef_error_ = coefficients, coefficient_error
    estimator.intercept_, estimator.intercept_error_ = intercepts, intercept_error
