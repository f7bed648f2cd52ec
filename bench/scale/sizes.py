"""Needs of a fleet: cores, memory, brokers and disks, from measured costs of a message and stated assumptions."""
import json
from dataclasses import dataclass, fields
from math import ceil
from pathlib import Path

from bench.record import ROOT
from bench.scale.simulation import REPLICAS, Site

MEASURED = ROOT / "bench/scale/measured.json"
# Cases of the path over Kafka, and what the page assumes until they are measured: their limits.
ASSUMED = {"both-ends-ingest-ratio": 0.7, "takeover-seconds": 15.0}
DAY, MONTH_HOURS = 86_400, 730
MOST_SERVERS = 8  # of a simulation
INDEX_BYTES = 64  # of memory for a device's names, the limit of `make bench-server`


@dataclass(frozen=True)
class Assumptions:
    """Numbers that no command of the repository measures. Prices are in any currency."""

    packet_seconds: float = 900  # between two packets of a device
    frame_seconds: float = DAY  # between two frames of a device
    peak: float = 3  # times the mean rate, for which servers and brokers are there
    load: float = 0.5  # part of the cores that the peak keeps busy
    server_cores: int = 4  # of one server
    broker_cores: int = 4  # of one broker
    broker_mb: float = 50  # a second that one broker writes
    broker_hours: float = 24  # for which brokers keep messages
    days: float = 30  # for which tables are kept
    core_hour: float = 0.04
    disk_month: float = 0.10  # of a gigabyte at a broker or a server
    object_month: float = 0.023  # of a gigabyte in an object store

    def check(self) -> None:
        """ValueError, with the field's name, for numbers that are not positive, or a load above 1."""
        for each in fields(self):
            most = 1 if each.name == "load" else 1e9
            if not 0 < getattr(self, each.name) <= most:
                raise ValueError(f"{each.name}: {getattr(self, each.name)}; allowed are numbers above 0 to {most:g}")


@dataclass(frozen=True)
class Fleet:
    """Devices, and how their messages travel."""

    devices: int
    kind: str
    has_brokers: bool = True


def measured(path: Path = MEASURED) -> dict[str, float]:
    """All measured cases, by name."""
    return {record["case"]: record["value"] for record in json.loads(path.read_text())}


def assumed(figures: dict[str, float]) -> list[str]:
    """The cases that are not measured yet."""
    return [case for case in ASSUMED if case not in figures]


@dataclass(frozen=True)
class Size:
    """Needs of one fleet."""

    rate: float  # messages a second, on average
    mb: float  # megabytes a second, on average
    cores: float  # that are busy with ingest at the peak
    servers: int
    sum_hours: float  # core hours of a sum over a day's messages
    brokers: int
    disk_gb: float
    object_gb: float
    ram_gb: float
    price: float  # an hour
    per_second: float  # messages that one server takes


def size(fleet: Fleet, figures: dict[str, float], given: Assumptions) -> Size:
    """Computes the needs of a fleet."""
    given.check()
    kind = fleet.kind
    rate = fleet.devices / (given.packet_seconds if kind == "packet" else given.frame_seconds)
    ratio = figures.get("both-ends-ingest-ratio", ASSUMED["both-ends-ingest-ratio"]) if fleet.has_brokers else 1.0
    cpu = figures[f"{kind}-ingest-cpu-us"] / 1e6 / ratio
    cores = rate * given.peak * cpu
    servers = max(2 if fleet.has_brokers else 1, ceil(cores / given.load / given.server_cores))
    mb = rate * figures[f"{kind}-bytes"] / 1e6
    brokers = max(REPLICAS, ceil(mb * given.peak * REPLICAS / given.broker_mb)) if fleet.has_brokers else 0
    in_table = rate * DAY * given.days * figures[f"{kind}-table-bytes"] / 1e9
    in_log = rate * DAY * given.days * figures[f"{kind}-log-bytes"] / 1e9
    disk = mb / 1e3 * 3600 * given.broker_hours * REPLICAS if fleet.has_brokers else in_log + in_table
    objects = in_table if fleet.has_brokers else 0.0
    all_cores = servers * given.server_cores + brokers * given.broker_cores
    price = all_cores * given.core_hour + (disk * given.disk_month + objects * given.object_month) / MONTH_HOURS
    return Size(rate, mb, cores, servers, rate * DAY * figures[f"{kind}-sum-cpu-us"] / 1e6 / 3600, brokers, disk, objects,
                servers * figures[f"{kind}-rss-mb"] / 1e3 + fleet.devices * INDEX_BYTES / 1e9, price, given.server_cores / cpu)


def site(fleet: Fleet, figures: dict[str, float], given: Assumptions, seconds: float) -> Site:
    """The simulation of a fleet at its peak; of a large one MOST_SERVERS with their share, since partitions do not meet."""
    needs = size(fleet, figures, given)
    share = min(1.0, MOST_SERVERS / needs.servers)
    common = {"rate": needs.rate * given.peak * share, "seconds": seconds, "per_second": needs.per_second, "loss": 0.01,
              "step": 0.5}
    if not fleet.has_brokers:
        return Site(**common)
    servers, brokers = round(needs.servers * share), max(REPLICAS, round(needs.brokers * share))
    takeover = figures.get("takeover-seconds", ASSUMED["takeover-seconds"])
    return Site(**common, servers=servers, brokers=brokers, partitions=max(6, servers), takeover=takeover)
