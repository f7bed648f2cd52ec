"""Compares converted models with their estimators, on sample rows."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..models import Model
from .numbers import quietly

_CLOSE, _TINY = 1e-6, 1e-12  # of the summands of a score, and at least
_BENDS = np.concatenate([side * np.geomspace(1e-3, 8.0, 24) for side in (-1, 1)])


@dataclass(frozen=True)
class Sample:
    """Rows that an estimator takes: their width, the columns that the model uses, and names if it asks for them."""

    width: int
    used: list[int]
    names: list[str] | None
    called: str

    def rows(self, values: NDArray[np.float64]) -> Any:
        """Rows of the estimator with these values in the columns that the model uses."""
        rows = np.random.default_rng(2).normal(size=(len(values), self.width))
        rows[:, self.used] = values
        if self.names is None:
            return rows
        import pandas  # of whoever fitted the estimator with a table of it

        return pandas.DataFrame(rows, columns=self.names)


def compare(model: Any, made: Sequence[Model], sample: Sample) -> Model:
    """The first of the models that predicts what the estimator predicts."""
    try:
        right = next((one for one in made if _same(model, one, sample)), None)
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"model: {sample.called}: predict fails on sample rows ({error}); allowed are fitted models") from error
    if right is None:
        raise InputError(
            f"model: {sample.called} predicts something else than its coefficients say; allowed are models as they were fitted"
        )
    return right


def _same(model: Any, made: Model, sample: Sample) -> bool:
    weights, bias = made.lines()
    standardised = _standardised(made, weights, bias)
    mean, scale = (np.asarray(given or neutral) for given, neutral in ((made.mean, (0.0,)), (made.scale, (1.0,))))
    rows = sample.rows(mean + scale * standardised)
    scores = standardised @ weights.T + bias
    close = _CLOSE * ((np.abs(standardised) + np.abs(mean / scale)) @ np.abs(weights).T + np.abs(bias)) + _TINY
    found = quietly(model.transform if made.link == "transform" else model.predict, rows)
    if made.link in ("identity", "log", "transform"):
        if found.size != scores.size:
            return False
        with np.errstate(all="ignore"):
            found = np.log(found.astype(np.float64)) if made.link == "log" else found.astype(np.float64)
        return bool((np.abs(found.reshape(scores.shape) - scores) <= close).all())
    if found.ndim > 1:
        raise InputError(f"model: {sample.called} gives {found.shape[1]} labels a row; allowed is one: train a model for each")
    is_clear = made.margins(scores) > 2 * close.max(axis=1)
    same = bool((found == made.predict(scores))[is_clear].all())
    if made.link in ("logistic", "softmax"):
        probabilities, wanted = quietly(model.predict_proba, rows), made.predict_proba(scores)
        same = same and probabilities.shape == wanted.shape
        same = same and bool((np.abs(probabilities - wanted).max(axis=1) <= 2 * close.max(axis=1)).all())
    return same


def _standardised(made: Model, weights: NDArray[np.float64], bias: NDArray[np.float64]) -> NDArray[np.float64]:
    """Standardised rows: the origin, random rows, and rows whose scores, or the two largest of them, lie where links bend."""
    draws = np.random.default_rng(1)
    rows = np.vstack([np.zeros((1, weights.shape[1])), draws.normal(size=(64, weights.shape[1]))])
    bent = draws.normal(size=(_BENDS.size, weights.shape[1]))
    if len(bias) == 1:
        across, ahead = np.broadcast_to(weights, bent.shape), bent @ weights[0] + bias
    else:
        scores = bent @ weights.T + bias
        second, first = np.argsort(scores, axis=1)[:, -2:].T
        across = weights[first] - weights[second]
        ahead = np.take_along_axis(scores, first[:, None], 1)[:, 0] - np.take_along_axis(scores, second[:, None], 1)[:, 0]
    length = (across * across).sum(axis=1)
    if not length.all():
        return rows
    bent = bent + across * ((_BENDS - ahead) / length)[:, None]
    return bent if made.link == "log" else np.vstack([rows, bent])
