"""Draws lanes.svg: cycles of encryptions under a public key against multipliers and logic, for every measured configuration.

A point is on the Pareto front if no other point of its panel is at least as good in both and better in one."""
from bench.paper.measured import Figures
from bench.paper.printed import Printed
from bench.plot import OURS, SLATE, THEIRS, drawing, grid, title
from rtl.sources import configurations

from .tables import HERE, STORED, clocks

AREAS = (("dsp", "DSP48E1"), ("lut", "LUT"), ("lc", "logic cells"))
# Work of an encryption in its own panel: degree and primes differ between the widths.
CASES = ((32, "ckks-4096x3-pk", "4096, three primes of 30 bits"), (54, "ckks-8192x3-pk", "8192, three primes of 54 bits"))


def draw(figures: Figures, document: dict, tables: dict[str, Printed]) -> None:
    """Writes the file. Equal figures give equal bytes."""
    with drawing(HERE / "lanes.svg", len(CASES), len(AREAS), figsize=(9.6, 5.6), sharey="row") as (_, panels):
        for row, (width, case, name) in zip(panels, CASES):
            for axes, (area, unit) in zip(row, AREAS):
                others = literature(document, tables["table1"], area) if width == 54 else {}
                panel(axes, points(figures, width, case, area), others)
                axes.set_xlabel(unit)
            row[0].set_ylabel("thousand cycles")
            title(row[0], f"n = {name}")


def points(figures: Figures, width: int, case: str, area: str) -> dict[str, tuple[int, float]]:
    """Area and thousands of cycles of the configurations of a width for which both are known."""
    names = [name for name, chosen in configurations().items() if int(chosen["ModulusWidth"]) == width]
    known = {name: (figures.of("rtl", name, "xc7", area), figures.of("rtl", name, case)) for name in names}
    return {name: (size, cycles / 1000) for name, (size, cycles) in known.items() if size and cycles}


def literature(document: dict, table: Printed, area: str) -> dict[str, tuple[int, float]]:
    """Aloha-HE with stored twiddles. Its area is as printed, but its logic cells come from our flow; its time covers the whole
    system, in thousands of cycles."""
    row, core = table.row(STORED), document["open_flow"][-1]
    size = core["lc"] if area == "lc" else table.cell(row, area.upper())
    return {"Aloha-HE": (size, clocks(row, table, "Encr. ms") / 1000)}


def front(found: dict[str, tuple[int, float]]) -> list[str]:
    """The names on the Pareto front, in the order of their area."""
    def beaten(point: tuple[int, float]) -> bool:
        return any(other != point and other[0] <= point[0] and other[1] <= point[1] for other in found.values())
    return sorted((name for name, point in found.items() if not beaten(point)), key=found.get)


def panel(axes, ours: dict, others: dict) -> None:
    """Draws points with their names, and the front as filled steps."""
    together = {**ours, **others}
    best = [together[name] for name in front(together)]
    axes.step([area for area, _ in best], [cycles for _, cycles in best], "--", where="post", color=SLATE, linewidth=0.8)
    for name, point in together.items():
        colour, leads = THEIRS if name in others else OURS, point in best
        axes.plot(*point, "o", markersize=5, color=colour, markerfacecolor=colour if leads else "white", zorder=2 + leads)
    label(axes, together)
    if together:
        frame(axes, together)
    grid(axes)


def label(axes, together: dict) -> None:
    """Writes one text for all points of similar height, ordered from left to right and from top to bottom, above the rightmost
    of them."""
    waiting = sorted(together, key=lambda name: together[name][1])
    while waiting:
        level = [name for name in waiting if together[name][1] < 1.1 * together[waiting[0]][1]]
        waiting = waiting[len(level):]
        level.sort(key=together.get)
        axes.annotate("\n".join(level), together[level[-1]], textcoords="offset points", xytext=(5, 4), fontsize=6)


def frame(axes, together: dict) -> None:
    """Starts the area at zero, and shows cycles on a logarithmic scale with plain numbers."""
    from matplotlib import ticker

    areas, heights = zip(*together.values())
    axes.set(yscale="log", xlim=(0, 1.35 * max(areas)), ylim=(0.7 * min(heights), 1.6 * max(heights)))
    axes.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(ticker.StrMethodFormatter("{x:g}"))
    axes.yaxis.set_minor_locator(ticker.NullLocator())
    axes.xaxis.set_major_locator(ticker.MaxNLocator(5))
    axes.xaxis.set_major_formatter(ticker.StrMethodFormatter("{x:,.0f}"))
