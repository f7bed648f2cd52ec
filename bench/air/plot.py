"""docs/measurements/bytes.svg, from the records of a run."""
from matplotlib import pyplot

from bench.air import page
from bench.plot_style import STYLE, grid, save
from ports.emulate import ROOT

OTHERS = ("float32", "seal")
COLOURS = {"ours": "#1f6f8b", "slots": "#6b9080", "others": "#e0a458"}


def draw(records: list[dict]) -> None:
    """A bar for each way to send a row, with its error."""
    ordered = page.ways_to_send_a_row(records)[::-1]
    with pyplot.rc_context(STYLE):
        figure, axes = pyplot.subplots(figsize=(8, 3.6), layout="constrained")
        lengths = [record["bytes_per_row"] for record in ordered]
        axes.barh([page.title(record) for record in ordered], lengths, color=[colour(record["case"]) for record in ordered])
        for at, record in enumerate(ordered):
            axes.annotate(f"{record['bytes_per_row']:,.0f} bytes, error {record['error']:.0e}", (record["bytes_per_row"], at),
                          textcoords="offset points", xytext=(4, 0), va="center", fontsize=8)
        axes.set(xscale="log", xlim=(50, 12_000), xlabel="bytes per row of 30 readings")
        grid(axes)
        save(figure, ROOT / "docs/measurements/bytes.svg")


def colour(case: str) -> str:
    """Coefficients, slots and others."""
    if any(other in case for other in OTHERS):
        return COLOURS["others"]
    return COLOURS["slots" if "slots" in case else "ours"]
