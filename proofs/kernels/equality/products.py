"""Products as unknowns: what a solver need not multiply.

Montgomery's and Barrett's reductions differ between kernels in their additions, hardly in their products. Each product becomes a
variable of which the question keeps what follows from its factors: an interval, and the low word as a term of the low words.
Fewer facts than the truth make a proof harder, never wrong. test/test_products.py compares the facts with random numbers."""
from dataclasses import dataclass, field

from proofs.kernels import terms
from proofs.kernels.terms import Term, const, extract, is_const, signed

Interval = tuple[int, int]


def whole(width: int) -> Interval:
    """All signed numbers of a width."""
    return -(1 << (width - 1)), (1 << (width - 1)) - 1


def fits(found: Interval, width: int) -> Interval:
    """An interval, or all numbers if it leaves the width."""
    low, high = whole(width)
    return found if low <= found[0] and found[1] <= high else (low, high)


def unsigned_word(term: Term) -> Term | None:
    """The word of 32 bits that zeros extend to 64, unless its top bit is a zero, too; None for other terms."""
    is_extended = term.kind == "concat" and term.args[0] is const(0, 32)
    return extract(term, 31, 0) if term.width == 64 and is_extended else None


def of_linear(term: Term, args: list[Interval]) -> Interval:
    """Bounds of a sum."""
    constant = signed(term.data[0], term.width)
    ends = [sorted((low * signed(factor, term.width), high * signed(factor, term.width)))
            for (low, high), factor in zip(args, term.data[1])]
    return constant + sum(low for low, _ in ends), constant + sum(high for _, high in ends)


def of_product(_: Term, args: list[Interval]) -> Interval:
    """Bounds of a product."""
    corners = [a * b for a in args[0] for b in args[1]]
    return min(corners), max(corners)


def of_concat(term: Term, _: list[Interval]) -> Interval | None:
    """Bounds where zeros stand in front."""
    first = term.args[0]
    return (0, (1 << (term.width - first.width)) - 1) if is_const(first) and first.data == 0 else None


def of_slice(term: Term, args: list[Interval]) -> Interval | None:
    """Bounds of the high bits."""
    high, low = term.data
    return (args[0][0] >> low, args[0][1] >> low) if high == term.args[0].width - 1 else None


INTERVALS = {
    "const": lambda term, _: (signed(term.data, term.width),) * 2, "sext": lambda _, args: args[0], "linear": of_linear,
    "mul": of_product, "concat": of_concat, "extract": of_slice,
    "ite": lambda _, args: (min(args[1][0], args[2][0]), max(args[1][1], args[2][1])),
}


@dataclass
class Products:
    """Terms with unknowns in place of products, and the facts about them. `bounds` are those of variables."""

    bounds: dict[str, Interval]
    facts: list[Term] = field(default_factory=list)
    unknowns: dict[Term, Term] = field(default_factory=dict)
    intervals: dict[Term, Interval] = field(default_factory=dict)

    def interval(self, term: Term) -> Interval:
        """Signed bounds of a term."""
        for one in terms.ordered([term]):
            if one not in self.intervals:
                self.intervals[one] = fits(self._interval(one), one.width)
        return self.intervals[term]

    def _interval(self, term: Term) -> Interval:
        args = [self.intervals[one] for one in term.args]
        if term.kind == "var":
            return self.bounds.get(term.data) or terms.bounds_of(term) or whole(term.width)
        found = INTERVALS.get(term.kind, lambda *_: None)(term, args)
        return whole(term.width) if found is None else found

    def unknown(self, product: Term, form: Term) -> Term:
        """The variable of a product, with its facts; `form` is the product as it is defined."""
        if product not in self.unknowns:
            found = self.unknowns[product] = terms.var(f"product_{product.number}", product.width)
            low, high = self.interval(product)
            width = product.width
            if (low, high) != whole(width):
                self.facts += [terms.not_(terms.slt(found, const(low, width))), terms.not_(terms.slt(const(high, width), found))]
            if width > 32:
                self.facts.append(terms.eq(extract(found, 31, 0), self.without(extract(form, 31, 0))))
        return self.unknowns[product]

    def without(self, term: Term) -> Term:
        """The term with unknowns."""
        done: dict[Term, Term] = {}
        for one in terms.ordered([term]):
            done[one] = self._without(one, [done[arg] for arg in one.args])
        return done[term]

    def _without(self, term: Term, args: list[Term]) -> Term:
        match term.kind:
            case "const" | "var":
                return term
            case "mul":
                return self._signed(term)
            case "linear":
                parts = [self._times(one, arg, factor) for one, arg, factor in zip(term.args, args, term.data[1])]
                return terms.add(terms.add(*parts), const(term.data[0], term.width)) if len(parts) > 1 else terms.add(
                    parts[0], const(term.data[0], term.width))
            case "extract":
                return extract(args[0], *term.data)
            case "sext":
                return terms.sext(args[0], term.width)
            case "eq" | "ult" | "slt" | "ite" | "concat":
                return getattr(terms, term.kind)(*args)
            case _:
                return getattr(terms, {"and": "and_", "or": "or_", "maj": "majority"}.get(term.kind, term.kind))(*args)

    def _signed(self, product: Term) -> Term:
        """A product of two words of 64 bits by that of the words as signed numbers."""
        words = [unsigned_word(one) for one in product.args]
        if product.width != 64 or not any(words):
            return self.unknown(product, product)
        signed_args = [one if word is None else terms.sext(word, 64) for one, word in zip(product.args, words)]
        total = self.without(terms.mul(*signed_args))
        for word, other in zip(words, reversed(signed_args)):
            if word is not None:
                is_negative = extract(self.without(word), 31, 31)
                total = terms.add(total, terms.ite(is_negative, terms.shl(self.without(other), 32), const(0, 64)))
        return total

    def _times(self, original: Term, replaced: Term, factor: int) -> Term:
        """A term times a constant: an unknown, but for small multiples."""
        width = original.width
        times = signed(factor, width)
        if original.kind == "ite":
            condition, yes, no = original.args
            return terms.ite(self.without(condition), self.without(terms.mul(const(factor, width), yes)),
                             self.without(terms.mul(const(factor, width), no)))
        if original.kind == "sext" and original.args[0].width == 1:
            return terms.ite(self.without(original.args[0]), const(-factor, width), const(0, width))
        if width == 64 and (word := unsigned_word(original)) is not None:
            # An unsigned word is the signed one, and 2^32 where that is negative.
            carry = terms.ite(extract(self.without(word), 31, 31), const(factor << 32, 64), const(0, 64))
            wide = terms.sext(word, 64)
            return terms.add(self._times(wide, self.without(wide), factor), carry)
        if abs(times) < 16:
            return terms.mul(const(factor, width), replaced)
        product = terms.mul(const(abs(times), width), original)
        is_new = product not in self.unknowns
        found = self.unknown(product, product)
        if is_new and original.kind == "sext":
            self.at_least(original, replaced, found, abs(times))
        return terms.neg(found) if times < 0 else found

    def at_least(self, factor: Term, replaced: Term, found: Term, times: int) -> None:
        """The fact about a product whose factor is the least number, which has no negative."""
        width = factor.args[0].width
        least = const(-(1 << (width - 1)), width)
        is_least = terms.eq(extract(replaced, width - 1, 0), least)
        value = const(-times << (width - 1), found.width)
        self.facts.append(terms.or_(terms.not_(is_least), terms.eq(found, value)))
