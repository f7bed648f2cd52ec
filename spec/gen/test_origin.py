"""Tests the digests of the model and of the known answers, and the recomputed known answers."""

import unittest

from .vectors import origin

SOURCE = '''"""What it is."""
from x import y  # a comment


def f(value):
    """Doubles,
    and more."""
    text = "# no comment", """no
docstring"""
    return 2 * value  # twice
'''
CODE = '''from x import y
def f(value):
    text = "# no comment", """no
docstring"""
    return 2 * value'''


class Origin(unittest.TestCase):
    """Comments leave the digest as it is; code changes it."""

    def test_comments_are_not_code(self):
        self.assertEqual(origin.code(SOURCE), CODE)

    def test_indentation_is_code(self):
        self.assertNotEqual(origin.code("if a:\n    b()\n    c()\n"), origin.code("if a:\n    b()\nc()\n"))

    def test_the_model_is_in_the_digest(self):
        """The module that builds the documents loads every module that computes."""
        listed = origin.modules()
        for name in ("spec/model/encryption.py", "spec/model/tfhe.py", "spec/gen/vectors/defects.py"):
            self.assertTrue(any(path.as_posix().endswith(name) for path in listed), name)

    def test_a_changed_record_is_a_stranger(self):
        """Committed lists may hold more records. The last line of a list has no comma."""
        committed = {"a.json": '[\n  {"n": 1},\n  {"n": 2}\n]'}
        self.assertEqual(origin.strangers(committed, {"a.json": '[\n  {"n": 1}\n]'}), [])
        self.assertEqual(origin.strangers(committed, {"a.json": '[\n  {"n": 3}\n]'}), ['a.json: {"n": 3}'])
