"""The device's side: it turns arrays into frames."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Unpack, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _isopod
from .columns import Columns
from .errors import DtypeError, InputError
from .missing import refuse_masked
from .models import Model
from .options import Encoding, filled

_REAL = {"float32", "float64"}
_WHOLE = {"bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"}
_DEFAULTS: dict[str, Any] = {
    "means": [], "scales": [], "edges": [], "buckets": 1, "rows_per_frame": None, "fill_rows": False, "scale_bits": None,
    "bound_bits": 4, "suite": "chacha20", "level": 0, "layout": None, "precision": None, "whole_bodies": False, "label": "128",
    "epoch": None, "sequence": None, "progress": None, "derived": None, "categories": [],
}


class Device:
    """A device's folder: encrypts with the code that runs on devices, bit for bit.

    :func:`isopod.keygen` made ``folder``. The public key is ``public_key``, or is found in the folder or in ``public`` beside
    it. With ``by_secret_key`` frames are half as large; the device needs the secret key for that."""

    def __init__(
        self, folder: str | PathLike[str], *, public_key: str | PathLike[str] | None = None, by_secret_key: bool = False
    ) -> None:
        self._device = _isopod.Device(folder, public_key, by_secret_key)
        self._opened = (Path(folder), public_key, by_secret_key)

    def __repr__(self) -> str:
        return f"Device(number={self.number}, set={self.set!r}, key={self.key!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickle holds the path, and no key; who unpickles it opens the folder."""
        return _reopened, self._opened

    @property
    def set(self) -> str:
        """Name of the parameter set."""
        return self._device.set

    @property
    def key(self) -> str:
        """Name of the key pair that frames are encrypted for, in hexadecimal. If it is not the owner's, somebody changed the
        folder."""
        return self._device.key

    @property
    def number(self) -> int:
        """The device's number."""
        return self._device.number

    def encrypt(
        self,
        values: ArrayLike | Mapping[str, Any],
        *,
        columns: Sequence[str] | Columns | None = None,
        model: Model | None = None,
        buckets: Sequence[float] | None = None,
        **encoding: Unpack[Encoding],
    ) -> list[bytes]:
        """Encrypts a table and gives its frames. Each frame can be sent by itself.

        ``values`` has the shape (rows, columns), or (columns,) for one row: float64 or float32 under CKKS, whole numbers under
        BFV and TFHE, in the type of the array (bool, uint8 ... int64). C-contiguous arrays of float64, float32 and
        int32 are read where they lie; others are copied. A table of pandas or pyarrow gives its names. Missing values are
        refused, and masked arrays whatever their mask.

        ``columns`` names the columns: then only tables of the same names are added up or scored. A :class:`isopod.Columns` takes
        them from a table by name, standardises them and derives more from them. ``model`` takes its features, in
        its order, standardised. ``buckets`` are ascending edges under BFV: readings are counted, a one in a block for each.
        Options are those of :class:`isopod.options.Encoding`."""
        options = filled(_DEFAULTS, encoding)
        progress = options.pop("progress")
        if isinstance(columns, Columns):
            if model is not None or buckets is not None:
                raise InputError("columns: with a model or buckets; allowed is one of them")
            values, options["categories"] = columns.readings(values)
            options |= {"means": columns.means, "scales": columns.scales, "derived": columns.derived()}
            columns = columns.names
        if model is not None and columns is None:
            columns = _labels(values)
        table, names = _table(values, columns)
        if model is not None:
            table, names = _standardised(table, names, model)
            options |= {"means": model.mean, "scales": model.scale}
        table, kind = self._numbers(table)
        if buckets is not None:
            refuse_masked("buckets", buckets)
            options["edges"] = [float(edge) for edge in buckets]
            table, options["buckets"] = self._one_hot(table, options["edges"])
        options |= {"names": names, "value_type": kind}
        return self._device.encrypt(table, cast("_isopod._Encoding", options), progress)

    def _numbers(self, table: NDArray[Any]) -> tuple[NDArray[Any], str | None]:
        """The table in the form that the set takes, and the type of values under TFHE."""
        name, scheme = table.dtype.name, self.set.split("-")[0]
        if name not in (_REAL | _WHOLE if scheme == "ckks" else _WHOLE):
            allowed = "float64, float32 and whole numbers" if scheme == "ckks" else ", ".join(sorted(_WHOLE))
            raise DtypeError(f"values: dtype {name}; allowed under {self.set} are {allowed}")
        if scheme == "ckks":
            return np.ascontiguousarray(table, dtype=name if name in _REAL else np.float64), None
        if scheme == "bfv":
            least, most = int(table.min()), int(table.max())
            if least < -(2**31) or most >= 2**31:
                raise InputError(f"values: {least} to {most}; allowed under {self.set} are 32 bits at most")
            return np.ascontiguousarray(table, dtype=np.int32), None
        wide = np.uint64 if table.dtype.kind in "bu" else np.int64
        return np.ascontiguousarray(table, dtype=wide), name.replace("uint", "u").replace("int", "i")

    def _one_hot(self, table: NDArray[Any], edges: list[float]) -> tuple[NDArray[Any], int]:
        """Each value as a block with a one in its bucket."""
        if not self.set.startswith("bfv-"):
            raise InputError(f"buckets: counts are integers; allowed are keys of sets that begin with bfv-, not {self.set}")
        if not np.all(np.isfinite(edges)) or not np.all(np.diff(edges) > 0):
            raise InputError("buckets: the edges must be finite and ascend")
        width = 1 << len(edges).bit_length()  # the smallest power of two for one bucket more than edges
        blocks = np.searchsorted(edges, table, side="right")[..., None] == np.arange(width)
        return np.ascontiguousarray(blocks.reshape(table.shape[0], -1), dtype=np.int32), width


def _reopened(folder: Path, public_key: str | PathLike[str] | None, by_secret_key: bool) -> Device:
    return Device(folder, public_key=public_key, by_secret_key=by_secret_key)


def _table(values: Any, columns: Sequence[str] | None) -> tuple[NDArray[Any], list[str]]:
    """The table with two dimensions, and the names of its columns: the given ones, else those in a table of pandas or Arrow."""
    if hasattr(values, "column_names") and hasattr(values, "to_pandas"):
        values = values.to_pandas()
    if columns is None and hasattr(values, "to_numpy"):
        columns = getattr(values, "columns", None)
    refuse_masked("values", values)
    _refuse_texts(values)
    try:
        given = np.asanyarray(values)
    except ValueError as error:
        raise DtypeError(f"values: no table; allowed are rows of the same length ({error})") from None
    refuse_masked("values", given)  # an object may give a masked array only when it is asked for one
    table = np.asarray(given)
    if table.ndim == 1:
        table = table.reshape(1, -1)
    if table.ndim != 2 or 0 in table.shape:
        raise DtypeError(f"values: shape {table.shape}; allowed is (rows, columns) or (columns,), with at least one value")
    names = [] if columns is None else [str(name) for name in columns]
    if len(names) not in (0, table.shape[1]):
        raise InputError(f"columns: {len(names)} names; allowed are {table.shape[1]}, as the values have columns")
    return table, names


def _refuse_texts(values: Any) -> None:
    """Refuses a table of pandas that has a column without numbers, by its name."""
    dtypes: Any = getattr(values, "dtypes", None)
    if getattr(values, "ndim", 0) != 2 or not hasattr(dtypes, "items"):
        return
    if others := [(name, dtype) for name, dtype in dtypes.items() if getattr(dtype, "kind", "O") not in "biuf"]:
        name, dtype = others[0]
        raise DtypeError(f"columns: {name} holds {dtype}; allowed are columns of numbers. Leave it out, or take "
                         "isopod.Columns.of, whose group_by=... takes a column of categories")


def _labels(values: Any) -> list[str] | None:
    """The names in the index of a row of a pandas table."""
    labels = list(getattr(values, "index", ())) if hasattr(values, "to_numpy") and getattr(values, "ndim", 0) == 1 else []
    return labels if labels and all(isinstance(label, str) for label in labels) else None


def _standardised(table: NDArray[Any], names: list[str], model: Model) -> tuple[NDArray[Any], list[str]]:
    """The model's features, in its order, standardised."""
    if missing := [name for name in model.features if names and name not in names]:
        raise InputError(f"columns: {missing[0]} is missing; allowed are tables with all features of the model")
    if len(set(names)) != len(names):
        raise InputError("columns: a name occurs twice; allowed for a model is each once")
    if names:
        table = table[:, [names.index(name) for name in model.features]]
    if table.shape[1] != len(model.features):
        raise InputError(f"values: {table.shape[1]} columns; allowed are {len(model.features)}, the features of the model")
    if model.mean:
        table = table - np.asarray(model.mean)
    if model.scale:
        table = table / np.asarray(model.scale)
    return table, list(model.features)
