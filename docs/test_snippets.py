"""Compiles or runs every fenced snippet of the documents, and looks up their citations:

    PYTHONPATH=. ISOPOD=PROGRAM python3 -m unittest -v docs.test_snippets

The language of a fence and the comment before it, `<!-- snippet: KIND` and text up to `-->`, say what is done:

    text, or none    nothing
    c       c        compiled as C11 and as C++20 by gcc and clang as the header snippet.h of the file that the comment names; a
                     file with a main is linked with the library and run; a second name is that of a file for `sh run`
    cmake   file     a file of that name for the `sh run` of its document
    sh      run      run by sh after the comment's text, with `isopod` on the path; the snippets of a document share a folder and
                     the variables that they export
    sh      checked  its make targets, programs and cargo packages exist
    python           run from the root of the repository
    python  package  run by crates/python/test with the Python package
    rust             a test of its crate, which includes the document
    js               run by the tests of web/, which read the document

A document whose fence fits none of these fails."""
import itertools
import os
import re
import shutil
import subprocess
import tempfile
import tomllib
import unittest
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from packages import build

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = ROOT / os.environ.get("ISOPOD", "target/release/isopod")
HEADERS = ROOT / "device/include"
SET = "ckks-4096x2-linear"
FENCE = re.compile(r"(?:^<!-- snippet: (?P<kind>\w+)(?P<context>(?:(?!-->).)*)-->\n)?"
                   r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
CITATION = re.compile(r"(?<![\w\])])\[([A-Z][A-Z0-9]*[0-9]{2})\]")
CITING = ("*.md", "*.py", "*.c", "*.h", "*.S", "*.cpp", "*.hpp", "*.rs", "*.sv", "*.toml")
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
COMPILERS = [["gcc"], [shutil.which("clang") or "clang-14"]]
C, CXX = ["-x", "c", "-std=c11"], ["-x", "c++", "-std=c++20", "-Wno-missing-field-initializers"]
SECONDS = 900


@dataclass(frozen=True)
class Snippet:
    """One fence, and what the comment before it says."""

    document: str
    line: int
    language: str
    kind: str
    context: str
    text: str

    def __str__(self) -> str:
        return f"{self.document}:{self.line}"


@cache
def snippets() -> list[Snippet]:
    """Snippets of every document under version control."""
    return [found for name in files("*.md") for found in snippets_of(name)]


def files(*patterns: str) -> list[str]:
    """Names of files under version control, or about to be."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns], cwd=ROOT, text=True,
                            capture_output=True, check=True)
    return [name for name in listed.stdout.split() if (ROOT / name).exists()]


def snippets_of(name: str) -> list[Snippet]:
    """Snippets of one document, in order."""
    text = (ROOT / name).read_text()
    return [Snippet(name, text.count("\n", 0, match.start("language")) + 1, match["language"], match["kind"] or "",
                    match["context"] or "", match["text"]) for match in FENCE.finditer(text)]


def run(command: list[str], folder: Path, **environment: str) -> str:
    """The output of the command; AssertionError with it if it fails."""
    done = subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT), **environment}, text=True, check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout


def commands(snippet: Snippet) -> tuple[str, str]:
    """Shell commands that run a snippet, or write it to the file that it is."""
    if snippet.kind == "run":
        return snippet.context, snippet.text
    return f"cat > {snippet.context.split()[-1]} <<'END OF SNIPPET'", f"{snippet.text}END OF SNIPPET"


def is_for_shell(snippet: Snippet) -> bool:
    """Run by the shell, or a file for it."""
    return snippet.kind in ("run", "file") or (snippet.kind == "c" and len(snippet.context.split()) == 2)


def shell(found: list[Snippet], folder: Path) -> None:
    """The snippets of one document as one script."""
    (folder / "bin").mkdir(exist_ok=True)
    if not (folder / "bin/isopod").exists():
        (folder / "bin/isopod").symlink_to(PROGRAM)
    script = "\n".join(["set -eu", *(part for snippet in found for part in commands(snippet))])
    run(["sh", "-c", script], folder, PATH=f"{folder / 'bin'}:{os.environ['PATH']}", ROOT=str(ROOT))


class Snippets(unittest.TestCase):
    """One test for each language; every document is named."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="isopod-snippets-")))

    def of(self, language: str, kind: str | None = None) -> list[Snippet]:
        """Snippets of one language and kind, of which there must be some."""
        found = [entry for entry in snippets() if entry.language == language and kind in (None, entry.kind)]
        self.assertTrue(found)
        return found

    def fresh_folder(self, name: str) -> Path:
        """A folder of its own."""
        folder = self.folder / name.replace("/", "-")
        folder.mkdir()
        return folder

    def needs_program(self) -> None:
        """Stages build it before."""
        if not PROGRAM.exists():
            self.skipTest(f"{PROGRAM} is not built")

    def test_every_fence_is_of_a_known_kind(self):
        """A snippet that is neither compiled nor run must say that it is text."""
        known = {("", ""), ("text", ""), ("c", "c"), ("sh", "run"), ("sh", "checked"), ("cmake", "file"),
                 ("python", ""), ("python", "package"), ("rust", ""), ("js", "")}
        self.assertEqual([str(entry) for entry in snippets() if (entry.language, entry.kind) not in known], [])

    def test_headers(self):
        """Each alone, as C and as C++."""
        headers = sorted(HEADERS.glob("isopod/*.h"))
        (self.folder / "header.c").write_text("extern int nothing;\n")
        for compiler, language in itertools.product(COMPILERS, (C, CXX)):
            for header in headers:
                with self.subTest(header=header.name, compiler=compiler[0], language=language[1]):
                    include = ["-I", str(HEADERS), "-include", str(header)]
                    run([*compiler, *WARNINGS, *language, *include, "-fsyntax-only", "header.c"], self.folder)

    def test_c(self):
        """Compiled; with a main also linked and run beside the owner's keys."""
        self.needs_program()
        folder = self.fresh_folder("c")
        run([str(PROGRAM), "keygen", "--set", SET, "--out", "keys"], folder, ISOPOD_PASSPHRASE="of a test")
        headers = build.write("cmake", build.manifest(), folder) / "include"
        run(["python3", "-m", "spec.gen", "tables", "--set", SET, "--out", str(folder / "tables.c")], ROOT)
        paths = (headers, "keys/device-1", "keys/public", ".", ROOT / "packages/example", ROOT / "ports")
        include = [f"-I{path}" for path in paths]
        for number, entry in enumerate(self.of("c", "c")):
            around = ROOT / entry.context.split()[0]
            (folder / "snippet.h").write_text(entry.text)
            for compiler, language in itertools.product(COMPILERS, (CXX, C)):
                with self.subTest(snippet=str(entry), compiler=compiler[0], language=language[1]):
                    run([*compiler, *WARNINGS, *language, *include, "-c", str(around), "-o", f"{number}.o"], folder)
            if "int main(" in around.read_text():
                objects = [str(path) for path in self.library().glob("*.o")]
                run(["gcc", *include, f"{number}.o", "tables.c", *objects, "-o", "program"], folder)
                run(["./program"], folder)
                self.assertIn("authentic", run([str(PROGRAM), "inspect", "--keys", "keys/server", "frames.bin"], folder))

    def test_program_of_the_samples(self):
        """The document shows the file that the packages hold."""
        shown = [entry.text for entry in self.of("c", "c") if entry.context.split()[-1] == "send_readings.c"]
        self.assertEqual(shown, [(ROOT / "packages/example/send_readings.c").read_text()])

    def test_files_are_named(self):
        """Readers see the name that a file is to have."""
        for entry in snippets():
            if is_for_shell(entry) and entry.kind != "run":
                with self.subTest(snippet=str(entry)):
                    before = (ROOT / entry.document).read_text().splitlines()[:entry.line - 2]
                    self.assertEqual(before[-2:], [f"File `{entry.context.split()[-1]}`:", ""])

    def test_last_line_of_the_firmware(self):
        """The document shows the text of success as the board prints it."""
        statuses = tomllib.loads((ROOT / "spec/status.toml").read_text())["status"]
        about = next(status["about"] for status in statuses if status["name"] == "done")
        self.assertIn(f"```text\n{about}\n```", (ROOT / "docs/guides/firmware.md").read_text())

    def test_catalogue_of_jobs(self):
        """docs/choose/jobs.md has every job of the program."""
        self.needs_program()
        usage = run([str(PROGRAM), "evaluate", "--help"], ROOT).partition("--job <JOB>")[2].partition("\n\n      --")[0]
        jobs = re.findall(r"^ +- ([a-z-]+):", usage, re.MULTILINE)
        self.assertGreater(len(jobs), 15)
        page = (ROOT / "docs/choose/jobs.md").read_text()
        self.assertEqual([job for job in jobs if f"`{job}`" not in page], [])

    def library(self) -> Path:
        """The objects that the commands of device/README.md make."""
        folder = self.folder / "device"
        if folder.exists():
            return folder / "objects"
        folder.mkdir()
        shell([entry for entry in self.of("sh", "run") if entry.document == "device/README.md"], folder)
        return folder / "objects"

    def test_shell(self):
        """Document by document; the library's own is in `library`."""
        self.needs_program()
        for document in sorted({entry.document for entry in self.of("sh", "run")} - {"device/README.md"}):
            with self.subTest(document=document):
                try:
                    found = [entry for entry in snippets() if entry.document == document and is_for_shell(entry)]
                    shell(found, self.fresh_folder(document))
                except AssertionError as error:
                    if "which this program was built without" in str(error):
                        self.skipTest(f"{document}: {PROGRAM} is built without tfhe-rs")
                    raise

    def test_named_commands(self):
        """Targets that take too long to run exist."""
        targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
        packages = [path.parent.name for path in ROOT.glob("crates/*/Cargo.toml")]
        for entry in self.of("sh", "checked"):
            for line in entry.text.splitlines():
                with self.subTest(snippet=str(entry), line=line):
                    words = line.partition("#")[0].split()
                    if words[:1] == ["make"]:
                        self.assertIn(words[-1], targets)
                    elif words[:1] == ["cargo"]:
                        self.assertIn(words[words.index("-p") + 1].removeprefix("isopod-"), packages)
                    elif words:
                        self.assertTrue((ROOT / words[-1]).exists() or shutil.which(words[0]))

    def test_python(self):
        """From the root, as the documents say."""
        for entry in self.of("python", ""):
            with self.subTest(snippet=str(entry)):
                run(["python3", "-c", entry.text], ROOT)

    def test_rust(self):
        """A crate that shows code in its README runs it with its tests."""
        for document in {entry.document for entry in snippets() if entry.language == "rust"}:
            with self.subTest(document=document):
                library = (ROOT / document).parent / "src/lib.rs"
                self.assertIn("README.md", library.read_text())

    def test_javascript(self):
        """A package that shows code in its README runs it with its tests."""
        for document in {entry.document for entry in snippets() if entry.language == "js"}:
            with self.subTest(document=document):
                self.assertIn(f'"{document}"', (ROOT / "web/test/package.test.mjs").read_text())


class References(unittest.TestCase):
    """The keys of documents and comments."""

    def test_citations(self):
        """BIBLIOGRAPHY.md has every key that is cited."""
        known = set(CITATION.findall((ROOT / "BIBLIOGRAPHY.md").read_text()))
        unknown = [f"{name}: [{key}]" for name in files(*CITING) for key in CITATION.findall((ROOT / name).read_text())
                   if key not in known]
        self.assertEqual(unknown, [])


if __name__ == "__main__":
    unittest.main()
