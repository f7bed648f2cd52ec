"""The server's side: it turns frames into answers, with evaluation keys only."""
from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Unpack, cast

from . import _isopod
from ._isopod import Rejected
from .errors import InputError
from .missing import refuse_masked
from .models import Model, Tree
from .options import INTAKE, PARAMETERS, Frames, Intake, JobOptions, filled


@dataclass(frozen=True, repr=False)
class Answer:
    """A sealed answer, which only the owner can read; send ``bytes(answer)``.

    ``sequence`` is the server's number for the answer, ``frames`` counts the frames that entered, ``set_aside`` lists those
    that did not, with reasons."""

    data: bytes
    sequence: int
    frames: int
    set_aside: tuple[Rejected, ...] = ()

    def __bytes__(self) -> bytes:
        return self.data

    def __repr__(self) -> str:
        return f"Answer(sequence={self.sequence}, frames={self.frames}, bytes={len(self.data)}, set_aside={len(self.set_aside)})"


class Server:
    """A server's folder: authenticates, computes, and seals answers. It holds no secret key.

    A frame enters the answers to one request once; ``again=True`` computes over it again on purpose."""

    def __init__(self, folder: str | PathLike[str]) -> None:
        self._server = _isopod.Server(folder)
        self._folder = Path(folder)

    def __repr__(self) -> str:
        return f"Server(set={self.set!r}, key={self.key!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickle holds the path; who unpickles it opens the folder."""
        return Server, (self._folder,)

    @property
    def set(self) -> str:
        """Name of the parameter set."""
        return self._server.set

    @property
    def key(self) -> str:
        """Name of the key pair, in hexadecimal."""
        return self._server.key

    def sum(self, frames: Frames, **options: Unpack[Intake]) -> Answer:
        """The sum over frames at each place: row 1 with row 1, row 2 with row 2. ``column_sum`` is that of a column."""
        return self.evaluate("sum", frames, **options)

    def mean(self, frames: Frames, **options: Unpack[Intake]) -> Answer:
        """The mean over frames at each place: row 1 with row 1, row 2 with row 2 (CKKS). ``column_mean`` is that of a column."""
        return self.evaluate("mean", frames, **options)

    def column_sum(self, frames: Frames, **options: Unpack[Intake]) -> Answer:
        """The sum of each column, over all rows of all frames, however many rows each has."""
        return self.evaluate("column-sum", frames, **options)

    def column_mean(self, frames: Frames, **options: Unpack[Intake]) -> Answer:
        """The mean of each column, over all rows of all frames (CKKS)."""
        return self.evaluate("column-mean", frames, **options)

    def score(self, model: Model | Tree, frames: Frames, **options: Unpack[Intake]) -> Answer:
        """The scores of each row, one for each output: values of a linear model, log odds of a logistic one, or the leaf of a
        tree. The owner's :meth:`isopod.Model.predict` turns scores into predictions."""
        job = "tree" if isinstance(model, Tree) else model.job
        return self.evaluate(job, frames, model=model, **options)

    def evaluate(self, job: str, frames: Frames, **options: Unpack[JobOptions]) -> Answer:
        """Computes a job on frames and seals the answer.

        ``job`` is one of those below, with the question that it answers. Options are those of :class:`isopod.options.JobOptions`:
        the parameters of the job, and how frames are taken in. Without ``quarantine`` the first item that cannot enter raises an
        exception."""
        filled(PARAMETERS | INTAKE, options)
        intake = {name: value for name, value in options.items() if name in INTAKE}
        parameters = {name: value for name, value in options.items() if name in PARAMETERS}
        unnamed = parameters.pop("unnamed_columns", False)
        return self._answer(frames, {"job": job_json(job, parameters), "unnamed_columns": unnamed}, intake)

    def answer(self, request: str, frames: Frames, **options: Unpack[Intake]) -> Answer:
        """Answers a request of :meth:`isopod.Owner.request`; the answer repeats its challenge."""
        return self._answer(frames, {"request": request}, options)

    def partial(self, job: str, frames: Frames, **options: Unpack[Intake]) -> bytes:
        """The sealed partial state of a sum, a mean or a histogram of integers; give it to another evaluation like a frame."""
        return self._answer(frames, {"job": job_json(job, {}), "partial": True}, options).data

    def _answer(self, frames: Frames, wanted: dict[str, Any], intake: Mapping[str, Any]) -> Answer:
        wanted = {"request": None, "job": None, "unnamed_columns": False, "partial": False, **wanted, **filled(INTAKE, intake)}
        progress = wanted.pop("progress")
        sequence, items, entered, set_aside = self._server.evaluate(
            _items(frames), cast("_isopod._Wanted", wanted), progress
        )
        return Answer(b"".join(items), sequence, entered, tuple(set_aside))


def _described() -> str:
    """The jobs for the documentation of :meth:`Server.evaluate`."""
    lines = [f"        - ``{name}``: {question}" for name, question, *_ in _isopod.jobs()]
    return "\n".join([Server.evaluate.__doc__ or "", "", *lines])


Server.evaluate.__doc__ = _described()


def _items(frames: Frames) -> list[bytes | str | PathLike[str]]:
    if isinstance(frames, (bytes, str, PathLike)):
        return [frames]
    items = list(frames)
    for at, item in enumerate(items):
        if not isinstance(item, (bytes, str, PathLike)):
            raise InputError(f"frames[{at}]: {type(item).__name__}; allowed are bytes and paths")
    return items


def _check_link(job: str, model: Model | Tree) -> None:
    """Refuses probabilities from a model that has none."""
    links = {"logistic": ("logistic", "softmax"), "sigmoid": ("logistic",)}.get(job)
    if isinstance(model, Model) and links is not None and model.link not in links:
        raise InputError(f"model: its link is {model.link}; allowed with the job {job} are logistic models")


def _number(value: float) -> float:
    """The number as JSON has it: an integer unless it has a fraction."""
    real = float(value)
    return int(value) if real.is_integer() else real


def job_json(job: str, parameters: Mapping[str, Any]) -> str:
    """A job with its parameters, as the request's file has it."""
    described: dict[str, Any] = {"job": job}
    for name, value in filled(PARAMETERS, parameters).items():
        if value is None or value is False:
            continue
        refuse_masked(name, value)
        if name == "model":
            _check_link(job, value)
            described["tree" if isinstance(value, Tree) else "model"] = json.loads(value.to_json())
        elif name == "table":
            described[name] = dict(value)
        elif name in ("rows", "weights", "edges", "columns"):
            described[name] = [float(one) if name == "weights" else _number(one) for one in value]
        else:
            described[name] = value if value is True else _number(value)
    try:
        return json.dumps(described, allow_nan=False)
    except ValueError:
        raise InputError("weights: not finite; allowed are finite numbers") from None
