"""Weights and constants of linear estimators, an output in each row."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .estimators import CENTRED, EACH_TARGET, ONE_VS_REST, PAIRWISE, fitted, is_transformer
from .numbers import numbers, quietly
from .steps import Column, Steps, scaled

_SPAN = 1024.0  # far from the mean of readings a difference loses nothing


@dataclass(frozen=True)
class Lines:
    """Scores ``weights @ x + bias`` of the columns x, which are standardised."""

    columns: Sequence[Column]
    weights: NDArray[np.float64]
    bias: NDArray[np.float64]


def lines(steps: Steps, last: Any, link: str) -> Lines:
    """The scores of a model in the columns of the table."""
    weights, bias = _transformed(last) if link == "transform" else _fitted_lines(last)
    count = int(fitted(steps[0], "n_features_in_").n_features_in_) if steps else weights.shape[1]
    columns = [Column(number) for number in range(count)]
    at = next((at for at, step in enumerate(steps) if is_transformer(step)), len(steps))
    for step in steps[:at]:
        columns = scaled(step, columns)
    for step in reversed(steps[at:]):
        weights, bias = _behind(step, weights, bias)
    if weights.shape[1] != len(columns):
        raise InputError(f"model: {weights.shape[1]} weights of {len(columns)} columns; allowed are models as they were fitted")
    return _gathered(Lines(columns, weights, bias))


def _fitted_lines(model: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    name = type(model).__name__
    if name in (ONE_VS_REST, EACH_TARGET):
        parts = [_fitted_lines(part) for part in fitted(model, "estimators_").estimators_]
        return np.vstack([weights for weights, _ in parts]), np.concatenate([bias for _, bias in parts])
    fitted(model, "coef_")
    weights, bias = np.atleast_2d(numbers(model, "coef_")), numbers(model, "intercept_").reshape(-1)
    if name in PAIRWISE and len(weights) > 1:
        raise InputError(
            f"model: {name} with {len(model.classes_)} classes is a vote of {len(weights)} pairs of them; allowed are LinearSVC, "
            f'and OneVsRestClassifier({name}(kernel="linear"))'
        )
    if name in CENTRED:
        bias = quietly(model.predict, np.zeros((1, weights.shape[1]))).astype(np.float64).reshape(-1)
    if weights.ndim != 2 or bias.size not in (1, len(weights)):
        raise InputError(f"intercept_: {bias.size} numbers for {len(weights)} outputs; allowed are models as they were fitted")
    return weights, np.broadcast_to(bias, len(weights)).copy()


def _transformed(model: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Matrix and constant of a transform, from the images of two points on every axis."""
    name, count = type(model).__name__, int(fitted(model, "n_features_in_").n_features_in_)
    axes = _SPAN * np.eye(count)
    try:
        found = quietly(model.transform, np.vstack([np.zeros((1, count)), axes, -axes])).astype(np.float64)
    except Exception as error:
        raise InputError(f"model: {name}: transform fails on sample rows ({error}); allowed are fitted models") from error
    return (found[1:count + 1] - found[count + 1:]).T / (2 * _SPAN), found[0]


def _behind(
    step: Any, weights: NDArray[np.float64], bias: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Weights and constants of the same scores in the columns before a step."""
    if is_transformer(step):
        matrix, constant = _transformed(step)
        return weights @ matrix, bias + weights @ constant
    count = int(fitted(step, "n_features_in_").n_features_in_)
    columns = scaled(step, [Column(number) for number in range(count)])
    before = np.zeros((len(weights), count))
    for column, of_column in zip(columns, weights.T):
        before[:, column.source] += of_column / column.scale
        bias = bias - of_column * (column.mean / column.scale)
    return before, bias


def _gathered(found: Lines) -> Lines:
    """Every column of the table once, in its order; those that are dropped are not in it."""
    first: dict[int, Column] = {}
    weights: dict[int, NDArray[np.float64]] = {}
    bias = found.bias
    for column, of_column in zip(found.columns, found.weights.T):
        kept = first.setdefault(column.source, column)
        if kept is not column:
            bias = bias + of_column * ((kept.mean - column.mean) / column.scale)
            of_column = weights[column.source] + of_column * (kept.scale / column.scale)
        weights[column.source] = of_column
    order = sorted(first)
    return Lines([first[number] for number in order], np.stack([weights[number] for number in order], axis=1), bias)
