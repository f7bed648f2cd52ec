"""Tests the library where `int` has 16 bits: an ATmega1284P under simavr gives the same bytes as the host."""
import shutil
import tempfile
import unittest
from pathlib import Path

from bench.device import avr
from ports.emulate import output


class Avr(unittest.TestCase):
    """An 8-bit controller computes in 32 and 64 bits like every other machine."""

    @classmethod
    def setUpClass(cls) -> None:
        if missing := [tool for tool in ("avr-gcc", "simavr") if not shutil.which(tool)]:
            raise unittest.SkipTest(f"{', '.join(missing)} not found; ./bootstrap.sh boards installs it")
        cls.workshop = avr.Workshop(Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="isopod-avr-"))))
        cls.workshop.prepare()

    def test_bytes_of_an_8_bit_controller_are_those_of_the_host(self):
        """Covers a public key, a secret key and integers, bare and framed."""
        for set_name, kind in avr.CASES:
            with self.subTest(set_name, kind=kind):
                host = avr.DIGEST.findall(output([self.workshop.build("host", set_name, kind)]))
                said = avr.simulated(self.workshop.build("board", set_name, kind))
                self.assertEqual([word for _, word in host], ["bare", "done"])
                self.assertEqual(avr.DIGEST.findall(said), host, said)
