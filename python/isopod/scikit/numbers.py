"""Numbers of estimators, and calls of their methods."""
from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..missing import refuse_masked


def numbers(model: Any, name: str) -> NDArray[np.float64]:
    """An attribute that fit made, as finite numbers."""
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


def quietly(call: Callable[[Any], Any], rows: Any) -> NDArray[Any]:
    """Calls an estimator with rows whose columns may have no names."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found = call(rows)
    return np.asarray(found.toarray() if hasattr(found, "toarray") else found)
