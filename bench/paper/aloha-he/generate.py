"""`.venv/bin/python -m bench.paper.aloha-he.generate [--check | --plot]`, from the root of the repository.

Writes README.md of this folder from paper.toml and bench/out/rtl.json; --plot also draws lanes.svg (matplotlib). With --check it
writes nothing and fails if README.md is stale by the rule of bench/freshness.py."""
import argparse
import json
import sys
import tomllib
from pathlib import Path

from bench.freshness import stale
from rtl.sources import configurations

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
ABSENT = "-"
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
        records = json.loads((ROOT / "bench/out/rtl.json").read_text())
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
    """A table in Markdown; numbers are whole, what is missing is a dash."""
    lines = [columns, ("---",) + ("---:",) * (len(columns) - 1), *(tuple(map(text, row)) for row in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def text(value) -> str:
    """A cell."""
    if value is None:
        return ABSENT
    return value if isinstance(value, str) else f"{value:,.0f}" if value == int(value) or value > 200 else f"{value:,.1f}"


def clocks(row: dict, case: str) -> float:
    """Cycles of the paper's milliseconds."""
    return round(row[case] * row["mhz"] * 10) * 100


def with_transfers(figures: Figures, config: str, case: str) -> int | None:
    """Cycles through isopod_system, or else of the engine alone."""
    return figures.cycles(config, f"{case}-dma") or figures.cycles(config, case)


def table1(figures: Figures) -> str:
    """Resources and cycles, theirs and ours."""
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
    """Blocks of both through the same flow."""
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
    """Our configurations of 54 bits."""
    rows = []
    for config in LANES:
        found = figures.resources(config)
        rows.append((f"`{config}`", *(found.get(part) for part in ("dsp", "lc", "ff", "bram")),
                     *(figures.cycles(config, case) for case in (TRANSFORM, PUBLIC, SECRET, DECRYPT, DECODE))))
    return table(("", "DSP", "LC", "FF", "BRAM36", "one NTT", "public key", "secret key", "decryption of a prime", "decoded"),
                 rows)


def after(figures: Figures) -> str:
    """An encryption that makes NTT(s) of one prime."""
    return text(figures.cycles(BESIDE, AFTER))


def literature(figures: Figures) -> str:
    """Lines of other engines."""
    rows = [(f"{row['work']}, {row['platform']}, {row['mhz']:,} MHz", row["primes"], clocks(row, "encrypt"),
             clocks(row, "decrypt")) for row in figures.paper["literature"]]
    return table(("", "modulus", "encryption, cycles", "decryption, cycles"), rows)


def document() -> str:
    """The template with the tables."""
    figures, page = Figures(), (HERE / "template.md").read_text()
    for maker in (after, table1, blocks, products, lanes, literature):
        page = page.replace(f"{{{{{maker.__name__}}}}}", maker(figures))
    return page


def main() -> int:
    """Exit status 1 if the page is stale, 2 if figures are missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--check", action="store_true")
    action.add_argument("--plot", action="store_true")
    options = parser.parse_args()
    try:
        fresh = document()
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"{type(error).__name__}: {error}; `make bench-rtl` measures", file=sys.stderr)
        return 2
    if options.check:
        complaints = stale((HERE / "README.md").read_text(), fresh)
        print("\n".join(complaints), file=sys.stderr)
        return int(bool(complaints))
    (HERE / "README.md").write_text(fresh)
    if options.plot:
        from .plot import draw
        draw(Figures())
    return 0


if __name__ == "__main__":
    sys.exit(main())
