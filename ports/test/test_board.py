"""Tests every port: it starts, reaches its host, reads entropy, measures its stack and ends with the given status."""
import tempfile
import unittest
from pathlib import Path

from ports import emulate


class Board(unittest.TestCase):
    """There is one test for each service, and each runs on all ports."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.elf = {port: emulate.build_app(port, "board", ["ports/test/board.c"]) for port in emulate.PORTS}

    def each_port(self, words: list[str]):
        """Runs the test application on every port, with these words."""
        for port in emulate.PORTS:
            with self.subTest(port=port):
                yield port, emulate.run(emulate.command(port, self.elf[port], words))

    def test_services(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            content, out, short = bytes(range(250)) * 4, Path(folder, "out"), Path(folder, "short")
            Path(folder, "in").write_bytes(content)
            short.write_bytes(b"not enough")
            words = ["services", f"{folder}/in", str(out), f"{folder}/missing", str(short)]
            for _, done in self.each_port(words):
                self.assertEqual((done.stderr, done.returncode), ("failures: 0\n", 0))
                self.assertEqual(out.read_bytes(), bytes(255 - byte for byte in content))
                out.unlink()

    def test_failure_is_seen(self) -> None:
        for _, done in self.each_port(["services", "missing", "words"]):
            self.assertEqual(done.returncode, 1)
            self.assertIn("failed: six words", done.stderr)

    def test_exit_status(self) -> None:
        for status in (0, 7, 255):
            for _, done in self.each_port(["exit", str(status)]):
                self.assertEqual(done.returncode, status)

    def test_every_word_of_a_long_line_arrives(self) -> None:
        """A run of the device library's tests has as many words."""
        words = ["words", "80", *["a_group"] * 80]
        for _, done in self.each_port(words):
            self.assertEqual((done.stderr, done.returncode), ("failures: 0\n", 0))

    def test_a_line_that_does_not_fit_is_refused(self) -> None:
        """A line may have too many words or too many bytes. A program never runs with fewer arguments than it was given."""
        for port in emulate.BOARDS:
            for words in (["x"] * 200, ["x" * 2000]):
                with self.subTest(port=port, words=len(words)):
                    done = emulate.run(emulate.command(port, self.elf[port], words))
                    self.assertEqual((done.stderr, done.returncode), ("the command line is too long\n", 125))

    def test_fault_ends_the_run(self) -> None:
        for port in emulate.BOARDS:
            with self.subTest(port=port):
                done = emulate.run(emulate.command(port, self.elf[port], ["fault"]))
                self.assertEqual((done.stderr, done.returncode), ("unexpected exception\n", 125))
