"""Functions of the portable library, and those with an ACSL contract before their definition or declaration."""
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "device/src"

# Definitions begin in the first column, as clang-format writes them.
DEFINITION = re.compile(r"^(?!typedef|struct|enum|union|#|/)[A-Za-z_][^;{}=]*?\b(\w+)\([^;{}]*\)\s*\{", re.MULTILINE)
CONTRACT = re.compile(r"^(/\*@(?:(?!\*/).)*\*/|//@[^\n]*)\n(?=([^;{}=]*?)\b(\w+)\([^;{}]*\)\s*[;{])", re.MULTILINE | re.DOTALL)
# Proved for every prime by proofs/values/reduction.py: products of variables are too much for WP's solvers.
ELSEWHERE = {"isopod_reduce"}
PROVED_ENSURES = re.compile(r"(?<!admit )\bensures\b")


@dataclass(frozen=True)
class Contract:
    """The contract of a function, the file that defines it, and the C file with which it is proved: that one, or one that has
    the header."""

    function: str
    text: str
    path: Path
    unit: Path

    @property
    def says_more(self) -> bool:
        """Whether it states more than the absence of undefined behaviour; what is admitted is not proved."""
        return PROVED_ENSURES.search(self.text) is not None


def portable() -> list[Path]:
    """Sources without the kernels of processors."""
    return sorted(path for path in SOURCES.rglob("*.[ch]") if "backend" not in path.parts)


@cache
def defined() -> dict[Path, list[str]]:
    """The functions that each portable file defines."""
    return {path: DEFINITION.findall(path.read_text()) for path in portable()}


def functions() -> list[str]:
    """Names of all portable functions, as often as they are defined."""
    return [name for names in defined().values() for name in names]


def definer(name: str, path: Path) -> Path:
    """The file that defines a function whose contract stands in a file: this one, or the only other one."""
    places = [place for place, names in defined().items() if name in names]
    if path in places:
        return path
    if len(places) != 1:
        raise SystemExit(f"{path.relative_to(ROOT)}: {name} has a contract and {len(places)} definitions elsewhere")
    return places[0]


@cache
def contracts() -> list[Contract]:
    """All contracts."""
    found = []
    for path in portable():
        for text, _, name in CONTRACT.findall(path.read_text()):
            if "assigns" in text and name not in ELSEWHERE:
                place = definer(name, path)
                found.append(Contract(name, text, place, place if place.suffix == ".c" else includer(place)))
    return found


def bare() -> dict[Path, list[str]]:
    """The functions without a contract, by file; of two definitions of a name, a contract stands for one."""
    have = Counter((one.function, one.path) for one in contracts())
    found = {path: list((Counter(names) - Counter({name: have[name, path] for name in names})).elements())
             for path, names in defined().items()}
    return {path: names for path, names in found.items() if names}


@cache
def included(path: Path) -> frozenset[Path]:
    """The headers of the library that a file has, directly or by others."""
    names = re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE)
    direct = {(path.parent / name).resolve() for name in names}
    direct = {one for one in direct if one.is_file()}
    return frozenset(direct.union(*map(included, direct)))


def includer(header: Path) -> Path:
    """The C file with a header that has the fewest others."""
    files = [path for path in portable() if path.suffix == ".c" and header.resolve() in included(path)]
    return min(files, key=lambda path: (len(included(path)), path))


def batches(chosen: Iterable[Contract]) -> list[list[Contract]]:
    """Contracts that are proved in one run: those of a folder whose names are there once in the library, since files are linked
    for it, and each other one with those of its file. Files for words of 64 bits, which have other types, stay apart."""
    names = Counter(functions())
    found: dict[object, list[Contract]] = {}
    for one in chosen:
        is_apart = names[one.function] > 1 or "64" in one.unit.name
        folder = one.unit.relative_to(SOURCES).parts[0]
        found.setdefault(one.unit if is_apart else folder, []).append(one)
    return list(found.values())
