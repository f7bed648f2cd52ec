"""`python3 -m bench.device.cost [--check]`: writes the Cortex-M4's figures of bench/out/device.json to docs/cost.md, README.md,
and the sizes on both microcontrollers to the table of `isopod params --board`.

With --check it writes nothing and fails if a table differs from the last measurement: sizes to the byte, instructions and
times within 2 %."""
import sys
from pathlib import Path

from bench.device import footprint
from bench.device.cases import PLANS, SETS, ParameterSet, by_prefix, parameter_sets
from bench.device.run import OUT
from bench.device.tfhe_cases import TfheCase, tfhe_cases
from bench.document import command, markdown, with_table
from bench.record import ROOT, read

README, WHOLE = ROOT / "README.md", ROOT / "docs/cost.md"
TARGET = "cortex-m4"
MEGAHERTZ = 64
KINDS = {"pk": "With a public key:", "sym": "With a secret key on the device (see SECURITY.md):"}
COLUMNS = ("set", "label", "RAM small", "RAM fast", "tables", "key", "bytes sent", "M instructions without frame, small", "fast",
           "with frame and tag, small", "fast", f"ms at {MEGAHERTZ} MHz with frame, estimated, small", "fast")
TFHE_TITLE = "TFHE, one ciphertext, by secret key (`sym`, and `stream` without tables or a polynomial) and by public key (`pk`):"
TFHE_COLUMNS = ("case", "set", "label", "holds", "RAM", "tables", "key", "bytes sent", "M instructions without frame",
                "with frame and tag", f"ms at {MEGAHERTZ} MHz with frame, estimated")
# Rows of README.md: sets of each scheme and size, as (prefix, kind), in four chunks.
SELECTION = (("ckks-1024x1", "pk"), ("ckks-4096x2", "pk"), ("ckks-4096x2", "sym"), ("bfv-4096x3", "pk"))
TFHE_SELECTION = ("tfhe-1024-sym", "tfhe-2048-pk", "tfhe-2048-sym-stream")
SELECTION_COLUMNS = ("one ciphertext holds", "set", "key", "RAM", "bytes sent", "M instructions", "with frame", "ms, estimated")


def by_case(records: list[dict]) -> dict[str, dict]:
    """The Cortex-M4's records by case."""
    return {record["case"]: record for record in records if record["target"] == TARGET}


def selection(cases: dict[str, dict]) -> str:
    """README.md's table; KeyError if a figure is missing."""
    rows = [selected_row(by_prefix(prefix), kind, cases[f"{prefix}-{kind}-small"]) for prefix, kind in SELECTION]
    rows += [selected_tfhe_row(case, cases[case.name]) for case in tfhe_cases() if case.name in TFHE_SELECTION]
    return markdown(SELECTION_COLUMNS, rows, 3)


def selected_row(parameters: ParameterSet, kind: str, record: dict) -> tuple[str, ...]:
    """A row of README.md; a ring of degree n holds n integers or n/2 real numbers."""
    holds = (f"{parameters.ring_degree:,} integers" if parameters.scheme == "bfv"
             else f"{parameters.ring_degree // 2:,} real numbers")
    return (holds, parameters.name, "public" if kind == "pk" else "secret", *costs(record))


def selected_tfhe_row(case: TfheCase, record: dict) -> tuple[str, ...]:
    """A TFHE row of README.md; streaming is noted beside the key."""
    key = "public" if case.kind == "tfhe-pk" else "secret"
    return (holding(case), case.set.name, key if case.way(TARGET).transforms else f"{key}, streamed", *costs(record))


def costs(record: dict) -> tuple[str, ...]:
    """The last columns of a selected row."""
    return f"{record['ram_bytes']:,}", f"{record['wire_bytes']:,}", *instructions(record), milliseconds(record)


def instructions(record: dict) -> tuple[str, str]:
    """Millions of instructions, for the residues alone and with the frame and its tag."""
    return f"{record['instructions'] / 1e6:.2f}", f"{record['instructions_framed'] / 1e6:.2f}"


def milliseconds(record: dict) -> str:
    """Milliseconds with frame and tag, by the cycle model."""
    return f"{record['est_cycles_framed'] / 1e3 / MEGAHERTZ:.1f}"


def tables(cases: dict[str, dict]) -> str:
    """docs/cost.md's tables: one for each kind of key, and one of TFHE."""
    found = [f"{title}\n\n{table(cases, kind)}" for kind, title in KINDS.items()]
    return "\n\n".join([*found, f"{TFHE_TITLE}\n\n{tfhe_table(cases)}"])


def tfhe_table(cases: dict[str, dict]) -> str:
    """A row for every measured case; KeyError if its figures are missing."""
    return markdown(TFHE_COLUMNS, [tfhe_row(case, cases[case.name]) for case in tfhe_cases()], 4)


def tfhe_row(case: TfheCase, record: dict) -> tuple[str, ...]:
    """A TFHE row, with the values that the ciphertext holds."""
    sizes = (f"{record[field]:,}" for field in ("ram_bytes", "flash_table_bytes", "flash_key_bytes", "wire_bytes"))
    return (case.name, case.set.name, case.set.label, holding(case), *sizes, *instructions(record), milliseconds(record))


def holding(case: TfheCase) -> str:
    """The values that one ciphertext holds."""
    parts = [f"{case.u8} u8"] * bool(case.u8) + [f"{case.bools:,} bits"] * bool(case.bools)
    return ", ".join(parts)


def table(cases: dict[str, dict], kind: str) -> str:
    """A row for every set that is measured whole, in the order of spec/params.toml; KeyError if its figures are missing."""
    prefixes = {name: prefix for prefix, name in SETS.items()}
    rows = [row(parameters, *(cases[f"{prefixes[name]}-{kind}-{plan}"] for plan in PLANS))
             for name, parameters in parameter_sets().items() if name in prefixes]
    return markdown(COLUMNS, rows, 2)


def row(parameters: ParameterSet, fast: dict, small: dict) -> tuple[str, ...]:
    """Bytes in full, instructions in millions, milliseconds by the cycle model."""
    sizes = (fast[field] for field in ("ram_bytes", "flash_table_bytes", "flash_key_bytes", "wire_bytes"))
    return (parameters.name, parameters.label, f"{small['ram_bytes']:,}", *(f"{size:,}" for size in sizes),
            *(figure for both in zip(instructions(small), instructions(fast)) for figure in both),
            milliseconds(small), milliseconds(fast))


def fresh_documents(records: list[dict]) -> dict[Path, str]:
    """Both documents and the table, freshly generated; KeyError if a figure is missing, ValueError if a mark is."""
    cases = by_case(records)
    rows = {README: selection(cases), WHOLE: tables(cases)}
    documents = {path: with_table(path.read_text(), text) for path, text in rows.items()}
    return {**documents, footprint.FILE: footprint.table(records)}


if __name__ == "__main__":
    sys.exit(command(__doc__, ("make bench-device", "make bench-device"), lambda: fresh_documents(read(OUT))))
