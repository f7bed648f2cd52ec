"""`python3 -m bench.air.plot`: draws docs/measurements/bytes.svg from the figures of docs/measurements/tables/bytes.md."""
from matplotlib import pyplot

from bench.air import page
from bench.plot_style import STYLE, save
from ports.emulate import ROOT

PLOT = ROOT / "docs/measurements/bytes.svg"
COLOURS = {"float32": "#9aa5ab", "SEAL": "#e0a458", "TenSEAL": "#e0a458", "slots": "#7fb7c4", "coefficients": "#1f6f8b"}


def draw(bars: list[tuple[str, str]]) -> None:
    """A bar for each way to send a reading, the fewest bytes on top."""
    with pyplot.rc_context(STYLE | {"font.size": 10, "axes.spines.bottom": False, "axes.spines.left": False}):
        figure, axes = pyplot.subplots(figsize=(8, 3.6), layout="constrained")
        ordered = bars[::-1]
        axes.barh([page.label(title) for title, _ in ordered], [float(length) for _, length in ordered], height=0.7,
                  color=[colour(title) for title, _ in ordered])
        for at, (_, length) in enumerate(ordered):
            axes.annotate(length, (float(length), at), textcoords="offset points", xytext=(4, 0), va="center")
        axes.set_title("Bytes on the air for one reading", loc="left", fontweight="bold")
        axes.tick_params(length=0)
        axes.set(xticks=[], xmargin=0.08)
        save(figure, PLOT)
        pyplot.close(figure)


def colour(title: str) -> str:
    """By the first word: coefficients, slots, others."""
    return COLOURS[title.partition(",")[0].partition(";")[0]]


if __name__ == "__main__":
    draw(page.published_bars())
