"""`python3 -m bench.device.memory [--check | --plot]`: writes docs/measurements/tables/memory.md from the surface in
bench/out/device.json.

--plot also draws docs/measurements/memory.svg: RAM against instructions for every kind of key and position of the dial, a
panel for each set. With --check it writes nothing and fails if the table is stale."""
import sys
from pathlib import Path

from bench.device.cases import KINDS, SURFACE_CHUNKS, SURFACE_SETS, by_prefix
from bench.device.run import OUT
from bench.document import command, markdown, with_table
from bench.plot import GREEN, OURS, SAND, THEIRS, drawing, grid, numbered, title
from bench.record import ROOT, read

DOCUMENT = ROOT / "docs/measurements/tables/memory.md"
MARKS = BEGIN, END = "<!-- surface-begin -->", "<!-- surface-end -->"
RUNG_MARKS = "<!-- rungs-begin -->", "<!-- rungs-end -->"
# Tables of ckks-4096x3-multiply, and the case that encrypts with them by secret key with four chunks.
RUNGS = (("whole", "ckks-4096x3m-sym-small"), ("lean", "ckks-4096x3m-sym-small-lean"))
BUILT = "tables-4096x3"
NAMES = {"pk": "public", "pkseed": "public, seeded", "ternary": "secret, ternary", "sym": "secret, NTT"}
COLUMNS = ("key", "chunks", "RAM", "flash: tables", "flash: key", "M instructions", "of one chunk", "ms at 64 MHz, estimated")
PANELS = ("ckks-1024x1", "ckks-4096x3m", "ckks-8192x6m", "ckks-16384x13m")
COLOURS = {"pk": THEIRS, "pkseed": SAND, "ternary": GREEN, "sym": OURS}

Records = dict[str, dict]


def load() -> Records:
    """The Cortex-M4's records by case."""
    return {record["case"]: record for record in read(OUT) if record["target"] == "cortex-m4"}


def point(records: Records, prefix: str, kind: str, chunks: int) -> dict:
    """One point of the surface; KeyError if it was not measured."""
    return records[f"{prefix}-surface-{kind}-{chunks}"]


def table(records: Records, prefix: str) -> str:
    """All points of one set in Markdown."""
    rows = (row(records, prefix, kind, chunks) for kind in KINDS for chunks in SURFACE_CHUNKS)
    return f"### {by_prefix(prefix).name}\n\n{markdown(COLUMNS, rows)}"


def row(records: Records, prefix: str, kind: str, chunks: int) -> tuple[str, ...]:
    """Bytes in full; instructions also relative to one chunk."""
    record, whole = point(records, prefix, kind, chunks), point(records, prefix, kind, 1)
    sizes = (f"{record[name]:,}" for name in ("ram_bytes", "flash_table_bytes", "flash_key_bytes"))
    return (NAMES[kind], str(chunks), *sizes, f"{record['instructions'] / 1e6:.2f}",
            f"x {record['instructions'] / whole['instructions']:.2f}", f"{record['est_cycles'] / 64e3:.1f}")


def rungs(records: Records) -> str:
    """The flash of tables against instructions, down to no tables at all."""
    rows = [(name, f"{one['flash_table_bytes']:,}", f"{one['ram_bytes']:,}", f"{one['instructions'] / 1e6:.2f}", "-")
            for name, one in ((name, records[case]) for name, case in RUNGS)]
    one, encryption = records[BUILT], records[RUNGS[0][1]]
    rows.append(("built at start", f"0, and {one['text_bytes']:,} of code and constants",
                 f"{encryption['ram_bytes'] + one['ram_bytes']:,}", f"{encryption['instructions'] / 1e6:.2f}",
                 f"{one['instructions'] / 1e6:.2f}, {one['instructions_framed'] / 1e6:.2f} of it for the cosines"))
    return markdown(("tables", "flash", "RAM", "M instructions of an encryption", "M instructions at start"), rows)


def document(committed: str, records: Records) -> str:
    """The page with fresh tables; ValueError if a mark is missing."""
    return with_table(committed, "\n\n".join(table(records, prefix) for prefix in SURFACE_SETS), *MARKS)


def pages() -> dict[Path, str]:
    """The fresh page by its path."""
    records = load()
    return {DOCUMENT: with_table(document(DOCUMENT.read_text(), records), rungs(records), *RUNG_MARKS)}


def draw() -> None:
    """Writes the plot; the same records give the same bytes."""
    records = load()
    with drawing(ROOT / "docs/measurements/memory.svg", 2, 2, figsize=(8, 6.4)) as (figure, axes):
        for panel, prefix in zip(axes.flat, PANELS):
            draw_set(panel, records, prefix)
        figure.legend(*axes[0, 0].get_legend_handles_labels(), frameon=False, loc="outside upper center", ncols=4)
        figure.supxlabel("RAM, KB (1024 bytes)", fontsize=9)
        figure.supylabel("M instructions of one encryption, Cortex-M4", fontsize=9)


def draw_set(panel, records: Records, prefix: str) -> None:
    """Four lines of four points; two of the lines show the number of chunks at each point."""
    for kind in KINDS:
        chosen = [point(records, prefix, kind, chunks) for chunks in SURFACE_CHUNKS]
        points = [(record["ram_bytes"] / 1024, record["instructions"] / 1e6) for record in chosen]
        panel.plot(*zip(*points), "o-", markersize=4, color=COLOURS[kind], label=NAMES[kind])
        if kind in ("sym", "pkseed"):
            numbered(panel, points, SURFACE_CHUNKS, (4, 4), fontsize=8, color=COLOURS[kind])
    title(panel, by_prefix(prefix).name, 9)
    panel.margins(0.1)
    panel.set(xlim=(0, None), ylim=(0, None))
    panel.locator_params(nbins=5)
    grid(panel)


if __name__ == "__main__":
    sys.exit(command(__doc__, ("make bench-device", "make papers"), pages, draw))
