"""`python3 -m bench.paper.ntt-accelerator.generate [--check] [DOCUMENT ...]`, from the root of the repository.

Writes README.md (the engine alone) and SYSTEM.md (beside a processor) of this folder and the table of rtl/README.md, or those
named, from paper.toml and bench/out/rtl.json. With --check it writes nothing and fails if one is stale by the rule of
bench/freshness.py."""
import argparse
import sys
from pathlib import Path

from bench.device.cost import with_table
from bench.freshness import stale

from . import system, tables
from .figures import HERE, ROOT, Figures, load

# Each document's template, the module of its tables, and their names.
DOCUMENTS = {
    "README.md": ("template.md", tables, ("table3", "blocks", "table4", "table5", "public", "table6", "roofline")),
    "SYSTEM.md": ("system-template.md", system, ("whole_encryption", "one_prime", "baselines", "ways", "wide", "further",
                                                  "transforms")),
}
ENGINE = "rtl/README.md"


def document(name: str, figures: Figures) -> str:
    """The document: its template with the tables; of the engine's page the table of what a system gains."""
    if name == ENGINE:
        return with_table(path_of(name).read_text(), system.summary(figures))
    template, makers, places = DOCUMENTS[name]
    text = (HERE / template).read_text()
    for place in places:
        text = text.replace(f"{{{{{place}}}}}", getattr(makers, place)(figures))
    return text


def path_of(name: str) -> Path:
    """Where a document is."""
    return ROOT / name if name == ENGINE else HERE / name


def complaints_of(fresh: dict[str, str]) -> list[str]:
    """Lines that are stale."""
    return [f"{name}: {complaint}" for name, text in fresh.items() for complaint in stale(path_of(name).read_text(), text)]


def main() -> int:
    """Exit status 1 if the document is stale, 2 if figures are missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", nargs="*", choices=[[], *DOCUMENTS, ENGINE], metavar="DOCUMENT")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    try:
        figures = load()
        fresh = {name: document(name, figures) for name in options.documents or (*DOCUMENTS, ENGINE)}
        complaints = complaints_of(fresh) if options.check else []
    except (OSError, ValueError, KeyError) as error:
        print(f"{type(error).__name__}: {error}; `make bench-rtl` measures", file=sys.stderr)
        return 2
    if complaints:
        print("\n".join(["stale; `make bench-rtl` rewrites it", *complaints]), file=sys.stderr)
        return 1
    if not options.check:
        for name, text in fresh.items():
            path_of(name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
