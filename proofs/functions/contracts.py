"""Functions of the portable library, and those with an ACSL contract before their definition."""
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "device/src"

# Definitions begin in the first column, as clang-format writes them.
DEFINITION = re.compile(r"^(?!typedef|struct|enum|union|#|/)[A-Za-z_][^;{}=]*?\b(\w+)\([^;{}]*\)\s*\{", re.MULTILINE)
CONTRACT = re.compile(r"^(/\*@(?:(?!\*/).)*\*/|//@[^\n]*)\n(?=([^;{}=]*?)\b(\w+)\([^;{}]*\)\s*\{)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Contract:
    """The contract of a function, and the C file with which it is proved: its own, or one that has its header."""

    function: str
    text: str
    unit: Path

    @property
    def says_more(self) -> bool:
        """Whether it states more than the absence of undefined behaviour."""
        return "ensures" in self.text


def portable() -> list[Path]:
    """Sources without the kernels of processors."""
    return sorted(path for path in SOURCES.rglob("*.[ch]") if "backend" not in path.parts)


def functions() -> list[str]:
    """Names of all portable functions, as often as they are defined."""
    return [name for path in portable() for name in DEFINITION.findall(path.read_text())]


def contracts() -> list[Contract]:
    """All contracts."""
    found = []
    for path in portable():
        for text, _, name in CONTRACT.findall(path.read_text()):
            if "assigns" in text:
                found.append(Contract(name, text, path if path.suffix == ".c" else includer(path)))
    return found


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


def by_unit(all_contracts: Iterable[Contract]) -> dict[Path, list[Contract]]:
    """Contracts by the file that they are proved with."""
    found: dict[Path, list[Contract]] = {}
    for one in all_contracts:
        found.setdefault(one.unit, []).append(one)
    return found
