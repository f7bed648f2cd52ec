"""The style of all plots: SVG with text as text, reproducible bytes, and the grid."""
from pathlib import Path

import matplotlib

matplotlib.use("svg")
STYLE = {"svg.hashsalt": "isopod", "svg.fonttype": "none", "font.size": 9, "font.sans-serif": ["DejaVu Sans"],
         "axes.spines.top": False, "axes.spines.right": False}


def grid(axes) -> None:
    """Faint lines behind the points."""
    axes.grid(color="#dddddd", linewidth=0.5)
    axes.set_axisbelow(True)


def save(figure, path: Path) -> None:
    """Writes the figure without a date in the file."""
    figure.savefig(path, metadata={"Date": None, "Creator": None})
