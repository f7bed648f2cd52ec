"""Draws figures-7-9.svg and figure-11.svg: the report's figures with ours in the same axes."""
from bench.plot import drawing, grid, title

from .figures import FOUR, HERE, Figures, tables_of

COLOURS = dict(zip(FOUR, ("#0072b2", "#d55e00", "#009e73", "#cc79a7")))
MACHINES = (("Raspberry Pi 4 (report)", (3, 4)), ("c5n_large (report)", (7, 8)))


def draw(figures: Figures) -> None:
    """Writes both files."""
    computation(figures)
    offloading(figures)


def computation(figures: Figures) -> None:
    """Draws figures 7 to 9 as one, with a panel for each scheme."""
    degrees = figures.paper["degrees"]
    with drawing(HERE / "figures-7-9.svg", 1, 2, figsize=(9, 4.4), sharey=True) as (figure, panels):
        for at, (axes, scheme) in enumerate(zip(panels, ("bfv", "ckks"))):
            for name in FOUR:
                for (machine, numbers), line in zip(MACHINES, ("-", "--")):
                    cells = tables_of(figures, (numbers[at],))[0][name]
                    axes.plot(degrees, cells, line, color=COLOURS[name], marker="o", markersize=3, label=f"{name}, {machine}")
                here = [figures.here("seal", scheme, degree, name) for degree in degrees]
                axes.plot(degrees, here, ":", color=COLOURS[name], marker="s", markersize=3, label=f"{name}, here")
            style(axes, degrees, scheme.upper())
        finish(figure, panels, fontsize=7)


def offloading(figures: Figures) -> None:
    """Draws figure 11, with a panel for each operation."""
    given, base = figures.paper["offloaded"], tables_of(figures, (7,))[0]
    with drawing(HERE / "figure-11.svg", 1, 4, figsize=(11, 3.4), sharey=True) as (figure, panels):
        for axes, name in zip(panels, FOUR):
            degrees = given["degrees"]
            axes.plot(degrees, base[name][2:], "o-", color="#888888", label="report, local")
            axes.plot(degrees, [value / 1000 for value in given[name]], "o--", color="#888888", label="report, split")
            for case, line, label in (("fresh", "s-", "split here, sent anew"), ("kept", "s--", "split here, sent before")):
                here = [figures.row(f"measured-loopback-{case}", degree, f"bfv {name}") for degree in degrees]
                axes.plot(degrees, here, line, color="#0072b2", label=label)
            style(axes, degrees, f"BFV {name}")
        finish(figure, panels)


def finish(figure, panels, **options) -> None:
    """Names the axes of all panels and puts one legend below them."""
    panels[0].set_ylabel("milliseconds")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False, **options)


def style(axes, degrees: list[int], name: str) -> None:
    """Sets logarithmic axes that show the degrees as plain numbers."""
    axes.set(xscale="log", yscale="log", xticks=degrees, xticklabels=[str(degree) for degree in degrees], xlabel="ring degree n")
    axes.minorticks_off()
    axes.tick_params(axis="x", labelsize=7)
    title(axes, name)
    grid(axes)
