"""Checks of the flow to standard cells: what is read of a library, and the model of memories."""
import json
import tempfile
import unittest
from pathlib import Path

from rtl.syn.cells import KNOWN_GATE, KNOWN_MACROS, Memory, abc_delay, mapped, memories_of
from rtl.syn.flow import BUILD, Design, FlowError
from rtl.syn.liberty import Library

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


if __name__ == "__main__":
    unittest.main()
