"""Kills servers and brokers at random moments under load, with kill -9. Every acknowledged frame must be in the table once.

`rounds.py --kills 50` prints what it found, and exits with 1 if a frame was lost or doubled."""
import argparse
import http.client
import json
import random
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from place import PARTITIONS, Place, harness  # noqa: E402

TOPIC = "rounds"
SENDERS = 3
MOST_FRAMES = 8
# After these the next one is killed, in this order first: a broker, a server, another broker.
FIRST = ("broker 1", "server 1", "broker 2")
SETTLE_SECONDS = 120


@dataclass
class Load:
    """Frames that are sent by several threads to a server, whichever lives."""

    servers: list[harness.Server]
    work: list[tuple[harness.Name, bytes]]
    acknowledged: dict[harness.Name, bytes] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    is_over: bool = False
    refused: list[dict] = field(default_factory=list)

    def start(self) -> list[threading.Thread]:
        """Begins to send."""
        threads = [threading.Thread(target=self.send, args=(number,)) for number in range(SENDERS)]
        for thread in threads:
            thread.start()
        return threads

    def batch(self, chooser: random.Random) -> list[tuple[harness.Name, bytes]]:
        """Some frames; now and then one that was acknowledged before."""
        with self.lock:
            batch = [self.work.pop() for _ in range(min(chooser.randint(1, MOST_FRAMES), len(self.work)))]
            if self.acknowledged and chooser.random() < 0.3:
                name = chooser.choice(list(self.acknowledged)[-200:])
                batch.append((name, self.acknowledged[name]))
            return batch

    def send(self, number: int) -> None:
        """Sends until nothing is left or it is over. Frames without an acknowledgement are put back."""
        chooser = random.Random(number)
        while not self.is_over:
            batch = self.batch(chooser)
            if not batch:
                return
            try:
                answer = self.servers[number % len(self.servers)].send(*(frame for _, frame in batch))
            except (OSError, http.client.HTTPException):
                answer = None
            with self.lock:
                if answer is not None and answer.status == 200:
                    self.acknowledged.update(batch)
                    continue
                if answer is not None and answer.status != 503:
                    self.refused.append(answer.json())
                    return
                self.work.extend(entry for entry in batch if entry[0] not in self.acknowledged)
            time.sleep(0.2)


class Scenario:
    """Three brokers, two servers that write tables, one that takes frames, and their deaths."""

    def __init__(self, devices: int):
        self.place = Place(devices, 3)
        self.place.cluster.create(TOPIC, PARTITIONS)
        self.front = self.place.producer(TOPIC).start()
        self.consumers = [self.place.consumer(TOPIC).start() for _ in range(2)]
        self.chooser = random.Random(1)
        self.kills: list[str] = []

    def victims(self) -> list[str]:
        """Who may die."""
        return ["front", *(f"server {at}" for at in (1, 2)), *(f"broker {node.number}" for node in self.place.cluster.nodes)]

    def kill(self, victim: str) -> None:
        """Kills a process, waits a moment, and starts it again."""
        self.kills.append(victim)
        kind, _, number = victim.partition(" ")
        pause = self.chooser.uniform(0.1, 1.5)
        if kind == "broker":
            node = self.place.cluster.nodes[int(number) - 1]
            node.kill()
            time.sleep(pause)
            self.place.cluster.start_one(node)
            harness.wait_for(self.place.cluster.is_up, lambda: f"{victim} does not come back", SETTLE_SECONDS)
        else:
            server = self.front if kind == "front" else self.consumers[int(number) - 1]
            server.kill()
            time.sleep(pause)
            server.start()

    def run(self, kills: int) -> None:
        """Kills so often."""
        for at in range(kills):
            time.sleep(self.chooser.uniform(0.1, 1.0))
            self.kill(FIRST[at] if at < len(FIRST) else self.chooser.choice(self.victims()))
            print(f"kill {at + 1} of {kills}: {self.kills[-1]}", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Ends all."""
        for server in (self.front, *self.consumers):
            if server.process.poll() is None:
                server.kill()
        self.place.close()


@dataclass
class Outcome:
    """The counts of all rounds."""

    kills: int
    acknowledged: int
    lost: int
    doubled: int
    sums: list[float]
    takeover_seconds: float

    def is_right(self) -> bool:
        """True if nothing is lost or doubled, and both servers give the sum of the clear values."""
        return (self.lost, self.doubled) == (0, 0) and all(abs(found - self.acknowledged) < 0.5 for found in self.sums)


def takeover(scenario: Scenario, frames: dict[harness.Name, bytes]) -> float:
    """Kills a server for good; the seconds until the other one has stored frames of all partitions that came after."""
    scenario.consumers[0].kill()
    begun = time.monotonic()
    answer = scenario.front.send(*frames.values())
    if answer.status != 200:
        raise RuntimeError(answer.body.decode())
    scenario.place.wait_stored(TOPIC, set(frames))
    return time.monotonic() - begun


def rounds(kills: int, devices: int, frames_of_device: int) -> Outcome:
    """Runs the scenario."""
    scenario = Scenario(devices)
    place = scenario.place
    try:
        work = list(place.frames(frames_of_device, devices).items())
        # In the order of their sequences, more or less.
        scenario.chooser.shuffle(work)
        work.sort(key=lambda entry: entry[0][2], reverse=True)
        load = Load([scenario.front], work)
        threads = load.start()
        scenario.run(kills)
        for thread in threads:
            thread.join(SETTLE_SECONDS)
        load.is_over = True
        if load.refused:
            raise RuntimeError(f"refused: {load.refused[0]}")
        place.wait_stored(TOPIC, set(load.acknowledged), SETTLE_SECONDS)
        compared = place.compare(TOPIC, set(load.acknowledged))
        sums = []
        for server in scenario.consumers:
            state, results = server.run_job(job="sum", again=True)
            if state["state"] != "done":
                raise RuntimeError(json.dumps(state))
            sums.append(place.fleet.decrypt(results)[0])
        seconds = takeover(scenario, place.frames(1, min(devices, 4 * PARTITIONS)))
        return Outcome(len(scenario.kills), len(load.acknowledged), compared.lost, compared.doubled, sums, seconds)
    finally:
        scenario.close()


def main() -> int:
    """Runs the scenario by the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=6)
    parser.add_argument("--devices", type=int, default=20)
    parser.add_argument("--frames", type=int, default=6)
    asked = parser.parse_args()
    outcome = rounds(asked.kills, asked.devices, asked.frames)
    print(json.dumps(outcome.__dict__))
    return 0 if outcome.is_right() else 1


if __name__ == "__main__":
    sys.exit(main())
