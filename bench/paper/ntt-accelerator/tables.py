"""The paper's tables with our figures beside them, and the roofline, in Markdown."""
from bench.document import ABSENT, markdown, times, whole

from .figures import BLOCKS, CONFIGURATIONS, Figures, configuration

# Bytes per cycle of a ChaCha20 core, and the least number of cycles per word that a sampler takes or gives.
XOF_BYTES_PER_CYCLE = 64 / 20
CBD_BITS, PRIME_BITS, BUS_BITS = 42, 30, 64


def field(record: dict | None, name: str) -> str:
    """One figure from a record of resources."""
    return ABSENT if record is None or name not in record else f"{record[name]:,}"


def table3(figures: Figures) -> str:
    """Table 3: resources of the paper's designs for each degree, and of our configurations in each flow."""
    rows = [("paper", f"n = {row['n']}", "vendor, UltraScale+", str(row["dsp"]), f"{row['lut']:,}", ABSENT, f"{row['reg']:,}",
             f"{row['bram']} + {row['uram']} URAM", str(row["mhz"])) for row in figures.paper["table3"]]
    for name in CONFIGURATIONS:
        for flow in ("xc7", "ecp5"):
            record = figures.resources.get((name, flow))
            if record:
                rows.append((f"`{name}`", "all up to " + ("16384" if "16384" in name else "4096"), flow,
                             *(field(record, part) for part in ("dsp", "lut", "lc", "ff", "bram", "fmax_mhz"))))
    return markdown(("design", "degree", "flow", "DSP", "LUT", "LC", "FF", "BRAM", "MHz"), rows, 3)


def blocks(figures: Figures) -> str:
    """Resources of single blocks."""
    rows = [(f"`{name}`", flow, *(field(record, part) for part in ("dsp", "lut", "lc", "ff", "bram", "fmax_mhz")))
            for (name, flow), record in sorted(figures.resources.items()) if name in BLOCKS]
    return markdown(("block", "flow", "DSP", "LUT", "LC", "FF", "BRAM", "MHz"), rows, 2)


def comparison(figures: Figures, rows: list[dict], case: str, with_frame: bool) -> str:
    """The paper's software and accelerator beside our cycles; `case` is a format of degree and primes."""
    cells = []
    for row in rows:
        name, of_degree = configuration(row["n"]), case.format(n=row["n"], primes=figures.paper["primes"][str(row["n"])])
        ours, theirs = figures.cycles_of(name, of_degree), figures.paper_cycles(row["dma"])
        framed = (whole(figures.framed_cycles(name, of_degree)),) * with_frame
        cells.append((str(row["n"]), f"`{name}`", f"{row['software']:.2f}", f"{row['accelerator']:.2f}", f"{row['dma']:.2f}",
                      whole(theirs), whole(ours), times(theirs, ours), *framed))
    return markdown(("n", "ours", "paper software ms", "paper accelerator ms", "paper with DMA ms", "paper with DMA cycles",
                     "our cycles", "ratio of cycles", *("ours, with frame",) * with_frame), cells, 2)


def table4(figures: Figures) -> str:
    """Table 4: cycles of one prime."""
    return comparison(figures, figures.paper["table4"], "ckks-{n}-prime-sym", False)


def table5(figures: Figures) -> str:
    """Table 5: cycles of whole encryptions."""
    return comparison(figures, figures.paper["table5"], "ckks-{n}x{primes}-sym", True)


def public(figures: Figures) -> str:
    """Cycles of whole encryptions under a public key, which the paper lacks."""
    rows = []
    for degree, primes in figures.paper["primes"].items():
        name, case = configuration(int(degree)), f"ckks-{degree}x{primes}-pk"
        rows.append((degree, f"`{name}`", str(primes), whole(figures.cycles_of(name, case)),
                     whole(figures.framed_cycles(name, case))))
    return markdown(("n", "ours", "primes", "our cycles", "ours, with frame"), rows, 2)


def table6(figures: Figures) -> str:
    """Table 6: latency of transforms, in cycles."""
    rows = [(row["work"], row["platform"], str(row["n"]), row["q"], str(row["dsp"]), f"{row['lut']:,}", field(row, "reg"),
             str(row["bram"]), field(row, "mhz"), field(row, "us"),
             whole(row["us"] * row["mhz"]) if "us" in row else ABSENT) for row in figures.paper["table6"]]
    for name in ("w32p1", "w32p2", "w32p4", "w32p8"):
        record = figures.resources.get((name, "xc7"))
        for degree in (1024, 4096):
            cycles = figures.cycles_of(name, f"ntt-{degree}")
            if cycles:
                rows.append((f"`{name}`, whole engine", "7-series, open flow", str(degree), "30-bit",
                             *(field(record, part) for part in ("dsp", "lut", "ff", "bram")), ABSENT, ABSENT, whole(cycles)))
    return markdown(("work", "platform", "n", "q", "DSP", "LUT", "FF", "BRAM", "MHz", "us", "cycles"), rows, 4)


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
    for config in ("w32p1", "w32p2", "w32p4", "w32p8"):
        for key in ("sym", "pk"):
            measured, bound = figures.cycles_of(config, f"ckks-4096x3-{key}"), bounds(config, 4096, 3, key == "pk")
            if measured:
                limit = max(bound, key=bound.get)
                rows.append((f"`{config}`", {"sym": "secret", "pk": "public"}[key], *(whole(value) for value in bound.values()),
                             limit, whole(measured), f"{bound[limit] / measured:.2f}"))
    return markdown(("ours", "key", "products", "XOF", "bus", "the largest", "measured", "bound / measured"), rows, 2)
