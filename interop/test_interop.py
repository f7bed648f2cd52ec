"""Checks that other libraries decrypt the output of `isopod export` to the same plaintexts: a newer SEAL (in TenSEAL) and
Lattigo.

The tests take every set, unchanged frames from devices, and results that SEAL computed. `ISOPOD` names the command."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ISOPOD = str(Path(os.environ.get("ISOPOD", "target/release/isopod")).resolve())
ROWS = [[0.5, -1.25, 3.0], [-2.0, 0.75, 1.5]]
SETS = ["ckks-1024x1-sum", "ckks-2048x1-sum", "ckks-4096x2-linear", "ckks-4096x3-sum", "ckks-8192x6-multiply", "ckks-8192x3w-sum"]
INTEGER_ROWS = [[5, -1200, 33], [-2, 17, 1400]]
INTEGER_SETS = ["bfv-4096x2-linear", "bfv-4096x3-sum", "bfv-8192x6-multiply", "bfv-4096x2w-seal-default",
                "bfv-8192x4w-seal-default"]
TOLERANCE = 0.25  # more than eight standard deviations of a sum under the smallest scale


def run(*command: object, cwd: Path) -> str:
    """Runs a command, which must succeed; its standard output."""
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.stderr}")
    return done.stdout


class Exported:
    """Exported keys, frames, and the sum of these frames."""

    def __init__(self, name: str, place: Path, rows: list[list]):
        self.place = place
        accepted = ["--allow-compat-2018"] if name.endswith("-seal-default") else []
        bound = ["--bound-bits", "11" if name.startswith("bfv") else "2"]
        self.isopod("keygen", "--set", name, "--out", "keys", "--insecure-plaintext-key", "--for", "sum", *accepted)
        header = ",".join(f"c{i}" for i in range(len(rows[0])))
        (place / "values.csv").write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")
        self.isopod("encrypt", "--keys", "keys/device-1", "--values", "values.csv", "--out", "frames.bin",
                    "--rows-per-frame", "1", *bound, *accepted)
        self.isopod("evaluate", "--keys", "keys/server", "--job", "sum", "--in", "frames.bin",
                    "--out", "results.bin", *accepted)
        self.isopod("export", "--keys", "keys/server", "--frames", "frames.bin", "--out", "frames")
        self.isopod("export", "--keys", "keys/owner", "--results", "results.bin", "--insecure-secret-key", "--out", "sums")

    def isopod(self, *arguments: str) -> str:
        """Runs the command line."""
        return run(ISOPOD, *arguments, cwd=self.place)

    def files(self, folder: str) -> list[str]:
        """The ciphertexts in a folder, in order."""
        return [entry["file"] for entry in json.loads((self.place / folder / "contents.json").read_text())["ciphertexts"]]

    def read(self, *program: object) -> list[list]:
        """The first slots of both frames and of their sum, as a program reads them."""
        slots = []
        for folder in ("frames", "sums"):
            answer = run(*program, self.place / "sums", self.place / folder, *self.files(folder), cwd=self.place)
            slots += [values[:3] for values in json.loads(answer)]
        return slots


def wanted(rows: list[list]) -> list[list]:
    """The slots of both rows and of their sum, as they must be."""
    return [*rows, [sum(column) for column in zip(*rows)]]


def go_is_recent() -> bool:
    """True if Go is 1.22 or newer, because Lattigo needs that."""
    if shutil.which("go") is None:
        return False
    version = re.search(r"go(\d+)\.(\d+)", run("go", "version", cwd=HERE))
    return version is not None and (int(version[1]), int(version[2])) >= (1, 22)


class OtherLibraries(unittest.TestCase):
    """Reads each set with each library."""

    def check(self, *program: object) -> None:
        """Checks all sets. Integers must be exact."""
        for name in SETS + INTEGER_SETS:
            rows, tolerance = (INTEGER_ROWS, 0) if name in INTEGER_SETS else (ROWS, TOLERANCE)
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                found = Exported(name, Path(folder), rows).read(*program)
                for row, values in zip(wanted(rows), found, strict=True):
                    for value, exact in zip(values, row, strict=True):
                        self.assertAlmostEqual(value, exact, delta=tolerance)

    def test_a_newer_seal_reads_it(self) -> None:
        """TenSEAL links SEAL 4.3 or newer."""
        self.check(sys.executable, HERE / "tenseal" / "slots.py")

    @unittest.skipUnless(go_is_recent(), "no Go of version 1.22 or newer")
    def test_lattigo_reads_it(self) -> None:
        """Lattigo, built from the module's lock file."""
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "lattigo"
            run("go", "build", "-o", program, ".", cwd=HERE / "lattigo")
            self.check(program)
