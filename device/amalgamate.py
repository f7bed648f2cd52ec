"""`python3 device/amalgamate.py --out DIR`: writes the device library as a few files, for projects that prefer files to
folders.

The files are isopod.h (all public headers), isopod.c, isopod64.c (residues in 64-bit words) and isopod_<machine>.S for each
machine with assembly. Every target compiles all of them, and needs only their folder as an include path. A file holds many
sources, so each private name gets the name of its source appended."""
import argparse
import re
from functools import cache
from pathlib import Path

DEVICE = Path(__file__).resolve().parent
SOURCE, INCLUDE = DEVICE / "src", DEVICE / "include"
BACKEND = SOURCE / "backend"
INCLUDES = re.compile(r'^\s*#include "([^"]+)".*\n', re.MULTILINE)
GUARD = re.compile(r"^#ifndef (\w+)\n#define \1\n", re.MULTILINE)
WORD64 = re.compile(r"^#define ISOPOD_WORD_BITS 64\n", re.MULTILINE)
PRIVATE_SET = re.compile(r"^(#undef ISOPOD_ALLOW_DEVICE_SECRET_KEY|#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1.*)\n", re.MULTILINE)
MACRO = re.compile(r"^\s*#\s*define (\w+)", re.MULTILINE)
# Private names of a source: functions and objects, types, constants.
STATIC = re.compile(r"^(?:(?:ISOPOD_[A-Z_]+ )?static|[A-Z_0-9]*(?:(?<!NO)INLINE|FOURIER)) [^;={]*?\b(\w+)(?=\(|\[|\s*=|;)",
                    re.MULTILINE)
TYPE = re.compile(r"^\} (\w+);|^typedef [^{;]*?\b(\w+);|^typedef [^{;(]*?\b(\w+)\(|^typedef .*\(\*(\w+)\)",
                  re.MULTILINE)
CONSTANTS = re.compile(r"^enum \{([^}]*)\}", re.MULTILINE)
COMMENT = re.compile(r"/\*.*?\*/|__attribute__\(\([^\n]*?\)\)+", re.DOTALL)
NOTICE = "/* Written by device/amalgamate.py from the sources of the device library: change those. */\n"


@cache
def text_of(path: Path) -> str:
    """A source without the lines that only a file of its own needs."""
    return PRIVATE_SET.sub("", WORD64.sub("", path.read_text()))


def included(path: Path) -> list[Path]:
    """The files of the library that a file includes directly, without the public headers."""
    names = INCLUDES.findall(path.read_text())
    return [(path.parent / name).resolve() for name in names if not name.startswith("isopod/")]


def is_header(path: Path) -> bool:
    """True for a header that is included once; templates and files inside a condition are not."""
    return path.suffix == ".h" and path.name != "names64.h" and GUARD.search(text_of(path)) is not None


def closure(*sources: Path) -> dict[Path, None]:
    """All files that sources include, lower files first."""
    seen: dict[Path, None] = {}

    def visit(path: Path) -> None:
        for lower in included(path):
            if lower not in seen:
                visit(lower)
                seen[lower] = None

    for source in sources:
        visit(source)
    return seen


def body(path: Path) -> str:
    """The text of a file, with its templates put in and its headers left out."""
    def put(found: re.Match) -> str:
        lower = (path.parent / found[1]).resolve()
        return "" if found[1].startswith("isopod/") or is_header(lower) else body(lower)

    text = text_of(path)
    if is_header(path):
        guard = GUARD.search(text)
        text = text[:guard.start()] + text[guard.end():text.rindex("#endif")]
    return INCLUDES.sub(put, text)


def private_names(text: str) -> set[str]:
    """The names that the next source must not see."""
    plain = COMMENT.sub("", text)
    names = {name for found in [*STATIC.findall(plain), *TYPE.findall(plain)]
             for name in ([found] if isinstance(found, str) else found)}
    for constants in CONSTANTS.findall(plain):
        names |= {constant.split("=")[0].strip() for constant in constants.split(",")}
    return {name for name in names if name and not name.startswith("isopod_")}


def apart(path: Path) -> str:
    """A source with its name appended to its private names, and with its macros undefined at the end."""
    text = body(path)
    names = "|".join(sorted(private_names(text), key=len, reverse=True))
    if names:
        text = re.sub(rf"(?<![.\w])(?<!->)({names})\b", rf"\1_{path.stem}", text)
    macros = dict.fromkeys(MACRO.findall(text))
    return f"\n/* ---- {path.relative_to(SOURCE)} ---- */\n{text}" + "".join(f"#undef {name}\n" for name in macros)


def machine_of(path: Path) -> str:
    """The folder of a backend's file; empty for other files."""
    return path.relative_to(BACKEND).parts[0] if BACKEND in path.parents and path.parent != BACKEND else ""


def is_of_machine(path: Path) -> bool:
    """True for a header that only one machine's sources include. The lists of kernels are in backend.h already."""
    return machine_of(path) not in ("", "unrolled") and path.name != "kernels.h" and is_header(path)


def with_machine_headers(source: Path, emitted: set[Path]) -> str:
    """A source with the headers of its machine behind its guard, except headers that an earlier source brought."""
    text = apart(source)
    new = [path for path in closure(source) if is_of_machine(path) and path not in emitted]
    emitted |= set(new)
    if not new:
        return text
    guard = re.search(r"^#if(def)? .*(ISOPOD_BACKEND_IS|ISOPOD_HAS|ISOPOD_ACCEL_BASE).*\n", text, re.MULTILINE)
    return text[:guard.end()] + "".join(f"\n{body(path)}" for path in new) + text[guard.end():]


def unit(sources: list[Path], opening: str) -> str:
    """One C file: the common headers, then the sources. The sources of a machine follow its headers."""
    chosen = list(filter(is_header, closure(*sources)))
    parts = [NOTICE, opening, '#include "isopod.h"\n', backend_header()]
    parts += [f"\n{body(path)}" for path in chosen if BACKEND not in path.parents]
    parts += [f"\n#if ISOPOD_HAS(UNROLLED_KECCAK)\n{body(path)}#endif\n" for path in chosen if machine_of(path) == "unrolled"]
    emitted: set[Path] = set()
    return "".join(parts + [with_machine_headers(source, emitted) for source in sources])


def backend_header() -> str:
    """backend.h, with the lists of kernels put in."""
    path = BACKEND / "backend.h"
    return INCLUDES.sub(lambda found: body(BACKEND / found[1]), path.read_text())


def public_header() -> str:
    """The text of isopod.h."""
    seen: dict[str, None] = {}

    def visit(name: str) -> None:
        if name not in seen:
            for lower in re.findall(r'#include "(?:isopod/)?(\w+\.h)"', (INCLUDE / "isopod" / name).read_text()):
                visit(lower)
            seen[name] = None

    for path in sorted((INCLUDE / "isopod").glob("*.h")):
        visit(path.name)
    return NOTICE + "".join(INCLUDES.sub("", (INCLUDE / "isopod" / name).read_text()) for name in seen)


def aliases_left(text: str) -> list[str]:
    """Names of registers that a source defines and does not remove."""
    left: dict[str, None] = {}
    for name, ended in re.findall(r"^\s*(?:(\w+) \.req |\.unreq (\w+))", text, re.MULTILINE):
        if ended:
            del left[ended]
        else:
            left[name] = None
    return list(left)


def assembly(machine: str) -> str:
    """The kernels of a machine in one file. Labels, register names and macros are valid in their own source only."""
    parts = [NOTICE, backend_header()]
    for path in sorted((BACKEND / machine).rglob("*.S")):
        text = INCLUDES.sub("", path.read_text())
        text = re.sub(r"(\.L\w+)", rf"\1_{path.stem}", text)
        aliases = aliases_left(text)
        macros = dict.fromkeys(re.findall(r"^\s*\.macro (\w+)", text, re.MULTILINE))
        ending = "".join(f"    .unreq {name}\n" for name in aliases) + "".join(f"    .purgem {name}\n" for name in macros)
        ending += "".join(f"#undef {name}\n" for name in dict.fromkeys(MACRO.findall(text)))
        at = text.rindex("#endif")
        parts.append(f"\n/* ---- {path.relative_to(SOURCE)} ---- */\n{text[:at]}{ending}{text[at:]}")
    return "".join(parts)


def is_64(path: Path) -> bool:
    """True for a source that computes in 64-bit words, or folds residues of such words."""
    return WORD64.search(path.read_text()) is not None or SOURCE / "encode/decode/folding64.h" in closure(path)


def files() -> dict[str, str]:
    """The names and texts of all written files."""
    instance = SOURCE / "instance64.c"
    sources: dict[bool, list[Path]] = {False: [], True: [path for path in included(instance) if path.suffix == ".c"]}
    for path in sorted(SOURCE.rglob("*.c")):
        if path != instance:
            sources[is_64(path)].append(path)
    opening = "#undef ISOPOD_ALLOW_DEVICE_SECRET_KEY\n#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1\n"
    written = {"isopod.h": public_header(), "isopod.c": unit(sources[False], opening),
               "isopod64.c": unit(sources[True], opening + "#define ISOPOD_WORD_BITS 64\n")}
    machines = sorted({machine_of(path) for path in BACKEND.rglob("*.S")})
    return written | {f"isopod_{machine}.S": assembly(machine) for machine in machines}


def main() -> None:
    """Writes the files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="the folder, made if need be")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    for name, text in files().items():
        (out / name).write_text(text)


if __name__ == "__main__":
    main()
