"""End to end, on the first rows: PYTHONPATH=. ISOPOD=<program> python3 -m unittest discover -s examples/breast-cancer -p test_demo.py

Two frames, the second one not full; then what must not work."""
import contextlib
import io
import math
import os
import shutil
import unittest
from unittest import mock

import demo
from ports import emulate

PROGRAM = os.environ.get("ISOPOD", "target/release/isopod")
FOLDER = emulate.ROOT / emulate.BUILD / "demo-test"
ROWS = 70
EMULATED = all(map(shutil.which, demo.TOOLS))
DEVICE_RAM = 32 * 1024
# Seven standard deviations. Noise of a coefficient under a public key: sqrt(10.5 * (1 + 4n/3)) = 239; of a slot:
# sqrt(n/2) * 239 / 2^27 = 8.1e-5; of a score: times the norm of the weights, 3.55, 2.9e-4.
LARGEST_ERROR = 2e-3
REFUSED_INPUT, REFUSED_TAG = 3, 4


class Story(unittest.TestCase):
    """The facts that the table shows."""

    def check(self, facts: dict) -> None:
        """What holds wherever the rows were encrypted."""
        self.assertEqual((facts["rows"], facts["equal_predictions"], facts["frames"]), (ROWS, ROWS, 2))
        self.assertTrue(0 < facts["positive_predictions"] < ROWS)
        # An exact score would mean that nothing was encrypted.
        self.assertTrue(0 < facts["largest_score_error"] < LARGEST_ERROR, facts["largest_score_error"])
        self.assertLess(facts["bytes_per_row"], 0.8 * facts["seal_zlib_bytes_per_row"])
        self.assertIn(f"{ROWS} of {ROWS} rows", demo.table(facts))

    @unittest.skipUnless(EMULATED, "QEMU or the Arm compiler is missing")
    def test_on_the_board(self):
        """Firmware, server, owner; the board stays a small one."""
        with contextlib.redirect_stdout(io.StringIO()):
            facts = demo.story(PROGRAM, ROWS, FOLDER)
        self.check(facts)
        self.assertLess(facts["library_ram_bytes"] + facts["buffer_bytes"] + facts["stack_bytes"], DEVICE_RAM)
        self.assertTrue(1_000_000 < facts["instructions"] < 10_000_000, facts["instructions"])
        self.assertNotIn("not measured", demo.table(facts))

    def test_without_an_emulator(self):
        """The same answers, and it says that nothing was measured."""
        said = io.StringIO()
        with mock.patch.object(demo, "TOOLS", ("no-such-emulator",)), contextlib.redirect_stdout(said):
            facts = demo.story(PROGRAM, ROWS, FOLDER)
        self.check(facts)
        self.assertIn("no-such-emulator not found", said.getvalue())
        self.assertIn("not measured", demo.table(facts))


class Refusals(unittest.TestCase):
    """Bad input after good keys."""

    @classmethod
    def setUpClass(cls):
        """Keys and one good file of frames."""
        shutil.rmtree(FOLDER, ignore_errors=True)
        FOLDER.mkdir(parents=True)
        cls.isopod = demo.Isopod(PROGRAM, FOLDER)
        cls.isopod.keygen()
        cls.readings = demo.load(ROWS)[1]
        demo.encrypt_on_host(cls.isopod, cls.readings)
        cls.frames = (FOLDER / "frames.bin").read_bytes()

    def evaluate(self, frames: bytes):
        """What the server says about these frames, which must be no result."""
        (FOLDER / "bad.bin").write_bytes(frames)
        done = self.isopod.try_run("evaluate", "--keys", "keys/server", "--job", "logistic", "--model",
                                   str(demo.EXAMPLE / "model.json"), "--in", "bad.bin", "--out", "bad-results.bin")
        self.assertFalse((FOLDER / "bad-results.bin").exists())
        return done

    def test_flipped_bit(self):
        """Authentication fails before anything is computed."""
        flipped = bytearray(self.frames)
        flipped[len(flipped) // 2] ^= 1
        self.assertEqual(self.evaluate(bytes(flipped)).returncode, REFUSED_TAG)

    def test_truncated_frames(self):
        """A part that ends early."""
        self.assertEqual(self.evaluate(self.frames[:-1]).returncode, REFUSED_INPUT)

    def test_the_server_cannot_decrypt(self):
        """Its folder holds no secret key; neither does the device's."""
        (FOLDER / "frames.bin").write_bytes(self.frames)
        self.isopod.run("evaluate", "--keys", "keys/server", "--job", "logistic", "--model",
                        str(demo.EXAMPLE / "model.json"), "--bound-bits", demo.BOUND_BITS, "--in", "frames.bin",
                        "--out", "results.bin")
        for folder in ("keys/server", "keys/device-1"):
            done = self.isopod.try_run("decrypt", "--keys", folder, "--in", "results.bin")
            self.assertNotEqual(done.returncode, 0, folder)
            self.assertNotIn('"values"', done.stdout, folder)

    @unittest.skipUnless(EMULATED, "QEMU or the Arm compiler is missing")
    def test_readings_that_the_board_refuses(self):
        """Each names its cause, and no frame comes out."""
        elf = demo.build_firmware(FOLDER)
        good = self.readings[0]
        cases = {
            "NaN": ([[math.nan, *good[1:]]], "isopod_status -8"),
            "infinite": ([[*good[:-1], math.inf]], "isopod_status -8"),
            "beyond the bound": ([[8.5, *good[1:]]], "isopod_status -9"),
            "half a row": ([good, good[:15]], "READINGS ends within a row"),
        }
        for name, (readings, complaint) in cases.items():
            with self.subTest(name):
                done = demo.run_firmware(elf, FOLDER, readings)
                self.assertEqual(done.returncode, 1)
                self.assertIn(complaint, done.stderr)
                self.assertEqual((FOLDER / "frames.bin").stat().st_size, 0)


if __name__ == "__main__":
    unittest.main()
