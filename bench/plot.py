"""Plots: SVG with text as text and the same bytes for the same figures, and the parts that several plots share.

matplotlib is imported when something is drawn, because the tables need nothing but Python itself."""
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

STYLE = {"svg.hashsalt": "isopod", "svg.fonttype": "none", "font.size": 9, "font.sans-serif": ["DejaVu Sans"],
         "axes.spines.top": False, "axes.spines.right": False}
OURS, THEIRS, SAND, GREEN, SLATE = "#1f6f8b", "#c05621", "#e0a458", "#6b9080", "#4a5568"


@contextmanager
def drawing(path: Path, *panels: int, **options) -> Iterator[tuple]:
    """The figure and its axes, one or `panels` (rows, columns); at the end the file is written without a date."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    with pyplot.rc_context(STYLE):
        figure, axes = pyplot.subplots(*panels, layout="constrained", **options)
        yield figure, axes
        figure.savefig(path, metadata={"Date": None, "Creator": None})


def grid(axes) -> None:
    """Draws faint lines behind the points."""
    axes.grid(color="#dddddd", linewidth=0.5)
    axes.set_axisbelow(True)


def title(axes, text: str, size: int = 10) -> None:
    """Writes a title above the left end."""
    axes.set_title(text, fontsize=size, loc="left")


def numbered(axes, points: list[tuple[float, float]], names: tuple, offset: tuple[int, int], **style) -> None:
    """Writes each name beside its point."""
    for name, point in zip(names, points):
        axes.annotate(str(name), point, textcoords="offset points", xytext=offset, **style)
