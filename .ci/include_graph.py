"""Checks the includes of device/src against its floors: rooms include themselves and lower ones, there are no circles, and
only the instance file includes .c files.

The floors are the numbered list of device/src/README.md, ground floor first: rooms in backticks open each item. The document
names the instance file as "instance file `room/name.c`". Folders that the list does not name (backend/<machine>) are checked for
circles only."""
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import module_graph

FLOOR = re.compile(r"^\d+\. ((?:`\w+`(?:, | and )?)+)", re.MULTILINE)
INSTANCE = re.compile(r"instance file\s[^`]*`([\w./]+)`")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.MULTILINE)
SOURCES = ("*.c", "*.h", "*.S")


@dataclass(frozen=True)
class House:
    """A folder of sources, and the folder of its public headers."""

    sources: Path
    public: Path

    @cached_property
    def plan(self) -> str:
        """The document that lists the floors; empty if there is none."""
        path = self.sources / "README.md"
        return path.read_text() if path.exists() else ""

    @cached_property
    def floors(self) -> dict[str, int]:
        """The floor of each room."""
        return {room: floor for floor, rooms in enumerate(FLOOR.findall(self.plan)) for room in re.findall(r"\w+", rooms)
                if room != "and"}

    @cached_property
    def files(self) -> list[str]:
        """Names relative to the folder of sources."""
        return sorted(path.relative_to(self.sources).as_posix() for pattern in SOURCES for path in self.sources.rglob(pattern))

    @cached_property
    def includes(self) -> dict[str, list[str]]:
        """The files that each file includes, without public headers; `?name` is a file that does not exist."""
        return {name: list(filter(None, (self.resolved(name, wanted) for wanted in
                                         INCLUDE.findall((self.sources / name).read_text())))) for name in self.files}

    def resolved(self, name: str, wanted: str) -> str | None:
        """The file that a compiler finds with -I device/src and -I device/include."""
        for folder in ((self.sources / name).parent, self.sources):
            path = (folder / wanted).resolve()
            if path.is_file() and path.is_relative_to(self.sources.resolve()):
                return path.relative_to(self.sources.resolve()).as_posix()
        return None if (self.public / wanted).is_file() else f"?{wanted}"


def room(name: str) -> str:
    """The folder below the sources; empty for files of no room."""
    return name.partition("/")[0] if "/" in name else ""


def upward(house: House) -> list[str]:
    """Includes of a higher floor, and of files that do not exist."""
    floors, found = house.floors, []
    for name, wanted in house.includes.items():
        found += [f"{name} includes {other[1:]}, which is nowhere" for other in wanted if other.startswith("?")]
        found += [f"{name} includes {other}, {floors[room(other)] - floors[room(name)]} floors up" for other in wanted
                  if room(name) in floors and room(other) in floors and floors[room(other)] > floors[room(name)]]
    return found


def circles(house: House) -> list[str]:
    """Circles among files, and among rooms."""
    rooms: dict[str, set[str]] = {}
    for name, wanted in house.includes.items():
        if room(name) in house.floors:
            rooms.setdefault(room(name), set()).update(room(other) for other in wanted
                                                       if room(other) in house.floors and room(other) != room(name))
    files = {name: set(wanted) for name, wanted in house.includes.items()}
    return [f"a circle: {', '.join(members)}" for graph in (files, rooms) for members in module_graph.circles(graph)]


def complaints(house: House) -> list[str]:
    """All complaints; folders without a floor come first."""
    instance = INSTANCE.search(house.plan)
    homeless = [f"{name} is in no room" for name in house.files if not room(name) and name != (instance[1] if instance else None)]
    textual = [f"{name} includes {other}: only the instance file may" for name, wanted in house.includes.items()
               for other in wanted if other.endswith(".c") and name != (instance[1] if instance else None)]
    return ([] if house.floors else [f"{house.sources.name}/README.md lists no floors"]) + homeless + upward(house) \
        + textual + circles(house)
