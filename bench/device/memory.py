"""`python3 -m bench.device.memory [--check | --plot]`: writes the surface in bench/out/device.json to
docs/measurements/tables/memory.md.

--plot also draws docs/measurements/memory.svg (matplotlib). With --check it writes nothing and fails if the table is stale."""
import argparse
import json
import sys

from bench.device.cases import KINDS, SURFACE_CHUNKS, SURFACE_SETS, by_prefix
from bench.device.run import OUT
from bench.freshness import stale
from ports.emulate import ROOT

DOCUMENT = ROOT / "docs/measurements/tables/memory.md"
BEGIN, END = "<!-- surface-begin -->", "<!-- surface-end -->"
NAMES = {"pk": "public", "pkseed": "public, seeded", "ternary": "secret, ternary", "sym": "secret, NTT"}
COLUMNS = ("key", "chunks", "RAM", "flash: tables", "flash: key", "M instructions", "of one chunk", "ms at 64 MHz, estimated")

Records = dict[str, dict]


def load() -> Records:
    """The Cortex-M4's records by case."""
    return {record["case"]: record for record in json.loads(OUT.read_text()) if record["target"] == "cortex-m4"}


def point(records: Records, prefix: str, kind: str, chunks: int) -> dict:
    """One point of the surface; KeyError if it was not measured."""
    return records[f"{prefix}-surface-{kind}-{chunks}"]


def table(records: Records, prefix: str) -> str:
    """All points of one set in Markdown."""
    lines = [f"### {by_prefix(prefix).name}", "", f"| {' | '.join(COLUMNS)} |",
             f"| --- |{' ---: |' * (len(COLUMNS) - 1)}"]
    lines += [f"| {' | '.join(row(records, prefix, kind, chunks))} |" for kind in KINDS for chunks in SURFACE_CHUNKS]
    return "\n".join(lines)


def row(records: Records, prefix: str, kind: str, chunks: int) -> tuple[str, ...]:
    """Bytes in full; instructions also relative to one chunk."""
    record, whole = point(records, prefix, kind, chunks), point(records, prefix, kind, 1)
    return (
        NAMES[kind],
        str(chunks),
        f"{record['ram_bytes']:,}",
        f"{record['flash_table_bytes']:,}",
        f"{record['flash_key_bytes']:,}",
        f"{record['instructions'] / 1e6:.2f}",
        f"x {record['instructions'] / whole['instructions']:.2f}",
        f"{record['est_cycles'] / 64e3:.1f}",
    )


def document(committed: str, records: Records) -> str:
    """The text, the tables between its marks replaced; ValueError if a mark is missing."""
    before, begin, rest = committed.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{DOCUMENT.name}: {BEGIN} or {END} is missing; the tables go between them")
    tables = "\n\n".join(table(records, prefix) for prefix in SURFACE_SETS)
    return f"{before}{BEGIN}\n\n{tables}\n\n{END}{after}"


def main() -> int:
    """Exit status 1 if the document is stale, 2 if figures are missing."""
    parser = argparse.ArgumentParser(prog="python3 -m bench.device.memory", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--check", action="store_true")
    action.add_argument("--plot", action="store_true")
    options = parser.parse_args()
    try:
        records, committed = load(), DOCUMENT.read_text()
        fresh = document(committed, records)
    except (OSError, ValueError, KeyError) as error:
        print(f"{type(error).__name__}: {error}; `make bench-device` measures", file=sys.stderr)
        return 2
    complaints = stale(committed, fresh) if options.check else []
    if complaints:
        print("\n".join([f"{DOCUMENT.name} is stale; `make bench-paper` rewrites it", *complaints]), file=sys.stderr)
        return 1
    if not options.check:
        DOCUMENT.write_text(fresh)
    if options.plot:
        from bench.device.memory_plot import draw
        draw(records)
    return 0


if __name__ == "__main__":
    sys.exit(main())
