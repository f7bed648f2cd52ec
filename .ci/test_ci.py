"""The programs of this folder: python3 -m unittest discover -s .ci"""
import io
import sys
import unittest
from contextlib import redirect_stdout
from pathlib import Path
from unittest import mock

import lint
import stages


class Counts(unittest.TestCase):
    """Numbers from logs."""

    def test_cargo(self):
        """All test binaries of a workspace together."""
        log = "test result: ok. 3 passed; 0 failed; 1 ignored; 0\ntest result: ok. 4 passed; 0 failed; 0 ignored"
        self.assertEqual(stages.counts(log, True), (7, 0, 1))

    def test_unittest(self):
        """Failures, errors and skips are part of what ran."""
        self.assertEqual(stages.counts("Ran 6 tests in 2 s\n\nOK (skipped=2)", True), (4, 0, 2))
        log = "Ran 9 tests in 2 s\n\nFAILED (failures=1, errors=2, skipped=3)"
        self.assertEqual(stages.counts(log, False), (3, 3, 3))

    def test_no_counts(self):
        """A check is one test; a crash is a failure even if all tests before it passed."""
        self.assertEqual(stages.counts("fine", True), (1, 0, 0))
        self.assertEqual(stages.counts("test result: ok. 3 passed; 0 failed; 0 ignored", False), (3, 1, 0))


class Stages(unittest.TestCase):
    """Outcomes of real commands."""

    def outcomes(self, *commands: stages.Stage) -> tuple[list[str], str]:
        """States, and what was printed."""
        stages.LOGS.mkdir(parents=True, exist_ok=True)
        runner, said = stages.Runner(), io.StringIO()
        with redirect_stdout(said):
            runner.lane(list(commands))
            print(runner.summary(1.0))
        return [outcome.state for outcome in runner.outcomes], said.getvalue()

    def test_states_and_summary(self):
        """One of each; the log of the failing one is shown."""
        python = [sys.executable, "-c"]
        states, said = self.outcomes(
            stages.Stage("self test", [*python, "print('Ran 2 tests in 1 s')"]),
            stages.Stage("self test 2", [*python, "print('this went wrong'); raise SystemExit(3)"]),
            stages.Stage("self test 3", ["no-such-program"]),
            stages.Stage("self test 4", [*python, ""], ("no-such-program",)),
        )
        self.assertEqual(states, [stages.PASSED, stages.FAILED, stages.FAILED, stages.SKIPPED])
        self.assertIn("    this went wrong\n", said)
        self.assertIn("exit status 3", said)
        self.assertIn("no-such-program not found", said)
        self.assertTrue(said.endswith("2 passed, 2 failed, 1 skipped\n"), said)


class Lint(unittest.TestCase):
    """Checks that must complain."""

    def test_machine_paths(self):
        """Absolute paths of homes, but not addresses, relative paths or fractions."""
        for text in ("/ho" + "me/ann/x", 'open("/ro' + 'ot/x")', "-I /wo" + "rk/include", "/tm" + "p/build"):
            self.assertRegex(text, lint.MACHINE_PATH)
        for text in ("a/home/b", "docs/work/x", "/dev/urandom", "{build}/work/x"):
            self.assertNotRegex(text, lint.MACHINE_PATH)

    def test_waivers_must_be_needed(self):
        """A waiver for a function within the limits is refused."""
        with mock.patch.object(lint, "waivers", return_value={".ci/lint.py:main"}):
            self.assertIn(".ci/lint.py:main: waived", lint.functions())

    def test_generated_files_are_not_formatted(self):
        """Their generator says how they look."""
        names = lint.files("h")
        self.assertIn("device/include/isopod/ckks.h", names)
        self.assertNotIn("device/include/isopod/params.h", names)
        self.assertTrue(all(Path(lint.ROOT, name).exists() for name in names))


if __name__ == "__main__":
    unittest.main()
