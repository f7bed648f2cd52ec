"""Linear models, logistic models and decision trees as a server computes them."""
from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import InputError

_LINKS = {"linear": ("identity", "log", "sign"), "logistic": ("logistic",)}
_SCORING = ("inner", "linear", "logistic")
_FILE = ("kind", "features", "weights", "bias", "mean", "scale", "largest_score")


@dataclass(frozen=True)
class Model:
    """A linear or logistic model for standardised features, ``(x - mean) / scale``.

    ``kind`` is ``"linear"`` or ``"logistic"``; ``weights``, ``mean`` and ``scale`` have one entry per feature, the last two may
    be empty. ``largest_score`` is the largest magnitude of a score that is expected; the closer it is, the finer the weights in
    coefficients, and a score beyond it is refused by the owner. The server sees the model, but not the readings.

    The server computes scores. ``link`` says what :meth:`predict` makes of them at the owner: of a linear model ``"identity"``
    (the default), ``"log"`` (the prediction is the exponential of the score) or ``"sign"`` (the second of ``classes`` where the
    score is above zero); a logistic model has ``"logistic"``."""

    kind: str
    features: tuple[str, ...]
    weights: tuple[float, ...]
    bias: float
    mean: tuple[float, ...] = ()
    scale: tuple[float, ...] = ()
    largest_score: float | None = None
    link: str = ""
    classes: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in _LINKS:
            raise InputError(f"kind: {self.kind}; allowed are linear and logistic")
        object.__setattr__(self, "link", self.link or _LINKS[self.kind][0])
        if self.link not in _LINKS[self.kind]:
            raise InputError(f"link: {self.link}; allowed for a {self.kind} model is one of {', '.join(_LINKS[self.kind])}")
        if len(set(self.features)) != len(self.features):
            raise InputError("features: a name occurs twice; allowed is each once")
        for name in ("weights", "mean", "scale"):
            entries = len(getattr(self, name))
            if entries != len(self.features) and (entries != 0 or name == "weights"):
                raise InputError(f"{name}: {entries} entries; allowed are {len(self.features)}, one for each feature")
        if len(self.classes) not in (0, 2):
            raise InputError(f"classes: {len(self.classes)} of them; allowed are two")

    def to_json(self) -> str:
        """The model's file, as the command line reads it."""
        fields = {name: getattr(self, name) for name in _FILE if getattr(self, name) is not None}
        return json.dumps(fields, allow_nan=False)

    def predict(self, scores: Any) -> NDArray[Any]:
        """Predictions from the scores that the owner decrypted: a :class:`isopod.Results`, or an array.

        There is one for each row: a number, or one of ``classes``. A score may be off by its error. So the class may be the
        other one if the score is nearer to zero than the error, and an exponential is off by a factor of at most the
        exponential of the error."""
        values = self._scores(scores)
        if self.link == "identity":
            return values
        if self.link == "log":
            return np.asarray(np.exp(values))
        classes: NDArray[Any] = np.asarray(self.classes or (False, True))
        return np.take(classes, (values > 0).astype(int))

    def predict_proba(self, scores: Any) -> NDArray[np.float64]:
        """Probabilities of both classes, one row for each score of a logistic model."""
        if self.link != "logistic":
            raise InputError(f"link: {self.link}; allowed are logistic models, whose scores are log odds")
        values = self._scores(scores)
        return np.stack([sigmoid(-values), sigmoid(values)], axis=1)

    def _scores(self, scores: Any) -> NDArray[np.float64]:
        job = getattr(scores, "job", self.kind)
        if job not in _SCORING:
            raise InputError(f"scores: of the job {job}; allowed are results of {', '.join(_SCORING)}")
        return np.asarray(getattr(scores, "values", scores), dtype=np.float64).reshape(-1)


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
