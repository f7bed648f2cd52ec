"""Dead links are found: in made-up documents and pages, in the documents of the repository, and in what becomes the site."""
import subprocess
import tempfile
import unittest
from pathlib import Path

from docs.site import build, links

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = """# Top

## Two *words*, `code` & more

## Again

## Again

See [top](#top), [words](#two-words-code--more), [second](#again-1), [other](folder/other.md#there), ![picture](a.svg)
and <a href="folder/other.md">that</a>; `[code](nowhere.md)` and [a site](https://example.org/nothing) do not count.

```text
[in a fence](nowhere.md)
```

:::{toctree}
:caption: Pages
folder/other
:::
"""
PAGE = '<h1 id="top">Top</h1><a href="other.html#there">other</a><a href="#top">up</a><img src="a.svg"><a href="?q=1">find</a>'


class Documents(unittest.TestCase):
    """Links of Markdown."""

    def setUp(self):
        self.root = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.root / "folder").mkdir()
        (self.root / "folder/other.md").write_text("# There\n")
        (self.root / "a.svg").write_text("<svg/>")

    def dead(self, text: str) -> list[str]:
        """Targets of dead links of a text."""
        document = self.root / f"{abs(hash(text))}.md"
        document.write_text(text)
        return [line.partition(": ")[2] for line in links.dead_links(self.root, [document.name])]

    def test_living_links(self):
        """Headings, repeated ones, files, folders, elements, pages of a table of contents."""
        self.assertEqual(self.dead(DOCUMENT), [])
        self.assertEqual(self.dead("[folder](folder/), [named](#here) <a id=\"here\"></a>\n"), [])

    def test_dead_links(self):
        """Each kind of link with a target that is not there."""
        for target in ("gone.md", "#gone", "folder/other.md#gone", "a.svg#gone", "folder/gone/"):
            with self.subTest(target=target):
                self.assertEqual(self.dead(f"# Here\n\n[text]({target})\n"), [target])
        self.assertEqual(self.dead("# H\n\n![picture](gone.svg) <img src=\"none.svg\">\n"), ["gone.svg", "none.svg"])
        self.assertEqual(self.dead("# H\n\n:::{toctree}\nfolder/other\nfolder/gone\n:::\n"), ["folder/gone.md"])
        self.assertEqual(self.dead("# H\n\n[third](#again-2)\n\n## Again\n\n## Again\n"), ["#again-2"])

    def test_links_of_the_repository(self):
        """Every document that is under version control, or about to be."""
        command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
        names = [name for name in listed if (ROOT / name).exists() and not name.startswith("docs/site/pages/")]
        self.assertGreater(len(names), 80)
        self.assertEqual(links.dead_links(ROOT, names), [])

    def test_links_of_the_site(self):
        """The site has every file that its pages link to."""
        sources = self.root / "site"
        build.lay_out(sources)
        names = [str(path.relative_to(sources)) for path in sources.rglob("*.md") if path.name != "template.md"]
        self.assertGreater(len(names), 80)
        made = {"reference/c/index.md", "reference/python.md"}  # by Doxygen and Sphinx
        self.assertEqual([dead for dead in links.dead_links(sources, names) if dead.partition(": ")[2] not in made], [])


class Pages(unittest.TestCase):
    """Links of a built site."""

    def dead(self, text: str) -> list[str]:
        """Dead links of a site of two pages and a picture."""
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place).resolve()
            (folder / "index.html").write_text(text)
            (folder / "other.html").write_text('<h1 id="there">There</h1>')
            (folder / "a.svg").write_text("<svg/>")
            return links.dead_on_site(folder)

    def test_living_links(self):
        """Pages, names, pictures and queries."""
        self.assertEqual(self.dead(PAGE), [])

    def test_dead_links(self):
        """A page, a name and a picture that are not there."""
        for target in ("gone.html", "other.html#gone", "#gone", "gone.svg"):
            with self.subTest(target=target):
                self.assertEqual(self.dead(f'{PAGE}<a href="{target}">x</a>'), [f"index.html: {target}"])
        self.assertEqual(self.dead('<img src="gone.svg">'), ["index.html: gone.svg"])


class Search(unittest.TestCase):
    """Words that the site's search must lead somewhere useful."""

    def test_titles_have_the_words(self):
        """The search ranks titles first; `make site` looks into its index as well."""
        with tempfile.TemporaryDirectory() as place:
            sources = Path(place) / "site"
            build.lay_out(sources)
            for word, page in build.SEARCHED.items():
                with self.subTest(word=word):
                    self.assertIn(word, (sources / f"{page}.md").read_text().partition("\n")[0].lower())
                    self.assertIn(f"\n{page}\n", (sources / "index.md").read_text())

    def test_index(self):
        """Stems of words, with one page or several."""
        index = 'Search.setIndex({"docnames": ["a", "b", "c"], "titleterms": {"instal": 1, "key": [0, 2], "in": 2}})'
        self.assertEqual(links.titled(index, "install"), {"b"})
        self.assertEqual(links.titled(index, "other"), set())


if __name__ == "__main__":
    unittest.main()
