"""Builds the archives to be published twice and compares them; writes their checksums and a bill of materials."""
import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

from packages.release.version import ROOT, present

OUT = Path(os.environ.get("BUILD") or ROOT / "build").resolve() / "release"


def git(*words: str) -> str:
    """Runs git; its output."""
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def run(command: list, cwd: Path, **more: str) -> None:
    """Runs a command; exits with its output if it fails."""
    words, environment = [str(word) for word in command], os.environ | more
    done = subprocess.run(words, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{command}\n{done.stdout}{done.stderr}")


def archive(folder: Path, prefix: str, seconds: int) -> bytes:
    """A folder as .tar.gz. Its bytes depend on names and contents only: entries are sorted, have no owner and share one time."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path in sorted(path for path in folder.rglob("*") if path.is_file() and "node_modules" not in path.parts):
            entry = tarfile.TarInfo(f"{prefix}/{path.relative_to(folder).as_posix()}")
            entry.size, entry.mtime, entry.mode = path.stat().st_size, seconds, 0o755 if os.access(path, os.X_OK) else 0o644
            with path.open("rb") as file:
                tar.addfile(entry, file)
    return gzip.compress(packed.getvalue(), 9, mtime=0)


def built(seconds: int) -> dict[str, bytes]:
    """Builds everything that is published from a fresh checkout of the present commit."""
    name = f"isopod-{present()}"
    with tempfile.TemporaryDirectory() as folder:
        tree, build = Path(folder) / "tree", Path(folder) / "build"
        run(["git", "clone", "--quiet", "--shared", ROOT, tree], ROOT)
        shutil.rmtree(tree / ".git")
        found = {f"{name}.tar.gz": archive(tree, name, seconds)}
        run([sys.executable, "-m", "packages.build", "--out", build / "packages"], tree, PYTHONPATH=".")
        found |= {path.name: path.read_bytes() for path in (build / "packages").iterdir() if path.is_file()}
        if (ROOT / "web/node_modules").is_dir():
            (tree / "web/node_modules").symlink_to(ROOT / "web/node_modules")
            run([sys.executable, "web/build.py"], tree, BUILD=str(build))
            found[f"isopod-owner-{present()}.tgz"] = archive(build / "web/package", "package", seconds)
            found["isopod.html"] = (build / "web/isopod.html").read_bytes()
        else:
            print("web/ is left out: `./bootstrap.sh web` installs what it needs", file=sys.stderr)
    return found


def components() -> list[dict[str, str]]:
    """Everything that the lock files pin: crates, npm packages, Python packages."""
    crates = [("cargo", one["name"], one["version"]) for one in tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
              if "source" in one]
    lock = json.loads((ROOT / "web/package-lock.json").read_text())["packages"]
    npm = [("npm", path.rpartition("node_modules/")[2], one["version"]) for path, one in lock.items() if path]
    pins = [line for path in git("ls-files", "*requirements.txt").split() for line in (ROOT / path).read_text().splitlines()]
    python = [("pypi", *found.groups()) for found in map(re.compile(r"([\w.-]+)==([\w.+-]+)").match, pins) if found]
    return [{"type": "library", "name": name, "version": version, "purl": f"pkg:{kind}/{name.replace('@', '%40')}@{version}"}
            for kind, name, version in sorted({*crates, *npm, *python})]


def bill(seconds: int) -> bytes:
    """The bill of materials."""
    time = subprocess.run(["date", "-u", "-d", f"@{seconds}", "+%Y-%m-%dT%H:%M:%SZ"], capture_output=True, text=True, check=True)
    about = {"timestamp": time.stdout.strip(), "component": {"type": "library", "name": "isopod", "version": present()}}
    content = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "metadata": about, "components": components()}
    return (json.dumps(content, indent=1) + "\n").encode()


def main() -> None:
    """Builds twice, compares, and writes."""
    seconds = int(git("log", "-1", "--format=%ct"))
    first, second = built(seconds), built(seconds)
    if differing := [name for name in first if first[name] != second[name]]:
        sys.exit(f"two builds differ in {', '.join(differing)}")
    first[f"isopod-{present()}.cdx.json"] = bill(seconds)
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    for name, content in first.items():
        (OUT / name).write_bytes(content)
    sums = [f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in sorted(first.items())]
    (OUT / "SHA256SUMS").write_text("".join(sums))
    print("".join(sums), end="")
