"""Tests of the programs of this folder: python3 -m unittest discover -s .ci"""
import configparser
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import unittest
from contextlib import redirect_stdout
from pathlib import Path
from unittest import mock

import include_graph
import lint
import module_graph
import progress
import stages
import writing


class Counts(unittest.TestCase):
    """Numbers of tests read from logs."""

    def test_cargo(self):
        """The test binaries of a workspace are added up."""
        log = "test result: ok. 3 passed; 0 failed; 1 ignored; 0\ntest result: ok. 4 passed; 0 failed; 0 ignored"
        self.assertEqual(stages.counts(log, True), (7, 0, 1))

    def test_unittest(self):
        """Failures, errors and skips are part of the total."""
        self.assertEqual(stages.counts("Ran 6 tests in 2 s\n\nOK (skipped=2)", True), (4, 0, 2))
        log = "Ran 9 tests in 2 s\n\nFAILED (failures=1, errors=2, skipped=3)"
        self.assertEqual(stages.counts(log, False), (3, 3, 3))

    def test_no_counts(self):
        """A check is one test; a crash is a failure even if all tests before it passed."""
        self.assertEqual(stages.counts("fine", True), (1, 0, 0))
        self.assertEqual(stages.counts("test result: ok. 3 passed; 0 failed; 0 ignored", False), (3, 1, 0))


class Stages(unittest.TestCase):
    """Outcomes of real commands."""

    def outcomes(self, *commands: stages.Stage) -> tuple[list[stages.Outcome], str]:
        """Results, and the printed text."""
        said = io.StringIO()
        known = progress.Progress([[{stage.name: 1 for stage in commands}]], 0)
        with (tempfile.TemporaryDirectory() as folder, progress.Display(known, said) as display, redirect_stdout(said),
              mock.patch.multiple(stages, ROOT=Path(folder), LOGS=Path(folder))):
            runner = stages.Runner(display)
            runner.lane(list(commands))
            print(runner.summary(61.0))
        return runner.outcomes, said.getvalue()

    def test_states_and_summary(self):
        """One stage of each state; the log of the failed one is printed."""
        python = [sys.executable, "-c"]
        outcomes, said = self.outcomes(
            stages.Stage("self test", [*python, "print('Ran 2 tests in 1 s')"]),
            stages.Stage("self test 2", [*python, "print('this went wrong'); raise SystemExit(3)"]),
            stages.Stage("self test 3", ["no-such-program"]),
            stages.Stage("self test 4", [*python, ""], needs=("no-such-program",)),
        )
        self.assertEqual([outcome.state for outcome in outcomes], [stages.PASSED, stages.FAILED, stages.FAILED, stages.SKIPPED])
        self.assertIn("    this went wrong\n", said)
        self.assertIn("exit status 3", said)
        self.assertIn("no-such-program not found", said)
        self.assertIn("1:01 in all, 0.0 minutes of processor time", said)
        self.assertTrue(said.endswith("2 passed, 2 failed, 1 skipped\n"), said)

    def test_processor_time_of_children(self):
        """A stage's processor time includes that of its children."""
        work = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'sum(range(9000000))'])"
        outcomes, _ = self.outcomes(stages.Stage("self test", [sys.executable, "-c", work]))
        self.assertGreater(outcomes[0].processor, 0.05)

    def test_documented(self):
        """docs/contribute/testing.md has a row for each stage and for nothing else."""
        every = [stage.name for stage in stages.every_stage()]
        self.assertEqual(list(stages.documented()), every)

    def test_programs_of_papers_start_alone(self):
        """From the root, as modules, without a path in the environment; stages start them in no other way."""
        alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        programs = [path.relative_to(stages.ROOT) for path in stages.ROOT.glob("bench/paper/**/*.py")]
        programs = [path.with_suffix("").as_posix().replace("/", ".") for path in programs
                    if "__main__" in (stages.ROOT / path).read_text()]
        self.assertGreaterEqual(len(programs), 7)
        for program in programs:
            with self.subTest(program=program):
                subprocess.run([sys.executable, "-m", program, "--help"], cwd=stages.ROOT, env=alone, check=True,
                               capture_output=True)
        by_path = re.compile(r"bench/paper/\S+\.py")
        self.assertEqual(by_path.findall((stages.ROOT / "Makefile").read_text()), [])
        self.assertEqual([stage.name for stage in stages.PLAIN_LANE if by_path.search(" ".join(stage.command))], [])

    def test_times_of_a_run_become_the_table(self):
        """Stages that did not pass keep their documented times."""
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(stages, "PAGE", Path(folder, "page.md")):
            stages.PAGE.write_text("| a | 1 | x |\n| b c | 20 | y |\n| d | what | 3 |\n")
            stages.document([stages.Outcome("a", stages.FAILED, 0, 1, 0, 9.0, 9.0, ""),
                             stages.Outcome("b c", stages.PASSED, 1, 0, 0, 9.0, 7.4, "")])
            self.assertEqual(stages.PAGE.read_text(), "| a | 1 | x |\n| b c | 7 | y |\n| d | what | 3 |\n")


class Estimates(unittest.TestCase):
    """Estimates of the time that remains."""

    def test_follows_lanes_and_pace(self):
        """The longest lane and the stages after it; twice the expected time if the first stages took twice as long."""
        run = progress.Progress([[{"a": 30, "b": 60}, {"c": 40}], [{"d": 10}]], 0)
        self.assertEqual(run.remaining(0), 100)
        run.begin("a", 0)
        run.begin("c", 0)
        self.assertEqual(run.remaining(10), 90)
        run.end("a", 60)
        self.assertEqual(run.pace(), 2)
        self.assertEqual(run.remaining(60), 120 + 20)
        self.assertEqual(run.line(60), "[1/4 done, 1:00, about 2 min left] c")

    def test_a_log_has_plain_lines(self):
        """A log has no carriage returns."""
        out = io.StringIO()
        with progress.Display(progress.Progress([[{"a": 5}]], 0), out) as display:
            display.begin("a")
            display.end("a", "a passed")
        self.assertNotIn("\r", out.getvalue())
        self.assertTrue(out.getvalue().endswith("] a\na passed\n"), out.getvalue())

    def test_broken_records_are_none(self):
        """A file of another version must not stop a run."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "seconds.json")
            self.assertEqual(progress.last_times(path), {})
            for text in ("", "[1]", '{"a": []}'):
                path.write_text(text)
                self.assertEqual(progress.last_times(path), {})
            path.write_text('{"a": 1.5}')
            self.assertEqual(progress.last_times(path), {"a": 1.5})


class Writing(unittest.TestCase):
    """Text that the rules refuse, and text that they accept."""

    def test_openings(self):
        """First words of comments of every language; words inside a sentence do not count."""
        bad = {"a.c": "/* What it is. */", "b.rs": "/// Of a frame.", "c.py": 'def f():\n"""The same for keys."""',
               "d.sv": "logic x; // As above", "e.sh": "# Those", "f.h": "    int x; /**< Of the set. */"}
        good = {"a.c": "/* A key of it.\n * Of course. */", "b.rs": "/// A frame\n/// Of a set.", "c.py": '"""Assembles."""',
                "d.sv": "// Whatever", "e.py": "    of = 'What'", "f.toml": "# One line\n# What follows it"}
        for name, text in bad.items():
            self.assertEqual(len(writing.bad_openings(name, text)), 1, text)
        for name, text in good.items():
            self.assertEqual(writing.bad_openings(name, text), [], text)

    def test_columns(self):
        """One column beyond the limit is refused; tables and addresses may be wider."""
        self.assertEqual(writing.long_lines("a.c", "x" * 100), [])
        self.assertEqual(writing.long_lines("a.c", f"\n{'x' * 101}"), ["a.c:2: 101 columns, at most 100"])
        self.assertEqual(writing.long_lines("a.md", f"| {'x' * 200} |\nhttps://{'x' * 200}"), [])
        self.assertEqual(writing.long_lines("a.json", "x" * 5000), [])

    def test_folders(self):
        """Only folders below those with a limit are counted."""
        names = [f"{folder}/f{number}" for folder in ("device/src/ring", "spec/vectors") for number in range(26)]
        self.assertEqual(writing.full_folders(names), ["device/src/ring: 26 files, at most 25"])


class IncludeGraph(unittest.TestCase):
    """A small source tree with one mistake at a time."""

    PLAN = ("1. `base`: ground.\n2. `ring`: numbers.\n3. `encrypt`, `decrypt`: use it.\n\n"
            "The instance file is `ring/instance.c`.\n")

    def complaints(self, **changes: str) -> list[str]:
        """Complaints about the tree below with some files changed: `ring__a_h` is ring/a.h."""
        files = {"README.md": self.PLAN, "base/word.h": "", "ring/a.h": '#include "base/word.h"\n#include "isopod/x.h"',
                 "ring/instance.c": '#include "ring/b.c"', "ring/b.c": '#include "a.h"', "encrypt/e.c": '#include "ring/a.h"',
                 "backend/m4/k.c": '#include "ring/a.h"'}
        changed = {"/".join(name.rsplit("_", 1)[0].split("__")) + "." + name.rsplit("_", 1)[1]: text
                   for name, text in changes.items()}
        with tempfile.TemporaryDirectory() as folder:
            placed = {f"src/{name}": text for name, text in (files | changed).items()} | {"include/isopod/x.h": ""}
            for name, text in placed.items():
                Path(folder, name).parent.mkdir(parents=True, exist_ok=True)
                Path(folder, name).write_text(text)
            return include_graph.complaints(include_graph.IncludeTree(Path(folder, "src"), Path(folder, "include")))

    def test_no_mistake(self):
        """Includes downwards, in the same folder, of public headers, by the instance file and in backends."""
        self.assertEqual(self.complaints(), [])

    def test_mistakes(self):
        """A complaint names each mistake."""
        cases = {
            "base/word.h includes ring/a.h, 1 layers up": {"base__word_h": '#include "ring/a.h"', "ring__a_h": ""},
            "encrypt/e.c includes ring/b.c: only the instance file may": {"encrypt__e_c": '#include "ring/b.c"'},
            "ring/a.h includes nothing.h, which is nowhere": {"ring__a_h": '#include "nothing.h"'},
            "a cycle: ring/a.h, ring/c.h": {"ring__a_h": '#include "c.h"', "ring__c_h": '#include "a.h"'},
            "a cycle: decrypt, encrypt": {"encrypt__e_c": '#include "decrypt/d.h"', "decrypt__d_h": "",
                                                        "decrypt__d_c": '#include "encrypt/f.h"', "encrypt__f_h": ""},
            "loose.c is in no folder": {"loose_c": ""},
        }
        for complaint, changes in cases.items():
            self.assertEqual(self.complaints(**changes), [complaint])


class ModuleGraph(unittest.TestCase):
    """A crate in two folders, and mistakes in it."""

    def findings(self, **changes: str) -> module_graph.Findings:
        """The findings of the crate with some files changed."""
        files = {"lib": "mod read;\nmod seal;\npub use read::item::Item;\ntype Id = u8;", "read__mod": "pub(crate) mod item;",
                 "read__item": "use crate::Id;", "seal": "use crate::{Item, Id}; // crate::seal"} | changes
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = Path(folder, *name.split("__")).with_suffix(".rs")
                path.parent.mkdir(exist_ok=True)
                path.write_text(text)
            return module_graph.findings(Path(folder))

    def test_good_crate(self):
        """Uses downwards and of names of the root; names that a root hands on count as the file behind them."""
        self.assertEqual(self.findings(), module_graph.Findings([], [], [], 2))

    def test_mistakes(self):
        """Cycles of files, cycles of folders, and full folders."""
        found = self.findings(read__item="use super::super::seal::{self, Tag as Other};")
        self.assertEqual((found.cycles, found.upward),
                         ([["read/item.rs", "seal.rs"]], ["read/item.rs -> seal.rs", "seal.rs -> read/item.rs"]))
        self.assertEqual(self.findings(read__item="pub use crate::seal::Tag;").cycles, [["read/item.rs", "seal.rs"]])
        found = self.findings(read__mod="mod item;\nmod raw;", read__raw="fn f() { crate::seal::g() }")
        self.assertEqual((found.cycles, found.upward), ([], ["read/raw.rs -> seal.rs", "seal.rs -> read/item.rs"]))
        full = {f"read__a{number}": "" for number in range(module_graph.LIMIT)}
        self.assertEqual([number for _, number in self.findings(**full).crowded], [module_graph.LIMIT + 2])


class Lint(unittest.TestCase):
    """Input on which the checks must complain."""

    def test_machine_paths(self):
        """Absolute paths of homes, but not addresses, relative paths or fractions."""
        for text in ("/ho" + "me/ann/x", 'open("/ro' + 'ot/x")', "-I /wo" + "rk/include", "/tm" + "p/build"):
            self.assertRegex(text, lint.MACHINE_PATH)
        for text in ("a/ho" + "me/b", "docs/wo" + "rk/x", "/dev/urandom", "{build}/wo" + "rk/x"):
            self.assertNotRegex(text, lint.MACHINE_PATH)

    def test_waivers_must_be_needed(self):
        """A waiver for a function within the limits is refused."""
        with mock.patch.object(lint, "waivers", return_value={".ci/lint.py:main"}):
            self.assertIn(".ci/lint.py:main: waived", lint.functions())

    def test_a_check_with_complaints_fails(self):
        """Silence passes; complaints are printed and fail."""
        for complaints in ("", "a complaint"):
            with redirect_stdout(io.StringIO()) as said:
                self.assertEqual(lint.judge("self test", lambda complaints=complaints: complaints), bool(complaints))
            self.assertIn(complaints, said.getvalue())

    def test_generated_files_are_not_formatted(self):
        """Generators decide the format of their files."""
        names = lint.files("h")
        self.assertIn("device/include/isopod/ckks.h", names)
        self.assertNotIn("device/include/isopod/params.h", names)
        self.assertTrue(all(Path(lint.ROOT, name).exists() for name in names))


class Contributing(unittest.TestCase):
    """Files that contributors meet first: workflow, container, templates, .editorconfig and CONTRIBUTING.md."""

    def documents(self) -> dict[str, dict]:
        """The YAML files of .github by name, read by the PyYAML of rtl/requirements.txt."""
        names = sorted(str(path) for path in (lint.ROOT / ".github").rglob("*.yml"))
        program = "import json, sys, yaml; print(json.dumps([yaml.safe_load(open(name)) for name in sys.argv[1:]]))"
        done = subprocess.run([lint.TOOLS / "python", "-c", program, *names], capture_output=True, text=True, check=True)
        return dict(zip((Path(name).name for name in names), json.loads(done.stdout)))

    def test_workflow(self):
        """The workflow runs the README's commands and the fast tests, which are targets, and may read alone."""
        workflow = self.documents()["checks.yml"]
        commands = re.findall(r"^make ([a-z-]+) +#", (lint.ROOT / "README.md").read_text(), re.MULTILINE)
        targets = re.findall(r"^([a-z-]+):", (lint.ROOT / "Makefile").read_text(), re.MULTILINE)
        job = workflow["jobs"]["make"]
        runs = [row["target"] for row in job["strategy"]["matrix"]["include"]]
        self.assertEqual(sorted(runs), sorted([*commands, "test-fast"]))
        self.assertLessEqual(set(runs), set(targets))
        self.assertIn("make ${{ matrix.target }}", [step.get("run") for step in job["steps"]])
        self.assertEqual(workflow["permissions"], {"contents": "read"})
        for step in job["steps"]:
            self.assertRegex(step.get("uses", "actions/x@v1"), r"^actions/[\w-]+@(v\d+|[0-9a-f]{40})$")

    def test_container(self):
        """The container is the workflow's, and bootstrap.sh makes it whole."""
        container = json.loads((lint.ROOT / ".devcontainer/devcontainer.json").read_text())
        self.assertEqual(container["image"], self.documents()["checks.yml"]["jobs"]["make"]["container"]["image"])
        self.assertEqual(container["postCreateCommand"], "./bootstrap.sh")

    def test_templates(self):
        """Forms have questions with names of their own; the contact is at the project's address."""
        forms = self.documents()
        for name in ("bug.yml", "question.yml"):
            asked = [part["id"] for part in forms[name]["body"] if part["type"] != "markdown"]
            self.assertEqual(len(asked), len(set(asked)))
        address = tomllib.loads((lint.ROOT / "packages/manifest.toml").read_text())["library"]["url"]
        self.assertEqual([link["url"] for link in forms["config.yml"]["contact_links"]], [f"{address}/SECURITY.md"])

    def test_paths(self):
        """Every path that CONTRIBUTING.md quotes is there."""
        quoted = re.findall(r"`(\.?[\w*-]+(?:[./][\w.*-]+)+/?)`", (lint.ROOT / "CONTRIBUTING.md").read_text())
        self.assertGreater(len(quoted), 20)
        self.assertEqual([path for path in quoted if not any(lint.ROOT.glob(path))], [])

    def test_columns_of_editors(self):
        """.editorconfig, clang-format and ruff break lines where the linter wants it."""
        editor, columns = configparser.ConfigParser(), {}
        editor.read_string("[top]\n" + (lint.ROOT / ".editorconfig").read_text())
        for section in editor.sections():
            if width := editor[section].get("max_line_length"):
                columns |= dict.fromkeys(re.findall(r"\w+", section), int(width))
        self.assertEqual(columns, writing.COLUMNS)
        self.assertIn(f"ColumnLimit: {columns['c']}\n", (lint.ROOT / ".clang-format").read_text())
        self.assertIn(f"line-length = {columns['py']}\n", (lint.ROOT / "ruff.toml").read_text())


if __name__ == "__main__":
    unittest.main()
