"""Records of measurements: bench/out/<name>.json lists objects, each with its case, its figures and the method.

`commit` names the measured tree. Each benchmark judges its own limits, and `judged` prints the verdict."""
import json
import subprocess
import sys
from collections.abc import Callable, Hashable, Iterable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "bench/out"


@cache
def commit() -> str:
    """The measured commit, marked if the tree differs from it."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip() or "unknown"


def read(path: Path) -> list[dict]:
    """The records of a file; OSError if it is missing."""
    return json.loads(path.read_text())


def known(path: Path) -> list[dict]:
    """The records of a file; none if it is missing."""
    return read(path) if path.exists() else []


def write(path: Path, content: list | dict) -> None:
    """Writes records, and the folder if it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1) + "\n")


def merge(path: Path, fresh: list[dict], key: Callable[[dict], Hashable] = lambda record: record["case"]) -> None:
    """Writes records in place of older ones with the same key; the others stay."""
    found = {key(record): record for record in [*known(path), *fresh]}
    write(path, [found[place] for place in sorted(found)])


def by_target(records: Iterable[dict]) -> dict[tuple[str, str], dict]:
    """The records of device.json by target and case."""
    return {(record["target"], record["case"]): record for record in records}


def judged(complaints: list[str]) -> int:
    """Prints the missed limits; the exit status, 1 if there are any."""
    print("\n".join(complaints) or "all within their limits", file=sys.stderr)
    return int(bool(complaints))
