"""`python3 -m bench.device.cost [--check]`: writes the Cortex-M4's figures of bench/out/device.json to README.md,
docs/measurements/cost.md and docs/measurements/tables/{sets,calls}.md, and the sizes on both microcontrollers to the table of
`isopod params --board`.

With --check it writes nothing and fails if a table differs from the last measurement: sizes to the byte, instructions and
times within 2 %."""
import sys
from pathlib import Path

from bench.device import calls, footprint
from bench.device.cases import PLANS, ROUNDED_SETS, SETS, Case, ParameterSet, by_prefix, parameter_sets, rounded, rounded_integers
from bench.device.cases import calls as call_cases
from bench.device.run import OUT
from bench.device.tfhe_cases import TfheCase, tfhe_cases
from bench.document import command, markdown, with_table
from bench.record import ROOT, read

README, COST, WHOLE = ROOT / "README.md", ROOT / "docs/measurements/cost.md", ROOT / "docs/measurements/tables/sets.md"
TARGET = "cortex-m4"
MEGAHERTZ = 64
KINDS = {"pk": "With a public key:", "sym": "With a secret key on the device (see SECURITY.md):"}
COLUMNS = ("set", "label", "RAM small", "RAM fast", "tables", "key", "bytes sent", "M instructions without frame, small", "fast",
           "with frame and tag, small", "fast", f"ms at {MEGAHERTZ} MHz with frame, estimated, small", "fast")
TFHE_TITLE = "TFHE, one ciphertext, by secret key (`sym`, and `stream` without tables or a polynomial) and by public key (`pk`):"
TFHE_COLUMNS = ("case", "set", "label", "holds", "RAM", "tables", "key", "bytes sent", "M instructions without frame",
                "with frame and tag", f"ms at {MEGAHERTZ} MHz with frame, estimated")
ROUNDED_TITLE = ("Rounded coefficients, one ciphertext of rows of 30 readings, by secret key and by public key (`small`: in half "
                 "the memory):")
ROUNDED_COLUMNS = ("set", "key", "readings", "RAM", "tables", "key in flash", "bytes sent", "M instructions without frame",
                   "with frame and tag", f"ms at {MEGAHERTZ} MHz with frame, estimated")
# Rows of docs/measurements/cost.md: every set of label 128 in its smallest memory, by both keys, those that end in -air first; of
# TFHE the cases of each set.
SUMMARY_COLUMNS = ("one ciphertext holds", "set", "RAM: public key", "secret key", "bytes sent: public key", "secret key",
                   "M instructions: public key", "secret key")
TFHE_PAIRS = (("tfhe-1024-pk", "tfhe-1024-sym"), ("tfhe-2048-pk", "tfhe-2048-sym"))
# Rows of README.md: sets of each scheme and size, as (prefix, kind), in the smallest memory.
SELECTION = (("air-2048x1", "pk"), ("air-2048x1", "sym"), ("ckks-4096x2", "pk"), ("ckks-4096x2", "sym"), ("bfv-4096x3", "pk"))
TFHE_SELECTION = ("tfhe-1024-sym", "tfhe-2048-pk", "tfhe-2048-sym-stream")
SELECTION_COLUMNS = ("one ciphertext holds", "set", "key", "RAM", "bytes sent", "M instructions", "with frame", "ms, estimated")


def by_case(records: list[dict]) -> dict[str, dict]:
    """The Cortex-M4's records by case."""
    return {record["case"]: record for record in records if record["target"] == TARGET}


def selection(cases: dict[str, dict]) -> str:
    """README.md's table; KeyError if a figure is missing."""
    rows = [selected_row(prefix, kind, cases[smallest(prefix, kind)]) for prefix, kind in SELECTION]
    rows += [selected_tfhe_row(case, cases[case.name]) for case in tfhe_cases() if case.name in TFHE_SELECTION]
    return markdown(SELECTION_COLUMNS, rows, 3)


def smallest(prefix: str, kind: str) -> str:
    """The case of a set and a kind of key that takes the least memory; a secret key has one for rounded coefficients."""
    return f"{prefix}-{kind}" if prefix in ROUNDED_SETS and kind == "sym" else f"{prefix}-{kind}-small"


def holds(prefix: str) -> str:
    """The values of a ciphertext: in slots n integers or n/2 real numbers, in coefficients whole rows of 30."""
    parameters = by_prefix(prefix)
    kind = "integers" if parameters.scheme == "bfv" else "real numbers"
    count = parameters.ring_degree // 2 if parameters.scheme == "ckks" else parameters.ring_degree
    return f"{parameters.ring_degree // 30 * 30 if prefix in ROUNDED_SETS else count:,} {kind}"


def selected_row(prefix: str, kind: str, record: dict) -> tuple[str, ...]:
    """A row of README.md."""
    return (holds(prefix), by_prefix(prefix).name, "public" if kind == "pk" else "secret", *costs(record))


def summary(cases: dict[str, dict]) -> str:
    """docs/measurements/cost.md's table; KeyError if a figure is missing."""
    prefixes = {name: prefix for prefix, name in (SETS | ROUNDED_SETS).items()}
    chosen = [entry for entry in parameter_sets().values() if entry.name in prefixes and entry.label == "128"]
    chosen.sort(key=lambda entry: (entry.scheme == "bfv", not entry.name.endswith("-air")))
    rows = [(holds(prefixes[entry.name]), entry.name,
              *both(*(cases[smallest(prefixes[entry.name], kind)] for kind in KINDS))) for entry in chosen]
    found = {case.name: case for case in tfhe_cases()}
    rows += [(holding(found[public]), found[public].set.name, *both(cases[public], cases[secret]))
             for public, secret in TFHE_PAIRS]
    return markdown(SUMMARY_COLUMNS, rows, 2)


def both(public: dict, secret: dict) -> tuple[str, ...]:
    """RAM, bytes and instructions with frame and tag, by each key."""
    sizes = (f"{record[field]:,}" for field in ("ram_bytes", "wire_bytes") for record in (public, secret))
    return (*sizes, *(instructions(record)[1] for record in (public, secret)))


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
    """docs/measurements/tables/sets.md's tables: rounded coefficients, slots for each kind of key, and TFHE."""
    found = [f"{title}\n\n{table(cases, kind)}" for kind, title in KINDS.items()]
    return "\n\n".join([f"{ROUNDED_TITLE}\n\n{rounded_table(cases)}", *found, f"{TFHE_TITLE}\n\n{tfhe_table(cases)}"])


def rounded_table(cases: dict[str, dict]) -> str:
    """A row for every measured case of rounded coefficients; KeyError if its figures are missing."""
    return markdown(ROUNDED_COLUMNS, [rounded_row(case, cases[case.name]) for case in (*rounded(), *rounded_integers())], 2)


def rounded_row(case: Case, record: dict) -> tuple[str, ...]:
    """Rounded coefficients of one set, key and method."""
    key = {"sym": "secret", "pk": "public"}[case.kind] + (", small" if case.name.endswith("small") else "")
    readings = case.set.ring_degree // case.rounding.columns * case.rounding.columns
    sizes = (f"{record[field]:,}" for field in ("ram_bytes", "flash_table_bytes", "flash_key_bytes", "wire_bytes"))
    return (case.set.name, key, f"{readings:,}", *sizes, *instructions(record), milliseconds(record))


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
    """The documents and the table, freshly generated; KeyError if a figure is missing, ValueError if a mark is."""
    cases = by_case(records)
    rows = {README: selection(cases), COST: summary(cases), WHOLE: tables(cases), calls.PAGE: calls.table(cases, call_cases())}
    documents = {path: with_table(path.read_text(), text) for path, text in rows.items()}
    return {**documents, footprint.FILE: footprint.table(records)}


if __name__ == "__main__":
    sys.exit(command(__doc__, ("make bench-device", "make bench-device"), lambda: fresh_documents(read(OUT))))
