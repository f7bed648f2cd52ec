"""Means of the columns of a large table: a million rows of five columns of a thousand devices by public key, and of one device by
secret key. Error beside the printed one, bytes of a row, and the server's work beside a plain sum of the same frames.

Rows are drawn from a public table that scikit-learn carries, with noise."""
from __future__ import annotations

import itertools
import tempfile
import time
from pathlib import Path
from typing import Any

import isopod
import numpy as np
from sklearn.datasets import load_breast_cancer

ROWS, COLUMNS, DEVICES = 1_000_000, 5, 1000
SET = "ckks-2048x2-air"
# The modulus holds the sum of a million readings of up to 2^3 at this scale, and not at the next one.
SCALE_BITS, BOUND_BITS = 29, 3
# Error of one reading by secret key and by public key, in standard deviations: of the mean of a million it is a thousandth.
PRECISION = {"secret": 8.0, "public": 45.0}
# A device sends when a frame is full: two frames or three of 409 rows, a thousand rows in the mean.
ROWS_OF_FRAME = 409
REPEATS = 3


def table() -> Any:
    """A million rows: readings of the public table, with noise of a tenth of their deviation."""
    known = load_breast_cancer(as_frame=True).data.iloc[:, :COLUMNS]
    random = np.random.default_rng(1)
    rows = known.sample(ROWS, replace=True, random_state=1).reset_index(drop=True)
    return rows + random.normal(size=rows.shape) * known.std().to_numpy() / 10


def _processor_time(server: isopod.Server, job: str, frames: list[bytes]) -> float:
    """The least processor time in which the server adds up all frames."""

    def once() -> float:
        begin = time.process_time()
        server.partial(job, frames, again=True, threads=1)
        return time.process_time() - begin

    return min(once() for _ in range(REPEATS))


def _parts(devices: int) -> list[Any]:
    """The rows of each device: whole frames, but for the last."""
    bounds = np.arange(devices + 1) * (ROWS / devices / ROWS_OF_FRAME)
    ends = np.floor(bounds).astype(int) * ROWS_OF_FRAME
    ends[-1] = ROWS
    return [np.arange(begin, end) for begin, end in itertools.pairwise(ends)]


def _measured(keys: isopod.Keys, rows: Any, devices: int, key: str) -> dict[str, float]:
    """Frames of all devices, and the means of their columns."""
    columns = isopod.Columns.of(rows)
    frames = [
        frame for number, part in enumerate(_parts(devices), start=1)
        for frame in isopod.Device(keys.device(number), by_secret_key=key == "secret").encrypt(
            rows.iloc[part], columns=columns, precision=PRECISION[key], scale_bits=SCALE_BITS, bound_bits=BOUND_BITS)
    ]
    server, owner = isopod.Server(keys.server), isopod.Owner(keys.owner)
    result = owner.decrypt(server.column_mean(frames), columns=columns)
    standard = (rows.to_numpy() - np.asarray(columns.means)) / np.asarray(columns.scales)
    off = np.abs(result.values[0] - standard.mean(axis=0)).max()
    work = [_processor_time(server, job, frames) for job in ("sum", "column-sum")]
    return {
        "error": result.error, "error_ratio": float(off / result.error), "bytes_per_row": sum(map(len, frames)) / ROWS,
        "cpu_seconds": work[1], "cpu_seconds_ratio": work[1] / work[0],
    }


def cases() -> dict[str, float]:
    """Both ways to encrypt."""
    rows = table()
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        fleet = isopod.keygen(Path(folder) / "fleet", set=SET, devices=range(1, DEVICES + 1), passphrase=None)
        alone = isopod.keygen(Path(folder) / "alone", set=SET, passphrase=None, secret_key_on_device=True)
        for name, keys, devices in (("public", fleet, DEVICES), ("secret", alone, 1)):
            measured = _measured(keys, rows, devices, name)
            found |= {f"column-mean-1m-{name}-{what}": value for what, value in measured.items()}
    return found


if __name__ == "__main__":
    for case, value in cases().items():
        print(f"{case:<40} {value:.4g}")
