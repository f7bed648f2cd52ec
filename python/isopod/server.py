"""The server's side: frames to answers, with evaluation keys only."""
from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

from . import _isopod
from ._isopod import Rejected
from .errors import InputError
from .keys import Progress
from .models import Model, Tree

Items = Iterable[bytes | str | PathLike[str]]
"""Frames or partial states: bytes, or paths of files of them. Bytes are not copied, files are read as streams."""


@dataclass(frozen=True)
class Answer:
    """A sealed answer, which only the owner reads: ``bytes(answer)`` travels.

    ``sequence`` numbers the server's answers, ``frames`` is how many entered, ``set_aside`` what did not, each with its reason."""

    data: bytes
    sequence: int
    frames: int
    set_aside: tuple[Rejected, ...] = ()

    def __bytes__(self) -> bytes:
        return self.data


class Server:
    """A server's folder: authenticates, computes, and seals answers. No secret key is in it.

    A frame enters the answers to one request once; ``again=True`` computes over it on purpose."""

    def __init__(self, folder: str | PathLike[str]) -> None:
        self._server = _isopod.Server(folder)

    @property
    def set(self) -> str:
        """Name of the parameter set."""
        return self._server.set

    @property
    def key(self) -> str:
        """Name of the key pair, in hexadecimal."""
        return self._server.key

    def sum(self, frames: Items, **options: Any) -> Answer:
        """The sum of all frames, place by place; options are those of :meth:`evaluate`."""
        return self.evaluate("sum", frames, **options)

    def mean(self, frames: Items, **options: Any) -> Answer:
        """The mean of all frames, place by place (CKKS); options are those of :meth:`evaluate`."""
        return self.evaluate("mean", frames, **options)

    def score(self, model: Model | Tree, frames: Items, **options: Any) -> Answer:
        """The score of each row: that of a linear model, the log odds of a logistic one (the owner's results have the
        probability), or the leaf of a tree; options are those of :meth:`evaluate`."""
        job = "tree" if isinstance(model, Tree) else model.kind
        return self.evaluate(job, frames, model=model, **options)

    def evaluate(
        self,
        job: str,
        frames: Items,
        *,
        weights: Sequence[float] | None = None,
        model: Model | Tree | None = None,
        window: int | None = None,
        edges: Sequence[int] | None = None,
        above: int | None = None,
        below: int | None = None,
        each: bool = False,
        unnamed_columns: bool = False,
        again: bool = False,
        quarantine: bool = False,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> Answer:
        """Computes a job on frames and seals the answer.

        ``job`` is one of sum, mean, weighted, dot, total, histogram, inner, linear, logistic, sigmoid, filter, correlation,
        moving-average (CKKS, BFV), alarm, minimum, maximum, argmin, argmax, count and tree (TFHE; ``isopod evaluate --help``
        explains them). ``weights`` are those of weighted, dot, filter and correlation, ``window`` that of moving-average in values,
        ``edges`` those of a histogram under TFHE, ``above`` or ``below`` the threshold of alarm and count. With ``quarantine``
        what does not enter is set aside, without it the first is an exception."""
        text = job_json(job, weights, model, window, edges, above, below, each)
        return self._answer(frames, None, text, unnamed_columns, again, quarantine, threads, progress)

    def answer(
        self, request: str, frames: Items, *, again: bool = False, quarantine: bool = False, threads: int | None = None,
        progress: Progress | None = None,
    ) -> Answer:
        """Answers a request of :meth:`isopod.Owner.request`; the answer repeats its challenge."""
        return self._answer(frames, request, None, False, again, quarantine, threads, progress)

    def partial(self, job: str, frames: Items, *, quarantine: bool = False, threads: int | None = None) -> bytes:
        """The sealed partial state of a sum, a mean or a histogram of integers: give it to another evaluation like a frame."""
        wanted = _wanted(None, json.dumps({"job": job}), False, False, quarantine, threads)
        _, items, _, _ = self._server.evaluate(_items(frames), {**wanted, "partial": True}, None)
        return items[0]

    def _answer(
        self, frames: Items, request: str | None, job: str | None, unnamed: bool, again: bool, quarantine: bool,
        threads: int | None, progress: Progress | None,
    ) -> Answer:
        wanted = _wanted(request, job, unnamed, again, quarantine, threads)
        sequence, items, entered, set_aside = self._server.evaluate(_items(frames), wanted, progress)
        return Answer(b"".join(items), sequence, entered, tuple(set_aside))


def _wanted(
    request: str | None, job: str | None, unnamed: bool, again: bool, quarantine: bool, threads: int | None
) -> _isopod._Wanted:  # noqa: SLF001
    return {
        "request": request, "job": job, "unnamed_columns": unnamed, "again": again, "partial": False, "quarantine": quarantine,
        "threads": threads,
    }


def _items(frames: Items) -> list[bytes | str | PathLike[str]]:
    if isinstance(frames, (bytes, str, PathLike)):
        return [frames]
    items = list(frames)
    for at, item in enumerate(items):
        if not isinstance(item, (bytes, str, PathLike)):
            raise InputError(f"frames[{at}]: {type(item).__name__}; allowed are bytes and paths")
    return items


def job_json(
    job: str, weights: Sequence[float] | None = None, model: Model | Tree | None = None, window: int | None = None,
    edges: Sequence[int] | None = None, above: int | None = None, below: int | None = None, each: bool = False,
) -> str:
    """A job with its parameters, as the request's file has it."""
    described: dict[str, Any] = {"job": job, "each": each}
    if isinstance(model, Tree):
        described["tree"] = json.loads(model.to_json())
    elif model is not None:
        described["model"] = json.loads(model.to_json())
    if weights is not None:
        described["weights"] = [float(weight) for weight in weights]
    if edges is not None:
        described["edges"] = [int(edge) for edge in edges]
    numbers = {"window": window, "above": above, "below": below}
    described |= {name: int(number) for name, number in numbers.items() if number is not None}
    try:
        return json.dumps(described, allow_nan=False)
    except ValueError:
        raise InputError("weights: not finite; allowed are finite numbers") from None
