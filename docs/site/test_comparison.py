"""Every figure of the page that compares libraries stands on the page that its row names."""
import re
import unittest
from pathlib import Path

PAGE = Path(__file__).resolve().parent / "pages/comparison.md"
ROW = re.compile(r"^\| [^|]+ \| (?P<figures>.+) \| \[[^]]+\]\((?P<page>[^)]+)\) \|$", re.MULTILINE)


class Comparison(unittest.TestCase):
    """Figures and their sources."""

    def test_figures_are_those_of_their_pages(self):
        rows = list(ROW.finditer(PAGE.read_text()))
        self.assertGreater(len(rows), 10)
        for row in rows:
            cells = set(re.findall(r"[^\s|]+", (PAGE.parent / row["page"]).read_text()))
            for figure in row["figures"].split(" | "):
                self.assertIn(figure.strip(), cells, row[0])


if __name__ == "__main__":
    unittest.main()
