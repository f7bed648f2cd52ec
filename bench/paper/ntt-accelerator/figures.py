"""The paper's clock, and the configurations of our engine that stand beside its designs."""
from bench.document import ABSENT
from bench.paper.measured import Figures

# Configurations for a ring degree: four lanes, banks up to 4096 or up to 16384. The small one keeps nothing between primes.
FAST, LARGE, SMALL = "w32p4", "w32p4-16384", "w32p4-small"
BLOCKS = ("chacha20", "keccak", "keccak-2", "packer", "randomness", "randomness-keccak", "transform")
CONFIGURATIONS = ("w32p1", "w32p2", FAST, "w32p4-frame", "w32p8", SMALL, LARGE)
# The configuration that makes whole frames, for one that does not.
FRAMED = {FAST: "w32p4-frame", "w32p4-air": "w32p4-air-frame"}
PRIMES = {1024: 1, 2048: 1, 4096: 3, 8192: 6, 16384: 13}
PROCESSOR_MHZ, ACCELERATOR_MHZ = 100, 150


def configuration(ring_degree: int) -> str:
    """Our configuration that is compared with the paper's design for a degree."""
    return FAST if ring_degree <= 4096 else LARGE


def cycles(figures: Figures, config: str, case: str) -> int | None:
    """Cycles of a case; None if it was not measured."""
    return figures.of("rtl", config, case)


def framed_cycles(figures: Figures, config: str, case: str, prefix: str = "") -> int | None:
    """Cycles of a case to the last byte of the last tag; None if it was not measured."""
    return cycles(figures, f"{prefix}{FRAMED[config]}", f"{case}-framed") if config in FRAMED else None


def resource(figures: Figures, design: str, flow: str, name: str) -> str:
    """One resource of a design; a dash if it was not mapped."""
    found = figures.of("rtl", design, flow, name)
    return ABSENT if found is None else f"{found:,}"


def paper_cycles(milliseconds: float | str, megahertz: int = ACCELERATOR_MHZ) -> float:
    """Cycles of a clock of the paper, by default its accelerator's."""
    return float(milliseconds) * 1000 * megahertz
