"""The tables of docs/measurements/tables/bytes.md, from the records of a run.

`python3 -m bench.air.page` draws docs/measurements/bytes.svg from the first of them."""
import re

from bench.document import markdown, with_table
from bench.freshness import stale
from bench.plot import GREEN, OURS, SAND, SLATE, drawing, numbered
from bench.record import ROOT

DOCUMENT = ROOT / "docs/measurements/tables/bytes.md"
PLOT = ROOT / "docs/measurements/bytes.svg"
TFHE_RS = ROOT / "bench/paper/tfhe-sbc/README.md"

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
    "rows-tenseal": "TenSEAL, parameters of its tutorial",
    "sum-secret": "coefficients, rounded",
    "sum-public": "coefficients, rounded",
    "sum-exact-secret": "coefficients, rounded, exact",
    "sum-exact-public": "coefficients, rounded, exact",
    "sum-seal-seeded": "SEAL, seeded and compressed",
    "sum-seal-compressed": "SEAL, compressed",
    "tfhe-1024-bits": "bodies of two bytes",
    "tfhe-1024-bits-2048": "bodies of four bytes",
}


def rows(records: list[dict]) -> str:
    """The demonstration's rows."""
    cells = [(title(record), parameters(record), f"{record['bytes_per_row']:.1f}", f"{record['bytes_per_reading']:.2f}",
              f"{record['error']:.1e}") for record in by_size(records, "rows-", "bytes_per_row")]
    return markdown(("a row of 30 readings", "set", "bytes per row", "bytes per reading", "largest error"), cells, 2)


def by_size(records: list[dict], prefix: str, field: str) -> list[dict]:
    """The records of the cases with this prefix, the fewest bytes first."""
    return sorted((record for record in records if record["case"].startswith(prefix)), key=lambda one: one[field])


def sums(records: list[dict]) -> str:
    """Readings of 12 bits that are added up."""
    cells = [(title(record), parameters(record), f"{record['bytes_per_reading']:.2f}", f"{record['error']:.0f}")
             for record in by_size(records, "sum-", "bytes_per_reading")]
    return markdown(("readings of 12 bits", "set", "bytes per reading", "largest error, last bits"), cells, 2)


def bits(records: list[dict]) -> str:
    """1,024 bits under TFHE, beside the same number of bits in tfhe-rs."""
    chosen = [record for record in records if record["case"].startswith("tfhe-")]
    cells = [(title(record), parameters(record), f"{record['bytes']:,}") for record in chosen]
    return markdown(("1,024 bits", "set", "bytes"), cells + tfhe_rs(), 2)


def tfhe_rs() -> list[tuple[str, str, str]]:
    """The smallest ciphertexts of tfhe-rs, from the table that `make bench-tfhe` writes."""
    text = TFHE_RS.read_text()
    ways = ("secret key, one seeded GLWE ciphertext", "public key, packed compact list")
    found = [re.search(rf"^\| tfhe-rs, {way} \| [\d,]+ \| ([\d,]+) \|$", text, re.MULTILINE) for way in ways]
    return [(f"tfhe-rs, {way}", "PARAM_MESSAGE_2_CARRY_2", match[1]) for way, match in zip(ways, found)]


def parameters(record: dict) -> str:
    """The name of one of our sets in code font; other names as they are."""
    name = record["set"]
    return f"`{name}`" if "-" in name else name


def title(record: dict) -> str:
    """The way to send, and by which key."""
    name = NAMES[record["case"]]
    return f"{name}; {record['key']} key" if record["set"] else name


def others(records: list[dict]) -> str:
    """Sizes outside the tables, and the server's time."""
    by_case = {record["case"]: record for record in records}
    products = [record for record in records if record["case"] == "inner-product"]
    ratios = ", ".join(f"{one['ratio_to_seal']:.1f} (`{one['set']}`)" for one in products)
    return "\n".join([
        f"- A frame of ten readings by secret key: {by_case['ten-readings-secret']['bytes']} bytes in all.",
        f"- Results of the demonstration, a score of each row: {by_case['result-row']['bytes_per_row']:.1f} bytes per row.",
        f"- CPU time of a product by public weights, that of SEAL without HEXL as 1: {ratios}.",
    ])


def document(committed: str, records: list[dict]) -> str:
    """The page with fresh tables; ValueError if a mark is missing."""
    return with_table(committed, "\n\n".join(part(records) for part in (rows, sums, bits, others)))


def write(records: list[dict]) -> bool:
    """Writes the tables if they are stale by the rule of bench/freshness.py; True if they were.

    Times differ a little in every run. So does what TenSEAL compresses, because it takes no seed."""
    committed = DOCUMENT.read_text()
    fresh = document(committed, records)
    if not stale(committed, fresh):
        return False
    DOCUMENT.write_text(fresh)
    return True


def published_bars() -> list[tuple[str, str]]:
    """Each way to send a row in the page's table, with its bytes per reading."""
    _, _, table = DOCUMENT.read_text().partition("| a row of 30 readings |")
    return re.findall(r"^\| ([^|]+) \|[^|]*\| [\d.]+ \| ([\d.]+) \|", table.partition("\n\n")[0], re.MULTILINE)


def label(title: str) -> str:
    """The name of a bar. Those of this project begin with its name, and rounded coefficients need no further word."""
    way, _, key = title.partition("; ")
    ours = {"coefficients, rounded": "Isopod", "coefficients, rounded, precise": "Isopod, precise", "slots": "Isopod, slots"}
    return f"{ours.get(way, way)}, {key}" if key else way


def draw(bars: list[tuple[str, str]]) -> None:
    """Draws a bar for each way to send a reading, the fewest bytes on top."""
    ordered = bars[::-1]
    lengths = [float(length) for _, length in ordered]
    with drawing(PLOT, figsize=(8, 3.6)) as (_, axes):
        axes.barh([label(title) for title, _ in ordered], lengths, height=0.7, color=[colour(title) for title, _ in ordered])
        numbered(axes, [(length, at) for at, length in enumerate(lengths)], tuple(length for _, length in ordered), (4, 0),
                 va="center")
        axes.set_title("Bytes on the air for one reading", loc="left", fontweight="bold")
        axes.tick_params(length=0)
        axes.spines[["bottom", "left"]].set_visible(False)
        axes.set(xticks=[], xmargin=0.08)


def colour(title: str) -> str:
    """The colour of plain numbers, other libraries, slots and rounded coefficients."""
    return {"float32": SLATE, "SEAL": SAND, "TenSEAL": SAND, "slots": GREEN, "coefficients": OURS}[re.split("[,;]", title)[0]]


if __name__ == "__main__":
    draw(published_bars())
