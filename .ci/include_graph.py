"""Checks the includes of device/src against its layers: folders include themselves and those of lower layers, there are no
cycles, and only the instance file includes .c files.

The layers are the numbered list of device/src/README.md, lowest first: folders in backticks open each item. The document names
the instance file as "instance file `folder/name.c`". Folders that the list does not name (backend/<machine>) are checked for
cycles only."""
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import module_graph

LAYER = re.compile(r"^\d+\. ((?:`\w+`(?:, | and )?)+)", re.MULTILINE)
INSTANCE = re.compile(r"instance file\s[^`]*`([\w./]+)`")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.MULTILINE)
SOURCES = ("*.c", "*.h", "*.S")


@dataclass(frozen=True)
class IncludeTree:
    """A folder of sources, and the folder of its public headers."""

    sources: Path
    public: Path

    @cached_property
    def plan(self) -> str:
        """The document that lists the layers; empty if there is none."""
        path = self.sources / "README.md"
        return path.read_text() if path.exists() else ""

    @cached_property
    def layers(self) -> dict[str, int]:
        """The layer of each folder."""
        return {folder: layer for layer, folders in enumerate(LAYER.findall(self.plan)) for folder in re.findall(r"\w+", folders)
                if folder != "and"}

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


def folder_of(name: str) -> str:
    """The folder below the sources; empty for files in none."""
    return name.partition("/")[0] if "/" in name else ""


def upward(tree: IncludeTree) -> list[str]:
    """Includes of a higher layer, and of files that do not exist."""
    found = []
    for name, wanted in tree.includes.items():
        found += [f"{name} includes {other[1:]}, which is nowhere" for other in wanted if other.startswith("?")]
        steps = {other: tree.layers.get(folder_of(other), 0) - tree.layers.get(folder_of(name), len(tree.layers))
                 for other in wanted}
        found += [f"{name} includes {other}, {up} layers up" for other, up in steps.items() if up > 0]
    return found


def cycles(tree: IncludeTree) -> list[str]:
    """Cycles among files, and among folders."""
    files = {name: set(wanted) for name, wanted in tree.includes.items()}
    folders: dict[str, set[str]] = {}
    for name, wanted in tree.includes.items():
        others = {folder_of(other) for other in wanted} & tree.layers.keys()
        if folder_of(name) in tree.layers:
            folders.setdefault(folder_of(name), set()).update(others - {folder_of(name)})
    return [f"a cycle: {', '.join(members)}" for graph in (files, folders) for members in module_graph.cycles(graph)]


def complaints(tree: IncludeTree) -> list[str]:
    """All complaints; folders without a layer come first."""
    instance = INSTANCE.search(tree.plan)
    instance_file = instance[1] if instance else None
    unplaced = [f"{name} is in no folder" for name in tree.files if not folder_of(name) and name != instance_file]
    textual = [f"{name} includes {other}: only the instance file may" for name, wanted in tree.includes.items()
               for other in wanted if other.endswith(".c") and name != instance_file]
    return ([] if tree.layers else [f"{tree.sources.name}/README.md lists no layers"]) + unplaced + upward(tree) \
        + textual + cycles(tree)
