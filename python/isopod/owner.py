"""The owner's side: it turns answers into arrays."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack, cast

import numpy as np
from numpy.typing import NDArray

from . import _isopod
from .columns import Columns
from .errors import InputError
from .models import sigmoid
from .options import Parameters, Progress
from .server import Answer, job_json

if TYPE_CHECKING:
    import pandas


class Span(NamedTuple):
    """Consecutive frames of one device and epoch, from ``first`` to ``last``, both included."""

    device: int
    epoch: int
    first: int
    last: int


class Result:
    """One opened result: values, and the error that bounds them."""

    def __init__(self, opened: _isopod.Opened) -> None:
        self._opened = opened

    @property
    def values(self) -> NDArray[Any]:
        """The values, of shape (rows, columns), of a model (rows, outputs), in the unit of the readings: float64 under CKKS,
        int32 under BFV, int64 under TFHE (objects beyond 2**63). They are not copied from the decryption. Values of CKKS carry
        traces of the secret key: publish them with ``isopod share``."""
        return cast("NDArray[Any]", np.asarray(self._opened.values).reshape(self._opened.shape))

    @property
    def error(self) -> float:
        """Largest error of a value in its unit, with six deviations of the random part; 0 for whole numbers."""
        return self._opened.error

    @property
    def bound(self) -> float | None:
        """Bound of the values, as the server computed it; None if the type is the bound."""
        return self._opened.bound

    @property
    def types(self) -> list[str]:
        """The type of each value under TFHE."""
        return self._opened.types

    def places(self) -> dict[str, NDArray[np.int64]]:
        """The origin of each value: arrays of device, epoch, sequence (-1: several frames), row (-1: all rows) and column."""
        return self._opened.places()


@dataclass(frozen=True)
class Results(Sequence[Result]):
    """The results of one evaluation, in order.

    ``job`` names the job that the server computed, ``sequence`` is the server's number for the answer. ``news`` is ``"new"``,
    ``"again"`` if the answer was read before, ``"late"`` if a later one was read before, or ``"twofold"`` if two answers have
    the same number. ``rows`` is the number of rows in sums of columns, None where some were selected. ``missing`` are frames
    between those that entered, ``duplicates`` are frames that entered twice."""

    job: str
    sequence: int
    news: str
    rows: int | None
    missing: tuple[Span, ...]
    duplicates: tuple[Span, ...]
    results: tuple[Result, ...]

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, at: Any) -> Any:
        return self.results[at]

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    @property
    def values(self) -> NDArray[Any]:
        """The values of all results, of shape (rows, columns), of a model (rows, outputs); of a single result they are not
        copied."""
        if len(self.results) == 1:
            return self.results[0].values
        return np.concatenate([result.values for result in self.results])

    @property
    def error(self) -> float:
        """Largest error of any value in its unit, with six deviations of the random part; 0 for whole numbers."""
        return max(result.error for result in self.results)

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """The sigmoid of the scores of a logistic model with one output."""
        if self.job != "logistic":
            raise InputError(f"probabilities: of the job {self.job}; allowed are results of logistic")
        values = self.values.astype(np.float64)
        if values.shape[1] > 1:
            raise InputError(f"probabilities: of {values.shape[1]} outputs; allowed is one. For several take Model.predict_proba")
        return sigmoid(values)

    def to_dict(self) -> dict[str, NDArray[Any]]:
        """Arrays of device, epoch, sequence, row, column, value and error; -1 stands for several frames or all rows."""
        places = [result.places() for result in self.results]
        table: dict[str, NDArray[Any]] = {name: np.concatenate([place[name] for place in places]) for name in places[0]}
        table["value"] = np.concatenate([result.values.reshape(-1) for result in self.results])
        table["error"] = np.concatenate([np.full(result.values.size, result.error) for result in self.results])
        return table

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas table with a row for each value; needs pandas."""
        import pandas

        return pandas.DataFrame(self.to_dict())

    def to_arrow(self) -> Any:
        """A ``pyarrow.Table`` with a row for each value; needs pyarrow."""
        import pyarrow

        return pyarrow.table(self.to_dict())


class Owner:
    """The owner's folder, with which alone answers can be read. ``passphrase`` is the one given to :func:`isopod.keygen`."""

    def __init__(self, folder: str | PathLike[str], *, passphrase: str | None = None) -> None:
        self._owner = _isopod.Owner(folder, passphrase)

    @property
    def set(self) -> str:
        """Name of the parameter set."""
        return self._owner.set

    @property
    def key(self) -> str:
        """Name of the key pair, in hexadecimal."""
        return self._owner.key

    def request(self, job: str, **parameters: Unpack[Parameters]) -> str:
        """A request for :meth:`isopod.Server.answer`, with a fresh challenge; give it to :meth:`decrypt`, too. For options see
        :class:`isopod.options.Parameters`."""
        given: dict[str, Any] = dict(parameters)
        unnamed = given.pop("unnamed_columns", False)
        return self._owner.request(job_json(job, given), unnamed)

    def decrypt(
        self, answer: Answer | bytes, *, request: str | None = None, columns: Columns | None = None,
        progress: Progress | None = None,
    ) -> Results:
        """Authenticates and reads one answer, whole and in order, and remembers it. With ``request`` it refuses anything that
        does not answer the request, with ``columns`` anything about other columns."""
        if not isinstance(answer, (Answer, bytes, bytearray, memoryview)):
            raise InputError(f"answer: {type(answer).__name__}; allowed are an Answer and bytes")
        described = None if columns is None else columns.fields()
        job, sequence, news, rows, missing, duplicates, opened = self._owner.decrypt(bytes(answer), request, described, progress)
        return Results(
            job, sequence, news, rows, tuple(Span(*span) for span in missing), tuple(Span(*span) for span in duplicates),
            tuple(map(Result, opened)),
        )
