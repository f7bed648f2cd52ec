"""Runs the tools of the ecosystems. No tool may ask a server."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

from device import amalgamate
from packages import build
from spec.base.parameters import read_sets
from spec.model import wire_codes as wire
from spec.model.ntt import ntt
from spec.model.packet import Context, Window, decrypt_packet, open_packet

ROOT = build.ROOT
HERE = ROOT / "packages/test"
PROGRAM = ROOT / os.environ.get("ISOPOD", "target/release/isopod")
# Validators lie beside the Python that runs this.
PATHS = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
SECONDS = 600
PACKET_SET = "ckks-1024x1-sum"
# Without what nobody names: functions of 64-bit words, which are in a file of their own.
SECTIONS = ["-ffunction-sections", "-fdata-sections"]
WITHOUT_UNUSED = "-Wl,--gc-sections"
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


def array_of(header: str, name: str) -> bytes:
    """The bytes of an array of packet_keys.h."""
    body = re.search(rf"{name}\[\d+\][^=]*= \{{([^}}]*)\}}", header)[1]
    words = re.findall(r"0x([0-9a-f]+)", body)
    return b"".join(int(word, 16).to_bytes(len(word) // 2, "little") for word in words)


def counters(packets: list[bytes]) -> list[int]:
    """The sequences that packets say, modulo 2^16."""
    return [int.from_bytes(packet[5:7], "little") for packet in packets]


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

    @classmethod
    def make_library(cls) -> Path:
        """The library for this machine as one object."""
        for name, text in amalgamate.files().items():
            (cls.folder / name).write_text(text)
        run(["gcc", "-O1", "-DISOPOD_BACKEND=portable", *SECTIONS, "-c", "isopod.c"], cls.folder)
        return cls.folder / "isopod.o"

    @classmethod
    def make_packet_keys(cls, program: Path, *include: Path) -> None:
        """The owner's keys in `keys`, and what packet_keys.c makes of them."""
        run([PROGRAM, "keygen", "--set", PACKET_SET, "--allow-device-secret-key", "--out", cls.folder / "keys"],
            ISOPOD_PASSPHRASE="of a test")
        headers = [*include, cls.folder / "keys/device-1", cls.folder / "keys/public"]
        run(["gcc", "-Wall", "-Wextra", "-Werror", *(f"-I{path}" for path in headers), program, cls.folder / "isopod.o",
             WITHOUT_UNUSED, "-o", "packet_keys"], cls.folder)
        run(["./packet_keys"], cls.folder)

    @classmethod
    def packet_context(cls) -> tuple[Context, bytes]:
        """The context of packet_keys.h in the model, and the device key."""
        header = (cls.folder / "packet_keys.h").read_text()
        blob, device_key = (array_of(header, f"isopod_{name}_key") for name in ("packet", "device"))
        symbols = [byte >> 2 * place & 3 for byte in blob[wire.KEY_BLOB_HEADER_BYTES:] for place in range(4)]
        parameters = next(entry for entry in read_sets() if entry.name == PACKET_SET)
        prime, = parameters.data_primes
        pair = SimpleNamespace(parameters=parameters, key_id=blob[24:40],
                               secret_ntt=[ntt([(symbol - 1) % prime for symbol in symbols], prime)])
        fields = {"number": 1, "log2_scale": 18, "count": 1, "bound": 0, "stride": 1, "run": 1, "dropped": 5}
        return Context(pair, wire.KIND_CKKS_SECRET, 1, **fields), device_key

    @classmethod
    def readings_of(cls, packets: list[bytes]) -> list[float]:
        """The readings of authentic packets, 0 to 1023."""
        context, device_key = cls.packet_context()
        window, readings = Window(1), []
        for packet in packets:
            _, seed, body = open_packet(context, device_key, window, packet)
            value, = decrypt_packet(context, seed, body)
            readings.append(value / 2**9 + 512)
        return readings

    def sketch_built(self, board: str, sketch: Path, *definitions: str) -> tuple[Path, int]:
        """Builds a sketch with the libraries of `libraries` by Debian's Arduino tools; the program, and the RAM of its
        variables. Builds for the same board share objects."""
        out = self.folder / f"built-{board.rpartition(':')[2]}"
        out.mkdir(exist_ok=True)
        flags = " ".join([ARDUINO_DEFINITIONS, *definitions])
        said = run(["arduino-builder", "-compile", *ARDUINO_PATHS, "-libraries", self.folder / "libraries", "-fqbn", board,
                    *ARDUINO_TOOLS, f"-prefs=compiler.cpp.extra_flags={flags}", "-build-path", out, sketch])
        return out / f"{sketch.name}.elf", int(re.search(r"Global variables use (\d+) bytes", said)[1])
