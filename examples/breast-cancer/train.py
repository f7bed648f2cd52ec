"""Trains the model of this example on plaintext: `python3 examples/breast-cancer/train.py`, with requirements.txt installed.

Reads breast-cancer.csv. Writes model.json for the server, and readings.csv with the device's measurements: standardised rows,
clipped to the bound +-4 that the device declares. Every fourth row is kept out of the training."""
import csv
import json
from pathlib import Path

import numpy
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

FOLDER = Path(__file__).resolve().parent
LABEL = "diagnosis"
POSITIVE = "malignant"
BOUND = 4.0
HELD_OUT_EVERY = 4
REGULARISATION = 0.35
DIGITS = 6
# Weights are multiples of 1/64: small integers, which encrypted scores take as they are. No prediction depends on more digits.
WEIGHT_STEPS = 64
# Scores of this data are within +-28.1; the model says so, which makes its weights finer on coefficients.
LARGEST_SCORE = 28.5


def load() -> tuple[list[str], numpy.ndarray, numpy.ndarray]:
    """The names of the features, the rows, and for each row whether the tumour is malignant."""
    with (FOLDER / "breast-cancer.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    features = [name for name in rows[0] if name != LABEL]
    values = numpy.array([[float(row[name]) for name in features] for row in rows])
    return features, values, numpy.array([row[LABEL] == POSITIVE for row in rows])


def fit() -> tuple[dict, list[str], numpy.ndarray, float]:
    """The model, the names, the readings, and the accuracy on the rows kept out."""
    features, values, malignant = load()
    test = numpy.arange(len(values)) % HELD_OUT_EVERY == HELD_OUT_EVERY - 1
    scaler = StandardScaler().fit(values[~test])
    readings = numpy.clip(scaler.transform(values), -BOUND, BOUND)
    regression = LogisticRegression(C=REGULARISATION, tol=1e-10, max_iter=10_000).fit(readings[~test], malignant[~test])
    model = {
        "kind": "logistic",
        "features": features,
        "mean": rounded(scaler.mean_),
        "scale": rounded(scaler.scale_),
        "weights": (numpy.round(regression.coef_[0] * WEIGHT_STEPS) / WEIGHT_STEPS).tolist(),
        "bias": rounded(regression.intercept_)[0],
        "largest_score": LARGEST_SCORE,
    }
    positive = readings[test] @ model["weights"] + model["bias"] > 0
    return model, features, readings, float(numpy.mean(positive == malignant[test]))


def rounded(numbers: numpy.ndarray) -> list[float]:
    """Rounds numbers to DIGITS significant digits, many more than the encrypted score keeps."""
    return [float(f"{number:.{DIGITS}g}") for number in numbers]


def main() -> None:
    """Writes both files."""
    model, features, readings, accuracy = fit()
    (FOLDER / "model.json").write_text(json.dumps(model, indent=1) + "\n")
    with (FOLDER / "readings.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(features)
        writer.writerows(rounded(row) for row in readings)
    scores = readings @ numpy.array(model["weights"]) + model["bias"]
    print(f"accuracy on held-out rows {accuracy:.4f}; weights within +-{max(map(abs, model['weights'])):.3f}; "
          f"scores within +-{abs(scores).max():.2f}, the closest to 0 is {abs(scores).min():.4f}")


if __name__ == "__main__":
    main()
