"""Tests the example end to end, with the large ring of tests: features and frames of the board, and both answers.

    PYTHONPATH=. ISOPOD=PROGRAM .venv/bin/python -m unittest discover -s examples/wearable -p test_demo.py

PROGRAM is one that `cargo test` built: it knows the ring of tests."""
import argparse
import contextlib
import io
import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import demo
import movements
import numpy as np

from ports import emulate

PROGRAM = os.environ.get("ISOPOD", "target/debug/isopod")
TOOLS = ("arm-none-eabi-gcc", "qemu-system-arm", "go")
WINDOWS = 140
DEVICE_RAM = 24 * 1024


def built(place: Path) -> Path:
    """The programs that bootstrap, with the ring of tests."""
    subprocess.run(["go", "-C", emulate.ROOT / "deep", "build", "-tags", "insecure", "-o", f"{place}/", "./cmd/..."], check=True)
    return place


@unittest.skipUnless(all(map(shutil.which, TOOLS)), "Go, QEMU or the Arm compiler is missing")
class Story(unittest.TestCase):
    """The whole example."""

    def setUp(self) -> None:
        self.folder = emulate.ROOT / emulate.BUILD / "wearable-test"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.isopod = demo.Isopod(PROGRAM, self.folder)

        self.programs = built(Path(self.enterContext(tempfile.TemporaryDirectory())))

    def test_answers_are_those_of_the_clear(self) -> None:
        options = argparse.Namespace(windows=WINDOWS, size="insecure-12", threads=2, programs=self.programs)
        with contextlib.redirect_stdout(io.StringIO()):
            facts = demo.tell(self.isopod, options)
        self.assertEqual((facts["windows"], facts["alarms_wrong"]), (WINDOWS, 0))
        self.assertLessEqual(facts["classes_differ"], 1)
        self.assertGreater(facts["accuracy"], 0.9)
        self.assertLess(facts["bytes_per_reading"], 8)
        self.assertLess(facts["ram_bytes"], DEVICE_RAM)
        self.features_of_the_board()
        self.refusals()

    def features_of_the_board(self) -> None:
        """Weighted by nothing but one: the sum over all windows of each feature is that of the clear."""
        self.isopod.run("evaluate --keys keys/server --in frames.bin --out sums.bin --job column-sum --unnamed-columns --again")
        opened = self.isopod.run("decrypt --keys keys/owner --in sums.bin")
        rows = demo.trained().rows(movements.windows("TEST")[0][:WINDOWS])
        found = np.array([value["value"] for value in opened["values"]])
        # Noise of 0.02 a reading, and what float leaves.
        self.assertLess(np.abs(found - rows.sum(axis=0)).max(), 7 * 0.02 * np.sqrt(WINDOWS))

    def refusals(self) -> None:
        """A model of other columns."""
        model = json.loads((self.folder / "network.json").read_text())
        model["features"][0] = "another"
        (self.folder / "other.json").write_text(json.dumps(model))
        with self.assertRaisesRegex(RuntimeError, "features"):
            self.isopod.run("evaluate --keys keys/server --in frames.bin --out other.bin --job network --model other.json",
                            "--deep-keys", "ring", "--programs", self.programs)


if __name__ == "__main__":
    unittest.main()
