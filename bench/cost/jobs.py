"""`python3 -m bench.cost.jobs --isopod PROGRAM --out FILE`, from the root of the repository: runs real jobs through
isopod-server. The server stands beside PROGRAM, and both are built with the feature tfhe.

Each round starts a server on an empty folder, uploads fresh frames, asks for the job and downloads the results. The record
counts the bytes of frames and results, and the processor time of the server from the first byte to the last, as the median of
all rounds. The first answer of every job is compared with the clear one. The instructions of a device come from `isopod
advise` or were counted on AArch64. Local computation is put together from SEAL's operations where these were counted."""
import argparse
import csv
import json
import math
import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.record import ROOT, write

TABLES = ROOT / "crates/cost/tables"
FOOTPRINTS = ROOT / "crates/cli/src/commands/parameters/footprints.csv"
EXAMPLES = ROOT / "examples"
METERS, HOURS, ROWS = 1024, 24, 64
ROUNDS = 5
LIMIT = 90


@dataclass(frozen=True)
class Job:
    """A job: its key pair, its values and its request, the clear answer, and the operations of SEAL that would compute it
    locally."""

    title: str
    set: str
    record: str  # in footprints.csv
    keygen: tuple[str, ...]
    values: Callable[[], list[list[float]]]
    encrypt: tuple[str, ...]
    request: tuple[str, ...]
    clear: Callable[[list[list[float]]], list[float]]
    frames: int
    local: dict[str, int]


def readings(path: str) -> list[list[float]]:
    """The rows of an example's readings; the first one is the header."""
    with (EXAMPLES / path).open(newline="") as file:
        return list(csv.reader(file))


def day() -> list[list]:
    """The power of each meter and its square, for every hour."""
    power = [[0.5 + 0.4 * math.sin(hour / 4 + meter) for meter in range(METERS)] for hour in range(HOURS)]
    header = [f"{name}{meter}" for name in ("power", "square") for meter in range(METERS)]
    return [header, *([*row, *(value * value for value in row)] for row in power)]


def means(table: list[list]) -> list[float]:
    """The means of all columns."""
    return [statistics.fmean(map(float, column)) for column in zip(*table[1:])]


def scores(table: list[list]) -> list[float]:
    """The model's scores of standardised rows."""
    model = json.loads((EXAMPLES / "breast-cancer/model.json").read_text())
    return [model["bias"] + sum(w * float(x) for w, x in zip(model["weights"], row)) for row in table[1:]]


MODEL = ("--model", str(EXAMPLES / "breast-cancer/model.json"))
JOBS = (
    Job("mean and variance of a day, 1,024 meters", "ckks-4096x3-multiply", "ckks-4096x3m-sym-fast", ("--for", "mean"), day,
        ("--rows-per-frame", "1", "--bound-bits", "0"), ("--job", "mean"), means, HOURS, {"add": HOURS - 1, "multiply-plain": 1}),
    Job("scores of a model, 64 rows of 30 features", "ckks-4096x3-multiply", "ckks-4096x3m-sym-fast",
        ("--for", "linear", "--stride", "32"), lambda: readings("breast-cancer/readings.csv")[:ROWS + 1],
        (*MODEL, "--standardised"), ("--job", "logistic", *MODEL), scores, 1, {"multiply-plain": 1, "rotate": 5, "add": 5}),
    Job("alarm on 18 readings", "tfhe-2048-tfhe-rs", "tfhe-2048-sym", ("--for", "alarm"), lambda: readings("alarm/readings.csv"),
        ("--type", "u8"), ("--job", "alarm", "--above", str(LIMIT)),
        lambda table: [float(max(float(cell) for row in table[1:] for cell in row) > LIMIT)], 1, {}),
)


def processor_ms(process: int) -> float:
    """Processor time of all threads of a process."""
    used = [Path(thread, "schedstat").read_text().split()[0] for thread in Path(f"/proc/{process}/task").iterdir()]
    return sum(map(int, used)) / 1e6


def rows(table: Path) -> list[dict[str, str]]:
    """The rows of a table."""
    with table.open(newline="") as file:
        return list(csv.DictReader(file))


def counts(job: Job) -> dict[tuple[str, str, str], float]:
    """Instructions by core, side and operation: of one frame of the device library, and of SEAL's operations at the job's
    degree."""
    sent = {(row["core"], "isopod", "send-secret"): float(row["million_instructions"]) * 1e6 for row in rows(FOOTPRINTS)
            if row["case"] == job.record}
    return sent | {(row["board"], row["side"], row["operation"]): float(row["instructions"])
                   for row in rows(TABLES / "instructions.csv") if job.set.startswith(f"{row['scheme']}-{row['degree']}x")}


def instructions(job: Job) -> tuple[dict[str, float], dict[str, float]]:
    """Instructions of boards that compute by themselves, and of boards that send."""
    counted = counts(job)
    boards = {row["name"]: row["counted_as"] for row in rows(TABLES / "boards.csv")}
    device = {name: counted[core, "isopod", "send-secret"] * job.frames for name, core in boards.items()
              if (core, "isopod", "send-secret") in counted}
    alone = [name for name, core in boards.items() if job.local and all((core, "seal", one) in counted for one in job.local)]
    local = {name: sum(counted[boards[name], "seal", one] * times for one, times in job.local.items()) for name in alone}
    return local, device


class Round:
    """A key pair for a job, and the commands that use it."""

    def __init__(self, harness, job: Job):
        self.harness, self.job, self.place = harness, job, harness.folder()
        harness.isopod("keygen", "--set", job.set, *job.keygen, "--allow-device-secret-key", "--out", self.place / "keys")
        harness.isopod("request", "--keys", self.place / "keys/owner", *job.request, "--out", self.place / "request.json")
        self.table = job.values()
        with (self.place / "values.csv").open("w", newline="") as file:
            csv.writer(file).writerows(self.table)

    def frames(self) -> bytes:
        """Fresh frames."""
        self.harness.isopod("encrypt", "--keys", self.place / "keys/device-1", "--values",
                            self.place / "values.csv", *self.job.encrypt, "--out", self.place / "frames.bin", "--force")
        return (self.place / "frames.bin").read_bytes()

    def run(self) -> dict:
        """One round: bytes in both directions, milliseconds of the server and of the whole round, and the results."""
        frames = self.frames()
        with self.harness.Server(self.place / "keys/server") as server:
            begin, used = time.monotonic(), processor_ms(server.process.pid)
            server.send(frames)
            state, results = server.run_job(request=json.loads((self.place / "request.json").read_text()))
            found = {"up_bytes": len(frames), "down_bytes": len(results), "total_ms": (time.monotonic() - begin) * 1e3,
                     "server_ms": processor_ms(server.process.pid) - used}
        if not results:
            raise RuntimeError(f"{self.job.title}: {state}")
        return found | {"results": results}

    def check(self, results: bytes) -> None:
        """Decrypts the results and compares them with the clear answer; RuntimeError if a value is off by more than its error."""
        (self.place / "results.bin").write_bytes(results)
        words = ("--json", "decrypt", "--keys", self.place / "keys/owner", "--in", self.place / "results.bin")
        opened = json.loads(self.harness.isopod(*words))["values"]
        for value, clear in zip(opened, self.job.clear(self.table), strict=True):
            if abs(value["value"] - clear) > value.get("error", 0):
                raise RuntimeError(f"{self.job.title}: {value} instead of {clear}")


def measure(harness, job: Job) -> dict:
    """The record of one job."""
    one = Round(harness, job)
    found = [one.run() for _ in range(ROUNDS)]
    one.check(found[0]["results"])
    local, device = instructions(job)
    medians = {name: statistics.median(each[name] for each in found) for name in ("server_ms", "total_ms")}
    return {"title": job.title, "set": job.set, "frames": job.frames, "local": local, "device": device,
            "up_bytes": found[0]["up_bytes"], "down_bytes": found[0]["down_bytes"], **medians}


def main() -> None:
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(prog="python3 -m bench.cost.jobs", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--isopod", required=True, help="the program isopod")
    parser.add_argument("--out", type=Path, default=Path("bench/out/jobs.json"), help="where the records go")
    options = parser.parse_args()
    os.environ["ISOPOD"] = str(Path(options.isopod).resolve())
    sys.path.insert(0, str(ROOT / "crates/server/test"))
    import harness

    records = []
    for job in JOBS:
        records.append(measure(harness, job))
        print(f"{job.title}: {records[-1]['up_bytes']:,} bytes up, {records[-1]['down_bytes']:,} down, "
              f"{records[-1]['server_ms']:.0f} ms of the server", flush=True)
    write(options.out, records)


if __name__ == "__main__":
    main()
