"""Terms against integers: every rewriting keeps the value."""
import random
import unittest

from proofs.kernels import terms
from proofs.kernels.terms import signed

WIDTH, MASK, ROUNDS = 32, (1 << 32) - 1, 3000


def grown(draw: random.Random, leaves: list) -> tuple:
    """A random term of 32 bits with the value that integers give."""
    if draw.random() < 0.15:
        value = draw.choice((draw.getrandbits(32), 0, 1, MASK, 0xFF00, 0x80000000, (1 << draw.randrange(32)) - 1))
        return terms.const(value, WIDTH), value
    return draw.choice(leaves)


def deeper(draw: random.Random, leaves: list) -> tuple:
    """An operation on random terms, beside the same on integers."""
    (a, x), (b, y) = grown(draw, leaves), grown(draw, leaves)
    by, kind = draw.randrange(32), draw.randrange(18)
    wide = terms.mul(terms.sext(a, 64), terms.sext(b, 64)), signed(x, 32) * signed(y, 32)
    if kind == 11:
        return terms.extract(wide[0], 31 + by, by), wide[1] >> by & MASK
    if kind == 12:
        both = terms.sub(wide[0], terms.concat(b, a))
        return terms.extract(both, 63, 32), (wide[1] - (y << 32 | x)) >> 32 & MASK
    cases = (
        lambda: (terms.add(a, b), x + y), lambda: (terms.sub(a, b), x - y), lambda: (terms.mul(a, b), x * y),
        lambda: (terms.and_(a, b), x & y), lambda: (terms.or_(a, b), x | y), lambda: (terms.xor(a, b), x ^ y),
        lambda: (terms.shl(a, by), x << by), lambda: (terms.lshr(a, by), x >> by),
        lambda: (terms.ashr(a, by), signed(x, 32) >> by), lambda: (terms.ror(a, by), x >> by | x << (32 - by)),
        lambda: (terms.not_(a), ~x), None, None,
        lambda: (terms.ite(terms.ult(a, b), a, b), min(x, y)),
        lambda: (terms.ite(terms.slt(a, b), a, terms.neg(b)), x if signed(x, 32) < signed(y, 32) else -y),
        lambda: (terms.zext(terms.extract(a, by, by // 2), 32), x >> (by // 2) & ((2 << (by - by // 2)) - 1)),
        lambda: (terms.majority(a, b, terms.ror(a, by)), x & y | (x | y) & (x >> by | x << (32 - by)) & MASK),
        lambda: (terms.choose(a, b, terms.neg(a)), x & y | ~x & -x),
    )
    term, value = cases[kind]()
    return term, value & MASK


class Terms(unittest.TestCase):
    def test_random_terms_have_the_values_of_integers(self):
        draw = random.Random(1)
        for _ in range(ROUNDS):
            given = {name: draw.choice((draw.getrandbits(32), 0x80000000, 0)) for name in "abcd"}
            leaves = [(terms.var(name, WIDTH), value) for name, value in given.items()]
            for _ in range(12):
                leaves.append(deeper(draw, leaves))
            term, value = leaves[-1]
            self.assertEqual(terms.value(term, given), value, term)

    def test_one_form_of_carries(self):
        a, b, c = (terms.var(name, 32) for name in "abc")
        half = terms.xor(a, b)
        carry = terms.or_(terms.and_(a, b), terms.and_(half, c))
        self.assertIs(carry, terms.choose(half, c, a))
        self.assertIs(carry, terms.xor(a, terms.and_(half, terms.xor(a, c))))
        self.assertIs(carry, terms.majority(c, a, b))

    def test_one_form_for_what_is_the_same(self):
        a, b = terms.var("a", 32), terms.var("b", 32)
        self.assertIs(terms.or_(terms.shl(a, 7), terms.lshr(a, 25)), terms.ror(a, 25))
        self.assertIs(terms.add(terms.and_(a, terms.const(0xFFFF, 32)), terms.shl(b, 16)),
                      terms.or_(terms.shl(b, 16), terms.lshr(terms.shl(a, 16), 16)))
        self.assertIs(terms.extract(terms.mul(terms.sext(a, 64), terms.sext(b, 64)), 31, 0), terms.mul(b, a))
        self.assertIs(terms.mul(terms.mul(a, terms.const(5, 32)), terms.const(0xCCCCCCCD, 32)), a)


if __name__ == "__main__":
    unittest.main()
