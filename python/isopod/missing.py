"""Refuses masked arrays, because any number may lie below a mask."""
from typing import Any

import numpy as np

from .errors import InputError


def refuse_masked(field: str, values: Any) -> None:
    """Refuses masked arrays of numpy and sequences of them, because numpy would take the numbers below the mask."""
    if isinstance(values, np.ma.MaskedArray) or _holds_masked(values):
        raise InputError(
            f"{field}: a masked array; allowed are arrays without missing values. Leave out the rows that have them, or call "
            "filled() with a number"
        )


def _holds_masked(values: Any) -> bool:
    if not isinstance(values, (list, tuple)):
        return False
    return any(isinstance(value, np.ma.MaskedArray) or _holds_masked(value) for value in values)
