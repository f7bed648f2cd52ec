"""Rules of text and of folders: columns, first words of comments, files in a folder. lint.py enforces some of them."""
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath

# Columns by ending. Rust, Python, shell and documents break where a sentence or an argument ends; rustfmt and ruff do the rest.
COLUMNS = {"c": 100, "h": 100, "cpp": 100, "sv": 100, "svh": 100, "S": 130, "hpp": 130, "rs": 130, "py": 130, "mk": 130,
           "sh": 130, "ld": 130, "yaml": 130, "yml": 130, "vlt": 130, "def": 130, "mjs": 130, "go": 130, "md": 132}
# Rows of tables, addresses, entries of a bibliography, texts of errors (rustfmt leaves strings whole).
WIDE_BY_NATURE = re.compile(r"^\s*\||https?://|^\[\w+\]|^\s*#\[error\(")
# Comments open with a noun phrase or a third-person verb, not with one of these.
OPENINGS = ("What", "Of", "Those", "The same", "As")
OPENING = re.compile(rf"(?:{'|'.join(OPENINGS)})\b")
LINE_MARKS = {"rs": r"///|//!|//", "S": r"//|#", **dict.fromkeys(("c", "h", "cpp", "hpp", "sv", "svh", "go"), "//"),
              **dict.fromkeys(("py", "sh", "mk", "toml", "yaml", "yml"), "#")}
BLOCK_MARKS = {"py": '"""', **dict.fromkeys(("c", "h", "cpp", "hpp", "rs", "S", "def", "ld"), r"/\*\*?<?")}
FOLDERS = ("device/src", "device/test", "rtl/src", "rtl/dv")
FILES_IN_A_FOLDER = 25


def ending(name: str) -> str:
    """The ending of a name, without the dot."""
    return PurePosixPath(name).suffix[1:]


def long_lines(name: str, text: str) -> list[str]:
    """One complaint per line beyond the limit of its kind of file."""
    limit = COLUMNS.get(ending(name))
    if limit is None:
        return []
    return [f"{name}:{number}: {len(line)} columns, at most {limit}" for number, line in enumerate(text.splitlines(), 1)
            if len(line) > limit and not WIDE_BY_NATURE.search(line)]


def comments(name: str, text: str) -> Iterator[tuple[int, str]]:
    """Line number and first line of every comment; lines that continue one are part of it."""
    marks, blocks, above = LINE_MARKS.get(ending(name)), BLOCK_MARKS.get(ending(name)), None
    for number, line in enumerate(text.splitlines(), 1):
        alone = re.match(rf"\s*({marks})(?!#)\s*(.*)", line) if marks else None
        behind = re.search(rf"(?:^|\s)(?:{blocks})\s*(\S.*)", line) if blocks else None
        behind = behind or (re.search(rf"\S\s+(?:{marks})\s+(\S.*)", line) if marks and not alone else None)
        if alone and alone[1] != above:
            yield number, alone[2]
        elif behind and not alone:
            yield number, behind[1]
        above = alone[1] if alone else None


def bad_openings(name: str, text: str) -> list[str]:
    """One complaint per comment that opens with one of OPENINGS."""
    return [f"{name}:{number}: {comment[:80]}" for number, comment in comments(name, text) if OPENING.match(comment)]


def full_folders(names: list[str]) -> list[str]:
    """One complaint per folder below FOLDERS with too many files."""
    count = Counter(str(PurePosixPath(name).parent) for name in names
                    if any(PurePosixPath(name).is_relative_to(folder) for folder in FOLDERS))
    return [f"{folder}: {number} files, at most {FILES_IN_A_FOLDER}" for folder, number in sorted(count.items())
            if number > FILES_IN_A_FOLDER]
