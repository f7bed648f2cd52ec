"""`python3 -m bench.device.readme [--check]`: puts the Cortex-M4 figures of bench/out/device.json into README.md.

With --check it writes nothing and fails if the table there is not that of the last measurement."""
import argparse
import json
import sys
from pathlib import Path

from bench.device.run import OUT
from ports.emulate import ROOT

README = ROOT / "README.md"
BEGIN, END = "<!-- table-begin -->", "<!-- table-end -->"
TARGET = "cortex-m4"
KINDS = {"pk": "public", "sym": "secret"}
COLUMNS = ("set", "key", "RAM fast", "RAM small", "M instructions fast", "M instructions small", "flash: tables + key",
           "bytes sent")


def table(records: list[dict]) -> str:
    """Markdown; one row for each set and kind of key, in the order of measurement."""
    cases = {record["case"]: record for record in records if record["target"] == TARGET}
    prefixes = dict.fromkeys(case.rsplit("-", 1)[0] for case in cases if case.endswith(("-fast", "-small")))
    rows = [COLUMNS, ("---", "---", *["---:"] * (len(COLUMNS) - 2))]
    rows += [row(prefix, cases[f"{prefix}-fast"], cases[f"{prefix}-small"]) for prefix in prefixes]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def row(prefix: str, fast: dict, small: dict) -> tuple[str, ...]:
    """Bytes in full, instructions in millions."""
    return (
        fast["set"],
        KINDS[prefix.rsplit("-", 1)[1]],
        f"{fast['ram_bytes']:,}",
        f"{small['ram_bytes']:,}",
        f"{fast['instructions'] / 1e6:.2f}",
        f"{small['instructions'] / 1e6:.2f}",
        f"{fast['flash_table_bytes'] + fast['flash_key_bytes']:,}",
        f"{fast['wire_bytes']:,}",
    )


def with_table(text: str, rows: str) -> str:
    """The text with the rows between the two marks; ValueError if a mark is missing."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"README.md: {BEGIN} or {END} is missing; the table goes between them")
    return f"{before}{BEGIN}\n\n{rows}\n\n{END}{after}"


def main() -> int:
    """Exit status 1 if the table is stale, 2 if there is nothing to show."""
    parser = argparse.ArgumentParser(prog="python3 -m bench.device.readme", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    try:
        written = README.read_text()
        fresh = with_table(written, table(json.loads(Path(OUT).read_text())))
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    if options.check and fresh != written:
        print("README.md: the table is stale; `make bench-device` rewrites it", file=sys.stderr)
        return 1
    if not options.check:
        README.write_text(fresh)
    return 0


if __name__ == "__main__":
    sys.exit(main())
