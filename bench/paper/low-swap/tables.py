"""Our figures beside the tables of the low-SWaP report.

SEAL's operations are timed under the report's primes by operations.py; `isopod bench` times Isopod under its own sets;
`make bench-cost` gives the split and the modelled boards."""
import csv
from pathlib import Path

from bench.document import ABSENT, markdown, times
from bench.paper.measured import Figures
from bench.paper.printed import Ours, Printed, reasons
from bench.record import ROOT

PAGES = {"README.md": "template.md"}
HERE = Path(__file__).resolve().parent
TABLES = ROOT / "crates/cost/tables"
DEGREES = (1024, 2048, 4096, 8192, 16384)
FOUR = ("add", "multiply", "multiply-plain", "square")
SCHEMES = {"bfv": ("table3", "table5", "table7", "table9"), "ckks": ("table4", "table6", "table8", "table10")}
# The report's operations in the names of bench/cost/boards.py, and in those of `isopod bench` with encoding; and operations that
# `isopod bench` times by kernels of both sides, in one run.
COUNTED = {"batch": "encode", "unbatch": "decode", "rotate-one": "rotate", "rotate-columns": "columns"}
WITH_ENCODING = {"encrypt": "fresh-public", "decrypt": "read"}
KERNELS = ("add", "multiply-plain")
PI, PI_32 = "raspberry-pi-4", "raspberry-pi-4-32"
CASES = {"split here, fresh": "measured-loopback-fresh", "split here, kept": "measured-loopback-kept",
         "overhead, fresh": "offload-overhead-fresh", "overhead, kept": "offload-overhead"}


def rows(path: Path) -> list[dict]:
    """The rows of a table."""
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


BOARDS = {row["name"]: row for row in rows(TABLES / "boards.csv")}
COUNTS = {(row["board"], row["side"], row["scheme"], int(row["degree"]), row["operation"]): float(row["instructions"])
          for row in rows(TABLES / "instructions.csv")}


def number(value: float | str | None) -> str:
    """A number with three digits; a dash if it is missing, and texts as they are."""
    if value in (None, "", "N/A"):
        return ABSENT
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}" if value >= 1 else f"{value:.3f}"


def seal(figures: Figures, scheme: str, degree: int, operation: str) -> float | None:
    """Milliseconds of SEAL on this machine, under the report's primes."""
    return figures.of("operations", scheme, degree, operation)


def isopod(figures: Figures, scheme: str, degree: int, operation: str) -> float | None:
    """Milliseconds of Isopod with encoding on this machine, under its set; None for other operations."""
    name = WITH_ENCODING.get(operation)
    return figures.of("bench", "isopod", scheme, degree, name, "ms") if name else None


def modelled(board: str, scheme: str, degree: int, operation: str) -> float | None:
    """Milliseconds of SEAL on a board, from counted instructions."""
    facts = BOARDS[board]
    count = COUNTS.get((facts["counted_as"], "seal", scheme, degree, COUNTED.get(operation, operation)))
    return count and count * float(facts["cycles_per_instruction"]) / float(facts["megahertz"]) / 1000


def operations(figures: Figures, table: Printed) -> Ours:
    """SEAL on this machine beside one of Tables 3 to 10."""
    return Ours(tuple(f"SEAL here, {degree}" for degree in DEGREES),
                tuple(tuple(number(seal(figures, table.scheme, degree, row[0])) for degree in DEGREES) for row in table.rows))


def table1(figures: Figures, table: Printed) -> Ours:
    """One encryption by secret key with its frame on the nearest machine that we count, or an engine for it."""
    def counted(target: str) -> str:
        return f"{figures.board('ckks-4096x3m-sym-fast', target)['instructions_framed'] / 1e6:.3f} M instructions"

    def engine(flow: str) -> str:
        lut, dsp = (figures.of("rtl", "w32p4", flow, name) for name in ("lut", "dsp"))
        return f"{lut:,} LUT, {dsp} multipliers, {figures.of('rtl', 'w32p4', 'ckks-4096x3-sym'):,} cycles"
    answers = {1: ("Armv7-A, 32-bit, Cortex-A7", counted("armv7a")), 2: ("`w32p4` on ECP5", engine("ecp5")),
               3: ("`w32p4` on 7-series", engine("xc7")), 4: (ABSENT, ABSENT), 5: ("AArch64", counted("aarch64"))}
    return Ours(("the nearest machine on which we count", "what it takes there"), tuple(answers[row[0]] for row in table.rows))


def table2(figures: Figures, table: Printed) -> Ours:
    """Our machine stands beside all of the report's instances."""
    cells = "this machine", figures.of("bench", "machine"), "1 thread"
    return Ours(("ours", "processor", "our cores"), (cells,) * len(table.rows))


def table11(figures: Figures, table: Printed) -> Ours:
    """A fresh ciphertext of BFV in both libraries."""
    names = [(side, operation) for side in ("seal", "isopod") for operation in ("send-public", "send-secret")]
    cells = []
    for degree, _ in table.rows:
        sizes = (figures.of("bench", side, "bfv", degree, operation, "bytes") for side, operation in names)
        cells.append(tuple(f"{size:,}" if size else ABSENT for size in sizes))
    return Ours(("SEAL, public key", "SEAL, secret key", "Isopod, public key", "Isopod, secret key"), tuple(cells))


def figure10(figures: Figures, table: Printed) -> Ours:
    """The split here, in the report's microseconds."""
    cells = []
    for degree, name, *_ in table.rows:
        found = [figures.of("cost", case, degree, f"bfv {name}") for case in list(CASES.values())[:2]]
        cells.append(tuple(ABSENT if value is None else f"{1000 * value:,.0f}" for value in found))
    return Ours(("split here, fresh, us", "split here, kept, us"), tuple(cells))


def beside(figures: Figures, tables: dict[str, Printed], scheme: str) -> str:
    """The report's four tables of one scheme with ours, a table for each degree, and the rows without ours."""
    printed = [tables[place] for place in SCHEMES[scheme]]
    parts = []
    for degree in DEGREES:
        found = []
        for row in printed[0].rows:
            name = row[0]
            ours = (*(modelled(board, scheme, degree, name) for board in (PI, PI_32)), seal(figures, scheme, degree, name),
                    isopod(figures, scheme, degree, name))
            found.append((name, *(number(one.cell(one.row(name), str(degree))) for one in printed), *map(number, ours)))
        columns = ("operation", *(f"{one.number}, {one.machine}" for one in printed), "Pi, model, 64-bit", "Pi, model, 32-bit",
                   "SEAL here", "Isopod here, with encoding")
        parts.append(f"{scheme.upper()}, n = {degree}, milliseconds:\n\n{markdown(columns, found)}")
    return "\n\n".join(parts) + reasons(printed[0])


def kernels(figures: Figures) -> str:
    """Sums and products with a plaintext by SEAL and by the kernels of Isopod's own sums, in one run."""
    found = []
    for scheme in SCHEMES:
        for degree in DEGREES:
            for name in KERNELS:
                theirs, ours = (figures.of("bench", side, scheme, degree, name, "ms") for side in ("seal", "isopod"))
                if theirs and ours:
                    found.append((f"{scheme.upper()}, {name}, n = {degree}", number(theirs), number(ours), times(theirs, ours)))
    return markdown(("operation", "SEAL", "Isopod", "SEAL / Isopod"), found)


def split(figures: Figures, tables: dict[str, Printed]) -> str:
    """Figures 10 and 11 in milliseconds, with the baseline of Table 7."""
    base, found = tables["table7"], []
    for degree, name, _, client in tables["figure10"].rows:
        local = base.cell(base.row(name), str(degree))
        here = (figures.of("cost", case, degree, f"bfv {name}") for case in CASES.values())
        away = client if client != "-" else tables["figure10"].row(f"{degree} {name}")[2]
        found.append((f"{name}, n = {degree}", *map(number, (local, away / 1000, *here))))
    return markdown(("operation", "report, local", "report, split", *CASES), found)


def breakeven(figures: Figures) -> str:
    """Compares local computation on the modelled board with offloading."""
    found = []
    for degree in (4096, 8192, 16384, 32768):
        for name in FOUR:
            local, over = (figures.of("cost", case, degree, f"bfv {name}")
                           for case in ("local-raspberry-pi-4", "offloaded-raspberry-pi-4-lan"))
            if local and over:
                winner = "offloading" if over < local else "the device"
                found.append((f"{name}, n = {degree}", number(local), number(over), winner))
    return markdown(("operation", "the device alone", "offloaded", "less time"), found)


OURS = {"table1": table1, "table2": table2, **{place: operations for places in SCHEMES.values() for place in places},
        "table11": table11, "figure10": figure10}


def others(figures: Figures, document: dict, tables: dict[str, Printed], given: dict[str, Ours]) -> dict[str, str]:
    """The report's tables side by side, and what it does not have."""
    return {"machine": figures.of("bench", "machine"), "seal": figures.of("bench", "seal"),
            "megahertz": BOARDS[PI]["megahertz"], **{f"tables_{scheme}": beside(figures, tables, scheme) for scheme in SCHEMES},
            "kernels": kernels(figures), "split": split(figures, tables), "breakeven": breakeven(figures)}
