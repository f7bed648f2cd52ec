"""Fits estimators of scikit-learn with moments in place of rows."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ..errors import InputError
from .bayes import fit_naive_bayes
from .discriminant import fit_discriminant
from .linear import fit_linear
from .moments import Moments
from .projection import fit_projection
from .summary import Summary

Estimator = TypeVar("Estimator")
_OF_ALL: dict[str, Callable[[Any, Moments, str], None]] = {
    "LinearRegression": fit_linear, "Ridge": fit_linear, "PCA": fit_projection,
}
_OF_CLASSES: dict[str, Callable[[Any, list[Moments]], None]] = {
    "GaussianNB": fit_naive_bayes, "LinearDiscriminantAnalysis": fit_discriminant,
}


def fit(estimator: Estimator, summary: Summary) -> Estimator:
    """Fits an estimator of scikit-learn with a summary alone, and returns it.

    ``LinearRegression`` and ``Ridge`` explain the target of the columns by the others, ``PCA`` takes all but the target; both
    pool groups. ``LinearDiscriminantAnalysis`` and ``GaussianNB`` take the groups as classes, whose names are texts. All but
    ``GaussianNB`` need products of columns. :func:`isopod.from_sklearn` takes the fitted estimator at once, except
    ``GaussianNB``, whose scores are no linear ones.

    The estimator is equal to one that was fitted with the rows themselves, but for the errors of the sums. ``coef_error_``,
    ``intercept_error_``, ``mean_error_``, ``components_error_``, ``explained_variance_error_``, ``theta_error_`` and
    ``var_error_`` are the distances that the attributes of those names are off by at most; those of components and their
    variances to first order."""
    name = type(estimator).__name__
    is_known = type(estimator).__module__.split(".")[0] == "sklearn" and (name in _OF_ALL or name in _OF_CLASSES)
    if not is_known:
        known = ", ".join(sorted((*_OF_ALL, *_OF_CLASSES)))
        raise InputError(f"estimator: {name}; allowed are scikit-learn's {known} (pip install scikit-learn)")
    needed = "squares" if name == "GaussianNB" else "products"
    if summary.columns.moments not in (needed, "products"):
        raise InputError(f'columns: moments="{summary.columns.moments}"; allowed for {name} is moments="{needed}"')
    if name in _OF_ALL:
        moments = Moments.of(summary.pooled().groups[0])
        _OF_ALL[name](estimator, moments, summary.columns.target)
    else:
        _fit_classes(estimator, summary, name)
    return estimator


def _fit_classes(estimator: Any, summary: Summary, name: str) -> None:
    if len(summary.groups) < 2:
        raise InputError(f"columns: {len(summary.groups)} groups; allowed for {name} are two or more categories, group_by=...")
    classes = sorted(summary.groups, key=lambda group: str(group.category))
    groups = [Moments.of(group).without(summary.columns.target) for group in classes]
    estimator.classes_ = np.array([group.category for group in classes])
    _OF_CLASSES[name](estimator, groups)
    groups[0].name(estimator)
