"""`python3 -m bench.paper.low-swap.generate [--check | --plot]`, from the root of the repository.

Writes README.md of this folder from paper.toml, crates/cost/tables and bench/out: bench.json (`isopod bench --out bench/out`) and
cost.json (`make bench-cost`). --plot also draws the figures (matplotlib). With --check it writes nothing and fails if the
report's own columns of README.md are not those of paper.toml."""
import argparse
import sys
import tomllib

from bench.document import ABSENT, filled, markdown

from .figures import FOUR, HERE, Figures, tables_of
from .plot import draw

README = HERE / "README.md"
OURS = {"encrypt": "fresh-public", "decrypt": "read"}


def number(value: float | str | None) -> str:
    """A number with three digits; a dash if it is missing."""
    if value in (None, ""):
        return ABSENT
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}" if value >= 1 else f"{value:.3f}"


def operations(table: dict) -> list[str]:
    """The operations of one of the report's tables."""
    return [name for name, cells in table.items() if isinstance(cells, list)]


def beside(figures: Figures, tables: list[dict], others: list[tuple]) -> str:
    """The report's tables of one scheme with other columns, a table for each degree."""
    parts = []
    for at, degree in enumerate(figures.paper["degrees"]):
        found = [(name, *(number(table[name][at]) for table in tables), *(number(column(degree, name)) for _, column in others))
                 for name in operations(tables[0])]
        printed = (f"Table {table['number']}, {table['machine']}" for table in tables)
        columns = ("operation", *printed, *(name for name, _ in others))
        parts.append(f"{tables[0]['scheme'].upper()}, n = {degree}, milliseconds:\n\n{markdown(columns, found)}")
    return "\n\n".join(parts)


def columns_here(figures: Figures, scheme: str) -> list[tuple]:
    """SEAL and Isopod on this machine."""
    def ours(degree: int, name: str) -> float | None:
        return figures.here("isopod", scheme, degree, OURS[name]) if name in OURS else None
    return [("SEAL here", lambda degree, name: figures.here("seal", scheme, degree, name)), ("Isopod here", ours)]


def pi(figures: Figures) -> str:
    """Tables 3 and 4, of the Raspberry Pi."""
    parts = []
    for number_of, scheme in ((3, "bfv"), (4, "ckks")):
        def model(degree: int, name: str, scheme: str = scheme) -> float | None:
            return figures.modelled("raspberry-pi-4", scheme, degree, name)
        columns = [("model, 64-bit", model), *columns_here(figures, scheme)]
        parts.append(beside(figures, tables_of(figures, (number_of,)), columns))
    return "\n\n".join(parts)


def cloud(figures: Figures) -> str:
    """Tables 5 to 10, of the cloud."""
    return "\n\n".join(beside(figures, tables_of(figures, numbers), columns_here(figures, scheme)[:1])
                       for numbers, scheme in (((5, 7, 9), "bfv"), ((6, 8, 10), "ckks")))


def objects(figures: Figures) -> str:
    """Table 11, and a fresh ciphertext of BFV in both libraries."""
    found = []
    for degree, printed in zip(figures.paper["degrees"], figures.paper["objects"]["bytes"]):
        sizes = [figures.here(side, "bfv", degree, operation, "bytes")
                 for side in ("seal", "isopod") for operation in ("send-public", "send-secret")]
        found.append((degree, f"{printed:,}", *(f"{size:,}" if size else ABSENT for size in sizes)))
    return markdown(("n", "report", "SEAL, public key", "SEAL, secret key", "Isopod, public key", "Isopod, secret key"), found)


def split(figures: Figures) -> str:
    """Figures 10 and 11, as a table."""
    base = tables_of(figures, (7,))[0]
    found = []
    for at, degree in enumerate(figures.paper["offloaded"]["degrees"]):
        for name in FOUR:
            operation = f"bfv {name}"
            cases = ("measured-loopback-fresh", "measured-loopback-kept", "offload-overhead-fresh", "offload-overhead")
            printed = (base[name][at + 2], figures.paper["offloaded"][name][at] / 1000)
            here = (figures.row(case, degree, operation) for case in cases)
            found.append((f"{name}, n = {degree}", *map(number, (*printed, *here))))
    return markdown(("operation", "report, local", "report, split", "split here, fresh", "split here, kept", "overhead, fresh",
                     "overhead, kept"), found)


def breakeven(figures: Figures) -> str:
    """Compares local computation on the modelled board with offloading."""
    found = []
    for degree in (4096, 8192, 16384, 32768):
        for name in FOUR:
            local, over = (figures.row(case, degree, f"bfv {name}")
                           for case in ("local-raspberry-pi-4", "offloaded-raspberry-pi-4-lan"))
            if local and over:
                winner = "offloading" if over < local else "the device"
                found.append((f"{name}, n = {degree}", number(local), number(over), winner))
    return markdown(("operation", "the device alone", "offloaded", "less time"), found)


def page(figures: Figures) -> str:
    """The text of README.md."""
    machine = figures.bench["machine"]
    return filled(HERE / "template.md", {
        "machine": machine["processor"], "seal": machine["libraries"][1].removeprefix("seal "),
        "megahertz": figures.boards["raspberry-pi-4"]["megahertz"], "tables_pi": pi(figures), "tables_cloud": cloud(figures),
        "objects": objects(figures), "split": split(figures), "breakeven": breakeven(figures)})


def unprinted() -> list[str]:
    """Rows of the report that README.md lacks."""
    text, paper = README.read_text(), tomllib.loads((HERE / "paper.toml").read_text())
    lines = [line.split(" | ") for line in text.splitlines()]
    found = {cells[0].strip("| "): [] for cells in lines}
    for cells in lines:
        found[cells[0].strip("| ")] += [cell.strip("| ") for cell in cells[1:]]
    return [f"Table {table['number']}: {name} {number(cell)}" for table in paper["table"] for name in operations(table)
            for cell in table[name] if number(cell) not in found.get(name, [])]


def main() -> None:
    """Writes the page, draws the figures, or checks the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only look whether the report's figures stand in README.md")
    parser.add_argument("--plot", action="store_true", help="draw the figures too")
    options = parser.parse_args()
    if options.check:
        missing = unprinted()
        sys.exit("\n".join(missing) if missing else 0)
    try:
        figures = Figures()
    except OSError as error:
        sys.exit(f"{error}; `make bench-cost` measures")
    README.write_text(page(figures))
    if options.plot:
        draw(figures)


if __name__ == "__main__":
    main()
