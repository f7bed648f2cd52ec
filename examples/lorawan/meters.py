"""Meters: each with a key pair of its own, readings of a month, and packets that its firmware made. One of them is an emulated
Cortex-M4; the others run the same program on this machine."""
import os
import random
import shutil
import struct
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from network import FRAGMENT_PORT

from ports import emulate

FIRMWARE = "examples/lorawan/firmware/main.c"
BOARD, HOST = "mps2-an386", "linux"
TOOLS = ("arm-none-eabi-gcc", "qemu-system-arm")
SET = "ckks-1024x1-sum"
HOURS = 2  # of a reading
SLOTS = 24 // HOURS
MIDDLE = 2048  # readings are sent as what they are above it, and have twelve bits
FRAME_KEY = slice(-66, -34)  # in frame.key


@dataclass
class Meter:
    """A meter: watt-hours by day and slot, the fragments of its context, and its packets by day."""

    number: int
    eui: str
    readings: list[list[int]]
    fragments: list[bytes] = field(default_factory=list)
    packets: list[bytes] = field(default_factory=list)


def household(chooser: random.Random, days: int) -> list[list[int]]:
    """Watt-hours of two hours each: a base, a morning, an evening, and chance."""
    size = chooser.uniform(0.4, 1.6)
    usual = [250 + 500 * (6 <= HOURS * slot < 10) + 1100 * (16 <= HOURS * slot < 22) for slot in range(SLOTS)]
    return [[min(4095, round(size * chooser.uniform(0.5, 1.5) * watt_hours)) for watt_hours in usual] for _ in range(days)]


def firmware() -> dict[str, Path]:
    """The program for this machine, and for the board if it can be emulated."""
    places = [HOST]
    if all(map(shutil.which, TOOLS)):
        places.append(BOARD)
    else:
        print(f"No board is emulated without {' and '.join(TOOLS)}.")
    return {place: emulate.build_app(place, "lorawan", [FIRMWARE]) for place in places}


def encrypt(meter: Meter, keys: Path, program: tuple[str, Path]) -> None:
    """Runs the meter's program over its month."""
    device = keys / f"device-{meter.number}"
    files = [device / name for name in ("compact.key", "sender", "readings", "packets")]
    _, sender, readings, packets = files
    sender.write_bytes(struct.pack("<Q", meter.number) + (device / "frame.key").read_bytes()[FRAME_KEY])
    readings.write_bytes(b"".join(struct.pack(f"<{SLOTS}h", *(one - MIDDLE for one in day)) for day in meter.readings))
    words = [os.path.relpath(file, emulate.ROOT) for file in files]
    done = emulate.run(emulate.command(*program, words), 300)
    if done.returncode != 0:
        raise RuntimeError(f"meter {meter.number}: exit status {done.returncode}\n{done.stderr}")
    for port, payload in uplinks(packets.read_bytes()):
        (meter.fragments if port == FRAGMENT_PORT else meter.packets).append(payload)


def uplinks(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Ports and payloads; each payload stands behind its port and its length in two bytes."""
    at = 0
    while at < len(data):
        port, length = struct.unpack_from("<BH", data, at)
        yield port, data[at + 3:at + 3 + length]
        at += 3 + length


def make(count: int, days: int, keys: Path, chooser: random.Random) -> list[Meter]:
    """Meters with a month of packets. The folders of their keys are `keys/NUMBER`."""
    programs = firmware()
    meters = [Meter(number, f"70b3d57ed004{number:04x}", household(chooser, days)) for number in range(1, count + 1)]
    boards = [BOARD if BOARD in programs and meter.number == 1 else HOST for meter in meters]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda meter, place: encrypt(meter, keys / str(meter.number), (place, programs[place])), meters, boards))
    return meters
