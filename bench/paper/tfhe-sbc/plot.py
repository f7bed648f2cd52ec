"""Draws plot.svg and memory.svg.

plot.svg has the time of one encryption of 1024 bits on the host, step by step, for the two generators and for Isopod.
memory.svg has memory and sent bytes of whole encryptions: the paper's on its board, and ours on a Cortex-M4."""
from bench.paper.measured import Figures
from bench.paper.printed import Printed
from bench.plot import OURS, SLATE, THEIRS, drawing, grid, title

from .tables import HERE, microseconds

STEPS = (("Gaussian", THEIRS), ("uniform", OURS), ("product", SLATE))
# Figures for 1024 bits; the last one is for a stream.
CASES = (("Isopod, public key", "tfhe-1024-pk"), ("Isopod, secret key", "tfhe-1024-sym"),
         ("Isopod, N = 2048, 16 bytes, stream", "tfhe-2048-sym-stream"))


def draw(figures: Figures, document: dict, tables: dict[str, Printed]) -> None:
    """Writes both files. Equal figures give equal bytes."""
    draw_memory(figures, tables["table1"])
    draw_time(figures)


def draw_memory(figures: Figures, table: Printed) -> None:
    """Draws bars on a logarithmic axis."""
    printed = [(row[1], table.cell(row, "RAM KiB"), table.cell(row, "KiB")) for row in table.rows if row[0] == 1024]
    records = [(name, figures.board(case)) for name, case in CASES]
    rows = printed + [(name, record["ram_bytes"] / 1024, record["wire_bytes"] / 1024) for name, record in records]
    with drawing(HERE / "memory.svg", figsize=(7, 2.8)) as (_, axes):
        places = range(len(rows))
        axes.barh([at - 0.2 for at in places], [row[1] for row in rows], height=0.38, color=OURS, label="RAM")
        axes.barh([at + 0.2 for at in places], [row[2] for row in rows], height=0.38, color=THEIRS, label="sent")
        axes.set(xscale="log", xlabel="KiB", yticks=list(places), yticklabels=[row[0] for row in rows])
        axes.invert_yaxis()
        finish(axes, "1024 bits: the paper on its board, Isopod on a Cortex-M4")


def draw_time(figures: Figures) -> None:
    """Draws the steps side by side, on a logarithmic axis."""
    with drawing(HERE / "plot.svg", figsize=(7, 2.6)) as (_, axes):
        bars = (("system generator, a read per word", "system"), ("fast generator", "fast"))
        for at, (_, generator) in enumerate(bars):
            left = 0.0
            for step, colour in STEPS:
                case = "product" if step == "product" else f"{step.lower()}-{generator}"
                width = microseconds(figures, case)
                axes.barh(at, width, left=left, color=colour, label=step if at == 0 else None)
                left += width
        axes.barh(2, microseconds(figures, "isopod-tuniform"), color="#2f855a", label="all of it, Isopod")
        axes.set(xscale="log", xlim=(1, 4000), xlabel="us, CPU time on the host", yticks=(0, 1, 2),
                 yticklabels=[name for name, _ in bars] + ["Isopod, TUniform(8)"])
        finish(axes, "1024 bits, N = 1024, q = 2^32")


def finish(axes, text: str) -> None:
    """Adds the grid, the legend and the title."""
    grid(axes)
    axes.legend(frameon=False, loc="lower right")
    title(axes, text)
