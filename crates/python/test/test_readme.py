"""Runs the snippets about the package from the documents."""
import os
import re
import subprocess
import sys

from support import ROOT, InFolder

DOCUMENTS = ("README.md", "python/README.md", "docs/start/data-scientist.md", "docs/guides/python-tables.md")
SNIPPET = re.compile(r"^<!-- snippet: package -->\n```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Readme(InFolder):
    """The snippets of a document are one program, which runs in a folder of its own."""

    def test_snippets(self):
        for name in DOCUMENTS:
            found = SNIPPET.findall((ROOT / name).read_text())
            self.assertTrue(found)
            folder = self.folder / name.replace("/", "-")
            folder.mkdir()
            environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
            done = subprocess.run([sys.executable, "-c", "\n".join(found)], cwd=folder, env=environment, capture_output=True,
                                  text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("within", done.stdout)
