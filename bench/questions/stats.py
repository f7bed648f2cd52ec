"""Models and statistics from sums of columns, as a user of the Python package computes them, beside scikit-learn and pandas on
the rows themselves. Readings of public tables that scikit-learn carries."""
from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import isopod
import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB

SET = "ckks-2048x2-air"
BUCKETS = 16
_ROUNDING = 1e-12  # of float64 on either side, relative


class Fleet:
    """Devices, a server and an owner with fresh keys."""

    def __init__(self, folder: Path, devices: int = 3) -> None:
        numbers = range(1, devices + 1)
        keys = isopod.keygen(folder / "keys", set=SET, devices=numbers, passphrase=None)
        self.devices = [isopod.Device(keys.device(number)) for number in numbers]
        self.server, self.owner = isopod.Server(keys.server), isopod.Owner(keys.owner)

    def summary(self, table: Any, **options: Any) -> isopod.stats.Summary:
        """The summary of a table whose rows are spread over the devices."""
        columns = isopod.Columns.of(table, **options)
        frames = [frame for at, device in enumerate(self.devices)
                  for frame in device.encrypt(table[at::len(self.devices)], columns=columns)]
        return isopod.stats.describe(self.owner.decrypt(self.server.column_sum(frames), columns=columns))


def _ridge(fleet: Fleet) -> dict[str, float]:
    """Distance and printed error of the coefficients, in terms of the largest one."""
    table = load_diabetes(as_frame=True).frame
    clear = Ridge().fit(table.drop(columns="target"), table.target)
    found = isopod.stats.fit(Ridge(), fleet.summary(table, moments="products", target="target"))
    largest, off = np.abs(clear.coef_).max(), np.abs(found.coef_ - clear.coef_)
    return {"ridge-diabetes-coef-error": float(off.max() / largest),
            "ridge-diabetes-printed-error": float(found.coef_error_.max() / largest),
            "ridge-diabetes-within-printed": float((off <= found.coef_error_).all())}


def _naive_bayes(fleet: Fleet) -> float:
    """Equal predictions of the 150 flowers."""
    flowers = load_iris(as_frame=True)
    kinds = flowers.target_names[flowers.target]
    summary = fleet.summary(flowers.data.assign(kind=kinds), moments="squares", group_by="kind")
    found, clear = isopod.stats.fit(GaussianNB(), summary), GaussianNB().fit(flowers.data, kinds)
    return float((found.predict(flowers.data) == clear.predict(flowers.data)).sum())


def _are_within(fleet: Fleet, table: Any) -> bool:
    summary, clear = fleet.summary(table, moments="squares", quantiles=BUCKETS), table.describe()
    off = (summary.table() - clear).abs() - _ROUNDING * (clear.abs() + summary.table("error"))
    return bool((off <= summary.table("error")).all(axis=None))


def cases() -> dict[str, float]:
    """Coefficients, equal predictions, and whether every cell of five tables is within its error."""
    tables = [load(as_frame=True).data for load in (load_iris, load_diabetes, load_wine)]
    cancer = load_breast_cancer(as_frame=True).data
    tables += [cancer.iloc[:, :15], cancer.iloc[:, 15:]]
    with tempfile.TemporaryDirectory() as folder:
        fleet = Fleet(Path(folder))
        return {
            **_ridge(fleet),
            "gaussian-nb-iris-equal": _naive_bayes(fleet),
            "describe-vs-pandas": float(all(_are_within(fleet, table) for table in tables)),
        }
