"""`make site`: the documentation as a site in build/site/html, searchable without a network.

Lays out the documents of the repository as they are, so that their links hold, with the pages of docs/site/pages in front: Sphinx
with furo and MyST. The C headers become a reference by Doxygen and Breathe, the docstrings of the Python package
another. The Rust crates' own reference is `cargo doc`; `--rust` makes it and puts it beside."""
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from docs.site import links

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "docs/site"
OUT = Path(os.environ.get("BUILD") or ROOT / "build").resolve() / "site"
SOURCES, HTML, DOXYGEN = OUT / "source", OUT / "html", OUT / "doxygen"
# Words that readers look for, and the page whose title must have them.
SEARCHED = {"install": "docs/start/install", "glossary": "docs/reference/glossary", "security": "SECURITY"}
KINDS = ("*.md", "*.svg", "LICENSE")
DOXYFILE = """INPUT = device/include/isopod
OUTPUT_DIRECTORY = {out}
GENERATE_XML = YES
GENERATE_HTML = NO
GENERATE_LATEX = NO
QUIET = YES
EXTRACT_ALL = YES
JAVADOC_AUTOBRIEF = YES
OPTIMIZE_OUTPUT_FOR_C = YES
EXTENSION_MAPPING = h=C
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = ISOPOD_MUST_CHECK= ISOPOD_ALLOW_DEVICE_SECRET_KEY=1
INPUT_FILTER = "sed -e '1,/ISOPOD_.*_H$/!s|^\\( *\\)/\\* |\\1/** |'"
"""


def run(command: list, **options: object) -> None:
    """Runs a command in the root of the repository; exits with its status if it fails."""
    done = subprocess.run([str(word) for word in command], cwd=ROOT, check=False, **options)
    if done.returncode != 0:
        sys.exit(done.returncode)


def lay_out(sources: Path = SOURCES) -> None:
    """The documents under their names, the pages of the site in front, and the files that they link to."""
    shutil.rmtree(sources, ignore_errors=True)
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *KINDS]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in (name for name in listed.splitlines() if not name.startswith((".github/", "docs/site/"))):
        copy(name, sources)
    shutil.copytree(SITE / "pages", sources, dirs_exist_ok=True)
    for page in (SITE / "pages").rglob("*.md"):  # three folders nearer to the root, and so are their links
        place = sources / page.relative_to(SITE / "pages")
        place.write_text(page.read_text().replace("](../../../", "]("))
    for document in list(sources.rglob("*.md")):
        bring(document, sources)
    shutil.copy(SITE / "conf.py", sources / "conf.py")
    (sources / "_static").mkdir()
    shutil.copy(SITE / "site.css", sources / "_static/site.css")


def copy(name: str, sources: Path) -> None:
    """A file of the repository under its name; not a page of a package whose title is filled in later."""
    if (ROOT / name).is_file() and not (ROOT / name).read_bytes().startswith(b"# @@"):
        (sources / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, sources / name)


def bring(document: Path, sources: Path) -> None:
    """Makes the links of a laid-out document lead somewhere: programs become downloads; folders, which a site cannot show, become
    the page in them or their name."""
    text = document.read_text()
    for target in {target.partition("#")[0] for target in links.targets(document)}:
        name = os.path.relpath(document.parent / target, sources)
        if name.startswith("docs/site/pages/"):
            place = os.path.relpath(sources / name.removeprefix("docs/site/pages/"), document.parent)
            text = text.replace(f"]({target}", f"]({place}")
        elif (ROOT / name).is_dir():
            page = (ROOT / name / "README.md").exists()
            instead = rf"[\1]({target.rstrip('/')}/README.md)" if page else rf"\1 (`{name}`)"
            text = re.sub(rf"\[([^\[\]]*)\]\({re.escape(target)}\)", instead, text)
        elif not (sources / name).exists():
            copy(name, sources)
    document.write_text(text)


def headers() -> None:
    """A page for each public C header."""
    DOXYGEN.mkdir(parents=True, exist_ok=True)
    run(["doxygen", "-"], input=DOXYFILE.format(out=DOXYGEN).encode())
    folder = SOURCES / "reference/c"
    folder.mkdir(parents=True, exist_ok=True)
    names = sorted(path.name for path in (ROOT / "device/include/isopod").glob("*.h"))
    for name in names:
        title = f"isopod/{name}"
        sections = "briefdescription detaileddescription innerclass define enum func typedef var user-defined"
        page = f"{title}\n{'=' * len(title)}\n\n.. doxygenfile:: {name}\n   :sections: {sections}\n"
        (folder / f"{name}.rst").write_text(page)
    entries = "".join(f"   {name}\n" for name in names)
    (folder / "index.rst").write_text(f"The C headers\n=============\n\n.. toctree::\n   :maxdepth: 1\n\n{entries}")


def python() -> None:
    """The docstrings of the Python package."""
    text = "Python\n======\n\n.. automodule:: isopod\n   :members:\n   :imported-members:\n   :undoc-members:\n\n"
    text += "Options\n-------\n\n.. automodule:: isopod.options\n   :members:\n   :exclude-members: filled\n"
    (SOURCES / "reference/python.rst").write_text(text)


def main() -> None:
    """Builds the site; a warning of Sphinx fails it, and so does a dead link."""
    lay_out()
    headers()
    python()
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    environment = os.environ | {"ISOPOD_VERSION": version, "ISOPOD_DOXYGEN": str(DOXYGEN / "xml"),
                                "ISOPOD_PYTHON": str(ROOT / "python")}
    shutil.rmtree(HTML, ignore_errors=True)
    options = ["-q", "-W", "--keep-going", "-b", "html", "-d", OUT / "doctrees"]
    run([sys.executable, "-m", "sphinx", *options, SOURCES, HTML], env=environment)
    if "--rust" in sys.argv[1:]:
        run(["cargo", "doc", "--workspace", "--no-deps", "--locked"])
        shutil.copytree(Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target") / "doc", HTML / "rust", dirs_exist_ok=True)
    if dead := links.dead_on_site(HTML):
        sys.exit("dead links:\n" + "\n".join(dead))
    index = (HTML / "searchindex.js").read_text()
    if lost := [word for word, page in SEARCHED.items() if page not in links.titled(index, word)]:
        sys.exit(f"search: no title for {', '.join(lost)}")
    print(HTML / "index.html")


if __name__ == "__main__":
    main()
