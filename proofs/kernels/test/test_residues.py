"""Values modulo a prime, doubled products, and terms without what they share, against integers."""
import random
import unittest

from proofs.kernels import terms
from proofs.kernels.congruence import Congruence
from proofs.kernels.processors.saturation import doubled_high, halved_difference, halved_sum, rounded_shift
from proofs.kernels.processors.x86_vectors import least, rounded_high, with_sign
from proofs.kernels.shared import without_shared
from proofs.kernels.terms import Term, const, extract, sext, signed, var, zext

Q = 67084289
INVERSE, BARRETT = pow(Q, -1, 1 << 32), round((1 << 32) / Q)
ROUNDS = 200
EDGES = (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)


def high(product: Term) -> Term:
    """The high word."""
    return extract(product, 63, 32)


def montgomery(a: Term, b: Term) -> Term:
    """a * b / 2^32 modulo the prime."""
    product = terms.mul(sext(a, 64), sext(b, 64))
    multiple = terms.mul(extract(product, 31, 0), const(INVERSE, 32))
    return terms.sub(high(product), high(terms.mul(sext(multiple, 64), const(Q, 64))))


def reduced(x: Term) -> Term:
    """Barrett's reduction."""
    quotient = high(terms.add(terms.mul(sext(x, 64), const(BARRETT, 64)), const(1 << 31, 64)))
    return terms.sub(x, terms.mul(quotient, const(Q, 32)))


def by_upper_half(x: Term) -> Term:
    """Barrett's reduction by products of 16 bits, as vectors of x86-64 have them."""
    precision = Q.bit_length() - 18
    fraction = ((1 << 31 + precision) + Q // 2) // Q
    high_part = terms.concat(rounded_high(extract(x, 31, 16), const(fraction, 16)), const(0, 16))
    quotient = terms.ashr(terms.add(high_part, const(1 << 15 + precision, 32)), 16 + precision)
    return terms.sub(x, terms.mul(quotient, const(Q, 32)))


def reduced_by_half(a: Term, b: Term) -> Term:
    """Barrett's reduction of a sum that may have a bit more than a word, by its half."""
    half = extract(terms.add(sext(a, 33), sext(b, 33)), 32, 1)
    quotient = high(terms.add(terms.mul(sext(half, 64), const(2 * BARRETT, 64)), const(1 << 31, 64)))
    return terms.sub(terms.add(a, b), terms.mul(quotient, const(Q, 32)))


def canonical(x: Term) -> Term:
    """x + q where x is negative."""
    return terms.add(x, terms.and_(const(Q, 32), sext(extract(x, 31, 31), 32)))


def at(polynomial: dict, given: dict[int, int]) -> int:
    """The value of a polynomial modulo the prime."""
    total = 0
    for key, factor in polynomial.items():
        for number in key:
            factor = factor * given[number] % Q
        total += factor
    return total % Q


class Residues(unittest.TestCase):
    def setUp(self):
        self.draw = random.Random(3)
        self.a, self.b = var("a", 32), var(f"b from 0 to {Q - 1}", 32, (0, Q - 1))

    def given(self) -> dict[str, int]:
        return {"a": self.draw.choice((self.draw.getrandbits(32), *EDGES)),
                self.b.data: self.draw.choice((0, Q - 1, self.draw.randrange(Q)))}

    def test_bounds_and_polynomials_hold(self):
        a, b = self.a, self.b
        product = montgomery(a, b)
        cases = (product, reduced(a), canonical(reduced(a)), terms.add(reduced(a), product),
                 reduced(terms.add(reduced(a), product)), canonical(reduced(terms.sub(product, reduced(a)))),
                 reduced_by_half(a, b), reduced_by_half(a, a), zext(extract(a, 25, 0), 32))
        for term in cases:
            value = Congruence(Q).of(term)
            for _ in range(ROUNDS):
                given = self.given()
                found = signed(terms.value(term, given), 32)
                self.assertTrue(value.low <= found <= value.high, term)
                if term is not cases[-1]:
                    numbers = {one.number: signed(given[one.data], 32) for one in (a, b)}
                    self.assertEqual(at(value.polynomial, numbers), found % Q, term)

    def check(self, term: Term, modulus: int = Q) -> None:
        """The value of a term that is congruent to the variable a."""
        value = Congruence(modulus).of(term)
        self.assertEqual(value.polynomial, {(self.a.number,): 1})
        self.assertLess(value.high - value.low, 3 * modulus)
        for _ in range(ROUNDS):
            given = self.given()
            found = signed(terms.value(term, given), 32)
            self.assertTrue(value.low <= found <= value.high, term)
            self.assertEqual((found - signed(given["a"], 32)) % modulus, 0)

    def test_reductions_by_the_upper_half(self):
        x = by_upper_half(self.a)
        self.check(x)
        self.check(least(terms.ult)(x, terms.add(x, const(Q, 32))))
        self.check(terms.sub(x, with_sign(const(Q, 32), x)))
        double = terms.add(x, const(2 * Q, 32))
        within = least(terms.ult)(x, double)
        self.check(least(terms.ult)(within, terms.sub(within, const(Q, 32))))
        self.check(by_upper_half(terms.add(x, const(Q, 32))))

    def test_fields_are_words_without_their_upper_bits(self):
        x = by_upper_half(self.a)
        word, residues = least(terms.ult)(x, terms.add(x, const(Q, 32))), Congruence(Q)
        self.assertTrue(residues.are_equal(extract(word, 25, 0), canonical(x)))
        self.assertFalse(residues.are_equal(extract(word, 25, 0), canonical(by_upper_half(terms.add(self.a, const(1, 32))))))
        self.assertFalse(residues.are_equal(extract(word, 26, 1), canonical(x)))

    def test_bits_are_their_own_squares(self):
        high, low = var("high", 1), var("low", 1)
        both, f = terms.and_(terms.not_(high), low), const(12345, 32)
        chosen = terms.ite(high, terms.ite(both, const(0, 32), f), terms.ite(both, const(0, 32), terms.neg(f)))
        product = terms.mul(terms.sub(zext(terms.concat(high, both), 32), const(1, 32)), f)
        residues = Congruence(Q)
        self.assertEqual(residues.of(chosen).polynomial, residues.of(product).polynomial)
        self.assertNotEqual(residues.of(chosen).polynomial, residues.of(terms.neg(product)).polynomial)

    def test_only_the_same_residues_are_equal(self):
        residues, x = Congruence(Q), canonical(reduced(self.a))
        other = canonical(reduced(terms.add(reduced(self.a), const(Q, 32))))
        self.assertTrue(residues.are_equal(x, other))
        self.assertFalse(residues.are_equal(x, canonical(reduced(terms.add(reduced(self.a), const(1, 32))))))
        self.assertFalse(residues.are_equal(x, reduced(self.a)))
        self.assertTrue(residues.are_congruent(x, reduced(self.a), Q))
        self.assertFalse(residues.are_congruent(x, reduced(self.a), Q // 2))

    def test_doubled_products_and_their_halves(self):
        a, b = self.a, self.b
        product = doubled_high(a, b)
        multiple = terms.mul(extract(terms.mul(sext(a, 64), sext(b, 64)), 31, 0), const(INVERSE, 32))
        self.assertIs(halved_difference(product, doubled_high(multiple, const(Q, 32))), montgomery(a, b))
        self.assertIs(terms.sub(a, terms.mul(rounded_shift(doubled_high(a, const(BARRETT, 32)), 1), const(Q, 32))), reduced(a))
        for _ in range(ROUNDS):
            given = self.given()
            x, y = signed(given["a"], 32), given[b.data]
            self.assertEqual(signed(terms.value(product, given), 32), 2 * x * y >> 32)
            self.assertEqual(signed(terms.value(doubled_high(a, a), given), 32), min(2 * x * x >> 32, 0x7FFFFFFF))
            self.assertEqual(signed(terms.value(halved_difference(a, b), given), 32), x - y >> 1)
            self.assertEqual(signed(terms.value(rounded_shift(a, 3), given), 32), x + 4 >> 3)

    def test_sums_of_doubled_products(self):
        a, b, factor = self.a, self.b, 12345
        low = terms.mul(a, b)
        products = [doubled_high(a, b), doubled_high(terms.mul(low, const(INVERSE, 32)), const(-Q, 32))]
        both = terms.mul(terms.add(low, terms.mul(b, const(factor, 32))), const(INVERSE, 32))
        sums = terms.add(products[0], doubled_high(b, const(factor, 32)))
        found = halved_sum(*products), rounded_shift(terms.sub(sums, doubled_high(both, const(Q, 32))), 1)
        self.assertIs(found[0], montgomery(a, b))
        for _ in range(ROUNDS):
            given = self.given()
            x, y = signed(given["a"], 32), given[b.data]
            one, two = x * y, x * y + factor * y
            multiples = [signed(number * INVERSE & 0xFFFFFFFF, 32) * Q for number in (one, two)]
            halves = ((2 * one >> 32) + (-2 * multiples[0] >> 32) + 1 >> 1,
                      (2 * one >> 32) + (2 * factor * y >> 32) - (2 * multiples[1] >> 32) + 1 >> 1)
            self.assertEqual(halves, ((one - multiples[0]) >> 32, (two - multiples[1]) >> 32))
            self.assertEqual(halves, tuple(signed(terms.value(term, given), 32) for term in found))
            self.assertEqual(signed(terms.value(halved_sum(a, b), given), 32), x + y + 1 >> 1)

    def test_what_is_shared_becomes_unknown(self):
        both = terms.xor(self.a, var("c", 32))
        first, second = without_shared(terms.add(both, const(3, 32)), terms.sub(both, const(5, 32)))
        self.assertIs(terms.sub(first, second), const(8, 32))
        self.assertEqual({one.kind for one in terms.ordered([first])}, {"linear", "var"})


if __name__ == "__main__":
    unittest.main()
