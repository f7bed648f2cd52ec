"""Tests the example end to end, on the first rows:

    PYTHONPATH=. ISOPOD=PROGRAM python3 -m unittest discover -s examples/breast-cancer -p test_demo.py

Two frames, the second one partly filled; then input that must be refused."""
import array
import contextlib
import io
import json
import math
import os
import random
import shutil
import subprocess
import tomllib
import unittest
import zlib
from pathlib import Path
from unittest import mock

import demo

from ports import emulate

PROGRAM = os.environ.get("ISOPOD", "target/release/isopod")
FOLDER = emulate.ROOT / emulate.BUILD / "demo-test"
ROWS = 70
FRAMES = 2
EMULATED = all(map(shutil.which, demo.TOOLS))
DEVICE_RAM = 32 * 1024
# Seven standard deviations and the rounding of weights. Noise of a coefficient that loses 17 bits of c0 and 12 of c1
# (spec/coefficients.md, section 3): 5.8e4 / 2^30 = 5.4e-5; of a score: times the norm of the weights, 2.62, 1.4e-4.
LARGEST_ERROR = 1.2e-3
REFUSED_INPUT, REFUSED_TAG = 3, 4


def deflated_residues() -> int:
    """The deflated size of one ciphertext's residues as 64-bit words, like in SEAL's zlib mode. Ciphertexts look random."""
    sets = tomllib.loads((emulate.ROOT / "spec/params.toml").read_text())["ckks"]
    entry = next(entry for entry in sets if entry["name"] == demo.SET)
    generator = random.Random(demo.SET)
    words = [generator.randrange(prime) for prime in 2 * entry["data_primes"] for _ in range(entry["ring_degree"])]
    return len(zlib.compress(array.array("Q", words).tobytes()))


class Story(unittest.TestCase):
    """The facts that the table shows."""

    def tell(self) -> tuple[dict, str]:
        """The facts, and the messages."""
        isopod, said = demo.Isopod(PROGRAM, FOLDER), io.StringIO()
        with contextlib.redirect_stdout(said):
            command = demo.prepare(isopod, ROWS)
        return isopod.run(*command), said.getvalue()

    def check(self, facts: dict) -> None:
        """Checks facts that hold wherever the rows were encrypted."""
        self.assertEqual((facts["rows"], facts["equal_predictions"], facts["frames"]), (ROWS, ROWS, FRAMES))
        # An exact score would mean that the rows were not encrypted.
        self.assertTrue(0 < facts["largest_score_error"] < LARGEST_ERROR, facts["largest_score_error"])
        self.assertLess(facts["bytes_per_row"], 0.5 * facts["seal_bytes_per_row"])
        self.assertLess(facts["bytes_per_row"], 0.8 * deflated_residues() * FRAMES / ROWS)

    @unittest.skipUnless(EMULATED, "QEMU or the Arm compiler is missing")
    def test_on_the_board(self):
        """Runs firmware, server and owner; the board needs little RAM."""
        facts, _ = self.tell()
        self.check(facts)
        self.assertEqual(facts["encrypted_by"], "device")
        self.assertLess(facts["device"]["ram_bytes"], DEVICE_RAM)
        instructions = facts["device"]["instructions_per_encryption"]
        self.assertTrue(1_000_000 < instructions < 12_000_000, instructions)
        self.assertEqual(self.score(demo.MODEL).returncode, 0)
        refused = self.score(self.other_model())
        self.assertEqual(refused.returncode, REFUSED_INPUT)
        self.assertIn("features", refused.stderr)

    def score(self, model: Path) -> subprocess.CompletedProcess:
        """The server scores the board's frames, whose columns must have the model's names; it scores them a second time on
        purpose."""
        return demo.Isopod(PROGRAM, FOLDER).try_run(
            "evaluate", "--keys", "keys/server", "--job", "logistic", "--model", str(model), "--in", "frames/device-1.bin",
            "--out", f"{model.stem}-scores.bin", "--again", capture_output=True)

    def other_model(self) -> Path:
        """A model with as many features, two of them exchanged."""
        model = json.loads(demo.MODEL.read_text())
        model["features"][:2] = reversed(model["features"][:2])
        path = FOLDER / "other-model.json"
        path.write_text(json.dumps(model))
        return path

    def test_without_an_emulator(self):
        """The results are equal, and a note says that nothing was measured."""
        with mock.patch.object(demo, "TOOLS", ("no-such-emulator",)):
            facts, said = self.tell()
        self.check(facts)
        self.assertEqual((facts["encrypted_by"], facts["device"]), ("this machine", {}))
        self.assertIn("without no-such-emulator: nothing is measured", said)


class Refusals(unittest.TestCase):
    """Valid keys, but invalid input."""

    @classmethod
    def setUpClass(cls):
        """Generates keys and one valid file of frames."""
        cls.readings = demo.fresh_folder(FOLDER, ROWS)
        cls.isopod = demo.Isopod(PROGRAM, FOLDER)
        cls.isopod.keygen()
        cls.isopod.run("encrypt", "--key", "keys/device-1", "--values", "readings.csv", "--bound-bits", "2",
                       "--model", str(demo.MODEL), "--standardised", "--out", "good.bin")
        cls.frames = (FOLDER / "good.bin").read_bytes()

    def evaluate(self, frames: bytes, keys: str = "keys/server") -> subprocess.CompletedProcess:
        """The server scores these frames and writes results.bin."""
        (FOLDER / "sent.bin").write_bytes(frames)
        (FOLDER / "results.bin").unlink(missing_ok=True)
        return self.isopod.try_run("evaluate", "--keys", keys, "--job", "logistic", "--model", str(demo.MODEL),
                                   "--in", "sent.bin", "--out", "results.bin", "--strict", capture_output=True)

    def test_flipped_bit(self):
        """Authentication fails before any computation."""
        flipped = bytearray(self.frames)
        flipped[len(flipped) // 2] ^= 1
        self.assertEqual(self.evaluate(bytes(flipped)).returncode, REFUSED_TAG)
        self.assertFalse((FOLDER / "results.bin").exists())

    def test_truncated_frames(self):
        """A part that ends early."""
        self.assertEqual(self.evaluate(self.frames[:-1]).returncode, REFUSED_INPUT)
        self.assertFalse((FOLDER / "results.bin").exists())

    def test_the_server_scores_but_cannot_decrypt(self):
        """With the server's folder one can score but not decrypt. With the device's folder one cannot decrypt, either."""
        shutil.copytree(FOLDER / "keys/server", FOLDER / "elsewhere")
        self.assertEqual(self.evaluate(self.frames, "elsewhere").returncode, 0)
        for folder in ("elsewhere", "keys/device-1"):
            done = self.isopod.try_run("decrypt", "--keys", folder, "--in", "results.bin", capture_output=True)
            self.assertNotEqual(done.returncode, 0, folder)
            self.assertEqual(done.stdout, "", folder)
        self.assertEqual(len(self.isopod.run("decrypt", "--keys", "keys/owner", "--in", "results.bin")["values"]), ROWS)

    @unittest.skipUnless(EMULATED, "QEMU or the Arm compiler is missing")
    def test_readings_that_the_board_refuses(self):
        """Each refusal names its cause, and no frame is written."""
        elf = demo.build_firmware(FOLDER)
        good = self.readings[0]
        cases = {
            "NaN": ([[math.nan, *good[1:]]], "isopod_status -8"),
            "infinite": ([[*good[:-1], math.inf]], "isopod_status -8"),
            "beyond the bound": ([[4.5, *good[1:]]], "isopod_status -9"),
            "half a row": ([good, good[:15]], "READINGS ends within a row"),
        }
        for name, (readings, complaint) in cases.items():
            with self.subTest(name):
                done = demo.run_firmware(elf, FOLDER, readings)
                self.assertEqual(done.returncode, 1)
                self.assertIn(complaint, done.stderr)
                self.assertEqual((FOLDER / "frames/device-1.bin").stat().st_size, 0)
