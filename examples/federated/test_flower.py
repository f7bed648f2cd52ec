"""Tests the Flower app with Flower's own processes and the emulated board: `make test-flower`."""
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "app"), str(HERE.parents[1] / "crates/python/test")]
import support  # noqa: E402, F401, puts the package on the path

# isort: split
import with_flower  # noqa: E402

ROUNDS = 2


class Flower(unittest.TestCase):
    """Runs a short training to its end."""

    def test_training_is_as_good_as_in_the_clear(self):
        with_flower.FOLDER.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="isopod-flower-", dir=with_flower.FOLDER.parent) as place:
            report = with_flower.run(Path(place) / "run", ROUNDS)
        self.assertGreater(report["accuracy_in_the_clear"], 0.75)
        # One image of 360.
        self.assertLessEqual(abs(report["accuracy"] - report["accuracy_in_the_clear"]), 1 / 360 + 1e-9)
        self.assertLessEqual(report["bytes_per_weight"], 6.5)
