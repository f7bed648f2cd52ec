"""The tables of docs/measurements/tables/bytes.md, from the records of a run."""
import re

from bench.freshness import stale
from ports.emulate import ROOT

DOCUMENT = ROOT / "docs/measurements/tables/bytes.md"
TFHE_RS = ROOT / "bench/paper/tfhe-sbc/README.md"
BEGIN, END = "<!-- table-begin -->", "<!-- table-end -->"

NAMES = {
    "rows-secret": "coefficients, rounded",
    "rows-public": "coefficients, rounded",
    "rows-precise-secret": "coefficients, rounded, precise",
    "rows-precise-public": "coefficients, rounded, precise",
    "rows-slots-secret": "slots",
    "rows-slots-public": "slots",
    "rows-float32": "float32, not encrypted",
    "rows-seal-seeded": "SEAL, seeded and compressed",
    "rows-seal-compressed": "SEAL, compressed",
    "rows-tenseal": "TenSEAL, compressed",
    "sum-secret": "coefficients, rounded",
    "sum-public": "coefficients, rounded",
    "sum-exact-secret": "coefficients, rounded, exact",
    "sum-exact-public": "coefficients, rounded, exact",
    "sum-seal-seeded": "SEAL, seeded and compressed",
    "sum-seal-compressed": "SEAL, compressed",
    "tfhe-1024-bits": "bodies of two bytes",
    "tfhe-1024-bits-2048": "bodies of four bytes",
}


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A table in Markdown: two columns of text, then numbers."""
    lines = [f"| {' | '.join(head)} |", f"| --- | --- |{' ---: |' * (len(head) - 2)}"]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows])


def rows(records: list[dict]) -> str:
    """The demonstration's rows."""
    chosen = ways_to_send_a_row(records)
    cells = [(title(record), parameters(record), f"{record['bytes_per_row']:.1f}", f"{record['bytes_per_reading']:.2f}",
              f"{record['error']:.1e}") for record in chosen]
    return table(("a row of 30 readings", "set", "bytes per row", "bytes per reading", "largest error"), cells)


def bars(records: list[dict]) -> list[tuple[str, str]]:
    """Each way to send the demonstration's rows, and its bytes per reading as the table prints them."""
    return [(title(record), f"{record['bytes_per_reading']:.2f}") for record in ways_to_send_a_row(records)]


def published_bars() -> list[tuple[str, str]]:
    """The bars of the document's table."""
    _, _, table_of_rows = DOCUMENT.read_text().partition("| a row of 30 readings |")
    return re.findall(r"^\| ([^|]+) \|[^|]*\| [\d.]+ \| ([\d.]+) \|", table_of_rows.partition("\n\n")[0], re.MULTILINE)


def label(title: str) -> str:
    """The name of a bar: ours begin with the project's, and rounded coefficients are what needs no word."""
    way, _, key = title.partition("; ")
    ours = {"coefficients, rounded": "Isopod", "coefficients, rounded, precise": "Isopod, precise", "slots": "Isopod, slots"}
    return f"{ours.get(way, way)}, {key}" if key else way


def ways_to_send_a_row(records: list[dict]) -> list[dict]:
    """Their records, the fewest bytes first."""
    return sorted((record for record in records if record["case"].startswith("rows-")), key=lambda one: one["bytes_per_row"])


def sums(records: list[dict]) -> str:
    """Readings of 12 bits that are added up."""
    chosen = sorted((record for record in records if record["case"].startswith("sum-")), key=lambda one: one["bytes_per_reading"])
    cells = [(title(record), parameters(record), f"{record['bytes_per_reading']:.2f}", f"{record['error']:.0f}")
             for record in chosen]
    return table(("readings of 12 bits", "set", "bytes per reading", "largest error, last bits"), cells)


def bits(records: list[dict]) -> str:
    """1,024 bits under TFHE, and tfhe-rs's of as many."""
    chosen = [record for record in records if record["case"].startswith("tfhe-")]
    cells = [(title(record), parameters(record), f"{record['bytes']:,}") for record in chosen]
    return table(("1,024 bits", "set", "bytes"), cells + tfhe_rs())


def tfhe_rs() -> list[tuple[str, str, str]]:
    """tfhe-rs's smallest ways, from the table of `make bench-tfhe`."""
    text = TFHE_RS.read_text()
    ways = ("secret key, one seeded GLWE ciphertext", "public key, packed compact list")
    found = [re.search(rf"^\| tfhe-rs, {way} \| [\d,]+ \| ([\d,]+) \|$", text, re.MULTILINE) for way in ways]
    return [(f"tfhe-rs, {way}", "PARAM_MESSAGE_2_CARRY_2", match[1]) for way, match in zip(ways, found)]


def parameters(record: dict) -> str:
    """Names of our sets as code; nothing for what is not encrypted."""
    name = record["set"]
    return f"`{name}`" if "-" in name else name


def title(record: dict) -> str:
    """Name and kind of key."""
    name = NAMES[record["case"]]
    return f"{name}; {record['key']} key" if record["set"] else name


def others(records: list[dict]) -> str:
    """Sizes that stand alone, and the server's time."""
    by_case = {record["case"]: record for record in records}
    products = [record for record in records if record["case"] == "inner-product"]
    ratios = ", ".join(f"{one['ratio_to_seal']:.1f} (`{one['set']}`)" for one in products)
    return "\n".join([
        f"- A frame of ten readings by secret key: {by_case['ten-readings-secret']['bytes']} bytes in all.",
        f"- Results of the demonstration, a score of each row: {by_case['result-row']['bytes_per_row']:.1f} bytes per row.",
        f"- CPU time of a product by public weights, that of SEAL without HEXL as 1: {ratios}.",
    ])


def document(committed: str, records: list[dict]) -> str:
    """The text, the tables between its marks replaced; ValueError if a mark is missing."""
    before, begin, rest = committed.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{DOCUMENT.name}: {BEGIN} or {END} is missing; the tables go between them")
    parts = "\n\n".join(part(records) for part in (rows, sums, bits, others))
    return f"{before}{BEGIN}\n\n{parts}\n\n{END}{after}"


def write(records: list[dict]) -> bool:
    """Writes the tables if they are stale by the rule of bench/freshness.py; whether they were. Times and what TenSEAL
    compresses, which takes no seed, are a little different in every run."""
    committed = DOCUMENT.read_text()
    fresh = document(committed, records)
    if not stale(committed, fresh):
        return False
    DOCUMENT.write_text(fresh)
    return True
