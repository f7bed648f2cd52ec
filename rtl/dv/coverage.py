"""`.venv/bin/python -m rtl.dv.coverage [MODULE ...]`: lines and toggles of rtl/src reached by runs
with --coverage.

A point counts as reached if any bench reached it, in any instance and configuration. The sum comes
last, then the line numbers that no bench reached in the named modules."""
import re
import sys
from collections import defaultdict
from pathlib import Path

from rtl.dv.bench import BUILD

POINT = re.compile(r"^C '(.*)' (\d+)$")
KINDS = {"toggle": "toggles", "line": "lines", "branch": "lines"}


def points(text: str) -> dict[tuple[str, str, str], int]:
    """Counts by file, kind and place of one coverage.dat of Verilator."""
    found: dict[tuple[str, str, str], int] = defaultdict(int)
    for line in text.splitlines():
        match = POINT.match(line)
        if match is None:
            continue
        fields = dict(item.split("\x02", 1) for item in match[1].split("\x01") if item)
        if "rtl/src/" not in fields["f"] or fields["t"] not in KINDS:
            continue
        place = f"{fields['l']}:{fields['n']}:{fields['o']}"
        found[Path(fields["f"]).stem, KINDS[fields["t"]], place] += int(match[2])
    return found


def counted(files: list[Path]) -> dict[tuple[str, str, str], int]:
    """points() of all benches together."""
    counts: dict[tuple[str, str, str], int] = defaultdict(int)
    for file in files:
        for place, count in points(file.read_text()).items():
            counts[place] += count
    return counts


def totals(counts: dict[tuple[str, str, str], int]) -> dict[tuple[str, str], tuple[int, int]]:
    """(reached, all) by file and kind."""
    result: dict[tuple[str, str], tuple[int, int]] = defaultdict(lambda: (0, 0))
    for (module, kind, _), count in counts.items():
        reached, known = result[module, kind]
        result[module, kind] = reached + (count > 0), known + 1
    return result


def unreached(counts: dict[tuple[str, str, str], int], module: str) -> list[int]:
    """Numbers of the lines of a module that no bench reached."""
    return sorted({int(place.split(":")[0]) for (name, kind, place), count in counts.items()
                   if name == module and kind == "lines" and count == 0})


def total(found: dict[tuple[str, str], tuple[int, int]], kind: str) -> tuple[int, int]:
    """Reached and known points of one kind, in all files."""
    pairs = [pair for (_, of), pair in found.items() if of == kind]
    return sum(reached for reached, _ in pairs), sum(known for _, known in pairs)


def share(pair: tuple[int, int]) -> str:
    """Percentage, for the table."""
    return f"{100 * pair[0] / pair[1]:5.1f} %" if pair[1] else "      -"


def row(name: str, lines: tuple[int, int], toggles: tuple[int, int]) -> str:
    """Line of the table."""
    return f"{name:<28} lines {share(lines)}  toggles {share(toggles)}"


def main() -> int:
    """Exit status 2 if nothing was counted."""
    files = sorted(BUILD.glob("*/coverage.dat"))
    if not files:
        print("no coverage.dat; run `.venv/bin/python -m rtl.dv.run --coverage` first",
              file=sys.stderr)
        return 2
    counts = counted(files)
    found = totals(counts)
    for module in sorted({module for module, _ in found}):
        print(row(module, found[module, "lines"], found[module, "toggles"]))
    print(row("all", total(found, "lines"), total(found, "toggles")))
    for module in sys.argv[1:]:
        print(f"{module}: lines {unreached(counts, module)} were not reached")
    return 0


if __name__ == "__main__":
    sys.exit(main())
