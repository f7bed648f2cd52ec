"""plot.svg: time of one encryption of 1024 bits on the host, step by step, for the two generators and for Isopod."""
from pathlib import Path

from matplotlib import pyplot

from bench.plot_style import STYLE, grid, save

STEPS = (("Gaussian", "#c05621"), ("uniform", "#1f6f8b"), ("product", "#4a5568"))


def draw(figures) -> None:
    """Writes the file; the same figures give the same bytes."""
    with pyplot.rc_context(STYLE):
        figure, axes = pyplot.subplots(figsize=(7, 2.6), layout="constrained")
        bars = (("system generator, a read per word", "system"), ("fast generator", "fast"))
        for at, (_, generator) in enumerate(bars):
            left = 0.0
            for step, colour in STEPS:
                case = "product" if step == "product" else f"{step.lower()}-{generator}"
                width = figures.microseconds(case)
                axes.barh(at, width, left=left, color=colour, label=step if at == 0 else None)
                left += width
        axes.barh(2, figures.microseconds("isopod-tuniform"), color="#2f855a", label="all of it, Isopod")
        axes.set(xscale="log", xlim=(1, 4000), xlabel="us, CPU time on the host", yticks=(0, 1, 2),
                 yticklabels=[name for name, _ in bars] + ["Isopod, TUniform(8)"])
        grid(axes)
        axes.legend(frameon=False, loc="lower right")
        axes.set_title("1024 bits, N = 1024, q = 2^32", fontsize=10, loc="left")
        save(figure, Path(__file__).parent / "plot.svg")
