"""Linear models, logistic models and decision trees as a server computes them, and from scikit-learn's."""
from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from .errors import InputError


@dataclass(frozen=True)
class Model:
    """A linear or logistic model for standardised features, ``(x - mean) / scale``.

    ``kind`` is ``"linear"`` or ``"logistic"``; ``weights``, ``mean`` and ``scale`` have one entry per feature, the last two may
    be empty. ``largest_score`` is the largest magnitude of a score that is expected; the closer it is, the finer the weights in
    coefficients, and a score beyond it is refused by the owner. The server sees the model, the readings it does not."""

    kind: str
    features: tuple[str, ...]
    weights: tuple[float, ...]
    bias: float
    mean: tuple[float, ...] = ()
    scale: tuple[float, ...] = ()
    largest_score: float | None = None

    def to_json(self) -> str:
        """The model's file, as the command line reads it."""
        fields = {name: value for name, value in asdict(self).items() if value is not None}
        return json.dumps(fields, allow_nan=False)


@dataclass(frozen=True)
class Tree:
    """A decision tree on whole numbers under TFHE; the server gives the leaf that each row reaches, 0 to 255.

    ``root`` is a node as the command line's ``--tree`` file has it. ``classes`` are what leaves stand for."""

    features: int
    root: dict[str, Any]
    classes: tuple[Any, ...] = field(default=())

    def to_json(self) -> str:
        """The tree's file, as the command line reads it."""
        return json.dumps({"features": self.features, "root": self.root})


def from_sklearn(model: Any, features: Sequence[str] | None = None) -> Model | Tree:
    """A fitted scikit-learn model, for :meth:`isopod.Server.score`.

    Takes linear regressors (``LinearRegression``, ``Ridge``, ``Lasso``, ``ElasticNet``, ``SGDRegressor``, ...), linear
    classifiers of two classes whose probability is a sigmoid (``LogisticRegression``, ``SGDClassifier(loss="log_loss")``), a
    ``Pipeline`` of ``StandardScaler`` and one of these, and ``DecisionTreeClassifier`` for whole numbers. Anything else is
    refused by name.
    ``features`` are names of the columns; else those that the model was fitted with, else ``x0``, ``x1``, ..."""
    scaler, last = _steps(model)
    name = type(last).__name__
    if name == "DecisionTreeClassifier":
        if scaler is not None:
            raise InputError("model: StandardScaler before a tree; allowed are trees on the whole numbers themselves")
        return _tree(last)
    if not hasattr(last, "coef_") or not hasattr(last, "intercept_"):
        raise InputError(
            f"model: {name}; allowed are fitted linear and logistic models, a Pipeline of StandardScaler and one of these, and "
            "DecisionTreeClassifier"
        )
    weights = np.asarray(last.coef_, dtype=np.float64)
    bias = np.asarray(last.intercept_, dtype=np.float64).reshape(-1)
    if (weights.ndim == 2 and weights.shape[0] != 1) or bias.size != 1:
        raise InputError(
            f"model: {name} with {weights.shape[0]} outputs; allowed is one: two classes, or one target. Train a model for each"
        )
    weights = weights.reshape(-1)
    mean, scale = _standardisation(scaler, weights.size)
    return Model(
        kind=_kind(last), features=_names(model, last, features, weights.size), weights=tuple(weights.tolist()),
        bias=float(bias[0]), mean=mean, scale=scale,
    )


def _steps(model: Any) -> tuple[Any, Any]:
    """The scaler, if any, and the model itself."""
    if type(model).__name__ != "Pipeline":
        return None, model
    steps = [step for _, step in model.steps if step not in (None, "passthrough")]
    names = [type(step).__name__ for step in steps]
    if len(steps) == 1:
        return None, steps[0]
    if len(steps) == 2 and names[0] == "StandardScaler":
        return steps[0], steps[1]
    raise InputError(f"model: Pipeline of {', '.join(names)}; allowed is StandardScaler and a linear or logistic model")


def _kind(model: Any) -> str:
    if not hasattr(model, "classes_"):
        return "linear"
    loss = getattr(model, "loss", "log_loss")
    if hasattr(model, "predict_proba") and loss == "log_loss":
        return "logistic"
    raise InputError(
        f"model: {type(model).__name__} gives no probability by a sigmoid; allowed are LogisticRegression and "
        "SGDClassifier(loss=\"log_loss\")"
    )


def _standardisation(scaler: Any, count: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    if scaler is None:
        return (), ()
    mean = np.zeros(count) if scaler.mean_ is None else scaler.mean_
    scale = np.ones(count) if scaler.scale_ is None else scaler.scale_
    return tuple(map(float, mean)), tuple(map(float, scale))


def _names(model: Any, last: Any, given: Sequence[str] | None, count: int) -> tuple[str, ...]:
    fitted = getattr(model, "feature_names_in_", getattr(last, "feature_names_in_", None))
    names = given if given is not None else fitted
    names = [f"x{number}" for number in range(count)] if names is None else list(names)
    if len(names) != count:
        raise InputError(f"features: {len(names)} names; allowed are {count}, as the model has weights")
    return tuple(map(str, names))


def _tree(model: Any) -> Tree:
    tree = model.tree_
    if tree.n_outputs != 1 or len(model.classes_) > 256:
        raise InputError(f"model: a tree with {tree.n_outputs} outputs; allowed is one, with at most 256 classes")

    def node(at: int) -> dict[str, Any]:
        if tree.children_left[at] < 0:
            return {"leaf": int(np.argmax(tree.value[at][0]))}
        # x <= t of a whole number is x <= floor(t).
        return {
            "branch": {
                "feature": int(tree.feature[at]), "above": math.floor(tree.threshold[at]),
                "then": node(tree.children_right[at]), "otherwise": node(tree.children_left[at]),
            }
        }

    return Tree(int(model.n_features_in_), node(0), tuple(model.classes_.tolist()))
