"""`.venv/bin/python -m rtl.dv.coverage`: lines and toggles of rtl/src that runs with --coverage reached, all benches together.

A point that any bench, in any instance and configuration, reached counts as reached."""
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


def totals(files: list[Path]) -> dict[tuple[str, str], tuple[int, int]]:
    """(reached, all) by file and kind."""
    counts: dict[tuple[str, str, str], int] = defaultdict(int)
    for file in files:
        for place, count in points(file.read_text()).items():
            counts[place] += count
    result: dict[tuple[str, str], tuple[int, int]] = defaultdict(lambda: (0, 0))
    for (module, kind, _), count in counts.items():
        reached, known = result[module, kind]
        result[module, kind] = reached + (count > 0), known + 1
    return result


def share(pair: tuple[int, int]) -> str:
    """As a percentage."""
    return f"{100 * pair[0] / pair[1]:5.1f} %" if pair[1] else "      -"


def main() -> int:
    """Exit status 2 if nothing was counted."""
    files = sorted(BUILD.glob("*/coverage.dat"))
    if not files:
        print("no coverage.dat; run `.venv/bin/python -m rtl.dv.run --coverage` first", file=sys.stderr)
        return 2
    found = totals(files)
    for module in sorted({module for module, _ in found}):
        print(f"{module:<28} lines {share(found[module, 'lines'])}  toggles {share(found[module, 'toggles'])}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
