"""Converts models of scikit-learn, by the class of the estimator.

The class of an estimator decides what it predicts, and its attributes do not: PoissonRegressor has coefficients like
LinearRegression, and predicts their exponential. So this module lists classes, and compares every converted model with the
estimator on sample rows."""
from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import InputError
from .missing import refuse_masked
from .models import Model, Tree, sigmoid


def _tweedie(model: Any) -> str:
    return "log" if model.link == "log" or (model.link == "auto" and model.power > 0) else "identity"


def _gradient_descent(model: Any) -> str:
    return "logistic" if model.loss == "log_loss" else "sign"


_IDENTITY = (
    "ARDRegression", "BayesianRidge", "CCA", "ElasticNet", "ElasticNetCV", "HuberRegressor", "Lars", "LarsCV", "Lasso", "LassoCV",
    "LassoLars", "LassoLarsCV", "LassoLarsIC", "LinearRegression", "LinearSVR", "MultiTaskElasticNet", "MultiTaskElasticNetCV",
    "MultiTaskLasso", "MultiTaskLassoCV", "NuSVR", "OrthogonalMatchingPursuit", "OrthogonalMatchingPursuitCV", "PLSCanonical",
    "PLSRegression", "PassiveAggressiveRegressor", "QuantileRegressor", "Ridge", "RidgeCV", "SGDRegressor", "SVR",
    "TheilSenRegressor",
)
_LOG = ("GammaRegressor", "PoissonRegressor")
_LOGISTIC = ("LinearDiscriminantAnalysis", "LogisticRegression", "LogisticRegressionCV")
_SIGN = (
    "LinearSVC", "NuSVC", "PassiveAggressiveClassifier", "Perceptron", "RidgeClassifier", "RidgeClassifierCV", "SVC",
)
_BY_SETTINGS: dict[str, Callable[[Any], str]] = {"SGDClassifier": _gradient_descent, "TweedieRegressor": _tweedie}
_CENTRED = ("CCA", "PLSCanonical", "PLSRegression")
_FINISHED = {
    "log": "predicts the exponential of its score",
    "sign": "gives a class by the sign of its score, and no probability by a sigmoid",
}
_TREE = "DecisionTreeClassifier"
_EXACT = 2**24  # scikit-learn's trees compare in single precision, which has the whole numbers up to here
_CLOSE, _TINY = 1e-6, 1e-12  # of the summands of a score, and at least
_METHODS = ("decision_function", "predict", "predict_proba", "transform")


def from_sklearn(model: Any, features: Sequence[str] | None = None, *, link: str | None = None) -> Model | Tree:
    """A fitted scikit-learn model, for :meth:`isopod.Server.score`.

    Takes linear regressors (``LinearRegression``, ``Ridge``, ``Lasso``, ``SVR(kernel="linear")``, ...), classifiers of two
    classes whose probability is a sigmoid (``LogisticRegression``, ``LinearDiscriminantAnalysis``,
    ``SGDClassifier(loss="log_loss")``), a ``Pipeline`` of ``StandardScaler`` and one of these, and ``DecisionTreeClassifier``
    for whole numbers. With ``link="log"`` it takes ``PoissonRegressor``, ``GammaRegressor`` and ``TweedieRegressor``, with
    ``link="sign"`` ``Perceptron``, ``LinearSVC``, ``RidgeClassifier``, ``SVC(kernel="linear")`` and the like: the server
    computes their scores, and the owner's :meth:`isopod.Model.predict` makes predictions of them.

    Every model is compared with the estimator's ``predict`` and ``predict_proba`` on sample rows. One that differs is refused by
    name, as is every other class, derived ones too. ``features`` are names of the columns; else those that the model was
    fitted with, else ``x0``, ``x1``, ..."""
    scaler, last = _steps(model)
    for step in (model, scaler, last):
        _refuse_replaced(step)
    name = type(last).__name__
    if _is_of_scikit(last) and name == _TREE:
        if scaler is not None:
            raise InputError("model: StandardScaler before a tree; allowed are trees on the whole numbers themselves")
        if link is not None:
            raise InputError(f"link: {link}; allowed for {name} is None: its leaves are classes")
        return _tree(model, _fitted(last, "tree_"))
    found = _link(last)
    if hasattr(model, "predict_proba") and found != "logistic":
        raise InputError(
            f"model: {name}: its probabilities are not the sigmoid of its scores; allowed are LogisticRegression and the like, "
            "and classifiers without probabilities"
        )
    if link not in (None, found):
        raise InputError(f"link: {link}; allowed for {name} is {found}")
    if link is None and found in _FINISHED:
        raise InputError(
            f'model: {name} {_FINISHED[found]}; allowed with link="{found}", where Model.predict makes the predictions of the '
            "scores that the owner decrypted"
        )
    made = _converted(model, (scaler, last), found, features)
    _compare(model, made)
    return made


def _converted(model: Any, steps: tuple[Any, Any], link: str, features: Sequence[str] | None) -> Model:
    scaler, last = steps
    weights, bias = _line(last)
    mean, scale = _standardisation(scaler, weights.size)
    return Model(
        kind="logistic" if link == "logistic" else "linear", features=_names(model, last, features, weights.size),
        weights=tuple(weights.tolist()), bias=bias, mean=mean, scale=scale, link=link, classes=_classes(last, link),
    )


def _is_of_scikit(model: Any) -> bool:
    return type(model).__module__.split(".")[0] == "sklearn"


def _steps(model: Any) -> tuple[Any, Any]:
    """The scaler, if any, and the model itself."""
    if type(model).__name__ != "Pipeline" or not _is_of_scikit(model):
        return None, model
    steps = [step for _, step in model.steps if step not in (None, "passthrough")]
    names = [type(step).__name__ for step in steps]
    if len(steps) == 1:
        return None, steps[0]
    if len(steps) == 2 and names[0] == "StandardScaler" and _is_of_scikit(steps[0]):
        return _fitted(steps[0], "n_features_in_"), steps[1]
    raise InputError(f"model: Pipeline of {', '.join(names)}; allowed is StandardScaler and a linear or logistic model")


def _link(model: Any) -> str:
    """The function that the owner applies to the scores of a model of this class."""
    name = type(model).__name__
    lists = {"identity": _IDENTITY, "log": _LOG, "logistic": _LOGISTIC, "sign": _SIGN}
    found = next((link for link, names in lists.items() if name in names), None)
    if _is_of_scikit(model) and name in _BY_SETTINGS:
        return _BY_SETTINGS[name](model)
    if _is_of_scikit(model) and found is not None:
        return found
    known = ", ".join(sorted({*_IDENTITY, *_LOG, *_LOGISTIC, *_SIGN, *_BY_SETTINGS, _TREE}))
    whose = name if _is_of_scikit(model) else f"{name} of {type(model).__module__}, which is not scikit-learn's own class"
    raise InputError(
        f"model: {whose}; allowed are fitted models of scikit-learn's classes {known}, and a Pipeline of StandardScaler and a "
        "linear or logistic one"
    )


def _refuse_replaced(model: Any) -> None:
    """Refuses an estimator whose methods somebody replaced."""
    if replaced := [method for method in _METHODS if method in getattr(model, "__dict__", {})]:
        raise InputError(f"model: {type(model).__name__}: its {replaced[0]} was replaced; allowed are those of scikit-learn")


def _fitted(model: Any, attribute: str) -> Any:
    if not hasattr(model, attribute):
        name = type(model).__name__
        kernel = getattr(model, "kernel", "linear")
        if kernel != "linear":
            raise InputError(f'model: {name} with the kernel {kernel}; allowed is kernel="linear"')
        raise InputError(f"model: {name} is not fitted; allowed are fitted models: call fit before")
    return model


def _line(model: Any) -> tuple[NDArray[np.float64], float]:
    """The weights and the constant of the score."""
    _fitted(model, "coef_")
    weights, bias = (_numbers(model, name) for name in ("coef_", "intercept_"))
    outputs = weights.shape[0] if weights.ndim == 2 else 1
    if outputs != 1 or bias.size != 1:
        raise InputError(
            f"model: {type(model).__name__} with {max(outputs, bias.size)} outputs; allowed is one: two classes, or one target. "
            "Train a model for each"
        )
    weights = weights.reshape(-1)
    if type(model).__name__ in _CENTRED:  # their predict subtracts the mean of the readings first
        with np.errstate(all="ignore"):
            bias = np.asarray(_quietly(model.predict, np.zeros((1, weights.size))), dtype=np.float64)
    return weights, float(bias.reshape(-1)[0])


def _numbers(model: Any, name: str) -> NDArray[np.float64]:
    value = getattr(model, name)
    value = value.toarray() if hasattr(value, "toarray") else value
    refuse_masked(name, value)
    try:
        found = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name}: of {type(model).__name__}, holds no numbers; allowed are finite ones") from None
    if not np.isfinite(found).all():
        raise InputError(f"{name}: of {type(model).__name__}, not finite; allowed are finite numbers")
    return found


def _standardisation(scaler: Any, count: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    if scaler is None:
        return (), ()
    mean = np.zeros(count) if scaler.mean_ is None else _numbers(scaler, "mean_")
    scale = np.ones(count) if scaler.scale_ is None else _numbers(scaler, "scale_")
    if not scaler.with_mean:
        mean = np.zeros(count)
    if not scaler.with_std:
        scale = np.ones(count)
    return tuple(map(float, mean)), tuple(map(float, scale))


def _names(model: Any, last: Any, given: Sequence[str] | None, count: int) -> tuple[str, ...]:
    fitted = getattr(model, "feature_names_in_", getattr(last, "feature_names_in_", None))
    known = [f"x{number}" for number in range(count)] if fitted is None else list(map(str, fitted))
    names = known if given is None else list(map(str, given))
    if len(names) != count:
        raise InputError(f"features: {len(names)} names; allowed are {count}, as the model has weights")
    moved = [name for place, name in enumerate(names) if fitted is not None and name in known and known[place] != name]
    if moved:
        raise InputError(f"features: {moved[0]} is not where the model was fitted with it; allowed is the model's own order")
    return tuple(names)


def _classes(model: Any, link: str) -> tuple[Any, ...]:
    if link not in ("logistic", "sign"):
        return ()
    found = tuple(np.asarray(model.classes_).tolist())
    if len(found) != 2:
        raise InputError(f"model: {type(model).__name__} with {len(found)} classes; allowed are two. Train a model for each")
    return found


def _quietly(call: Callable[[Any], Any], rows: NDArray[Any]) -> Any:
    """Calls an estimator with rows whose columns have no names."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(rows)


def _compare(model: Any, made: Model) -> None:
    """Refuses a model that predicts other values than the estimator."""
    standardised = _sample(made)
    mean, scale = (np.asarray(given or neutral) for given, neutral in ((made.mean, (0.0,)), (made.scale, (1.0,))))
    rows = mean + scale * standardised
    weights = np.asarray(made.weights)
    scores = standardised @ weights + made.bias
    close = _CLOSE * ((np.abs(standardised) + np.abs(mean / scale)) @ np.abs(weights) + abs(made.bias)) + _TINY
    try:
        same = _same(model, made, (rows, scores, close))
    except Exception as error:
        raise InputError(f"model: {_called(model)}: predict fails on sample rows ({error}); allowed are fitted models") from error
    if not same:
        raise InputError(
            f"model: {_called(model)} predicts something else than its coefficients say; allowed are models as they were fitted"
        )


def _same(model: Any, made: Model, sample: tuple[NDArray[Any], NDArray[Any], NDArray[Any]]) -> bool:
    rows, scores, close = sample
    found = np.asarray(_quietly(model.predict, rows))
    if found.size != len(rows):
        return False
    found = found.reshape(-1)
    if made.link in ("identity", "log"):
        found = found.astype(np.float64)
        with np.errstate(all="ignore"):
            found = np.log(found) if made.link == "log" else found
        return bool((np.abs(found - scores) <= close).all())
    is_clear = np.abs(scores) > close
    same = bool((found == made.predict(scores))[is_clear].all())
    if made.link == "logistic":
        probabilities = np.asarray(_quietly(model.predict_proba, rows))
        wanted = np.stack([sigmoid(-scores), sigmoid(scores)], axis=1)
        same = same and probabilities.shape == wanted.shape and bool((np.abs(probabilities - wanted).max(axis=1) <= close).all())
    return same


def _called(model: Any) -> str:
    """The name of an estimator; of a pipeline, the names of its estimators."""
    steps = [step for step in _steps(model) if step is not None]
    return " after ".join(type(step).__name__ for step in reversed(steps))


def _sample(made: Model) -> NDArray[np.float64]:
    """Standardised rows: the origin, random rows, and rows whose scores lie where links bend."""
    weights, numbers = np.asarray(made.weights), np.random.default_rng(1)
    rows = np.vstack([np.zeros((1, weights.size)), numbers.normal(size=(64, weights.size))])
    if not weights.any():
        return rows
    targets = np.concatenate([side * np.geomspace(1e-3, 8.0, 24) for side in (-1, 1)])
    bent = numbers.normal(size=(targets.size, weights.size))
    bent += np.outer(targets - bent @ weights - made.bias, weights / (weights @ weights))
    return bent if made.link == "log" else np.vstack([rows, bent])


def _tree(model: Any, fitted: Any) -> Tree:
    tree = fitted.tree_
    if tree.n_outputs != 1 or len(fitted.classes_) > 256:
        raise InputError(f"model: a tree with {tree.n_outputs} outputs; allowed is one, with at most 256 classes")

    def node(at: int) -> dict[str, Any]:
        if tree.children_left[at] < 0:
            return {"leaf": int(np.argmax(tree.value[at][0]))}
        if not abs(tree.threshold[at]) < _EXACT:
            raise InputError(
                f"model: a tree with the threshold {tree.threshold[at]:.0f}; allowed is below 2^24, up to where scikit-learn "
                "tells whole numbers apart"
            )
        # x <= t of a whole number is x <= floor(t).
        return {
            "branch": {
                "feature": int(tree.feature[at]), "above": math.floor(tree.threshold[at]),
                "then": node(tree.children_right[at]), "otherwise": node(tree.children_left[at]),
            }
        }

    made = Tree(int(fitted.n_features_in_), node(0), tuple(fitted.classes_.tolist()))
    rows, leaves = map(np.asarray, zip(*_reached(made.root, np.tile([[-_EXACT], [_EXACT]], made.features))))
    if [made.classes[leaf] for leaf in leaves] != np.asarray(_quietly(model.predict, rows)).tolist():
        raise InputError(f"model: {_TREE} predicts something else than its tree says; allowed are models as they were fitted")
    return made


def _reached(node: dict[str, Any], bounds: NDArray[Any]) -> Iterator[tuple[NDArray[Any], int]]:
    """For each leaf, two corners of the whole numbers that reach it; ``bounds`` are the least and the largest numbers."""
    if (bounds[0] > bounds[1]).any():
        return
    if "leaf" in node:
        yield from ((corner, node["leaf"]) for corner in bounds)
        return
    branch = node["branch"]
    for side, bound, least in (("then", 0, branch["above"] + 1), ("otherwise", 1, branch["above"])):
        inside = bounds.copy()
        at = branch["feature"]
        inside[bound, at] = max(inside[bound, at], least) if bound == 0 else min(inside[bound, at], least)
        yield from _reached(branch[side], inside)
