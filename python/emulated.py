"""Runs a wheel for aarch64 on another machine: Debian's Python for arm64, unpacked into a folder, under qemu-aarch64."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

TOOLS = ("qemu-aarch64", "apt-get", "dpkg")
PACKAGES = ("python3.11", "libstdc++6")
PLATFORMS = ("manylinux2014_aarch64", "manylinux_2_17_aarch64", "manylinux_2_27_aarch64", "manylinux_2_28_aarch64")


class Emulated:
    """A Python for aarch64 in `place`, with a wheel and what it depends on."""

    def __init__(self, place: Path, wheel: Path):
        self.root, self.site = place / "root", place / "site"
        unpack(place, self.root)
        platforms = [word for name in PLATFORMS for word in ("--platform", name)]
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:",
                   *platforms, "--python-version", "3.11", "--implementation", "cp", "--abi", "abi3", "--abi", "cp311",
                   "--target", str(self.site), str(wheel)]
        subprocess.run(command, check=True)

    def run(self, words: list[str], folder: Path) -> None:
        """Runs Python with these arguments in a folder."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        environment |= {"PYTHONHOME": str(self.root / "usr"), "PYTHONPATH": str(self.site), "PYTHONDONTWRITEBYTECODE": "1"}
        command = ["qemu-aarch64", "-L", str(self.root), str(self.root / "usr/bin/python3.11"), *words]
        subprocess.run(command, cwd=folder, env=environment, check=True)


def is_possible() -> bool:
    """Whether this machine has the emulator, and the package manager of Debian."""
    return all(map(shutil.which, TOOLS))


def unpack(place: Path, root: Path) -> None:
    """Downloads Debian's packages for arm64 and unpacks them; the machine's own package manager keeps its state."""
    for folder in ("state/lists/partial", "cache/archives/partial"):
        (place / folder).mkdir(parents=True)
    (place / "status").touch()
    options = [f"Dir::State={place}/state", f"Dir::State::status={place}/status", f"Dir::Cache={place}/cache",
               "APT::Architecture=arm64", "APT::Architectures=arm64", "APT::Install-Recommends=false", "Debug::NoLocking=1",
               "APT::Sandbox::User=root"]
    apt = ["apt-get", "--quiet=2", *(word for option in options for word in ("-o", option))]
    subprocess.run([*apt, "update"], check=True)
    subprocess.run([*apt, "install", "--yes", "--download-only", *PACKAGES], check=True, stdout=subprocess.DEVNULL)
    for package in sorted((place / "cache/archives").glob("*.deb")):
        subprocess.run(["dpkg", "-x", str(package), str(root)], check=True)
