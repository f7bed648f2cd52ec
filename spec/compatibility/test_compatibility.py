"""Checks that the present program opens keys, frames and results of every earlier version:

    ISOPOD=PROGRAM python3 -m unittest discover -v -s spec/compatibility"""
import json
import shutil
import tempfile
import unittest
from pathlib import Path

from write import isopod

HERE = Path(__file__).parent


class Compatibility(unittest.TestCase):
    """There is one folder for each version and set."""

    def test_every_version_is_opened(self):
        kept = sorted(path.parent for path in HERE.glob("*/*/values.json"))
        self.assertGreaterEqual(len(kept), 3)
        for folder in kept:
            with self.subTest(version=folder.parent.name, set=folder.name), tempfile.TemporaryDirectory() as copy:
                self.open(folder, Path(copy) / "kept")

    def open(self, folder: Path, work: Path):
        """Decrypts the stored results, and a new sum of the frames."""
        shutil.copytree(folder, work)
        for path in work.rglob("*"):
            path.chmod(0o700 if path.is_dir() else 0o600)
        wanted = json.loads((work / "values.json").read_text())
        isopod(work, "evaluate", "--keys", "server", "--job", "sum", "--in", "frames.bin", "--out", "again.bin")
        for name in ("results.bin", "again.bin"):
            answer = json.loads(isopod(work, "decrypt", "--json", "--keys", "owner", "--in", name))["values"]
            self.assertEqual(len(answer), len(wanted))
            for value, known in zip(answer, wanted):
                self.assertAlmostEqual(value["value"], known, delta=1e-9 if name == "results.bin" else 2 * value["error"] + 1e-9)
