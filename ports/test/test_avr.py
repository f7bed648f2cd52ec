"""Tests the library where `int` has 16 bits: controllers under simavr give the same bytes as the host."""
import shutil
import tempfile
import unittest
from pathlib import Path

from bench.device import avr, avr_packet
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


class PacketsOnAnArduinoUno(unittest.TestCase):
    """A controller with 2 KB of RAM encrypts packets within its limits, with the bytes of the host."""

    @classmethod
    def setUpClass(cls) -> None:
        if missing := [tool for tool in ("avr-gcc", "simavr") if not shutil.which(tool)]:
            raise unittest.SkipTest(f"{', '.join(missing)} not found; ./bootstrap.sh boards installs it")
        cls.workshop = avr_packet.Workshop(Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="isopod-avr-"))))
        cls.workshop.prepare()

    def test_bytes_are_those_of_the_host(self):
        for case in avr_packet.CASES:
            with self.subTest(case):
                host, board = (self.workshop.numbers(machine, case) for machine in ("host", "board"))
                self.assertEqual((board["digest"], board["status"]), (host["digest"], 0))

    def test_cycles_memory_and_flash_are_within_their_limits(self):
        for case, program in avr_packet.CASES.items():
            with self.subTest(case):
                cycles, ram, flash = program.most
                record = self.workshop.record(case)
                self.assertLessEqual(record["cycles"], cycles)
                self.assertLessEqual(record["ram_bytes"], ram)
                self.assertLessEqual(record["flash_bytes"], flash)
