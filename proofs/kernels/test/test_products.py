"""Facts about products hold for random numbers."""
import random
import unittest

from proofs.kernels import terms
from proofs.kernels.equality.products import Products
from proofs.kernels.terms import const, extract, sext, var, zext

ROUNDS = 200
Q = 67043329
EDGES = (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)


def montgomery(a: terms.Term, b: terms.Term) -> terms.Term:
    """The high word of a product and the multiple of the prime that clears its low word."""
    product = terms.mul(sext(a, 64), sext(b, 64))
    multiple = terms.mul(extract(product, 31, 0), const(-pow(Q, -1, 1 << 32), 32))
    return extract(terms.add(product, terms.mul(sext(multiple, 64), const(Q, 64))), 63, 32)


class Facts(unittest.TestCase):
    def test_facts_hold_and_terms_keep_their_value(self):
        draw = random.Random(2)
        a, b = var("a", 32), var("b", 32)
        unsigned = terms.mul(zext(a, 64), zext(b, 64))
        for term in (montgomery(a, b), unsigned, terms.mul(zext(a, 64), const(Q, 64)), terms.mul(zext(a, 64), sext(b, 64))):
            products = Products({"b": (0, Q - 1)})
            replaced = products.without(term)
            self.assertTrue(products.unknowns)
            for _ in range(ROUNDS):
                given = {"a": draw.choice((draw.getrandbits(32), *EDGES)), "b": draw.choice((draw.randrange(Q), 0, Q - 1))}
                given |= {unknown.data: terms.value(product, given) for product, unknown in products.unknowns.items()}
                self.assertEqual(terms.value(replaced, given), terms.value(term, given))
                for fact in products.facts:
                    self.assertEqual(terms.value(fact, given), 1, fact)


if __name__ == "__main__":
    unittest.main()
