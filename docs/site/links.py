"""Links that lead nowhere: in documents of Markdown, and in the pages of a built site, with the titles that its search has.
Addresses of other sites are not followed.

`python3 -m docs.site.links FOLDER` checks a built site, and exits with 1 if a link is dead."""
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

FENCE = re.compile(r"^(?P<mark>`{3,}|:{3,})(?P<kind>[^\n]*)\n(?P<text>.*?)^(?P=mark)$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r"\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)|(?:href|src)=\"([^\"]+)\"")
TREE = re.compile(r"^[\w./-]+$", re.MULTILINE)
HEADING = re.compile(r"^#{1,6} +(.+?)[ #]*$", re.MULTILINE)
NAMED = re.compile(r"<\w+ [^>]*?\b(?:id|name)=\"([^\"]+)\"|^\(([\w-]+)\)=$", re.MULTILINE)
ELSEWHERE = re.compile(r"[a-z][a-z+.-]*:|//", re.IGNORECASE)


def dead_links(root: Path, names: Iterable[str]) -> list[str]:
    """Links of documents to a file, a folder, a page of a table of contents or a heading that is not there."""
    return [f"{name}: {target}" for name in names for target in targets(root / name) if not leads(root / name, target)]


def targets(document: Path) -> Iterator[str]:
    """Targets of links and images, and entries of tables of contents; code has none."""
    text = document.read_text()
    for fence in FENCE.finditer(text):
        if fence["kind"].strip() == "{toctree}":
            yield from (f"{entry}.md" for entry in TREE.findall(fence["text"]))
    prose = CODE.sub("", FENCE.sub(lambda fence: fence["text"] if fence["mark"][0] == ":" else "", text))
    yield from (found[1] or found[2] for found in LINK.finditer(prose) if not ELSEWHERE.match(found[1] or found[2]))


def leads(document: Path, target: str) -> bool:
    """True if the target exists; a heading only counts in a document."""
    path, _, anchor = unquote(target).partition("#")
    place = document.parent / path if path else document
    if not place.exists():
        return False
    return not anchor or (place.suffix == ".md" and anchor in anchors(place))


@cache
def anchors(document: Path) -> frozenset[str]:
    """Names of headings as GitHub and MyST make them, and of elements."""
    text = document.read_text()
    prose = FENCE.sub("", text)
    count: Counter[str] = Counter()
    found = {name for pair in NAMED.findall(text) for name in pair if name}
    for heading in HEADING.findall(prose):
        slug = slug_of(heading)
        found.add(f"{slug}-{count[slug]}" if count[slug] else slug)
        count[slug] += 1
    return frozenset(found)


def slug_of(heading: str) -> str:
    """A heading as an anchor: its words in small letters, joined by hyphens."""
    words = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")


def titled(index: str, word: str) -> set[str]:
    """Pages of a site whose titles have a word, by its search index (searchindex.js). The index has stems, whose last letter may
    differ."""
    found = json.loads(index.partition("(")[2].rpartition(")")[0])
    stems = [numbers for stem, numbers in found["titleterms"].items() if len(stem) > 4 and word.startswith(stem[:-1])]
    flat = [number for numbers in stems for number in (numbers if isinstance(numbers, list) else [numbers])]
    return {found["docnames"][number] for number in flat}


class Page(HTMLParser):
    """Targets and names of a page."""

    def __init__(self, text: str):
        super().__init__()
        self.targets: list[str] = []
        self.names: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.names |= {given[name] for name in ("id", "name") if name in given}
        self.targets += [given[name] for name in ("href", "src") if name in given]


def dead_on_site(folder: Path) -> list[str]:
    """Links of a built site's pages to a file or a name that is not there."""
    pages = {path: Page(path.read_text()) for path in sorted(folder.rglob("*.html"))}
    return [f"{path.relative_to(folder)}: {target}" for path, page in pages.items() for target in page.targets
            if not ELSEWHERE.match(target) and not opens(path, target, pages)]


def opens(page: Path, target: str, pages: dict[Path, Page]) -> bool:
    """True if a target of a page exists. An empty one, or `#` alone, is the beginning of the page."""
    path, _, anchor = unquote(target).partition("#")
    place = (page.parent / path.partition("?")[0]).resolve() if path else page
    place = place / "index.html" if place.is_dir() else place
    if not place.exists():
        return False
    return not anchor or place not in pages or anchor in pages[place].names


def main() -> int:
    """Prints the dead links of a site."""
    dead = dead_on_site(Path(sys.argv[1]).resolve())
    print("\n".join(dead) or "no dead link", file=sys.stderr)
    return int(bool(dead))


if __name__ == "__main__":
    sys.exit(main())
