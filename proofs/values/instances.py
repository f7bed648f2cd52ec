"""Functions that are compiled more than once: all their instances have to be reached before one counts.

A template has an instance for each file that includes it. A header that depends on the size of words has definitions for 32 and
for 64 bits; instance64.c compiles its files once more, for 64. Of other second definitions, for other compilers or processors,
none is analysed."""
import re
from collections import Counter
from functools import cache
from pathlib import Path

from proofs.functions.contracts import SOURCES, defined, included

# Files for words of 64 bits alone.
WIDE = re.compile(r"^#define ISOPOD_WORD_BITS 64", re.MULTILINE)
SIZED = re.compile(r"\bisopod_(?:word|residue|word_prime|word_product)\b|\bISOPOD_WORD_BITS\b")
ALIAS = re.compile(r"^#define (\w+) (isopod\w+)$", re.MULTILINE)
NAME64 = re.compile(r"^#define (isopod_\w+) (isopod64_\w+)$", re.MULTILINE)


@cache
def twice() -> frozenset[Path]:
    """The files that instance64.c compiles once more."""
    found = re.findall(r'^#include "(\S+\.c)"', (SOURCES / "instance64.c").read_text(), re.MULTILINE)
    return frozenset(SOURCES / name for name in found)


@cache
def names64() -> dict[str, str]:
    """The names of functions by those of their instances for words of 64 bits."""
    return {wide: name for name, wide in NAME64.findall((SOURCES / "base/names64.h").read_text())}


@cache
def sized() -> frozenset[str]:
    """Functions that take words of either size."""
    arithmetic = (defined()[SOURCES / header] for header in ("ring/montgomery.h", "ring/power.h"))
    return frozenset(names64().values()).union(*arithmetic)


@cache
def words_of(path: Path) -> frozenset[int]:
    """The sizes of words for which a source is compiled; both if it does not depend on them."""
    text = path.read_text()
    if WIDE.search(text):
        return frozenset({64})
    takes_words = SIZED.search(text) or not sized().isdisjoint(re.findall(r"\w+", text))
    depends = SOURCES / "base/word.h" in included(path) and takes_words
    return frozenset({32, 64}) if path in twice() or not depends else frozenset({32})


def is_template(path: Path) -> bool:
    """Whether a file is compiled as part of others, which define its macros."""
    return path.name.endswith("_template.h")


@cache
def users(template: Path) -> frozenset[Path]:
    """The C files that have an instance of a template."""
    return frozenset(path for path in defined() if path.suffix == ".c" and template in included(path))


@cache
def aliases(path: Path) -> dict[str, str]:
    """The macros by the names that a file gives to functions of a template."""
    return {name: macro for macro, name in ALIAS.findall(path.read_text())}


@cache
def has_both_words(path: Path, name: str) -> bool:
    """Whether a file has a definition of a function for each size of words."""
    return Counter(defined().get(path, []))[name] == 2 and "#if ISOPOD_WORD_BITS == 32" in path.read_text()


def wanted(file: str, name: str) -> set[str]:
    """The instances of a function that has more than one: the files of a template's users, or sizes of words."""
    path = SOURCES / file
    if is_template(path):
        return {str(user.relative_to(SOURCES)) for user in users(path)}
    return {"32", "64"} if has_both_words(path, name) else set()


def definitions(file: str, name: str) -> int:
    """How many definitions of a function are analysed."""
    return 2 if has_both_words(SOURCES / file, name) else 1


def seen(path: Path, name: str, listed: dict[str, bool], files: list[Path], words: int) -> set[str]:
    """The instances of a function that a run reached: Frama-C lists the functions of these files in their order, each with
    whether the run reached it. If one of them has none, because nothing calls it there, nothing is told."""
    if not is_template(path):
        return {str(words)} if has_both_words(path, name) else set()
    run = [str(user.relative_to(SOURCES)) for user in files if user in users(path)]
    if len(listed) != len(run):
        return set()
    return {user for user, is_reached in zip(run, listed.values(), strict=True) if is_reached}
