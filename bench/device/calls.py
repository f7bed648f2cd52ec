"""How long each call of a frame blocks, and what it draws from a battery: the record of a case of kind "calls", and
docs/measurements/tables/calls.md.

Cycles are those of the model of bench/counter for a Cortex-M4; nothing was measured on silicon. Energy is cycles by the current
that a data sheet documents for a processor that runs from flash."""
from bench.device import keys, linked, measure
from bench.device.cases import Case, packets
from bench.document import markdown
from bench.record import ROOT as REPOSITORY
from ports import emulate
from ports.emulate import BUILD, ROOT

PAGE = REPOSITORY / "docs/measurements/tables/calls.md"
PIECE_BYTES = 256
# nRF52840 Product Specification, "Current consumption", CPU running: CoreMark from flash at 64 MHz with DC/DC converter.
MEGAHERTZ, MILLIAMPERES, VOLTS = 64, 3.3, 3.0
CELL_JOULES = 225 * 3.6 * VOLTS  # CR2032: 225 mAh
COLUMNS = ("what is sent", "set", "call", "blocks for ms", "µJ", "calls from a CR2032, in millions")
CALLS = (("open_cycles", "`isopod_public_key_open`, once at start"), ("begin_cycles", "`begin`"),
         ("piece_cycles", f"`isopod_frame_next`, the longest of {PIECE_BYTES} bytes"), ("est_cycles", "the whole frame"))


def record(case: Case, target: str) -> dict:
    """One record of device.json, with the private fields. Instructions are those of all calls."""
    tables, key = measure.generate_tables(case.set.name), BUILD / "bench" / f"{case.set.name}-pk.key"
    keys.write(ROOT / key, case.set, "pk")
    rounded = {"DROPPED": ",".join(map(str, case.rounding.dropped))} if case.rounding else {}
    flags = measure.definitions({**measure.set_values(case), **rounded, "KEY_BYTES": keys.blob_bytes(case.set, "pk"),
                                 "CHUNKS": case.chunks, "PIECE_BYTES": PIECE_BYTES})
    elf = emulate.build_app(measure.PORT_OF[target], f"bench-{case.name}", ["bench/device/calls.c"], flags, (str(tables),))
    seen = measure.observe(elf, [str(key)], target)
    opened, begun, *pieces = emulate.cycles(measure.count_file(elf))
    return {"target": target, "case": case.name, "set": case.set.name, "kind": case.kind, "instructions": sum(seen.counts),
            "open_cycles": opened, "begin_cycles": begun, "piece_cycles": max(pieces), "est_cycles": begun + sum(pieces),
            "stack_bytes": seen.values["stack_bytes"], "ram_bytes": seen.values["ram_bytes"],
            "flash_table_bytes": linked.table_bytes(seen.kept, tables.stem), "text_bytes": linked.text_bytes(seen.kept),
            "flash_key_bytes": keys.blob_bytes(case.set, "pk"), "wire_bytes": seen.values["wire_bytes"], "digests": (),
            **measure.circumstances(case, target)}


def row(what: str, set_name: str, call: str, cycles: int) -> tuple[str, ...]:
    """A call: its time, its energy, and how many a coin cell pays for."""
    milliseconds = cycles / MEGAHERTZ / 1e3
    microjoules = milliseconds * MILLIAMPERES * VOLTS
    return what, set_name, call, f"{milliseconds:.2f}", f"{microjoules:.1f}", f"{CELL_JOULES / microjoules:.1f}"


def table(cases: dict[str, dict], frames: list[Case]) -> str:
    """The rows of packets, which are one call each, and of frames; KeyError if a figure is missing."""
    rows = []
    for case in (case for case in packets() if case.set.name.startswith("ckks")):
        what = f"{case.readings} reading{'s' * (case.readings > 1)}, {cases[case.name]['wire_bytes']} bytes"
        rows.append(row(what, case.set.name, "`isopod_packet_encrypt`", cases[case.name]["est_cycles"]))
    for case in frames:
        found = cases[case.name]
        layout = "rounded coefficients" if case.rounding else f"slots, {case.chunks} chunk{'s' * (case.chunks > 1)}"
        what = f"{layout}, {found['wire_bytes']:,} bytes"
        rows += [row(what, case.set.name, text, found[field]) for field, text in CALLS]
    return markdown(COLUMNS, rows, 3)
