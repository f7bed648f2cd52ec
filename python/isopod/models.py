"""Linear models, logistic models and decision trees as a server computes them."""
from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from .errors import InputError

_LINKS = {
    "linear": ("identity", "log", "sign", "transform"), "logistic": ("logistic",), "multinomial": ("softmax",),
    "classifier": ("argmax",),
}
_OF_CLASSES = ("multinomial", "classifier")
_SCORING = ("inner", "linear", "logistic", "network", "forest", "classify")
_ACTIVATIONS = ("relu", "tanh", "logistic")
_FILE = ("kind", "features", "weights", "bias", "mean", "scale", "largest_score")
_MOST_OUTPUTS = 256


@dataclass(frozen=True)
class Hidden:
    """A hidden layer: ``activation`` is ``"relu"``, ``"tanh"`` or ``"logistic"``, each unit has a weight for each feature."""

    activation: str
    weights: tuple[tuple[float, ...], ...]
    bias: tuple[float, ...]

    def units(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """The units of standardised rows in the clear."""
        sums = rows @ np.asarray(self.weights).T + np.asarray(self.bias)
        if self.activation == "logistic":
            return sigmoid(sums)
        return np.asarray(np.tanh(sums) if self.activation == "tanh" else np.maximum(sums, 0.0))

    def __post_init__(self) -> None:
        if self.activation not in _ACTIVATIONS:
            raise InputError(f"activation: {self.activation}; allowed are {', '.join(_ACTIVATIONS)}")
        if not self.weights or len(self.weights) != len(self.bias):
            raise InputError(f"hidden: {len(self.weights)} units and {len(self.bias)} constants; allowed are as many of both")


@dataclass(frozen=True)
class Model:
    """A linear or logistic model for standardised features, ``(x - mean) / scale``.

    ``weights``, ``mean`` and ``scale`` have one entry per feature, the last two may be empty. A model with several outputs has a
    tuple of such weights and a ``bias`` for each output: ``classes`` are then the classes, in this order, and ``outputs`` names
    targets, if they have names. ``largest_score`` is the largest magnitude of a score that is expected; the closer it is, the
    finer the weights in coefficients, and a score beyond it is refused by the owner. The server sees the model, but not the
    readings.

    ``kind`` says how scores are read. Those of a ``"linear"`` model are predictions, those of a ``"logistic"`` one log odds: of
    the second of two classes, or of each class against the rest. The class with the largest score is that of a
    ``"multinomial"`` model, whose probabilities are a softmax, and of a ``"classifier"``, which has none.

    The server computes scores. ``link`` says what :meth:`predict` makes of them at the owner: of a linear model ``"identity"``
    (the default), ``"log"`` (the prediction is the exponential of the score), ``"sign"`` (the second of ``classes`` where the
    score is above zero) or ``"transform"`` (:meth:`transform` gives the scores); the other kinds have ``"logistic"``,
    ``"softmax"`` and ``"argmax"``.

    On merged frames a model may have a ``hidden`` layer, of whose units ``weights`` are then, or ``trees`` in place of weights:
    nodes as the model's file has them, whose leaves add up to the outputs."""

    kind: str
    features: tuple[str, ...]
    weights: tuple[float, ...] | tuple[tuple[float, ...], ...]
    bias: float | tuple[float, ...]
    mean: tuple[float, ...] = ()
    scale: tuple[float, ...] = ()
    largest_score: float | None = None
    link: str = ""
    classes: tuple[Any, ...] = ()
    outputs: tuple[str, ...] = ()
    hidden: Hidden | None = None
    trees: tuple[dict[str, Any], ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in _LINKS:
            raise InputError(f"kind: {self.kind}; allowed are {', '.join(_LINKS)}")
        object.__setattr__(self, "link", self.link or _LINKS[self.kind][0])
        if self.link not in _LINKS[self.kind]:
            raise InputError(f"link: {self.link}; allowed for a {self.kind} model is one of {', '.join(_LINKS[self.kind])}")
        if len(set(self.features)) != len(self.features):
            raise InputError("features: a name occurs twice; allowed is each once")
        self._check_outputs()
        self._check_widths()

    def _check_widths(self) -> None:
        """Refuses lists that are not as long as there are features or hidden units."""
        rows = cast("tuple[tuple[float, ...], ...]", self.weights if self._is_several else (self.weights,))
        hidden = self.hidden.weights if self.hidden else ()
        for name, entries in [*(("hidden", row) for row in hidden), ("mean", self.mean), ("scale", self.scale)]:
            if len(entries) != len(self.features) and (len(entries) != 0 or name == "hidden"):
                raise InputError(f"{name}: {len(entries)} entries; allowed are {len(self.features)}, one for each feature")
        self._check_inputs(rows)

    def _check_inputs(self, rows: tuple[tuple[float, ...], ...]) -> None:
        """Refuses weights that are not of the hidden units, of the features, or beside trees."""
        inputs, of = (len(self.hidden.weights), "hidden unit") if self.hidden else (len(self.features), "feature")
        if wrong := [len(row) for row in rows if len(row) != inputs and not self.trees]:
            raise InputError(f"weights: {wrong[0]} entries; allowed are {inputs}, one for each {of}")
        if self.trees and (self.hidden or self.weights):
            raise InputError("trees: beside weights or a hidden layer; allowed is either")

    def _check_outputs(self) -> None:
        count, least = self._count, 2 if self.kind in _OF_CLASSES else 1
        if not least <= count <= _MOST_OUTPUTS:
            raise InputError(f"outputs: {count}; allowed for a {self.kind} model are {least} to {_MOST_OUTPUTS}")
        self._check_shape(count)
        if count > 1 and self.link in ("log", "sign"):
            raise InputError(f"link: {self.link}; allowed for {count} outputs is another kind, such as classifier")
        if self.outputs and (len(self.outputs) != count or len(set(self.outputs)) != count):
            raise InputError(f"outputs: {len(self.outputs)} names; allowed are {count} different ones, one for each output")
        if len(self.classes) not in (0, max(count, 2)):
            raise InputError(f"classes: {len(self.classes)} of them; allowed are {'two' if count == 1 else count}")

    def _check_shape(self, count: int) -> None:
        if self.trees:
            return
        nested = [np.ndim(row) == 1 for row in self.weights]
        if nested != ([True] * count if self._is_several else [False] * len(nested)):
            raise InputError(f"weights: not as the bias; allowed are {f'{count} tuples' if self._is_several else 'numbers'}")

    @property
    def _is_several(self) -> bool:
        return self._count > 1 if self.trees else np.ndim(self.bias) == 1

    @property
    def _count(self) -> int:
        if self.trees:
            return len(_reached(self.trees[0], np.zeros(len(self.features))))
        return len(cast("tuple[float, ...]", self.bias)) if self._is_several else 1

    @property
    def job(self) -> str:
        """The job that computes its scores."""
        if self.hidden or self.trees:
            return "network" if self.hidden else "forest"
        return "logistic" if self.kind in ("logistic", "multinomial") else "linear"

    def lines(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Weights and biases as arrays, with a row for each output."""
        return np.atleast_2d(np.asarray(self.weights, dtype=np.float64)), np.atleast_1d(np.asarray(self.bias, dtype=np.float64))

    def to_json(self) -> str:
        """The model's file, as the command line reads it."""
        fields = {name: getattr(self, name) for name in _FILE if getattr(self, name) is not None}
        if self.hidden:
            fields["hidden"] = vars(self.hidden)
        if self.trees:
            fields = {name: value for name, value in fields.items() if name not in ("weights", "bias")} | {"trees": self.trees}
        names = self.outputs or (tuple(map(str, self.classes)) if self._is_several else ())
        return json.dumps({**fields, "outputs": names} if names else fields, allow_nan=False)

    def in_the_clear(self, rows: Any) -> NDArray[np.float64]:
        """Scores of standardised rows in the clear, for comparison."""
        values = np.asarray(rows, dtype=np.float64)
        if self.trees:
            return np.asarray([np.sum([_reached(tree, row) for tree in self.trees], axis=0) for row in values])
        if self.hidden:
            values = self.hidden.units(values)
        weights, bias = self.lines()
        return np.asarray(values @ weights.T + bias)

    def predict(self, scores: Any) -> NDArray[Any]:
        """Predictions from the scores that the owner decrypted: a :class:`isopod.Results`, or an array.

        There is one for each row: a number, a row of numbers for several targets, or one of ``classes``. A score may be off by
        its error. So the class may be another one where :meth:`uncertain` says so, and an exponential is off by a factor of at
        most the exponential of the error."""
        if self.link == "transform":
            raise InputError("link: transform; allowed is Model.transform, since the model predicts nothing")
        values = self._scores(scores)
        if self.link == "identity":
            return values if self._count > 1 else values[:, 0]
        if self.link == "log":
            return np.asarray(np.exp(values[:, 0]))
        if self._count > 1:
            names: NDArray[Any] = np.asarray(self.classes or range(self._count))
            return np.asarray(np.take(names, values.argmax(axis=1)))
        names = np.asarray(self.classes or (False, True))
        return np.asarray(np.take(names, (values[:, 0] > 0).astype(int)))

    def transform(self, scores: Any) -> NDArray[np.float64]:
        """A row of numbers for each row, as a transform such as PCA makes it."""
        if self.link != "transform":
            raise InputError(f"link: {self.link}; allowed are transforms, and Model.predict for this one")
        return self._scores(scores)

    def predict_proba(self, scores: Any) -> NDArray[np.float64]:
        """Probabilities of the classes, a row for each row of scores: of two classes by the sigmoid; of several by the softmax of
        a multinomial model, or by sigmoids that are divided by their sum."""
        if self.link not in ("logistic", "softmax"):
            raise InputError(f"link: {self.link}; allowed are logistic models, whose scores are log odds")
        values = self._scores(scores)
        if self._count == 1:
            return np.concatenate([sigmoid(-values), sigmoid(values)], axis=1)
        parts = np.exp(values - values.max(axis=1, keepdims=True)) if self.link == "softmax" else sigmoid(values)
        sums = parts.sum(axis=1, keepdims=True)
        return np.asarray(np.divide(parts, sums, out=np.full_like(parts, 1 / self._count), where=sums > 0))

    def margins(self, scores: Any) -> NDArray[np.float64]:
        """By how much each row's class leads: the difference between its two largest scores, or the distance of a single score
        from zero."""
        if self.link in ("identity", "log", "transform"):
            raise InputError(f"link: {self.link}; allowed are classifiers")
        values = self._scores(scores)
        if self._count == 1:
            return np.abs(values[:, 0])
        ordered = np.sort(values, axis=1)
        return np.asarray(ordered[:, -1] - ordered[:, -2])

    def uncertain(self, results: Any) -> NDArray[np.bool_]:
        """Whether each row's class could be another one, since the margin is not larger than the errors of two scores, or of a
        single one."""
        return np.asarray(self.margins(results) <= results.error * min(self._count, 2))

    def _scores(self, scores: Any) -> NDArray[np.float64]:
        """Scores with a row for each row and a column for each output."""
        job = getattr(scores, "job", self.kind if self.kind in _SCORING else "linear")
        if job not in _SCORING:
            raise InputError(f"scores: of the job {job}; allowed are results of {', '.join(_SCORING)}")
        values = np.asarray(getattr(scores, "values", scores), dtype=np.float64)
        if self._count == 1:
            return values.reshape(-1, 1)
        if values.shape[-1:] != (self._count,):
            raise InputError(f"scores: of shape {values.shape}; allowed is a column for each of {self._count} outputs")
        return values.reshape(-1, self._count)


def _reached(node: dict[str, Any], row: NDArray[np.float64]) -> list[float]:
    """The values of the leaf that a row reaches."""
    while "branch" in node:
        branch = node["branch"]
        node = branch["then" if row[branch["feature"]] > branch["above"] else "otherwise"]
    return cast("list[float]", node["leaf"])


@dataclass(frozen=True)
class Tree:
    """A decision tree on whole numbers under TFHE; the server gives the leaf that each row reaches, 0 to 255.

    ``root`` is a node in the form of the command line's ``--tree`` file. ``classes`` name the leaves."""

    features: int
    root: dict[str, Any]
    classes: tuple[Any, ...] = field(default=())

    def to_json(self) -> str:
        """The tree's file, as the command line reads it."""
        return json.dumps({"features": self.features, "root": self.root})


def sigmoid(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 / (1 + exp(-value)), without overflow."""
    small = np.exp(-np.abs(values))
    return np.asarray(np.where(values >= 0, 1.0, small) / (1 + small))
