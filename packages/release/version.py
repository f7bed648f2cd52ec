"""Writes a version everywhere by one command."""
import datetime
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NUMBER = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
UNRELEASED = "## Unreleased\n"
LOCKS = ("Cargo.lock", "fuzz/Cargo.lock", "examples/rust-firmware/Cargo.lock")
# Documents whose commands name archives of a version.
GUIDES = ("docs/guides/firmware.md", "docs/start/firmware.md")


def present() -> str:
    """The version of the workspace."""
    return re.search(r'^version = "(.+)"$', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)[1]


def numbers(text: str) -> tuple[int, ...]:
    """The three numbers of a version; exits if the text is none."""
    found = NUMBER.fullmatch(text)
    if found is None:
        sys.exit(f"version {text}: allowed are three numbers such as 0.2.0")
    return tuple(map(int, found.groups()))


def checked(wanted: str) -> None:
    """Refuses a version that is malformed or not later, and a changelog that does not mention it."""
    if numbers(wanted) <= numbers(present()):
        sys.exit(f"version {wanted}: the present one is {present()}; allowed is a later one")
    log = (ROOT / "CHANGELOG.md").read_text()
    changes = log.partition(UNRELEASED)[2].partition("\n## ")[0]
    if not changes.strip() and heading(wanted) not in log:
        sys.exit('CHANGELOG.md: nothing stands under "Unreleased"; say what a user gets')
    if subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, text=True, check=True).stdout:
        sys.exit("the tree has changes; commit them first")


def heading(wanted: str) -> str:
    """The beginning of a version's heading in the changelog."""
    return f"\n## {wanted} - "


def replaced(text: str, before: str, wanted: str) -> str:
    """A text with the first occurrence of another replaced; the text must contain it."""
    if before not in text:
        sys.exit(f"{before!r} not found")
    return text.replace(before, wanted, 1)


def write(root: Path, old: str, wanted: str, today: str) -> None:
    """Writes the version, its day and the changelog's heading into a tree that has the version `old`."""
    for name in ("Cargo.toml", "packages/manifest.toml"):
        path = root / name
        path.write_text(replaced(path.read_text(), f'version = "{old}"', f'version = "{wanted}"'))
    cmake = root / "device/CMakeLists.txt"
    cmake.write_text(replaced(cmake.read_text(), f"project(isopod VERSION {old} ", f"project(isopod VERSION {wanted} "))
    for path in map(root.joinpath, GUIDES):
        path.write_text(path.read_text().replace(f"isopod-{old}-", f"isopod-{wanted}-"))
    manifest = root / "packages/manifest.toml"
    manifest.write_text(re.sub(r'^date = ".*"$', f'date = "{today}"', manifest.read_text(), flags=re.MULTILINE))
    for path in root.glob("crates/*/Cargo.toml"):
        path.write_text(re.sub(rf'(isopod-[\w-]+ = {{[^}}]*version = "){re.escape(old)}"', rf'\g<1>{wanted}"', path.read_text()))
    for lock in map(root.joinpath, LOCKS):
        lock.write_text(re.sub(rf'^(name = "isopod[\w-]*"\nversion = ")({re.escape(old)})"$', rf'\g<1>{wanted}"',
                               lock.read_text(), flags=re.MULTILINE))
    package = root / "web/package/package.json"
    package.write_text(replaced(package.read_text(), f'"version": "{old}"', f'"version": {json.dumps(wanted)}'))
    log = root / "CHANGELOG.md"
    if heading(wanted) not in log.read_text():
        log.write_text(replaced(log.read_text(), UNRELEASED, f"{UNRELEASED}{heading(wanted)}{today}\n"))


def main(wanted: str = "") -> None:
    """Checks, then writes."""
    checked(wanted)
    write(ROOT, present(), wanted, datetime.datetime.now(datetime.UTC).date().isoformat())
    print(f"version {wanted} is written; packages/release/README.md has what comes next")
