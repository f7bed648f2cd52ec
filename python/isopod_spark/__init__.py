"""Encrypted aggregates in Apache Spark: the kernels and partial states of the server, through mapInArrow.

    rows = spark.read.parquet(*files(table))
    states = aggregate(rows, keys, "sum", by=["device"])
    for row in states.collect():
        Path(f"{row.device}.bin").write_bytes(answer(keys, "sum", row.state))

`keys` is the path of the server's folder on every worker and on the driver; it holds no key that reads a value. Frames are
authenticated by the task that adds them up, states by the task that merges them, and what differs in a group is refused by name.
"""
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow.fs import FileSelector, FileSystem, LocalFileSystem

from .library import Aggregation, Refused

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["SETTINGS", "Refused", "aggregate", "answer", "files"]

STATE = "state"
BUCKET = "s3://"
# A batch of frames is some megabytes.
SETTINGS = {
    "spark.sql.parquet.columnarReaderBatchSize": "64",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "64",
}


def files(table: str | Path) -> list[str]:
    """Paths of the data files of a table, read from its Delta log, for a Spark without the Delta connector.

    A table in a bucket is `s3://BUCKET/PREFIX/KEY`, with its access in the environment (`AWS_ENDPOINT_URL` and so on). Its paths
    begin with s3a://, for Spark's connector `hadoop-aws`.
    """
    bucket = str(table).removeprefix(BUCKET) if str(table).startswith(BUCKET) else None
    if bucket is None:
        disk, folder = LocalFileSystem(), str(Path(table).resolve())
    else:
        disk, folder = _bucket(), bucket.rstrip("/")
    root = folder if bucket is None else f"s3a://{folder}"
    found: dict[str, None] = {}
    for action in _actions(disk, f"{folder}/_delta_log"):
        if action.get("add"):
            found[action["add"]["path"]] = None
        if action.get("remove"):
            found.pop(action["remove"]["path"], None)
    return [f"{root}/{name}" for name in found]


def _bucket() -> FileSystem:
    from pyarrow.fs import S3FileSystem

    return S3FileSystem(endpoint_override=os.environ.get("AWS_ENDPOINT_URL"), region=os.environ.get("AWS_REGION"))


def _actions(disk: FileSystem, log: str) -> Iterator[dict]:
    """The actions of the last checkpoint, and of the entries behind it."""

    def read(path: str) -> bytes:
        with disk.open_input_stream(path) as file:
            return file.read()

    version = -1
    if disk.get_file_info(last := f"{log}/_last_checkpoint").is_file:
        version = json.loads(read(last))["version"]
        checkpoint = f"{log}/{version:020}.checkpoint.parquet"
        yield from pq.read_table(checkpoint, columns=["add", "remove"], filesystem=disk).to_pylist()
    entries = (info.path for info in disk.get_file_info(FileSelector(log)) if info.extension == "json")
    for entry in sorted(entries):
        if int(Path(entry).stem) > version:
            yield from map(json.loads, read(entry).splitlines())


def aggregate(
    rows: "DataFrame",
    keys: str,
    job: str,
    by: tuple[str, ...] | list[str] = (),
    weights: tuple[float, ...] = (),
    weight: str | None = None,
) -> "DataFrame":
    """A row for each group: the columns `by`, and the partial state of its frames in the column `state`.

    `rows` has a column `frame`. `weight` names a column of weights for the job "weighted"; `weights` are those of "dot".
    Raises in the tasks: `Refused`.
    """
    from pyspark.sql.types import BinaryType, StructField, StructType

    chosen = rows.select(*by, "frame", *([weight] if weight else []))
    kept = [field for field in chosen.schema.fields if field.name in by]
    schema = StructType([*kept, StructField(STATE, BinaryType())])
    first = _folding(keys, (job, tuple(weights)), list(by), ("frame", weight))
    second = _folding(keys, (job, tuple(weights)), list(by), (STATE, None))
    partial = chosen.mapInArrow(first, schema)
    together = partial.repartition(*by) if by else partial.repartition(1)
    return together.mapInArrow(second, schema)


def answer(keys: str, job: str, state: bytes, weights: tuple[float, ...] = ()) -> bytes:
    """The sealed answer to a group's state, which `isopod decrypt` opens. Its frames enter the server's memory."""
    return Aggregation(keys, job, weights).answer(bytes(state))


def _folding(
    keys: str, job: tuple[str, tuple[float, ...]], by: list[str], columns: tuple[str, str | None]
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function that a task runs: it takes batches of items and gives one row for each group."""

    def fold(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        aggregation = Aggregation(keys, *job)
        groups: dict = {}
        fields: list[pa.Field] = []
        for batch in batches:
            fields = [batch.schema.field(name) for name in by]
            for key, (items, numbers) in _grouped(batch, by, columns).items():
                if key not in groups:
                    groups[key] = aggregation.group()
                groups[key].fold(items, numbers)
        for key in list(groups):
            state = groups.pop(key).state()
            arrays = [pa.array([value], field.type) for value, field in zip(key, fields)]
            yield pa.RecordBatch.from_arrays([*arrays, pa.array([state], pa.binary())], [*by, STATE])

    return fold


def _grouped(batch: pa.RecordBatch, by: list[str], columns: tuple[str, str | None]) -> dict:
    """Addresses, lengths and weights of a batch's items, by group. Rows without an item or a weight are left out."""
    item, weight = columns
    data = batch.column(item).cast(pa.large_binary())
    _, offsets, values = data.buffers()
    base = values.address if values is not None else 0
    first = data.offset
    offsets = memoryview(offsets).cast("q")
    numbers = batch.column(weight).cast(pa.float64()).to_pylist() if weight else None
    keys = list(zip(*(batch.column(name).to_pylist() for name in by))) if by else [()] * len(data)
    groups: dict = {}
    for row, key in enumerate(keys):
        if data[row].is_valid is False or (numbers is not None and numbers[row] is None):
            continue
        items, factors = groups.setdefault(key, ([], None if numbers is None else []))
        begin, end = offsets[first + row], offsets[first + row + 1]
        items.append((base + begin, end - begin))
        if factors is not None:
            factors.append(numbers[row])
    return groups
