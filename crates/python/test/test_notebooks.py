"""Runs each notebook of python/notebooks as Jupyter would."""
import os

import jupytext
from nbclient import NotebookClient
from support import ROOT, InFolder

NOTEBOOKS = sorted((ROOT / "python/notebooks").glob("*.py"))
SECONDS = 600


class Notebooks(InFolder):
    """All notebooks run in one folder, each with a kernel of its own."""

    def test_each(self):
        self.assertEqual(len(NOTEBOOKS), 7)
        os.environ["PYTHONPATH"] = str(ROOT / "python")
        for path in NOTEBOOKS:
            with self.subTest(notebook=path.name):
                notebook = jupytext.read(path)
                client = NotebookClient(notebook, timeout=SECONDS, resources={"metadata": {"path": str(self.folder)}})
                client.execute()
                last = [cell for cell in notebook.cells if cell.cell_type == "code"][-1]
                self.assertIsNotNone(last.execution_count)
