"""`python3 -m bench.air.beside --isopod PROGRAM`: bytes of a reading in Isopod and TenSEAL at equal error, and scores of 10,000
rows in each.

Writes bench/out/beside.json and, where its figures are stale, docs/measurements/tables/beside.md. PROGRAM is a release build.
Exit status: 0 within the limits, 1 one is missed, 2 not measurable."""
import argparse
import json
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import tenseal

from bench.air.cases import AIR2, MODEL, READINGS, SECRET, SLOTS, clear_rows
from bench.air.equal import Row, complaints, tables, update
from bench.air.others import largest, uniform, version
from bench.air.program import Isopod
from bench.record import OUT, commit, judged, write

FEATURES, PLACES, ROWS, ROUNDS = 30, 2040, 10_000, 5
# Degree, bits of primes, log2 of the scale. The last prime is that of keys: ciphertexts do not have it.
SUMS = (4096, (36, 36), 26)
SCORES = ((4096, (38, 30, 38), 30), (8192, (60, 40, 40, 60), 40))
# The precision at which Isopod's largest error is at most that of TenSEAL, which is smaller by secret key.
PRECISIONS = {"public": "0.00015", "secret": "0.00003"}


def parameters(degree: int, bits: tuple[int, ...], scale: int) -> str:
    """A parameter set of TenSEAL in words, without the prime that only keys have."""
    return f"n = {degree:,}, {' + '.join(map(str, bits[:-1]))} bits, scale 2^{scale}"


def context(degree: int, bits: tuple[int, ...], scale: int, **more) -> tenseal.Context:
    """A key pair of TenSEAL."""
    made = tenseal.context(tenseal.SCHEME_TYPE.CKKS, degree, coeff_mod_bit_sizes=list(bits), **more)
    made.global_scale = 2.0 ** scale
    return made


def readings(isopod: Isopod) -> list[Row]:
    """Readings that are encrypted and decrypted: 68 rows of 30 in one ciphertext, several times."""
    values = uniform(PLACES)
    isopod.write("readings.csv", [values[at:at + FEATURES] for at in range(0, PLACES, FEATURES)])
    ours = [our_readings(isopod, values, key, options) for key, options in (("public", ()), ("secret", SECRET))]
    kinds = (("public", tenseal.ENCRYPTION_TYPE.ASYMMETRIC), ("secret", tenseal.ENCRYPTION_TYPE.SYMMETRIC))
    return [*ours, *(their_readings(values, key, kind) for key, kind in kinds)]


def our_readings(isopod: Isopod, values: list[float], key: str, options: tuple[str, ...]) -> Row:
    """Rounded coefficients at the error of TenSEAL. The sum of one frame is that frame."""
    errors = []
    for _ in range(ROUNDS):
        size = isopod.encrypt(AIR2, "readings.csv", "--bound-bits", "2", "--precision", PRECISIONS[key], *options)
        errors.append(largest(isopod.answer(AIR2, "--job", "sum"), values))
    settings = f"`{AIR2}`, precision {PRECISIONS[key]}"
    return Row("readings", f"Isopod, {key} key", settings, size / PLACES, statistics.median(errors))


def their_readings(values: list[float], key: str, kind: tenseal.ENCRYPTION_TYPE) -> Row:
    """A vector of TenSEAL that can be added and no more."""
    keys = context(*SUMS, encryption_type=kind)
    vectors = [tenseal.ckks_vector(keys, values) for _ in range(ROUNDS)]
    size = statistics.median(len(vector.serialize()) for vector in vectors)
    error = statistics.median(largest(vector.decrypt(), values) for vector in vectors)
    return Row("readings", f"TenSEAL, {key} key", parameters(*SUMS), size / PLACES, error)


def scores(isopod: Isopod) -> list[Row]:
    """10,000 rows of 30 features under a linear model."""
    clear = clear_rows()
    rows = [clear[at % len(clear)] for at in range(ROWS)]
    model = json.loads(Path(MODEL).read_text())
    wanted = [sum(weight * x for weight, x in zip(model["weights"], row)) for row in rows]
    isopod.write("rows.csv", rows, Path(READINGS).read_text().splitlines()[0].split(","))
    ours = [row_by_row(isopod, name, [score + model["bias"] for score in wanted]) for name in (SLOTS, AIR2)]
    return [*ours, by_column(isopod, rows, model["weights"], wanted),
            *(theirs(settings, rows, model["weights"], wanted) for settings in SCORES)]


def row_by_row(isopod: Isopod, name: str, wanted: list[float]) -> Row:
    """Rows side by side in each frame."""
    sent = isopod.encrypt(name, "rows.csv", "--model", MODEL, "--standardised", "--bound-bits", "2")
    seconds = median_of(lambda: evaluate(isopod, name, "--job", "logistic", "--model", MODEL))
    error = largest(isopod.values(name, "results.bin"), wanted)
    return Row("scores", "Isopod, row by row", f"`{name}`", sent, error, isopod.size("results.bin"), seconds)


def by_column(isopod: Isopod, rows: list[list[float]], weights: list[float], wanted: list[float]) -> Row:
    """A frame for each column of a block of rows: the weighted sum of the frames is a score for each row."""
    block, totals, found = 2048, [0, 0], []
    seconds = 0.0
    for first in range(0, ROWS, block):
        isopod.write("columns.csv", [list(column) for column in zip(*rows[first:first + block])])
        totals[0] += isopod.encrypt(AIR2, "columns.csv", "--rows-per-frame", "1", "--bound-bits", "2")
        job = ("--job", "weighted", f"--weights={','.join(map(repr, weights))}")
        seconds += median_of(lambda: evaluate(isopod, AIR2, *job))  # noqa: B023, called at once
        totals[1] += isopod.size("results.bin")
        found += isopod.values(AIR2, "results.bin")
    return Row("scores", "Isopod, column by column", f"`{AIR2}`", totals[0], largest(found, wanted), totals[1], seconds)


def evaluate(isopod: Isopod, name: str, *job: str) -> float:
    """Seconds of processor time of the server's command, start and files included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    isopod.run("evaluate", "--keys", f"{name}/server", "--in", "frames.bin", "--out", "results.bin", "--force", "--again", *job)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def theirs(settings: tuple[int, tuple[int, ...], int], rows: list[list[float]], weights: list[float], wanted: list[float]) -> Row:
    """Vectors of TenSEAL, one for each column of a block of rows."""
    block = settings[0] // 2
    keys = context(*settings)
    sent, answers, found, seconds = 0, 0, [], 0.0
    for first in range(0, ROWS, block):
        columns = [tenseal.ckks_vector(keys, list(column)) for column in zip(*rows[first:first + block])]
        sent += sum(len(column.serialize()) for column in columns)
        seconds += median_of(lambda: timed(lambda: weighted(columns, weights)))  # noqa: B023, called at once
        answer = weighted(columns, weights)
        answers += len(answer.serialize())
        found += answer.decrypt()
    return Row("scores", "TenSEAL, column by column", parameters(*settings), sent, largest(found, wanted), answers, seconds)


def weighted(columns: list[tenseal.CKKSVector], weights: list[float]) -> tenseal.CKKSVector:
    """The sum of the columns times their weights."""
    total = columns[0] * weights[0]
    for column, weight in zip(columns[1:], weights[1:], strict=True):
        total += column * weight
    return total


def timed(work: Callable[[], object]) -> float:
    """Seconds of processor time of all threads."""
    start = time.process_time()
    work()
    return time.process_time() - start


def median_of(measure: Callable[[], float]) -> float:
    """The median of several rounds."""
    return statistics.median(measure() for _ in range(ROUNDS))


def main() -> int:
    """Measures, writes and prints the tables, and judges them."""
    parser = argparse.ArgumentParser(prog="python3 -m bench.air.beside", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--isopod", required=True, type=Path, metavar="PROGRAM")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        try:
            isopod = Isopod(options.isopod.resolve(), Path(place))
            rows = [*readings(isopod), *scores(isopod)]
            tools = {"isopod": isopod.run("--version").strip(), "tenseal": version()}
        except (RuntimeError, OSError) as error:
            print(f"cannot measure: {error}", file=sys.stderr)
            return 2
    same = {"tools": tools, "commit": commit()}
    write(OUT / "beside.json", [{"case": f"{row.table}: {row.name}", **vars(row), **same} for row in rows])
    update(rows)
    print(tables(rows))
    return judged(complaints(rows))


if __name__ == "__main__":
    sys.exit(main())
