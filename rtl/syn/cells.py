"""Area and frequency in standard cells of a Liberty file that the user names.

Memories of at least MACRO_BITS become macros, which this flow does not map; their area is a model.
Smaller ones become flip-flops. Wires, clock tree, scan and the pads of a chip are not counted."""
import json
import re
from dataclasses import dataclass
from pathlib import Path

from rtl.syn.flow import Design, FlowError, execute, sections, whole
from rtl.syn.liberty import Library

MACRO_BITS = 4096
MOST_PORTS = 2
MACRO = "isopod_macro_"
FANOUT, TRANSITION = 16, 1000  # of ABC's buffers; picoseconds
ABC = ("strash", "&get -n", "&dch -f", "&nf", "&put", f"buffer -N {FANOUT} -S {TRANSITION}.0",
       "upsize", "dnsize", "stime -p")
# The two-port memories of IHP's sg13g2 library (IHP-Open-PDK 5cccb161, typical, 1.2 V): depth,
# width, and area in square micrometres; its NAND of two inputs has 7.2576.
KNOWN_MACROS = (
    (64, 22, 39383.9), (64, 32, 52620.9), (256, 8, 38147.5), (256, 16, 57520.6),
    (256, 32, 96266.6), (512, 8, 57397.3), (512, 16, 88481.6), (512, 32, 150650.1),
    (1024, 16, 155153.8), (1024, 32, 264167.3))
KNOWN_GATE = 7.2576


@dataclass(frozen=True)
class Memory:
    """A memory that becomes a macro: its cell, words, and bits of a word."""

    cell: str
    depth: int
    width: int

    @property
    def gates(self) -> float:
        """Its area in gate equivalents."""
        return sum(factor * term for factor, term in
                   zip(MODEL, terms(self.depth, self.width), strict=True))


def terms(depth: int, width: int) -> tuple[float, ...]:
    """A macro's area is linear in these: a constant, columns, rows, bits."""
    return 1.0, float(width), float(depth), float(depth * width)


def fitted(rows: list[tuple[float, ...]], values: list[float]) -> list[float]:
    """Least squares by the normal equations."""
    size = len(rows[0])
    system = [[sum(row[i] * row[j] for row in rows) for j in range(size)]
              + [sum(row[i] * value for row, value in zip(rows, values, strict=True))]
              for i in range(size)]
    for i in range(size):
        system[i] = [number / system[i][i] for number in system[i]]
        for k in set(range(size)) - {i}:
            system[k] = [number - system[k][i] * pivot
                         for number, pivot in zip(system[k], system[i], strict=True)]
    return [row[size] for row in system]


MODEL = fitted([terms(depth, width) for depth, width, _ in KNOWN_MACROS],
               [area / KNOWN_GATE for *_, area in KNOWN_MACROS])


def memories_of(netlist: Path, top: str) -> list[Memory]:
    """The memories of a netlist that become macros."""
    found = []
    for name, cell in json.loads(netlist.read_text())["modules"][top]["cells"].items():
        if cell["type"] == "$mem_v2":
            has = {key: int(value, 2) for key, value in cell["parameters"].items()
                   if key in ("SIZE", "WIDTH", "RD_PORTS")}
            if has["RD_PORTS"] <= MOST_PORTS and has["SIZE"] * has["WIDTH"] >= MACRO_BITS:
                found.append(Memory(name, has["SIZE"], has["WIDTH"]))
    return found


def generic(design: Design, macros: list[Memory]) -> str:
    """The Yosys script from memories to gates of no library. A macro is a cell of a type that Yosys
    does not know."""
    kept = "".join(f" chtype -set {MACRO}{macro.depth}x{macro.width} {selected(macro.cell)};"
                   for macro in macros)
    return (f"read_rtlil flat.il;{kept} synth -noshare -top {design.top} -run coarse:fine;"
            " memory_map; opt -undriven -fine; techmap; opt -fast; write_rtlil gates.il")


MAPPING = ("read_rtlil gates.il; dfflibmap -liberty cells.lib; opt_clean;"
           " abc -liberty cells.lib -script abc.script; opt_clean;"
           " tee -o cells.stat stat -liberty cells.lib")


def selected(cell: str) -> str:
    """A pattern that selects one cell: brackets stand for themselves only as one character each."""
    return "c:" + re.sub(r"[\[\]$]", "?", cell)


def abc_delay(log: Path) -> float:
    """The longest path between registers in picoseconds, as ABC's last report has it."""
    found = re.findall(r"ABC: WireLoad.*Delay = +([\d.]+) ps", log.read_text())
    if not found:
        raise FlowError(f"no delay in {log}")
    return float(found[-1])


def standard_cells(design: Design, files: list[Path]) -> dict:
    """A record: area of the cells alone in square micrometres and of cells and memories in
    thousands of gate equivalents, and the frequency by ABC's timing of the mapped cells without
    wires. fmax_mhz adds a flip-flop's delays to the longest path between registers."""
    library = Library.read(files)
    library.write(design.folder / "cells.lib")
    (design.folder / "abc.script").write_text("\n".join([*ABC, ""]))
    macros = memories_of(design.folder / "flat.json", design.top)
    execute(design, "gates", ["yosys", "-Q", "-p", generic(design, macros)], "gates.il")
    execute(design, "cells", ["yosys", "-Q", "-p", MAPPING], "cells.stat")
    return record(design, library, macros)


def record(design: Design, library: Library, macros: list[Memory]) -> dict:
    """The record of a mapped design."""
    found = mapped(design, library)
    registers = {name: number for name, number in found.items()
                 if "ff" in kinds(library.cells[name])}
    um2 = sum(number * library.area(name) for name, number in found.items())
    delay = abc_delay(design.folder / "cells.log")
    if registers:
        delay += library.register_delay(max(registers, key=registers.__getitem__))
    memory = sum(macro.gates for macro in macros) * library.gate_area()
    return {
        "config": design.name,
        "flow": f"cells-{library.name}",
        "um2": round(um2),
        "kge": round(um2 / library.gate_area() / 1e3, 1),
        "ff": sum(registers.values()),
        "memory_bits": sum(macro.depth * macro.width for macro in macros),
        "memory_um2": round(memory),
        "memory_kge": round(memory / library.gate_area() / 1e3, 1),
        "fmax_mhz": round(1e6 / delay, 1),
    }


def mapped(design: Design, library: Library) -> dict[str, int]:
    """Numbers of the library's cells; FlowError if something else than a macro is left."""
    text = whole(sections(design.folder / "cells.stat"))
    found = {name: int(number)
             for name, number in re.findall(r"^ {5}(\S+) +(\d+)$", text, re.MULTILINE)
             if not name.startswith(MACRO)}
    unknown = found.keys() - library.cells.keys()
    if unknown:
        raise FlowError(f"{design.name}: {', '.join(sorted(unknown))} in "
                        f"{design.folder / 'cells.stat'}")
    return found


def kinds(cell: str) -> set[str]:
    """Names of the groups of a cell."""
    return set(re.findall(r"\b(\w+)\s*\([^)]*\)\s*\{", cell))
