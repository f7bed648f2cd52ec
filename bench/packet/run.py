"""`make bench-packet`: bytes of packets as `isopod encrypt` writes them, the error of a sum of 96, and how many packets a second
a server takes and one core adds up, against limits.

Writes bench/out/packet.json, a list of `case` and `value`. The exit status is 1 if a limit is missed."""
import argparse
import json
import os
import random
import resource
import subprocess
import sys
import time
from pathlib import Path

from bench.record import OUT, ROOT, commit, judged, merge

sys.path.insert(0, str(ROOT / "crates/server/test"))
import harness  # noqa: E402

# Cases with their limits: at least, at most.
LIMITS = {"one-reading": (None, 18), "ten-readings": (None, 42), "readings-in-51": (13, None), "sigfox": (None, 12),
          "pads-ten-16-bit": (None, 33), "tfhe-16-u8": (None, 160), "sum-error-last-bits": (None, 4),
          "ingest-per-second": (20_000, None), "folded-per-second-and-core": (10_000, None)}
LAST_BIT = 2.0**-11  # of readings of 12 bits between -1 and 1
SUMMED = 96
BODY_PACKETS, BODIES = 1000, 40
SCALE = ("--scale-bits", "18", "--bound-bits", "0", "--precision", "0.0003")
LORAWAN_BYTES = 51
# One thread, user time, the time of a small evaluation taken off.
FOLDED, FEW = 20_000, 1000


class Sender:
    """A device with a secret key, whose packets the command line writes."""

    def __init__(self, parameters: str):
        self.fleet = harness.Fleet(parameters=parameters, secret=True)
        self.contexts = 0

    def packets(self, rows: list[list], *options: str) -> tuple[bytes, list[bytes]]:
        """A fresh context, and a packet of each row."""
        place = harness.folder()
        lines = [",".join(f"c{at}" for at in range(len(rows[0]))), *(",".join(map(str, row)) for row in rows)]
        (place / "values.csv").write_text("\n".join(lines) + "\n")
        harness.isopod("encrypt", "--keys", self.fleet.keys / "device-1", "--by-secret-key", "--packets", str(self.contexts),
                       "--values", place / "values.csv", "--out", place / "packets", *options)
        self.contexts += 1
        return harness.elements((place / "packets").read_bytes())

    def bytes(self, columns: int, *options: str) -> int:
        """Bytes of a packet of so many readings, without its head in a body."""
        _, packets = self.packets([[0.5] * columns], *SCALE, *options)
        return len(packets[0]) - harness.head(packets[0], 0)[2]


def lengths(sender: Sender) -> dict[str, int]:
    """Bytes of packets."""
    # Numbers that fit two bytes are the devices of a Sigfox fleet.
    fits = [columns for columns in range(8, 20) if sender.bytes(columns) <= LORAWAN_BYTES]
    numbers = Sender("tfhe-2048-tfhe-rs")
    _, of_tfhe = numbers.packets([[at] * 16 for at in range(2)])
    pads = json.loads((ROOT / "spec/vectors/pad.json").read_text())["pads"]
    ten = [record for record in pads if (record["columns"], record["width"], record["tag_bytes"]) == (10, 2, 8)]
    return {"one-reading": sender.bytes(1), "ten-readings": sender.bytes(10), "readings-in-51": max(fits),
            "sigfox": sender.bytes(1, "--device-bytes", "2", "--tag-bytes", "4"),
            "tfhe-16-u8": len(of_tfhe[0]) - harness.head(of_tfhe[0], 0)[2],
            "pads-ten-16-bit": min(len(record["packet"]) // 2 for record in ten)}


def error_of_a_sum(sender: Sender) -> float:
    """The largest error of ten sums of SUMMED readings, in last bits of a reading."""
    rows = [[random.randrange(-2048, 2048) * LAST_BIT for _ in range(10)] for _ in range(SUMMED)]
    context, packets = sender.packets(rows, *SCALE)
    place = harness.folder()
    (place / "packets").write_bytes(context + b"".join(packets))
    harness.isopod("evaluate", "--keys", sender.fleet.server, "--job", "sum", "--in", place / "packets", "--out", place / "sum")
    found = sender.fleet.decrypt((place / "sum").read_bytes())
    wanted = [sum(row[at] for row in rows) for at in range(10)]
    return max(abs(one - other) for one, other in zip(found, wanted, strict=True)) / LAST_BIT


def ingest(sender: Sender, context: bytes, packets: list[bytes]) -> float:
    """Packets a second that the server has on disk and acknowledges, in bodies of BODY_PACKETS on one connection."""
    with harness.Server(sender.fleet.server, options=("--no-tables",)) as server:
        connection = server.connection()
        harness.ask(connection, "POST", "/v1/frames", context)
        begun = time.monotonic()
        for at in range(0, len(packets), BODY_PACKETS):
            answer = harness.ask(connection, "POST", "/v1/frames", b"".join(packets[at:at + BODY_PACKETS]))
            if answer.json()["stored"] != BODY_PACKETS:
                raise RuntimeError(answer.body)
        return len(packets) / (time.monotonic() - begun)


def user_seconds(sender: Sender, packets: Path) -> float:
    """User time of a partial state of these packets, in one thread."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([harness.ISOPOD, "evaluate", "--keys", sender.fleet.server, "--job", "sum", "--partial", "--threads", "1",
                    "--again", "--in", packets, "--out", packets.with_suffix(".state")], check=True, capture_output=True,
                   env={**os.environ, "ISOPOD_PASSPHRASE": harness.PASSPHRASE})
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def folded(sender: Sender, context: bytes, packets: list[bytes]) -> float:
    """Packets a second that one core takes in, expands and adds up."""
    place = harness.folder()
    seconds = []
    for count in (FEW, FOLDED):
        (place / str(count)).write_bytes(context + b"".join(packets[:count]))
        seconds.append(user_seconds(sender, place / str(count)))
    return (FOLDED - FEW) / (seconds[1] - seconds[0])


def main() -> int:
    """Measures, writes the records, and judges them."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    sender = Sender("ckks-1024x1-sum")
    values: dict[str, float] = lengths(sender)
    values["sum-error-last-bits"] = round(error_of_a_sum(sender), 2)
    rows = [[0.001 * (at % 100)] * 10 for at in range(BODIES * BODY_PACKETS)]
    context, packets = sender.packets(rows, *SCALE)
    values["ingest-per-second"] = round(ingest(sender, context, packets))
    values["folded-per-second-and-core"] = round(folded(sender, context, packets))
    records = [{"case": case, "value": value, "method": "isopod encrypt --packets, isopod-server, isopod evaluate",
                "commit": commit()} for case, value in values.items()]
    merge(OUT / "packet.json", records)
    for record in records:
        print(f"{record['case']}: {record['value']}", file=sys.stderr)
    missed = [f"{case}: {values[case]}; allowed is {least if least is not None else ''} to {most if most is not None else ''}"
              for case, (least, most) in LIMITS.items()
              if (least is not None and values[case] < least) or (most is not None and values[case] > most)]
    return judged(missed)


if __name__ == "__main__":
    sys.exit(main())
