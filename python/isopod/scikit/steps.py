"""Pipelines: what scalers and ColumnTransformers do to the columns before a linear model."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .estimators import TRANSFORM, fitted, is_of_scikit
from .numbers import numbers

Steps = tuple[Any, ...]

_SCALERS = "StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler"
_ENCODERS = ("OneHotEncoder", "OrdinalEncoder", "TargetEncoder", "SimpleImputer", "KBinsDiscretizer", "PolynomialFeatures")


@dataclass(frozen=True)
class Column:
    """The column of that number, standardised: (x - mean) / scale."""

    source: int
    mean: float = 0.0
    scale: float = 1.0


def steps_of(model: Any) -> tuple[Steps, Any]:
    """The steps before the model itself, if any, and the model."""
    if type(model).__name__ != "Pipeline" or not is_of_scikit(model):
        return (), model
    steps = [step for _, step in model.steps if step not in (None, "passthrough")]
    before = [inner for step in steps[:-1] for inner in _flat(step)]
    inner, last = steps_of(steps[-1])
    return (*before, *inner), last


def _flat(step: Any) -> list[Any]:
    inner, last = steps_of(step)
    return [*inner, last]


def scaled(step: Any, columns: Sequence[Column]) -> list[Column]:
    """The columns after a step that treats each by itself."""
    name = type(step).__name__
    if name == "Pipeline" and is_of_scikit(step):
        for inner in _flat(step):
            columns = scaled(inner, columns)
        return list(columns)
    if name == "ColumnTransformer" and is_of_scikit(step):
        return _placed(fitted(step, "transformers_"), columns)
    mean, scale = _standardisation(step, len(columns))
    pairs = zip(columns, mean.tolist(), scale.tolist())
    return [Column(one.source, one.mean + one.scale * of, one.scale * by) for one, of, by in pairs]


def _standardisation(step: Any, count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and scale that a scaler gives to each column."""
    name = type(step).__name__
    if not is_of_scikit(step) or name not in (*_SCALERS.split(", "), "FunctionTransformer"):
        raise InputError(_refused(name))
    if name == "FunctionTransformer":
        if step.func is not None:
            raise InputError("model: FunctionTransformer with a function; apply it to the table before fit and encrypt")
        return np.zeros(count), np.ones(count)
    fitted(step, "scale_")
    if getattr(step, "clip", False):
        raise InputError(f"model: {name} that clips; allowed is clip=False, since a server cannot clip")

    def given(attribute: str, otherwise: float, used: bool = True) -> NDArray[np.float64]:
        has = used and getattr(step, attribute, None) is not None
        return numbers(step, attribute) if has else np.full(count, otherwise)

    if name == "MinMaxScaler":
        scale = 1.0 / given("scale_", 1.0)
        return -given("min_", 0.0) * scale, scale
    centre = {"StandardScaler": ("mean_", "with_mean"), "RobustScaler": ("center_", "with_centering")}.get(name)
    width = {"StandardScaler": "with_std", "RobustScaler": "with_scaling"}.get(name)
    mean = given(centre[0], 0.0, getattr(step, centre[1])) if centre else np.zeros(count)
    return mean, given("scale_", 1.0, width is None or getattr(step, width))


def _refused(name: str) -> str:
    if name in _ENCODERS:
        return f"model: Pipeline of {name}; apply it to the table before fit and encrypt: allowed in a Pipeline are {_SCALERS}"
    return (
        f"model: Pipeline of {name}; allowed are {_SCALERS}, ColumnTransformer of these, \"passthrough\" and \"drop\", "
        f"{', '.join(TRANSFORM)}, and then a linear or logistic model"
    )


def _placed(step: Any, columns: Sequence[Column]) -> list[Column]:
    """The columns after a ColumnTransformer, in its order."""
    if step.transformer_weights:
        raise InputError("model: ColumnTransformer with transformer_weights; allowed is None: scale the columns in it")
    placed: dict[int, Column] = {}
    for name, transformer, chosen in step.transformers_:
        inner = [columns[number] for number in _chosen(step, chosen)]
        if isinstance(transformer, str):
            inner = inner if transformer == "passthrough" else []
        elif inner:
            inner = scaled(transformer, inner)
        place = step.output_indices_.get(name, slice(0, 0))
        placed |= zip(range(place.start, place.stop), inner)
    return [placed[at] for at in sorted(placed)]


def _chosen(step: Any, chosen: Any) -> list[int]:
    """Numbers of the columns that a part of a ColumnTransformer takes."""
    every = range(step.n_features_in_)
    try:
        if isinstance(chosen, slice):
            return list(every[chosen])
        listed = [chosen] if isinstance(chosen, (str, int)) else list(chosen)
        if listed and all(isinstance(one, (bool, np.bool_)) for one in listed):
            return [number for number, is_chosen in zip(every, listed) if is_chosen]
        names = list(getattr(step, "feature_names_in_", ()))
        return [names.index(one) if isinstance(one, str) else every[one] for one in listed]
    except (TypeError, ValueError, IndexError):
        raise InputError(f"model: ColumnTransformer of {chosen!r}; allowed are numbers and names of columns") from None
