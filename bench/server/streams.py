"""`python3 -m bench.server.streams`: measures servers that take frames from Kafka into shared tables, against their limits, and
writes bench/out/scale.json.

It needs what `make test-kafka` installs, and a release build. Exit status: 0 within the limits, 1 if one is missed."""
import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from bench.record import OUT, ROOT, commit, judged, merge

sys.path.insert(0, str(ROOT / "crates/server/test/kafka"))

import rounds  # noqa: E402
from place import PARTITIONS, SET, Place, harness  # noqa: E402

TOPIC = "frames"
DEVICES = 20
FRAMES_OF_DEVICE = 60
FRAMES_OF_BODY = 20
PACKETS = 2000
PACKETS_SET = "ckks-1024x1-sum"
TICK = os.sysconf("SC_CLK_TCK")
LEAST = {"kafka-rounds": 50, "kafka-ingest-ratio": 0.7, "object-store-exact": 1, "two-servers-answer-equal": 1}
MOST = {"kafka-rounds-lost": 0, "kafka-rounds-doubled": 0, "takeover-seconds": 15}
KILLS = ("Processes killed at random moments under load by kill -9, each started again: three brokers of Apache Kafka, a server "
         "that hands frames of {devices} devices to the topic, two servers that put them into tables in a bucket.")
METHODS = {
    "kafka-rounds": KILLS,
    "kafka-rounds-lost": "Acknowledged frames that are not in the table afterwards.",
    "kafka-rounds-doubled": "Frames that are in the table more than once afterwards.",
    "takeover-seconds": "From the death of one of two servers until the other one has stored frames of all partitions.",
    "kafka-ingest-ratio": "Frames for each processor second of a server that takes them from Kafka into tables of a folder, over "
                          "those of a server that takes them over HTTP into its log and its tables; one after the other.",
    "bucket-ingest-ratio": "The same with tables in a bucket; the server compresses, signs and sends what it writes.",
    "both-ends-ingest-ratio": "Frames for each processor second of the server that hands frames to Kafka and the one that takes "
                              "them together, over those of one server with a log.",
    "packets-ingest-ratio": "The same as kafka-ingest-ratio for packets of one reading, of one device, twenty in a record.",
    "object-store-exact": "1 if the frames that another reader of Delta tables finds in the bucket are those that were sent, to "
                          "the byte.",
    "two-servers-answer-equal": "1 if both servers give the same values, error, bound and frames over one version of the table.",
}


def processor_seconds(server: harness.Server) -> float:
    """The processor time of a process so far."""
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def costs(server: harness.Server, work: Callable[[], None]) -> float:
    """The processor seconds that a server spends on some work."""
    before = processor_seconds(server)
    work()
    return processor_seconds(server) - before


def send_all(server: harness.Server, frames: list[bytes]) -> None:
    """Sends frames over HTTP, some in each body."""
    for at in range(0, len(frames), FRAMES_OF_BODY):
        answer = server.send(*frames[at:at + FRAMES_OF_BODY])
        if answer.status != 200:
            raise RuntimeError(answer.body.decode())


def by_log(fleet: harness.Fleet, frames: list[bytes]) -> float:
    """Processor seconds of a server with a log and tables."""
    def work() -> None:
        send_all(server, frames)
        server.wait_compacted()
    with harness.Server(fleet.server, options=("--table-seconds", "1")) as server:
        return costs(server, work)


def rows(folder: Path) -> int:
    """Rows of the only table in a folder."""
    tables = [path for path in folder.glob("*") if (path / "_delta_log").exists()]
    return sum(harness.delta_files(tables[0]).values()) if tables else 0


def into_folder(place: Place, count: int) -> float:
    """Processor seconds of a server that takes the frames of the topic into tables of a folder."""
    kafka = ("--kafka", place.cluster.addresses, "--topic", TOPIC, "--group", "folder", "--table-seconds", "1")
    with harness.Server(place.keys(), options=kafka) as server:
        return costs(server, lambda: harness.wait_for(lambda: rows(server.data / "tables") == count, server.log.read_text, 300))


def into_bucket(place: Place, names: set[harness.Name]) -> float:
    """Processor seconds of a server that takes the frames of the topic into tables of a bucket."""
    with place.consumer(TOPIC) as server:
        return costs(server, lambda: place.wait_stored(TOPIC, names, 300))


def is_exact(place: Place, frames: dict[harness.Name, bytes]) -> bool:
    """True if the frames in the bucket are those that were sent."""
    found = place.bucket.query(TOPIC, "device, epoch, sequence, frame")
    return {(device, epoch, sequence): bytes(frame) for device, epoch, sequence, frame in found} == frames


def answer(place: Place, server: harness.Server) -> dict:
    """The sum as the owner reads it, without the number of the answer."""
    state, results = server.run_job(job="sum", again=True)
    if state["state"] != "done":
        raise RuntimeError(json.dumps(state))
    file = harness.folder() / "results"
    file.write_bytes(results)
    opened = json.loads(harness.isopod("--json", "decrypt", "--keys", place.fleet.keys / "owner", "--in", file))
    return {name: value for name, value in opened.items() if name not in ("file", "sequence")}


def answers_equal(place: Place) -> bool:
    """True if two servers answer alike."""
    with place.consumer(TOPIC) as first, place.consumer(TOPIC) as second:
        return answer(place, first) == answer(place, second)


def ingest() -> dict[str, float]:
    """The figures of one broker: what frames cost by the log, by Kafka into a folder, and into a bucket."""
    place = Place(DEVICES, 1)
    try:
        place.cluster.create(TOPIC, PARTITIONS)
        frames = place.frames(FRAMES_OF_DEVICE, DEVICES)
        log = by_log(place.fleet, list(frames.values()))
        with place.producer(TOPIC) as producer:
            front = costs(producer, lambda: send_all(producer, list(frames.values())))
        folder = into_folder(place, len(frames))
        bucket = into_bucket(place, set(frames))
        return {"kafka-ingest-ratio": log / folder, "bucket-ingest-ratio": log / bucket,
                "both-ends-ingest-ratio": log / (front + folder), "object-store-exact": int(is_exact(place, frames)),
                "two-servers-answer-equal": int(answers_equal(place))}
    finally:
        place.close()


def packets() -> dict[str, float]:
    """The figure of packets: processor seconds by the log, over those by Kafka into a folder."""
    place = Place(1, 1, PACKETS_SET, secret=True)
    try:
        place.cluster.create(TOPIC, PARTITIONS)
        context, items = place.fleet.packets([0.25] * PACKETS)
        log = by_log(place.fleet, [context, *items])
        with place.producer(TOPIC) as producer:
            send_all(producer, [context, *items])
        return {"packets-ingest-ratio": log / into_folder(place, PACKETS)}
    finally:
        place.close()


def deaths(kills: int, devices: int, frames: int) -> dict[str, float]:
    """The figures of three brokers and their deaths."""
    outcome = rounds.rounds(kills, devices, frames)
    if not all(abs(found - outcome.acknowledged) < 0.5 for found in outcome.sums):
        raise RuntimeError(f"sums {outcome.sums} of {outcome.acknowledged} frames of 1")
    return {"kafka-rounds": outcome.kills, "kafka-rounds-lost": outcome.lost, "kafka-rounds-doubled": outcome.doubled,
            "takeover-seconds": outcome.takeover_seconds}


def complaints(found: dict[str, float]) -> list[str]:
    """The missed limits."""
    low = [f"{case}: {found[case]:.3g}; allowed is {least} and more" for case, least in LEAST.items() if found[case] < least]
    high = [f"{case}: {found[case]:.3g}; allowed is at most {most}" for case, most in MOST.items() if found[case] > most]
    return low + high


def main() -> int:
    """Measures, writes and judges."""
    parser = argparse.ArgumentParser(prog="python3 -m bench.server.streams", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--devices", type=int, default=200)
    parser.add_argument("--frames", type=int, default=10, help="frames of a device while processes die")
    options = parser.parse_args()
    found = ingest() | packets() | deaths(options.kills, options.devices, options.frames)
    version = subprocess.run([harness.SERVER, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    tools = f"{version}; Apache Kafka 4.1.0; moto 5.2.5; sets {SET}, {PACKETS_SET}"
    records = [{"case": case, "value": value, "method": METHODS[case].format(devices=options.devices), "tools": tools,
                "commit": commit()} for case, value in found.items()]
    merge(OUT / "scale.json", records)
    print(json.dumps(found, indent=1))
    return judged(complaints(found))


if __name__ == "__main__":
    sys.exit(main())
