"""The compilers of the matrix: those of Debian that are installed, and a current clang from the Python package ziglang."""
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "device/test"))
import sources  # noqa: E402

BUILD = Path(os.environ.get("BUILD", "build")) / "constant_time"
LEVELS = ("O0", "O1", "O2", "O3", "Os")
DEBIAN = ("gcc", *(f"clang-{version}" for version in range(14, 20)))
ZIG_RELEASE = "0.17.0"
# For zig: no trapping checks, no instructions unknown to valgrind, and valgrind's headers.
ZIG_FLAGS = ("-fno-sanitize=all", "-mcpu=x86_64", "-idirafter", "/usr/include")


def library() -> list[str]:
    """Sources of the library."""
    return [str(path) for path in sources.library()]


@dataclass(frozen=True)
class Compiler:
    """How to call it, and what it says it is."""

    name: str
    command: tuple[str, ...]
    version: str
    level_option: str = ""  # hands a level to the compiler itself, where the driver knows two of them only

    def at(self, level: str) -> list[str]:
        """The command at a level of optimisation."""
        return [*self.command, f"-{level}", *((self.level_option, f"-{level}") if self.level_option else ())]


def _version(command: tuple[str, ...]) -> str | None:
    """The first line of --version, or None if there is no such compiler."""
    try:
        done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout.splitlines()[0] if done.returncode == 0 and done.stdout else None


def _zig_pythons() -> list[str]:
    """Interpreters that may have the package: the one named by ISOPOD_ZIG_PYTHON, the repository's, the matrix's own."""
    return [os.environ.get("ISOPOD_ZIG_PYTHON", ""), str(ROOT / ".venv/bin/python"), str(ROOT / BUILD / "venv/bin/python")]


def _zig() -> Compiler | None:
    for python in filter(None, _zig_pythons()):
        command = (python, "-m", "ziglang", "cc")
        version = _version(command) if shutil.which(python) else None
        if version:
            return Compiler("clang-zig", (*command, *ZIG_FLAGS), f"{version} (ziglang)", "-Xclang")
    return None


def install_zig() -> None:
    """Puts the package into a virtual environment of its own under build/, if there is none yet; about 440 MB."""
    if _zig():
        return
    folder = ROOT / BUILD / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    subprocess.run([str(folder / "bin/pip"), "install", "-q", f"ziglang=={ZIG_RELEASE}"], check=True)


def all_compilers() -> tuple[list[Compiler], list[str]]:
    """The installed compilers, and the names of the others."""
    found, missing = [], []
    for name in DEBIAN:
        version = _version((name,))
        if version:
            found.append(Compiler(name, (name,), version))
        else:
            missing.append(name)
    zig = _zig()
    return (found + [zig], missing) if zig else (found, [*missing, "clang-zig"])
