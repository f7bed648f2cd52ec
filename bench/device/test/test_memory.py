"""Tests of docs/measurements/tables/memory.md and of bench/paper: every figure has its place, and missing ones are reported."""
import unittest
from importlib import import_module
from pathlib import Path

from bench.device import memory
from bench.device.cases import BOARDS, all_cases, modules, surface
from bench.device.modules import of_suite
from ports.emulate import ROOT

PAPER = ROOT / "bench/paper/seal-embedded"
figures, generate, tables = (import_module(f"bench.paper.{PAPER.name}.{name}") for name in ("figures", "generate", "tables"))


def record(case: str, target: str = "cortex-m4") -> dict:
    """A record with the fields that the documents need."""
    return {"case": case, "target": target, "instructions": 2_000_000, "est_cycles": 6_400_000, "ram_bytes": 1024,
            "stack_bytes": 900, "flash_table_bytes": 1000, "flash_key_bytes": 234}


def all_figures() -> figures.Figures:
    """The committed data files, with made-up records of every case."""
    names = [case.name for case in all_cases() if case.kind != "modules"]
    names += [f"{case.name}-{module}" for case in modules() for module in of_suite(case.suite)]
    records = {(target, name): record(name, target) for target in BOARDS for name in names}
    read = [figures.tomllib.loads((PAPER / name).read_text()) for name in ("paper.toml", "recomputed.toml")]
    return figures.Figures(*read, records, [])


class Memory(unittest.TestCase):
    """The table of RAM and instructions."""

    RECORDS = {case.name: record(case.name) for case in surface()}

    def test_every_point_is_a_row(self) -> None:
        text = memory.document(f"a {memory.BEGIN} old {memory.END} b", self.RECORDS)
        self.assertEqual(text.count("| 1,024 | 1,000 | 234 | 2.00 | x 1.00 | 100.0 |"), len(surface()))
        self.assertNotIn("old", text)

    def test_missing_mark_or_point(self) -> None:
        with self.assertRaises(ValueError):
            memory.document("no marks", self.RECORDS)
        with self.assertRaises(KeyError):
            memory.document(f"{memory.BEGIN}{memory.END}", {})


class Paper(unittest.TestCase):
    """The tables beside the paper's."""

    def test_every_row_of_the_paper(self) -> None:
        for name, table in (("table1", tables.table1), ("table4", tables.table4), ("table5", tables.table5)):
            with self.subTest(table=name):
                given = all_figures()
                self.assertEqual(table(given).count("\n") - 1, len(given.paper[name]))

    def test_ratios_are_theirs_over_ours(self) -> None:
        row = next(line for line in tables.table5(all_figures()).split("\n") if "137" in line)
        self.assertTrue(row.endswith("| 2.00 | 100.0 | 137.0x | 16.5x | 6.8x |"), row)

    def test_document_has_no_gap(self) -> None:
        self.assertNotIn("{{", generate.document(all_figures(), ""))

    def test_host_table_stays_where_it_was_not_measured(self) -> None:
        section = f"{generate.HOST_BEGIN}kept{generate.HOST_END}"
        self.assertIn(section, generate.document(all_figures(), f"before {section} after"))

    def test_host_table(self) -> None:
        given = all_figures()
        host = [{"case": "ckks-4096x3-sym", "peer": "seal", "ours_us": 45.04, "peer_us": 900.2, "ratio": 19.99}]
        text = generate.document(figures.Figures(given.paper, given.recomputed, given.records, host), "")
        self.assertIn("| ckks-4096x3-sym | seal | 45.0 | 900.2 | 20.0x |", text)
        self.assertNotIn(generate.NOT_MEASURED, text)

    def test_missing_record_says_how_to_get_it(self) -> None:
        empty = figures.Figures(all_figures().paper, all_figures().recomputed, {}, [])
        with self.assertRaisesRegex(ValueError, "run `make bench-device`"):
            tables.table5(empty)

    def test_committed_plots(self) -> None:
        for path in (PAPER / "plot.svg", ROOT / "docs/measurements/memory.svg"):
            self.assertTrue(Path(path).read_text().startswith("<?xml"))
