"""Draws plot.svg: RAM and time of whole encryptions, for SEAL-Embedded's configurations and for every number of chunks of
ours."""
from bench.paper.measured import Figures
from bench.paper.printed import Printed
from bench.plot import OURS, THEIRS, drawing, grid, numbered, title

from .tables import HERE, KINDS, PREFIX, microseconds

COLOURS = {"symmetric": OURS, "asymmetric": THEIRS}
NAMES = {"symmetric": "secret key", "asymmetric": "public key"}
CHUNKS = (1, 2, 4, 8)


def draw(figures: Figures, document: dict, tables: dict[str, Printed]) -> None:
    """Writes the file. Equal figures give equal bytes."""
    with drawing(HERE / "plot.svg", figsize=(7, 4.2)) as (_, axes):
        for key in KINDS:
            draw_theirs(axes, tables["table5"], key)
            draw_ours(axes, figures, key)
        axes.set(xscale="log", yscale="log", xlabel="RAM, KB (1024 bytes)", ylabel="ms at 64 MHz (ours: cycle model)",
                 xticks=(16, 32, 64, 128), xticklabels=("16", "32", "64", "128"), xlim=(12, 220),
                 yticks=(20, 50, 100, 200, 500, 1000, 2000), yticklabels=("20", "50", "100", "200", "500", "1000", "2000"))
        axes.minorticks_off()
        grid(axes)
        axes.legend(frameon=False, loc="center right")
        title(axes, "CKKS encode and encrypt, n = 4096, three 30-bit primes, Cortex-M4")


def draw_theirs(axes, table: Printed, key: str) -> None:
    """Draws three configurations, as the paper prints them."""
    rows = [row for row in table.rows if row[0] == key]
    axes.plot([table.cell(row, "RAM KB") for row in rows], [table.cell(row, "Cortex-M4 us") / 1000 for row in rows], "s",
              mfc="white", color=COLOURS[key], label=f"SEAL-Embedded, {NAMES[key]} (paper)")


def draw_ours(axes, figures: Figures, key: str) -> None:
    """Draws our points, each with its number of chunks."""
    records = [figures.board(f"{PREFIX}-surface-{KINDS[key]}-{chunks}") for chunks in CHUNKS]
    points = [(record["ram_bytes"] / 1024, microseconds(record) / 1000) for record in records]
    axes.plot(*zip(*points), "o-", color=COLOURS[key], label=f"Isopod, {NAMES[key]}, by chunks")
    numbered(axes, points, CHUNKS, (5, 4), color=COLOURS[key])
