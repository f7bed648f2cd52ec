"""`python3 -m bench.device.cores [--quick] [--check] [--accept]`, from the root of the repository: measures encryptions on
every 32-bit microcontroller that bench.device.run does not measure.

Adds their records to bench/out/device.json, and writes docs/measurements/tables/cores.md and the table from which `isopod params
--board` knows these cores. --quick measures two encryptions on three cores and a packet on one. --check writes nothing and
compares the rows of the page with these records and with the last ones of bench.device.run on a Cortex-M4. The exit status is
that of bench.device.run; the budgets are in ports/budgets/*.toml."""
import argparse
import re
import sys
import tempfile
from pathlib import Path

from bench.device import avr, budget, checks, footprint, measure
from bench.device.budget import Budget
from bench.device.cases import BOARDS, Case, on_cores, small_packets
from bench.device.cost import TARGET
from bench.device.footprint import KEYS, layout
from bench.device.run import OUT, public, records_of
from bench.document import markdown, with_table
from bench.freshness import stale
from bench.record import ROOT, by_target, known, write
from ports.cores import BY_SLUG

PAGE = ROOT / "docs/measurements/tables/cores.md"
BUDGETS = ROOT / "ports/budgets"
TARGETS = ("cortex-m0plus", "cortex-m3", "cortex-m4", "cortex-m7", "cortex-m33", "cortex-m55", "rv32imc")
QUICK = ("ckks-1024x1-pk-small", "air-2048x1-pk-small")  # in slots and in coefficients, which link other code
QUICK_TARGETS = ("cortex-m0plus", "cortex-m4", "cortex-m55")  # two of them built by bench.device.run before
PACKET_TARGETS = ("cortex-m0plus", "rv32imc")
FOOTPRINTS = ROOT / "crates/cli/src/commands/parameters/footprints_of_cores.csv"
# Names of kernels that explain the figures of a core. Other cores show the name of their backend.
OF_THE_M4 = "the Cortex-M4's code, none of its own"
KERNELS = {"cortex-m7": OF_THE_M4, "cortex-m33": OF_THE_M4, "cortex-m55": "armv7em and Helium kernels"}
COLUMNS = ("set", "key", "layout", "chunks", "RAM: library", "readings", "frame", "stack", "in all", "flash: code", "tables",
           "key", "in all", "M instructions", "with frame and tag")
PACKET_COLUMNS = ("core", "readings", "RAM in all", "of it stack", "flash: code", "key", "bytes sent", "M instructions")
PACKET_TEXT = ("A packet of `ckks-1024x1-sum` ([packets](../../../spec/packet.md)) on the smallest cores. RAM is everything that "
               "the\nlibrary needs, stack included: less than 4 KB.\n")
AVR_COLUMNS = ("set", "key", "RAM: library", "readings", "frame", "stack", "constants", "in all", "flash", "M cycles",
               "with frame and tag")
AVR_TEXT = ("An 8-bit AVR with 16 KB of RAM: portable C, `avr-gcc -Os`, under `simavr`, with a hundred readings, eight chunks "
            "and lean\ntables. Constants, tables and key are in RAM, because an AVR keeps `const` data there. The simulator "
            "counts cycles, not\ninstructions.\n")


def row(case: Case, record: dict) -> tuple[str, ...]:
    """The row of one encryption. Readings lie beside the workspace."""
    name, count, size = layout(case)
    ram = (record["ram_bytes"], count * size, record["frame_bytes"], record["stack_bytes"])
    flash = (record["text_bytes"], record["flash_table_bytes"], record["flash_key_bytes"])
    sizes = (f"{number:,}" for number in (*ram, sum(ram), *flash, sum(flash)))
    counts = (f"{record[field] / 1e6:.2f}" for field in ("instructions", "instructions_framed"))
    return case.set.name, KEYS[case.kind], name, str(0 if case.rounding else case.chunks), *sizes, *counts


def section(target: str, records: dict[tuple[str, str], dict]) -> str:
    """The table of one core, with the encryptions that were measured."""
    rows = [row(case, records[target, case.name]) for case in on_cores() if (target, case.name) in records]
    core = BY_SLUG[target]
    return "\n".join([f"## {core.name}\n", f"`{core.flags}`, {KERNELS.get(target, f'{core.backend} kernels')}.\n",
                      markdown(COLUMNS, rows, 3)])


def packet_rows(records: dict[tuple[str, str], dict]) -> list[tuple[str, ...]]:
    """The rows of packets that were measured."""
    return [packet_row(case, records[target, case.name]) for target in PACKET_TARGETS for case in small_packets()
            if (target, case.name) in records]


def packet_row(case: Case, record: dict) -> tuple[str, ...]:
    """The row of a packet."""
    sizes = (f"{record[f'{field}_bytes']:,}" for field in ("ram", "stack", "text", "flash_key", "wire"))
    return BY_SLUG[record["target"]].name, str(case.readings), *sizes, f"{record['instructions'] / 1e6:.3f}"


def packet_section(records: dict[tuple[str, str], dict]) -> str:
    """The table of packets."""
    return "\n".join(["## Packets\n", PACKET_TEXT, markdown(PACKET_COLUMNS, packet_rows(records), 1)])


def avr_section(records: list[dict]) -> str:
    """The table of the 8-bit controller."""
    rows = [(record["set"], KEYS[record["kind"]], *(f"{size:,}" for size in avr_ram(record)), f"{sum(avr_ram(record)):,}",
             f"{record['text_bytes'] + record['constants_bytes']:,}", *(f"{record[field] / 1e6:.1f}" for field in avr.CYCLES))
            for record in records]
    return "\n".join(["## ATmega1284P\n", AVR_TEXT, markdown(AVR_COLUMNS, rows, 2)])


def avr_ram(record: dict) -> tuple[int, ...]:
    """The parts of the RAM, in bytes."""
    return tuple(record[f"{part}_bytes"] for part in ("ram", "values", "frame", "stack", "constants"))


def page(records: list[dict]) -> str:
    """docs/measurements/tables/cores.md with the tables of these records."""
    parts = [section(target, by_target(records)) for target in TARGETS]
    parts.append(packet_section(by_target(records)))
    return with_table(written(), "\n\n".join([*parts, avr_section([r for r in records if r["target"] == avr.TARGET])]))


def written() -> str:
    """The page as it is."""
    return PAGE.read_text()


def missing_rows(records: list[dict]) -> list[str]:
    """Rows of the page that differ from the records by more than bench/freshness.py allows."""
    found, complaints = by_target(records), []
    for target in sorted({record["target"] for record in records}):
        part = re.search(rf"^## {re.escape(BY_SLUG[target].name)}$.*?(?=^## |\Z)", written(), re.MULTILINE | re.DOTALL)
        for line in section(target, found).splitlines()[6:]:
            label = line.rsplit("| ", 10)[0]  # with the RAM of the library
            old = [one for one in (part[0] if part else "").splitlines() if one.startswith(label)]
            complaints += stale(old[0] if old else "no row", line)
    return complaints + missing_packets(found)


def missing_packets(records: dict[tuple[str, str], dict]) -> list[str]:
    """Rows of packets that differ from those of the page."""
    complaints = []
    for fresh in packet_rows(records):
        line = f"| {' | '.join(fresh)} |"
        old = [one for one in written().splitlines() if one.startswith(f"| {fresh[0]} | {fresh[1]} |")]
        complaints += stale(old[0] if old else "no row", line)
    return complaints


def budgets() -> list[Budget]:
    """The budget of each core. For a new core, --accept fills an empty file."""
    return [budget.load(BUDGETS / f"{target}.toml", target) for target in TARGETS]


def chosen(is_quick: bool) -> list[tuple[Case, str]]:
    """The cases and cores of a run."""
    if is_quick:
        cases = [case for case in on_cores() if case.name in QUICK]
        return [(case, target) for target in QUICK_TARGETS for case in cases] + [(small_packets()[0], PACKET_TARGETS[0])]
    return ([(case, target) for target in TARGETS for case in on_cores()]
            + [(case, target) for target in PACKET_TARGETS for case in small_packets()])


def measured(cases: list[tuple[Case, str]]) -> list[dict]:
    """The records of these cases on their cores."""
    measure.prepare()
    records = []
    for case, target in cases:
        records += records_of(case, target)
        print(f"{target} {case.name}: {records[-1]['instructions']:,} instructions", file=sys.stderr, flush=True)
    return records


def measured_avr() -> list[dict]:
    """The records of the 8-bit controller."""
    with tempfile.TemporaryDirectory(prefix="isopod-avr-") as folder:
        workshop = avr.Workshop(Path(folder))
        workshop.prepare()
        return [workshop.record(*case) for case in avr.CASES]


def of_run(records: list[dict]) -> list[dict]:
    """The records that bench.device.run made for the Cortex-M4, except for the cases measured here."""
    names = {case.name for case in on_cores()} - {case for target, case in by_target(records) if target == TARGET}
    return [record for record in known(OUT) if record["target"] == TARGET and record["case"] in names]


def keep(records: list[dict]) -> None:
    """Writes the records into device.json in place of older ones of the same cases, and the page."""
    fresh = by_target(public(records))
    write(OUT, [record for place, record in by_target(known(OUT)).items() if place not in fresh] + list(fresh.values()))
    PAGE.write_text(page(records))
    FOOTPRINTS.write_text(footprints(records))


def footprints(records: list[dict]) -> str:
    """The lines of `isopod params --board` for the cores that bench.device.footprint does not know."""
    found = by_target(records)
    lines = [footprint.line(case, found[target, case.name]) for target in TARGETS if target not in BOARDS for case in on_cores()]
    return "\n".join([",".join(footprint.COLUMNS), *lines]) + "\n"


def complaints_of(records: list[dict], complete: bool) -> list[str]:
    """Outputs that differ and budgets that are exceeded."""
    found = checks.differences(records)
    for core in budgets():
        found += budget.exceeded(core, core.limits, records) + budget.changes(core, records, 1)
        found += budget.gaps(core, records) if complete else []
    return found


def main() -> int:
    """Measures; exit status 1 for a complaint, 2 if it cannot measure."""
    parser = argparse.ArgumentParser(prog="python3 -m bench.device.cores", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help=f"only {' and '.join(QUICK)}, on three cores, and a packet")
    parser.add_argument("--check", action="store_true", help="write nothing, and compare rows of the page")
    parser.add_argument("--accept", action="store_true", help="write the budgets that the cores keep from now on")
    options = parser.parse_args()
    try:
        records = measured(chosen(options.quick))
        others = [] if options.quick else measured_avr()
    except (RuntimeError, ValueError, OSError) as error:
        print(f"cannot measure: {error}", file=sys.stderr)
        return 2
    if options.accept:
        for core in budgets():
            budget.accept(core, records, not options.quick)
    complaints = complaints_of(records, not options.quick)
    complaints += missing_rows(records + of_run(records)) if options.check else []
    if not options.check and not options.quick:
        keep(records + others)
    print("\n".join(complaints), file=sys.stderr)
    return int(bool(complaints))


if __name__ == "__main__":
    sys.exit(main())
