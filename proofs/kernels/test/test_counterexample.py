"""Values that tell two terms apart are found, at edges too; equal words and allowed representatives are none."""
import unittest

from proofs.kernels.claim import Ends
from proofs.kernels.equality.counterexample import counterexample
from proofs.kernels.terms import Term, add, const, eq, ite, mul, ult, var, zext

Q, LEAST = 67084289, 1 << 31


def found(kernel: Term, reference: Term, prime: int = 0, bound: int = 0) -> str | None:
    """The name of the word that differs."""
    shown = counterexample(Ends([("same", kernel, kernel), ("word", kernel, reference)], {}, prime, bound))
    return shown.name if shown else None


class Counterexamples(unittest.TestCase):
    """Terms of 32 bits, and fields of fewer."""

    x = var("counterexample_x", 32)

    def test_words_that_differ(self):
        self.assertEqual(found(self.x, add(self.x, const(1, 32))), "word")
        self.assertEqual(found(mul(self.x, self.x), mul(self.x, add(self.x, const(2, 32)))), "word")

    def test_words_that_differ_at_an_edge_alone(self):
        for edge in (0, 1, LEAST - 1, LEAST, 2 * LEAST - 1):
            self.assertEqual(found(ite(eq(self.x, const(edge, 32)), const(1, 32), const(0, 32)), const(0, 32)), "word")

    def test_bounds_are_kept(self):
        below = var("counterexample_below", 32, (0, Q - 1))
        self.assertIsNone(found(zext(ult(below, const(Q, 32)), 32), const(1, 32)))

    def test_representatives_within_the_bound(self):
        below = var("counterexample_below", 32, (0, Q - 1))
        other = add(below, const(-Q, 32))
        self.assertIsNone(found(below, other, Q, Q + 1))
        self.assertEqual(found(below, other, Q, Q - 1), "word")
        self.assertEqual(found(below, other, Q), "word")

    def test_fields_are_words_with_zeros_in_front(self):
        field = var("counterexample_field", 26)
        self.assertIsNone(found(field, zext(field, 32), Q))


if __name__ == "__main__":
    unittest.main()
