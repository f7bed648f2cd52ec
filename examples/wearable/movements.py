"""The recordings of the example: windows of a smart watch's movement, their classes, and the features that the firmware makes."""
import importlib.util
from pathlib import Path

import numpy as np

SAMPLES, STEP, CHANNELS = 25, 15, 6
CHANNEL_NAMES = [f"{kind}_{axis}" for kind in ("acceleration", "rotation") for axis in "xyz"]
FEATURES = [*(f"distance_{name}" for name in CHANNEL_NAMES), *(f"step_{name}" for name in CHANNEL_NAMES),
            *(f"mean_{name}" for name in CHANNEL_NAMES[:3]), "peak"]


def recordings() -> Path:
    """The folder of the recordings in the package aeon, whose code is not run."""
    package = importlib.util.find_spec("aeon")
    if package is None or not package.submodule_search_locations:
        raise RuntimeError("the package aeon is missing, which has the recordings; ./bootstrap.sh python installs it")
    return Path(package.submodule_search_locations[0]) / "datasets/data/BasicMotions"


def windows(part: str) -> tuple[np.ndarray, list[str]]:
    """Windows (each of SAMPLES rows of CHANNELS) and the class of each, from the part TRAIN or TEST of the recordings."""
    lines = (recordings() / f"BasicMotions_{part}.ts").read_text().splitlines()
    found, classes = [], []
    for line in lines[lines.index("@data") + 1:]:
        *channels, name = line.split(":")
        recording = np.array([[float(cell) for cell in channel.split(",")] for channel in channels]).T
        for begin in range(0, len(recording) - SAMPLES + 1, STEP):
            found.append(recording[begin:begin + SAMPLES])
            classes.append(name)
    return np.array(found, dtype=np.float32), classes


def features(of: np.ndarray) -> np.ndarray:
    """The sixteen features of each window, as firmware/features.c makes them."""
    middle = of.mean(axis=1)
    distances = np.abs(of - middle[:, None]).mean(axis=1)
    steps = np.abs(np.diff(of, axis=1)).mean(axis=1)
    peak = np.abs(of[:, :, :3]).sum(axis=2).max(axis=1)
    return np.concatenate([distances, steps, middle[:, :3], peak[:, None]], axis=1)
