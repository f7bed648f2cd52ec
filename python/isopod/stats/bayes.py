"""Gaussian naive Bayes."""
from __future__ import annotations

from typing import Any

import numpy as np

from .discriminant import priors_of
from .moments import Moments


def fit_naive_bayes(estimator: Any, groups: list[Moments]) -> None:
    """Fits GaussianNB: a mean and a variance of each column in each class."""
    rows = np.array([group.rows for group in groups], dtype=np.float64)
    shares = (rows / rows.sum())[:, None]
    shrunk = ((rows - 1) / rows)[:, None]
    means, off = np.stack([group.mean for group in groups]), np.stack([group.mean_error for group in groups])
    variances = shrunk * np.stack([np.diag(group.covariance) for group in groups])
    apart = means - (shares * means).sum(axis=0)
    spread = (shares * (variances + apart**2)).sum(axis=0)
    within = shrunk * np.stack([np.diag(group.covariance_error) for group in groups])
    apart_off = off + (shares * off).sum(axis=0)
    spread_off = (shares * (within + 2 * np.abs(apart) * apart_off + apart_off**2)).sum(axis=0)
    estimator.class_count_, estimator.class_prior_ = rows, priors_of(estimator, rows)
    estimator.epsilon_ = estimator.var_smoothing * spread.max()
    estimator.theta_, estimator.theta_error_ = means, off
    estimator.var_ = np.maximum(variances, 0.0) + estimator.epsilon_
    estimator.var_error_ = within + estimator.var_smoothing * spread_off.max()
