"""Checks that the committed data, model and readings agree with scikit-learn and train.py: unittest discover -s
examples/breast-cancer."""
import csv
import json
import unittest
from functools import cache

import numpy
import train
from sklearn.datasets import load_breast_cancer

# Six digits are committed; solvers on other processors differ by less.
RELATIVE, ABSOLUTE = 1e-4, 1e-5


@cache
def fresh() -> tuple[dict, list[str], numpy.ndarray, float]:
    """One training, which all tests share."""
    return train.fit()


def committed_model() -> dict:
    """The model of model.json."""
    return json.loads((train.FOLDER / "model.json").read_text())


def committed_readings() -> tuple[list[str], numpy.ndarray]:
    """The header and the rows of readings.csv."""
    with (train.FOLDER / "readings.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    return header, numpy.array(rows, dtype=float)


class Committed(unittest.TestCase):
    """Compares the committed files with freshly written ones."""

    def test_data_is_the_set_that_scikit_learn_ships(self):
        """Names, values and classes."""
        bundled = load_breast_cancer()
        features, values, malignant = train.load()
        self.assertEqual(features, [name.replace(" ", "_") for name in bundled.feature_names])
        numpy.testing.assert_array_equal(values, bundled.data)
        numpy.testing.assert_array_equal(malignant, bundled.target_names[bundled.target] == train.POSITIVE)

    def test_model_is_fresh(self):
        """Every number of model.json."""
        committed, model = committed_model(), fresh()[0]
        self.assertEqual(committed.keys(), model.keys())
        self.assertEqual((committed["kind"], committed["features"]), (model["kind"], model["features"]))
        for field in ("mean", "scale", "weights", "bias"):
            numpy.testing.assert_allclose(committed[field], model[field], RELATIVE, ABSOLUTE, err_msg=field)

    def test_readings_are_fresh(self):
        """Every row of readings.csv."""
        header, rows = committed_readings()
        self.assertEqual(header, fresh()[1])
        numpy.testing.assert_allclose(rows, fresh()[2], RELATIVE, ABSOLUTE)

    def test_model_predicts(self):
        """Accuracy on the held-out rows."""
        self.assertGreater(fresh()[3], 0.95)


class Bounds(unittest.TestCase):
    """Checks the bounds of the set ckks-4096x2-linear at scale 2^27 with weights at 2^22."""

    def test_readings_and_scores_fit(self):
        """No |reading| exceeds 8, and no score can reach 1024."""
        model = committed_model()
        self.assertLessEqual(abs(committed_readings()[1]).max(), train.BOUND)
        self.assertLessEqual(max(map(abs, model["weights"])), 2)
        self.assertLess(train.BOUND * sum(map(abs, model["weights"])) + abs(model["bias"]), 1024)

    def test_no_score_is_too_close_to_call(self):
        """The smallest margin is several times the largest error of encryption (2e-3, see test_demo.py)."""
        model = committed_model()
        scores = committed_readings()[1] @ numpy.array(model["weights"]) + model["bias"]
        self.assertGreater(abs(scores).min(), 1e-2)
