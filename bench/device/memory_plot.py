"""docs/measurements/memory.svg: RAM against instructions for every kind of key and position of the dial, a panel for each set."""
from matplotlib import pyplot

from bench.device.cases import KINDS, SURFACE_CHUNKS, by_prefix
from bench.device.memory import NAMES, Records, point
from bench.plot_style import STYLE, grid, save
from ports.emulate import ROOT

PANELS = ("ckks-1024x1", "ckks-4096x3m", "ckks-8192x6m", "ckks-16384x13m")
COLOURS = {"pk": "#c05621", "pkseed": "#e0a458", "ternary": "#6b9080", "sym": "#1f6f8b"}


def draw(records: Records) -> None:
    """Writes the file; the same records give the same bytes."""
    with pyplot.rc_context(STYLE):
        figure, axes = pyplot.subplots(2, 2, figsize=(8, 6.4), layout="constrained")
        for panel, prefix in zip(axes.flat, PANELS):
            draw_set(panel, records, prefix)
        figure.legend(*axes[0, 0].get_legend_handles_labels(), frameon=False, loc="outside upper center", ncols=4)
        figure.supxlabel("RAM, KB (1024 bytes)", fontsize=9)
        figure.supylabel("M instructions of one encryption, Cortex-M4", fontsize=9)
        save(figure, ROOT / "docs/measurements/memory.svg")


def draw_set(panel, records: Records, prefix: str) -> None:
    """Four lines of four points; the secret NTT key's are numbered by their chunks."""
    for kind in KINDS:
        chosen = [point(records, prefix, kind, chunks) for chunks in SURFACE_CHUNKS]
        points = [(record["ram_bytes"] / 1024, record["instructions"] / 1e6) for record in chosen]
        panel.plot(*zip(*points), "o-", markersize=4, color=COLOURS[kind], label=NAMES[kind])
        if kind in ("sym", "pkseed"):
            for chunks, where in zip(SURFACE_CHUNKS, points):
                panel.annotate(str(chunks), where, textcoords="offset points", xytext=(4, 4), fontsize=8,
                               color=COLOURS[kind])
    panel.set_title(by_prefix(prefix).name, fontsize=9, loc="left")
    panel.margins(0.1)
    panel.set(xlim=(0, None), ylim=(0, None))
    panel.locator_params(nbins=5)
    grid(panel)
