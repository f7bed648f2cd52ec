"""Proofs of interfaces and counters by SymbiYosys: a harness of rtl/formal/ assumes the rules
of the other side, and asserts, with the assertions of the module itself, those of ours."""
from dataclasses import dataclass
from pathlib import Path

from rtl.formal.tools import read, sby, yosys
from rtl.sources import ROOT

FORMAL = ROOT / "rtl/formal"


@dataclass(frozen=True)
class Proof:
    """A harness, the cycles of a bounded search or of an induction, and those within which what it
    covers is reached: its assumptions leave that possible."""

    top: str
    mode: str
    depth: int
    reaches: int


PROOFS = (
    Proof("stream_queue", "prove", 6, 10),
    Proof("axi_lite", "prove", 4, 6),
    Proof("dma_read", "bmc", 14, 20),
    Proof("dma_write", "bmc", 16, 20),
    Proof("tag_nonce", "prove", 3, 24),
)
OPTIONS = "-D ISOPOD_FORMAL -D SYNTHESIS"


def holds(folder: Path, proof: Proof) -> bool:
    """True if no assertion fails and everything that is covered is reached."""
    source = f"{proof.top}.sv"
    (folder / source).write_text((FORMAL / source).read_text())
    yosys(folder, f"{read(proof.top, OPTIONS, source)} prep -flatten -top {proof.top};"
                  " memory_map; async2sync; chformal -early; opt_clean; write_rtlil design.il",
          "design.il")
    return sby(folder, proof.mode, proof.depth) and sby(folder, "cover", proof.reaches)
