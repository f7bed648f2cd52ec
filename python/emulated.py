"""Runs a wheel for aarch64 on another machine: unpacks Debian's Python for arm64 into a folder and runs it under qemu-aarch64."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

TOOLS = ("qemu-aarch64", "apt-get", "dpkg")
PACKAGES = ("python3.11", "libstdc++6")
PLATFORMS = ("manylinux2014_aarch64", "manylinux_2_17_aarch64", "manylinux_2_27_aarch64", "manylinux_2_28_aarch64")


class Emulated:
    """A Python for aarch64 in `place`, with a wheel and its dependencies."""

    def __init__(self, place: Path, wheel: Path):
        self.root, self.site = place / "root", place / "site"
        unpack(place, self.root)
        platforms = [word for name in PLATFORMS for word in ("--platform", name)]
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:",
                   *platforms, "--python-version", "3.11", "--implementation", "cp", "--abi", "abi3", "--abi", "cp311",
                   "--target", str(self.site), str(wheel)]
        subprocess.run(command, check=True)

    def run(self, words: list[str], folder: Path) -> None:
        """Runs Python in a folder with these arguments."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        environment |= {"PYTHONHOME": str(self.root / "usr"), "PYTHONPATH": str(self.site), "PYTHONDONTWRITEBYTECODE": "1"}
        command = ["qemu-aarch64", "-L", str(self.root), str(self.root / "usr/bin/python3.11"), *words]
        subprocess.run(command, cwd=folder, env=environment, check=True)


def is_possible() -> bool:
    """True if this machine has the emulator and Debian's package manager."""
    return all(map(shutil.which, TOOLS))


def unpack(place: Path, root: Path) -> None:
    """Downloads Debian's packages for arm64 and unpacks them, without a change to the machine's own package manager."""
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
