"""`.venv/bin/python -m bench.paper.aloha-he.generate [--check | --plot]`, from the root of the repository.

Writes README.md of this folder from paper.toml and bench/out/rtl.json; --plot also draws lanes.svg (matplotlib). With --check it
writes nothing and fails if README.md is stale by the rule of bench/freshness.py."""
import sys
import tomllib
from pathlib import Path

from bench.document import ABSENT, command, filled, markdown
from bench.record import OUT, read
from rtl.sources import configurations

from .plot import draw

HERE = Path(__file__).parent
# The whole client, and its multiplier.
BESIDE, BLOCK = "w54p4", "montgomery-w54"
LANES = ("w54p1", BESIDE, "w54p4-bfv", "w54p8")
PUBLIC, SECRET, DECRYPT, DECODE = "ckks-8192x3-pk", "ckks-8192x3-sym", "ckks-8192-prime-decrypt", "ckks-8192x3-decrypt"
TRANSFORM = "ntt-8192"
AFTER = "ckks-8192x3-sym-after-decrypt-dma"


class Figures:
    """The paper's figures and the records of our measurements."""

    def __init__(self):
        self.paper = tomllib.loads((HERE / "paper.toml").read_text())
        records = read(OUT / "rtl.json")
        self.measured = {(record["config"], record["case"]): record["cycles"] for record in records if "case" in record}
        self.mapped = {record["config"]: record for record in records if record.get("flow") == "xc7"}
        self.configurations = configurations()

    def cycles(self, config: str, case: str) -> int | None:
        """Cycles of a case; None if it was not measured."""
        return self.measured.get((config, case))

    def resources(self, config: str) -> dict:
        """Our mapping to 7-series; empty if it was not made."""
        return self.mapped.get(config, {})


def table(columns: tuple[str, ...], rows: list[tuple]) -> str:
    """A table in Markdown. Small numbers have a decimal, and a missing number is a dash."""
    return markdown(columns, [tuple(map(text, row)) for row in rows])


def text(value) -> str:
    """The text of a cell."""
    if value is None:
        return ABSENT
    return value if isinstance(value, str) else f"{value:,.0f}" if value == int(value) or value > 200 else f"{value:,.1f}"


def clocks(row: dict, case: str) -> float:
    """The cycles in the milliseconds that the paper gives."""
    return round(row[case] * row["mhz"] * 10) * 100


def with_transfers(figures: Figures, config: str, case: str) -> int | None:
    """Cycles through isopod_system, or of the engine alone if the system was not measured."""
    return figures.cycles(config, f"{case}-dma") or figures.cycles(config, case)


def table1(figures: Figures) -> str:
    """Resources and cycles, the paper's beside ours."""
    rows = [(f"{row['work']}, {row['platform']}", row["dsp"], row["lut"], row["reg"], row["bram"], clocks(row, "ntt"),
             clocks(row, "encrypt"), clocks(row, "decrypt"), None)
            for row in figures.paper["table1"]]
    found = figures.resources(BESIDE)
    rows.append((f"ours, `{BESIDE}`, xc7", *(found.get(name) for name in ("dsp", "lut", "ff", "bram")),
                 3 * figures.cycles(BESIDE, TRANSFORM),
                 *(with_transfers(figures, BESIDE, case) for case in (PUBLIC, DECODE, SECRET))))
    return table(("", "DSP", "LUT", "FF", "BRAM36", "three NTTs", "encryption, public key", "decryption and decoding",
                  "encryption, secret key"), rows)


def blocks(figures: Figures) -> str:
    """The blocks of both designs, through the same flow."""
    rows = [(f"Aloha-HE: {row['block']}", row["dsp"], row["lc"], row["ff"], None) for row in figures.paper["open_flow"]]
    for name, config in (("multiplication modulo q, 54 bits", BLOCK), (f"engine `{BESIDE}`, whole", BESIDE)):
        found = figures.resources(config)
        rows.append((f"ours: {name}", *(found.get(part) for part in ("dsp", "lc", "ff", "bram"))))
    return table(("", "DSP", "LC", "FF", "BRAM36"), rows)


def products(figures: Figures) -> str:
    """Area times cycles of both operations, in millions."""
    theirs, core = figures.paper["table1"][0], figures.paper["open_flow"][-1]
    found, rows = figures.resources(BESIDE), []
    for operation, time, case in (("encryption", "encrypt", PUBLIC), ("decryption", "decrypt", DECODE)):
        for name, area, ours in (("DSP", theirs["dsp"], found["dsp"]), ("LC of the open flow", core["lc"], found["lc"]),
                                 ("BRAM36", theirs["bram"], found["bram"])):
            before, after = area * clocks(theirs, time) / 1e6, ours * with_transfers(figures, BESIDE, case) / 1e6
            rows.append((f"{operation}, {name}", before, after, f"{before / after:.1f}x"))
    return table(("millions", "Aloha-HE", "ours", "theirs / ours"), rows)


def lanes(figures: Figures) -> str:
    """Our configurations with 54-bit words."""
    rows = []
    for config in LANES:
        found = figures.resources(config)
        rows.append((f"`{config}`", *(found.get(part) for part in ("dsp", "lc", "ff", "bram")),
                     *(figures.cycles(config, case) for case in (TRANSFORM, PUBLIC, SECRET, DECRYPT, DECODE))))
    return table(("", "DSP", "LC", "FF", "BRAM36", "one NTT", "public key", "secret key", "decryption of a prime", "decoded"),
                 rows)


def after(figures: Figures) -> str:
    """Cycles of an encryption that first makes NTT(s) of one prime."""
    return text(figures.cycles(BESIDE, AFTER))


def literature(figures: Figures) -> str:
    """Rows of other engines from the literature."""
    rows = [(f"{row['work']}, {row['platform']}, {row['mhz']:,} MHz", row["primes"], clocks(row, "encrypt"),
             clocks(row, "decrypt")) for row in figures.paper["literature"]]
    return table(("", "modulus", "encryption, cycles", "decryption, cycles"), rows)


def pages() -> dict[Path, str]:
    """The template with the tables."""
    figures, makers = Figures(), (after, table1, blocks, products, lanes, literature)
    return {HERE / "README.md": filled(HERE / "template.md", {maker.__name__: maker(figures) for maker in makers})}


if __name__ == "__main__":
    sys.exit(command(__doc__, ("make bench-rtl",) * 2, pages, lambda: draw(Figures())))
