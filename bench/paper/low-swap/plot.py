"""Draws figures-7-9.svg and figure-11.svg: the report's figures with ours in the same axes."""
from bench.paper.measured import Figures
from bench.paper.printed import Printed
from bench.plot import drawing, grid, title

from .tables import CASES, DEGREES, FOUR, HERE, SCHEMES, seal

COLOURS = dict(zip(FOUR, ("#0072b2", "#d55e00", "#009e73", "#cc79a7")))
MACHINES = (("Raspberry Pi 4 (report)", 0), ("c5n_large (report)", 2))


def draw(figures: Figures, document: dict, tables: dict[str, Printed]) -> None:
    """Writes both files."""
    computation(figures, tables)
    offloading(figures, tables)


def computation(figures: Figures, tables: dict[str, Printed]) -> None:
    """Draws figures 7 to 9 as one, with a panel for each scheme."""
    with drawing(HERE / "figures-7-9.svg", 1, 2, figsize=(9, 4.4), sharey=True) as (figure, panels):
        for axes, (scheme, places) in zip(panels, SCHEMES.items()):
            for name in FOUR:
                for (machine, at), line in zip(MACHINES, ("-", "--")):
                    cells = tables[places[at]].row(name)[1:]
                    axes.plot(DEGREES, cells, line, color=COLOURS[name], marker="o", markersize=3, label=f"{name}, {machine}")
                here = [seal(figures, scheme, degree, name) for degree in DEGREES]
                axes.plot(DEGREES, here, ":", color=COLOURS[name], marker="s", markersize=3, label=f"{name}, here")
            style(axes, DEGREES, scheme.upper())
        finish(figure, panels, fontsize=7)


def offloading(figures: Figures, tables: dict[str, Printed]) -> None:
    """Draws figure 11, with a panel for each operation."""
    given, base, degrees = tables["figure10"], tables["table7"], DEGREES[2:]
    with drawing(HERE / "figure-11.svg", 1, 4, figsize=(11, 3.4), sharey=True) as (figure, panels):
        for axes, name in zip(panels, FOUR):
            rows = [given.row(f"{degree} {name}") for degree in degrees]
            away = [(row[2] if row[3] == "-" else row[3]) / 1000 for row in rows]
            axes.plot(degrees, base.row(name)[3:], "o-", color="#888888", label="report, local")
            axes.plot(degrees, away, "o--", color="#888888", label="report, split")
            for case, line, label in (("fresh", "s-", "split here, sent anew"), ("kept", "s--", "split here, sent before")):
                here = [figures.of("cost", CASES[f"split here, {case}"], degree, f"bfv {name}") for degree in degrees]
                axes.plot(degrees, here, line, color="#0072b2", label=label)
            style(axes, degrees, f"BFV {name}")
        finish(figure, panels)


def finish(figure, panels, **options) -> None:
    """Names the axes of all panels and puts one legend below them."""
    panels[0].set_ylabel("milliseconds")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False, **options)


def style(axes, degrees: tuple[int, ...], name: str) -> None:
    """Sets logarithmic axes that show the degrees as plain numbers."""
    axes.set(xscale="log", yscale="log", xticks=degrees, xticklabels=[str(degree) for degree in degrees], xlabel="ring degree n")
    axes.minorticks_off()
    axes.tick_params(axis="x", labelsize=7)
    title(axes, name)
    grid(axes)
