"""`python3 bench/paper/ntt-accelerator/generate.py [--check]`, from the root of the repository with PYTHONPATH=.

Writes README.md of this folder from paper.toml and bench/out/rtl.json. With --check it writes nothing and fails if README.md is
stale: bench/freshness.py says what that means."""
import argparse
import sys

import tables
from figures import HERE, Figures, load

from bench.freshness import stale

README = HERE / "README.md"
TABLES = ("table3", "blocks", "table4", "table5", "public", "table6", "roofline")


def document(figures: Figures) -> str:
    """The template with its tables."""
    text = (HERE / "template.md").read_text()
    for name in TABLES:
        text = text.replace(f"{{{{{name}}}}}", getattr(tables, name)(figures))
    return text


def main() -> int:
    """Exit status 1 if the document is stale, 2 if figures are missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    try:
        fresh = document(load())
        complaints = stale(README.read_text(), fresh) if options.check else []
    except (OSError, ValueError, KeyError) as error:
        print(f"{type(error).__name__}: {error}; `make bench-rtl` measures", file=sys.stderr)
        return 2
    if complaints:
        print("\n".join([f"{README.name} is stale; `make bench-rtl` rewrites it", *complaints]), file=sys.stderr)
        return 1
    if not options.check:
        README.write_text(fresh)
    return 0


if __name__ == "__main__":
    sys.exit(main())
