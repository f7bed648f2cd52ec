"""Storage under faults and at scale: histories on a simulated disk, flipped bits, a log of fifteen million devices, and the bytes
that are written for a byte of frames."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench.record import ROOT

sys.path.insert(0, str(ROOT / "crates/server/test"))
import harness  # noqa: E402

HISTORIES = 100_000
BIT_FLIPS = 10_000
DEVICES = 15_000_000
FEW = 1000
# Each measure of the large log stands between two of the small one.
TURNS = 3
PROFILE = ["cargo", "test", "--release", "--locked", "-p", "isopod-store", "--test", "suite", "--"]
SCALE = ["cargo", "run", "--release", "--locked", "--quiet", "-p", "isopod-store", "--example", "scale", "--"]


def tally(test: str, variable: str, count: int) -> dict[str, float]:
    """The counts that a test prints over so many seeds. A failure is counted and told, not raised."""
    environment = os.environ | {variable: str(count)}
    done = subprocess.run([*PROFILE, test, "--nocapture"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    counts = [line for line in done.stderr.splitlines() if line.startswith("{")]
    if not counts:
        raise RuntimeError(f"{test}: {done.stderr[-2000:]}")
    if done.returncode:
        print(done.stderr[-2000:], file=sys.stderr)
    return json.loads(counts[-1])


def faults() -> dict[str, float]:
    """Histories on a simulated disk, and bits that are flipped at rest."""
    histories = tally("whatever_the_disk_does", "ISOPOD_DISK_HISTORIES", HISTORIES)
    flips = tally("one_flipped_bit", "ISOPOD_BIT_FLIPS", BIT_FLIPS)
    found = {"disk-histories": histories["disk-histories"], "bit-flips": flips["bit-flips"]}
    found |= {f"disk-histories-{count}": histories[count] for count in ("acknowledged", "lost", "doubled", "silent")}
    return found | {"bit-flips-refused": flips["refused"], "bit-flips-silent": flips["silent"] + flips["lost"] + flips["doubled"]}


def scale() -> dict[str, float]:
    """A log of fifteen million devices beside one of a thousand."""
    place = Path(tempfile.mkdtemp(prefix="isopod-scale-", dir=ROOT))
    try:
        return compared(place)
    finally:
        shutil.rmtree(place)


def compared(place: Path) -> dict[str, float]:
    """Start, memory, rate and the slowest hundredth of both logs, the median of several turns."""
    for name, devices in (("few", FEW), ("many", DEVICES)):
        subprocess.run([*SCALE, "fill", place / name, str(devices)], cwd=ROOT, check=True)
    turns = [(measure(place / "few", FEW), measure(place / "many", DEVICES)) for _ in range(TURNS)]
    few, many = zip(*turns, strict=True)
    of = {"few": few, "many": many}

    def median(log: str, field: str) -> float:
        return sorted(turn[field] for turn in of[log])[TURNS // 2]

    return {
        "ingest-15m-ratio": median("many", "mb_per_second") / median("few", "mb_per_second"),
        "ingest-15m-p99-ratio": median("many", "p99_milliseconds") / median("few", "p99_milliseconds"),
        "index-bytes-per-device": (median("many", "memory_bytes") - median("few", "memory_bytes")) / DEVICES,
        "start-15m-seconds": median("many", "start_seconds"),
    }


def measure(folder: Path, devices: int) -> dict[str, float]:
    """One start with one ingest."""
    done = subprocess.run([*SCALE, "measure", folder, str(devices)], cwd=ROOT, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def written(process: int) -> int:
    """Bytes that a process has made the system write to disks."""
    lines = Path(f"/proc/{process}/io").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("write_bytes"))


def amplification(batches: list[bytes], fleet: harness.Fleet, upload: Callable) -> dict[str, float]:
    """Bytes written for a byte of frames, with tables and the index."""
    with harness.Server(fleet.server, options=("--table-seconds", "5")) as server:
        process = server.process.pid
        before = written(process)
        upload(server, batches)
        server.wait_compacted()
        ratio = (written(process) - before) / sum(map(len, batches))
    return {"write-amplification": ratio}
