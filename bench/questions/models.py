"""Models with several outputs as a user of the Python package scores them: predictions that equal scikit-learn's, and what one
output more costs.

Readings of three public tables that scikit-learn carries. Whoever encrypts them knows the model's features alone, and the server
knows the model and no reading."""
from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import isopod
import numpy as np
from sklearn.datasets import load_digits, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

SET = "ckks-2048x2-air"
REPEATS = 5


class Parties:
    """A device, a server and an owner with fresh keys."""

    def __init__(self, folder: Path) -> None:
        keys = isopod.keygen(folder / "keys", set=SET, passphrase=None)
        self.device, self.server = isopod.Device(keys.device(1)), isopod.Server(keys.server)
        self.owner = isopod.Owner(keys.owner)

    def scored(self, model: isopod.Model, rows: Any, bound_bits: int = 4) -> isopod.Results:
        """The owner's scores of rows."""
        frames = self.device.encrypt(rows, model=model, bound_bits=bound_bits)
        return self.owner.decrypt(self.server.score(model, frames))

    def seconds(self, model: isopod.Model, frames: list[bytes]) -> float:
        """The least processor time in which the server scores frames."""

        def once() -> float:
            begin = time.process_time()
            self.server.score(model, frames, again=True, threads=1)
            return time.process_time() - begin

        return min(once() for _ in range(REPEATS))


def _equal(parties: Parties, fitted: Any, rows: Any, bound_bits: int) -> int:
    model = isopod.from_sklearn(fitted)
    result = parties.scored(model, rows, bound_bits)
    return int((model.predict(result) == fitted.predict(rows)).sum())


def _digits() -> tuple[Any, Any]:
    """A multinomial model of handwritten digits, and a fifth of the images that it was not trained on."""
    images, digits = load_digits(return_X_y=True)
    known, others, answers, _ = train_test_split(images, digits, test_size=0.2, random_state=0, stratify=digits)
    return make_pipeline(MinMaxScaler(), LogisticRegression(max_iter=2000)).fit(known, answers), others


def _ratios(parties: Parties, fitted: Any) -> dict[str, float]:
    """Time and bytes of ten outputs, in terms of one, on every image."""
    rows = load_digits().data
    ten = isopod.from_sklearn(fitted)
    one = isopod.Model("linear", ten.features, ten.weights[0], ten.bias[0], ten.mean, ten.scale)
    frames = parties.device.encrypt(rows, model=ten, bound_bits=1)
    alone, together = parties.seconds(one, frames), parties.seconds(ten, frames)
    sizes = [len(bytes(parties.server.score(model, frames, again=True))) for model in (one, ten)]
    return {
        "seconds_per_frame_one_output": alone / len(frames), "seconds_ten_outputs_ratio": together / alone,
        "seconds_per_output_ratio": (together - alone) / 9 / alone, "answer_bytes_per_row_one_output": sizes[0] / len(rows),
        "answer_bytes_per_row_ten_outputs": sizes[1] / len(rows),
    }


def cases() -> dict[str, float]:
    """Predictions that are equal, and ratios of time."""
    iris, species = load_iris(return_X_y=True)
    with tempfile.TemporaryDirectory() as folder:
        parties = Parties(Path(folder))
        digits, others = _digits()
        multinomial = make_pipeline(StandardScaler(), LogisticRegression()).fit(iris, species)
        discriminant = make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()).fit(iris, species)
        return {
            "digits-multinomial-equal": _equal(parties, digits, others, 1),
            "digits-multinomial-rows": len(others),
            "iris-multinomial-equal": _equal(parties, multinomial, iris, 2),
            "iris-lda-equal": _equal(parties, discriminant, iris, 2),
            "iris-rows": len(iris),
            **_ratios(parties, digits),
        }


if __name__ == "__main__":
    for name, value in cases().items():
        print(f"{name}: {np.round(value, 6)}")
