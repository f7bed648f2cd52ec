"""Brokers, a bucket and a key pair, and servers of them."""
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

import harness  # noqa: E402
from bucket import Bucket  # noqa: E402
from cluster import Cluster  # noqa: E402

PARTITIONS = 4
# Frames of which some hundred may be summed up.
SET = "ckks-4096x2-linear"


@dataclass(frozen=True)
class Expected:
    """Frames that were acknowledged, and how often each should be in the table."""

    lost: int
    doubled: int


class Place:
    """Brokers, a bucket and a key pair, which live as long as this is used in a `with` statement or until `close`."""

    def __init__(self, devices: int, brokers: int, parameters: str = SET, secret: bool = False):
        self.fleet = harness.Fleet(devices, parameters, secret=secret)
        self.cluster = Cluster(brokers).start()
        self.bucket = Bucket().__enter__()

    def close(self) -> None:
        """Ends all."""
        self.cluster.kill()
        self.bucket.__exit__()

    def consumer(self, topic: str, *options: str, **settings: object) -> harness.Server:
        """A server that takes the frames of a topic into the topic's tables."""
        kafka = ("--kafka", self.cluster.addresses, "--topic", topic, "--group", f"{topic}-tables")
        if "--table-seconds" not in options:
            kafka = (*kafka, "--table-seconds", "1")
        environment = self.bucket.environment | settings.pop("environment", {})
        return harness.Server(self.keys(), options=(*kafka, "--tables", f"{self.bucket.url}/{topic}", *options),
                              environment=environment, **settings)

    def producer(self, topic: str, *options: str, **settings: object) -> harness.Server:
        """A server that hands frames to a topic."""
        kafka = ("--kafka", self.cluster.addresses, "--topic", topic, "--produce")
        return harness.Server(self.keys(), options=(*kafka, *options), **settings)

    def keys(self) -> Path:
        """A copy of the server's folder, as each server has its own."""
        copy = harness.folder() / "server"
        shutil.copytree(self.fleet.server, copy)
        return copy

    def frames(self, count: int, devices: int) -> dict[harness.Name, bytes]:
        """Fresh frames of several devices."""
        return {name: frame for device in range(1, devices + 1) for name, frame in self.fleet.frames(count, device).items()}

    def compare(self, topic: str, acknowledged: set[harness.Name]) -> Expected:
        """Counts acknowledged frames that are not in the table, and frames that are there more than once."""
        found = self.bucket.names(topic)
        return Expected(len(acknowledged - set(found)), found.total() - len(found))

    def wait_stored(self, topic: str, names: set[harness.Name], seconds: float = 60) -> None:
        """Waits until frames are in the table, each once."""
        harness.wait_for(lambda: not self.compare(topic, names).lost, lambda: f"{self.compare(topic, names)}", seconds)
        if self.compare(topic, names).doubled:
            raise RuntimeError("frames are in the table more than once")


def output() -> Path | None:
    """Where records of a measurement go, if somewhere."""
    path = os.environ.get("ISOPOD_RECORD")
    return Path(path) if path else None
