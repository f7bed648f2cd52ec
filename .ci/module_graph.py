"""Draws the modules of a Rust crate as a graph and finds what keeps its folders from being read from the bottom up.

A file uses another one if it names an item of it by path; names that a root (lib.rs, mod.rs) hands on count as the file that
defines them. In each folder, the files and subfolders must have an order in which each uses only what stands below it."""
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOTS = ("lib.rs", "main.rs", "mod.rs")
COMMENT = re.compile(r"//.*")
TESTS = re.compile(r"#\[cfg\(test\)\]\s*mod \w+ \{.*", re.DOTALL)
USE = re.compile(r"\buse\s+([^;]+);")
INLINE = re.compile(r"\b(?:crate|super|self)(?:::\w+)+")
LIMIT = 12  # files in a folder


@dataclass(frozen=True)
class Crate:
    """The folder `src` of a crate."""

    source: Path

    @cached_property
    def files(self) -> dict[tuple[str, ...], Path]:
        """The file of each module, by the module's path."""
        return {self.module(path): path.relative_to(self.source) for path in sorted(self.source.rglob("*.rs"))
                if "bin" not in path.parts}

    def module(self, path: Path) -> tuple[str, ...]:
        """The path of a file's module."""
        inner = path.relative_to(self.source).with_suffix("").parts
        return inner[:-1] if path.name in ROOTS else inner

    def text(self, path: Path) -> str:
        """The code of a file, without comments and unit tests."""
        return TESTS.sub("", COMMENT.sub("", (self.source / path).read_text()))

    @cached_property
    def handed_on(self) -> dict[tuple[str, ...], list[tuple[str, tuple[str, ...]]]]:
        """For each root, the names that it hands on, each with the path behind it."""
        return {module: [(local, self.absolute(module, names)) for local, names in uses(self.text(path), "pub")]
                for module, path in self.files.items() if path.name in ROOTS}

    def absolute(self, module: tuple[str, ...], names: tuple[str, ...]) -> tuple[str, ...]:
        """A path from the root of the crate; one of another crate stays as it is."""
        if names[0] == "crate":
            return names[1:]
        while names and names[0] in ("self", "super"):
            module, names = (module[:-1] if names[0] == "super" else module), names[1:]
            if not names or names[0] not in ("super",):
                return module + names
        return module + names if module + names[:1] in self.files else ("::", *names)

    def defining(self, names: tuple[str, ...], depth: int = 0) -> tuple[str, ...] | None:
        """The module that defines an item; none of another crate."""
        if names and names[0] == "::" or depth > 8:
            return None
        module = next((names[:end] for end in range(len(names), -1, -1) if names[:end] in self.files), ())
        if len(names) > len(module):
            for local, behind in self.handed_on.get(module, []):
                if local == names[len(module)]:
                    return self.defining(behind + names[len(module) + 1:], depth + 1)
        return module

    @cached_property
    def arrows(self) -> dict[Path, set[Path]]:
        """The files that each file uses; a root uses the modules of its folder by handing them on, which does not count."""
        found: dict[Path, set[Path]] = {}
        for module, path in self.files.items():
            text = self.text(path)
            kinds = ("",) if path.name in ROOTS else ("", "pub")
            names = [names for kind in kinds for _, names in uses(text, kind)]
            names += [tuple(match.split("::")) for match in INLINE.findall(text)]
            targets = {self.defining(self.absolute(module, each)) for each in names}
            found[path] = {self.files[target] for target in targets if target is not None} - {path}
        return found


def uses(text: str, visibility: str) -> list[tuple[str, tuple[str, ...]]]:
    """The paths that `use` items of one visibility name, each with its local name."""
    found = []
    for match in USE.finditer(text):
        public = re.search(r"\bpub(\([\w ]+\))?\s+$", text[:match.start()][-24:]) is not None
        if public == (visibility == "pub"):
            found += tree(re.sub(r"\s+", " ", match[1]).strip(), ())
    return found


def tree(text: str, before: tuple[str, ...]) -> list[tuple[str, tuple[str, ...]]]:
    """The leaves of a `use` tree: local name and path."""
    head, brace, rest = text.partition("{")
    names = before + tuple(name for name in head.strip().rstrip(":").split("::") if name)
    if brace:
        return [leaf for part in split(rest.rsplit("}", 1)[0]) for leaf in tree(part, names)]
    last, _, local = names[-1].partition(" as ")
    path = names[:-1] if last in ("self", "*") else (*names[:-1], last)
    return [(local or path[-1], path)] if path else []


def split(text: str) -> list[str]:
    """The members of a list, at its commas of depth zero."""
    parts, depth = [""], 0
    for letter in text:
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def reached(graph: dict[str, set[str]], begin: str) -> set[str]:
    """The nodes that a path of at least one arrow leads to."""
    found: set[str] = set()
    ahead = list(graph.get(begin, ()))
    while ahead:
        node = ahead.pop()
        if node not in found:
            found.add(node)
            ahead += graph.get(node, ())
    return found


def cycles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The groups of nodes that reach each other."""
    paths = {node: reached(graph, node) for node in graph}
    groups = {frozenset(other for other in paths[node] if node in paths.get(other, ())) for node in graph if node in paths[node]}
    return sorted(map(sorted, groups))


def in_folder(arrows: dict[Path, set[Path]], folder: Path) -> dict[tuple[str, str], list[str]]:
    """The arrows between the files and subfolders of one folder, its root aside, each with the arrows of files behind it."""
    found: dict[tuple[str, str], list[str]] = {}
    for path, targets in arrows.items():
        for target in targets:
            if folder in path.parents and folder in target.parents:
                ends = tuple(str(folder / end.relative_to(folder).parts[0]) for end in (path, target))
                if ends[0] != ends[1] and not any(Path(end).name in ROOTS for end in ends):
                    found.setdefault(ends, []).append(f"{path} -> {target}")
    return found


@dataclass(frozen=True)
class Findings:
    """Everything that keeps a crate from being read from the bottom up."""

    cycles: list[list[str]]  # files that use each other in a cycle
    upward: list[str]  # arrows between files and subfolders of one folder that close a cycle
    crowded: list[tuple[str, int]]  # folders with more than LIMIT files
    largest: int  # files in the fullest folder


def findings(source: Path) -> Findings:
    """The findings of one crate."""
    arrows = Crate(source).arrows
    folders = {parent for path in arrows for parent in path.parents}
    upward = [arrow for folder in sorted(folders) for arrow in closing(in_folder(arrows, folder))]
    files = {folder: sum(path.parent == folder for path in arrows) for folder in folders}
    crowded = [(str(source / folder), number) for folder, number in sorted(files.items()) if number > LIMIT]
    return Findings(cycles(between_files(arrows)), upward, crowded, max(files.values()))


def between_files(arrows: dict[Path, set[Path]]) -> dict[str, set[str]]:
    """The arrows between files that are not roots."""
    return {str(path): {str(target) for target in targets if target.name not in ROOTS} for path, targets in arrows.items()
            if path.name not in ROOTS}


def closing(between: dict[tuple[str, str], list[str]]) -> list[str]:
    """The arrows of files inside cycles of a folder's members."""
    graph: dict[str, set[str]] = {}
    for one, other in between:
        graph.setdefault(one, set()).add(other)
    members = [set(cycle) for cycle in cycles(graph)]
    return [arrow for ends, arrows in sorted(between.items()) if any(cycle.issuperset(ends) for cycle in members)
            for arrow in arrows]


def sources(root: Path) -> list[Path]:
    """The source folders of all crates."""
    return sorted(root.glob("crates/*/src"))


def complaints(source: Path) -> list[str]:
    """The findings of one crate in words."""
    found = findings(source)
    return [*(f"{source}: a cycle of {', '.join(cycle)}" for cycle in found.cycles),
            *(f"{source}: {arrow} closes a cycle of a folder's members" for arrow in found.upward),
            *(f"{folder}: {number} files, at most {LIMIT}" for folder, number in found.crowded)]
