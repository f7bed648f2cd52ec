"""`python3 -m bench.air.run --isopod PROGRAM --products FILE`: bytes and errors of coefficient frames, beside other libraries.

Writes bench/out/air.json and, where their figures are stale, the tables of docs/measurements/tables/bytes.md and
docs/measurements/bytes.svg. FILE holds the records `inner-product` of `bench-eval`. Exit status: 0 within the limits, 1 one
is missed, 2 not measurable."""
import argparse
import sys
import tempfile
from pathlib import Path

from bench.air import cases, limits, others, page
from bench.air.program import Isopod
from bench.record import OUT, commit, judged, read, write

METHOD = "The command line encrypts files, evaluates and decrypts; bytes are those of the files of frames and results. Rows: the \
569 of examples/breast-cancer, encrypted five times, with the same entropy in every run: error is the median of the largest \
errors of a score against the clear, flips the predictions that changed in all. Sums: 100 frames that fill the ring, of uniform \
readings of 12 bits; the error in units of their last bit. SEAL and TenSEAL: one full ciphertext, compressed by zstd; the error \
is that of a decrypted reading, before any computation."


def measured(isopod: Isopod) -> list[dict]:
    """Our records and those of the other libraries."""
    ours = [*cases.rows(isopod), *cases.sums(isopod), cases.few(isopod), *cases.bits(isopod)]
    tools = {"isopod": isopod.run("--version").strip(), "tenseal": others.version()}
    same = {"method": METHOD, "tools": tools, "commit": commit()}
    return [record | same for record in (*ours, cases.floats(), *others.records())]


def products(path: Path) -> list[dict]:
    """The records of products by public weights."""
    return [record | {"commit": commit()} for record in read(path) if record["case"] == "inner-product"]


def table(records: list[dict]) -> str:
    """One line per record."""
    names = ("bytes_per_row", "bytes_per_reading", "bytes", "error", "flips", "ratio_to_seal")
    lines = [" ".join(["case".ljust(24), *(name.rjust(18) for name in names)])]
    for record in records:
        cells = (f"{record[name]:.4g}" if name in record and record[name] is not None else "" for name in names)
        lines.append(" ".join([record["case"].ljust(24), *(cell.rjust(18) for cell in cells)]))
    return "\n".join(lines)


def main() -> int:
    """Measures, writes and prints the records, and judges them by their limits."""
    parser = argparse.ArgumentParser(prog="python3 -m bench.air.run", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--isopod", required=True, type=Path, metavar="PROGRAM")
    parser.add_argument("--products", required=True, type=Path, metavar="FILE")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        try:
            records = [*measured(Isopod(options.isopod.resolve(), Path(place))), *products(options.products)]
        except (RuntimeError, OSError) as error:
            print(f"cannot measure: {error}", file=sys.stderr)
            return 2
    write(OUT / "air.json", records)
    if page.write(records):
        page.draw(page.published_bars())
    print(table(records))
    return judged(limits.complaints(records))


if __name__ == "__main__":
    sys.exit(main())
