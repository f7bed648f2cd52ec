"""Our figures beside the tables of SEAL-Embedded, and the tables that the paper does not have.

recomputed.toml has SEAL-Embedded counted by our method. Table 3's figures of ours come from memory.py."""
import tomllib
from pathlib import Path

from bench.document import ABSENT, markdown, times
from bench.paper.measured import Figures
from bench.paper.printed import Ours, Printed

PAGES = {"README.md": "template.md"}
HERE = Path(__file__).parent
MEGAHERTZ = 64
RING_DEGREE = 4096
PRIMES = 3
INPUT_BYTES = 4 * RING_DEGREE // 2
A7 = "armv7a"
# SEAL-Embedded's primes. Its configurations beside our chunks: fewest bytes, middle, fewest instructions.
PREFIX, MULTIPLY = "ckks-4096x3", "ckks-4096x3m"
KINDS = {"symmetric": "sym", "asymmetric": "pk"}
CHUNKS = {"memory efficient": 4, "balanced": 2, "high performance": 1}
PLANS = {4: "small", 1: "fast"}
MODULES = {"IFFT": "encode", "NTT": "ntt", "uniform": "uniform", "ternary": "ternary", "CBD": "error"}
RECOMPUTED = tomllib.loads((HERE / "recomputed.toml").read_text())


def millions(instructions: float | None, decimals: int = 3) -> str:
    """Instructions in millions; a dash if they were not counted."""
    return ABSENT if instructions is None else f"{instructions / 1e6:.{decimals}f}"


def microseconds(record: dict) -> float:
    """Microseconds that the cycle model gives at the clock of the paper's Cortex-M4."""
    return record["est_cycles"] / MEGAHERTZ


def flash_bytes(record: dict) -> int:
    """Bytes of flash for tables and key."""
    return record["flash_table_bytes"] + record["flash_key_bytes"]


def module(figures: Figures, row: tuple, target: str = "cortex-m4", suite: str = "") -> dict:
    """Our module for a row of Table 4."""
    return figures.board(f"{PREFIX}-module-{suite}{MODULES[row[1] if row[0] == 'sample' else row[0]]}", target)


def encryption(figures: Figures, row: tuple, prefix: str = PREFIX, target: str = "cortex-m4") -> dict:
    """Our case for a row of Table 5."""
    return figures.board(f"{prefix}-surface-{KINDS[row[0]]}-{CHUNKS[row[1]]}", target)


def of_coefficients(printed: str) -> int:
    """Bytes at our degree for the paper's bytes per coefficient, such as 16n."""
    return int(printed.removesuffix("n")) * (RING_DEGREE if printed.endswith("n") else 1)


def table1(figures: Figures, table: Printed) -> Ours:
    """Memory that a module needs in addition to its polynomial."""
    flash = {"IFFT": figures.board(f"{PREFIX}-module-encode")["flash_table_bytes"],
             "NTT": figures.board(f"{PREFIX}-module-ntt")["flash_table_bytes"], "projection": 0}
    cells = []
    for row in table.rows:
        ram, stored = (of_coefficients(cell) for cell in row[3:])
        ours = flash[row[0]]
        cells.append((f"{ram:,}", f"{stored:,}", "0", f"{ours:,}", times(ram + stored, ours)))
    return Ours(("RAM at n = 4096", "flash at n = 4096", "our RAM", "our flash", "ratio of both"), tuple(cells))


def table2(figures: Figures, table: Printed) -> Ours:
    """The machines on which we count, and the most memory of an encryption there."""
    plans = [f"{PREFIX}-{kind}-{plan}" for kind in KINDS.values() for plan in PLANS.values()]
    cells = []
    for target, machine, clock in ((A7, "qemu-arm, Linux", "none: instructions only"),
                                   ("cortex-m4", "QEMU, bare", "64 MHz, by the cycle model")):
        records = [figures.board(case, target) for case in plans]
        cells.append((machine, clock, *(f"{max(map(of, records)):,}" for of in (lambda one: one["ram_bytes"], flash_bytes))))
    return Ours(("ours runs on", "our clock", "our RAM, B", "our flash, B"), tuple(cells))


def table3(figures: Figures, table: Printed) -> Ours:
    """Memory of one whole encryption by our library in a program for this machine, the most of both kinds of key."""
    def bytes_of(kind: str) -> int:
        one = figures.board(f"{PREFIX}-{kind}-fast", "x86-64")
        return one["ram_bytes_framed"] + one["stack_bytes"] + flash_bytes(one) + one["wire_bytes"] + INPUT_BYTES
    found = [round(max(map(bytes_of, KINDS.values())) / 1024, 1),
             *(max(figures.of("host-memory", kind, name) for kind in KINDS.values()) for name in ("rss", "vm"))]
    cells = [(*(f"{value:,}" for value in found), *(times(theirs if isinstance(theirs, int) else None, ours)
                                                   for theirs, ours in zip(row[1:], found)))
             for row in table.rows]
    return Ours(("ours, all buffers and stack", "ours, RSS", "ours, VM", "ratio, Valgrind", "ratio, RSS", "ratio, VM"),
                tuple(cells))


def table4(figures: Figures, table: Printed) -> Ours:
    """Modules on the Cortex-M4 and the Cortex-A7."""
    cells = []
    for row in table.rows:
        ours, on_a7 = module(figures, row), module(figures, row, A7)
        theirs = RECOMPUTED["module"][row[0]][row[1]]
        flash = ours["flash_table_bytes"] * (PRIMES if row[0] == "NTT" else 1)
        cells.append((f"{ours['ram_bytes']:,}", f"{flash:,}", millions(theirs["cortex_m4"]), millions(ours["instructions"]),
                      f"{microseconds(ours):,.1f}", times(theirs["cortex_m4"], ours["instructions"]),
                      times(row[4], microseconds(ours)), millions(on_a7["instructions"])))
    return Ours(("our RAM B", "our flash B", "SEAL-Embedded M instructions", "our M instructions", "our us (model)",
                 "ratio of instructions", "ratio of time", "our A7 M instructions"), tuple(cells))


def table5(figures: Figures, table: Printed) -> Ours:
    """Whole encryptions on the Cortex-M4 and the Cortex-A7."""
    cells = []
    for row in table.rows:
        ours, theirs = encryption(figures, row), RECOMPUTED["encryption"][row[0]][row[1]]
        on_a7 = encryption(figures, row, target=A7)["instructions"]
        cells.append((str(CHUNKS[row[1]]), f"{ours['ram_bytes']:,}", f"{flash_bytes(ours):,}", millions(theirs["cortex_m4"], 2),
                      millions(ours["instructions"], 2), f"{microseconds(ours):,.1f}", times(row[2] * 1024, ours["ram_bytes"]),
                      times(theirs["cortex_m4"], ours["instructions"]), times(row[4], microseconds(ours)),
                      millions(theirs["cortex_a7"], 2), millions(on_a7, 2), times(theirs["cortex_a7"], on_a7)))
    return Ours(("our chunks", "our RAM B", "our flash B", "SEAL-Embedded M instructions", "our M instructions", "our us (model)",
                 "ratio of RAM", "ratio of instructions", "ratio of time", "SEAL-Embedded A7 M instructions",
                 "our A7 M instructions", "ratio on A7"), tuple(cells))


def host(figures: Figures) -> str:
    """Our host code beside SEAL, measured in one run."""
    rows = []
    for case, name in figures.names("host"):
        if name == "ours_us":
            ours, peer = (figures.of("host", case, side) for side in (name, "peer_us"))
            rows.append((case, f"{ours:.1f}", f"{peer:.1f}", times(peer, ours)))
    return markdown(("case", "our us", "SEAL us", "ratio"), rows)


def sampling(figures: Figures, table: Printed) -> str:
    """Sampling with the generator that the paper uses."""
    rows = []
    for row in table.rows:
        if row[0] == "sample":
            ours, theirs = module(figures, row, suite="shake256-"), RECOMPUTED["module"]["sample"][row[1]]["cortex_m4"]
            rows.append((row[1], f"{row[4]:,}", millions(theirs), millions(ours["instructions"]), f"{microseconds(ours):,.1f}",
                         times(theirs, ours["instructions"])))
    return markdown(("sample, SHAKE-256", "paper M4 us", "SEAL-Embedded M instructions", "our M instructions", "our us (model)",
                     "ratio of instructions"), rows)


def multiply(figures: Figures, table: Printed) -> str:
    """The encryptions of Table 5 under a set whose security label holds today."""
    rows = []
    for row in table.rows:
        ours, theirs = encryption(figures, row, MULTIPLY), RECOMPUTED["encryption"][row[0]][row[1]]["cortex_m4"]
        rows.append((*row[:2], f"{ours['ram_bytes']:,}", f"{flash_bytes(ours):,}", millions(ours["instructions"], 2),
                     f"{microseconds(ours):,.1f}", times(theirs, ours["instructions"]), times(row[4], microseconds(ours))))
    return markdown(("key", "configuration", "our RAM B", "our flash B", "our M instructions", "our us (model)",
                     "ratio of instructions", "ratio of time"), rows, 2)


def stack(figures: Figures, table: Printed) -> str:
    """The deepest stack of the encryptions of Table 5."""
    theirs = max(row["stack_bytes"] for rows in RECOMPUTED["encryption"].values() for row in rows.values())
    ours = max(encryption(figures, row)["stack_bytes"] for row in table.rows)
    return f"Stack: theirs {theirs:,} bytes, ours {ours:,}."


def conservative(figures: Figures) -> str:
    """One whole encryption with SHAKE-256."""
    ours = figures.board(f"{PREFIX}-sym-fast-shake256")["instructions"]
    before = RECOMPUTED["encryption"]["symmetric"]["high performance"]["cortex_m4"]
    return (f"With SHAKE-256 in place of ChaCha20, a secret key and one chunk: {ours / 1e6:.2f} M instructions, "
            f"ratio {times(before, ours)}.")


def encoding(figures: Figures) -> str:
    """The errors of both encodings."""
    rows = [(name, *(f"{figures.of('encoding', name, size):.2e}" for size in ("max", "rms")))
            for name in ("fixed point", "float64")]
    return markdown(("encoding", "largest error of a slot", "root mean square"), rows)


def riscv(figures: Figures, tables: dict[str, Printed]) -> str:
    """Encryptions and modules on RV32IM, which the paper lacks."""
    pairs = [(row, RECOMPUTED["encryption"][row[0]][row[1]], figures.board(f"{PREFIX}-{KINDS[row[0]]}-{plan}", "rv32im"))
             for row in tables["table5"].rows if (plan := PLANS.get(CHUNKS[row[1]]))]
    pairs += [(row, RECOMPUTED["module"][row[0]][row[1]], module(figures, row, "rv32im")) for row in tables["table4"].rows]
    rows = [(*row[:2], millions(theirs["rv32im"]), millions(ours["instructions"]), millions(ours["est_cycles"]),
             times(theirs["rv32im"], ours["instructions"])) for row, theirs, ours in pairs]
    return markdown(("", "", "SEAL-Embedded M instructions", "our M instructions", "our M cycles (model)",
                     "ratio of instructions"), rows, 2)


OURS = {maker.__name__: maker for maker in (table1, table2, table3, table4, table5)}


def others(figures: Figures, document: dict, tables: dict[str, Printed], given: dict[str, Ours]) -> dict[str, str]:
    """The tables and sentences that the paper does not have."""
    return {"host": host(figures), "sampling": sampling(figures, tables["table4"]), "conservative": conservative(figures),
            "multiply": multiply(figures, tables["table5"]), "stack": stack(figures, tables["table5"]),
            "encoding": encoding(figures), "riscv": riscv(figures, tables)}
