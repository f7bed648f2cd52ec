"""Figures of the tables: the paper's [SEALEMB21], SEAL-Embedded recomputed, and the records of bench/out."""
import tomllib
from dataclasses import dataclass
from pathlib import Path

from bench.record import OUT, by_target, known, read

HERE = Path(__file__).parent
MEGAHERTZ = 64
RING_DEGREE = 4096
PRIMES = 3

# SEAL-Embedded's primes. Its configurations beside ours: fewest bytes, middle, fewest instructions.
PREFIX = "ckks-4096x3"
KINDS = {"symmetric": "sym", "asymmetric": "pk"}
CHUNKS = {"memory efficient": 4, "balanced": 2, "high performance": 1}
MODULES = {"IFFT": "encode", "NTT": "ntt", "uniform": "uniform", "ternary": "ternary", "CBD": "error"}


@dataclass(frozen=True)
class Figures:
    """All figures that were read."""

    paper: dict
    recomputed: dict
    records: dict[tuple[str, str], dict]
    host: list[dict]

    def ours(self, case: str, target: str = "cortex-m4") -> dict:
        """One record of device.json; ValueError names the command that measures it."""
        if (target, case) not in self.records:
            raise ValueError(f"device.json has no record of {case} on {target}; run `make bench-device`")
        return self.records[target, case]

    def encryption(self, row: dict, prefix: str = PREFIX) -> dict:
        """Our case for a row of the paper's Table 5."""
        return self.ours(f"{prefix}-surface-{KINDS[row['key']]}-{CHUNKS[row['configuration']]}")

    def module(self, row: dict, target: str = "cortex-m4", suite: str = "") -> dict:
        """Our module for a row of the paper's Table 4."""
        return self.ours(f"{PREFIX}-module-{suite}{MODULES[row['mode'] if row['module'] == 'sample' else row['module']]}",
                         target)


def load() -> Figures:
    """Reads all figures. OSError or ValueError if one is missing; only host.json may be."""
    paper, recomputed = (tomllib.loads((HERE / name).read_text()) for name in ("paper.toml", "recomputed.toml"))
    return Figures(paper, recomputed, by_target(read(OUT / "device.json")), known(OUT / "host.json"))


def milliseconds(record: dict) -> float:
    """Milliseconds that the cycle model gives at the clock of the paper's Cortex-M4."""
    return record["est_cycles"] / 1000 / MEGAHERTZ


def flash_bytes(record: dict) -> int:
    """Bytes of flash for tables and key."""
    return record["flash_table_bytes"] + record["flash_key_bytes"]
