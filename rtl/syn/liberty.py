"""Liberty files of standard cells: areas, the flip-flops' delays, and several files as one.

Only what the flow needs is read: groups are found by their braces, and attributes by their names.
Areas are in the library's unit, which is a square micrometre in all that we have seen."""
import re
from dataclasses import dataclass
from pathlib import Path
from statistics import median

CELL = re.compile(r'^[ \t]*cell\s*\(\s*"?([^")\s]+)"?\s*\)\s*\{', re.MULTILINE)
PICOSECONDS = {"ps": 1.0, "ns": 1000.0}


def closing(text: str, start: int) -> int:
    """The position behind the brace that closes the group which opens at or after `start`."""
    depth = 0
    for brace in re.compile("[{}]").finditer(text, start):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.end()
    raise ValueError("a group of the library does not end")


def groups(text: str, name: str) -> list[str]:
    """All groups with this name, with nested ones."""
    starts = re.finditer(rf"\b{name}\s*\([^)]*\)\s*\{{", text)
    return [text[found.start():closing(text, found.end() - 1)] for found in starts]


def attribute(text: str, name: str) -> str | None:
    """The first simple attribute with this name; None without one."""
    found = re.search(rf'\b{name}\s*:\s*"?([^";\n]+)"?', text)
    return found[1].strip() if found else None


@dataclass(frozen=True)
class Library:
    """Cells by name, and the text before the first one."""

    header: str
    cells: dict[str, str]

    @staticmethod
    def read(files: list[Path]) -> "Library":
        """One library of the cells of all files that synthesis may use; ValueError if files have
        different units, or a file has no cell."""
        parts = [part_of(file) for file in files]
        for unit in ("time_unit", "capacitive_load_unit"):
            if len({re.sub(r"\s", "", setting(part.header, unit)) for part in parts}) > 1:
                raise ValueError(f"the libraries differ in {unit}")
        headers = [parts[0].header, *("".join(groups(part.header, "lu_table_template"))
                                      for part in parts[1:])]
        return Library("\n".join(headers),
                       {name: cell for part in parts for name, cell in part.cells.items()})

    @property
    def name(self) -> str:
        """The name in the first file."""
        found = re.search(r'\blibrary\s*\(\s*"?([^")\s]+)', self.header)
        return found[1] if found else ""

    def write(self, path: Path) -> None:
        """One file that Yosys and ABC read."""
        path.write_text("\n".join([self.header, *self.cells.values(), "}", ""]))

    def area(self, cell: str) -> float:
        """The area of a cell; ValueError without one."""
        found = attribute(self.cells[cell], "area")
        if found is None:
            raise ValueError(f"{cell} has no area")
        return float(found)

    def gate_area(self) -> float:
        """One gate equivalent: the smallest cell whose name tells a NAND of two inputs."""
        areas = [self.area(name) for name in self.cells
                 if re.search(r"nand2(?!\d*b)[x_\d]", name, re.IGNORECASE)]
        if not areas:
            raise ValueError("no NAND of two inputs in the library")
        return min(areas)

    def register_delay(self, cell: str) -> float:
        """Clock to output plus setup of a flip-flop in picoseconds: the medians of their tables."""
        text = self.cells[cell]
        unit = attribute(self.header, "time_unit") or "1ns"
        return PICOSECONDS[unit.lstrip("1")] * (
            table_median(text, "rising_edge", ("cell_rise", "cell_fall"))
            + table_median(text, "setup_rising", ("rise_constraint", "fall_constraint")))


def setting(header: str, name: str) -> str:
    """A simple or complex attribute of the library as text; empty without one."""
    found = re.search(rf"\b{name}\s*(?::\s*([^;]+);|(\([^)]*\)))", header)
    return (found[1] or found[2]).strip('" ') if found else ""


def table_median(cell: str, kind: str, tables: tuple[str, ...]) -> float:
    """The median of all values of these tables in timing groups of one type."""
    timings = [group for group in groups(cell, "timing") if attribute(group, "timing_type") == kind]
    values = [float(number) for timing in timings for table in tables for group in
              groups(timing, table) for quoted in
              re.findall(r'"([^"]*)"', group[group.index("values"):])
              for number in re.split(r"[\s,]+", quoted.strip())]
    if not values:
        raise ValueError(f"no {kind} times of a flip-flop")
    return median(values)


def part_of(file: Path) -> Library:
    """One file, without cells that its maker excludes from synthesis."""
    text = re.sub(r"/\*.*?\*/", "", file.read_text(errors="replace"), flags=re.DOTALL)
    starts = list(CELL.finditer(text))
    if not starts:
        raise ValueError(f"{file}: no cell")
    cells = {}
    for start in starts:
        cell = text[start.start():closing(text, start.end() - 1)]
        if attribute(cell, "dont_use") != "true":
            cells[start[1]] = cell
    return Library(text[:starts[0].start()], cells)
