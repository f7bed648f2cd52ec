"""Our figures beside Table I of Aloha-HE, and the tables that the paper does not have."""
from pathlib import Path

from bench.document import ABSENT, markdown
from bench.paper.measured import Figures
from bench.paper.printed import Ours, Printed

PAGES = {"README.md": "template.md"}
HERE = Path(__file__).parent
# The whole client, and its multiplier.
BESIDE, BLOCK = "w54p4", "montgomery-w54"
NARROW, LARGE, TRANSFORM = "w32p4", "w32p4-16384", "transform"
LANES = ("w54p1", BESIDE, "w54p4-bfv", "w54p8")
PUBLIC, SECRET, DECRYPT, DECODE = "ckks-8192x3-pk", "ckks-8192x3-sym", "ckks-8192-prime-decrypt", "ckks-8192x3-decrypt"
AREA = ("dsp", "lut", "ff", "bram")
AFTER = "ckks-8192x3-sym-after-decrypt-dma"
STORED = "Aloha-HE, twiddles stored Kintex-7, 200 MHz"
OPEN = "7-series, open flow"
PARTS = (("DSP", "dsp"), ("LUT", "lut"), ("REG", "ff"), ("BRAM", "bram"))


def text(value) -> str:
    """The text of a cell: a dash if it is missing, and a decimal for small numbers."""
    if value is None:
        return ABSENT
    return value if isinstance(value, str) else f"{value:,.0f}" if value == int(value) or value > 200 else f"{value:,.1f}"


def table(columns: tuple[str, ...], rows: list[tuple]) -> str:
    """A table in Markdown."""
    return markdown(columns, [tuple(map(text, row)) for row in rows])


def cycles(figures: Figures, config: str, case: str) -> int | None:
    """Cycles of a case through isopod_system, or of the engine alone if the system was not measured."""
    return figures.of("rtl", config, f"{case}-dma") or figures.of("rtl", config, case)


def resources(figures: Figures, config: str, names: tuple[str, ...]) -> list[float | None]:
    """Our mapping to 7-series."""
    return [figures.of("rtl", config, "xc7", name) for name in names]


def clocks(row: tuple, printed: Printed, column: str) -> int | None:
    """Cycles in the printed milliseconds; None for a dash."""
    value, platform = printed.cell(row, column), printed.cell(row, "platform")
    number, unit = platform.rpartition(", ")[2].split()
    megahertz = float(number) * {"MHz": 1, "GHz": 1000}[unit]
    return None if value == "-" else round(float(value) * megahertz * 10) * 100


def row(figures: Figures, name: str, area: str, of: tuple[int, str], measured: tuple) -> tuple:
    """A row of ours: the design whose area it is, `of` degree and primes, and its cycles as the table orders them."""
    dsp, lut, ff, bram = resources(figures, area, AREA)
    return (name, OPEN, *map(text, (*of, lut, ff, dsp, bram)), *[ABSENT] * 5, *map(text, measured))


def table1(figures: Figures, printed: Printed) -> Ours:
    """Cycles beside every row, and rows of our engine and library."""
    cells = tuple(tuple(text(clocks(one, printed, column)) for column in ("NTT ms", "Encr. ms", "Decr. ms")) + (ABSENT,)
                  for one in printed.rows)
    ntt = figures.of("rtl", BESIDE, "ntt-8192")
    narrow = figures.of("rtl", NARROW, "ntt-4096")
    rows = [row(figures, f"ours, `{BESIDE}`", BESIDE, (8192, "3x54 bit"),
                (3 * ntt, *(cycles(figures, BESIDE, case) for case in (PUBLIC, DECODE, SECRET)))),
            row(figures, f"ours, `{NARROW}`", NARROW, (4096, "3x30 bit"),
                (narrow, figures.of("rtl", NARROW, "ckks-4096x3-pk"), None, figures.of("rtl", NARROW, "ckks-4096x3-sym"))),
            row(figures, f"ours, transform of `{NARROW}`", TRANSFORM, (4096, "30 bit"), (narrow, None, None, None)),
            row(figures, f"ours, `{LARGE}`", LARGE, (8192, "6x30 bit"),
                (None, figures.of("rtl", LARGE, "ckks-8192x6-pk"), None, figures.of("rtl", LARGE, "ckks-8192x6-sym")))]
    software = [f"{figures.of('host', 'ckks-8192x6-pk', name) / 1000:.3f}" for name in ("ours_us", "peer_us")]
    rows += [(name, "x86-64, this machine", "8,192", "6x30 bit", *[ABSENT] * 7, took, ABSENT, *[ABSENT] * 4)
             for name, took in zip(("our library", "SEAL, under the same primes"), software)]
    names = ("NTT, cycles", "encryption, cycles", "decryption, cycles", "encryption by secret key, cycles")
    return Ours(names, cells, tuple(rows), converted=names)


def blocks(figures: Figures, document: dict) -> str:
    """The blocks of both designs, through the same flow."""
    rows = [(f"Aloha-HE: {one['block']}", one["dsp"], one["lc"], one["ff"], None) for one in document["open_flow"]]
    rows += [(f"ours: {name}", *resources(figures, config, ("dsp", "lc", "ff", "bram")))
             for name, config in (("multiplication modulo q, 54 bits", BLOCK), (f"engine `{BESIDE}`, whole", BESIDE))]
    return table(("", "DSP", "LC", "FF", "BRAM36"), rows)


def products(figures: Figures, document: dict, printed: Printed) -> str:
    """Every resource times the cycles of both operations, in millions."""
    theirs, core, rows = printed.row(STORED), document["open_flow"][-1], []
    areas = [(name, printed.cell(theirs, name), figures.of("rtl", BESIDE, "xc7", ours)) for name, ours in PARTS]
    areas.append(("LC of the open flow", core["lc"], figures.of("rtl", BESIDE, "xc7", "lc")))
    for operation, column, case in (("encryption", "Encr. ms", PUBLIC), ("decryption", "Decr. ms", DECODE)):
        before, after = clocks(theirs, printed, column), cycles(figures, BESIDE, case)
        rows += [(f"{operation}, {name}", one * before / 1e6, other * after / 1e6, f"{one / other:.2f}x",
                  f"{one * before / (other * after):.2f}x") for name, one, other in areas]
    return table(("millions", "Aloha-HE", "ours", "area alone, theirs / ours", "area x cycles, theirs / ours"), rows)


def lanes(figures: Figures) -> str:
    """Our configurations with 54-bit words."""
    rows = [(f"`{config}`", *resources(figures, config, ("dsp", "lc", "ff", "bram")),
             *(figures.of("rtl", config, case) for case in ("ntt-8192", PUBLIC, SECRET, DECRYPT, DECODE))) for config in LANES]
    return table(("", "DSP", "LC", "FF", "BRAM36", "one NTT", "public key", "secret key", "decryption of a prime", "decoded"),
                 rows)


OURS = {"table1": table1}


def others(figures: Figures, document: dict, tables: dict[str, Printed], given: dict[str, Ours]) -> dict[str, str]:
    """The tables and numbers that the paper does not have."""
    return {"blocks": blocks(figures, document), "products": products(figures, document, tables["table1"]),
            "lanes": lanes(figures), "after": text(figures.of("rtl", BESIDE, AFTER))}
