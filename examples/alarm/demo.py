"""`python3 examples/alarm/demo.py [--program PATH]`: one device encrypts a batch of readings twice, under CKKS for a model and
under TFHE for an alarm.

Compares the decrypted results with plaintext ones; the exit status is 1 if one differs."""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
READINGS, MODEL = HERE / "readings.csv", HERE / "model.json"
LIMIT = 90
TOLERANCE = 0.01
CKKS, TFHE = "ckks-4096x2-linear", "tfhe-2048-tfhe-rs"


class Isopod:
    """The command line, run in one folder."""

    def __init__(self, program: str, place: Path):
        self.program, self.place = program, place

    def __call__(self, *arguments: str) -> dict:
        """Runs a command and returns its JSON output; its messages go to standard error."""
        done = subprocess.run([self.program, *arguments, "--json"], cwd=self.place, stdout=subprocess.PIPE, text=True, check=True)
        return json.loads(done.stdout)

    def job(self, keys: str, job: str, *more: str) -> list[float]:
        """Evaluates a job on the frames beside the keys, and decrypts the result."""
        self("evaluate", "--keys", f"{keys}/server", "--job", job, *more, "--in", f"{keys}.bin", "--out", "result.bin", "--force")
        answer = self("decrypt", "--keys", f"{keys}/owner", "--in", "result.bin")
        return [value["value"] for value in answer["values"]]


def rows() -> list[list[int]]:
    """The plaintext readings."""
    with READINGS.open() as file:
        return [[int(cell) for cell in row] for row in list(csv.reader(file))[1:]]


def scores() -> list[float]:
    """The scores that the model gives in plaintext."""
    model = json.loads(MODEL.read_text())
    parts = list(zip(model["weights"], model["mean"], model["scale"]))
    return [model["bias"] + sum(w * (x - mean) / scale for (w, mean, scale), x in zip(parts, row)) for row in rows()]


def send(isopod: Isopod) -> dict[str, int]:
    """Encrypts both frames of the batch, and returns their sizes in bytes."""
    plain = "--insecure-plaintext-key"
    isopod("keygen", "--set", CKKS, "--out", "ckks", "--for", "linear", "--stride", "4", plain)
    isopod("keygen", "--set", TFHE, "--out", "tfhe", "--for", "alarm", plain)
    device = ("--values", str(READINGS))
    model = isopod("encrypt", "--keys", "ckks/device-1", *device, "--model", str(MODEL), "--out", "ckks.bin")
    alarm = isopod("encrypt", "--keys", "tfhe/device-1", *device, "--type", "u8", "--out", "tfhe.bin")
    return {"ckks": model["bytes"], "tfhe": alarm["bytes"]}


def complaints(isopod: Isopod) -> list[str]:
    """Results that differ from the plaintext ones."""
    values = [value for row in rows() for value in row]
    found = isopod.job("ckks", "linear", "--model", str(MODEL))
    wrong = [f"score {at}: {ours} instead of {clear}" for at, (ours, clear) in enumerate(zip(found, scores(), strict=True))
             if abs(ours - clear) > TOLERANCE]
    largest = max(values)
    expected = {"alarm": [int(largest > LIMIT)], "argmax": [values.index(largest), largest]}
    for job, wanted in expected.items():
        answer = isopod.job("tfhe", job, *(("--above", str(LIMIT)) if job == "alarm" else ()))
        print(f"{job}: {answer}")
        if answer != wanted:
            wrong.append(f"{job}: {answer} instead of {wanted}")
    print("scores:", ", ".join(f"{score:.3f}" for score in found))
    return wrong


def main() -> int:
    """Runs the example; exit status 1 if a result differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    target = os.environ.get("CARGO_TARGET_DIR", "target")
    parser.add_argument("--program", default=f"{target}/release/isopod")
    program = Path(parser.parse_args().program).resolve()
    with tempfile.TemporaryDirectory() as place:
        isopod = Isopod(str(program), Path(place))
        sizes = send(isopod)
        print(f"sent: {sizes['ckks']} bytes for the model, {sizes['tfhe']} for the alarm")
        wrong = complaints(isopod)
    print("\n".join(wrong) or "all answers are those of the clear")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
