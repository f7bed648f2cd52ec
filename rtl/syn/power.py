"""`.venv/bin/python -m rtl.syn.power --liberty FILE [CONFIG]`: energy and power of one simulated
encryption under a public key, in the standard cells of your own library.

Toggles are Verilator's counts of every declared bit in two encryptions less those in one, so that
reset, keys and twiddles do not count. Gates are those of Yosys before the mapping. The assumptions
are in rtl/doc/area.md. Prints the record and merges it into bench/out/rtl.json."""
import argparse
import json
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.record import OUT, merge
from rtl.dv.encode.cosines import write_cosines
from rtl.sources import (
    ENGINE,
    PACKAGE,
    ROOT,
    configurations,
    defines,
    is_precise,
    modules,
    search,
)
from rtl.syn.cells import generic, memories_of
from rtl.syn.flow import Design, execute, front_end
from rtl.syn.liberty import Library, attribute, groups, setting

TEST = "rtl.dv.top.encryptions"
FEW, MANY = 1, 2
WIDEST = 1 << 16                 # bits of a signal that is still counted
POINT = re.compile(r"^C '(.*)' (\d+)$")
MEMORY, OUTPUT = "isopod_ram", "read_data_o"
# A rise of the clock, and the module that occurs once.
CLOCK, TOP = "clk_i:0->1", "isopod_sequencer"
# NAND gates of two inputs in each of Yosys' gates.
GATES = {"$_NOT_": 0.5, "$_AND_": 1.5, "$_OR_": 1.5, "$_NAND_": 1.0, "$_NOR_": 1.0,
         "$_ANDNOT_": 1.5, "$_ORNOT_": 1.5, "$_XOR_": 2.5, "$_XNOR_": 2.5, "$_MUX_": 2.5}
REGISTER = re.compile(r"\$_(?:S|A|ALD|SDF|D)FFE?[A-Z]*_\w+_|\$_DFF\w*_")
# Inputs that an output drives, and the share of wires in what it drives.
FANOUT, WIRES = 3.0, 0.5
# Picojoules for each bit of a word that is read, and of one that is written: the two-port memory of
# 1024 words of 16 bits in IHP's sg13g2 library (IHP-Open-PDK 5cccb161, typical, 1.2 V).
READ_PJ, WRITE_PJ, MEMORY_VOLTAGE = 26.4863 / 16, 32.918 / 16, 1.2
MEGAHERTZ = 100.0


@dataclass(frozen=True)
class Activity:
    """Toggles of declared bits in some cycles: all, of registers, and of memories' outputs."""

    bits: int
    toggles: int
    register_bits: int
    register_toggles: int
    memory_toggles: int


def activity(files: tuple[Path, Path]) -> Activity:
    """The difference of the second file to the first one, for each encryption."""
    fewer, more = [toggles(file.read_text()) for file in files]
    top = next(page for page in more if page.startswith(TOP))
    cycles = more[top][CLOCK] - fewer[top][CLOCK]
    totals = dict.fromkeys(("bits", "toggles", "register_bits", "register_toggles",
                            "memory_toggles"), 0.0)
    for page, counts in more.items():
        # Verilator adds up the instances of a module; their clocks tell how many there are.
        instances = (counts.get(CLOCK, 0) - fewer[page].get(CLOCK, 0)) / cycles
        for bit, count in counts.items():
            change = (count - fewer[page][bit]) / (MANY - FEW)
            for kind in kinds_of(page, re.sub(r"[\[.:].*", "", bit)):
                totals[f"{kind}toggles"] += change
                if kind != "memory_":
                    totals[f"{kind}bits"] += instances
    return Activity(**{name: round(value) for name, value in totals.items()})


def kinds_of(page: str, signal: str) -> list[str]:
    """Sums of Activity to which a signal of a module belongs; clocks, resets and cells of memories
    belong to none."""
    if signal in ("clk_i", "rst_ni") or signal.endswith("memory"):
        return []
    return ["", *(["register_"] if signal.endswith("_q") else []),
            *(["memory_"] if page.startswith(MEMORY) and signal == OUTPUT else [])]


def toggles(text: str) -> dict[str, dict[str, int]]:
    """Counts of one coverage.dat by module with its parameters, and bit."""
    found: dict[str, dict[str, int]] = {}
    for line in text.splitlines():
        match = POINT.match(line)
        fields = dict(item.split("\x02", 1) for item in match[1].split("\x01") if item) \
            if match else {}
        if fields.get("t") != "toggle" or "rtl/src/" not in fields["f"]:
            continue
        page, bit = fields["page"].rpartition("/")[2], fields["o"]
        if bit != CLOCK:
            bit = re.sub(r":[01]->[01]$", "", bit)
        counts = found.setdefault(page, {})
        counts[bit] = counts.get(bit, 0) + int(match[2])
    return found


def simulate(name: str) -> tuple[Activity, int]:
    """Activity of one encryption, and its cycles."""
    from rtl.dv.bench import BUILD
    from rtl.dv.simulator import STRICT, locked, runner
    chosen = configurations()[name]
    parameters = dict(chosen)
    for width, key in ((32, "CosineFile"), (64, "LongCosineFile")):
        if width == 32 or is_precise(chosen):
            parameters[key] = f'"{write_cosines(BUILD, int(chosen["MaxLogN"]), width)}"'
    folder = BUILD / "power" / name
    flags = [*STRICT, *defines(int(chosen["ModulusWidth"]), is_precise(chosen)), *search(),
             "--coverage-toggle", "--coverage-max-width", str(WIDEST)]
    with locked(folder):
        runner().build(sources=[PACKAGE, ROOT / "rtl/lint.vlt", ROOT / "rtl/dv/visible.vlt",
                                modules()[ENGINE]],
                       hdl_toplevel=ENGINE, build_dir=folder, always=True, build_args=flags,
                       parameters=parameters, timescale=("1ns", "1ps"))
    files = []
    for number in (FEW, MANY):
        place = folder / f"run{number}"
        place.mkdir(exist_ok=True)
        os.environ["ISOPOD_ENCRYPTIONS"] = str(number)
        runner().test(hdl_toplevel=ENGINE, test_module=TEST, build_dir=folder, test_dir=place,
                      results_xml=str(place / "results.xml"), seed=1, hdl_toplevel_lang="verilog",
                      test_args=["+verilator+seed+1", "+verilator+rand+reset+2"])
        files.append(place / "coverage.dat")
    cycles = json.loads((files[1].parent / "cycles.json").read_text())["cycles"]
    return activity((files[0], files[1])), cycles


def gates_of(name: str) -> tuple[float, int]:
    """Gate equivalents of the logic between registers, and the number of registers."""
    chosen = configurations()[name]
    design = Design(name, ENGINE, chosen, width=int(chosen["ModulusWidth"])).towards("cells")
    front_end(design)
    macros = memories_of(design.folder / "flat.json", design.top)
    script = f"{generic(design, macros)}; tee -o gates.stat stat"
    text = execute(design, "gates", ["yosys", "-Q", "-p", script], "gates.stat").read_text()
    found = {kind: int(number)
             for kind, number in re.findall(r"^ {5}(\$_\w+) +(\d+)$", text, re.MULTILINE)}
    registers = sum(number for kind, number in found.items() if REGISTER.fullmatch(kind))
    return sum(GATES.get(kind, 0) * number for kind, number in found.items()), registers


@dataclass(frozen=True)
class Energies:
    """Picojoules of a toggle at a gate's and a register's output, of a register's clock in a cycle
    without a toggle, and microwatts that a gate leaks."""

    gate: float
    register: float
    clock: float
    leakage: float
    voltage: float


def energies(library: Library) -> Energies:
    """From the smallest NAND of two inputs and the smallest flip-flop. Half of C V^2 is a toggle's
    share of what an output drives."""
    voltage = float(setting(library.header, "nom_voltage"))
    nand = min((cell for cell in library.cells if re.search(r"nand2(?!\d*b)[x_\d]", cell, re.I)),
               key=library.area)
    flop = min((cell for cell, text in library.cells.items() if groups(text, "ff")),
               key=library.area)
    load = FANOUT * pin_capacitance(library.cells[nand]) / (1 - WIRES)
    drive = load * voltage**2 / 2
    clock = next(pin for pin in groups(library.cells[flop], "pin")
                 if attribute(pin, "clock") == "true")
    edges = [typical(group) for power in groups(clock, "internal_power")
             for group in (groups(power, "rise_power") + groups(power, "fall_power"))]
    clock_pin = float(attribute(clock, "capacitance") or 0) / (1 - WIRES) * voltage**2
    output = next(pin for pin in groups(library.cells[flop], "pin")
                  if attribute(pin, "direction") == "output")
    return Energies(
        gate=internal(library.cells[nand]) + drive,
        register=internal(output) + drive,
        clock=2 * median(edges) + clock_pin,
        leakage=leakage(library, nand), voltage=voltage)


def pin_capacitance(cell: str) -> float:
    """Mean capacitance of the inputs, in picofarads."""
    inputs = [float(attribute(pin, "capacitance") or 0) for pin in groups(cell, "pin")
              if attribute(pin, "direction") == "input"]
    return sum(inputs) / len(inputs)


def internal(text: str) -> float:
    """Mean of the typical values of all tables of internal power, in picojoules."""
    tables = [typical(group) for power in groups(text, "internal_power")
              for group in (groups(power, "rise_power") + groups(power, "fall_power"))]
    return sum(tables) / len(tables)


def typical(table: str) -> float:
    """The value of a table at its second transition and its first load."""
    rows = re.findall(r'"([^"]*)"', table[table.index("values"):])
    numbers = [[float(number) for number in re.split(r"[\s,]+", row.strip())] for row in rows]
    row = numbers[min(1, len(numbers) - 1)]
    return row[0] if len(numbers) > 1 else row[min(1, len(row) - 1)]


def leakage(library: Library, cell: str) -> float:
    """Leakage of a cell in microwatts."""
    unit = {"1pW": 1e-6, "1nW": 1e-3, "1uW": 1.0}[setting(library.header, "leakage_power_unit")]
    return float(attribute(library.cells[cell], "cell_leakage_power") or 0) * unit


def estimate(found: Activity, cycles: int, size: tuple[float, int], unit: Energies) -> dict:
    """Microjoules of an encryption by their cause, and milliwatts at MEGAHERTZ."""
    gates, registers = size
    gate_rate = found.toggles / found.bits / cycles
    register_rate = found.register_toggles / found.register_bits / cycles
    # Random words change half of their bits from one access to the next. As many are written.
    bits = 2 * found.memory_toggles
    scale = (unit.voltage / MEMORY_VOLTAGE)**2
    parts = {
        "logic": gates * gate_rate * cycles * unit.gate,
        "registers": registers * register_rate * cycles * unit.register,
        "clock": registers * cycles * unit.clock,
        "memory": bits * (READ_PJ + WRITE_PJ) * scale,
    }
    leaked = (gates + 6 * registers) * unit.leakage
    seconds = cycles / MEGAHERTZ / 1e6
    total = sum(parts.values()) / 1e6 + leaked * seconds
    return {
        "cycles": cycles,
        "gate_rate": round(gate_rate, 4),
        "register_rate": round(register_rate, 4),
        "kge_logic": round(gates / 1e3, 1),
        "registers": registers,
        "memory_mbit": round(bits / 1e6, 2),
        **{f"{name}_uj": round(value / 1e6, 2) for name, value in parts.items()},
        "leakage_uw": round(leaked, 1),
        "total_uj": round(total, 2),
        f"mw_at_{MEGAHERTZ:.0f}_mhz": round(total / seconds / 1e3, 1),
    }


def main() -> int:
    """Exit status 2 for an unknown configuration."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config", nargs="?", default="w32p4")
    parser.add_argument("--liberty", type=Path, action="append", required=True, metavar="FILE")
    options = parser.parse_args()
    if options.config not in configurations():
        print(f"no configuration {options.config}; there are {', '.join(configurations())}",
              file=sys.stderr)
        return 2
    library = Library.read(options.liberty)
    found, cycles = simulate(options.config)
    record = {"config": options.config, "flow": f"power-{library.name}",
              **estimate(found, cycles, gates_of(options.config), energies(library))}
    print("  ".join(f"{name} {value}" for name, value in record.items()))
    merge(OUT / "rtl.json", [record], lambda one: (one["config"], one.get("case", ""),
                                                   one.get("flow", "")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
