"""The paper's tables with our figures beside them, in Markdown."""
from bench.document import markdown, times

from .figures import CHUNKS, PREFIX, PRIMES, RING_DEGREE, Figures, flash_bytes, milliseconds

MULTIPLY = "ckks-4096x3m"


def millions(instructions: int) -> str:
    """Instructions in millions, with three decimals."""
    return f"{instructions / 1e6:.3f}"


def per_prime(value: int) -> str:
    """Bytes per coefficient in the paper's notation."""
    return f"{value}n" if value else "0"


def table1(figures: Figures) -> str:
    """Table 1: memory that a module needs in addition to its polynomial."""
    flash = {"IFFT": figures.ours(f"{PREFIX}-module-encode")["flash_table_bytes"],
             "NTT": figures.ours(f"{PREFIX}-module-ntt")["flash_table_bytes"], "projection": 0}
    rows = [(row["module"], row["configuration"], per_prime(row["ram"]), per_prime(row["flash"]),
             f"{row['ram'] * RING_DEGREE:,}", f"{row['flash'] * RING_DEGREE:,}", "0", f"{flash[row['module']]:,}",
             times((row["ram"] + row["flash"]) * RING_DEGREE, flash[row["module"]]))
            for row in figures.paper["table1"]]
    return markdown(("module", "configuration", "paper RAM", "paper flash", "RAM at n = 4096", "flash at n = 4096",
                     "our RAM", "our flash", "ratio of both"), rows, 2)


def table3(figures: Figures) -> str:
    """Table 3: memory of libraries for hosts, as printed."""
    rows = [(row["library"], *(f"{row[name]:,}" if name in row else "n/a" for name in ("valgrind_kb", "rss_kb", "vm_kb")))
            for row in figures.paper["table3"]]
    return markdown(("library", "Valgrind (KB)", "RSS (KB)", "VM (KB)"), rows, 1)


def host(figures: Figures) -> str:
    """Our host code beside SEAL-Embedded's, measured in one run."""
    rows = [(record["case"], record["peer"], f"{record['ours_us']:.1f}", f"{record['peer_us']:.1f}",
             f"{record['ratio']:.1f}x") for record in figures.host]
    return markdown(("case", "peer", "our us", "peer us", "ratio"), rows, 2)


def table4(figures: Figures) -> str:
    """Table 4: modules on the Cortex-M4."""
    rows = []
    for row in figures.paper["table4"]:
        ours, theirs = figures.module(row), figures.recomputed["module"][row["module"]][row["mode"]]["cortex_m4"]
        flash = ours["flash_table_bytes"] * (PRIMES if row["module"] == "NTT" else 1)
        rows.append((row["module"], row["mode"], str(row["ram_kb"]), str(row["flash_kb"]),
                     f"{row['cortex_m4_us'] / 1000:.1f}", f"{row['cortex_a7_us'] / 1000:.1f}", millions(theirs),
                     f"{ours['ram_bytes']:,}", f"{flash:,}", millions(ours["instructions"]),
                     f"{milliseconds(ours):.2f}", times(theirs, ours["instructions"]),
                     times(row["cortex_m4_us"] / 1000, milliseconds(ours))))
    return markdown(("module", "mode", "paper RAM KB", "paper flash KB", "paper M4 ms", "paper A7 ms",
                     "SEAL-Embedded M instructions", "our RAM B", "our flash B", "our M instructions", "our ms (model)",
                     "ratio of instructions", "ratio of time"), rows, 2)


def sampling(figures: Figures) -> str:
    """Sampling with the generator that the paper uses."""
    rows = []
    for row in figures.paper["table4"]:
        if row["module"] == "sample":
            ours, theirs = figures.module(row, suite="shake256-"), figures.recomputed["module"]["sample"][row["mode"]]
            rows.append((row["mode"], f"{row['cortex_m4_us'] / 1000:.1f}", millions(theirs["cortex_m4"]),
                         millions(ours["instructions"]), f"{milliseconds(ours):.2f}",
                         times(theirs["cortex_m4"], ours["instructions"])))
    return markdown(("sample, SHAKE-256", "paper M4 ms", "SEAL-Embedded M instructions", "our M instructions",
                     "our ms (model)", "ratio of instructions"), rows, 1)


def table5(figures: Figures) -> str:
    """Table 5: whole encryptions on the Cortex-M4."""
    rows = []
    for row in figures.paper["table5"]:
        ours = figures.encryption(row)
        theirs = figures.recomputed["encryption"][row["key"]][row["configuration"]]["cortex_m4"]
        rows.append((row["key"], row["configuration"], str(row["ram_kb"]), str(row["flash_kb"]),
                     f"{row['cortex_m4_us'] / 1000:.1f}", f"{row['cortex_a7_us'] / 1000:.1f}", f"{theirs / 1e6:.2f}",
                     f"{CHUNKS[row['configuration']]}", f"{ours['ram_bytes']:,}", f"{flash_bytes(ours):,}",
                     f"{ours['instructions'] / 1e6:.2f}", f"{milliseconds(ours):.1f}",
                     times(row["ram_kb"] * 1024, ours["ram_bytes"]), times(theirs, ours["instructions"]),
                     times(row["cortex_m4_us"] / 1000, milliseconds(ours))))
    return markdown(("key", "configuration", "paper RAM KB", "paper flash KB", "paper M4 ms", "paper A7 ms",
                     "SEAL-Embedded M instructions", "our chunks", "our RAM B", "our flash B", "our M instructions",
                     "our ms (model)", "ratio of RAM", "ratio of instructions", "ratio of time"), rows, 2)


def multiply(figures: Figures) -> str:
    """The encryptions of Table 5 under a set whose security label holds today."""
    rows = []
    for row in figures.paper["table5"]:
        ours = figures.encryption(row, MULTIPLY)
        theirs = figures.recomputed["encryption"][row["key"]][row["configuration"]]["cortex_m4"]
        rows.append((row["key"], row["configuration"], f"{ours['ram_bytes']:,}", f"{flash_bytes(ours):,}",
                     f"{ours['instructions'] / 1e6:.2f}", f"{milliseconds(ours):.1f}", times(theirs, ours["instructions"]),
                     times(row["cortex_m4_us"] / 1000, milliseconds(ours))))
    return markdown(("key", "configuration", "our RAM B", "our flash B", "our M instructions", "our ms (model)",
                     "ratio of instructions", "ratio of time"), rows, 2)


def stack(figures: Figures) -> str:
    """The deepest stack of the encryptions of Table 5."""
    theirs = max(row["stack_bytes"] for rows in figures.recomputed["encryption"].values() for row in rows.values())
    ours = max(figures.encryption(row)["stack_bytes"] for row in figures.paper["table5"])
    return f"Stack: theirs {theirs:,} bytes, ours {ours:,}."


def conservative(figures: Figures) -> str:
    """One whole encryption with SHAKE-256."""
    ours, theirs = figures.ours(f"{PREFIX}-sym-fast-shake256"), figures.recomputed["encryption"]["symmetric"]
    before = theirs["high performance"]["cortex_m4"]
    return (f"With SHAKE-256 in place of ChaCha20, a secret key and one chunk: {ours['instructions'] / 1e6:.2f} M instructions, "
            f"ratio {times(before, ours['instructions'])}.")


def riscv(figures: Figures) -> str:
    """Encryptions on RV32IM, which the paper lacks."""
    theirs, rows = figures.recomputed, []
    for row in figures.paper["table5"]:
        if row["configuration"] != "balanced":
            plan = {1: "fast", 4: "small"}[CHUNKS[row["configuration"]]]
            ours = figures.ours(f"{PREFIX}-{'sym' if row['key'] == 'symmetric' else 'pk'}-{plan}", "rv32im")
            before = theirs["encryption"][row["key"]][row["configuration"]]["rv32im"]
            rows.append((row["key"], row["configuration"], before, ours))
    for row in figures.paper["table4"]:
        rows.append((row["module"], row["mode"], theirs["module"][row["module"]][row["mode"]]["rv32im"],
                     figures.module(row, "rv32im")))
    cells = [(first, second, millions(before), millions(ours["instructions"]), millions(ours["est_cycles"]),
              times(before, ours["instructions"])) for first, second, before, ours in rows]
    return markdown(("", "", "SEAL-Embedded M instructions", "our M instructions", "our M cycles (model)",
                     "ratio of instructions"), cells, 2)
