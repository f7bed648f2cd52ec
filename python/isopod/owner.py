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
from .models import Model, sigmoid
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


class TagPeriod(NamedTuple):
    """A period of linear tags, from 0 on, and the group of its devices."""

    group: int
    period: int


@dataclass(frozen=True)
class Proof:
    """The answer is the sum of just these frames: ``frames`` of ``devices``, named in ``spans``.

    ``period`` is that of their linear tags. A false answer passes with a probability of 2**-``bits``, once for each try."""

    text: str
    frames: int
    devices: int
    period: int
    bits: int
    spans: tuple[Span, ...]

    def __str__(self) -> str:
        return self.text


def proof_of(found: _isopod._Proof | None) -> Proof | None:
    """The proof that an opened answer comes with, if it has one."""
    return None if found is None else Proof(*found[:5], tuple(Span(*span) for span in found[5]))


@dataclass(frozen=True)
class _Stored:
    """An opened result as it is pickled."""

    values: Any
    error: float
    bound: float | None
    types: list[str]
    shape: tuple[int, int]
    of: dict[str, NDArray[np.int64]]

    def places(self) -> dict[str, NDArray[np.int64]]:
        """The origin of each value."""
        return self.of


class Result:
    """One opened result: values, and the error that bounds them."""

    def __init__(self, opened: _isopod.Opened | _Stored) -> None:
        self._opened = opened

    def __repr__(self) -> str:
        return f"Result(shape={tuple(self._opened.shape)}, error={self.error:.3g})"

    def __reduce__(self) -> tuple[Any, ...]:
        one = self._opened
        stored = _Stored(np.array(one.values), one.error, one.bound, one.types, one.shape, one.places())
        return Result, (stored,)

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


@dataclass(frozen=True, repr=False)
class Results(Sequence[Result]):
    """The results of one evaluation, in order.

    ``job`` names the job that the server computed, ``sequence`` is the server's number for the answer. ``news`` is ``"new"``,
    ``"again"`` if the answer was read before, ``"late"`` if a later one was read before, or ``"twofold"`` if two answers have
    the same number. ``rows`` is the number of rows in sums of columns, None where some were selected. ``missing`` are frames
    between those that entered, ``duplicates`` are frames that entered twice. ``columns`` are those that the answer was decrypted
    with. ``verified`` is the proof by linear tags, None for an answer without tags."""

    job: str
    sequence: int
    news: str
    rows: int | None
    missing: tuple[Span, ...]
    duplicates: tuple[Span, ...]
    results: tuple[Result, ...]
    columns: Columns | None = None
    verified: Proof | None = None

    def __repr__(self) -> str:
        shapes = self.values.shape if self.results else (0, 0)
        return f"Results(job={self.job!r}, shape={shapes}, error={self.error:.3g}, sequence={self.sequence}, news={self.news!r})"

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

    def to_pandas(self, model: Model | None = None) -> pandas.DataFrame:
        """A pandas table with a row for each value; needs pandas.

        A column ``name`` has the names of the columns that the answer was decrypted with, or those of the outputs of a ``model``.
        Scores of a logistic model come with their ``probability``: for one output it is that of the second class, and several
        need the ``model``."""
        import pandas

        table, names = pandas.DataFrame(self.to_dict()), self._names(model)
        if names:
            at = table.columns.get_loc("column")
            table.insert(int(cast("int", at)) + 1, "name", [names[number] for number in table["column"]])
        if model is not None and model.link in ("logistic", "softmax"):
            found = model.predict_proba(self)
            table["probability"] = (found if len(names) == found.shape[1] else found[:, 1:]).reshape(-1)
        elif self.job == "logistic" and self.values.shape[1] == 1:
            table["probability"] = self.probabilities.reshape(-1)
        return table

    def _names(self, model: Model | None) -> list[str]:
        """Names of the columns of the values, as far as they are known."""
        width = self.values.shape[1]
        if model is not None:
            given = model.outputs or model.classes
        elif self.columns is not None and self.job not in ("linear", "logistic", "inner", "sigmoid"):
            given = tuple(_isopod.column_names(self.columns.fields()))
        else:
            given = ()
        return [str(name) for name in given] if len(given) == width else []

    def to_arrow(self) -> Any:
        """A ``pyarrow.Table`` with a row for each value; needs pyarrow."""
        import pyarrow

        return pyarrow.table(self.to_dict())


class Owner:
    """The owner's folder, with which alone answers can be read. ``passphrase`` is the one given to :func:`isopod.keygen`."""

    def __init__(self, folder: str | PathLike[str], *, passphrase: str | None = None) -> None:
        self._owner = _isopod.Owner(folder, passphrase)

    def __repr__(self) -> str:
        return f"Owner(set={self.set!r}, key={self.key!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("Owner: it holds the secret key, which is not pickled; allowed is to open the owner's folder again")

    @property
    def set(self) -> str:
        """Name of the parameter set."""
        return self._owner.set

    @property
    def key(self) -> str:
        """Name of the key pair, in hexadecimal."""
        return self._owner.key

    def tag_keys(
        self, folder: str | PathLike[str], devices: Sequence[int], *, next_period: bool = False, new_group: bool = False
    ) -> TagPeriod:
        """Writes keys of linear tags into the folders of devices in ``folder``, as :func:`isopod.keygen` made them; their frames
        of sets that begin with bfv- and end with -air then have tags, and their sums are verified.

        ``next_period`` begins the next period, as after 64 refusals; ``new_group`` does, with secrets that follow from no
        earlier ones, when a device was captured. Give all devices keys of one period: no sum over two is verified."""
        return TagPeriod(*self._owner.tag_keys(folder, list(devices), next_period, new_group))

    def request(self, job: str, **parameters: Unpack[Parameters]) -> str:
        """A request for :meth:`isopod.Server.answer`, with a fresh challenge; give it to :meth:`decrypt`, too. For options see
        :class:`isopod.options.Parameters`."""
        given: dict[str, Any] = dict(parameters)
        unnamed = given.pop("unnamed_columns", False)
        return self._owner.request(job_json(job, given), unnamed)

    def decrypt(
        self, answer: Answer | bytes, *, request: str | None = None, columns: Columns | None = None,
        verify: bool = False, progress: Progress | None = None,
    ) -> Results:
        """Authenticates and reads one answer, whole and in order, and remembers it. With ``request`` it refuses anything that
        does not answer the request, with ``columns`` anything about other columns.

        An answer with a linear tag is verified, always: :class:`isopod.UnverifiedError` if it is not the sum of just the frames
        that it names. ``verify`` refuses answers without a tag, too. Refusals are counted in the folder, and the server must not
        learn of them."""
        if not isinstance(answer, (Answer, bytes, bytearray, memoryview)):
            raise InputError(f"answer: {type(answer).__name__}; allowed are an Answer and bytes")
        described = None if columns is None else columns.fields()
        job, sequence, news, rows, missing, duplicates, opened, found = self._owner.decrypt(
            bytes(answer), {"request": request, "columns": described, "verify": verify}, progress
        )
        return Results(
            job, sequence, news, rows, tuple(Span(*span) for span in missing), tuple(Span(*span) for span in duplicates),
            tuple(map(Result, opened)), columns, proof_of(found),
        )
