"""Documents made of measurements: tables in Markdown, their places in a page, and the command that writes or checks the page.

bench/freshness.py says how far a committed figure may be from a fresh one."""
import argparse
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from bench.freshness import stale

ABSENT = "-"
BEGIN, END = "<!-- table-begin -->", "<!-- table-end -->"


def markdown(columns: tuple[str, ...], rows: Iterable[tuple], names: int = 1) -> str:
    """A table whose first columns are names and whose others are numbers."""
    rule = ("---",) * names + ("---:",) * (len(columns) - names)
    return "\n".join(f"| {' | '.join(map(str, cells))} |" for cells in (columns, rule, *rows))


def whole(value: float | None) -> str:
    """A number without decimals; a dash if it is missing."""
    return ABSENT if value is None else f"{value:,.0f}"


def times(theirs: float | None, ours: float | None) -> str:
    """The ratio of their figure to ours; a dash if theirs is missing, or ours is missing or 0."""
    return ABSENT if theirs is None or not ours else f"{theirs / ours:.1f}x"


def with_table(text: str, rows: str, begin: str = BEGIN, end: str = END) -> str:
    """The text with new rows between the two marks; ValueError if a mark is missing."""
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"{begin} or {end} is missing; the table goes between them")
    return f"{before}{begin}\n\n{rows}\n\n{end}{after}"


def filled(template: Path, parts: dict[str, str]) -> str:
    """The template with a text in place of each {{name}}."""
    text = template.read_text()
    for name, part in parts.items():
        text = text.replace(f"{{{{{name}}}}}", part)
    return text


def command(about: str, makers: tuple[str, str], pages: Callable[[], dict[Path, str]],
            draw: Callable[[], None] | None = None, compared: Callable[[str], str] = str) -> int:
    """Writes the pages; with --plot it draws, too. With --check it writes nothing, and the exit status is 1 if a page is stale.

    `makers` are the commands that measure and that write the pages. `compared` takes out what differs from run to run. The exit
    status is 2 if figures are missing."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--check", action="store_true", help="write nothing; fail if a page is stale")
    if draw:
        action.add_argument("--plot", action="store_true", help="draw the figures, too (matplotlib)")
    options = parser.parse_args()
    measures, writes = makers
    try:
        fresh = pages()
        found = {path: stale(compared(path.read_text()), compared(text)) for path, text in fresh.items() if options.check}
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"{type(error).__name__}: {error}; `{measures}` measures", file=sys.stderr)
        return 2
    for path in (complaints := {path: lines for path, lines in found.items() if lines}):
        print("\n".join([f"{'/'.join(path.parts[-2:])} is stale; `{writes}` rewrites it", *complaints[path]]), file=sys.stderr)
    for path, text in fresh.items() if not options.check else ():
        path.write_text(text)
    if draw and options.plot:
        draw()
    return int(bool(complaints))
