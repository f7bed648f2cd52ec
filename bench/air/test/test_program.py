"""The entropy of bench/air: a command repeats under one seed, and another seed gives other bytes."""
import sys
import tempfile
import unittest
from pathlib import Path

from bench.air.program import Isopod

DRAW = ("-c", "import ctypes; out = ctypes.create_string_buffer(20); ctypes.CDLL(None).getrandom(out, 20, 0); "
        "print(out.raw.hex())")


class Entropy(unittest.TestCase):
    """Python stands in for the program, and draws through the C library."""

    def test_runs_repeat_and_commands_differ(self):
        runs = []
        for _ in range(2):
            with tempfile.TemporaryDirectory() as folder:
                program = Isopod(Path(sys.executable), Path(folder))
                runs.append([program.run(*DRAW) for _ in range(3)])
        self.assertEqual(runs[0], runs[1])
        self.assertEqual(len(set(runs[0])), 3)
