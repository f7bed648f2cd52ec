"""The compiled part of the package."""
from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, TypedDict, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Asked", "Device", "Opened", "Owner", "Rejected", "Server", "begin_ceremony", "column_names", "description_fields",
    "description_file", "end", "finish", "holder_tag_keys", "jobs", "join", "keygen", "noted", "refresh", "replace",
    "run_command", "sets", "summary", "take_over", "version", "write_devices",
]

_Progress = Callable[[str, int, int], object] | None
_Span = tuple[int, int, int, int]
_Proof = tuple[str, int, int, int, int, list[_Span]]

class _Keys(TypedDict):
    set: str | None
    devices: Sequence[int]
    passphrase: str | None
    secret_key_on_device: bool
    seeded_public_key: bool
    evaluation_keys: bool
    job: str | None
    stride: int | None
    label: str

class _Encoding(TypedDict):
    names: Sequence[str]
    means: Sequence[float]
    scales: Sequence[float]
    edges: Sequence[float]
    buckets: int
    value_type: str | None
    rows_per_frame: int | None
    fill_rows: bool
    scale_bits: int | None
    bound_bits: int
    suite: str
    level: int
    layout: str | None
    precision: float | None
    whole_bodies: bool
    label: str
    epoch: int | None
    sequence: int | None
    derived: str | None
    categories: Sequence[int]

class _Wanted(TypedDict):
    request: str | None
    job: str | None
    unnamed_columns: bool
    again: bool
    partial: bool
    quarantine: bool
    threads: int | None

class _Conditions(TypedDict):
    request: str | None
    columns: str | None
    verify: bool

class _Agreement(TypedDict):
    holders: Sequence[str]
    threshold: int
    set: str
    frames: int
    queries: int
    statistical_bits: int

class _TagKeys(TypedDict):
    devices: Sequence[int]
    answering: Sequence[str]
    verifier: str
    next_period: bool
    new_group: bool

def begin_ceremony(folder: str | PathLike[str], agreed: _Agreement, text: str | None) -> float: ...
def join(folder: str | PathLike[str], invitation: bytes, name: str, text: str | None) -> float: ...
def holder_tag_keys(
    folder: str | PathLike[str], keys: _TagKeys, out: str | PathLike[str], text: str | None
) -> tuple[int, int]: ...
def finish(
    folder: str | PathLike[str], received: Sequence[tuple[str, bytes]], text: str | None
) -> tuple[str | None, list[str], str | None, str | None, str | None]: ...
def refresh(
    folder: str | PathLike[str], received: Sequence[tuple[str, bytes]], agree: bool, text: str | None
) -> tuple[str, list[str], str | None, str | None]: ...
def replace(
    folder: str | PathLike[str], replacement: tuple[bytes, list[str]], received: Sequence[tuple[str, bytes]], agree: bool,
    text: str | None,
) -> tuple[str, list[str], str | None, str | None]: ...
def take_over(
    folder: str | PathLike[str], public: str | PathLike[str], received: Sequence[tuple[str, bytes]], text: str | None
) -> int: ...
def end(folder: str | PathLike[str], text: str | None) -> str: ...
def noted(folder: str | PathLike[str], received: Sequence[tuple[str, bytes]], text: str | None) -> list[str]: ...
def write_devices(
    folder: str | PathLike[str], devices: Sequence[int], out: str | PathLike[str], text: str | None
) -> bool: ...
def keygen(folder: str | PathLike[str], wanted: _Keys, progress: _Progress) -> tuple[str, int, int]: ...
def column_names(fields: str) -> list[str]: ...
def description_fields(file: str) -> str: ...
def description_file(fields: str) -> str: ...
def jobs() -> list[tuple[str, str, str, str, str, list[str]]]: ...
def summary(fields: str, job: str, values: Sequence[float], error: float, rows: int | None) -> str: ...
def run_command(arguments: Sequence[str]) -> int: ...
def sets() -> list[tuple[str, str, int, int, str, str]]: ...
def version() -> str: ...

@final
class Device:
    def __new__(cls, folder: str | PathLike[str], public_key: str | PathLike[str] | None, by_secret_key: bool) -> Device: ...
    @property
    def set(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def number(self) -> int: ...
    def encrypt(self, table: NDArray[Any], encoding: _Encoding, progress: _Progress) -> list[bytes]: ...

@final
class Rejected:
    @property
    def source(self) -> str: ...
    @property
    def position(self) -> int: ...
    @property
    def item(self) -> bytes: ...
    @property
    def reason(self) -> str: ...

@final
class Server:
    def __new__(cls, folder: str | PathLike[str]) -> Server: ...
    @property
    def set(self) -> str: ...
    @property
    def key(self) -> str: ...
    def evaluate(
        self, items: Sequence[bytes | str | PathLike[str]], wanted: _Wanted, progress: _Progress
    ) -> tuple[int, list[bytes], int, list[Rejected]]: ...

@final
class Opened:
    @property
    def values(self) -> Any: ...
    @property
    def error(self) -> float: ...
    @property
    def bound(self) -> float | None: ...
    @property
    def types(self) -> list[str]: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    def places(self) -> dict[str, NDArray[np.int64]]: ...

@final
class Asked:
    def __new__(cls, folder: str | PathLike[str], results: bytes, text: str | None) -> Asked: ...
    def facts(self) -> tuple[str, tuple[int, int | None, list[int] | None], tuple[int, int], float]: ...
    def contribute(self, names: Sequence[str]) -> bytes: ...
    def combine(self, sealed: Sequence[bytes]) -> tuple[int, list[Opened], _Proof | None]: ...

@final
class Owner:
    def __new__(cls, folder: str | PathLike[str], text: str | None) -> Owner: ...
    @property
    def set(self) -> str: ...
    @property
    def key(self) -> str: ...
    def request(self, job: str, unnamed_columns: bool) -> str: ...
    def tag_keys(
        self, folder: str | PathLike[str], devices: Sequence[int], next_period: bool, new_group: bool
    ) -> tuple[int, int]: ...
    def decrypt(
        self, results: bytes, wanted: _Conditions, progress: _Progress
    ) -> tuple[str, int, str, int | None, list[_Span], list[_Span], list[Opened], _Proof | None]: ...
