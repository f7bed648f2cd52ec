"""`python3 -m bench.paper.tfhe-sbc.generate [--check | --plot]`, from the root of the repository.

Writes README.md of this folder from paper.toml, tfhepp.json (tfhepp.py) and bench/out: device.json (`make bench-device`),
tfhe-sbc.json and tfhe.json (`make bench-tfhe`). The host's tables stay as they are if the host was not measured. --plot also
draws plot.svg and memory.svg (matplotlib). With --check it writes nothing and fails if README.md is stale by the rule of
bench/freshness.py; the host's tables are not checked."""
import json
import re
import sys
import tomllib
from pathlib import Path

from bench.document import ABSENT, command, filled, markdown
from bench.record import OUT, by_target, known, read

from .plot import draw

HERE = Path(__file__).resolve().parent
MEGAHERTZ = 64
README = HERE / "README.md"
NOT_MEASURED = "Not measured yet: `make bench-tfhe` does."


class Figures:
    """All figures that were read."""

    def __init__(self):
        self.paper = tomllib.loads((HERE / "paper.toml").read_text())
        self.tfhepp = json.loads((HERE / "tfhepp.json").read_text())
        self.host, self.tfhe_rs = known(OUT / "tfhe-sbc.json"), known(OUT / "tfhe.json")
        self.device = by_target(read(OUT / "device.json"))

    def microseconds(self, case: str) -> float:
        """The time of one call on the host."""
        return self.host["microseconds"][case]

    def thousands(self, case: str) -> str:
        """The instructions of one call on the host; a dash if they were not counted."""
        count = self.host["instructions"].get(case)
        return f"{count / 1000:.0f}" if count else ABSENT


def table1(figures: Figures) -> str:
    """Whole encryptions: the paper's, and ours on the host."""
    printed = {(row["bits"], row["method"]): row for row in figures.paper["table1"]}
    methods = (("TLWE by TFHEpp", "lwe-{}-{}"), ("TRLWE by TFHEpp", "ring-{1}"), ("TFHE-SBC", "isopod-tuniform"))
    rows = []
    for bits in (256, 1024):
        for method, pattern in methods:
            paper = printed[bits, method]
            slow, fast = (pattern.format(bits, generator) for generator in ("system", "fast"))
            times = ABSENT if slow == fast else f"{figures.microseconds(slow):,.0f}", f"{figures.microseconds(fast):,.1f}"
            memory = f"{figures.host['memory'][fast] / 1024:,.1f}"
            name = f"{method} / Isopod" if slow == fast else method
            rows.append((bits, name, paper["ms"], paper["kib"], paper["ram_kib"], paper["mj"], *times, memory))
    columns = ("bits", "method", "paper ms", "paper KiB sent", "paper RAM KiB", "paper mJ", "host us, system generator",
               "host us, fast generator", "host RAM KiB")
    return markdown(columns, rows, 2)


def generators(figures: Figures) -> str:
    """TFHEpp with each of its generators, ours in the same run, and the ratios."""
    names = ("ring", "isopod-tuniform", "isopod-gaussian")
    rows = []
    for generator, found in figures.tfhepp["microseconds"].items():
        theirs, uniform, gaussian = (found[name] for name in names)
        parts = (f"{found[name]:,.1f}" for name in ("gaussian", "uniform", "product"))
        rows.append((generator, f"{theirs:,.1f}", *parts, f"{uniform:.1f}", f"{gaussian:.1f}", f"{theirs / uniform:,.1f}",
                     f"{theirs / gaussian:,.1f}"))
    return markdown(("TFHEpp's generator", "TFHEpp, us", "of it Gaussian", "uniform", "product", "Isopod, TUniform, us",
                     "Isopod, Gaussian, us", "TFHEpp / TUniform", "TFHEpp / Gaussian"), rows)


def versions(figures: Figures) -> str:
    """The measured program and its tools."""
    method = figures.tfhepp["method"]
    return "\n".join((f"- TFHEpp {method['tfhepp'][:12]}, BLAKE3 {method['blake3'][:12]}, Isopod {method['isopod']}",
                      f"- {method['compiler']}", f"- `{method['flags']}`", f"- {method['processor']}; {method['what']}"))


def device(figures: Figures) -> str:
    """Ours on a Cortex-M4, with the energy by the model."""
    model, rows = figures.paper["energy"], []
    for (target, case), record in sorted(figures.device.items()):
        if target != "cortex-m4" or not case.startswith("tfhe-"):
            continue
        cycles, sent = record["est_cycles_framed"], record["wire_bytes"]
        compute = cycles * model["cpu_nanojoule_per_cycle"] / 1e6
        radio = sent * model["radio_nanojoule_per_byte"] / 1e6
        counts = (f"{record[name] / 1e6:.3f}" for name in ("instructions", "instructions_framed"))
        rows.append((case, *counts, f"{cycles / 1000 / MEGAHERTZ:.1f}",
                     f"{record['ram_bytes']:,}", f"{sent:,}", f"{compute:.3f}", f"{radio:.3f}", f"{compute + radio:.3f}"))
    columns = ("case", "M instructions without frame", "with frame and tag", f"ms at {MEGAHERTZ} MHz, estimated", "RAM, bytes",
               "bytes sent", "mJ compute", "mJ radio", "mJ")
    return markdown(columns, rows)


def breakdown(figures: Figures) -> str:
    """Tables 4, 6 and 7: the time of each step."""
    paper = figures.paper
    uniform, gaussian = paper["table4"]["uniform_ms"], paper["table4"]["gaussian_ms"]
    forward = paper["table7"]["forward_twice_ms"] - paper["table7"]["forward_once_ms"]
    names = (("uniform, 1024 words, system generator", uniform, "uniform-system"),
             ("uniform, fast generator", paper["table6"][1]["ms"], "uniform-fast"),
             ("Gaussian, 1024 samples, system generator", gaussian, "gaussian-system"),
             ("Gaussian, fast generator", paper["table6"][4]["ms"], "gaussian-fast"),
             ("product", paper["table4"]["product_ms"], "product"),
             ("- forward transform", round(forward, 4), "forward"),
             ("- coefficient-wise", paper["table7"]["pointwise_ms"], "pointwise"),
             ("- inverse transform", paper["table7"]["inverse_ms"], "inverse"),
             ("extraction of 1024 TLWE (Figure 3)", paper["figure3"]["extraction_1024_ms"], "extract"),
             ("Isopod, everything, TUniform", "-", "isopod-tuniform"), ("Isopod, everything, Gaussian", "-", "isopod-gaussian"))
    rows = [(name, printed, f"{figures.microseconds(case):,.1f}", figures.thousands(case)) for name, printed, case in names]
    return markdown(("step", "paper ms", "host us", "host thousand instructions"), rows)


def precision(figures: Figures) -> str:
    """Table 5, the precision."""
    printed, errors = figures.paper["table5"], figures.host["product_errors"]
    rows = [("double", printed["cpu_rrmse"], f"{errors['double']['rrmse']:.3g}", f"{errors['double']['deviation']:.3g}"),
            ("single", printed["gpu_rrmse"], f"{errors['single']['rrmse']:.3g}", f"{errors['single']['deviation']:,.0f}")]
    return markdown(("precision", "paper RRMSE", "our RRMSE", "our error, deviation in units of 2^-32 (noise: 128)"), rows)


def tfhe_rs(figures: Figures) -> str:
    """The client of tfhe-rs beside ours."""
    rows = [(row["what"], f"{row['microseconds']:,.0f}", f"{row['bytes']:,}") for row in figures.tfhe_rs]
    return markdown(("256 FheUint8", "us", "bytes"), rows)


HOST_TABLES = {"table1": table1, "breakdown": breakdown, "precision": precision, "tfhe_rs": tfhe_rs}


def between(name: str) -> re.Pattern:
    """A table of the host, and the comments around it."""
    return re.compile(rf"(<!-- {name} -->\n)(.*?)(\n<!-- /{name} -->)", re.DOTALL)


def document(figures: Figures, committed: str) -> str:
    """Fills the template with its tables."""
    parts = {table.__name__: table(figures) for table in (device, generators, versions)}
    for name, table in HOST_TABLES.items():
        kept = between(name).search(committed)
        found = figures.tfhe_rs if name == "tfhe_rs" else figures.host
        parts[name] = table(figures) if found else kept.group(2) if kept else NOT_MEASURED
    return filled(HERE / "template.md", parts)


def without_host(text: str) -> str:
    """The text without the parts that change from run to run."""
    for name in HOST_TABLES:
        text = between(name).sub(r"\1\3", text)
    return text


def pages() -> dict[Path, str]:
    """The fresh page by its path."""
    return {README: document(Figures(), README.read_text())}


if __name__ == "__main__":
    sys.exit(command(__doc__, ("make bench-device", "make bench-paper"), pages, lambda: draw(Figures()), without_host))
