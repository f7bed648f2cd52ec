"""The server: a strategy that adds up frames without reading them. The owner, a separate process, reads the mean of each
round."""
import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import isopod
import numpy as np
from flwr.app import ArrayRecord, ConfigRecord, Context, Message, MetricRecord
from flwr.serverapp import Grid, ServerApp
from flwr.serverapp.strategy import FedAvg

from federated import network, owner


class EncryptedFedAvg(FedAvg):
    """FedAvg on frames. Every client has the same weight. Only the owner's process opens `owner_keys`."""

    def __init__(self, server: isopod.Server, owner_keys: str, **options):
        super().__init__(**options)
        self.server, self.owner_keys = server, owner_keys
        self.weights, self.bytes_per_weight = network.start(), 0.0

    def configure_train(
        self, server_round: int, arrays: ArrayRecord, config: ConfigRecord, grid: Grid
    ) -> Iterable[Message]:
        """Keeps the weights of the round, because the mean is added to them."""
        self.weights = arrays.to_numpy_ndarrays()[0]
        return super().configure_train(server_round, arrays, config, grid)

    def aggregate_train(
        self, server_round: int, replies: Iterable[Message]
    ) -> tuple[ArrayRecord | None, MetricRecord | None]:
        """The mean of all frames, as the owner reads it. The bytes are counted in a client's message to Flower."""
        valid, _ = self._check_and_log_replies(replies, is_train=True)
        if not valid:
            return None, None
        frames = [reply.content["arrays"]["frame"].data for reply in valid]
        self.bytes_per_weight = max(map(len, frames)) / network.COUNT
        answer = self.server.mean(frames)
        self.weights = self.weights + ask_owner(self.owner_keys, bytes(answer))
        return ArrayRecord([self.weights]), MetricRecord({"frames": answer.frames})


def ask_owner(keys: str, answer: bytes) -> network.Floats:
    """Asks the owner's process for the mean."""
    command = [sys.executable, owner.__file__, keys]
    done = subprocess.run(command, input=answer, stdout=subprocess.PIPE, check=True)
    return np.frombuffer(done.stdout, dtype=np.float32)


app = ServerApp()


@app.main()
def main(grid: Grid, context: Context) -> None:
    """Trains and writes a report."""
    config = context.run_config
    count = int(config["clients"])
    strategy = EncryptedFedAvg(
        isopod.Server(str(config["server-keys"])), str(config["owner-keys"]), fraction_evaluate=0.0,
        min_train_nodes=count, min_available_nodes=count,
    )
    strategy.start(grid=grid, initial_arrays=ArrayRecord([network.start()]), num_rounds=int(config["rounds"]))
    accuracy = network.accuracy(strategy.weights, network.digits(count)[1])
    report = {"accuracy": accuracy, "bytes_per_weight": round(strategy.bytes_per_weight, 3)}
    Path(str(config["report"])).write_text(json.dumps(report))
