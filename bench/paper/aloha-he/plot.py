"""lanes.svg: encryptions under a public key, cycles against multipliers and logic, of every configuration that was measured.

A point is on the Pareto front if no other of its panel is as good in both and better in one."""
from pathlib import Path

from matplotlib import pyplot

from bench.plot_style import STYLE, grid, save

HERE = Path(__file__).parent
AREAS = (("dsp", "DSP48E1"), ("lut", "LUT"), ("lc", "logic cells"))
OURS, THEIRS, FRONT = "#1f6f8b", "#c05621", "#4a5568"
# Work of an encryption in its own panel: degree and primes differ between the widths.
CASES = ((32, "ckks-4096x3-pk", "4096, three primes of 30 bits"), (54, "ckks-8192x3-pk", "8192, three primes of 54 bits"))


def draw(figures) -> None:
    """Writes the file; the same figures give the same bytes."""
    with pyplot.rc_context(STYLE):
        figure, panels = pyplot.subplots(len(CASES), len(AREAS), figsize=(9.6, 5.6), layout="constrained", sharey="row")
        for row, (width, case, title) in zip(panels, CASES):
            for axes, (area, label) in zip(row, AREAS):
                ours = points(figures, width, case, area)
                others = literature(figures, area) if width == 54 else {}
                panel(axes, ours, others)
                axes.set_xlabel(label)
            row[0].set_ylabel("cycles")
            row[0].set_title(f"n = {title}", fontsize=10, loc="left")
        save(figure, HERE / "lanes.svg")


def points(figures, width: int, case: str, area: str) -> dict[str, tuple[int, int]]:
    """Area and cycles of the configurations of a width for which both are known."""
    names = [name for name, chosen in figures.configurations.items() if int(chosen["ModulusWidth"]) == width]
    return {name: (figures.resources(name)[area], figures.cycles(name, case)) for name in names
            if figures.cycles(name, case) and area in figures.resources(name)}


def literature(figures, area: str) -> dict[str, tuple[int, int]]:
    """Aloha-HE with its stored twiddles: area as printed, but logic cells of our flow, and cycles of its whole system."""
    printed, core = figures.paper["table1"][0], figures.paper["open_flow"][-1]
    return {"Aloha-HE": ({"dsp": printed["dsp"], "lut": printed["lut"], "lc": core["lc"]}[area],
                         round(printed["encrypt"] * printed["mhz"] * 1000))}


def front(found: dict[str, tuple[int, int]]) -> list[str]:
    """Names on the Pareto front, by area."""
    def beaten(point: tuple[int, int]) -> bool:
        return any(other != point and other[0] <= point[0] and other[1] <= point[1] for other in found.values())
    return sorted((name for name, point in found.items() if not beaten(point)), key=found.get)


def panel(axes, ours: dict, others: dict) -> None:
    """Points with their names, the front as a line and filled."""
    together = {**ours, **others}
    best = front(together)
    axes.plot([together[name][0] for name in best], [together[name][1] for name in best], "--", color=FRONT, linewidth=0.8)
    for name, (area, cycles) in together.items():
        colour = THEIRS if name in others else OURS
        axes.plot(area, cycles, "o", markersize=5, color=colour, markerfacecolor=colour if name in best else "white")
        axes.annotate(name, (area, cycles), textcoords="offset points", xytext=(5, 4), fontsize=7)
    axes.set(yscale="log")
    axes.margins(x=0.25, y=0.15)
    grid(axes)
