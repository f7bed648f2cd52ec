"""`make wheel`: builds and audits wheels for manylinux on x86-64 and aarch64 in build/wheels. Each serves every Python from
3.11 on.

zig compiles and links C and C++ for an old glibc, so any machine builds for both. The same sources always give the same bytes;
`--twice` builds in two target folders and compares."""
import argparse
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

import emulated

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "build/wheels"
TARGETS = {"x86_64": "x86_64-unknown-linux-gnu", "aarch64": "aarch64-unknown-linux-gnu"}
POLICY = "manylinux_2_17"
MOST_BYTES = 8_000_000
NOTICES = ROOT / "python/isopod/THIRD-PARTY.txt"
STORY = re.compile(r"^<!-- snippet: package -->\n```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CARRIER = "sealy"
TESTING = b"_fix_entropy"
NOTICE = re.compile(r"(licen[cs]e|copying|notice)", re.IGNORECASE)


def main() -> None:
    """Builds and audits the wheels and, if asked, builds them again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--machine", choices=TARGETS, action="append", help="only for this machine")
    parser.add_argument("--twice", action="store_true", help="build in a second target folder too, and compare")
    options = parser.parse_args()
    shutil.rmtree(OUT, ignore_errors=True)
    for machine in options.machine or TARGETS:
        collect_notices(TARGETS[machine])
        wheel = build(machine, OUT, target_folder())
        audit(wheel)
        try_out(wheel, machine)
        if options.twice:
            again = build(machine, OUT / "again", target_folder().with_name("wheel-again"))
            compare(wheel, again)


def target_folder() -> Path:
    """The target folder of cargo."""
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()


def collect_notices(target: str) -> None:
    """Writes the licences of SEAL and of all compiled crates into one file of the wheel, each text once."""
    metadata = cargo_metadata(f"--filter-platform={target}")
    inside, texts = compiled_in(metadata), {}
    carrier = [package for package in cargo_metadata()["packages"] if package["name"] == CARRIER]
    for package in sorted([*carrier, *metadata["packages"]], key=lambda package: package["id"]):
        # The carrier of SEAL's sources is never compiled itself.
        is_carrier = package["name"] == CARRIER
        if not is_carrier and (package["id"] not in inside or package["source"] is None):
            continue
        folder = Path(package["manifest_path"]).parent / ("SEAL" if is_carrier else "")
        licence = "MIT, Microsoft SEAL alone" if is_carrier else package["license"]
        for text in notices(folder):
            texts.setdefault(text, []).append(f"{package['name']} {package['version']} ({licence})")
    sections = (f"{'=' * 80}\n{', '.join(names)}\n\n{text}\n" for text, names in texts.items())
    NOTICES.write_text("\n".join(sections))


def notices(folder: Path) -> list[str]:
    """The licences and notices of a package."""
    files = sorted(file for file in folder.iterdir() if file.is_file() and NOTICE.search(file.name))
    return [file.read_text(errors="replace").strip() for file in files]


def cargo_metadata(*words: str) -> dict:
    """All packages that cargo knows."""
    command = ["cargo", "metadata", "--locked", "--format-version=1", "--manifest-path", "crates/python/Cargo.toml", *words]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)


def compiled_in(metadata: dict) -> set[str]:
    """The packages that are compiled into the library."""
    root = next(package["id"] for package in metadata["packages"] if package["name"] == "isopod-python")
    nodes = {node["id"]: node["deps"] for node in metadata["resolve"]["nodes"]}
    found, waiting = set(), [root]
    while waiting:
        package = waiting.pop()
        if package not in found:
            found.add(package)
            waiting += [dependency["pkg"] for dependency in nodes[package]
                        if any(kind["kind"] is None for kind in dependency["dep_kinds"])]
    return found


def build(machine: str, out: Path, folder: Path) -> Path:
    """Builds the wheel for a machine."""
    home = os.environ.get("CARGO_HOME", str(Path.home() / ".cargo"))
    maps = {str(ROOT): "isopod", home: "cargo", str(folder): "target"}
    flags = [f"--remap-path-prefix={place}={name}" for place, name in maps.items()]
    prefixes = " ".join(f"-ffile-prefix-map={place}={name}" for place, name in maps.items())
    when = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    environment = os.environ | {
        "CARGO_TARGET_DIR": str(folder), "SEAL_SYSTEM": "0", "SOURCE_DATE_EPOCH": when.strip(),
        "CARGO_ENCODED_RUSTFLAGS": "\x1f".join(flags), "CFLAGS": prefixes, "CXXFLAGS": prefixes,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    }
    for variable in ("RUSTC_WORKSPACE_WRAPPER", "RUSTFLAGS"):
        environment.pop(variable, None)
    command = [sys.executable, "-m", "maturin", "build", "--release", "--locked", "--zig", "--compatibility", "manylinux2014",
               "--target", TARGETS[machine], "--out", str(out)]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    return next(out.glob(f"isopod-*_{machine}.whl"))


def audit(wheel: Path) -> None:
    """Refuses a wheel that needs a newer system, needs more of Python than the stable interface, or is too large."""
    show = [sys.executable, "-m", "auditwheel", "show", str(wheel)]
    report = subprocess.run(show, check=True, capture_output=True, text=True).stdout
    if POLICY not in report:
        sys.exit(f"{wheel.name}: auditwheel does not find {POLICY}:\n{report}")
    subprocess.run([sys.executable, "-m", "abi3audit", "--strict", "--summary", str(wheel)], check=True)
    size = wheel.stat().st_size
    if size > MOST_BYTES:
        sys.exit(f"{wheel.name}: {size} bytes; allowed are at most {MOST_BYTES}")
    if any(name.endswith((".c", ".rs")) for name in zipfile.ZipFile(wheel).namelist()):
        sys.exit(f"{wheel.name}: holds sources; allowed are Python's and the library")
    if any(TESTING in zipfile.ZipFile(wheel).read(name) for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".so")):
        sys.exit(f"{wheel.name}: takes entropy from its caller; allowed is a library without the feature testing")
    print(f"{wheel.name}: {size:,} bytes, {POLICY}, stable interface")


def try_out(wheel: Path, machine: str) -> None:
    """Runs the command, and README's example in an empty folder: in a clean environment, or on an emulated aarch64."""
    story = STORY.search((ROOT / "README.md").read_text())[1]
    with tempfile.TemporaryDirectory(prefix="isopod-wheel-") as name:
        place = Path(name)
        folder = place / "story"
        folder.mkdir()
        if machine == platform.machine():
            install(wheel, place, folder, story)
        elif machine == "aarch64" and emulated.is_possible():
            python = emulated.Emulated(place, wheel)
            python.run(["-m", "isopod", "--version"], folder)
            python.run(["-c", story], folder)
        else:
            print(f"{wheel.name}: built and audited, not run; {', '.join(emulated.TOOLS)} would run one for aarch64")
            return
    print(f"{wheel.name}: installed, and README's story runs")


def install(wheel: Path, place: Path, folder: Path, story: str) -> None:
    """Installs a wheel into a clean environment and runs the example."""
    venv.create(place / "venv", with_pip=True)
    programs = place / "venv/bin"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    for command in (
        [programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel],
        [programs / "isopod", "--version"],
        [programs / "python", "-c", story],
    ):
        subprocess.run(list(map(str, command)), cwd=folder, env=environment, check=True)


def compare(one: Path, other: Path) -> None:
    """Refuses two builds that differ."""
    digests = [hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in (one, other)]
    if digests[0] != digests[1]:
        sys.exit(f"{one.name}: two builds differ: {', '.join(digests)}")
    print(f"{one.name}: two builds are the same bytes, sha256 {digests[0]}")


if __name__ == "__main__":
    main()
