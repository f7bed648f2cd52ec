"""`python3 -m bench.paper.run [--check | --plot]`, from the root of the repository: the pages beside the five papers.

Each folder beside this file has the paper's tables as printed (paper.toml), a template, and tables.py with our figures. These
come from bench/out/device.json and from measured.json, which keeps what the long measurements gave last; without --check it is
brought up to date from bench/out first (bench/paper/measured.py). The exit status is 2 if a row, column or table of a paper has
neither a figure of ours nor a stated reason. bench/out/papers.json has the counts. --plot draws the figures, too (matplotlib)."""
import sys
from importlib import import_module
from pathlib import Path

from bench.document import command, filled
from bench.paper import measured, printed
from bench.record import OUT, write

HERE = Path(__file__).parent
PAPERS = ("aloha-he", "low-swap", "ntt-accelerator", "seal-embedded", "tfhe-sbc")


def part(paper: str, name: str):
    """A module of a paper's folder."""
    return import_module(f"bench.paper.{paper}.{name}")


def page(paper: str, figures: measured.Figures) -> tuple[dict[Path, str], dict, list[str]]:
    """The pages of a paper, its record, and what is missing."""
    document, tables = printed.read(HERE / paper / "paper.toml")
    maker = part(paper, "tables")
    given = {place: maker.OURS[place](figures, table) for place, table in tables.items()}
    pairs = [(table, given[place]) for place, table in tables.items()]
    texts = {place: printed.shown(table, given[place]) for place, table in tables.items()}
    texts |= maker.others(figures, document, tables, given)
    pages = {HERE / paper / name: filled(HERE / paper / template, texts) for name, template in maker.PAGES.items()}
    pages |= maker.elsewhere(figures, tables) if hasattr(maker, "elsewhere") else {}
    complaints = [f"{paper}, {line}" for table, ours in pairs for line in printed.missing(table, ours)]
    return pages, printed.record(paper, pairs), complaints


def pages() -> dict[Path, str]:
    """All pages by path, and papers.json is written; ValueError if something printed has no answer."""
    is_check = "--check" in sys.argv
    figures = measured.Figures(fresh=not is_check)
    found = {paper: page(paper, figures) for paper in PAPERS}
    write(OUT / "papers.json", [record for _, record, _ in found.values()])
    if complaints := [line for _, _, lines in found.values() for line in lines]:
        raise ValueError("\n".join(("neither a figure of ours nor a reason:", *complaints)))
    if not is_check:
        figures.keep(measured.committed())
    return {path: text for made, _, _ in found.values() for path, text in made.items()}


def draw() -> None:
    """Draws the figures of all papers that have some, and drops what nobody asks for from measured.json."""
    figures = measured.Figures(fresh=True)
    for paper in PAPERS:
        if (HERE / paper / "plot.py").exists():
            part(paper, "plot").draw(figures, *printed.read(HERE / paper / "paper.toml"))
        page(paper, figures)
    figures.keep({})


if __name__ == "__main__":
    sys.exit(command(__doc__, ("make bench-device", "make papers"), pages, draw))
