"""The cases of `make bench-air`: the rows of examples/breast-cancer, and readings of 12 bits.

Bytes are counted in whole files, with the headers and tags of every frame."""
import csv
import json
import random
import statistics
import struct
from dataclasses import dataclass

from bench.air.program import Isopod
from bench.record import ROOT

EXAMPLE = ROOT / "examples/breast-cancer"
MODEL, READINGS = str(EXAMPLE / "model.json"), str(EXAMPLE / "readings.csv")
SECRET = ("--by-secret-key",)
FRAMES = 100
DEGREE = 2048
BITS = 12
TEN = 10
RUNS = 5

AIR1, AIR2, SLOTS = "ckks-2048x1-air", "ckks-2048x2-air", "ckks-4096x2-linear"
# Readings of 12 bits as -2 to 2, so that sums of 100 fill the modulus: 2^22 / 2^12 is a reading's last bit, 2^11.
TWELVE = ("--bound-bits", "1", "--scale-bits", "21")


@dataclass(frozen=True)
class Case:
    """A way to send, with its limits: bytes (per row, per reading or in all) and the largest error."""

    name: str
    set: str
    options: tuple[str, ...] = ()
    most: float | None = None
    error: float | None = None

    @property
    def key(self) -> str:
        """The kind of key that encrypts."""
        return "secret" if SECRET[0] in self.options else "public"


ROWS = (
    Case("rows-secret", AIR1, ("--scale-bits", "17", "--precision", "0.006", *SECRET), 94, 0.01),
    Case("rows-public", AIR1, ("--scale-bits", "16", "--precision", "0.025"), 205, 0.04),
    Case("rows-precise-secret", AIR2, ("--precision", "0.001", *SECRET), 134, 0.002),
    Case("rows-precise-public", AIR2, ("--precision", "0.0005"), 305, 0.001),
    Case("rows-slots-secret", SLOTS, SECRET),
    Case("rows-slots-public", SLOTS),
)
RESULTS = Case("result-row", AIR2, most=120)
SUMS = (
    Case("sum-secret", AIR1, (*TWELVE, "--precision", "0.006", *SECRET), 2.4),
    Case("sum-public", AIR1, (*TWELVE, "--precision", "0.006"), 5.5),
    Case("sum-exact-secret", "bfv-2048x2-air", ("--bound-bits", "11", *SECRET)),
    Case("sum-exact-public", "bfv-2048x2-air", ("--bound-bits", "11")),
)
FEW = Case("ten-readings-secret", AIR1, ("--scale-bits", "14", "--precision", "0.012", "--bound-bits", "2", *SECRET), 250)
TFHE = (
    Case("tfhe-1024-bits", "tfhe-1024-tuniform", ("--allow-compat-tfhepp", *SECRET), 2252),
    Case("tfhe-1024-bits-2048", "tfhe-2048-tfhe-rs", SECRET),
)


def clear_rows() -> list[list[float]]:
    """The demonstration's readings."""
    with open(READINGS, newline="") as file:
        return [[float(cell) for cell in row] for row in list(csv.reader(file))[1:]]


def scores(rows: list[list[float]]) -> list[float]:
    """The scores of the rows, computed without encryption."""
    model = json.loads((EXAMPLE / "model.json").read_text())
    return [model["bias"] + sum(weight * x for weight, x in zip(model["weights"], row)) for row in rows]


def compared(found: list[float], clear: list[float]) -> dict:
    """The largest error, and the number of predictions whose sign changed."""
    pairs = list(zip(found, clear, strict=True))
    return {"error": max(abs(a - b) for a, b in pairs), "flips": sum((a > 0) != (b > 0) for a, b in pairs)}


def rows(isopod: Isopod) -> list[dict]:
    """Sends the demonstration's rows in each way, and keeps the results of one of them."""
    clear = clear_rows()
    records = []
    for case in ROWS:
        records.append(rows_of(isopod, case, clear))
        if case.name == "rows-precise-public":
            size = isopod.size("results.bin")
            records.append(record(RESULTS, size, rows=len(clear), error=records[-1]["error"], flips=records[-1]["flips"]))
    return records


def rows_of(isopod: Isopod, case: Case, clear: list[list[float]]) -> dict:
    """Encrypts, scores and decrypts all rows several times, because the largest error depends on chance and its median hardly
    does."""
    wanted, runs = scores(clear), []
    for _ in range(RUNS):
        size = isopod.encrypt(case.set, READINGS, "--model", MODEL, "--standardised", "--bound-bits", "2", *case.options)
        runs.append(compared(isopod.answer(case.set, "--job", "logistic", "--model", MODEL), wanted))
    errors = [run["error"] for run in runs]
    return record(case, size, rows=len(clear), readings=len(clear) * len(clear[0]), error=statistics.median(errors),
                  errors=errors, flips=sum(run["flips"] for run in runs))


def floats() -> dict:
    """The rows sent as float32, without encryption."""
    clear = clear_rows()
    columns = len(clear[0])
    sent = [struct.pack(f"<{columns}f", *row) for row in clear]
    found = scores([list(struct.unpack(f"<{columns}f", row)) for row in sent])
    case = Case("rows-float32", "")
    return record(case, sum(map(len, sent)), rows=len(clear), readings=len(clear) * columns, **compared(found, scores(clear)))


def sums(isopod: Isopod) -> list[dict]:
    """Adds up 100 frames of uniform 12-bit readings that fill the ring. The error counts in units of a reading's last bit."""
    numbers = random.Random("bench-air")
    half = 1 << (BITS - 1)
    readings = [[numbers.randrange(-half, half) for _ in range(DEGREE)] for _ in range(FRAMES)]
    isopod.write("integers.csv", readings)
    isopod.write("reals.csv", [[2 * reading / half for reading in row] for row in readings])
    clear = [float(sum(column)) for column in zip(*readings)]
    return [sum_of(isopod, case, clear) for case in SUMS]


def sum_of(isopod: Isopod, case: Case, clear: list[float]) -> dict:
    """Encrypts one row per frame, adds all up and decrypts."""
    is_exact = case.set.startswith("bfv")
    size = isopod.encrypt(case.set, "integers.csv" if is_exact else "reals.csv", "--rows-per-frame", "1", *case.options)
    found = isopod.answer(case.set, "--job", "sum")
    unit = 1 if is_exact else (1 << BITS) // 4
    error = compared([value * unit for value in found], clear)["error"]
    return record(case, size, readings=FRAMES * DEGREE, frames=FRAMES, error=error, largest_sum=max(map(abs, clear)))


def few(isopod: Isopod) -> dict:
    """Sends one frame of ten readings, adds it up and compares."""
    row = clear_rows()[0][:TEN]
    isopod.write("ten.csv", [row])
    size = isopod.encrypt(FEW.set, "ten.csv", *FEW.options)
    found = isopod.answer(FEW.set, "--job", "sum")
    return record(FEW, size, readings=TEN, **compared(found, row))


def bits(isopod: Isopod) -> list[dict]:
    """Sends one frame of 1,024 random bits for each ring. A body has two bytes at N = 1024 and four at N = 2048."""
    numbers = random.Random("bench-air")
    isopod.write("bits.csv", [[numbers.randrange(2) for _ in range(1024)]])
    return [record(case, isopod.encrypt(case.set, "bits.csv", "--type", "bool", *case.options), readings=1024) for case in TFHE]


def record(case: Case, size: int, rows: int | None = None, readings: int | None = None, **more) -> dict:
    """The record of a case."""
    limit = {"limit": case.most} if case.most is not None else {}
    limit |= {"error_limit": case.error} if case.error is not None else {}
    each = {"bytes_per_row": size / rows} if rows else {}
    each |= {"bytes_per_reading": size / readings} if readings else {}
    return {"case": case.name, "set": case.set, "key": case.key, "bytes": size, **each, **more, **limit}
