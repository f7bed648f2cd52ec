"""Encrypts two stations' temperatures, filters and averages them: `python3 examples/time-series/demo.py [--isopod PROGRAM]`.

Compares every answer with the plaintext one. The exit status is 1 if one is off by more than the error that comes with it."""
import argparse
import csv
import io
import math
import os
import secrets
import subprocess
import sys
import tempfile
from pathlib import Path

READINGS = Path(__file__).resolve().parent / "temperatures.csv"
SET = "ckks-2048x1-air"
# Every |temperature| is below 2^7 degrees.
ENCODING = ("--bound-bits", "7", "--scale-bits", "16", "--precision", "0.1")
DAY = 24
FRAME = 1456
OVERLAP = DAY - 1
CHANGE = [1 / 12] * 12 + [-1 / 12] * 12


class Isopod:
    """The command line, run in one folder. A random passphrase protects the owner's key there."""

    def __init__(self, program: str, folder: Path):
        self.program, self.folder = str(Path(program).resolve()), folder
        self.environment = {**os.environ, "ISOPOD_PASSPHRASE": secrets.token_urlsafe()}

    def run(self, *words: str) -> str:
        """Runs one command and returns its output; RuntimeError, with its messages, if it fails."""
        done = subprocess.run([self.program, *words], cwd=self.folder, env=self.environment, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"isopod {' '.join(words)}\n{done.stdout}{done.stderr}")
        return done.stdout

    def answer(self, frames: list[str], *job: str) -> tuple[list[float], float]:
        """Evaluates a job on files of frames and decrypts: the values in order, and the error that bounds them."""
        self.run("evaluate", "--keys", "keys/server", *job, "--in", *frames, "--out", "answer.bin", "--force", "--again")
        text = self.run("decrypt", "--keys", "keys/owner", "--in", "answer.bin")
        rows = list(csv.DictReader(io.StringIO(text)))
        return [float(row["value"]) for row in rows], float(rows[0]["error"])


def series() -> list[list[float]]:
    """The readings of both stations."""
    with READINGS.open(newline="") as file:
        return [list(column) for column in zip(*(map(float, row) for row in list(csv.reader(file))[1:]))]


def frames(readings: list[float]) -> list[list[float]]:
    """The readings of each frame: the last readings of the frame before, then new ones."""
    return [readings[begin:begin + OVERLAP + FRAME] for begin in range(0, len(readings) - OVERLAP, FRAME)]


def filtered(readings: list[float], taps: list[float]) -> list[float]:
    """The filter on plaintext; taps[0] belongs to the latest reading."""
    last = len(taps) - 1
    return [sum(tap * readings[at - back] for back, tap in enumerate(taps)) for at in range(last, len(readings))]


def send(isopod: Isopod, device: int, readings: list[float]) -> list[str]:
    """Encrypts the frames of a station, each into a file."""
    files = []
    for number, row in enumerate(frames(readings)):
        with (isopod.folder / "row.csv").open("w", newline="") as file:
            csv.writer(file).writerows([[f"hour_{hour}" for hour in range(len(row))], row])
        files.append(f"station-{device}-{number}.bin")
        isopod.run("encrypt", "--keys", f"keys/device-{device}", "--values", "row.csv", *ENCODING, "--out", files[-1])
    return files


def mean_of_stations(isopod: Isopod, stations: list[list[str]]) -> tuple[list[float], float]:
    """The mean of both stations at every hour, frame by frame."""
    values, errors = [], []
    for number, files in enumerate(zip(*stations)):
        found, error = isopod.answer(list(files), "--job", "mean")
        values += found[OVERLAP if number else 0:]
        errors.append(error)
    return values, max(errors)


def tell(isopod: Isopod) -> dict[str, dict[str, float]]:
    """Runs everything; for each job the number of answers, the largest error and the promised error."""
    seattle, san_francisco = series()
    isopod.run("keygen", "--set", SET, "--device", "1", "--device", "2", "--out", "keys")
    stations = [send(isopod, 1, seattle), send(isopod, 2, san_francisco)]
    taps = ",".join(map(str, CHANGE))
    jobs = {
        "mean of the last day": (isopod.answer(stations[0], "--job", "moving-average", "--window", str(DAY)),
                                 filtered(seattle, [1 / DAY] * DAY)),
        "change within a day": (isopod.answer(stations[0], "--job", "filter", f"--weights={taps}"), filtered(seattle, CHANGE)),
        "mean of both stations": (mean_of_stations(isopod, stations), [sum(pair) / 2 for pair in zip(seattle, san_francisco)]),
    }
    sent = sum((isopod.folder / name).stat().st_size for name in stations[0])
    facts = {name: {"answers": len(clear), "error": max(abs(a - b) for a, b in zip(found, clear, strict=True)), "promised": error}
             for name, ((found, error), clear) in jobs.items()}
    return facts | {"sent": {"bytes": sent, "bytes_per_reading": sent / len(seattle)}}


def up(bound: float) -> float:
    """A bound, rounded up to four decimals."""
    return math.ceil(bound * 1e4) / 1e4


def main() -> int:
    """Runs the example; exit status 1 if an answer is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    target = os.environ.get("CARGO_TARGET_DIR", "target")
    parser.add_argument("--isopod", default=f"{target}/release/isopod", metavar="PROGRAM")
    with tempfile.TemporaryDirectory() as place:
        facts = tell(Isopod(parser.parse_args().isopod, Path(place)))
    sent = facts.pop("sent")
    print(f"a station sent {sent['bytes']:,} bytes, {sent['bytes_per_reading']:.2f} for each reading")
    for name, fact in facts.items():
        promised = up(fact["promised"])
        print(f"{name}: {fact['answers']:,} answers, off by {fact['error']:.4f} degrees at most; promised {promised:.4f}")
    return int(any(fact["error"] > fact["promised"] for fact in facts.values()))


if __name__ == "__main__":
    sys.exit(main())
