"""Finds the package for tests: the library that the Rust stage built, or an installed package if ISOPOD_INSTALLED is set."""
import os
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
LIBRARY = TARGET / "debug/deps/lib_isopod.so"
PASSPHRASE = "a passphrase of these tests"


def place_library() -> Path:
    """Puts the library into the package of the source tree, and returns the folder to import from."""
    folder = ROOT / "python"
    copy = folder / "isopod/_isopod.abi3.so"
    if not copy.exists() or copy.stat().st_mtime < LIBRARY.stat().st_mtime:
        partial = copy.with_suffix(f".{os.getpid()}")
        shutil.copy(LIBRARY, partial)
        partial.replace(copy)
    return folder


if not os.environ.get("ISOPOD_INSTALLED"):
    sys.path.insert(0, str(place_library()))


class InFolder(unittest.TestCase):
    """Tests with a folder of their own."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="isopod-python-")))
