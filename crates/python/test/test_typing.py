"""Checks types: the package and its stub by mypy --strict, the stub against the library, and programs that a user could write."""
import os
import subprocess
import sys
import unittest

from support import ROOT

RIGHT = """
import isopod
import numpy as np
from numpy.typing import NDArray

keys: isopod.Keys = isopod.keygen("k", set="ckks-2048x1-air", passphrase="x", devices=[1], job="mean")
frames: list[bytes] = isopod.Device(keys.device(1)).encrypt(np.zeros(3), bound_bits=3)
answer: isopod.Answer = isopod.Server(keys.server).mean(frames, again=True)
values: NDArray[np.float64] = isopod.Owner(keys.owner, passphrase="x").decrypt(answer).values
"""
WRONG = {
    'isopod.Device("k").encrypt([1.0], bound_bit=3)': "bound_bit",
    'isopod.Device("k").encrypt([1.0], bound_bits="3")': "incompatible type",
    'isopod.Server("k").mean([1])': "incompatible type",
    'isopod.keygen("k")': "passphrase",
}


class Types(unittest.TestCase):
    """Each test is one run of mypy."""

    def check(self, *words):
        environment = {**os.environ, "MYPYPATH": str(ROOT / "python")}
        command = [sys.executable, "-m", *words]
        return subprocess.run(command, cwd=ROOT / "python", env=environment, capture_output=True, text=True, check=False)

    def test_the_package_is_typed_strictly(self):
        done = self.check("mypy", "--strict", "--config-file", "../pyproject.toml", "isopod")
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_the_stub_says_what_the_library_has(self):
        done = self.check("mypy.stubtest", "--mypy-config-file", "../pyproject.toml", "isopod")
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_programs_of_users(self):
        program = RIGHT + "\n".join(WRONG)
        done = self.check("mypy", "--strict", "--config-file", "../pyproject.toml", "-c", program)
        lines = [line for line in done.stdout.splitlines() if "error:" in line]
        self.assertEqual(len(lines), len(WRONG), done.stdout)
        for line, message in zip(lines, WRONG.values()):
            self.assertIn(message, line)
