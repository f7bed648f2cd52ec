"""Tests the example end to end:

    ISOPOD=PROGRAM python3 -m unittest discover -s examples/time-series -p test_demo.py

Every answer within the promised error; requests that must be refused; the origin of the data."""
import csv
import importlib.util
import os
import tempfile
import unittest
from pathlib import Path

import demo

PROGRAM = os.environ.get("ISOPOD", "target/release/isopod")
LARGEST_ERROR = 0.1
SOURCE = importlib.util.find_spec("vega_datasets")


class Story(unittest.TestCase):
    """Checks the answers, and refusals under the same keys."""

    @classmethod
    def setUpClass(cls):
        """Runs the example once."""
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        cls.isopod = demo.Isopod(PROGRAM, Path(place.name))
        cls.facts = demo.tell(cls.isopod)

    def test_answers(self):
        """Each job answers for every hour that it can. An exact answer would mean that nothing was encrypted."""
        sent = self.facts["sent"]
        self.assertLess(sent["bytes_per_reading"], 7.5)
        hours = len(demo.series()[0])
        answers = [fact["answers"] for name, fact in self.facts.items() if name != "sent"]
        self.assertEqual(answers, [hours - demo.OVERLAP, hours - demo.OVERLAP, hours])
        for name, fact in self.facts.items():
            if name != "sent":
                with self.subTest(job=name):
                    self.assertTrue(0 < fact["error"] <= fact["promised"] < LARGEST_ERROR, fact)

    def test_a_window_longer_than_the_frame(self):
        """No answer would depend only on valid coefficients."""
        with self.assertRaisesRegex(RuntimeError, "window"):
            self.isopod.answer(["station-1-0.bin"], "--job", "moving-average", "--window", str(demo.FRAME + demo.DAY))

    def test_a_precision_that_the_set_cannot_give(self):
        """The refusal names the least error of the set, and no byte is written."""
        with self.assertRaisesRegex(RuntimeError, "precision is .* or more"):
            self.isopod.run("encrypt", "--keys", "keys/device-1", "--values", "row.csv", *demo.ENCODING[:-1], "0.0001",
                            "--out", "too-precise.bin")
        self.assertFalse((self.isopod.folder / "too-precise.bin").exists())


class Source(unittest.TestCase):
    """Compares the readings with their origin."""

    @unittest.skipUnless(SOURCE, "vega_datasets is not installed")
    def test_the_package(self):
        """The first hours of both series."""
        for column, name in zip(demo.series(), ("seattle-temps", "sf-temps")):
            with (Path(SOURCE.origin).parent / f"_data/{name}.csv").open(newline="") as file:
                origin = [float(row["temp"]) for row in csv.DictReader(file)]
            self.assertEqual(column, origin[:len(column)])
