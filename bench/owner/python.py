"""Measures the Python package: its decryption beside the same calls in Rust, and the bytes per weight beside TenSEAL's."""
import subprocess
import tempfile
import time
from pathlib import Path

import isopod
import numpy as np
import tenseal

DECRYPT = "One answer of a mean of four frames of 2,048 values, ckks-2048x1-air: Owner.decrypt in Python, and Owner::read, \
open_results and remember in Rust, both of one release build; the least of many rounds, in turns."
WEIGHTS = "float32 weights in one frame by public key, as clients of federated learning send them (examples/federated)."
SET = "ckks-2048x1-air"
PLACES = 2048
ROUNDS, TURNS = 200, 6
# The network of examples/federated.
COUNT = 2035
SCALE_BITS, BOUND_BITS = 22, 1
TENSEAL = {"n = 4096": (4096, (40, 20, 40), 20), "n = 8192": (8192, (60, 40, 40, 60), 40)}


def decryption(example: Path) -> list[dict]:
    """The seconds of a decryption in Python and in Rust, and their ratio."""
    with tempfile.TemporaryDirectory() as place:
        keys = isopod.keygen(Path(place) / "keys", set=SET, passphrase=None)
        device = isopod.Device(keys.device(1))
        frames = [device.encrypt(np.linspace(-1, 1, PLACES))[0] for _ in range(4)]
        answer, file = bytes(isopod.Server(keys.server).mean(frames)), Path(place) / "answer"
        file.write_bytes(answer)
        owner = isopod.Owner(keys.owner)
        pairs = [(python(owner, answer), rust(example, keys.owner, file)) for _ in range(TURNS)]
    here, there = (min(column) for column in zip(*pairs))
    return [
        {"case": "python-decrypt-overhead", "value": round(here / there, 4), "method": DECRYPT},
        {"case": "python-decrypt-seconds", "value": here, "method": DECRYPT},
        {"case": "rust-decrypt-seconds", "value": there, "method": DECRYPT},
    ]


def python(owner: isopod.Owner, answer: bytes) -> float:
    """The shortest time of a decryption in Python, up to the array of values."""
    least = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        values = owner.decrypt(answer).values
        least = min(least, time.perf_counter() - start)
        assert values.shape == (1, PLACES)
    return least


def rust(example: Path, folder: Path, answer: Path) -> float:
    """The shortest time of the same calls in Rust."""
    words = [str(example), str(folder), str(answer), str(ROUNDS)]
    return float(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def weights() -> list[dict]:
    """Bytes per weight and the largest error, in our frames and in TenSEAL's vectors."""
    values = np.random.default_rng(1).uniform(-1, 1, COUNT).astype(np.float32)
    with tempfile.TemporaryDirectory() as place:
        keys = isopod.keygen(Path(place) / "keys", set=SET, passphrase=None)
        frame, = isopod.Device(keys.device(1)).encrypt(values, scale_bits=SCALE_BITS, bound_bits=BOUND_BITS)
        result = isopod.Owner(keys.owner).decrypt(isopod.Server(keys.server).sum([frame]))
    error = float(np.abs(result.values[0] - values).max())
    ours = {"case": "bytes-per-weight", "value": round(len(frame) / COUNT, 3), "error": error, "method": f"{COUNT} {WEIGHTS}"}
    return [ours, *(others(name, values) for name in TENSEAL)]


def others(name: str, values: np.ndarray) -> dict:
    """Encrypts the same kind of values in TenSEAL's vectors of full ciphertexts."""
    degree, bits, scale = TENSEAL[name]
    context = tenseal.context(tenseal.SCHEME_TYPE.CKKS, degree, coeff_mod_bit_sizes=list(bits))
    context.global_scale = 2.0 ** scale
    full = np.resize(values, degree // 2 * 2).tolist()
    vector = tenseal.ckks_vector(context, full)
    error = float(np.abs(np.array(vector.decrypt()) - full).max())
    value = round(len(vector.serialize()) / len(full), 3)
    method = f"ckks_vector of {len(full)} weights, primes of {bits} bits, serialized"
    return {"case": f"bytes-per-weight-tenseal, {name}", "value": value, "error": error, "method": method}
