"""Kills the server at random moments under load, with kill -9. Every acknowledged frame must be stored exactly once, as it was
sent."""
import http.client
import random
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import harness

SENDERS = 6
MOST_FRAMES = 8
LONGEST = 0.25


@dataclass
class Tally:
    """The counts of all rounds."""

    rounds: int = 0
    acknowledged: int = 0
    lost: int = 0
    duplicated: int = 0
    names: dict[harness.Name, bytes] = field(default_factory=dict)

    def compare(self, stored: list[tuple[harness.Name, bytes]]) -> None:
        """Counts acknowledged frames that are missing, and frames that are stored twice."""
        lost, duplicated = harness.check(self.names, stored)
        self.lost, self.duplicated = self.lost + lost, self.duplicated + duplicated


def load(server: harness.Server, work: list, lock: threading.Lock, acknowledged: dict, refused: list) -> None:
    """Sends frames until the server is gone, and notes the acknowledged ones. Frames without a receipt are put back."""
    connection = server.connection()
    chooser = random.Random()
    while True:
        with lock:
            batch = [work.pop() for _ in range(min(chooser.randint(1, MOST_FRAMES), len(work)))]
        if not batch:
            return
        try:
            answer = harness.ask(connection, "POST", "/v1/frames", b"".join(frame for _, frame in batch))
        except (OSError, http.client.HTTPException):
            with lock:
                work.extend(batch)
            return
        with lock:
            if answer.status == 200:
                acknowledged.update(batch)
            else:
                refused.append(answer.json())
                work.extend(batch)
                return


def one_round(server: harness.Server, work: list, tally: Tally, chooser: random.Random) -> None:
    """Starts the server, sends from several threads, and kills it."""
    server.start()
    lock, acknowledged, refused = threading.Lock(), {}, []
    # Some of what was acknowledged comes again.
    work.extend(chooser.sample(sorted(tally.names.items()), min(20, len(tally.names))))
    threads = [threading.Thread(target=load, args=(server, work, lock, acknowledged, refused)) for _ in range(SENDERS)]
    for thread in threads:
        thread.start()
    time.sleep(chooser.uniform(0.005, LONGEST))
    server.kill()
    for thread in threads:
        thread.join()
    if refused:
        raise RuntimeError(f"refused: {refused[0]}")
    tally.rounds += 1
    tally.names.update(acknowledged)
    # The files as the crash left them.
    tally.compare(server.stored())


def rounds(number: int, program: Path = harness.SERVER) -> Tally:
    """Runs rounds on one data folder, and compares again after a last recovery."""
    fleet = harness.Fleet()
    # Compaction all the time, so that crashes come in the midst of it.
    server = harness.Server(fleet.server, program=program, options=("--table-seconds", "0"))
    chooser = random.Random(1)
    tally = Tally()
    work: list = []
    for _ in range(number):
        if len(work) < 400:
            work.extend(fleet.frames(2000).items())
            chooser.shuffle(work)
            # Within the window in which frames may come out of order.
            work.sort(key=lambda entry: entry[0][2] // 500, reverse=True)
        one_round(server, work, tally, chooser)
    with server:
        totals = server.wait_compacted()
        counted, in_table = totals["frames"], totals["table_frames"]
        server.stop()
    stored = server.stored()
    tally.compare(stored)
    if counted != len(stored):
        raise RuntimeError(f"the server counts {counted} frames, its files hold {len(stored)}")
    files = harness.delta_files(server.table())
    if not in_table == sum(files.values()) == len(stored):
        raise RuntimeError(f"the table holds {in_table} frames, by its log {sum(files.values())}, for {len(stored)} of the log")
    left = {path.name for path in server.table().glob("*part-*")} - set(files) - harness.delta_removed(server.table())
    if left:
        raise RuntimeError(f"left behind: {left}")
    tally.acknowledged = len(tally.names)
    return tally
