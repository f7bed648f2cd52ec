"""Tests of the pages beside the papers: a row, column or table without an answer is named, and the committed pages have their
places."""
import io
import tempfile
import unittest
from importlib import import_module
from pathlib import Path
from unittest import mock

from bench.document import command
from bench.paper import measured, printed, run
from bench.paper.printed import Ours, Printed

seal_embedded = import_module("bench.paper.seal-embedded.tables")
TABLE = Printed("Table 1", "table1", 1, ("machine", "ms", "KB"), (("first", 1.5, 2000), ("second", "n/a", 3)),
                ours={"ms": "our ms"}, without=({"columns": ["KB"], "reason": "not ours"},))
BOTH = Ours(("our ms",), (("1",), ("2",)))


def changed(**fields) -> Printed:
    """The table with other fields."""
    return Printed(**(TABLE.__dict__ | fields))


class Answers(unittest.TestCase):
    """Rows and columns that have neither a figure of ours nor a reason."""

    def test_nothing_is_missing(self):
        self.assertEqual(printed.missing(TABLE, BOTH), [])
        self.assertEqual(printed.record("paper", [(TABLE, BOTH)]),
                         {"case": "paper", "tables": 1, "rows": 2, "rows_with_ours": 2, "rows_with_reason": 0, "missing": 0})

    def test_a_row_without_a_figure(self):
        one = Ours(("our ms",), (("1",), ("-",)))
        self.assertEqual(printed.missing(TABLE, one), ["Table 1: row second"])
        self.assertEqual(printed.record("paper", [(TABLE, one)])["missing"], 1)
        excused = changed(without=(*TABLE.without, {"rows": ["second"], "reason": "not here"}))
        self.assertEqual(printed.missing(excused, one), [])
        self.assertEqual(printed.record("paper", [(excused, one)])["rows_with_reason"], 1)
        self.assertIn("- rows second: not here", printed.shown(excused, one))

    def test_a_column_without_a_figure(self):
        self.assertEqual(printed.missing(changed(without=()), BOTH), ["Table 1: column KB"])
        self.assertEqual(printed.missing(changed(ours={}), BOTH), ["Table 1: column ms"])
        self.assertEqual(printed.missing(changed(ours={"ms": "another"}), BOTH), ["Table 1: column ms"])

    def test_a_column_of_dashes_is_no_answer(self):
        self.assertIn("Table 1: column ms", printed.missing(TABLE, Ours(("our ms",), (("-",), ("",)))))

    def test_the_papers_figures_in_another_unit_are_no_answer(self):
        converted = Ours(("our ms",), BOTH.cells, converted=("our ms",))
        self.assertEqual(printed.missing(TABLE, converted), ["Table 1: column ms", "Table 1: row first", "Table 1: row second"])

    def test_a_row_of_ours_answers_the_rows_that_name_it(self):
        rows = Ours(("our ms",), (("-",), ("-",)), (("ours", "1.0", "5", "-"),))
        beside = changed(beside=({"rows": ["first", "second"], "ours": "ours"},))
        self.assertEqual(printed.missing(beside, rows), [])
        self.assertEqual(printed.missing(changed(beside=({"rows": ["first", "second"], "ours": "none"},)), rows),
                         ["Table 1: row first", "Table 1: row second"])

    def test_reasons_name_what_is_printed(self):
        wrong = changed(without=({"columns": ["KB", "GB"], "rows": ["third"], "reason": "gone"},))
        self.assertEqual(printed.missing(wrong, BOTH), ["Table 1: unknown row third", "Table 1: unknown column GB"])

    def test_a_table_that_is_announced_must_be_listed(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "paper.toml")
            entry = '[[table]]\nnumber = "Table 1"\nplace = "t"\nnames = 1\ncolumns = ["a", "b"]\nrows = [["x", {}]]\n'
            path.write_text('tables = ["Table 1", "Table 2"]\n' + entry.format("1"))
            with self.assertRaisesRegex(ValueError, "announces"):
                printed.read(path)
            path.write_text('tables = ["Table 1"]\n' + entry.format("1, 2"))
            with self.assertRaisesRegex(ValueError, "does not have 2 cells in x"):
                printed.read(path)


class Pages(unittest.TestCase):
    """The committed papers and pages."""

    def test_every_table_has_figures_and_a_place(self):
        for paper in run.PAPERS:
            with self.subTest(paper=paper):
                _, tables = printed.read(run.HERE / paper / "paper.toml")
                maker = run.part(paper, "tables")
                self.assertEqual(set(maker.OURS), set(tables))
                texts = "".join((run.HERE / paper / template).read_text() for template in maker.PAGES.values())
                merged = {place for places in getattr(maker, "SCHEMES", {}).values() for place in places}
                self.assertEqual({place for place in tables if f"{{{{{place}}}}}" not in texts}, merged)

    def test_committed_pages_have_no_gap(self):
        for paper in run.PAPERS:
            for name in run.part(paper, "tables").PAGES:
                self.assertNotIn("{{", (run.HERE / paper / name).read_text())

    def test_ratios_are_theirs_over_ours(self):
        record = {"instructions": 2_000_000, "est_cycles": 6_400_000, "ram_bytes": 1024, "stack_bytes": 900,
                  "flash_table_bytes": 1000, "flash_key_bytes": 234}

        class Same(measured.Figures):
            """One record for every case."""

            def board(self, case: str, target: str = "cortex-m4") -> dict:
                return record
        _, tables = printed.read(run.HERE / "seal-embedded/paper.toml")
        cells = seal_embedded.table5(Same(fresh=False), tables["table5"]).cells[2]
        self.assertEqual(cells[6:9], ("137.0x", "16.5x", "6.8x"))

    def test_missing_record_says_how_to_get_it(self):
        figures = measured.Figures(fresh=False)
        figures.device = {}
        _, tables = printed.read(run.HERE / "seal-embedded/paper.toml")
        with self.assertRaisesRegex(ValueError, "run `make bench-device`"):
            seal_embedded.table5(figures, tables["table5"])

    def test_committed_plots(self):
        for path in run.HERE.glob("*/*.svg"):
            self.assertTrue(path.read_text().startswith("<?xml"))
    def test_pages_of_one_name_are_told_apart(self):
        """Each of several README.md is compared with its own text."""
        with tempfile.TemporaryDirectory() as folder, mock.patch("sys.argv", ["papers", "--check"]), \
                mock.patch("sys.stderr", io.StringIO()) as said:
            pages = {Path(folder, name, "README.md"): "fresh\n" for name in ("first", "second")}
            for path, text in zip(pages, ("old\n", "fresh\n")):
                path.parent.mkdir()
                path.write_text(text)
            self.assertEqual(command("about", ("measure", "write"), lambda: pages), 1)
            self.assertIn("first/README.md is stale", said.getvalue())
