"""Checks of the flow to standard cells: what is read of a library, and the model of memories."""
import json
import tempfile
import unittest
from pathlib import Path

from rtl.syn.cells import KNOWN_GATE, KNOWN_MACROS, Memory, abc_delay, mapped, memories_of
from rtl.syn.flow import BUILD, Design, FlowError
from rtl.syn.liberty import Library
from rtl.syn.power import Activity, Energies, activity, energies, estimate

FIRST = """
/* a comment with a brace { */
library (first) {
  time_unit : "1ns";
  capacitive_load_unit (1,pf);
  lu_table_template (small) { variable_1 : total_output_net_capacitance; index_1 ("0, 1"); }
  cell (NAND2x1) { area : 2.0; pin (Y) { direction : output; function : "!(A*B)"; } }
  cell ("nand2_4") { area : 5.0; }
  cell (nand2b_1) { area : 1.0; }
  cell (worst) { dont_use : true; area : 0.1; }
}
"""
SECOND = """
library (second) {
  time_unit : "1ns";
  capacitive_load_unit (1, pf);
  lu_table_template (other) { variable_1 : input_net_transition; }
  cell (dff) { area : 12.0;
    ff (IQ, IQN) { clocked_on : "CK"; next_state : "D"; }
    pin (D) { timing () { timing_type : setup_rising;
      rise_constraint (small) { values ("0.1, 0.2", "0.3, 0.4"); }
      fall_constraint (small) { values ("0.1, 0.2", "0.3, 0.4"); } } }
    pin (Q) { timing () { timing_type : rising_edge;
      cell_rise (small) { index_1 ("9, 9"); values ("0.5, 0.7"); }
      cell_fall (small) { values ("0.5, 0.7"); } } } }
}
"""


class Libraries(unittest.TestCase):
    """Reading several files as one."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def read(self, *texts: str) -> Library:
        """The library of files with these texts."""
        files = [self.folder / f"{number}.lib" for number in range(len(texts))]
        for file, text in zip(files, texts, strict=True):
            file.write_text(text)
        return Library.read(files)

    def test_cells_of_all_files_are_one_library(self):
        """Cells that synthesis may not use are left out; what is written reads the same."""
        library = self.read(FIRST, SECOND)
        self.assertEqual(set(library.cells), {"NAND2x1", "nand2_4", "nand2b_1", "dff"})
        self.assertEqual(library.name, "first")
        self.assertIn("lu_table_template (other)", library.header)
        library.write(self.folder / "both.lib")
        again = Library.read([self.folder / "both.lib"])
        self.assertEqual(again.cells, library.cells)

    def test_gate_and_register(self):
        """A gate with an inverted input is no gate equivalent. Medians: 0.6 and 0.25 ns."""
        library = self.read(FIRST, SECOND)
        self.assertEqual(library.gate_area(), 2.0)
        self.assertAlmostEqual(library.register_delay("dff"), 850.0)

    def test_refused(self):
        """Other units, no cell, no gate, no flip-flop, a group without an end."""
        for texts in ((FIRST, SECOND.replace('"1ns"', '"1ps"')), (FIRST, "library (none) { }"),
                      ("library (open) { cell (half) { area : 1.0;",)):
            with self.assertRaises(ValueError):
                self.read(*texts)
        with self.assertRaises(ValueError):
            self.read(SECOND).gate_area()
        with self.assertRaises(ValueError):
            self.read(FIRST).register_delay("NAND2x1")

    def test_what_is_not_mapped_is_refused(self):
        """A netlist has cells of the library and macros, and nothing else."""
        library = self.read(FIRST, SECOND)
        design = Design("test-cells", "top", flow="cells")
        design.folder.mkdir(parents=True, exist_ok=True)
        stat = design.folder / "cells.stat"
        text = "=== top ===\n\n   Number of cells:  3\n     NAND2x1   2\n     dff    1\n     isopod_macro_512x64   1\n"
        stat.write_text(text)
        self.assertEqual(mapped(design, library), {"NAND2x1": 2, "dff": 1})
        stat.write_text(text + "     $_AND_    1\n")
        with self.assertRaises(FlowError):
            mapped(design, library)
        self.assertTrue(str(design.folder).startswith(str(BUILD)))

    def test_delay_is_that_of_the_last_report(self):
        """ABC reports after every step; without a report there is no frequency."""
        log = self.folder / "log"
        log.write_text("ABC: WireLoad = none Delay = 900.00 ps\nABC: WireLoad = none Delay =   812.50 ps\n")
        self.assertEqual(abc_delay(log), 812.5)
        log.write_text("no report")
        with self.assertRaises(FlowError):
            abc_delay(log)


class Memories(unittest.TestCase):
    """Which memories become macros, and how large they are."""

    def test_model_is_close_to_all_known_macros(self):
        """Within 2 % of the macros that it was fitted to."""
        for depth, width, area in KNOWN_MACROS:
            with self.subTest(depth=depth, width=width):
                self.assertLess(abs(Memory("", depth, width).gates * KNOWN_GATE / area - 1), 0.02)

    def test_large_memories_become_macros(self):
        """Small ones and ones of many ports do not."""
        def cell(depth: int, width: int, ports: int) -> dict:
            found = {"SIZE": depth, "WIDTH": width, "RD_PORTS": ports}
            return {"type": "$mem_v2", "parameters": {name: f"{value:032b}" for name, value in found.items()}}

        cells = {"large": cell(512, 64, 1), "small": cell(16, 34, 1), "many": cell(512, 64, 3), "two": cell(2048, 32, 2),
                 "other": {"type": "$add", "parameters": {}}}
        with tempfile.TemporaryDirectory() as folder:
            netlist = Path(folder) / "netlist.json"
            netlist.write_text(json.dumps({"modules": {"top": {"cells": cells}}}))
            found = memories_of(netlist, "top")
        self.assertEqual(found, [Memory("large", 512, 64), Memory("two", 2048, 32)])


POWERED = """
library (powered) {
  capacitive_load_unit (1,pf); leakage_power_unit : "1nW"; nom_voltage : 2.0;
  cell (nand2_1) { area : 1.0; cell_leakage_power : 3.0;
    pin (A) { direction : input; capacitance : 0.001; }
    pin (B) { direction : input; capacitance : 0.003; }
    pin (Y) { direction : output; internal_power () {
      rise_power (t) { values ("0.9, 0.9", "0.010, 0.9"); }
      fall_power (t) { values ("0.9, 0.9", "0.020, 0.9"); } } } }
  cell (dff_1) { area : 4.0; ff (Q, N) { clocked_on : "C"; }
    pin (C) { clock : true; direction : input; capacitance : 0.002;
      internal_power () { rise_power (t) { values ("0.9, 0.005"); }
        fall_power (t) { values ("0.9, 0.007"); } } }
    pin (Q) { direction : output; internal_power () {
      rise_power (t) { values ("0.9, 0.9", "0.040, 0.9"); } } } }
}
"""


def coverage(*points: tuple[str, str, int]) -> str:
    """A coverage.dat of toggles: module, signal with bit, count."""
    lines = []
    for module, bit, count in points:
        page = module if module == "isopod_sequencer" else f"{module}__W2"
        fields = {"f": f"rtl/src/base/{module}.sv", "t": "toggle", "page": f"v_toggle/{page}", "o": bit, "h": "u"}
        lines.append("C '" + "".join(f"\x01{key}\x02{value}" for key, value in fields.items()) + f"' {count}\n")
    return "".join(lines)


class Power(unittest.TestCase):
    """The estimate of energy from toggles."""

    def test_energies_are_those_of_gate_and_register(self):
        """A load of three inputs and as much wire; the clock's two edges and its pin."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "powered.lib"
            file.write_text(POWERED)
            found = energies(Library.read([file]))
        drive = 3 * 0.002 * 2 * 2.0**2 / 2
        self.assertAlmostEqual(found.gate, 0.015 + drive)
        self.assertAlmostEqual(found.register, 0.040 + drive)
        self.assertAlmostEqual(found.clock, 2 * 0.006 + 0.002 * 2 * 2.0**2)
        self.assertAlmostEqual(found.leakage, 0.003)

    def test_activity_is_a_difference_of_runs(self):
        """Counts of both runs cancel. Three instances of one module and two of another are added up."""
        few = coverage(("isopod_sequencer", "clk_i:0->1", 100), ("a", "clk_i:0->1", 300), ("a", "x_q[0]:0->1", 5),
                       ("a", "x_q[0]:1->0", 5), ("a", "y", 7), ("a", "memory[0][1]", 9), ("isopod_ram", "clk_i:0->1", 200),
                       ("isopod_ram", "read_data_o[3]", 1))
        many = coverage(("isopod_sequencer", "clk_i:0->1", 150), ("a", "clk_i:0->1", 450), ("a", "x_q[0]:0->1", 9),
                        ("a", "x_q[0]:1->0", 9), ("a", "y", 7), ("a", "memory[0][1]", 99), ("isopod_ram", "clk_i:0->1", 300),
                        ("isopod_ram", "read_data_o[3]", 21))
        with tempfile.TemporaryDirectory() as folder:
            files = Path(folder) / "few", Path(folder) / "many"
            for file, text in zip(files, (few, many), strict=True):
                file.write_text(text)
            self.assertEqual(activity(files), Activity(8, 28, 3, 8, 20))

    def test_estimate_adds_its_parts(self):
        """Rates are per bit and cycle, energies per toggle."""
        found = estimate(Activity(100, 1000, 10, 50, 0), 100, (2e9, 30_000_000), Energies(0.01, 0.02, 0.03, 1e-4, 1.2))
        self.assertEqual((found["gate_rate"], found["register_rate"]), (0.1, 0.05))
        self.assertEqual((found["logic_uj"], found["registers_uj"], found["clock_uj"], found["memory_uj"]), (200, 3, 90, 0))
        # 2.18e9 gates leak 0.218 W for a microsecond.
        self.assertEqual((found["leakage_uw"], found["total_uj"]), (218_000, 293.22))
        self.assertEqual(found["mw_at_100_mhz"], 293_218)


if __name__ == "__main__":
    unittest.main()
