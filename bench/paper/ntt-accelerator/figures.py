"""Figures of the tables: the paper's [DMGS23], and the records of bench/out/rtl.json."""
import tomllib
from dataclasses import dataclass
from pathlib import Path

from bench.record import OUT, read

HERE = Path(__file__).parent

# Configurations for a ring degree: four lanes, banks up to 4096 or up to 16384.
FAST, LARGE = "w32p4", "w32p4-16384"
BLOCKS = ("chacha20", "keccak", "keccak-2", "packer", "randomness", "randomness-keccak")
CONFIGURATIONS = ("w32p1", "w32p2", "w32p4", "w32p4-frame", "w32p8", "w32p4-small", "w32p4-16384")
# The configuration that makes whole frames, for one that does not.
FRAMED = {"w32p4": "w32p4-frame", "w32p4-air": "w32p4-air-frame"}


@dataclass(frozen=True)
class Figures:
    """All figures that were read."""

    paper: dict
    cycles: dict[tuple[str, str], int]
    resources: dict[tuple[str, str], dict]

    def cycles_of(self, config: str, case: str) -> int | None:
        """Cycles of a case; None if it was not measured."""
        return self.cycles.get((config, case))

    def framed_cycles(self, config: str, case: str, prefix: str = "") -> int | None:
        """Cycles of a case to the last byte of the last tag; None if it was not measured."""
        return self.cycles_of(f"{prefix}{FRAMED[config]}", f"{case}-framed") if config in FRAMED else None

    def paper_cycles(self, milliseconds: float) -> float:
        """Cycles of the accelerator's clock in the paper."""
        return milliseconds * 1000 * self.paper["accelerator_mhz"]


def configuration(ring_degree: int) -> str:
    """Our configuration that is compared with the paper's design for a degree."""
    return FAST if ring_degree <= 4096 else LARGE


def load() -> Figures:
    """Reads all figures; OSError or ValueError if one is missing."""
    records = read(OUT / "rtl.json")
    return Figures(
        tomllib.loads((HERE / "paper.toml").read_text()),
        {(record["config"], record["case"]): record["cycles"] for record in records if "case" in record},
        {(record["config"], record["flow"]): record for record in records if "flow" in record},
    )
