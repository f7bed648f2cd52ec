"""Trains a network on the digits of four clients, one of them an emulated Cortex-M4; the owner reads means of updates, and nobody
reads an update:

    PYTHONPATH=.:python:examples/federated/app python3 examples/federated/demo.py --rounds 12

Beside it the same training in the clear."""
import argparse
import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import isopod
import numpy as np
from federated import clients, network
from federated.owner import mean

from ports import emulate

FOLDER = emulate.ROOT / emulate.BUILD / "federated"
CLIENTS = 4
ROUNDS = 12
TOOLS = ("arm-none-eabi-gcc", "qemu-system-arm")


def make_clients(keys: isopod.Keys, shares: Sequence[network.Digits]) -> list[clients.Client]:
    """The last client is the microcontroller if it can be emulated."""
    computers = [clients.Computer(isopod.Device(keys.device(number)), share) for number, share in enumerate(shares, 1)]
    if any(shutil.which(tool) is None for tool in TOOLS):
        print(f"No board is emulated without {' and '.join(TOOLS)}.", file=sys.stderr)
        return list(computers)
    return [*computers[:-1], clients.Microcontroller(keys, len(shares), shares[-1])]


def run(folder: Path, rounds: int) -> dict:
    """Runs both trainings; accuracies, bytes per weight, and the board's memory."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    keys = isopod.keygen(folder / "keys", set=clients.SET, devices=range(1, CLIENTS + 1), passphrase=None)
    shares, test = network.digits(CLIENTS)
    taking_part, server, owner = make_clients(keys, shares), isopod.Server(keys.server), isopod.Owner(keys.owner)
    weights = clear = network.start()
    sent = 0
    for number in range(rounds):
        frames = [client.update(weights, number) for client in taking_part]
        sent = max(map(len, frames))
        answer = server.mean(frames)
        weights = weights + mean(owner, bytes(answer))
        clear = np.mean([network.trained(clear, share) for share in shares], axis=0, dtype=np.float32)
    board = getattr(taking_part[-1], "report", None)
    return {
        "rounds": rounds, "accuracy": network.accuracy(weights, test), "accuracy_in_the_clear": network.accuracy(clear, test),
        "bytes_per_weight": round(sent / network.COUNT, 3), "largest_difference": float(np.abs(weights - clear).max()),
        "board": board,
    }


def main() -> None:
    """Runs and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    print(json.dumps(run(FOLDER, parser.parse_args().rounds), indent=1))


if __name__ == "__main__":
    main()
