"""Converts models of scikit-learn, by the class of the estimator, and compares every converted model with the estimator."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import InputError
from ..models import Model, Tree
from .comparison import Sample, compare
from .estimators import BOTH, LOGISTIC, ONE_VS_REST, TREE, fitted, is_of_scikit, link_of
from .lines import Lines, lines
from .merged import merged_model
from .steps import Steps, steps_of
from .trees import tree_of

_FINISHED = {
    "log": "predicts the exponential of its score",
    "sign": "gives a class by the sign of its score, and no probability by a sigmoid",
}
_SEVERAL = {"logistic": ("softmax", "logistic"), "sign": ("argmax",)}
_KINDS = {"logistic": "logistic", "softmax": "multinomial", "argmax": "classifier"}
_METHODS = ("decision_function", "predict", "predict_proba", "transform")


def from_sklearn(
    model: Any, features: Sequence[str] | None = None, *, link: str | None = None, merged: bool = False
) -> Model | Tree:
    """A fitted scikit-learn model, for :meth:`isopod.Server.score`.

    Takes linear regressors of one or several targets (``LinearRegression``, ``Ridge``, ``Lasso``, ``SVR(kernel="linear")``, ...),
    classifiers whose probabilities follow from linear scores (``LogisticRegression``, ``LinearDiscriminantAnalysis``,
    ``SGDClassifier(loss="log_loss")``), classifiers of three or more classes by the largest score (``LinearSVC``,
    ``RidgeClassifier``, ``Perceptron``, ``OneVsRestClassifier`` of linear ones), transforms (``PCA``, ``TruncatedSVD``), and
    ``DecisionTreeClassifier`` for whole numbers. A ``Pipeline`` may have scalers, ``ColumnTransformer`` of scalers, and
    transforms before the model. With ``link="log"`` it takes ``PoissonRegressor``, ``GammaRegressor`` and ``TweedieRegressor``,
    with ``link="sign"`` ``Perceptron``, ``LinearSVC``, ``RidgeClassifier``, ``SVC(kernel="linear")`` and the like of two classes:
    the server computes their scores, and the owner's :meth:`isopod.Model.predict` makes predictions of them. With
    ``link="transform"`` ``LinearDiscriminantAnalysis`` transforms.

    Every model is compared with the estimator's ``predict``, ``predict_proba`` or ``transform`` on sample rows. One that differs
    is refused by name, as is every other class, derived ones too. ``features`` are names of the columns; else those that the
    model was fitted with, else ``x0``, ``x1``, ... Columns that a ``ColumnTransformer`` drops are no features.

    With ``merged=True`` the model is for frames that a server merges: ``MLPClassifier`` and ``MLPRegressor`` of one hidden layer
    (the job network), decision trees, random forests and extra trees on real numbers, of 128 branches and a depth of 8 at most
    (the job forest), and ``KMeans`` and ``NearestCentroid`` of at most 9 centres (the job classify). Scalers may come before."""
    steps, last = steps_of(model)
    for step in (model, *steps, last):
        _refuse_replaced(step)
    if merged:
        if link is not None:
            raise InputError(f"link: {link}; allowed with merged=True is None")
        count = int(fitted(steps[0] if steps else last, "n_features_in_").n_features_in_)
        return merged_model(steps, last, _names(model, last, features, count))
    if is_of_scikit(last) and type(last).__name__ == TREE:
        return _tree(model, steps, link)
    one = _link(model, last, link)
    found = lines(steps, last, one)
    links = _links(last, one, len(found.bias), link)
    made = [_converted(model, (steps, last), found, (link, features)) for link in links]
    return compare(model, made, _sample(model, steps, found))


def _tree(model: Any, steps: Steps, link: str | None) -> Tree:
    last = steps_of(model)[1]
    if steps:
        raise InputError(f"model: {type(steps[-1]).__name__} before a tree; allowed are trees on the whole numbers themselves")
    if link is not None:
        raise InputError(f"link: {link}; allowed for {TREE} is None: its leaves are classes")
    return tree_of(model, fitted(last, "tree_"))


def _link(model: Any, last: Any, link: str | None) -> str:
    """The link of one output."""
    found, name = link_of(last), type(last).__name__
    if name == BOTH and link == "transform":
        return link
    if hasattr(model, "predict_proba") and found != "logistic":
        nearest = f" Allowed is OneVsRestClassifier of {', '.join(LOGISTIC[1:])}." if name == ONE_VS_REST else ""
        raise InputError(
            f"model: {name}: its probabilities are not the sigmoid of its scores; allowed are LogisticRegression and the like, "
            f"and classifiers without probabilities.{nearest}"
        )
    return found


def _links(last: Any, one: str, outputs: int, link: str | None) -> tuple[str, ...]:
    """Links to try, of a model with so many outputs."""
    name = type(last).__name__
    links = (one,) if outputs == 1 else _SEVERAL.get(one, (one,))
    if name == ONE_VS_REST and outputs > 1 and one == "logistic":
        links = ("logistic",)
    if link is not None and link not in links:
        classes = f" with {outputs} classes or targets" if outputs > 1 else ""
        raise InputError(f"link: {link}; allowed for {name}{classes} is {' or '.join(links)}")
    if link is None and one in _FINISHED and links == (one,):
        raise InputError(
            f'model: {name} {_FINISHED[one]}; allowed with link="{one}", where Model.predict makes the predictions of the '
            "scores that the owner decrypted"
        )
    return links if link is None else (link,)


def _converted(model: Any, parts: tuple[Steps, Any], found: Lines, named: tuple[str, Sequence[str] | None]) -> Model:
    (steps, last), (link, features) = parts, named
    several = len(found.bias) > 1
    names = _names(model, last, features, _width(steps, found))
    columns = found.columns
    return Model(
        kind=_KINDS.get(link, "linear"), features=tuple(names[column.source] for column in columns),
        weights=tuple(map(tuple, found.weights.tolist())) if several else tuple(found.weights[0].tolist()),
        bias=tuple(found.bias.tolist()) if several else float(found.bias[0]),
        mean=tuple(column.mean for column in columns) if steps else (),
        scale=tuple(column.scale for column in columns) if steps else (),
        link=link, classes=_classes(last, link, len(found.bias)), outputs=_outputs(last, link) if several else (),
    )


def _width(steps: Steps, found: Lines) -> int:
    """Number of columns of the table."""
    return int(steps[0].n_features_in_) if steps else len(found.columns)


def _sample(model: Any, steps: Steps, found: Lines) -> Sample:
    names: Any = getattr(model, "feature_names_in_", None)
    by_name = names is not None and any(type(step).__name__ == "ColumnTransformer" for step in steps)
    used = [column.source for column in found.columns]
    return Sample(_width(steps, found), used, list(map(str, names)) if by_name else None, _called(steps, steps_of(model)[1]))


def _called(steps: Steps, last: Any) -> str:
    """The name of an estimator; of a pipeline, the names of its estimators."""
    return " after ".join(type(step).__name__ for step in (last, *reversed(steps)))


def _refuse_replaced(model: Any) -> None:
    """Refuses an estimator whose methods somebody replaced."""
    if replaced := [method for method in _METHODS if method in getattr(model, "__dict__", {})]:
        raise InputError(f"model: {type(model).__name__}: its {replaced[0]} was replaced; allowed are those of scikit-learn")


def _names(model: Any, last: Any, given: Sequence[str] | None, count: int) -> list[str]:
    fitted_with = getattr(model, "feature_names_in_", getattr(last, "feature_names_in_", None))
    known = [f"x{number}" for number in range(count)] if fitted_with is None else list(map(str, fitted_with))
    names = known if given is None else list(map(str, given))
    if len(names) != count:
        raise InputError(f"features: {len(names)} names; allowed are {count}, as the model has weights")
    moved = [name for place, name in enumerate(names) if fitted_with is not None and name in known and known[place] != name]
    if moved:
        raise InputError(f"features: {moved[0]} is not where the model was fitted with it; allowed is the model's own order")
    return names


def _classes(model: Any, link: str, outputs: int) -> tuple[Any, ...]:
    if link not in ("logistic", "sign", "softmax", "argmax"):
        return ()
    found = tuple(np.asarray(model.classes_).tolist())
    if len(found) != max(outputs, 2):
        raise InputError(
            f"model: {type(model).__name__} with {len(found)} classes and {outputs} scores; allowed is a score for each class. "
            "Train a model for each label"
        )
    return found


def _outputs(model: Any, link: str) -> tuple[str, ...]:
    """Names of what a transform gives; of targets an estimator knows none."""
    return tuple(map(str, model.get_feature_names_out())) if link == "transform" else ()
