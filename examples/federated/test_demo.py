"""Tests the example end to end, without Flower:

    PYTHONPATH=. python3 -m unittest discover -s examples/federated -p test_demo.py"""
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "app"), str(HERE.parents[1] / "crates/python/test")]
import support  # noqa: E402, F401, puts the package on the path

# isort: split
import demo  # noqa: E402
import isopod  # noqa: E402
import numpy as np  # noqa: E402
from federated import clients, network  # noqa: E402

ROUNDS = 12
EMULATED = all(map(shutil.which, demo.TOOLS))
BOARD_RAM = 32 * 1024


class Federated(unittest.TestCase):
    """One training that takes seconds, and refusals."""

    def test_training_is_as_good_as_in_the_clear(self):
        with tempfile.TemporaryDirectory(prefix="isopod-federated-", dir=demo.emulate.ROOT / demo.emulate.BUILD) as place:
            report = demo.run(Path(place) / "run", ROUNDS)
        self.assertGreater(report["accuracy_in_the_clear"], 0.93)
        # One image of 360.
        self.assertLessEqual(abs(report["accuracy"] - report["accuracy_in_the_clear"]), 1 / 360 + 1e-9)
        self.assertLessEqual(report["bytes_per_weight"], 6.5)
        if EMULATED:
            board = report["board"]
            self.assertEqual(board["images"], len(network.digits(demo.CLIENTS)[0][-1].labels))
            self.assertLessEqual(sum(board[name] for name in board if name.endswith("ram_bytes")) + board["buffer_bytes"]
                                 + board["stack_bytes"], BOARD_RAM)

    def test_an_exploding_update_is_refused_on_the_device(self):
        with tempfile.TemporaryDirectory() as place:
            keys = isopod.keygen(Path(place) / "keys", set=clients.SET, passphrase=None)
            with self.assertRaisesRegex(isopod.InputError, "column 7, counted from 0: NaN; allowed are numbers"):
                changed = np.zeros(network.COUNT, np.float32)
                changed[7] = np.nan
                isopod.Device(keys.device(1)).encrypt(changed, bound_bits=clients.BOUND_BITS)

    @unittest.skipUnless(EMULATED, "the emulator or its compiler is missing")
    def test_the_board_sends_nothing_for_a_round_that_is_no_number(self):
        with tempfile.TemporaryDirectory(prefix="isopod-federated-", dir=demo.emulate.ROOT / demo.emulate.BUILD) as place:
            keys = isopod.keygen(Path(place) / "keys", set=clients.SET, passphrase=None)
            board = clients.Microcontroller(keys, 1, network.digits(demo.CLIENTS)[0][-1])
            for text in ("x", "1x", "-1", "1234567890"):
                with self.subTest(text), self.assertRaisesRegex(RuntimeError, "ROUND is not a number"):
                    board.update(np.zeros(network.COUNT, np.float32), text)
                self.assertFalse((keys.folder / "frame").exists())
