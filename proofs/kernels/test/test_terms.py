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


def high_by_words(a: terms.Term, b: terms.Term, without: int = 3) -> terms.Term:
    """The high half of a product of 64 bits by products of words, without one of the three carries, if less than 3."""
    (a1, a0), (b1, b0) = ([terms.zext(terms.extract(one, low + 31, low), 64) for low in (32, 0)] for one in (a, b))
    low = terms.mul(a0, b0)
    middle = terms.add(terms.mul(a1, b0), terms.lshr(low, 32)) if without != 0 else terms.mul(a1, b0)
    lower = terms.and_(middle, terms.const(MASK, 64))
    other = terms.add(terms.mul(a0, b1), lower) if without != 1 else terms.mul(a0, b1)
    high = terms.add(terms.mul(a1, b1), terms.lshr(middle, 32)) if without != 2 else terms.mul(a1, b1)
    return terms.add(high, terms.lshr(other, 32))


def high_of_integers(a: int, b: int, without: int) -> int:
    """high_by_words of integers."""
    (a1, a0), (b1, b0) = ((one >> 32, one & MASK) for one in (a, b))
    middle = a1 * b0 + (a0 * b0 >> 32 if without != 0 else 0)
    other = a0 * b1 + (middle & MASK if without != 1 else 0)
    return a1 * b1 + (middle >> 32 if without != 2 else 0) + (other >> 32) & (1 << 64) - 1


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

    def test_products_of_words_become_the_high_half_of_a_product(self):
        a, b, draw = terms.var("a", 64), terms.var("b", 64), random.Random(2)
        s = terms.extract(a, 63, 63)
        moved = terms.ite(s, terms.add(a, terms.const(12345, 64)), a)
        factor = 0xF1234567DEADBEEF
        for x, y in ((a, b), (a, terms.const(factor, 64)), (moved, b), (a, a)):
            whole = terms.extract(terms.mul(terms.zext(x, 128), terms.zext(y, 128)), 127, 64)
            found = high_by_words(x, y)
            self.assertIs(found, whole)
            self.assertIs(terms.sub(b, found), terms.sub(b, whole))
            for _ in range(200):
                given = {name: draw.choice((draw.getrandbits(64), 0, 1, (1 << 64) - 1, (1 << 32) - 1, 1 << 63)) for name in "ab"}
                product = terms.value(x, given) * terms.value(y, given)
                self.assertEqual(terms.value(found, given), product >> 64)

    def test_products_of_words_without_a_carry_stay(self):
        a, b, draw = terms.var("a", 64), terms.var("b", 64), random.Random(2)
        for at in range(3):
            found = high_by_words(a, b, at)
            self.assertNotEqual(found.kind, "extract")
            values = []
            for _ in range(200):
                given = {name: draw.choice((draw.getrandbits(64), (1 << 64) - 1)) for name in "ab"}
                self.assertEqual(terms.value(found, given), high_of_integers(given["a"], given["b"], at))
                values.append(terms.value(found, given) == given["a"] * given["b"] >> 64)
            self.assertFalse(all(values))

    def test_high_halves_and_a_carry_become_the_high_half_of_a_sum(self):
        a, b, c, draw = terms.var("a", 64), terms.var("b", 64), terms.var("c", 64), random.Random(4)
        wide = [terms.mul(terms.sext(one, 128), terms.sext(other, 128)) for one, other in ((a, b), (c, terms.const(-77, 64)))]
        first, second = (terms.extract(one, 63, 0) for one in wide)
        either, total = terms.or_(first, second), terms.add(first, second)
        carry = terms.lshr(terms.or_(terms.and_(either, terms.not_(total)), terms.and_(first, second)), 63)
        found = terms.add(terms.add(*(terms.extract(one, 127, 64) for one in wide)), carry)
        self.assertIs(found, terms.extract(terms.add(*wide), 127, 64))
        for _ in range(ROUNDS):
            given = {name: draw.choice((draw.getrandbits(64), 0, 1, (1 << 64) - 1, 1 << 63)) for name in "abc"}
            x, y, z = (signed(given[name], 64) for name in "abc")
            self.assertEqual(terms.value(found, given), (x * y - 77 * z >> 64) & (1 << 64) - 1)

    def test_a_sign_twice_is_a_longer_sign(self):
        sign = terms.extract(terms.var("a", 64), 63, 63)
        self.assertIs(terms.concat(terms.sext(sign, 32), terms.sext(sign, 32)), terms.sext(sign, 64))


if __name__ == "__main__":
    unittest.main()
