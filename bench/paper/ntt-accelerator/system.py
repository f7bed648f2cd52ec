"""Tables of whole systems, in Markdown: the paper's processor with its accelerator beside the CV32E40P with our engine."""

from bench.document import markdown, times, whole, with_table
from bench.paper.measured import Figures
from bench.paper.printed import Printed

from .figures import PRIMES, PROCESSOR_MHZ, configuration, cycles, framed_cycles, paper_cycles

SOFTWARE, SLOW = "soc-software", 20
WIDE = "soc-w54p4"
# Ways to move the words: endings of a configuration's name in the records of rtl/soc/experiment.py.
CARRIED, TRANSFERRED, LIBRARY = "-carried", "-registers", ""
# Rows of rtl/README.md: title, configuration, case.
SUMMARY = (
    ("n=1024, 1 prime, secret key", "w32p4", "ckks-1024x1-sym"),
    ("n=2048, 1 prime, secret key", "w32p4", "ckks-2048x1-sym"),
    ("n=2048, 1 prime, 2,040 rounded coefficients, secret key, `w32p4-air`", "w32p4-air", "ckks-2048x1-air-sym"),
    ("the same, public key", "w32p4-air", "ckks-2048x1-air-pk"),
    ("n=4096, 3 primes, secret key", "w32p4", "ckks-4096x3-sym"),
    ("one more prime of it", "w32p4", "ckks-4096-prime-sym"),
    ("n=4096, 3 primes, public key", "w32p4", "ckks-4096x3-pk"),
    ("one more prime of it", "w32p4", "ckks-4096-prime-pk"),
    ("n=8192, 3 primes of 54 bits, ternary secret key, `w54p4`", "w54p4", "ckks-8192x3w-ternary"),
    ("one more prime of it", "w54p4", "ckks-8192w-prime-ternary"),
    ("the same of complex slots, `w54p4-bfv`", "w54p4-bfv", "ckks-8192x3w-complex"),
    ("n=8192, 3 primes of 54 bits, public key, `w54p4`", "w54p4", "ckks-8192x3w-pk"),
    ("one more prime of it", "w54p4", "ckks-8192w-prime-pk"),
    ("n=8192, 6 primes, ternary secret key, `w32p4-16384`", "w32p4-16384", "ckks-8192x6-ternary"),
    ("n=16384, 13 primes, ternary secret key, `w32p4-16384`", "w32p4-16384", "ckks-16384x13-ternary"),
    ("n=16384, 13 primes, public key, `w32p4-16384`", "w32p4-16384", "ckks-16384x13-pk"),
)
# Cases that no table beside the paper has.
FURTHER = {
    "ckks-2048x1-air-sym": "n = 2048, 2,040 rounded coefficients, secret key",
    "ckks-2048x1-air-pk": "n = 2048, 2,040 rounded coefficients, public key",
    "ckks-4096-prime-pk": "n = 4096, one more prime, public key",
    "ckks-8192x3w-complex": "n = 8192, three primes of 54 bits, complex slots, ternary key",
}
WAYS = ("software", "carried", "DMA, registers", "DMA, library", "software / library")
FRAMES = ("frame, software", "frame, library", "software / library")


def kind(degree: int) -> str:
    """The secret key that the configuration of the degree stores."""
    return "sym" if degree <= 4096 else "ternary"


class System:
    """The records of one case with one memory."""

    def __init__(self, figures: Figures, engine: str, case: str, latency: int = 0):
        self.figures, self.engine, self.case = figures, engine, case
        self.memory = f"-latency{latency}" if latency else ""

    def software(self) -> int | None:
        """Cycles when the library computes alone."""
        return cycles(self.figures, SOFTWARE + self.memory, self.case)

    def frame(self) -> tuple[str, str, str]:
        """Cycles to a whole frame by software and with the engine, and their ratio; dashes if they were not measured."""
        software = cycles(self.figures, SOFTWARE + self.memory, f"{self.case}-framed")
        config = self.engine.removeprefix("soc-")
        library = None if self.memory else framed_cycles(self.figures, config, self.case, "soc-")
        return whole(software), whole(library), times(software, library)

    def with_engine(self, way: str) -> int | None:
        """Cycles when the engine computes."""
        return cycles(self.figures, self.engine + way + self.memory, self.case)


def engine_of(degree: int) -> str:
    """The configuration that is compared with the paper's design."""
    return f"soc-{configuration(degree)}"


def case_of(degree: int, key: str) -> str:
    """The case with as many primes as in the paper."""
    return f"ckks-{degree}x{PRIMES[degree]}-{key}"


def whole_encryption(figures: Figures, table: Printed) -> str:
    """Table 5, whole encryptions."""
    rows = []
    for degree, slow, carried, moved in table.rows:
        ours = System(figures, engine_of(degree), case_of(degree, kind(degree)))
        paper = (paper_cycles(slow, PROCESSOR_MHZ), paper_cycles(carried), paper_cycles(moved))
        own = (ours.software(), ours.with_engine(CARRIED), ours.with_engine(LIBRARY))
        pairs = list(zip(paper, own))
        rows.append((str(degree), *(whole(value) for pair in pairs for value in pair), *(times(*pair) for pair in pairs)))
    names = ("software", "carried", "DMA")
    columns = [f"{who}, {name}" for name in names for who in ("paper", "ours")]
    return markdown(("n", *columns, *(f"ratio, {name}" for name in names)), rows, 1)


def one_prime(figures: Figures, table: Printed) -> str:
    """Table 4: one more prime; for degrees with a single prime, the whole encryption."""
    rows = []
    for degree, software, _, moved in table.rows:
        ours = System(figures, engine_of(degree), f"ckks-{degree}-prime-{kind(degree)}")
        paper, own = paper_cycles(moved), ours.with_engine(LIBRARY)
        if own:
            slow = paper_cycles(software, PROCESSOR_MHZ)
            rows.append((str(degree), whole(slow), whole(ours.software()), whole(paper), whole(own), times(paper, own),
                         times(ours.software(), own)))
    return markdown(("n", "paper, software", "ours, software", "paper, DMA", "ours, DMA", "ratio, DMA",
                     "our software / ours, DMA"), rows, 1)


def side_by_side(ours: System) -> tuple[str, ...]:
    """Cycles of all ways to encrypt; empty if they were not measured."""
    software, library = ours.software(), ours.with_engine(LIBRARY)
    if not (software and library):
        return ()
    return (whole(software), whole(ours.with_engine(CARRIED)), whole(ours.with_engine(TRANSFERRED)), whole(library),
            times(software, library))


def gains(figures: Figures, latency: int, key: str | None) -> list[tuple[str, ...]]:
    """Our ways side by side; `key` is None for the secret key."""
    rows = []
    for degree in PRIMES:
        chosen = key or kind(degree)
        ours = System(figures, engine_of(degree), case_of(degree, chosen), latency)
        cells = side_by_side(ours)
        if cells:
            rows.append((str(degree), chosen, str(latency), *cells, *ours.frame()))
    return rows


def ways(figures: Figures) -> str:
    """The cycles of software, of the core as carrier, of transfers, and of the library."""
    rows = [row for latency in (0, SLOW) for key in (None, "pk") for row in gains(figures, latency, key)]
    return markdown(("n", "key", "latency", *WAYS, *FRAMES), rows, 2)


def wide(figures: Figures) -> str:
    """All ways with 64-bit primes, which the paper lacks."""
    cases = [(key, part, f"ckks-8192{name}-{key}") for key in ("ternary", "pk")
             for part, name in (("three primes", "x3w"), ("one more of them", "w-prime"))]
    rows = [(key, part, *cells) for key, part, case in cases if (cells := side_by_side(System(figures, WIDE, case)))]
    return markdown(("key", "", *WAYS), rows, 2)


def further(figures: Figures) -> str:
    """Encryptions by the library for which the paper's tables have no row."""
    chosen = [(engine, case) for _, engine, case in SUMMARY if case in FURTHER]
    pairs = [(engine, FURTHER[case], System(figures, f"soc-{engine}", case)) for engine, case in chosen]
    rows = [(what, f"`{engine}`", whole(ours.software()), whole(ours.with_engine(LIBRARY)),
             times(ours.software(), ours.with_engine(LIBRARY)), *ours.frame()) for engine, what, ours in pairs]
    return markdown(("", "configuration", "software", "DMA, library", "software / library", *FRAMES), rows, 2)


def summary(figures: Figures) -> str:
    """The table of rtl/README.md."""
    rows = []
    for what, engine, case in SUMMARY:
        ours = System(figures, f"soc-{engine}", case)
        software, library = ours.software(), ours.with_engine(LIBRARY)
        if not (software and library):
            raise ValueError(f"rtl.json has no record of {case} on {engine}")
        rows.append((what, whole(software), whole(library), whole(software / library), *ours.frame()))
    return markdown(("", "software alone", "with the engine", "software / engine", "frame, software", "frame, engine",
                     "from sample to frame"), rows, 1)


def baselines(figures: Figures, document: dict, table: Printed) -> str:
    """SEAL-Embedded's own software, as published and as recomputed with both of its encoders, beside ours."""
    rows = []
    wholes = {(row["n"], row["primes"], row["roots"]): row["whole"] for row in document["seal_embedded"]}
    for degree, primes in dict.fromkeys((degree, primes) for degree, primes, _ in wholes):
        ours = System(figures, engine_of(degree), case_of(degree, "sym"))
        library, published = ours.with_engine(LIBRARY), paper_cycles(table.row(str(degree))[1], PROCESSOR_MHZ)
        theirs = published, *(wholes[degree, primes, roots] for roots in ("on the fly", "loaded"))
        rows.append((str(degree), str(primes), *map(whole, theirs), whole(ours.software()), whole(library),
                     *(times(before, library) for before in theirs), times(ours.software(), library)))
    return markdown(("n", "primes", "SEAL-Embedded, published", "zero-wait, roots on the fly",
                     "zero-wait, roots loaded", "our software, zero-wait", "ours, DMA",
                     "published / ours", "on the fly / ours", "loaded / ours",
                     "our software / ours"), rows, 1)


def transforms(figures: Figures) -> str:
    """One transform, with its words moved in and its residues packed."""
    rows = []
    for degree in PRIMES:
        ours = System(figures, engine_of(degree), f"ntt-{degree}")
        software, engine = ours.software(), ours.with_engine(LIBRARY)
        if software and engine:
            rows.append((str(degree), whole(software), whole(ours.with_engine(CARRIED)), whole(engine), times(software, engine)))
    return markdown(("n", "software", "carried", "DMA", "software / DMA"), rows, 1)


def with_summary(figures: Figures, text: str) -> str:
    """The engine's page with a fresh table."""
    return with_table(text, summary(figures))


def parts(figures: Figures, document: dict, tables: dict[str, Printed]) -> dict[str, str]:
    """The tables of SYSTEM.md."""
    found = {maker.__name__: maker(figures) for maker in (ways, wide, further, transforms)}
    return found | {"whole_encryption": whole_encryption(figures, tables["table5"]),
                    "one_prime": one_prime(figures, tables["table4"]),
                    "baselines": baselines(figures, document, tables["table5"])}
