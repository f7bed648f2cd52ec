"""`python3 -m bench.paper.ntt-accelerator.generate [--check]`, from the root of the repository.

Writes README.md (the engine alone) and SYSTEM.md (beside a processor) of this folder and the table of rtl/README.md, from
paper.toml and bench/out/rtl.json. With --check it writes nothing and fails if one is stale by the rule of bench/freshness.py."""
import sys
from pathlib import Path

from bench.document import command, filled, with_table
from bench.record import ROOT

from . import system, tables
from .figures import HERE, load

# Each document's template, the module of its tables, and their names.
DOCUMENTS = {
    "README.md": ("template.md", tables, ("table3", "blocks", "table4", "table5", "public", "table6", "roofline")),
    "SYSTEM.md": ("system-template.md", system, ("whole_encryption", "one_prime", "baselines", "ways", "wide", "further",
                                                  "transforms")),
}
ENGINE = ROOT / "rtl/README.md"


def pages() -> dict[Path, str]:
    """Fills the templates with their tables. The engine's page also gets the table of the gains in a system."""
    figures = load()
    fresh = {HERE / name: filled(HERE / template, {place: getattr(makers, place)(figures) for place in places})
             for name, (template, makers, places) in DOCUMENTS.items()}
    return fresh | {ENGINE: with_table(ENGINE.read_text(), system.summary(figures))}


if __name__ == "__main__":
    sys.exit(command(__doc__, ("make bench-rtl",) * 2, pages))
