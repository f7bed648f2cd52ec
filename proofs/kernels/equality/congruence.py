"""Words modulo a prime: what a term is congruent to, and within which bounds.

Kernels leave residues in different representatives, and reduce them by different products, of which solvers know too little. Here
the value of a term, as a signed number, is followed exactly: an interval, and a polynomial over variables modulo the prime. A sum
of words has the value of the sum only while its interval fits the word; as a number without a sign, if it fits that. These forms
are known that are more than a sum:

    high word of p - high word of m, where their low words are equal: (p - m) / 2^32, without a remainder
    x - q * floor((x * b + c) / 2^32) = x * (1 - q*b / 2^32) - q * c / 2^32 + q * f with 0 <= f < 1: x modulo q
    x - q * floor((floor(x / 2) * b + c) / 2^32), likewise; x may have a bit more than the word
    x - q * r, where r is the upper half of x, multiplied and rounded more than once (RoundedPart)
    x * w - q * r, where r is the upper half of x * b without a sign, less the product of the low words and its carries, and b is
        floor(w * 2^64 / q): r is at most as much less than x * b / 2^64 as three parts that are left out (upper_products)
    x + q where x is negative; x - q or x + q, whichever is nearer to zero; x + c where x is negative, of a multiple c of q
    the lesser of x and x + q, or of x and x - q, without signs

Two words are equal if both are canonical and their polynomials are the same. test/test_residues.py compares intervals and
polynomials with random numbers."""
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from math import ceil, floor

from proofs.kernels import terms
from proofs.kernels.terms import Term, const, extract, is_const, signed, sub

# Products of variables, each a sorted tuple of their numbers, with factors modulo the prime
Polynomial = dict[tuple[int, ...], int]


@dataclass(frozen=True)
class Value:
    """Bounds of a number, and what it is congruent to."""

    low: int
    high: int
    polynomial: Polynomial

    def fits(self, width: int) -> bool:
        """Whether it is a signed number of so many bits."""
        return -(1 << (width - 1)) <= self.low and self.high < 1 << (width - 1)


@dataclass(frozen=True)
class RoundedPart:
    """A number that is slope * whole + error, with bounds of the error."""

    whole: Term
    slope: Fraction
    low: Fraction
    high: Fraction

    def times(self, factor: int, added: int) -> "RoundedPart":
        """factor * self + added."""
        low, high = sorted((factor * self.low + added, factor * self.high + added))
        return RoundedPart(self.whole, factor * self.slope, low, high)

    def without_bits(self, count: int) -> "RoundedPart":
        """Shifted right, rounded down."""
        unit = Fraction(1, 1 << count)
        return RoundedPart(self.whole, self.slope * unit, self.low * unit - 1 + unit, self.high * unit)


# A number less its quotient, by the number, the factor of the quotient and what is added to it
Taking = Callable[[Value, int, int], Value]


@dataclass
class Congruence:
    """Terms modulo a prime, whose words have so many bits. `large` are the values of words without a sign that are none with one,
    beside the unknown ones in `known`."""

    modulus: int
    word: int = 32
    known: dict[Term, Value] = field(default_factory=dict)
    large: dict[Term, Value] = field(default_factory=dict)
    bits: set[int] = field(default_factory=set)

    def of(self, term: Term) -> Value:
        """The value of a term as a signed number; of one that is not understood, only that it is one."""
        waiting = [term]
        while waiting:
            one = waiting[-1]
            missing = [] if one in self.known else [arg for arg in one.args if arg not in self.known]
            if not missing:
                waiting.pop()
            if not missing and one not in self.known:
                self.enter(one, self._found(one))
            waiting += missing
        return self.known[term]

    def enter(self, term: Term, found: Value | None) -> None:
        """Keeps what was found about a term."""
        if found is not None and not found.fits(term.width) and found.low >= 0 and found.high < 1 << term.width:
            self.large[term] = found
        self.known[term] = found if found is not None and found.fits(term.width) else self.unknown(term)

    def reading(self, term: Term) -> Value:
        """The value of a term with a sign, or without one where only that is understood: a summand of words."""
        value = self.of(term)
        return self.large.get(term, value)

    def unknown(self, term: Term) -> Value:
        """A term as a variable."""
        low, high = terms.bounds_of(term) or (-(1 << (term.width - 1)), (1 << (term.width - 1)) - 1)
        return Value(low, high, {(term.number,): 1})

    def _found(self, term: Term) -> Value | None:
        args = [self.known[one] for one in term.args]
        match term.kind:
            case "const":
                return self.constant(signed(term.data, term.width))
            case "sext":
                return args[0]
            case "concat" if term.args[0] is const(0, term.args[0].width):
                return self.unsigned(extract(term, term.width - term.args[0].width - 1, 0))
            case "extract" if term.data[0] == term.args[0].width - 1:
                return self.bounded(term, args[0].low >> term.data[1], args[0].high >> term.data[1])
            case "mul":
                return self.product(*args)
            case "ite":
                return self.choice(term, *args[1:])
            case "linear":
                return self.sum(term)
        return None

    def choice(self, term: Term, yes: Value, no: Value) -> Value:
        """One of two terms; the signed extension of a negative has this form, too."""
        if (word := word_of(term, self.word)) is not None:
            return self.of(word)
        for form in (self.lesser, self.lesser_without_sign, self.moved_where_negative):
            if (found := form(term, yes)) is not None:
                return found
        low, high = min(yes.low, no.low), max(yes.high, no.high)
        if (bit := self.bit(term.args[0])) is not None:
            difference = self.product(Value(0, 1, bit), self.plus(yes, no, -1))
            return Value(low, high, self.plus(no, difference).polynomial)
        return Value(low, high, yes.polynomial) if yes.polynomial == no.polynomial else self.bounded(term, low, high)

    def lesser(self, term: Term, first: Value) -> Value | None:
        """The lesser of x and x + c without signs, where c is a multiple of the prime: x + c only where x is negative, if c is
        positive, or at least -c, if x is no negative."""
        condition, x, other = term.args
        difference = sub(other, x)
        if condition.kind != "ult" or condition.args != (x, other) or not is_const(difference):
            return None
        c = signed(difference.data, term.width)
        border = 0 if c > 0 else -c
        fits = first.low >= -c and first.high + c < 1 << term.width if c > 0 else first.low >= 0
        if c % self.modulus or not fits:
            return None
        below, above = (first.low, min(first.high, border - 1)), (max(first.low, border), first.high)
        moved, left = (below, above) if c > 0 else (above, below)
        return united([left, (moved[0] + c, moved[1] + c)], [left, moved], first.polynomial)

    def lesser_without_sign(self, term: Term, _: Value) -> Value | None:
        """The lesser of x and x - c, where c is a multiple of the prime: x - c where x is at least c."""
        condition, yes, no = term.args
        difference = sub(no, yes)
        if condition.kind != "ult" or condition.args != (yes, no) or not is_const(difference):
            return None
        c = signed(difference.data, term.width)
        x, c = self.reading(no if c > 0 else yes), abs(c)
        if c % self.modulus or x.low < 0:
            return None
        below, above = (x.low, min(x.high, c - 1)), (max(x.low, c), x.high)
        return united([below, (above[0] - c, above[1] - c)], [below, above], x.polynomial)

    def moved_where_negative(self, term: Term, _: Value) -> Value | None:
        """x + c where x is negative, otherwise x + d, without signs: multiples of the prime that make it a number of the word."""
        condition, top = term.args[0], term.width - 1
        x = condition.args[0] if condition.kind == "extract" and condition.data == (top, top) else None
        if x is None or x.width != term.width:
            return None
        value = self.of(x)
        signs = (value.low, min(value.high, -1)), (max(value.low, 0), value.high)
        moved = [self.moved(sub(settled(one, condition, is_set), x), *ends)
                 for one, is_set, ends in zip(term.args[1:], (True, False), signs)]
        return None if None in moved else united(moved, list(signs), value.polynomial)

    def moved(self, distance: Term, low: int, high: int) -> tuple[int, int] | None:
        """An interval and a constant multiple of the prime, added without a carry to numbers without a sign."""
        if not is_const(distance):
            return None
        for by in (distance.data, distance.data - (1 << distance.width)):
            if by % self.modulus == 0 and (low > high or low + by >= 0 and high + by < 1 << distance.width):
                return low + by, high + by
        return None

    def unsigned(self, term: Term) -> Value:
        """A term read without a sign."""
        value = self.reading(term)
        if value.low < 0 and (bits := [self.bit(one) for one in bits_of(term)]) and None not in bits:
            total: Polynomial = {}
            for at, bit in enumerate(bits):
                total = self.plus(Value(0, 0, total), Value(0, 0, bit), 1 << at).polynomial
            return Value(0, (1 << term.width) - 1, total)
        return value if value.low >= 0 else Value(0, (1 << term.width) - 1, {(-1 - term.number,): 1})

    def bounded(self, term: Term, low: int, high: int) -> Value:
        """A variable with bounds."""
        return Value(low, high, {(term.number,): 1})

    def constant(self, value: int) -> Value:
        """A number."""
        return Value(value, value, self.reduced({(): value}))

    def reduced(self, polynomial: Polynomial) -> Polynomial:
        """Factors modulo the prime, without zeros."""
        return {key: factor % self.modulus for key, factor in polynomial.items() if factor % self.modulus}

    def product(self, a: Value, b: Value) -> Value:
        """The product."""
        corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        found: Polynomial = {}
        for one, first in a.polynomial.items():
            for other, second in b.polynomial.items():
                key = self.key(one + other)
                found[key] = found.get(key, 0) + first * second
        return Value(min(corners), max(corners), self.reduced(found))

    def key(self, numbers: tuple[int, ...]) -> tuple[int, ...]:
        """A product of variables; bits are their own squares."""
        if not self.bits:
            return tuple(sorted(numbers))
        once = self.bits.intersection(numbers)
        return tuple(sorted([*once, *(one for one in numbers if one not in once)]))

    def bit(self, term: Term) -> Polynomial | None:
        """The polynomial of one bit, if it is made of bits that are variables."""
        if term.width != 1 or term.kind not in ("var", "const", "and", "xor"):
            return None
        if term.kind == "var":
            self.bits.add(term.number)
            return {(term.number,): 1}
        if term.kind == "const":
            return self.constant(term.data).polynomial
        found = [self.bit(one) for one in term.args]
        if None in found:
            return None
        total = Value(0, 1, found[0])
        for one in found[1:]:
            other = Value(0, 1, one)
            both = self.product(total, other)
            total = both if term.kind == "and" else self.plus(self.plus(total, other), both, -2)
        return total.polynomial

    def plus(self, a: Value, b: Value, factor: int = 1) -> Value:
        """a + factor * b."""
        low, high = sorted((factor * b.low, factor * b.high))
        found = dict(a.polynomial)
        for key, other in b.polynomial.items():
            found[key] = found.get(key, 0) + factor * other
        return Value(a.low + low, a.high + high, self.reduced(found))

    # Sums

    def sum(self, term: Term) -> Value:
        """A sum, of which known forms are taken off one by one."""
        total = self.constant(0)
        while True:
            for form in (self.canonical, self.nearer_to_zero, self.barrett, self.rounded, self.approximated, self.montgomery):
                if (taken := form(term)) is not None:
                    value, term = taken
                    total = self.plus(total, value)
                    break
            else:
                return self.plus(total, self.plain(term))

    def plain(self, term: Term) -> Value:
        """A sum of what its terms are."""
        if term.kind != "linear":
            return self.reading(term)
        total = self.constant(signed(term.data[0], term.width))
        for one, factor in zip(term.args, term.data[1]):
            total = self.plus(total, self.reading(one), signed(factor, term.width))
        return total

    def canonical(self, term: Term) -> tuple[Value, Term] | None:
        """x + q where x is negative, or x and another multiple of q; nothing is left."""
        for one, factor in parts(term):
            multiple = multiple_where(one) if factor == 1 else None
            if multiple is None or multiple % self.modulus:
                continue
            rest = sub(term, one)
            if one.args[0] is extract(rest, rest.width - 1, rest.width - 1) and self.of(rest).fits(rest.width):
                value = self.of(rest)
                ends = [value.low + multiple, min(value.high, -1) + multiple] if value.low < 0 else []
                ends += [max(value.low, 0), value.high] if value.high >= 0 else []
                return Value(min(ends), max(ends), value.polynomial), const(0, rest.width)
        return None

    def nearer_to_zero(self, term: Term) -> tuple[Value, Term] | None:
        """x + q where x is negative, and x - q where it is positive: the one that explains most of the sum."""
        best = None
        for one, factor in parts(term):
            x = self.moved_to_zero(one) if factor == -1 else None
            rest = sub(terms.add(term, one), x) if x is not None else term
            if len(parts(rest)) < len(parts(best[1] if best else term)) and self.of(x).fits(x.width):
                best = x, rest
        if best is None:
            return None
        value, q = self.of(best[0]), self.modulus
        below, above = (value.low, min(value.high, -1)), (max(value.low, 1), value.high)
        moved = [(below[0] + q, below[1] + q), (above[0] - q, above[1] - q)]
        return united([*moved, (0, 0)], [below, above, (0, 0)], value.polynomial), best[1]

    def moved_to_zero(self, one: Term) -> Term | None:
        """The number whose sign the prime has here; zero stays zero."""
        if one.kind != "ite" or one.args[1] is not const(-self.modulus, one.width) or one.args[0].kind != "extract":
            return None
        x, top = one.args[0].args[0], one.width - 1
        zero, q = const(0, one.width), const(self.modulus, one.width)
        is_sign = x.width == one.width and one.args[0] is extract(x, top, top)
        return x if is_sign and one.args[2] is terms.ite(terms.eq(x, zero), zero, q) else None

    def rounded(self, term: Term) -> tuple[Value, Term] | None:
        """x - q * r, or its negative, where r is nearly x / q: the one that explains most of the sum."""
        best = None
        for one, factor in parts(term):
            found = self.rounded_part(one) if abs(factor) == self.modulus else None
            if found is None:
                continue
            sign, x = -factor // self.modulus, found.whole
            rest = sub(term, terms.add(terms.mul(const(factor, self.word), one), terms.mul(const(sign, self.word), x)))
            if len(parts(rest)) < len(parts(best[1] if best else term)):
                best = self.plus(self.constant(0), self.remainder(self.of(x), found), sign), rest
        return best

    def rounded_part(self, term: Term) -> RoundedPart | None:
        """The upper half of a word, multiplied, added to and shifted right, as long as nothing overflows."""
        match term.kind:
            case "sext":
                return self.rounded_part(term.args[0])
            case "extract" if term.data[0] == term.args[0].width - 1:
                return self.rounded_slice(term)
            case "linear" if len(term.args) == 1:
                found = self.rounded_part(term.args[0])
                if found is None:
                    return None
                result = found.times(signed(term.data[1][0], term.width), signed(term.data[0], term.width))
                x = self.of(found.whole)
                ends = [result.slope * x.low, result.slope * x.high]
                is_inside = Value(floor(min(ends) + result.low), ceil(max(ends) + result.high), {}).fits(term.width)
                return result if is_inside else None
        return None

    def rounded_slice(self, term: Term) -> RoundedPart | None:
        """Upper bits: of a word the upper half, or more of what it became."""
        source, low = term.args[0], term.data[1]
        if term.width == self.word // 2 and source.width in (self.word, 2 * self.word):
            upper = extract(source, source.width - 1, source.width - self.word)
            return RoundedPart(upper, Fraction(1), Fraction(0), Fraction(0)).without_bits(self.word // 2)
        found = self.rounded_part(source)
        return None if found is None else found.without_bits(low)

    def remainder(self, x: Value, quotient: RoundedPart, times: int = 1) -> Value:
        """times * x - q * quotient."""
        slope = times - self.modulus * quotient.slope
        ends = sorted((slope * x.low, slope * x.high))
        polynomial = {key: times * factor for key, factor in x.polynomial.items()}
        return Value(ceil(ends[0] - self.modulus * quotient.high), floor(ends[1] - self.modulus * quotient.low),
                     self.reduced(polynomial))

    def approximated(self, term: Term) -> tuple[Value, Term] | None:
        """x * w - q * r, where three products of words are the quotient r, or its negative: the one that explains most of the
        sum."""
        best, every = None, set(term.args)
        for x, factor in self.multiplied(term) if term.width == self.word == 64 else ():
            sign, w = (-1, -factor) if factor < 0 else (1, factor)
            quotient, part = upper_products(x, (w << 64) // self.modulus)
            if every.isdisjoint({quotient, *quotient.args}):
                continue
            rest = sub(term, terms.add(terms.mul(const(factor, 64), x), terms.mul(const(-sign * self.modulus, 64), quotient)))
            if len(parts(rest)) < len(parts(best[1] if best else term)):
                best = self.plus(self.constant(0), self.remainder(self.unsigned(x), part, w), sign), rest
        return best

    def multiplied(self, term: Term) -> list[tuple[Term, int]]:
        """Numbers and their factors that a quotient may belong to: summands, and numbers whose upper words are summands times a
        multiple of the prime, the upper half of the quotient's factor; such a number may be a sum that is opened in this one."""
        found, lows = [(one, factor) for one, factor in parts(term) if abs(factor) < self.modulus], defaultdict(list)
        for one, factor in parts(term):
            product = upper_factor(one) if abs(factor) == self.modulus else None
            if product is not None:
                lows[product[0]].append(product[1])
        for one, factor in parts(term):
            found += [(word_above(one), w) for low in lows.get(one, ()) for w in self.factors_of(factor, low)]
        return found

    def factors_of(self, factor: int, low: int) -> list[int]:
        """The factors that a number may have in a sum with its quotient: by the factor of its upper word there, and the low word
        of the quotient's own factor."""
        q, found = self.modulus, []
        for sign in (1, -1):
            high = -sign * factor * pow(q, -1, 1 << 64) & ((1 << 64) - 1)
            w = ((high << 32 | low) * q >> 64) + 1
            if high >> 32 == 0 and w < q:
                found.append(sign * w)
        return found

    def barrett(self, term: Term) -> tuple[Value, Term] | None:
        """x - q * floor((x * b + c) / 2^32), or its negative: the reduction that explains most of the sum. Half of 2^32 is also
        added as the top bit of the low word, to the quotient. Half of x may stand in place of x in the quotient."""
        best = None
        for one, factor in parts(term):
            wide = high_of(one, self.word)
            is_quotient = abs(factor) == self.modulus and wide is not None and wide.kind == "linear" and len(wide.args) == 1
            for x, take in self.numerators(wide) if is_quotient else ():
                value, rest = self.with_numerator(term, (one, factor), x, take)
                if len(parts(rest)) < len(parts(best[1] if best else term)):
                    best = value, rest
        return best

    def with_numerator(self, term: Term, quotient: tuple[Term, int], x: Term, take: Taking) -> tuple[Value, Term]:
        """x less a quotient, with its factor in a sum, and the rest of the sum."""
        one, factor = quotient
        wide, sign = high_of(one, self.word), -factor // self.modulus
        times, added = signed(wide.data[1][0], 2 * self.word), wide.data[0]
        whole = terms.mul(const(sign, self.word), extract(x, self.word - 1, 0))
        rest = sub(term, terms.add(terms.mul(const(factor, self.word), one), whole))
        rounding = terms.mul(const(factor, self.word), terms.zext(extract(wide, self.word - 1, self.word - 1), self.word))
        if not added and len(parts(sub(rest, rounding))) < len(parts(rest)):
            rest, added = sub(rest, rounding), 1 << (self.word - 1)
        return self.plus(self.constant(0), take(self.of(x), times, added), sign), rest

    def numerators(self, wide: Term) -> list[tuple[Term, Taking]]:
        """The numbers whose quotient a term of 64 bits may be, and what is left of each."""
        x = word_of(wide.args[0], self.word) if not wide.data[0] >> self.word else None
        doubled = None if x is None else doubled_of(x)
        found = [(x, self.quotient_taken), (doubled, self.quotient_of_half_taken)]
        return [(one, take) for one, take in found if one is not None]

    def quotient_taken(self, x: Value, times: int, added: int) -> Value:
        """x - q * floor((x * times + added) / 2^32)."""
        most = max(abs(x.low), abs(x.high)) * abs(1 - Fraction(self.modulus * times, 1 << self.word))
        least = -most - Fraction(self.modulus * added, 1 << self.word)
        return Value(ceil(least), floor(least + 2 * most + self.modulus), x.polynomial)

    def quotient_of_half_taken(self, x: Value, times: int, added: int) -> Value:
        """x - q * floor((floor(x / 2) * times + added) / 2^32), of a positive factor: the half is that of x or of x - 1."""
        most = max(abs(x.low), abs(x.high)) * abs(1 - Fraction(self.modulus * times, 1 << (self.word + 1)))
        least = -most - Fraction(self.modulus * added, 1 << self.word)
        lost = Fraction(self.modulus * times, 1 << (self.word + 1))
        return Value(ceil(least), floor(least + 2 * most + lost + self.modulus), x.polynomial)

    def montgomery(self, term: Term) -> tuple[Value, Term] | None:
        """The difference of two high words over equal low words, or their sum and one where low words cancel."""
        highs = [(one, factor, high_of(one, self.word)) for one, factor in parts(term) if high_of(one, self.word) is not None]
        for one, factor, p in highs:
            for other, opposite, m in highs:
                if other.number >= one.number or abs(factor) != abs(opposite):
                    continue
                sign = opposite // factor
                taken = whole_quotient(one, other, sign)
                rest = None if taken is None else sub(term, terms.mul(const(factor, self.word), taken))
                if rest is not None and len(parts(rest)) <= len(parts(term)) - len(parts(taken)):
                    exact = self.divided(self.plus(self.of(p), self.of(m), sign))
                    return self.plus(self.constant(0), exact, factor), rest
        return None

    def divided(self, value: Value) -> Value:
        """A multiple of 2^32, divided by that."""
        inverse = pow(1 << self.word, -1, self.modulus)
        return Value(ceil(Fraction(value.low, 1 << self.word)), floor(Fraction(value.high, 1 << self.word)),
                     self.reduced({key: factor * inverse for key, factor in value.polynomial.items()}))

    # Claims

    def are_equal(self, a: Term, b: Term) -> bool:
        """Whether both are congruent and canonical; of a field of fewer bits, the word that it is the lower bits of."""
        word = a if a.width == b.width else self.whole_of(a)
        values = [self.of(one) for one in (word, b)] if word is not None else []
        is_canonical = all(one.low >= 0 and one.high < self.modulus for one in values)
        return bool(values) and is_canonical and values[0].polynomial == values[1].polynomial

    def whole_of(self, field: Term) -> Term | None:
        """The word whose lower bits a field is. Upper bits of other canonical words, which are zero, may be among its bits."""
        pieces = field.args if field.kind == "concat" else (field,)
        parts_of = [piece.args if piece.kind == "or" else (piece,) for piece in pieces]
        words = {word_chosen(one) for parts_of_one in parts_of for one in parts_of_one} - {None}
        return next((word for word in words if self.is_field(word, field.width, pieces)), None)

    def is_field(self, word: Term, at: int, pieces: tuple[Term, ...]) -> bool:
        """Whether pieces are the lower bits of a word, zeros apart."""
        for piece in pieces:
            at -= piece.width
            expected = extract(word, at + piece.width - 1, at)
            others = [one for one in piece.args if one is not expected] if piece.kind == "or" else []
            is_there = piece is expected or len(others) + 1 == len(piece.args)
            if not is_there or not all(map(self.is_zero, others)):
                return False
        return True

    def is_zero(self, term: Term) -> bool:
        """Whether a term is upper bits of a word that has none of them."""
        word = word_chosen(term)
        value = self.of(word) if word is not None else None
        if value is None or value.low < 0:
            return False
        first = value.high.bit_length()
        return any(extract(word, low + term.width - 1, low) is term for low in range(first, word.width - term.width + 1))

    def are_congruent(self, a: Term, b: Term, bound: int) -> bool:
        """Whether both are congruent, and less than a bound."""
        values = self.of(a), self.of(b)
        is_bounded = all(-bound < one.low and one.high < bound for one in values)
        return is_bounded and values[0].polynomial == values[1].polynomial


def united(bounds: list[tuple[int, int]], sources: list[tuple[int, int]], polynomial: Polynomial) -> Value:
    """A value within one of some bounds, those whose source is not empty."""
    kept = [found for found, (low, high) in zip(bounds, sources) if low <= high]
    return Value(min(low for low, _ in kept), max(high for _, high in kept), polynomial)


def multiple_where(term: Term) -> int | None:
    """The constant, with a sign, that a term is where a condition holds, if it is zero elsewhere."""
    is_there = term.kind == "ite" and is_const(term.args[1]) and term.args[2] is const(0, term.width)
    return signed(term.args[1].data, term.width) if is_there else None


def word_above(term: Term) -> Term | None:
    """The number of 64 bits whose upper word a term is, behind zeros; also a choice by a comparison of both of its values."""
    if term.kind != "concat" or len(term.args) != 2 or term.args[0] is not const(0, 32):
        return None
    upper = term.args[1]
    source = upper.args[0] if upper.kind == "extract" else word_chosen(upper)
    return source if source is not None and source.width == 64 and extract(source, 63, 32) is upper else None


def upper_factor(term: Term) -> tuple[Term, int] | None:
    """The upper word of a number, behind zeros, and the constant that a term is the upper half of its product with."""
    product = word_above(term)
    is_product = product is not None and product.kind == "linear" and len(product.args) == 1 and not product.data[0]
    return (product.args[0], product.data[1][0]) if is_product and word_above(product.args[0]) is not None else None


def settled(term: Term, condition: Term, is_set: bool) -> Term:
    """A term where a condition is known, which choices and multiples of them may have."""
    if term.kind == "ite" and term.args[0] is condition:
        return settled(term.args[1 if is_set else 2], condition, is_set)
    if term.kind == "linear" and len(term.args) == 1:
        one = settled(term.args[0], condition, is_set)
        return terms.add(terms.mul(const(term.data[1][0], term.width), one), const(term.data[0], term.width))
    return term


@cache
def upper_products(x: Term, factor: int) -> tuple[Term, RoundedPart]:
    """The sum of the upper products of words of x * factor, without their low parts, where x has 64 bits and no sign: with
    x = a1 * 2^32 + a0 and factor = b1 * 2^32 + b0, a1 * b1 + (a1 * b0 >> 32) + (a0 * b1 >> 32)."""
    high, low = factor >> 32, factor & 0xFFFFFFFF
    upper, lower = (terms.zext(one, 64) for one in (extract(x, 63, 32), extract(x, 31, 0)))
    middle = [terms.lshr(terms.mul(*each), 32) for each in ((upper, const(low, 64)), (lower, const(high, 64)))]
    total = terms.add(terms.add(terms.mul(upper, const(high, 64)), middle[0]), middle[1])
    # Left out are two parts below 1 in units of 2^-32, and the product of the lower words.
    most = 2 * Fraction((1 << 32) - 1, 1 << 32) + Fraction(((1 << 32) - 1) * low, 1 << 64)
    return total, RoundedPart(x, Fraction(factor, 1 << 64), -most, Fraction(0))


def parts(term: Term) -> list[tuple[Term, int]]:
    """The terms of a sum, with signed factors."""
    if term.kind != "linear":
        return [] if is_const(term) else [(term, 1)]
    return [(one, signed(factor, term.width)) for one, factor in zip(term.args, term.data[1])]


def word_of(term: Term, width: int) -> Term | None:
    """The word that a longer term is the signed extension of; that of a negative has a form of its own."""
    if term.width <= width:
        return None
    word = extract(term, width - 1, 0)
    return word if terms.sext(word, term.width) is term else None


def doubled_of(word: Term) -> Term | None:
    """The sum of a bit more than a word whose upper bits a word is, so that it is half of the sum."""
    is_half = word.kind == "extract" and word.data == (word.width, 1) and word.args[0].kind == "linear"
    return word.args[0] if is_half else None


def whole_quotient(one: Term, other: Term, sign: int) -> Term | None:
    """The term for (p + sign * m) / 2^32 by high words of p and m, if their low words cancel: then their sum has a carry, but
    where both are zero."""
    width = one.width
    low, second = (extract(high_of(word, width), width - 1, 0) for word in (one, other))
    if sign < 0:
        return sub(one, other) if low is second else None
    is_zero = terms.ite(terms.eq(low, const(0, width)), const(0, width), const(1, width))
    return terms.add(terms.add(one, other), is_zero) if terms.add(low, second) is const(0, width) else None


def high_of(term: Term, width: int) -> Term | None:
    """The term of two words whose high word this is; also a word's, extended, of which it is the sign."""
    if term.kind == "sext" and term.args[0].kind == "extract" and term.args[0].data == (width - 1, width - 1):
        source = term.args[0].args[0]
        return terms.sext(source, 2 * width) if source.width == width else None
    is_high = term.kind == "extract" and term.data == (2 * width - 1, width) and term.args[0].width == 2 * width
    return term.args[0] if is_high else None


def bits_of(term: Term) -> list[Term]:
    """The bits of a short term, lowest first; none of longer ones, which are no symbols."""
    return [extract(term, at, at) for at in range(term.width)] if term.width <= 2 else []


def word_chosen(term: Term) -> Term | None:
    """The word whose bits a choice is, by a comparison of both of its values."""
    condition = term.args[0] if term.kind == "ite" else None
    return terms.ite(condition, *condition.args) if condition is not None and condition.kind == "ult" else None
