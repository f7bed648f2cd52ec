"""Objects of the host's programs: configurations with the same compiler and flags share those that the kernels do not change.

Each process compiles everything once; a lock keeps two threads from the same folder."""
import shutil
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from threading import Lock

from sources import FOLDER, ROOT, build

OBJECTS = FOLDER / "objects"
BUILDING: dict[Path, Lock] = defaultdict(Lock)


@dataclass(frozen=True)
class Compilation:
    """A compiler with flags, and the flags that choose kernels, which only some sources read."""

    compiler: str
    flags: tuple[str, ...]
    kernels: tuple[str, ...]

    @property
    def folder(self) -> Path:
        """The folder of all objects with this compiler and these flags."""
        return OBJECTS / digest((self.compiler, *self.flags))

    def target(self, source: Path) -> Path:
        """The object of a source."""
        own = digest(self.kernels) if asks_for_kernels(source) else "shared"
        return self.folder / own / f"{source.stem}.o"


def digest(words: tuple[str, ...]) -> str:
    """A name for a list of flags."""
    return sha256(" ".join(map(str, words)).encode()).hexdigest()[:12]


@cache
def asks_for_kernels(source: Path) -> bool:
    """True for a source that reads the choice of kernels (device/src/backend/backend.h), or includes sources that do."""
    text = (ROOT / source).read_text()
    return "backend" in text or '.c"' in text


def forget() -> None:
    """Removes the objects of earlier processes, whose sources may have been others."""
    shutil.rmtree(OBJECTS, ignore_errors=True)


def objects(chosen: Compilation, names: list[Path]) -> list[Path]:
    """The objects of these sources; RuntimeError with the compiler's complaint if one does not compile."""
    with BUILDING[chosen.folder]:
        return [compiled(chosen, name) for name in names]


def compiled(chosen: Compilation, source: Path) -> Path:
    """The object of one source, compiled unless it is there."""
    target = chosen.target(source)
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        build([chosen.compiler, *chosen.flags, *chosen.kernels, "-c", source, "-o", target])
    return target
