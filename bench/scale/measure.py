"""`python3 -m bench.scale.measure`: the price of a message at the server, and a run with losses and a killed server, which the
simulation must foretell.

Writes its cases into bench/out/scale.json, beside those of others. With --keep, all cases of that file go to
bench/scale/measured.json, from which docs/scale.md is made. Processor time hardly depends on what else a machine does."""
import argparse
import asyncio
import json
import os
import random
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from bench.packet.run import SCALE, Sender
from bench.record import OUT, ROOT, commit, known, merge, write

sys.path.insert(0, str(ROOT / "crates/server/test"))
import harness  # noqa: E402

KEPT = ROOT / "bench/scale/measured.json"
RECORDS = OUT / "scale.json"
PACKETS, BODY_PACKETS = 40_000, 1000
FRAMES, BODY_FRAMES, SENDERS = 1536, 16, 4
TICKS = os.sysconf("SC_CLK_TCK")
# The run that the simulation must foretell.
DEVICES, RATE, SECONDS, KILLED, AWAY = 50, 40.0, 60.0, 20.0, 6.0
LOSS, PATIENCE, FIRST_PAUSE, SEED = 0.02, 5.0, 1.0, 7
ENOUGH = 120.0  # seconds behind the run until every device has its receipt


def processor_seconds(process: int) -> float:
    """Processor time of a process, user and system."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def peak_mb(process: int) -> float:
    """The peak of a process's resident memory."""
    status = Path(f"/proc/{process}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1024


def size(folder: Path) -> int:
    """Bytes of all files of a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def costs(kind: str, keys: Path, bodies: list[bytes], count: int) -> dict[str, float]:
    """Processor time, bytes and memory for each of `count` messages in these bodies, and of a partial sum of them all."""
    server = harness.Server(keys, options=("--table-seconds", "2"))
    with server:
        process, connection = server.process.pid, server.connection()
        before = processor_seconds(process)
        for body in bodies:
            answer = harness.ask(connection, "POST", "/v1/frames", body)
            if answer.status != 200:
                raise RuntimeError(answer.body)
        server.wait_compacted()
        ingested = processor_seconds(process) - before
        before = processor_seconds(process)
        state, _ = server.run_job(job="sum", partial=True)
        if state["state"] != "done":
            raise RuntimeError(state)
        summed = processor_seconds(process) - before
        peak = peak_mb(process)
        server.stop()
    return {f"{kind}-bytes": sum(map(len, bodies)) / count, f"{kind}-ingest-cpu-us": 1e6 * ingested / count,
            f"{kind}-sum-cpu-us": 1e6 * summed / count, f"{kind}-log-bytes": size(server.data / "log") / count,
            f"{kind}-table-bytes": size(server.data / "tables") / count, f"{kind}-rss-mb": peak}


def packets() -> dict[str, float]:
    """Packets of ten readings, as a gateway brings them."""
    sender = Sender("ckks-1024x1-sum")
    context, found = sender.packets([[0.001 * (at % 100)] * 10 for at in range(PACKETS)], *SCALE)
    bodies = [b"".join(found[at:at + BODY_PACKETS]) for at in range(0, PACKETS, BODY_PACKETS)]
    return costs("packet", sender.fleet.server, [context + bodies[0], *bodies[1:]], PACKETS)


def frames() -> dict[str, float]:
    """Frames of 2,048 values by public key."""
    fleet = harness.Fleet(SENDERS, "ckks-4096x2-linear")
    found = [frame for device in range(1, SENDERS + 1) for frame in fleet.frames(FRAMES // SENDERS, device).values()]
    bodies = [b"".join(found[at:at + BODY_FRAMES]) for at in range(0, FRAMES, BODY_FRAMES)]
    return costs("frame", fleet.server, bodies, FRAMES)


@dataclass
class Tally:
    """The experience of devices."""

    attempts: int = 0
    known: int = 0
    receipts: list[float] = field(default_factory=list)


class Devices:
    """Devices that send, lose, and send again, as the simulation's do."""

    def __init__(self, server: harness.Server) -> None:
        self.server, self.draw, self.tally = server, random.Random(SEED), Tally()

    async def post(self, frame: bytes) -> dict:
        """One upload; OSError or EOFError while the server is away."""
        reader, writer = await asyncio.open_connection(*self.server.address)
        try:
            writer.write(b"POST /v1/frames HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(frame) + frame)
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            body = await reader.readexactly(int(head.split(b"content-length:")[1].split()[0]))
        finally:
            writer.close()
        if head.split()[1] != b"200":
            raise OSError(body)
        return json.loads(body)

    async def deliver(self, frame: bytes, at: float) -> None:
        """Sends one message from its time on, until its receipt is there."""
        await asyncio.sleep(at)
        born, attempt = time.monotonic(), 0
        while True:
            patience = await self.attempt(frame)
            if patience is None:
                self.tally.receipts.append(time.monotonic() - born)
                return
            await asyncio.sleep(patience + FIRST_PAUSE * 2.0**attempt * self.draw.uniform(0.5, 1.5))
            attempt += 1

    async def attempt(self, frame: bytes) -> float | None:
        """Seconds until the device knows that it has no receipt; none if it has one."""
        self.tally.attempts += 1
        if self.draw.random() < LOSS:
            return PATIENCE
        try:
            answer = await self.post(frame)
        except (OSError, EOFError):
            return 0.0
        self.tally.known += answer["known"]
        return PATIENCE if self.draw.random() < LOSS else None


async def killed(server: harness.Server) -> float:
    """Kills the server in mid-run and starts it again; the seconds that it was away."""
    await asyncio.sleep(KILLED)
    begun = time.monotonic()
    server.kill()
    await asyncio.sleep(AWAY)
    await asyncio.to_thread(server.start)
    return time.monotonic() - begun


async def all_devices(server: harness.Server, found: list[bytes]) -> tuple[Tally, float]:
    """Every message of the run, at times that are drawn."""
    devices = Devices(server)
    times = sorted(devices.draw.uniform(0, SECONDS) for _ in found)
    sending = [devices.deliver(frame, at) for frame, at in zip(found, times, strict=True)]
    away, *_ = await asyncio.wait_for(asyncio.gather(killed(server), *sending), SECONDS + ENOUGH)
    return devices.tally, away


def run() -> dict[str, float]:
    """A run with losses and a killed server."""
    count = round(RATE * SECONDS)
    fleet = harness.Fleet(DEVICES)
    named = [frame for device in range(1, DEVICES + 1) for frame in fleet.frames(count // DEVICES, device).items()]
    random.Random(SEED).shuffle(named)
    with harness.Server(fleet.server, options=("--no-tables",)) as server:
        tally, away = asyncio.run(all_devices(server, [frame for _, frame in named]))
        stored = server.stored()
        server.stop()
    lost, doubled = harness.check(dict(named), stored)
    receipts = sorted(tally.receipts)
    return {"run-sent": len(named), "run-away-seconds": away, "run-lost": lost, "run-doubled": doubled,
            "run-attempts": tally.attempts, "run-known": tally.known, "run-receipt-mean": sum(receipts) / len(receipts),
            "run-receipt-p90": receipts[len(receipts) * 90 // 100], "run-receipt-p99": receipts[len(receipts) * 99 // 100],
            "run-receipt-most": receipts[-1]}


def main() -> None:
    """Measures and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", action="store_true", help=f"also write {KEPT.relative_to(ROOT)}")
    parser.add_argument("--only", choices=("packets", "frames", "run"), help="measure a part")
    options = parser.parse_args()
    parts = {"packets": packets, "frames": frames, "run": run}
    found: dict[str, float] = {}
    for name, part in parts.items():
        if options.only in (None, name):
            found |= part()
    method = "isopod-server on the loopback, processor time of its process (bench/scale/measure.py)"
    rest = {"method": method, "commit": commit()}
    merge(RECORDS, [{"case": case, "value": round(value, 3), **rest} for case, value in found.items()])
    for case, value in found.items():
        print(f"{case:<24} {value:.3f}")
    if options.keep:
        write(KEPT, [{name: record.get(name) for name in ("case", "value", "commit")} for record in known(RECORDS)])


if __name__ == "__main__":
    main()
