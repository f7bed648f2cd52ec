"""`python3 -m bench.paper.seal-embedded.generate [--check | --plot]`, from the root of the repository.

Writes README.md of this folder from paper.toml, recomputed.toml and bench/out; --plot also draws plot.svg (matplotlib).
With --check it writes nothing and fails if README.md is stale by the rule of bench/freshness.py."""
import sys
from pathlib import Path

from bench.document import command, filled

from . import tables
from .figures import HERE, Figures, load
from .plot import draw

README = HERE / "README.md"
TABLES = ("table1", "table3", "table4", "sampling", "table5", "multiply", "conservative", "stack", "riscv")
NOT_MEASURED = "Not measured yet: `make bench-host` writes `bench/out/host.json`."
HOST_BEGIN, HOST_END = "<!-- host-begin -->\n", "\n<!-- host-end -->"


def host_of(text: str) -> str:
    """The section with times, which change from run to run."""
    return text.partition(HOST_BEGIN)[2].partition(HOST_END)[0]


def document(figures: Figures, committed: str) -> str:
    """Fills the template with its tables. Without fresh times the host's table stays."""
    host = tables.host(figures) if figures.host else host_of(committed) or NOT_MEASURED
    return filled(HERE / "template.md", {name: getattr(tables, name)(figures) for name in TABLES} | {"host": host})


def pages() -> dict[Path, str]:
    """The fresh page by its path."""
    return {README: document(load(), README.read_text())}


if __name__ == "__main__":
    sys.exit(command(__doc__, ("make bench-device", "make bench-paper"), pages, lambda: draw(load()),
                     lambda text: text.replace(host_of(text), "")))
