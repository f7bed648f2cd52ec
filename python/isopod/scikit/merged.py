"""Models for merged frames: networks of one hidden layer, trees and forests of real numbers, the nearest of several centres."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..models import Hidden, Model
from .estimators import fitted, is_of_scikit
from .numbers import numbers, quietly
from .steps import Column, Steps, scaled

NETWORKS = ("MLPClassifier", "MLPRegressor")
TREES = ("DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeClassifier", "ExtraTreeRegressor")
FORESTS = ("ExtraTreesClassifier", "ExtraTreesRegressor", "RandomForestClassifier", "RandomForestRegressor")
CENTRES = ("BisectingKMeans", "KMeans", "MiniBatchKMeans", "NearestCentroid")
MERGED = (*NETWORKS, *TREES, *FORESTS, *CENTRES)

MOST_UNITS, MOST_BRANCHES, MOST_LEAVES, MOST_DEPTH, MOST_CENTRES = 256, 128, 256, 8, 9
_CLOSE = 1e-6


def merged_model(steps: Steps, last: Any, names: Sequence[str]) -> Model:
    """The model of an estimator behind scalers, which is compared with it on sample rows."""
    name = type(last).__name__
    if not is_of_scikit(last) or name not in MERGED:
        raise InputError(f"model: {name}; allowed with merged=True are {', '.join(MERGED)}")
    make = _network if name in NETWORKS else _centres if name in CENTRES else _forest
    return _compared(last, make(last, _given(steps, names)))


def _given(steps: Steps, names: Sequence[str]) -> dict[str, Any]:
    """Features, and how they are standardised."""
    columns = [Column(number) for number in range(len(names))]
    for step in steps:
        columns = scaled(step, columns)
    if sorted(column.source for column in columns) != list(range(len(names))):
        raise InputError("model: ColumnTransformer that drops or repeats columns; allowed is each column once with merged=True")
    return {
        "features": tuple(names[column.source] for column in columns),
        "mean": tuple(column.mean for column in columns) if steps else (),
        "scale": tuple(column.scale for column in columns) if steps else (),
    }


def _network(model: Any, given: dict[str, Any]) -> Model:
    _check_network(model)
    first, second = (np.asarray(layer, dtype=np.float64).T for layer in model.coefs_)
    biases = [np.asarray(bias, dtype=np.float64) for bias in model.intercepts_]
    hidden = Hidden(model.activation, tuple(map(tuple, first.tolist())), tuple(biases[0].tolist()))
    kind = {"identity": "linear", "logistic": "logistic", "softmax": "multinomial"}[model.out_activation_]
    several = len(second) > 1
    return Model(
        kind=kind, hidden=hidden, weights=tuple(map(tuple, second.tolist())) if several else tuple(second[0].tolist()),
        bias=tuple(biases[1].tolist()) if several else float(biases[1][0]),
        classes=() if kind == "linear" else tuple(np.asarray(model.classes_).tolist()), **given,
    )


def _check_network(model: Any) -> None:
    layers = fitted(model, "coefs_").coefs_
    name = type(model).__name__
    if len(layers) != 2 or layers[0].shape[1] > MOST_UNITS:
        sizes = ", ".join(str(layer.shape[1]) for layer in layers[:-1])
        raise InputError(f"hidden_layer_sizes: {sizes} of {name}; allowed is one layer of 1 to {MOST_UNITS} units")
    if model.activation not in ("relu", "tanh", "logistic"):
        raise InputError(f"activation: {model.activation} of {name}; allowed are relu, tanh and logistic")
    if model.out_activation_ == "logistic" and layers[1].shape[1] > 1:
        raise InputError(f"model: {name} of {layers[1].shape[1]} labels a row; allowed is one: train a model for each")
    if getattr(model, "loss", "squared_error") == "poisson":
        raise InputError(f"model: {name} with the loss poisson; allowed is squared_error")


def _centres(model: Any, given: dict[str, Any]) -> Model:
    """The nearest centre c has the largest c x - c c / 2."""
    name = type(model).__name__
    has_priors = getattr(model, "priors", "uniform") not in (None, "uniform")
    if name == "NearestCentroid" and (model.metric != "euclidean" or has_priors):
        raise InputError(f"metric: {model.metric} of {name}; allowed is euclidean, with uniform priors")
    attribute = "centroids_" if name == "NearestCentroid" else "cluster_centers_"
    centres = numbers(fitted(model, attribute), attribute)
    if not 2 <= len(centres) <= MOST_CENTRES:
        raise InputError(f"centres: {len(centres)} of {name}; allowed are 2 to {MOST_CENTRES}")
    classes = model.classes_.tolist() if name == "NearestCentroid" else range(len(centres))
    return Model(
        kind="classifier", weights=tuple(map(tuple, centres.tolist())), classes=tuple(classes),
        bias=tuple((-(centres * centres).sum(axis=1) / 2).tolist()), **given,
    )


def _forest(model: Any, given: dict[str, Any]) -> Model:
    name = type(model).__name__
    found = [fitted(model, "tree_")] if name in TREES else fitted(model, "estimators_").estimators_
    trees, is_classifier = [one.tree_ for one in found], hasattr(model, "classes_")
    if is_classifier and trees[0].n_outputs > 1:
        raise InputError(f"model: {name} of {trees[0].n_outputs} labels a row; allowed is one: train a model for each")
    _check_trees(name, trees)
    kind, classes = ("classifier", tuple(np.asarray(model.classes_).tolist())) if is_classifier else ("linear", ())
    grown = _branching([_node(tree, 0, len(trees), is_classifier) for tree in trees])
    return Model(kind=kind, weights=(), bias=(), trees=grown, classes=classes, **given)


def _check_trees(name: str, trees: Sequence[Any]) -> None:
    leaves, depth = sum(int(tree.n_leaves) for tree in trees), max(int(tree.max_depth) for tree in trees)
    branches = sum(int(tree.node_count) for tree in trees) - leaves
    limits = (("branches", branches, MOST_BRANCHES), ("leaves", leaves, MOST_LEAVES), ("max_depth", depth, MOST_DEPTH))
    for field, count, most in limits:
        if count > most:
            raise InputError(f"{field}: {count} of {name}; allowed are at most {most}: fit fewer or smaller trees")
    if not branches:
        raise InputError(f"model: {name} without a branch; allowed are trees of one or more")


def _branching(grown: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """The trees with branches, of which the first one has the constants of the others."""
    first, *others = (tree for tree in grown if "branch" in tree)
    constant = np.sum([tree["leaf"] for tree in grown if "leaf" in tree], axis=0)
    return (_raised(first, constant) if np.any(constant) else first, *others)


def _node(tree: Any, at: int, trees: int, is_classifier: bool) -> dict[str, Any]:
    if tree.children_left[at] < 0:
        values = np.asarray(tree.value[at], dtype=np.float64)
        values = values[0] / values[0].sum() if is_classifier else values[:, 0]
        return {"leaf": (values / trees).tolist()}
    return {"branch": {
        "feature": int(tree.feature[at]), "above": float(tree.threshold[at]),
        "then": _node(tree, tree.children_right[at], trees, is_classifier),
        "otherwise": _node(tree, tree.children_left[at], trees, is_classifier),
    }}


def _raised(node: dict[str, Any], constant: NDArray[np.float64]) -> dict[str, Any]:
    """The tree with a constant added to every leaf."""
    if "leaf" in node:
        return {"leaf": (np.asarray(node["leaf"]) + constant).tolist()}
    branch = node["branch"]
    return {"branch": {**branch, **{side: _raised(branch[side], constant) for side in ("then", "otherwise")}}}


def _compared(model: Any, made: Model) -> Model:
    """The model, unless the estimator itself predicts something else of sample rows, in its own columns."""
    rows = _rows(made)
    scores = made.in_the_clear(rows)
    try:
        if made.kind in ("logistic", "multinomial") or made.trees and made.classes:
            wanted = quietly(model.predict_proba, rows)
            found = made.predict_proba(scores) if made.link != "argmax" else scores
            same = np.abs(found - wanted).max() <= _CLOSE
        elif made.kind == "linear":
            wanted = quietly(model.predict, rows).reshape(scores.shape)
            same = np.abs(scores - wanted).max() <= _CLOSE * max(1.0, np.abs(wanted).max())
        else:
            clear = made.margins(scores) > _CLOSE * max(1.0, np.abs(scores).max())
            same = (quietly(model.predict, rows) == made.predict(scores))[clear].all()
    except InputError:
        raise
    except Exception as error:
        name = type(model).__name__
        raise InputError(f"model: {name}: predict fails on sample rows ({error}); allowed are fitted models") from error
    if not same:
        name = type(model).__name__
        raise InputError(f"model: {name} predicts something else than its numbers say; allowed are models as they were fitted")
    return made


def _rows(made: Model) -> NDArray[np.float64]:
    """Random rows, also on both sides of every threshold; numbers of single precision, in which scikit-learn's trees compare."""
    draws, width = np.random.default_rng(3), len(made.features)
    bends = [branch for tree in made.trees for branch in _branches(tree)]
    rows = draws.normal(size=(64 + 2 * len(bends), width)) * 4.0
    for at, branch in enumerate(bends):
        away = max(1e-3, abs(branch["above"]) * 1e-3)
        rows[64 + 2 * at:66 + 2 * at, branch["feature"]] = branch["above"] - away, branch["above"] + away
    return rows.astype(np.float32).astype(np.float64)


def _branches(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "branch" in node:
        yield node["branch"]
        for side in ("then", "otherwise"):
            yield from _branches(node["branch"][side])
