"""Clients: each trains on its own images and sends the change of its weights, encrypted. One of them is a microcontroller."""
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import isopod
import numpy as np

from federated import network
from ports import emulate

SET = "ckks-2048x1-air"
# The sum of what four clients changed stays below the modulus: 4 * 2^1 * 2^22 < 2^29.
SCALE_BITS, BOUND_BITS = 22, 1
PORT = "mps2-an386"
FIRMWARE = emulate.ROOT / "examples/federated/firmware/main.c"


class Client(Protocol):
    """The parts that all clients share."""

    def update(self, weights: network.Floats, number: int) -> bytes:
        """The frame with the change of the weights in a round."""


@dataclass
class Computer:
    """A client that trains with numpy."""

    device: isopod.Device
    data: network.Digits

    def update(self, weights: network.Floats, number: int) -> bytes:
        changed = network.trained(weights, self.data) - weights
        frame, = self.device.encrypt(changed, scale_bits=SCALE_BITS, bound_bits=BOUND_BITS)
        return frame


class Microcontroller:
    """An emulated Cortex-M4, which trains and encrypts by itself. `report` holds its memory figures."""

    def __init__(self, keys: isopod.Keys, number: int, data: network.Digits):
        self.folder = keys.folder
        (self.folder / "images").write_bytes(np.column_stack([data.pixels, data.labels]).tobytes())
        self.elf = build(keys, number)
        self.report: dict[str, int] = {}

    def update(self, weights: network.Floats, number: int) -> bytes:
        (self.folder / "weights").write_bytes(weights.astype("<f4").tobytes())
        words = [*(relative(self.folder / name) for name in ("weights", "images", "frame")), str(number)]
        done = emulate.run(emulate.command(PORT, self.elf, words), 300)
        if done.returncode != 0:
            raise RuntimeError(f"firmware: exit status {done.returncode}\n{done.stderr}")
        self.report = {name: int(value) for name, value in (line.split() for line in done.stderr.splitlines())}
        return (self.folder / "frame").read_bytes()


def build(keys: isopod.Keys, number: int) -> Path:
    """The firmware with this device's keys in its flash."""
    tables = emulate.BUILD / "federated-tables.c"
    (emulate.ROOT / tables).parent.mkdir(parents=True, exist_ok=True)
    done = emulate.run([sys.executable, "-m", "spec.gen", "tables", "--set", SET, "--out", str(tables)])
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    flags = f"-I{relative(keys.device(number))} -I{relative(keys.folder / 'public')}"
    return emulate.build_app(PORT, "federated", [relative(FIRMWARE)], flags, (str(tables),))


def relative(path: Path) -> str:
    """The path relative to the root of the repository, where a board's program runs."""
    return os.path.relpath(path, emulate.ROOT)
