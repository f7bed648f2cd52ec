"""One test bench: a module of rtl/src, its parameters and the cocotb tests that drive it.

A file `rtl/dv/<folder>/test_*.py` holds the tests and a list BENCHES; rtl/dv/run.py finds them."""
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, Timer

ROOT = Path(__file__).resolve().parents[2]
DV = ROOT / "rtl/dv"
BUILD = ROOT / os.environ.get("BUILD", "build") / "rtl"
QUICK = os.environ.get("ISOPOD_RTL_QUICK") == "1"
CLOCK_NANOSECONDS = 10


@dataclass(frozen=True)
class Bench:
    """`top` with `parameters`, tested by the cocotb tests of `module`."""

    name: str
    top: str
    module: str
    parameters: Mapping[str, int | str] = field(default_factory=dict)
    # In the smoke set. Coverage is counted in that set alone, since a bench takes more than twice
    # as long with it.
    quick: bool = True
    # Begins first and may take longer.
    large: bool = False
    # Bits of the moduli, ModulusWidth of the engine.
    width: int = 32
    # Instead of cocotb tests: a Python program whose last line says "N passed, N failed, N
    # skipped".
    program: str = ""

    @property
    def seconds(self) -> int:
        """Limit of its build and its run together."""
        return 7200 if self.large else 1800

    @property
    def folder(self) -> str:
        """Folder of the tests in rtl/dv, and of their harness if they have one."""
        return self.module.split(".")[2]


def record(case: str, cycles: int) -> None:
    """Appends to the running bench's cycles.json, which bench/rtl reads."""
    file = Path("cycles.json")
    known = json.loads(file.read_text()) if file.exists() else {}
    file.write_text(json.dumps(known | {case: cycles}))


def rounds(quick: int, whole: int) -> int:
    """Repetitions of a random test."""
    return quick if QUICK else whole


async def start(dut, **inputs: int) -> None:
    """Clock, inputs and reset; returns after a falling edge, with the module out of reset."""
    for name, value in {"clk_i": 0, "rst_ni": 0, **inputs}.items():
        getattr(dut, name).value = value
    await clock(dut)
    await reset(dut)


async def clock(dut) -> None:
    """Starts the clock after a period in which it is low."""
    await Timer(CLOCK_NANOSECONDS, unit="ns")
    cocotb.start_soon(Clock(dut.clk_i, CLOCK_NANOSECONDS, unit="ns").start())


async def reset(dut, cycles: int = 3) -> None:
    """Asynchronous reset at any time."""
    dut.rst_ni.value = 0
    await ClockCycles(dut.clk_i, cycles)
    await FallingEdge(dut.clk_i)
    dut.rst_ni.value = 1
