"""Accuracy of a network on handwritten digits under encryption, beside the clear, from keys to classes by the programs.

`make bench-deep` runs it. Rows are 8 x 8 pixels from 0 to 1, so that a ciphertext of 2^16 takes 1,024 digits. Keys of deep-16
take 2.4 GB in a temporary folder, and the job 6 GB of memory.
"""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

ROWS = 512
# Largest error of a pixel by roundings; neighbouring grey levels are 1/16 apart.
PRECISION = 0.05
FEATURES = [f"pixel{number}" for number in range(64)]


def trained(units: int) -> tuple[MLPClassifier, np.ndarray, np.ndarray]:
    """A network of so many hidden units, and the rows and classes that it has not seen."""
    digits = load_digits()
    train, test, of_train, of_test = train_test_split(digits.data / 16.0, digits.target, test_size=ROWS, random_state=1)
    network = MLPClassifier((units,), activation="tanh", alpha=0.1, max_iter=400, random_state=1)
    return network.fit(train, of_train), test, of_test


def model_file(network: MLPClassifier) -> dict:
    """The file of the model, as `isopod.from_sklearn(network, merged=True)` writes it."""
    (first, second), (hidden, output) = network.coefs_, network.intercepts_
    return {
        "kind": "multinomial", "features": FEATURES, "outputs": [str(name) for name in network.classes_],
        "hidden": {"activation": network.activation, "weights": first.T.tolist(), "bias": hidden.tolist()},
        "weights": second.T.tolist(), "bias": output.tolist(),
    }


def answered(arguments: argparse.Namespace, network: MLPClassifier, rows: np.ndarray) -> dict:
    """Scores of the rows under encryption, the stated error, seconds of the job, and bytes of the frames."""
    environment = {**os.environ, "ISOPOD_PASSPHRASE": "only for this run", "ISOPOD_NEW_PASSPHRASE": "only for this run"}
    programs = arguments.programs.resolve()
    with tempfile.TemporaryDirectory(prefix="isopod-deep-") as folder:

        def isopod(words: str, *more: object) -> str:
            command = [arguments.isopod.resolve(), *words.split(), *map(str, more)]
            return subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout

        place = Path(folder)
        (place / "model.json").write_text(json.dumps(model_file(network)))
        with (place / "rows.csv").open("w", newline="") as file:
            csv.writer(file).writerows([FEATURES, *rows.tolist()])
        isopod("keygen --out keys --set ckks-2048x1-air")
        isopod("server-keys --keys keys/owner --out ring --size", arguments.size, "--programs", programs)
        isopod("encrypt --keys keys/device-1 --values rows.csv --model model.json --out frames.bin",
               "--scale-bits", 18, "--bound-bits", 0, "--precision", PRECISION)
        start = time.monotonic()
        facts = isopod("evaluate --keys keys/server --in frames.bin --out results.bin --job network --model model.json --json",
                       "--deep-keys", "ring", "--threads", 1, "--programs", programs)
        seconds = time.monotonic() - start
        opened = json.loads(isopod("decrypt --keys keys/owner --in results.bin --model model.json --json"))
        scores = np.array([value["value"] for value in opened["values"]]).reshape(len(rows), -1)
        bytes_sent = (place / "frames.bin").stat().st_size
        return {"scores": scores, "error": json.loads(facts)["error"], "seconds": seconds, "bytes": bytes_sent}


def records(network: MLPClassifier, test: tuple[np.ndarray, np.ndarray], answer: dict) -> dict:
    """Figures of an answer beside the clear."""
    rows, wanted = test
    found, clear = network.classes_[answer["scores"].argmax(axis=1)], network.predict(rows)
    scores = np.tanh(rows @ network.coefs_[0] + network.intercepts_[0]) @ network.coefs_[1] + network.intercepts_[1]
    return {
        "mlp-rows": len(rows), "mlp-units": network.coefs_[0].shape[1],
        "mlp-accuracy": float(np.mean(found == wanted)), "mlp-accuracy-clear": float(np.mean(clear == wanted)),
        "mlp-classes-differ": int(np.sum(found != clear)), "mlp-error": float(np.abs(answer["scores"] - scores).max()),
        "mlp-error-stated": answer["error"], "mlp-wall-seconds": answer["seconds"],
        "bytes-per-reading": answer["bytes"] / rows.size,
    }


def main() -> None:
    """Writes the records."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--isopod", type=Path, required=True)
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--size", default="deep-16")
    parser.add_argument("--units", type=int, default=12)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    network, *test = trained(arguments.units)
    found = records(network, tuple(test), answered(arguments, network, test[0]))
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps([{"case": case, "value": value} for case, value in found.items()], indent=1) + "\n")
    json.dump(found, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
