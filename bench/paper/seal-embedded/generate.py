"""`python3 -m bench.paper.seal-embedded.generate [--check | --plot]`, from the root of the repository.

Writes README.md of this folder from paper.toml, recomputed.toml and bench/out; --plot also draws plot.svg (matplotlib).
With --check it writes nothing and fails if README.md is stale by the rule of bench/freshness.py."""
import argparse
import sys

from bench.freshness import stale

from . import tables
from .figures import HERE, Figures, load

README = HERE / "README.md"
TEMPLATE = HERE / "template.md"


TABLES = ("table1", "table3", "table4", "sampling", "table5", "multiply", "conservative", "stack", "riscv")
NOT_MEASURED = "Not measured yet: `make bench-host` writes `bench/out/host.json`."
HOST_BEGIN, HOST_END = "<!-- host-begin -->\n", "\n<!-- host-end -->"


def host_of(text: str) -> str:
    """The section with times, which vary between runs."""
    return text.partition(HOST_BEGIN)[2].partition(HOST_END)[0]


def document(figures: Figures, committed: str) -> str:
    """The template with its tables; without fresh times the host's table stays."""
    text = TEMPLATE.read_text()
    for name in TABLES:
        text = text.replace(f"{{{{{name}}}}}", getattr(tables, name)(figures))
    return text.replace("{{host}}", tables.host(figures) if figures.host else host_of(committed) or NOT_MEASURED)


def main() -> int:
    """Exit status 1 if the document is stale, 2 if figures are missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--check", action="store_true")
    action.add_argument("--plot", action="store_true")
    options = parser.parse_args()
    try:
        figures = load()
        committed = README.read_text() if README.exists() else ""
        fresh = document(figures, committed)
        complaints = stale(committed.replace(host_of(committed), ""), fresh.replace(host_of(fresh), ""))
    except (OSError, ValueError, KeyError) as error:
        print(f"{type(error).__name__}: {error}; `make bench-device` measures", file=sys.stderr)
        return 2
    if complaints and options.check:
        print("\n".join([f"{README.name} is stale; `make bench-paper` rewrites it", *complaints]), file=sys.stderr)
        return 1
    if not options.check:
        README.write_text(fresh)
    if options.plot:
        from .plot import draw
        draw(figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
