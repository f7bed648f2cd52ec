"""Values modulo a prime, doubled products, and terms without what they share, against integers."""
import random
import unittest
from collections.abc import Callable

from proofs.kernels import terms
from proofs.kernels.claims.of_long import PRIMES
from proofs.kernels.equality.congruence import Congruence, upper_products
from proofs.kernels.equality.shared import without_shared
from proofs.kernels.processors.saturation import doubled_high, halved_difference, halved_sum, rounded_shift
from proofs.kernels.processors.x86_vectors import least, rounded_high, with_sign
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


def at(polynomial: dict, given: dict[int, int], modulus: int = Q) -> int:
    """The value of a polynomial modulo the prime."""
    total = 0
    for key, factor in polynomial.items():
        for number in key:
            factor = factor * given[number] % modulus
        total += factor
    return total % modulus


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


class Long:
    """Arithmetic modulo a prime in words of 64 bits: without signs as AVX-512 has it, with signs as portable C has it."""

    def __init__(self, modulus: int):
        self.q, self.modulus, self.inverse = modulus, const(modulus, 64), const(pow(modulus, -1, 1 << 64), 64)
        self.half_multiple = const((1 << 63) - (1 << 63) % modulus, 64)

    def product(self, x: Term, w: int) -> Term:
        """x * w in 0 .. 4q."""
        quotient, _ = upper_products(x, (w << 64) // self.q)
        return terms.sub(terms.mul(x, const(w, 64)), terms.mul(quotient, self.modulus))

    def positive(self, x: Term, moved: Term) -> Term:
        """x, and x + moved + q where it is negative."""
        sign = extract(x, 63, 63)
        once = terms.ite(sign, terms.add(x, moved), x)
        return terms.ite(sign, terms.add(once, self.modulus), once)

    def lower(self, x: Term, times: int = 1) -> Term:
        """The lesser of x and x - times * q."""
        return least(terms.ult)(x, terms.sub(x, const(times * self.q, 64)))

    def canonical(self, x: Term) -> Term:
        """0 .. 8q to 0 .. q."""
        return self.lower(self.lower(self.lower(x, 4), 2))

    def high(self, a: Term, b: Term, wider=zext) -> Term:
        """The high half of a product."""
        return extract(terms.mul(wider(a, 128), wider(b, 128)), 127, 64)

    def montgomery(self, a: Term, b: Term) -> Term:
        """a * b / 2^64 in 0 .. 2q."""
        multiple = terms.mul(terms.mul(a, b), self.inverse)
        return terms.add(terms.sub(self.high(a, b), self.high(multiple, self.modulus)), self.modulus)

    def signed_montgomery(self, a: Term, b: Term) -> Term:
        """a * b / 2^64 within q."""
        multiple = terms.mul(terms.mul(a, b), self.inverse)
        return terms.sub(self.high(a, b, sext), self.high(multiple, self.modulus, sext))

    def signed_reduced(self, x: Term) -> Term:
        """x by Barrett's reduction, within 3q/4."""
        product = terms.mul(sext(x, 128), const(((1 << 65) // self.q + 1) // 2, 128))
        quotient = terms.add(extract(product, 127, 64), zext(extract(product, 63, 63), 64))
        return terms.sub(x, terms.mul(quotient, self.modulus))

    def signed_canonical(self, x: Term) -> Term:
        """x + q where x is negative."""
        return terms.add(x, terms.and_(self.modulus, sext(extract(x, 63, 63), 64)))


class LongResidues(unittest.TestCase):
    def setUp(self):
        self.draw, self.a = random.Random(5), var("long", 64)

    def both(self, q: int) -> tuple[Term, Term]:
        """A canonical residue, and one with a sign."""
        return var(f"b from 0 to {q - 1}", 64, (0, q - 1)), var(f"c from {1 - q} to {q - 1}", 64, (1 - q, q - 1))

    def given(self, q: int) -> dict[str, int]:
        edges = (0, 1, q - 1, q, (1 << 63) - 1, 1 << 63, (1 << 63) + 1, (1 << 64) - 1, (1 << 32) - 1, 1 << 32)
        b, c = (one.data for one in self.both(q))
        return {"long": self.draw.choice((self.draw.getrandbits(64), self.draw.choice(edges))),
                b: self.draw.choice((0, 1, q - 1, self.draw.randrange(q))),
                c: self.draw.choice((0, 1 - q, -1, q - 1, self.draw.randrange(1 - q, q))) & (1 << 64) - 1}

    def check(self, q: int, term: Term, exact: Callable[[int, int, int], int], most: int) -> None:
        """A term of numbers without a sign, below a bound, that is congruent to a function of the variables."""
        residues, (b, c) = Congruence(q, 64), self.both(q)
        value = residues.unsigned(term)
        self.assertTrue(value.low >= 0 and value.high < most, (q, value.low, value.high))
        for _ in range(ROUNDS):
            given = self.given(q)
            numbers = {one.number: signed(given[one.data], 64) for one in (self.a, b, c)}
            found = terms.value(term, given)
            self.assertTrue(value.low <= found <= value.high)
            self.assertEqual((found - exact(*numbers.values())) % q, 0)
            self.assertEqual(at(value.polynomial, numbers, q), found % q)

    def check_all(self, q: int) -> None:
        """All forms of numbers without a sign."""
        of, (b, c), inverse = Long(q), self.both(q), pow(2, -64, q)
        positive, factor = of.positive(self.a, of.half_multiple), terms.ite(extract(c, 63, 63), terms.add(c, of.modulus), c)
        reduced = of.product(positive, 1)
        self.check(q, positive, lambda a, b, c: a, 1 << 64)
        self.check(q, factor, lambda a, b, c: c, q)
        self.check(q, reduced, lambda a, b, c: a, 4 * q)
        self.check(q, of.lower(reduced, 2), lambda a, b, c: a, 2 * q)
        self.check(q, of.canonical(reduced), lambda a, b, c: a, q)
        self.check(q, of.montgomery(factor, b), lambda a, b, c: b * c * inverse, 2 * q)
        self.check(q, of.montgomery(reduced, const(q // 3, 64)), lambda a, b, c: a * (q // 3) * inverse, 2 * q)
        self.check(q, of.canonical(terms.add(reduced, of.montgomery(factor, b))), lambda a, b, c: a + b * c * inverse, q)
        self.check(q, of.product(b, q - 2), lambda a, b, c: -2 * b, 4 * q)
        # The quotient of a sum that is opened in the product
        opened = of.product(terms.add(b, of.modulus), q // 5)
        self.check(q, of.product(opened, q // 7), lambda a, b, c: (q // 5) * (q // 7) * b, 4 * q)
        self.check(q, of.product(of.lower(reduced, 4), q // 7), lambda a, b, c: q // 7 * a, 4 * q)

    def test_bounds_and_polynomials_of_words_without_signs_hold(self):
        for q in PRIMES:
            self.check_all(q)

    def test_words_without_signs_are_those_with_signs(self):
        for q in PRIMES:
            of, (b, c), residues = Long(q), self.both(q), Congruence(q, 64)
            canonical = of.canonical(of.product(of.positive(self.a, of.half_multiple), 1))
            product = of.canonical(of.montgomery(of.positive(c, const(0, 64)), b))
            self.assertTrue(residues.are_equal(canonical, of.signed_canonical(of.signed_reduced(self.a))))
            self.assertTrue(residues.are_congruent(canonical, of.signed_reduced(self.a), q))
            self.assertTrue(residues.are_equal(product, of.signed_canonical(of.signed_montgomery(c, b))))
            self.assertFalse(residues.are_equal(product, of.signed_canonical(of.signed_montgomery(b, b))))
            self.assertFalse(residues.are_equal(product, of.signed_montgomery(c, b)))

    def test_words_that_may_wrap_are_not_understood(self):
        for q in PRIMES:
            of, residues, a = Long(q), Congruence(q, 64), self.a
            x = of.positive(a, of.half_multiple)
            for term in (of.product(of.positive(a, of.modulus), 1), of.product(terms.add(x, x), 1),
                         terms.add(x, terms.add(of.half_multiple, of.modulus)), of.lower(of.positive(a, const(1, 64))),
                         terms.ite(extract(a, 63, 63), terms.add(a, of.half_multiple), a),
                         least(terms.ult)(x, terms.sub(x, const(q + 1, 64)))):
                self.assertNotEqual(residues.unsigned(term).polynomial, residues.unsigned(x).polynomial)

    def test_the_parts_that_a_quotient_leaves_out_are_bounded(self):
        for q in PRIMES:
            for w in (1, 2, q // 3, q - 1):
                term, part = upper_products(self.a, (w << 64) // q)
                for _ in range(ROUNDS):
                    given = self.given(q)
                    error = terms.value(term, given) - part.slope * given["long"]
                    self.assertTrue(part.low <= error <= part.high)


if __name__ == "__main__":
    unittest.main()
