"""`make bench-wearable`: the wristband's windows in four ways, in one run: in the clear, by merged frames, by TFHE, by TenSEAL.

All ways have the windows and the models of examples/wearable. TFHE compares the peak of each window with the threshold, as a
number of 8 bits; a network is out of its reach. TenSEAL computes the network on a ciphertext for each window. Processor seconds
are those of a server's part, of all threads. Writes bench/out/wearable.json; takes keys of 2.4 GB and 8 GB of memory. The exit
status is 1 if merged frames answer wrongly."""
import argparse
import csv
import json
import resource
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np

from bench.deep import tenseal_network
from bench.record import OUT, ROOT, commit, judged, write

sys.path.insert(0, str(ROOT / "examples/wearable"))
import demo  # noqa: E402
import movements  # noqa: E402

PEAK = movements.FEATURES.index("peak")
# A reading from -4 to 4 as a number of 8 bits.
STEP, HALF = 1 / 32, 128


class Timed(demo.Isopod):
    """The command line, with the processor seconds that each command took, by its name and its job."""

    def __init__(self, program: str, folder: Path):
        super().__init__(program, folder)
        self.seconds: dict[str, float] = {}

    def run(self, words: str, *more: object) -> dict:
        """Runs one command and notes what it took."""
        before = spent()
        told = super().run(words, *more)
        said = words.split()
        name = said[0] + (f" {said[said.index('--job') + 1]}" if "--job" in said else "")
        self.seconds[name] = self.seconds.get(name, 0) + spent() - before
        return told


def spent() -> float:
    """Processor seconds of all programs that this one has waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def by_merged_frames(options: argparse.Namespace) -> dict:
    """The example itself, on one thread."""
    shutil.rmtree(demo.FOLDER, ignore_errors=True)
    demo.FOLDER.mkdir(parents=True)
    isopod = Timed(options.isopod, demo.FOLDER)
    facts = demo.tell(isopod, options)
    return facts | {"network_seconds": isopod.seconds["evaluate network"] / facts["windows"],
                    "alarm_seconds": isopod.seconds["evaluate forest"] / facts["windows"],
                    "keys": sum(path.stat().st_size for path in (demo.FOLDER / "ring").rglob("*") if path.is_file())}


def by_tfhe(options: argparse.Namespace, models: demo.Models, rows: np.ndarray) -> dict:
    """An alarm of each window's peak."""
    numbers = np.clip(np.round(rows[:, PEAK] / STEP) + HALF, 0, 255).astype(int)
    threshold = int(np.floor(models.threshold / STEP + HALF))
    with tempfile.TemporaryDirectory(prefix="isopod-tfhe-") as name:
        isopod = Timed(options.isopod, Path(name))
        isopod.run("keygen --set tfhe-2048-tfhe-rs --out keys")
        with (isopod.folder / "peaks.csv").open("w", newline="") as file:
            csv.writer(file).writerows([["peak"], *([number] for number in numbers)])
        isopod.run("encrypt --keys keys/device-1 --values peaks.csv --type u8 --out frames.bin")
        isopod.run("evaluate --keys keys/server --job alarm --each --in frames.bin --out alarms.bin",
                   "--threads", 1, "--above", threshold)
        opened = isopod.run("decrypt --keys keys/owner --in alarms.bin")
        # Before those of single values is the one of all.
        found = np.array([value["value"] for value in opened["values"] if value["row"] is not None], dtype=bool)
        return {"bytes_per_window": (isopod.folder / "frames.bin").stat().st_size / len(rows),
                "alarm_seconds": isopod.seconds["evaluate alarm"] / len(rows),
                "alarms_wrong": int(np.sum(found != (numbers > threshold))),
                "keys": (isopod.folder / "keys/server/evaluation.keys").stat().st_size}


def by_tenseal(models: demo.Models, rows: np.ndarray, classes: np.ndarray) -> dict:
    """The network, a ciphertext for each window."""
    weights, bias = models.network.coefs_, models.network.intercepts_
    sums = models.rows(movements.windows("TRAIN")[0]) @ weights[0] + bias[0]
    answer = tenseal_network.answered(weights, bias, tenseal_network.polynomial(sums.ravel()), rows)
    found = models.network.classes_[answer.scores.argmax(axis=1)]
    return {"bytes_per_window": answer.sent / len(rows), "network_seconds": answer.seconds / len(rows),
            "accuracy": float(np.mean(found == classes)), "keys": answer.keys}


def main() -> int:
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--isopod", required=True, metavar="PROGRAM", help="built with the feature tfhe")
    parser.add_argument("--programs", type=Path, default=ROOT / "build/deep")
    parser.add_argument("--size", default="deep-16")
    options = parser.parse_args()
    options.threads, options.windows = 1, None
    models = demo.trained()
    windows, classes = movements.windows("TEST")
    rows = models.rows(windows)
    merged, tfhe = by_merged_frames(options), by_tfhe(options, models, rows)
    tenseal = by_tenseal(models, rows, np.array(classes))
    found = [{"case": f"wearable-{way}-{name.replace('_', '-')}", "value": value, "commit": commit()}
             for way, facts in (("merged", merged), ("tfhe", tfhe), ("tenseal", tenseal)) for name, value in facts.items()]
    write(OUT / "wearable.json", found)
    print(json.dumps({"merged": merged, "tfhe": tfhe, "tenseal": tenseal}, indent=1))
    wrong = merged["alarms_wrong"] > 0 or merged["accuracy"] < merged["accuracy_clear"] - 0.005
    return judged(["merged frames answer wrongly"] * wrong)


if __name__ == "__main__":
    sys.exit(main())
