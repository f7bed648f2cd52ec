"""Our figures beside the tables of TFHE-SBC, and the tables that the paper does not have.

tfhepp.json has TFHEpp itself (tfhepp.py); measured times and instructions come from measure.py and aarch64.py."""
import json
import tomllib
from pathlib import Path

from bench.document import ABSENT, markdown, times
from bench.paper.measured import Figures
from bench.paper.printed import Ours, Printed

PAGES = {"README.md": "template.md"}
HERE = Path(__file__).resolve().parent
MEGAHERTZ = 64
BITS = 1024  # of one ring ciphertext
ENERGY = tomllib.loads((HERE / "paper.toml").read_text())["energy"]
SECRET, GAUSSIAN = "tfhe-1024-sym", "tfhe-1024-sym-gaussian"
# Baselines in the manner of a method: with the system's generator, with a fast one, and for 256 bits as TLWE.
METHODS = {"TLWE by TFHEpp": "lwe-{bits}-{generator}", "TRLWE by TFHEpp": "ring-{generator}", "TFHE-SBC": "ring-sbc"}


def microseconds(figures: Figures, case: str) -> float | None:
    """The time of one call on the host."""
    return figures.of("tfhe-sbc", "microseconds", case)


def on_host(figures: Figures, case: str) -> str:
    """The time of one call on the host as text; a dash if it was not measured."""
    found = microseconds(figures, case)
    return ABSENT if found is None else f"{found:,.1f}"


def thousands(figures: Figures, case: str, source: str = "tfhe-sbc-aarch64") -> str:
    """Instructions of one call in thousands; a dash if they were not counted."""
    words = ("instructions", case) if source == "tfhe-sbc" else (case,)
    found = figures.of(source, *words)
    return ABSENT if found is None else f"{found / 1000:,.1f}"


def millijoule(record: dict) -> tuple[float, float]:
    """Energy of one frame on the Cortex-M4 by the model: of the processor and of the radio."""
    return (record["est_cycles_framed"] * ENERGY["cpu_nanojoule_per_cycle"] / 1e6,
            record["wire_bytes"] * ENERGY["radio_nanojoule_per_byte"] / 1e6)


def table1(figures: Figures, table: Printed) -> Ours:
    """Whole encryptions: ours on the paper's architecture, and all methods on the host."""
    ours, board = figures.board(SECRET, "aarch64"), figures.board(SECRET)
    cells = []
    for bits, method, *_ in table.rows:
        frames = -(-bits // BITS)
        energy = sum(millijoule(board)) * frames
        slow, fast = (METHODS[method].format(bits=bits, generator=generator) for generator in ("system", "fast"))
        memory = figures.of("tfhe-sbc", "memory", fast) if bits <= BITS else None
        host = (ABSENT, ABSENT) if bits > BITS else (on_host(figures, slow) if slow != fast else ABSENT, on_host(figures, fast))
        cells.append((f"{ours['instructions_framed'] * frames / 1e6:.3f}", f"{ours['wire_bytes'] * frames / 1024:.1f}",
                      f"{(ours['ram_bytes'] + ours['stack_bytes']) / 1024:.1f}", f"{energy:.2f}", *host,
                      ABSENT if memory is None else f"{memory / 1024:,.1f}"))
    return Ours(("our M instructions, A53", "our KiB", "our RAM KiB", "our mJ (model, M4)",
                 "this method on the host, us, system generator", "fast generator", "its RAM there, KiB"), tuple(cells))


def table2(figures: Figures, table: Printed) -> Ours:
    """Isopod's answer to each property."""
    answers = {"support of the TFHE scheme": "yes, secret and public keys",
               "software acceleration": "yes: NEON, AVX2, Armv7E-M and RV32 kernels; no GPU",
               "consideration of communication costs": "yes: the mask as a seed, rounded bodies",
               "optimization of random number generation": "yes: one ChaCha20 stream, TUniform noise",
               "reporting power consumption": "a model, no measurement"}
    return Ours(("Isopod",), tuple((answers[row[0]],) for row in table.rows))


def table3(figures: Figures, table: Printed) -> Ours:
    """The parameters of the set for TFHEpp, in spec/params.toml."""
    cells = {"q": "2^32", "N": "2^10", "sigma": "2^-25"}
    return Ours(("`tfhe-1024-tfhepp`",), tuple((cells[row[0]],) for row in table.rows))


def table4(figures: Figures, table: Printed) -> Ours:
    """The steps of TFHEpp's method on the host, and their instructions on the paper's architecture."""
    cases = {"uniform sampling": "uniform-{}", "Gaussian sampling": "gaussian-{}", "PolyMul": "product", "total": "ring-{}"}
    whole, cells = microseconds(figures, "ring-system"), []
    for name, *_ in table.rows:
        slow, fast = (microseconds(figures, cases[name].format(generator)) for generator in ("system", "fast"))
        cells.append((f"{slow:,.1f}", f"{100 * slow / whole:.1f}", f"{fast:,.1f}",
                      thousands(figures, cases[name].format("fast"), "tfhe-sbc")))
    return Ours(("host us, system generator", "% of it", "host us, fast generator", "thousand instructions of it"), tuple(cells))


def table5(figures: Figures, table: Printed) -> Ours:
    """Transforms of the host, and the precision of a product in double and in single precision."""
    cells = []
    for _, precision in zip(table.rows, ("double", "single"), strict=True):
        forward, inverse = (microseconds(figures, case) for case in ("forward", "inverse"))
        error, deviation = (figures.of("tfhe-sbc", "product_errors", precision, name) for name in ("rrmse", "deviation"))
        speed = (f"{forward / 1000:.4f}", f"{inverse / 1000:.4f}") if precision == "double" else (ABSENT, ABSENT)
        cells.append((precision, *speed, f"{error:.3g}", f"{deviation:,.0f}"))
    return Ours(("our precision", "host FFT [ms]", "host IFFT [ms]", "our RRMSE",
                 "our error, deviation in units of 2^-32 (noise: 128)"), tuple(cells))


def table6(figures: Figures, table: Printed) -> Ours:
    """Sampling: the paper's way on the host and on its architecture, and the whole of our encryption."""
    names = {"/dev/urandom": "system", "BLAKE2": "blake2"}
    ours = {"uniform": figures.board(SECRET, "aarch64"), "Gaussian": figures.board(GAUSSIAN, "aarch64")}
    cells = []
    for sampling, configuration, *_ in table.rows:
        generator, _, method = configuration.partition(", ")
        step = "uniform" if sampling == "uniform" else {"polar": "gaussian", "Ziggurat": "ziggurat"}[method]
        case, whole = f"{step}-{names[generator]}", ours[sampling]
        cells.append((on_host(figures, case), thousands(figures, case), f"{whole['instructions'] / 1000:,.1f}",
                      f"{(whole['ram_bytes'] + whole['stack_bytes']) / 1024:.1f}"))
    return Ours(("this way on the host, us", "thousand instructions, A53", "our whole encryption, thousand instructions, A53",
                 "its RAM KiB"), tuple(cells))


def table7(figures: Figures, table: Printed) -> Ours:
    """The product's steps. Ours has no transform in floating point; its key is transformed when it is opened."""
    ours = figures.board(SECRET, "aarch64")
    forward, pointwise, inverse = (microseconds(figures, case) for case in ("forward", "pointwise", "inverse"))
    memory = f"{(ours['ram_bytes'] + ours['stack_bytes']) / 1024:.1f}"
    cells = [(f"{count * forward / 1000:.4f}", f"{pointwise / 1000:.4f}", f"{inverse / 1000:.4f}",
              f"{count * figures.of('tfhe-sbc-aarch64', 'forward') / 1000:,.1f}", memory) for count in (2, 1)]
    return Ours(("host FFT ms", "host coefficient-wise ms", "host IFFT ms", "FFT, thousand instructions, A53",
                 "our RAM KiB, everything"), tuple(cells))


def figure3(figures: Figures, table: Printed) -> Ours:
    """The conversion on the server: every ring ciphertext apart, coefficient by coefficient."""
    extract = microseconds(figures, "extract")
    cells = [(f"{extract / 1000 * bits / BITS:.3f}", f"{bits * (BITS + 1) * 4 / 2 ** 20:.1f}") for bits, *_ in table.rows]
    return Ours(("host ms", "our MiB, the ciphertexts"), tuple(cells))


OURS = {maker.__name__: maker for maker in (table1, table2, table3, table4, table5, table6, table7, figure3)}


def race(figures: Figures) -> str:
    """The paper's method beside ours, on its architecture and on the host."""
    rows = []
    for name, case in (("TFHE-SBC: BLAKE2, Ziggurat, key transformed once", "ring-sbc"),
                       ("TFHEpp with BLAKE2: polar, key transformed anew", "ring-fast"),
                       ("Isopod, Gaussian", "isopod-gaussian"), ("Isopod, TUniform", "isopod-tuniform"),
                       ("Isopod, public key, Gaussian", "isopod-gaussian-public"),
                       ("Isopod, public key, TUniform", "isopod-tuniform-public")):
        counted = figures.of("tfhe-sbc-aarch64", case)
        rows.append((name, f"{counted / 1000:,.1f}", times(figures.of("tfhe-sbc-aarch64", "ring-sbc"), counted),
                     on_host(figures, case) if case != "ring-fast" else ABSENT))
    return markdown(("1,024 bits", "thousand instructions, A53", "TFHE-SBC / this", "host us"), rows)


def generators(figures: Figures, tfhepp: dict) -> str:
    """TFHEpp with each of its generators, ours in the same run, and the ratios."""
    rows = []
    for generator, found in tfhepp["microseconds"].items():
        theirs, uniform, gaussian = (found[name] for name in ("ring", "isopod-tuniform", "isopod-gaussian"))
        parts = (f"{found[name]:,.1f}" for name in ("gaussian", "uniform", "product"))
        rows.append((generator, f"{theirs:,.1f}", *parts, f"{uniform:.1f}", f"{gaussian:.1f}", times(theirs, uniform),
                     times(theirs, gaussian)))
    return markdown(("TFHEpp's generator", "TFHEpp, us", "of it Gaussian", "uniform", "product", "Isopod, TUniform, us",
                     "Isopod, Gaussian, us", "TFHEpp / TUniform", "TFHEpp / Gaussian"), rows)


def versions(tfhepp: dict) -> str:
    """The measured program and its tools."""
    method = tfhepp["method"]
    return "\n".join((f"- TFHEpp {method['tfhepp'][:12]}, BLAKE3 {method['blake3'][:12]}, Isopod {method['isopod']}",
                      f"- {method['compiler']}", f"- `{method['flags']}`", f"- {method['processor']}; {method['what']}"))


def device(figures: Figures) -> str:
    """Ours on a Cortex-M4, with the energy by the model, and instructions on application processors."""
    rows = []
    for (target, case), record in sorted(figures.device.items()):
        if target == "cortex-m4" and case.startswith("tfhe-"):
            compute, radio = millijoule(record)
            counts = (f"{record[name] / 1e6:.3f}" for name in ("instructions", "instructions_framed"))
            others = (f"{figures.board(case, other)['instructions_framed'] / 1e6:.3f}" for other in ("armv7a", "aarch64"))
            rows.append((case, *counts, f"{record['est_cycles_framed'] / 1000 / MEGAHERTZ:.1f}", f"{record['ram_bytes']:,}",
                         f"{record['wire_bytes']:,}", f"{compute:.3f}", f"{radio:.3f}", f"{compute + radio:.3f}", *others))
    return markdown(("case", "M instructions without frame", "with frame and tag", f"ms at {MEGAHERTZ} MHz, estimated",
                     "RAM, bytes", "bytes sent", "mJ compute", "mJ radio", "mJ", "M instructions, A7", "A53"), rows)


def tfhe_rs(figures: Figures) -> str:
    """The client of tfhe-rs beside ours."""
    rows = [(what, f"{figures.of('tfhe', what, 'microseconds'):,.0f}", f"{figures.of('tfhe', what, 'bytes'):,}")
            for what, name in figures.names("tfhe") if name == "microseconds"]
    return markdown(("256 FheUint8", "us", "bytes"), rows)


def others(figures: Figures, document: dict, tables: dict[str, Printed], given: dict[str, Ours]) -> dict[str, str]:
    """The tables and numbers that the paper does not have."""
    tfhepp = json.loads((HERE / "tfhepp.json").read_text())
    own = {"public_uniform": "isopod-tuniform-public", "public_gaussian": "isopod-gaussian-public", "baseline": "ring-fast"}
    return {"race": race(figures), "generators": generators(figures, tfhepp), "versions": versions(tfhepp),
            "device": device(figures), "tfhe_rs": tfhe_rs(figures)} | {name: on_host(figures, case) for name, case in own.items()}
