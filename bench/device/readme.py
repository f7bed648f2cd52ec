"""`python3 -m bench.device.readme [--check]`: puts the Cortex-M4 figures of bench/out/device.json into README.md.

With --check it writes nothing and fails if the table there is not that of the last measurement: sizes to the byte,
instructions and times within 2 %."""
import argparse
import json
import sys
from pathlib import Path

from bench.device.cases import PLANS, SETS, ParameterSet, parameter_sets
from bench.device.run import OUT
from bench.device.tfhe_cases import TfheCase, tfhe_cases
from bench.freshness import stale
from ports.emulate import ROOT

README = ROOT / "README.md"
BEGIN, END = "<!-- table-begin -->", "<!-- table-end -->"
TARGET = "cortex-m4"
MEGAHERTZ = 64
KINDS = {"pk": "With a public key:", "sym": "With a secret key on the device (see SECURITY.md):"}
COLUMNS = ("set", "label", "RAM small", "RAM fast", "tables", "key", "bytes sent", "M instructions small", "fast",
           f"ms at {MEGAHERTZ} MHz, estimated, small", "fast")
TFHE_TITLE = "TFHE, one ciphertext, by secret key (`sym`, and `stream` without tables or a polynomial) and by public key (`pk`):"
TFHE_COLUMNS = ("case", "set", "label", "holds", "RAM", "tables", "key", "bytes sent", "M instructions",
                f"ms at {MEGAHERTZ} MHz, estimated")


def tables(records: list[dict]) -> str:
    """Markdown: one table for each kind of key, and one of TFHE."""
    cases = {record["case"]: record for record in records if record["target"] == TARGET}
    found = [f"{title}\n\n{table(cases, kind)}" for kind, title in KINDS.items()]
    return "\n\n".join([*found, f"{TFHE_TITLE}\n\n{tfhe_table(cases)}"])


def tfhe_table(cases: dict[str, dict]) -> str:
    """A row for every measured case; KeyError if its figures are missing."""
    rows = [TFHE_COLUMNS, (*["---"] * 4, *["---:"] * (len(TFHE_COLUMNS) - 4))]
    rows += [tfhe_row(case, cases[case.name]) for case in tfhe_cases()]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def tfhe_row(case: TfheCase, record: dict) -> tuple[str, ...]:
    """As row, with what the ciphertext holds."""
    holds = [f"{case.u8} u8"] * bool(case.u8) + [f"{case.bools:,} bits"] * bool(case.bools)
    sizes = (f"{record[field]:,}" for field in ("ram_bytes", "flash_table_bytes", "flash_key_bytes", "wire_bytes"))
    return (case.name, case.set.name, case.set.label, ", ".join(holds), *sizes, f"{record['instructions'] / 1e6:.2f}",
            f"{record['est_cycles'] / 1e3 / MEGAHERTZ:.1f}")


def table(cases: dict[str, dict], kind: str) -> str:
    """A row for every set that is measured whole, in the order of spec/params.toml; KeyError if its figures are missing."""
    rows = [COLUMNS, ("---", "---", *["---:"] * (len(COLUMNS) - 2))]
    prefixes = {name: prefix for prefix, name in SETS.items()}
    rows += [row(parameters, *(cases[f"{prefixes[name]}-{kind}-{plan}"] for plan in PLANS))
             for name, parameters in parameter_sets().items() if name in prefixes]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def row(parameters: ParameterSet, fast: dict, small: dict) -> tuple[str, ...]:
    """Bytes in full, instructions in millions, milliseconds by the cycle model."""
    return (
        parameters.name,
        parameters.label,
        f"{small['ram_bytes']:,}",
        f"{fast['ram_bytes']:,}",
        f"{fast['flash_table_bytes']:,}",
        f"{fast['flash_key_bytes']:,}",
        f"{fast['wire_bytes']:,}",
        f"{small['instructions'] / 1e6:.2f}",
        f"{fast['instructions'] / 1e6:.2f}",
        f"{small['est_cycles'] / 1e3 / MEGAHERTZ:.1f}",
        f"{fast['est_cycles'] / 1e3 / MEGAHERTZ:.1f}",
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
        fresh = with_table(written, tables(json.loads(Path(OUT).read_text())))
    except (OSError, ValueError, KeyError) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 2
    complaints = stale(written, fresh) if options.check else []
    if complaints:
        print("\n".join(["README.md: the table is stale; `make bench-device` rewrites it", *complaints]), file=sys.stderr)
        return 1
    if not options.check:
        README.write_text(fresh)
    return 0


if __name__ == "__main__":
    sys.exit(main())
