"""Tests of what a board's program prints, and of its records."""
import unittest

from bench.counter.silicon import board

LOG = "Info: semihosting enabled\nstack_bytes 884\ndigest 8678265536027386457\n" + "".join(
    f"cycles {1000 * (at + 1)}\n" for at in range(len(board.CASES)))


class Board(unittest.TestCase):
    """Reading a log."""

    def test_every_module_has_its_cycles(self):
        found = board.cycles(LOG)
        self.assertEqual(found["ckks-4096x3-module-encode"], 1000)
        self.assertEqual(found["ckks-4096x3-module-shake256-keccak"], 1000 * len(board.CASES))

    def test_a_log_of_another_program_or_of_an_emulator(self):
        with self.assertRaisesRegex(ValueError, "has 0 lines"):
            board.cycles("nothing")
        with self.assertRaisesRegex(ValueError, "stood still"):
            board.cycles(LOG.replace("cycles 1000\n", "cycles 0\n"))

    def test_error_of_the_model(self):
        modelled = {("cortex-m4", case): {"est_cycles": 1100} for case in board.CASES.values()}
        found = board.records(board.cycles(LOG), modelled, "a board", 64)
        self.assertAlmostEqual(found[0]["error"], 0.1)
        self.assertIn("| ckks-4096x3-module-encode | 1,000 | 1,100 | +10.0% |", board.table(found))
