"""Runs the tools of the ecosystems. No tool may ask a server."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from packages import build

ROOT = build.ROOT
HERE = ROOT / "packages/test"
PROGRAM = ROOT / os.environ.get("ISOPOD", "target/release/isopod")
# Validators lie beside the Python that runs this.
PATHS = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
SECONDS = 600
ARDUINO, ARDUINO_BUILDER = Path("/usr/share/arduino"), Path("/usr/share/arduino-builder")
ARDUINO_PATHS = ["-hardware", ARDUINO / "hardware", "-hardware", ARDUINO_BUILDER, "-hardware", HERE / "arduino",
                 "-tools", ARDUINO_BUILDER]
ARDUINO_TOOLS = ["-prefs=runtime.tools.avr-gcc.path=/usr", "-prefs=tools.ctags.path=/usr/bin",
                 "-prefs=tools.ctags.cmd.path=/usr/bin/arduino-ctags"]
ARDUINO_DEFINITIONS = "-DDECIMAL_DIG=__DECIMAL_DIG__"  # of the core, which lacks it


def run(command: list[str | Path], folder: Path = ROOT, **environment: str) -> str:
    """Runs a command and returns its output; AssertionError, with the output, if it fails."""
    done = attempt(command, folder, **environment)
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout


def attempt(command: list[str | Path], folder: Path = ROOT, **environment: str) -> subprocess.CompletedProcess:
    """Runs a command; `stdout` holds all its output."""
    surroundings = {**os.environ, "PATH": PATHS, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run(list(map(str, command)), cwd=folder, env=surroundings, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, check=False)


class PackageTest(unittest.TestCase):
    """A test that first builds packages in a folder of its own."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="isopod-packages-")))
        cls.manifest = build.manifest()

    def needs(self, *tools: str) -> None:
        """Skips the test if a tool is missing."""
        if missing := [tool for tool in tools if not shutil.which(tool, path=PATHS)]:
            self.skipTest(f"{', '.join(missing)} not found; ./bootstrap.sh packages installs it")

    def package(self, name: str) -> Path:
        """The folder of a package by its name."""
        return build.write(name, self.manifest, self.folder)

    def sketch_built(self, board: str, sketch: Path, *definitions: str) -> tuple[Path, int]:
        """Builds a sketch with the libraries of `libraries` by Debian's Arduino tools; the program, and the RAM of its
        variables. Builds for the same board share objects."""
        out = self.folder / f"built-{board.rpartition(':')[2]}"
        out.mkdir(exist_ok=True)
        flags = " ".join([ARDUINO_DEFINITIONS, *definitions])
        said = run(["arduino-builder", "-compile", *ARDUINO_PATHS, "-libraries", self.folder / "libraries", "-fqbn", board,
                    *ARDUINO_TOOLS, f"-prefs=compiler.cpp.extra_flags={flags}", "-build-path", out, sketch])
        return out / f"{sketch.name}.elf", int(re.search(r"Global variables use (\d+) bytes", said)[1])
