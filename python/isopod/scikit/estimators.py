"""Classes of scikit-learn that become models, and what the owner makes of their scores.

The class of an estimator decides what it predicts, and its attributes do not: PoissonRegressor has coefficients like
LinearRegression, and predicts their exponential. So this module lists classes."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import InputError


def _tweedie(model: Any) -> str:
    return "log" if model.link == "log" or (model.link == "auto" and model.power > 0) else "identity"


def _gradient_descent(model: Any) -> str:
    return "logistic" if model.loss == "log_loss" else "sign"


IDENTITY = (
    "ARDRegression", "BayesianRidge", "CCA", "ElasticNet", "ElasticNetCV", "HuberRegressor", "Lars", "LarsCV", "Lasso", "LassoCV",
    "LassoLars", "LassoLarsCV", "LassoLarsIC", "LinearRegression", "LinearSVR", "MultiTaskElasticNet", "MultiTaskElasticNetCV",
    "MultiTaskLasso", "MultiTaskLassoCV", "NuSVR", "OrthogonalMatchingPursuit", "OrthogonalMatchingPursuitCV", "PLSCanonical",
    "PLSRegression", "PassiveAggressiveRegressor", "QuantileRegressor", "Ridge", "RidgeCV", "SGDRegressor", "SVR",
    "TheilSenRegressor",
)
LOG = ("GammaRegressor", "PoissonRegressor")
LOGISTIC = ("LinearDiscriminantAnalysis", "LogisticRegression", "LogisticRegressionCV")
SIGN = (
    "LinearSVC", "NuSVC", "PassiveAggressiveClassifier", "Perceptron", "RidgeClassifier", "RidgeClassifierCV", "SVC",
)
BY_SETTINGS: dict[str, Callable[[Any], str]] = {"SGDClassifier": _gradient_descent, "TweedieRegressor": _tweedie}
TRANSFORM = (
    "FactorAnalysis", "FastICA", "GaussianRandomProjection", "IncrementalPCA", "NeighborhoodComponentsAnalysis", "PCA",
    "SparseRandomProjection", "TruncatedSVD",
)
BOTH = "LinearDiscriminantAnalysis"  # predicts and transforms
ONE_VS_REST, EACH_TARGET = "OneVsRestClassifier", "MultiOutputRegressor"
CENTRED = ("CCA", "PLSCanonical", "PLSRegression")  # their predict subtracts the mean of the readings first
PAIRWISE = ("NuSVC", "SVC")  # more than two classes: a vote of classifiers of two of them each
TREE = "DecisionTreeClassifier"

_DISCRIMINANT = "LinearDiscriminantAnalysis, whose classes have one covariance, so that scores are linear"
_MERGED = "or merged=True, of merged frames"
_NEAREST = {
    "GaussianNB": _DISCRIMINANT, "QuadraticDiscriminantAnalysis": _DISCRIMINANT,
    **dict.fromkeys(("BernoulliNB", "CategoricalNB", "ComplementNB", "MultinomialNB"), "LogisticRegression on the same columns"),
    **dict.fromkeys(("MLPClassifier", "NearestCentroid"), f"LogisticRegression, {_MERGED}"),
    "KNeighborsClassifier": "LogisticRegression", "MLPRegressor": f"Ridge, {_MERGED}",
    **dict.fromkeys(("KNeighborsRegressor", "KernelRidge"), "Ridge"),
    **dict.fromkeys(("KernelPCA", "NMF", "SparsePCA"), "PCA"),
    **dict.fromkeys(
        ("GradientBoostingClassifier", "HistGradientBoostingClassifier"),
        "LogisticRegression, or DecisionTreeClassifier under TFHE",
    ),
    **dict.fromkeys(
        ("ExtraTreesClassifier", "RandomForestClassifier"),
        f"LogisticRegression, or DecisionTreeClassifier under TFHE, {_MERGED}",
    ),
    **dict.fromkeys(("GradientBoostingRegressor", "HistGradientBoostingRegressor"), "Ridge"),
    **dict.fromkeys(
        ("DecisionTreeRegressor", "ExtraTreeRegressor", "ExtraTreesRegressor", "RandomForestRegressor"), f"Ridge, {_MERGED}"
    ),
    "OneVsOneClassifier": "OneVsRestClassifier", "OutputCodeClassifier": "OneVsRestClassifier",
    "MultiOutputClassifier": "a model for each target", "ClassifierChain": "a model for each target",
    "RegressorChain": "MultiOutputRegressor",
}


def is_of_scikit(model: Any) -> bool:
    """Whether the class is scikit-learn's own."""
    return type(model).__module__.split(".")[0] == "sklearn"


def is_transformer(model: Any) -> bool:
    """Whether it maps rows to rows by a matrix, and predicts nothing."""
    return is_of_scikit(model) and type(model).__name__ in TRANSFORM


def link_of(model: Any) -> str:
    """The function that the owner applies to the scores of a model of this class, as of one output."""
    name = type(model).__name__
    if not is_of_scikit(model):
        raise InputError(_unknown(f"{name} of {type(model).__module__}, which is not scikit-learn's own class"))
    if name in BY_SETTINGS:
        return BY_SETTINGS[name](model)
    lists = {"identity": IDENTITY, "log": LOG, "logistic": LOGISTIC, "sign": SIGN, "transform": TRANSFORM}
    found = next((link for link, names in lists.items() if name in names), None)
    if name in (ONE_VS_REST, EACH_TARGET):
        found = _link_of_parts(model)
    if found is not None:
        return found
    if name in _NEAREST:
        raise InputError(f"model: {name} is not among those that a server scores; allowed is {_NEAREST[name]}")
    raise InputError(_unknown(name))


def _unknown(name: str) -> str:
    known = {*IDENTITY, *LOG, *LOGISTIC, *SIGN, *BY_SETTINGS, *TRANSFORM, ONE_VS_REST, EACH_TARGET, TREE}
    return (
        f"model: {name}; allowed are fitted models of scikit-learn's classes {', '.join(sorted(known))}, and a Pipeline of "
        "scalers and a linear or logistic one"
    )


def _link_of_parts(model: Any) -> str:
    """The link of a model that is made of one for each output."""
    name = type(model).__name__
    parts = fitted(model, "estimators_").estimators_
    others = [type(part).__name__ for part in parts if not hasattr(part, "coef_")]
    if others:
        raise InputError(
            f"model: {name} of {others[0]}; allowed are linear models in it, each with both classes; a scaler goes before it, in "
            "a Pipeline"
        )
    links = {link_of(part) for part in parts}
    allowed = {ONE_VS_REST: ({"logistic"}, {"sign"}), EACH_TARGET: ({"identity"},)}[name]
    if links not in allowed:
        inner = type(parts[0]).__name__
        raise InputError(f"model: {name} of {inner}; allowed in it are LogisticRegression, LinearSVC and the like"
                         if name == ONE_VS_REST else f"model: {name} of {inner}; allowed in it are Ridge and the like")
    return links.pop()


def fitted(model: Any, attribute: str) -> Any:
    """The model; refuses one that lacks what fit gives."""
    if not hasattr(model, attribute):
        name = type(model).__name__
        kernel = getattr(model, "kernel", "linear")
        if kernel != "linear":
            raise InputError(f'model: {name} with the kernel {kernel}; allowed is kernel="linear"')
        raise InputError(f"model: {name} is not fitted; allowed are fitted models: call fit before")
    return model
