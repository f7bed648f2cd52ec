"""Objects of programs on this machine: a source is compiled once for all configurations and stages with the same compiler and
flags, and again only after a change of a file that it includes.

An object is named by a digest of the command line and of those files. Flags that choose kernels count only for the sources that
read them."""
import os
import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from threading import Lock

from sources import DEVICE, FOLDER, ROOT, build

OBJECTS = FOLDER / "objects"
BUILDING: dict[Path, Lock] = defaultdict(Lock)
INCLUDES = re.compile(rb'^\s*#\s*include ["<]([^">]+)[">]', re.MULTILINE)
DEFINED = re.compile(r"-D(\w+)")


@cache
def text_of(path: Path) -> bytes:
    """The text of a file."""
    return path.read_bytes()


@cache
def includes(path: Path) -> tuple[Path, ...]:
    """The files of the repository that a file includes itself, under any condition."""
    names = [name.decode() for name in INCLUDES.findall(text_of(path))]
    found = [next(filter(Path.exists, (path.parent / name, ROOT / DEVICE / "include" / name)), None) for name in names]
    return tuple(Path(os.path.normpath(file)) for file in found if file)


@cache
def read_for(source: Path) -> bytes:
    """The text of a source and of everything that it includes."""
    files, waiting = {}, [ROOT / source]
    while waiting:
        if (path := waiting.pop()) not in files:
            files[path] = text_of(path)
            waiting += includes(path)
    return b"".join(files[path] for path in sorted(files))


def is_read(flag: str, source: Path) -> bool:
    """True if a flag that chooses kernels changes the object of this source."""
    defined = DEFINED.match(flag)
    return (defined[1] if defined else "ISOPOD_BACKEND").encode() in read_for(source)


@dataclass(frozen=True)
class Compilation:
    """A compiler with flags, and the flags that choose kernels."""

    compiler: str
    flags: tuple
    kernels: tuple = ()

    def command(self, source: Path) -> list[str]:
        """The command line that compiles a source, but for the name of the object."""
        kernels = [flag for flag in self.kernels if is_read(flag, source)]
        return [self.compiler, *map(str, self.flags), *kernels, "-c", str(source)]

    def target(self, source: Path) -> Path:
        """The object of a source."""
        digest = sha256(" ".join(self.command(source)).encode() + read_for(source))
        return OBJECTS / f"{source.stem}-{digest.hexdigest()[:16]}.o"


def objects(chosen: Compilation, names: list[Path]) -> list[Path]:
    """The objects of these sources; RuntimeError with the compiler's complaint if one does not compile."""
    OBJECTS.mkdir(parents=True, exist_ok=True)
    return [compiled(chosen, name) for name in names]


def compiled(chosen: Compilation, source: Path) -> Path:
    """The object of one source, compiled unless it is there."""
    target = chosen.target(source)
    unfinished = target.with_suffix(f".{os.getpid()}.o")
    with BUILDING[target]:
        if not target.exists():
            build([*chosen.command(source), "-o", unfinished])
            unfinished.replace(target)
    return target
