"""Keyword arguments of the calls that have many, each with its default."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, TypedDict

from .models import Model, Tree

Progress = Callable[[str, int, int], object]
"""Called with a stage, steps done and steps in all. An exception ends the call, and nothing of the call stays."""

Frames = Sequence[bytes | str | PathLike[str]]
"""Frames or partial states: bytes, or paths of files of them. Bytes are not copied, files are read as streams."""


class KeyOptions(TypedDict, total=False):
    """Options of :func:`isopod.keygen`."""

    job: str | None
    """Makes evaluation keys for this job alone. Default: for every job."""
    stride: int | None
    """Slots from row to row, a power of two, for ``job``. Default: all slots."""
    evaluation_keys: bool
    """False: the server checks, stores and adds up only. Default True."""
    seeded_public_key: bool
    """Devices expand half of the public key from its seed. Default False."""
    secret_key_on_device: bool
    """The only device has the secret key: half the bytes, but whoever opens it reads all it sent. Default False."""
    label: str
    """Label of the set; one that is not "128" is taken only if it is named here."""
    progress: Progress | None
    """Called as the keys are made."""


class Agreement(TypedDict, total=False):
    """Options of :meth:`isopod.Holder.begin`: the agreement of all holders, which never changes."""

    set: str
    """Parameter set. Default "bfv-4096x3-sum", of integers."""
    frames: int
    """Most frames that enter an answer. Default 1,000."""
    queries: int
    """Answers that the key opens, up to 2**32. Default 64."""
    statistical_bits: int
    """Bits of security of all answers together, 30 to 64. Default 40."""


class Encoding(TypedDict, total=False):
    """Options of :meth:`isopod.Device.encrypt`."""

    rows_per_frame: int | None
    """Rows in one frame; 1 for jobs over frames, such as sum and mean. Default: all that fit."""
    fill_rows: bool
    """Rows begin a power of two apart, in layout "rounded": variance, covariance and models on merged frames need it of other
    numbers of columns. Fewer rows fit a frame, and nothing is sent for the places between. Default False."""
    bound_bits: int
    """Every magnitude is at most 2**bound_bits, in the unit of the values. Default 4."""
    scale_bits: int | None
    """log2 of the scale. Default: the set's."""
    precision: float | None
    """Error that each value may have, in its unit, in layout "rounded": the larger, the fewer bytes. Default: as noise allows."""
    layout: str | None
    """"slots", "repeated", "coefficients" or "rounded". Default: rounded under sets -air, otherwise slots."""
    level: int
    """Primes to encrypt under, the first ones of the set; 0, the default, for all."""
    suite: str
    """"chacha20" (default), "shake256", "seal-shake256" or "aes128"."""
    whole_bodies: bool
    """Under TFHE twice the bytes, for less noise. Default False."""
    label: str
    """Label of the set; one that is not "128" is taken only if it is named here."""
    epoch: int | None
    """The device's restarts. Default: the folder's."""
    sequence: int | None
    """Number of the first frame. Default: the folder's next one."""
    progress: Progress | None
    """Called as frames are made."""


class Parameters(TypedDict, total=False):
    """Parameters of jobs; each job takes some of them."""

    rows: Sequence[int] | None
    """Rows of each frame that column-sum and column-mean add up, as 0 and 1; the list repeats. Default: all."""
    weights: Sequence[float] | None
    """Weights of weighted, dot, filter and correlation."""
    model: Model | Tree | None
    """Model of inner, linear, logistic, sigmoid, network, forest, classify and tree."""
    window: int | None
    """Values in the window of moving-average."""
    columns: Sequence[int] | None
    """Numbers of the columns of variance and covariance, from 0, of merged frames."""
    edges: Sequence[float] | None
    """Edges of a histogram under TFHE or of merged frames, ascending. Integers under TFHE."""
    above: float | None
    """Threshold of alarm and count: values above it. An integer under TFHE."""
    below: float | None
    """Threshold of alarm and count: values below it. An integer under TFHE."""
    gap: float | None
    """Distance from a threshold or edge within which jobs on merged frames may err; 0 for readings that are integers, which are
    then exact. Default: what the bounds of readings give."""
    table: Mapping[str, Any] | None
    """Table of the job table: "values", from 0 to 255, and if need be "first", "step" and "others"."""
    each: bool
    """Alarm: a value for each reading too; on merged frames it is needed. Default False."""
    unnamed_columns: bool
    """Models take frames that do not name their columns. Default False."""


class Intake(TypedDict, total=False):
    """Options for taking in frames."""

    again: bool
    """Compute over frames that entered an answer to the same request before. Default False."""
    quarantine: bool
    """Set aside what does not enter, in place of an exception. Default False."""
    threads: int | None
    """Threads. Default: one for each core."""
    progress: Progress | None
    """Called as the job is computed."""


class JobOptions(Parameters, Intake, total=False):
    """Options of :meth:`isopod.Server.evaluate`."""


class DerivedOptions(TypedDict, total=False):
    """Options of :meth:`isopod.Columns.of`."""

    names: Sequence[str] | None
    """Columns to take, in this order. Default: all that hold numbers."""
    moments: str
    """"none" (default), "squares" for spread, or "products" for correlation and least squares."""
    missing: bool
    """Readings may be NaN, and are counted. Default False."""
    target: str
    """Column that the others are to explain. Default: none."""
    group_by: str
    """Column of categories. Default: none."""
    quantiles: int
    """Buckets of each column between its smallest and its largest reading. Default 0, none."""


class TableOptions(TypedDict, total=False):
    """Options of :class:`isopod.DataFrame`."""

    group_by: Any
    """Column of categories, for which every question is answered. Default: none."""
    missing: str
    """"refuse" missing readings (default), or "count" those that are there."""
    target: Any
    """Column that models explain. Default: none."""
    buckets: int
    """Buckets of each column for quantiles, 1 to 1000. Default 32."""
    set: str | None
    """Parameter set of keys that are made on first use. Default: one that every question takes."""


def filled(defaults: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """All options, with defaults; refuses unknown names."""
    if unknown := [name for name in given if name not in defaults]:
        raise TypeError(f"{unknown[0]}: no such option; allowed are {', '.join(sorted(defaults))}")
    return {**defaults, **given}


INTAKE: dict[str, Any] = {"again": False, "quarantine": False, "threads": None, "progress": None}
"""Defaults of :class:`Intake`."""

PARAMETERS: dict[str, Any] = {
    "rows": None, "weights": None, "model": None, "window": None, "columns": None, "edges": None, "above": None, "below": None,
    "gap": None, "table": None, "each": False, "unnamed_columns": False,
}
"""Defaults of :class:`Parameters`."""

DERIVED: dict[str, Any] = {"names": None, "moments": "none", "missing": False, "target": "", "group_by": "", "quantiles": 0}
"""Defaults of :class:`DerivedOptions`."""

TABLE: dict[str, Any] = {"group_by": None, "missing": "refuse", "target": None, "buckets": 32, "set": None}
"""Defaults of :class:`TableOptions`."""
