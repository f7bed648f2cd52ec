"""The paper's tables with our figures beside them, the schedule beside its equations, and the roofline."""
from bench.document import markdown, times, whole
from bench.paper.measured import Figures
from bench.paper.printed import Ours, Printed
from bench.record import ROOT

from . import system
from .figures import BLOCKS, CONFIGURATIONS, FAST, PRIMES, SMALL, configuration, cycles, framed_cycles, paper_cycles, resource

PAGES = {"README.md": "template.md", "SYSTEM.md": "system-template.md"}
ENGINE = ROOT / "rtl/README.md"
# Bytes per cycle of a ChaCha20 core, and the least number of cycles per word that a sampler takes or gives.
XOF_BYTES_PER_CYCLE = 64 / 20
CBD_BITS, PRIME_BITS, BUS_BITS = 42, 30, 64
FLOWS = {"xc7": "7-series", "ecp5": "ECP5"}


def table1(figures: Figures, table: Printed) -> Ours:
    """The number of primes, which is the same."""
    return Ours(("ours",), tuple((PRIMES[degree],) for degree, *_ in table.rows))


def table2(figures: Figures, table: Printed) -> Ours:
    """Our stages, all of which stay in the same banks; the last one feeds the products."""
    return Ours(("our stages", "our memory"),
                tuple((stages, "work banks, in place; the last stage goes to the products") for _, stages, _ in table.rows))


def table3(figures: Figures, table: Printed) -> Ours:
    """Resources of our configurations in each flow."""
    rows = []
    for name in CONFIGURATIONS:
        for flow, place in FLOWS.items():
            if figures.of("rtl", name, flow, "lut"):
                mhz, lut, ff, bram, dsp, lc = (resource(figures, name, flow, part)
                                               for part in ("fmax_mhz", "lut", "ff", "bram", "dsp", "lc"))
                rows.append((f"`{name}`, {place}", mhz, lut, ff, bram, "-", dsp, lc))
    return Ours(("LC",), (("-",),) * len(table.rows), tuple(rows))


def blocks(figures: Figures) -> str:
    """Resources of single blocks."""
    parts = ("dsp", "lut", "lc", "ff", "bram", "fmax_mhz")
    rows = [(f"`{name}`", flow, *(resource(figures, name, flow, part) for part in parts))
            for name in BLOCKS for flow in FLOWS if figures.of("rtl", name, flow, "lut")]
    return markdown(("block", "flow", "DSP", "LUT", "LC", "FF", "BRAM", "MHz"), rows, 2)


def software(figures: Figures, degree: int, part: str) -> int | None:
    """Cycles of our software on the paper's processor with zero-wait memory."""
    key = system.kind(degree)
    return cycles(figures, system.SOFTWARE, f"ckks-{degree}-prime-{key}" if part == "prime" else
                  f"ckks-{degree}x{PRIMES[degree]}-{key}")


def table4(figures: Figures, table: Printed) -> Ours:
    """One prime: from 8192 on, and in the small configuration, nothing is kept between primes."""
    cells = []
    for row in table.rows:
        degree, theirs = row[0], paper_cycles(row[3])
        # With a single prime there is only a whole encryption.
        slow = software(figures, degree, "prime" if PRIMES[degree] > 1 else "whole")
        ours, small = (cycles(figures, name, f"ckks-{degree}-prime-sym") for name in (configuration(degree), SMALL))
        cells.append((f"`{configuration(degree)}`", whole(slow), whole(theirs), whole(ours), times(theirs, ours), whole(small),
                      times(theirs, small)))
    return Ours(("ours", "our software, cycles", "HW acc. + DMA, cycles", "our cycles", "ratio", f"`{SMALL}`, cycles",
                 "ratio of it"), tuple(cells), converted=("ours", "HW acc. + DMA, cycles"))


def table5(figures: Figures, table: Printed) -> Ours:
    """Whole encryptions."""
    cells = []
    for row in table.rows:
        degree, theirs, name = row[0], paper_cycles(row[3]), configuration(row[0])
        case = f"ckks-{degree}x{PRIMES[degree]}"
        ours = cycles(figures, name, f"{case}-sym")
        carried = cycles(figures, f"soc-{name}{system.CARRIED}", f"{case}-{system.kind(degree)}")
        cells.append((f"`{name}`", whole(software(figures, degree, "whole")), whole(carried), whole(theirs), whole(ours),
                      times(theirs, ours), whole(framed_cycles(figures, name, f"{case}-sym"))))
    return Ours(("ours", "our software, cycles", "our core carries, cycles", "HW acc. + DMA, cycles", "our cycles", "ratio",
                 "with frame"), tuple(cells), converted=("ours", "HW acc. + DMA, cycles"))


def public(figures: Figures) -> str:
    """Cycles of whole encryptions under a public key, which the paper lacks."""
    rows = []
    for degree, primes in PRIMES.items():
        name, case = configuration(degree), f"ckks-{degree}x{primes}-pk"
        rows.append((degree, f"`{name}`", primes, whole(cycles(figures, name, case)), whole(framed_cycles(figures, name, case))))
    return markdown(("n", "ours", "primes", "our cycles", "with frame"), rows, 2)


def table6(figures: Figures, table: Printed) -> Ours:
    """Latency of transforms in cycles, and two rows of each of our designs: the transform alone, then whole engines."""
    cells = tuple((whole(float(row[10]) * row[9]) if row[9] != "-" else "-",) for row in table.rows)
    rows = []
    for title, design, config in (("transform of `w32p4` alone", "transform", FAST),
                                  *((f"`{name}`, whole engine", name, name) for name in ("w32p1", "w32p2", FAST, "w32p8"))):
        parts = [resource(figures, design, "xc7", part) for part in ("lut", "ff", "dsp", "bram")]
        rows += [(title, "7-series, open flow", degree, "30-bit", *parts, "-", "-", "-",
                  whole(cycles(figures, config, f"ntt-{degree}"))) for degree in (1024, 4096)]
    return Ours(("cycles",), cells, tuple(rows), converted=("cycles",))


def equations(figures: Figures, table: Printed) -> str:
    """Equations 8 to 10 of the paper for one prime, each with the fastest transfers for which it holds, beside our schedule."""
    rows = []
    for row in table.rows:
        degree, stages = row[0], row[0].bit_length() - 1
        transforms = 1 if configuration(degree) == FAST else 2
        ours = cycles(figures, configuration(degree), f"ckks-{degree}-prime-sym")
        least = (degree * (2 + 4 * stages / 2), degree * (stages + 1 + 2 * 3), degree * (stages + 1 + 3))
        rows.append((degree, *map(whole, least), whole(paper_cycles(row[3])), transforms,
                     whole(transforms * degree / 8 * stages), whole(ours)))
    return markdown(("n", "(8), L = log2(n) / 2", "(9), L = 3", "(10), L = 0", "paper, measured", "our transforms per prime",
                     "our schedule", "ours, measured"), rows)


def encode_products(degree: int) -> int:
    """The number of products in the encode: 12 per group of four points in each pass after the first, and 12 per pair in the
    twist."""
    points = degree // 4
    passes = (points.bit_length() - 1) // 2
    return 12 * (points // 4 * (passes - 1) + points // 2)


def bounds(config: str, degree: int, primes: int, public_key: bool) -> dict[str, float]:
    """The least cycles for each part of a whole encryption; the parts overlap.

    Under a secret key each prime transforms the message. Under a public key it transforms the message, u and the second error."""
    lanes, cores = int(config[4]), 2 if config == "w32p8" else 1
    log_degree, transforms = degree.bit_length() - 1, 3 if public_key else 1
    random_bits = degree * (2 * CBD_BITS + 8 / 3 if public_key else CBD_BITS + primes * PRIME_BITS)
    packed_bits = primes * degree * PRIME_BITS * (2 if public_key else 1)
    moved = max(2 * primes * degree if public_key else degree / 2, packed_bits / BUS_BITS)
    butterflies = primes * transforms * degree / 2 * log_degree
    return {"products": (butterflies + encode_products(degree)) / lanes,
            "XOF": random_bits / 8 / (XOF_BYTES_PER_CYCLE * cores), "bus": moved}


def roofline(figures: Figures) -> str:
    """Compares the measured cycles with the bounds."""
    rows = []
    for config in ("w32p1", "w32p2", FAST, "w32p8"):
        for key in ("sym", "pk"):
            measured, bound = cycles(figures, config, f"ckks-4096x3-{key}"), bounds(config, 4096, 3, key == "pk")
            if measured:
                limit = max(bound, key=bound.get)
                rows.append((f"`{config}`", {"sym": "secret", "pk": "public"}[key], *(whole(value) for value in bound.values()),
                             limit, whole(measured), f"{bound[limit] / measured:.2f}"))
    return markdown(("ours", "key", "products", "XOF", "bus", "the largest", "measured", "bound / measured"), rows, 2)


OURS = {maker.__name__: maker for maker in (table1, table2, table3, table4, table5, table6)}


def others(figures: Figures, document: dict, tables: dict[str, Printed], given: dict[str, Ours]) -> dict[str, str]:
    """The tables that the paper does not have, for both pages."""
    return {"blocks": blocks(figures), "public": public(figures), "equations": equations(figures, tables["table4"]),
            "roofline": roofline(figures)} | system.parts(figures, document, tables)


def elsewhere(figures: Figures, tables: dict[str, Printed]) -> dict:
    """The engine's page with its table of the gains in a system."""
    return {ENGINE: system.with_summary(figures, ENGINE.read_text())}
