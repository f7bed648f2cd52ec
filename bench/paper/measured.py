"""Figures of ours for the pages: instructions and memory of bench/out/device.json, and measured.json of this folder.

measured.json keeps what takes an hour or needs this machine's clock, by the names of the files in bench/out: the engine (rtl),
the host beside SEAL (host, host-memory), the error of encodings (encoding), TFHE (tfhe-sbc, tfhe-sbc-aarch64, tfhe), and the
low-SWaP experiment (bench, operations, cost). It holds the figures that the pages show, one by one under a name of words, so that
every page can be checked anywhere."""
import json
from collections.abc import Iterator
from pathlib import Path

from bench.record import OUT, by_target, known

FILE = Path(__file__).parent / "measured.json"
# Simulated and synthesised figures repeat, so that a check may compare them; times do not.
EXACT = ("rtl", "tfhe-sbc-aarch64", "encoding")


def rtl(records: list[dict]) -> Iterator[tuple[tuple, float]]:
    """Cycles by configuration and case, resources by configuration, flow and kind."""
    for one in records:
        if "case" in one:
            yield (one["config"], one["case"]), one["cycles"]
        else:
            yield from (((one["config"], one["flow"], name), value) for name, value in one.items()
                        if name not in ("config", "flow") and isinstance(value, (int, float)))


def host(records: list[dict]) -> Iterator[tuple[tuple, float]]:
    """Microseconds of ours and of SEAL by case."""
    for one in records:
        yield from (((one["case"], name), one[name]) for name in ("ours_us", "peer_us"))


def nested(record: dict, *before: str) -> Iterator[tuple[tuple, float]]:
    """Every number of nested dictionaries by its path."""
    for name, value in record.items():
        if isinstance(value, dict):
            yield from nested(value, *before, name)
        elif isinstance(value, (int, float)):
            yield (*before, name), value


def clients(records: list[dict]) -> Iterator[tuple[tuple, float]]:
    """Microseconds and bytes of clients by what they do."""
    for one in records:
        yield from (((one["what"], name), one[name]) for name in ("microseconds", "bytes"))


def operations(document: dict) -> Iterator[tuple[tuple, float]]:
    """Milliseconds and bytes by side, scheme, degree and operation."""
    for one in document["records"]:
        place = one["side"], one["scheme"], one["degree"], one["operation"]
        yield (*place, "ms"), one["ms"]["median"]
        if one.get("bytes"):
            yield (*place, "bytes"), one["bytes"]


def cost(rows: list[dict]) -> Iterator[tuple[tuple, float]]:
    """Milliseconds by case, degree and operation."""
    for one in rows:
        yield (one["case"], one["degree"], one["operation"]), one["ms"]


SOURCES = {"rtl": rtl, "host": host, "tfhe-sbc": nested, "tfhe": clients, "bench": operations, "cost": cost,
           "host-memory": nested,
           "encoding": nested, "tfhe-sbc-aarch64": nested, "operations": nested}


def key(source: str, *words) -> str:
    """The name of a figure."""
    return " / ".join((source, *map(str, words)))


def committed() -> dict:
    """The figures of measured.json."""
    return json.loads(FILE.read_text())


class Figures:
    """All figures; remembers which of them the pages ask for. `fresh` takes times from bench/out, too."""

    def __init__(self, fresh: bool):
        self.values = committed()
        self.asked: set[str] = set()
        self.device = by_target(known(OUT / "device.json"))
        for source, flatten in SOURCES.items():
            path = OUT / f"{source}.json"
            if path.exists() and (fresh or source in EXACT):
                found = flatten(json.loads(path.read_text()))
                self.values |= {key(source, *words): value for words, value in found}

    def of(self, source: str, *words) -> float | None:
        """One figure; None if it was not measured."""
        name = key(source, *words)
        self.asked.add(name)
        return self.values.get(name)

    def names(self, source: str) -> list[tuple[str, ...]]:
        """The words of all figures of a source, in the order in which they were measured."""
        return [tuple(name.split(" / ")[1:]) for name in self.values if name.startswith(f"{source} / ")]

    def board(self, case: str, target: str = "cortex-m4") -> dict:
        """One record of device.json; ValueError names the command that measures it."""
        if (target, case) not in self.device:
            raise ValueError(f"device.json has no record of {case} on {target}; run `make bench-device`")
        return self.device[target, case]

    def keep(self, before: dict) -> None:
        """Writes measured.json: the figures that were asked for, and those that plots alone have asked for `before`."""
        kept = {name: value for name, value in self.values.items() if name in self.asked or name in before}
        FILE.write_text(json.dumps(kept, indent=0) + "\n")
