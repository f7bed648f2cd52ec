"""Sizes from a linker's map file: the bytes that the library and its tables add to an application.

On RV32 the map shows sizes before the linker's last relaxation, about 1 % above those of the image."""
import re
from pathlib import Path

SECTION = re.compile(r"^ (\.[\w.$-]+)\s+0x[0-9a-f]+\s+0x([0-9a-f]+) (\S+)$", re.MULTILINE)
READ_ONLY = (".text", ".rodata", ".srodata", ".data.rel.ro")
WRITABLE = (".data", ".sdata", ".bss", ".sbss")
LIBRARY = "libisopod.a("
INSTANCE64 = LIBRARY + "instance64.o)"
SET_OBJECT = LIBRARY + "parameter_sets.o)"


def sections(map_file: Path) -> list[tuple[str, int, str]]:
    """Name, size and file of every input section that the linker kept."""
    text = map_file.read_text().split("Linker script and memory map", 1)[1]
    joined = re.sub(r"^( \.\S+)\n\s+0x", r"\1 0x", text, flags=re.MULTILINE)
    return [(name, int(size, 16), file) for name, size, file in SECTION.findall(joined)]


def read_only_bytes(kept: list[tuple[str, int, str]], file_part: str) -> int:
    """Code and constants from the files whose name contains file_part."""
    return sum(size for name, size, file in kept if file_part in file and name.startswith(READ_ONLY))


def table_bytes(kept: list[tuple[str, int, str]], tables: str) -> int:
    """The tables of the set and its entry in the library; both grow with the number of primes."""
    return read_only_bytes(kept, tables) + read_only_bytes(kept, SET_OBJECT)


def text_bytes(kept: list[tuple[str, int, str]]) -> int:
    """Code and constants of the library without the parameter set."""
    return read_only_bytes(kept, LIBRARY) - read_only_bytes(kept, SET_OBJECT)


def check_no_globals(kept: list[tuple[str, int, str]]) -> None:
    """Checks that the library owns no memory; ValueError names the section otherwise."""
    for name, size, file in kept:
        if LIBRARY in file and size and name.startswith(WRITABLE) and not name.startswith(READ_ONLY):
            raise ValueError(f"{file}: {size} bytes of {name} in the library, which must not own memory")


def check_without(kept: list[tuple[str, int, str]], objects: tuple[str, ...]) -> None:
    """Checks that an application links none of these objects, and nothing that instance64.c compiles of them (public_key,
    chunk, ...); ValueError names a section that it does link."""
    for name, size, file in kept:
        if size and INSTANCE64 in file and re.search(r"isopod64_(encryption|public|secret)_(?!key)", name):
            raise ValueError(f"{file}: {size} bytes of {name}, of which this application has no use")
        if size and name.startswith(READ_ONLY + WRITABLE) and file.endswith(tuple(f"{LIBRARY}{item}.o)" for item in objects)):
            raise ValueError(f"{file}: {size} bytes of {name}, of which this application has no use")
