"""Builds the example, runs it on an emulated Cortex-M4 and reads its frame as the owner:

    ISOPOD=PROGRAM python3 -m unittest discover -s examples/rust-firmware -p test_demo.py"""
import csv
import io
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "examples/rust-firmware"
PROGRAM = ROOT / os.environ.get("ISOPOD", "target/release/isopod")
TARGET_FOLDER = (ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "firmware").resolve()
TARGET = "thumbv7em-none-eabihf"
SET = "ckks-2048x1-air"
QEMU = ["qemu-system-arm", "-M", "mps2-an386", "-nographic", "-monitor", "none",
        "-semihosting-config", "enable=on,target=native"]
SECONDS = 900
# Variables of the host's build: other flags, clippy in the compiler's place.
HOST_ONLY = ("RUSTC_WORKSPACE_WRAPPER", "CLIPPY_ARGS", "RUSTFLAGS", "CARGO_TARGET_DIR")


def run(command: list[str | Path], folder: Path, **environment: str) -> str:
    """Runs a command and returns its output; AssertionError, with all output, if it fails."""
    surroundings = {name: value for name, value in os.environ.items() if name not in HOST_ONLY} | environment
    done = subprocess.run(list(map(str, command)), cwd=folder, env=surroundings, text=True, check=False, timeout=SECONDS,
                          capture_output=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def has_core_library() -> bool:
    """Whether Rust's core library for the board is installed."""
    return (Path(run(["rustc", "--print", "sysroot"], HERE).strip()) / "lib/rustlib" / TARGET / "lib").exists()


class Firmware(unittest.TestCase):
    """From keys to the owner's table."""

    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="isopod-rust-firmware-")))
        if missing := [tool for tool in ("arm-none-eabi-gcc", QEMU[0]) if not shutil.which(tool)]:
            self.skipTest(f"{', '.join(missing)} not found; ./bootstrap.sh firmware installs it")
        if not PROGRAM.exists():
            self.skipTest(f"{PROGRAM} is not built")

    def isopod(self, *words: str) -> str:
        """The command line's output."""
        return run([PROGRAM, *words], self.folder, ISOPOD_PASSPHRASE="of a test")

    def compiled(self) -> Path:
        """Builds the program for the board, with the keys and tables in this test's folder."""
        if not has_core_library():
            self.skipTest(f"no Rust for {TARGET}; ./bootstrap.sh firmware installs it")
        tables = self.folder / "tables"
        tables.mkdir()
        run(["python3", "-m", "spec.gen", "tables", "--set", SET, "--out", tables / "tables.c"], ROOT)
        run(["cargo", "build", "--release", "--locked"], HERE, ISOPOD_TABLES=str(tables),
            ISOPOD_KEYS=str(self.folder / "keys"), CARGO_TARGET_DIR=str(TARGET_FOLDER))
        return TARGET_FOLDER / TARGET / "release/station"

    def test_owner_reads_the_frame(self) -> None:
        """The frame holds twenty-four temperatures, each within the error that comes with it."""
        self.isopod("keygen", "--for", "mean", "--precision", "0.05", "--bound-bits", "6", "--out", "keys")
        run([*QEMU, "-serial", "file:frames.bin", "-kernel", self.compiled()], self.folder)
        self.isopod("evaluate", "--keys", "keys/server", "--job", "mean", "--unnamed-columns", "--in", "frames.bin",
                    "--out", "result.bin")
        said = self.isopod("decrypt", "--keys", "keys/owner", "--in", "result.bin")
        rows = list(csv.DictReader(io.StringIO(said[said.index("device,"):])))
        self.assertEqual(len(rows), 24)
        for hour, row in enumerate(rows):
            self.assertAlmostEqual(float(row["value"]), 20 + 0.125 * hour, delta=float(row["error"]))
            self.assertLessEqual(float(row["error"]), 0.05)
