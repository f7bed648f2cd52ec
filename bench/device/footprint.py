"""The sizes of encryptions as a table, from which `isopod params --board` judges whether a board has room. bench.device.cost
writes it.

There is one line for each case that encrypts on a microcontroller. All sizes are measured, except for the values: slots and
coefficients count as float32, integers as int32, bits and small integers of TFHE as a byte each."""
from bench.device.cases import BOARDS, KINDS, Case, all_cases
from bench.device.tfhe_cases import TfheCase
from bench.record import ROOT, by_target

FILE = ROOT / "crates/cli/src/commands/parameters/footprints.csv"
COLUMNS = ("core", "case", "set", "key", "layout", "chunks", "values", "library_ram", "values_ram", "frame_ram", "stack", "code",
           "tables", "key_bytes", "wire_bytes", "million_instructions")
KEYS = {"pk": "public", "pkseed": "public, half", "sym": "secret", "ternary": "secret, ternary", "tfhe-pk": "public",
        "tfhe-sym": "secret", "tfhe-stream": "secret, streamed"}


def is_listed(case: Case | TfheCase) -> bool:
    """True for an encryption with the default suite, the processor's own kernels and long tables. Rounded integers are left out:
    `isopod advise` does not know how many of them a sum holds."""
    if case.suite != "chacha20" or case.backend or case.name.startswith("air-bfv"):
        return False
    return isinstance(case, TfheCase) or (case.kind in KINDS and not case.lean)


def layout(case: Case | TfheCase) -> tuple[str, int, int]:
    """Layout, number of values, and the bytes of one."""
    if isinstance(case, TfheCase):
        return "bits", case.u8 + case.bools, 1
    if case.rounding:
        return "rounded", case.set.ring_degree, 4
    return ("integers", case.set.ring_degree, 4) if case.set.scheme == "bfv" else ("slots", case.set.ring_degree // 2, 4)


def line(case: Case | TfheCase, record: dict) -> str:
    """The line of one case on one processor; a cell with a comma is quoted."""
    name, count, size = layout(case)
    frame = record["ram_bytes_framed"] - record["ram_bytes"]
    cells = (record["target"], case.name, record["set"], f'"{KEYS[case.kind]}"', name, record.get("chunks", 1), count,
             record["ram_bytes"], count * size, frame, record["stack_bytes"], record["text_bytes"], record["flash_table_bytes"],
             record["flash_key_bytes"], record["wire_bytes"], f"{record['instructions_framed'] / 1e6:.2f}")
    return ",".join(map(str, cells))


def table(records: list[dict]) -> str:
    """All lines; cases that differ by name alone appear once. KeyError if a figure is missing."""
    found, lines, seen = by_target(records), [], set()
    for core in BOARDS:
        for case in filter(is_listed, all_cases()):
            point = (core, case.set.name, case.kind, getattr(case, "chunks", 0), getattr(case, "rounding", None))
            if core in case.targets and (isinstance(case, TfheCase) or point not in seen):
                seen.add(point)
                lines.append(line(case, found[core, case.name]))
    return "\n".join([",".join(COLUMNS), *lines]) + "\n"
