"""`make bench-server`: measures crashes, ingest beside plain writes to the same disk, the memory of a thousand uploads, honest
uploads beside a thousand slow ones, MQTT after a full disk, storage under simulated faults and with fifteen million devices, and
judges them by limits.

Writes bench/out/server.json, a list of `case` and `value`. Records of other cases stay, because `make bench-table` writes
them. The exit status is 1 if a limit is missed. `--judge` measures nothing and judges all recorded cases."""
import argparse
import asyncio
import http.client
import json
import os
import resource
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench.record import OUT, ROOT, known, merge
from bench.server import senders, storage

sys.path.insert(0, str(ROOT / "crates/server/test"))
import harness  # noqa: E402
import kill  # noqa: E402

SENDERS = 4
BODY_FRAMES = 16
BODIES = 192
UPLOADS = 1000
UPLOAD_FRAMES = 3
ROUNDS = 200
# Cases with their limits: at least, at most.
LIMITS = {
    "kill-rounds": (ROUNDS, None), "lost": (None, 0), "duplicated": (None, 0), "ingest-to-disk-ratio": (0.65, None),
    "rss-1000-uploads-mb": (None, 256), "slow-uploads-p99-ratio": (None, 2), "mqtt-recovers": (1, 1),
    "disk-histories": (storage.HISTORIES, None), "disk-histories-lost": (None, 0), "disk-histories-doubled": (None, 0),
    "disk-histories-silent": (None, 0), "bit-flips": (storage.BIT_FLIPS, None), "bit-flips-silent": (None, 0),
    "ingest-15m-ratio": (0.8, None), "ingest-15m-p99-ratio": (None, 2), "index-bytes-per-device": (None, 64),
    "start-15m-seconds": (None, 2), "write-amplification": (None, 2.1),
}
LIMITS_OF_TABLES = {"sum-cpu-ratio": (None, 3), "sum-rss-mb": (None, 256), "spark-exact": (1, 1)}


def bodies(fleet: harness.Fleet, count: int) -> list[bytes]:
    """Bodies of BODY_FRAMES fresh frames each, those of every sender from a device of its own."""
    made = []
    for device in range(1, SENDERS + 1):
        frames = list(fleet.frames(count // SENDERS * BODY_FRAMES, device).values())
        made.append([b"".join(frames[at:at + BODY_FRAMES]) for at in range(0, len(frames), BODY_FRAMES)])
    return [body for bodies in zip(*made, strict=True) for body in bodies]


def plain_writes(batches: list[bytes], place: Path) -> float:
    """Bytes per second of writing batches one after the other to one file, each flushed."""
    with (place / "plain").open("wb", buffering=0) as file:
        begun = time.monotonic()
        for batch in batches:
            file.write(batch)
            os.fdatasync(file.fileno())
        seconds = time.monotonic() - begun
    (place / "plain").unlink()
    return sum(map(len, batches)) / seconds


def uploads(server: harness.Server, batches: list[bytes]) -> float:
    """Bytes per second of acknowledged uploads from several senders."""
    connections = [server.connection() for _ in range(SENDERS)]

    def send(sender: int) -> None:
        for body in batches[sender::SENDERS]:
            answer = harness.ask(connections[sender], "POST", "/v1/frames", body)
            if answer.status != 200:
                raise http.client.HTTPException(answer.body)

    begun = time.monotonic()
    with ThreadPoolExecutor(SENDERS) as pool:
        list(pool.map(send, range(SENDERS)))
    return sum(map(len, batches)) / (time.monotonic() - begun)


def ingest() -> dict[str, float]:
    """Ingest beside plain writes of the same batches, before and after, on the same disk."""
    fleet = harness.Fleet(SENDERS, "ckks-4096x2-linear")
    with harness.Server(fleet.server) as server:
        uploads(server, bodies(fleet, SENDERS))
        plain, ingested = [], []
        for _ in range(3):
            batches = bodies(fleet, BODIES)
            plain.append(plain_writes(batches, server.data))
            ingested.append(uploads(server, batches))
            plain.append(plain_writes(batches, server.data))
    amplified = storage.amplification(bodies(fleet, 2 * BODIES), fleet, uploads)
    mean = sum(plain) / len(plain)
    best = sorted(ingested)[1]
    return {"disk-mb-per-second": mean / 1e6, "ingest-mb-per-second": best / 1e6, "ingest-to-disk-ratio": best / mean} | amplified


async def upload_slowly(address: tuple[str, int], body: bytes, together: asyncio.Barrier) -> tuple[int, int]:
    """Sends half of one upload, and the rest once all others have sent their half; status, and the frames that were stored."""
    reader, writer = await asyncio.open_connection(*address)
    writer.write(b"POST /v1/frames HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body))
    writer.write(body[:len(body) // 2])
    await together.wait()
    writer.write(body[len(body) // 2:])
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = int(head.split(b"content-length:")[1].split()[0])
    answer = json.loads(await reader.readexactly(length))
    writer.close()
    return int(head.split()[1]), answer.get("stored", 0)


async def all_at_once(address: tuple[str, int], frames: list[bytes]) -> list[tuple[int, int]]:
    """The answers to all uploads."""
    together = asyncio.Barrier(UPLOADS)
    parts = [b"".join(frames[at::UPLOADS]) for at in range(UPLOADS)]
    return await asyncio.gather(*(upload_slowly(address, part, together) for part in parts))


def memory() -> dict[str, float]:
    """The peak resident memory of a server that takes a thousand uploads at once."""
    # The frames of one device are no more than may come in any order.
    fleet = harness.Fleet(UPLOAD_FRAMES, "ckks-4096x2-linear")
    frames = [frame for device in range(UPLOAD_FRAMES) for frame in fleet.frames(UPLOADS, device + 1).values()]
    with harness.Server(fleet.server) as server:
        statuses, told = zip(*asyncio.run(all_at_once(server.address, frames)), strict=True)
        status = Path(f"/proc/{server.process.pid}/status").read_text()
        stored = server.ask("GET", "/v1/totals").json()["frames"]
    peak = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
    if sum(told) != stored or set(statuses) - {200, 429, 503}:
        raise RuntimeError(f"{stored} frames stored, {sum(told)} told; statuses {set(statuses)}")
    return {"uploads-stored": statuses.count(200), "rss-1000-uploads-mb": peak / 1024}


def crashes() -> dict[str, float]:
    """The counts after many rounds of kill -9."""
    tally = kill.rounds(ROUNDS)
    return {"kill-rounds": tally.rounds, "acknowledged": tally.acknowledged, "lost": tally.lost, "duplicated": tally.duplicated}


def measured() -> dict[str, float]:
    """All cases."""
    raise_open_files()
    found = senders.beside_slow_uploads() | senders.over_mqtt() | memory() | ingest() | crashes()
    return found | storage.faults() | storage.scale()


def raise_open_files() -> None:
    """Lets this process and its children open as many files as they may: each connection is one."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)


def missed(found: dict[str, float], limits: dict[str, tuple]) -> list[str]:
    """The cases that miss their limits."""
    complaints = []
    for case, (least, most) in limits.items():
        value = found.get(case)
        if value is None or (least is not None and value < least) or (most is not None and value > most):
            complaints.append(f"{case}: {value}; allowed are {least} to {most}")
    return complaints


def main() -> None:
    """Measures, writes and judges."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judge", action="store_true", help="only compare what is there with all limits")
    options = parser.parse_args()
    found = {} if options.judge else measured()
    if found:
        merge(OUT / "server.json", [{"case": case, "value": round(value, 3)} for case, value in found.items()])
    values = {record["case"]: record["value"] for record in known(OUT / "server.json")}
    for case, value in values.items():
        print(f"{case:<28} {value}")
    limits = {case: limit for case, limit in (LIMITS | LIMITS_OF_TABLES).items() if case in found or options.judge}
    if complaints := missed(values, limits):
        sys.exit("\n".join(complaints))


if __name__ == "__main__":
    main()
