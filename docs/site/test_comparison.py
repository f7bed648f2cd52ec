"""Every figure of the page that compares libraries stands on the page that its row names; which SEAL times stand beside."""
import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/choose/comparison.md"
SPEED = re.compile(r"times\s+as\s+fast|CPU\s+time|processor\s+time|[Mm]icroseconds|medians")
SEAL = re.compile(r"\bSEAL\b(?!-Embedded)|\bits\s+peer\b")
ROW = re.compile(r"^\| [^|]+ \| (?P<figures>.+) \| \[[^]]+\]\((?P<page>[^)]+)\) \|$", re.MULTILINE)


class Comparison(unittest.TestCase):
    """Figures and their sources."""

    def test_seal_beside_which_times_stand_is_without_hexl(self):
        """SEAL's own vector kernels would change them: every paragraph or row that sets times beside SEAL's says so."""
        named = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
        found = [(name, part) for name in named for part in re.split(r"\n\s*\n|\n(?=[-|] )", (ROOT / name).read_text())
                 if SPEED.search(part) and SEAL.search(part)]
        self.assertGreater(len(found), 5)
        self.assertEqual([(name, part) for name, part in found
                          if "without HEXL" not in part and "{{seal}}" not in part], [])

    def test_figures_are_those_of_their_pages(self):
        rows = list(ROW.finditer(PAGE.read_text()))
        self.assertGreater(len(rows), 10)
        for row in rows:
            cells = set(re.findall(r"[^\s|]+", (PAGE.parent / row["page"]).read_text()))
            for figure in row["figures"].split(" | "):
                self.assertIn(figure.strip(), cells, row[0])

    def test_ratio_is_that_of_its_page(self):
        """Two pages repeat a figure in words."""
        measured = re.findall(r"([\d.]+) times the bytes", (ROOT / "docs/measurements/tables/beside.md").read_text())
        self.assertEqual(len(measured), 1)
        for page in (PAGE, ROOT / "README.md"):
            with self.subTest(page=page.name):
                self.assertEqual(re.findall(r"([\d.]+)\s+times\s+the\s+bytes", page.read_text()), measured)

    def test_rows_about_bytes_state_their_parameters(self):
        """Bytes and errors mean nothing without a set, or a degree and its primes."""
        tables = PAGE.read_text().partition("## Bytes")[2].partition("## Bits")[0]
        rows = [row[0] for row in ROW.finditer(tables)]
        self.assertGreater(len(rows), 12)
        self.assertEqual([row for row in rows if not re.match(r"\| \w+, (`[a-z0-9-]+`|n = [\d,]+, [\d +]+ bits)", row)], [])


if __name__ == "__main__":
    unittest.main()
