"""Runs each notebook of python/notebooks as Jupyter would."""
import os

import jupytext
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook
from support import ROOT, InFolder

NOTEBOOKS = sorted((ROOT / "python/notebooks").glob("*.py"))
SECONDS = 600


class Notebooks(InFolder):
    """All notebooks run in one folder and one kernel, which forgets every name between two of them; imports take the longest."""

    def test_each(self):
        self.assertEqual(len(NOTEBOOKS), 7)
        os.environ["PYTHONPATH"] = str(ROOT / "python")
        client = NotebookClient(new_notebook(), timeout=SECONDS, resources={"metadata": {"path": str(self.folder)}})
        with client.setup_kernel():
            for path in NOTEBOOKS:
                with self.subTest(notebook=path.name):
                    self.run_in(client, path)

    def run_in(self, client, path):
        cells = jupytext.read(path).cells
        client.nb = new_notebook(cells=[new_code_cell("%reset -f"), *cells])
        for number, cell in enumerate(client.nb.cells):
            client.execute_cell(cell, number)
        code = [cell for cell in cells if cell.cell_type == "code"]
        self.assertTrue(all(cell.execution_count for cell in code))
        plots = [output for cell in code for output in cell.outputs if "image/png" in output.get("data", {})]
        self.assertTrue(plots, "a notebook has a plot")
