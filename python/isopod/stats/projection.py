"""Principal components."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InputError
from .moments import Array, Moments


def fit_projection(estimator: Any, moments: Moments, target: str) -> None:
    """Fits PCA to all columns but the target."""
    moments = moments.without(target)
    variances, vectors = np.linalg.eigh(moments.covariance)
    variances, components = np.maximum(variances[::-1], 0.0), vectors[:, ::-1].T
    largest = np.abs(components).argmax(axis=1)
    components = components * np.where(components[np.arange(len(components)), largest] < 0, -1.0, 1.0)[:, None]
    ratio = variances / variances.sum()
    kept = _number(estimator, moments, ratio)
    moments.name(estimator)
    _set_errors(estimator, moments, (variances, components), kept)
    estimator.components_, estimator.mean_ = components[:kept].copy(), moments.mean
    estimator.explained_variance_, estimator.explained_variance_ratio_ = variances[:kept], ratio[:kept]
    estimator.singular_values_ = np.sqrt(variances[:kept] * (moments.rows - 1))
    estimator.noise_variance_ = float(variances[kept:].mean()) if kept < min(moments.rows, len(variances)) else 0.0
    estimator.n_components_, estimator.n_samples_ = kept, moments.rows


def _number(estimator: Any, moments: Moments, ratio: Array) -> int:
    """The number of components that the estimator keeps."""
    most, wanted = min(moments.rows, len(moments.names)), estimator.n_components
    if moments.rows < 2 or not np.isfinite(ratio).all():
        raise InputError(f"rows: {moments.rows}, without spread; allowed for PCA are two or more rows that differ")
    if wanted is None:
        return most
    if isinstance(wanted, str) or not 0 < wanted <= most or (wanted >= 1 and wanted != int(wanted)):
        raise InputError(f"estimator: n_components={wanted!r}; allowed are None, 1 to {most}, and shares of the variance")
    if wanted < 1:
        return int(np.searchsorted(np.cumsum(ratio), wanted, side="right")) + 1
    return int(wanted)


def _set_errors(estimator: Any, moments: Moments, found: tuple[Array, Array], kept: int) -> None:
    """Errors to first order: a component turns towards each other one by their share of the error over the gap of variances."""
    variances, components = found
    size = np.abs(components)
    shares = size @ moments.covariance_error @ size.T
    with np.errstate(divide="ignore", invalid="ignore"):
        turns = shares / np.abs(variances[:, None] - variances)
    np.fill_diagonal(turns, 0.0)
    turns = np.where(np.isnan(turns), np.inf, turns)
    with np.errstate(invalid="ignore"):
        error = np.nan_to_num(turns @ size, nan=np.inf, posinf=np.inf)
    estimator.components_error_, estimator.mean_error_ = error[:kept], moments.mean_error
    estimator.explained_variance_error_ = np.diag(shares)[:kept]
