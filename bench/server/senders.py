"""Measures what senders notice: the time of honest uploads beside a thousand slow ones, and MQTT over a real Mosquitto, one frame
after the other and after a full disk.

`python3 bench/server/senders.py HOST PORT FRAME` is the thousand slow senders, in a process of their own."""
import asyncio
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "crates/server/test"), str(ROOT / "examples/fleet")]
import broker as mosquitto  # noqa: E402
import harness  # noqa: E402
import mqtt  # noqa: E402

SLOW = 1000
SLOW_RATE = 300
ROUNDS = 5
HONEST = 600
MESSAGES = 100


async def send_slowly(address: tuple[str, int], frame: bytes) -> None:
    """Sends half of a frame, and goes on at a rate that the server does not end."""
    _, writer = await asyncio.open_connection(*address)
    writer.write(b"POST /v1/frames HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(frame))
    half = len(frame) // 2
    writer.write(frame[:half])
    for at in range(half, len(frame), SLOW_RATE):
        await asyncio.sleep(1)
        writer.write(frame[at:at + SLOW_RATE])


async def all_slowly(address: tuple[str, int], frame: bytes) -> None:
    """All slow senders at the same time."""
    await asyncio.gather(*(send_slowly(address, frame) for _ in range(SLOW)))


@contextmanager
def slow_senders(server: harness.Server, frame: Path) -> Iterator[None]:
    """Slow senders beside what follows, all of them among the server's uploads."""
    command = [sys.executable, __file__, server.address[0], str(server.address[1]), frame]
    process = subprocess.Popen(command)
    uploads = f"isopod_uploads {SLOW}\n"
    harness.wait_for(lambda: uploads in server.ask("GET", "/metrics").body.decode(), lambda: "too few slow uploads")
    # Their first halves came at full speed; what follows is slow.
    time.sleep(2)
    try:
        yield
        if uploads not in server.ask("GET", "/metrics").body.decode():
            raise RuntimeError("slow uploads ended before the honest ones")
    finally:
        process.kill()
        process.wait()
    harness.wait_for(lambda: "isopod_uploads 0\n" in server.ask("GET", "/metrics").body.decode(), lambda: "slow uploads stay")


def times(server: harness.Server, frames: list[bytes]) -> list[float]:
    """Seconds of each upload, one after the other on one connection."""
    connection, found = server.connection(), []
    for frame in frames:
        begun = time.monotonic()
        answer = harness.ask(connection, "POST", "/v1/frames", frame)
        found.append(time.monotonic() - begun)
        if answer.status != 200:
            raise RuntimeError(f"an honest upload got {answer.status}")
    connection.close()
    return found


def percentile99(values: list[float]) -> float:
    """The value that one in a hundred exceeds."""
    return sorted(values)[len(values) * 99 // 100]


def beside_slow_uploads() -> dict[str, float]:
    """The 99th percentile of honest uploads beside slow ones, over that without them."""
    fleet, place = harness.Fleet(2, "ckks-4096x2-linear"), harness.folder()
    (place / "frame").write_bytes(next(iter(fleet.frames(1, 2).values())))
    alone, beside = [], []
    with harness.Server(fleet.server) as server:
        frames = list(fleet.frames((2 * ROUNDS + 1) * HONEST).values())
        batches = [frames[at:at + HONEST] for at in range(0, len(frames), HONEST)]
        times(server, batches.pop(0))
        for _ in range(ROUNDS):
            alone.append(percentile99(times(server, batches.pop(0))))
            with slow_senders(server, place / "frame"):
                beside.append(percentile99(times(server, batches.pop(0))))
    ratio = statistics.median(beside) / statistics.median(alone)
    return {"upload-p99-ms": 1000 * statistics.median(alone), "slow-uploads-p99-ratio": ratio}


def over_mqtt() -> dict[str, float]:
    """Milliseconds from a frame to its receipt over a broker, one after the other; and 1 if all frames arrive that were sent
    while the disk was full."""
    fleet = harness.Fleet(1, "ckks-4096x2-linear")
    broker = mosquitto.Process("listener {port} 127.0.0.1", "allow_anonymous true", "max_packet_size 4000000",
                               "set_tcp_nodelay true")
    broker.start()
    frames = fleet.frames(MESSAGES + 40)
    pieces = list(frames.values())
    server = harness.Server(fleet.server, options=("--mqtt", f"127.0.0.1:{broker.port}"))
    try:
        with server:
            mosquitto.wait_connected(server)
            client, found = mqtt.Client(broker.port, "measuring", "isopod/receipts/1"), []
            client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for frame in pieces[:MESSAGES]:
                begun = time.monotonic()
                client.publish("isopod/frames/1", frame)
                next(client.messages(30))
                found.append(time.monotonic() - begun)
        server.limit = 200_000
        server.data = harness.folder() / "data"
        with server:
            mosquitto.wait_connected(server)
            for frame in pieces[MESSAGES:]:
                client.publish("isopod/frames/1", frame)
            harness.wait_for(lambda: "begins anew" in server.log.read_text(), server.log.read_text)
            mosquitto.lift_limit(server)
            end = time.monotonic() + 90
            while len(server.stored()) < 40 and time.monotonic() < end:
                time.sleep(0.1)
            recovered = len(server.stored()) == 40
    finally:
        broker.kill()
    return {"mqtt-one-by-one-ms": 1000 * statistics.median(found), "mqtt-recovers": int(recovered)}


if __name__ == "__main__":
    asyncio.run(all_slowly((sys.argv[1], int(sys.argv[2])), Path(sys.argv[3]).read_bytes()))
