"""The library where `int` has 16 bits: an ATmega1284P under simavr gives the bytes that the host gives."""
import re
import shutil
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

from bench.device import keys
from bench.device.cases import parameter_sets
from ports.emulate import ROOT

PROGRAM = "ports/atmega1284p/main.c"
CASES = (("ckks-1024x1-sum", "pkseed"), ("ckks-1024x1-sum", "ternary"), ("bfv-1024x1-count", "ternary"))
FLAGS = ["-std=c11", "-Os", "-Wall", "-Wextra", "-Werror", "-ffunction-sections", "-fdata-sections",
         "-DISOPOD_ALLOW_DEVICE_SECRET_KEY", "-DISOPOD_BACKEND=portable", "-I", "device/include"]
COMPILERS = {"host": ["gcc"], "board": ["avr-gcc", "-mmcu=atmega1284p"]}
FRAME = re.compile(r"[0-9a-f]{8} done")
SECONDS = 300


def run(command: list[str]) -> str:
    """The output of a command; AssertionError with it if it fails."""
    done = subprocess.run(command, cwd=ROOT, text=True, capture_output=True, timeout=SECONDS, check=False)
    if done.returncode:
        raise AssertionError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


class Avr(unittest.TestCase):
    """An 8-bit controller computes in 32 and 64 bits as every other machine does."""

    @classmethod
    def setUpClass(cls) -> None:
        if missing := [tool for tool in ("avr-gcc", "simavr") if not shutil.which(tool)]:
            raise unittest.SkipTest(f"{', '.join(missing)} not found; ./bootstrap.sh boards installs it")
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="isopod-avr-")))
        run(["python3", "device/amalgamate.py", "--out", str(cls.folder)])
        for machine, compiler in COMPILERS.items():
            for name in ("isopod", "isopod64"):
                run([*compiler, *FLAGS, "-c", str(cls.folder / f"{name}.c"), "-o", str(cls.folder / f"{machine}-{name}.o")])

    def build(self, machine: str, set_name: str, kind: str) -> str:
        """The program of one set and key."""
        blob, tables = keys.blob(parameter_sets()[set_name], kind), self.folder / f"{set_name}.c"
        words = struct.unpack(f"<{len(blob) // 4}I", blob)
        (self.folder / "blob.h").write_text(f"#define BLOB {', '.join(f'{word}u' for word in words)}\n")
        run(["python3", "-m", "spec.gen", "tables", "--set", set_name, "--lean", "--out", str(tables)])
        choice = [f"-DSET={set_name.replace('-', '_')}", *(["-DINTEGERS"] if set_name.startswith("bfv") else [])]
        objects = [str(self.folder / f"{machine}-{name}.o") for name in ("isopod", "isopod64")]
        elf = str(self.folder / machine)
        run([*COMPILERS[machine], *FLAGS, *choice, "-I", str(self.folder), PROGRAM, str(tables), *objects, "-Wl,--gc-sections",
             "-o", elf])
        return elf

    def test_frames_of_an_8_bit_controller_are_those_of_the_host(self):
        """Public key, secret key, integers."""
        for set_name, kind in CASES:
            with self.subTest(set_name, kind=kind):
                host = FRAME.findall(run([self.build("host", set_name, kind)]))
                said = run(["simavr", "-m", "atmega1284p", "-f", "16000000", self.build("board", set_name, kind)])
                self.assertEqual(len(host), 1)
                self.assertEqual(FRAME.findall(said), host, said)


if __name__ == "__main__":
    unittest.main()
