"""Rules that shorten sums of 32 and of 64 bits.

Two high words, and the carry of their low words, are the high word of one sum that is twice as wide. Processors without registers
of that width add so, each with another form of the carry; products of 64 bits are put together from four in the same way."""
from itertools import combinations

from proofs.kernels.terms.constructors import add, and_, concat, extract, is_high_word, ite, mul, not_, or_, sub, zext
from proofs.kernels.terms.node import Term, const


def join_high_words(factors: dict[Term, int]) -> None:
    """High words of two terms of 64 bits, and the carry of their low words, become the high word of their sum."""
    for carry in [one for one in factors if _is_carry(one)]:
        highs = {one.args[0]: one for one in factors if is_high_word(one)}
        found = _of_carry(carry, highs, factors)
        if found is not None:
            old = {carry, *(highs[wide] for wide in found if wide in highs)}
            _replace(factors, old, (extract(add(*found), 63, 32), factors[carry]))


def _of_carry(carry: Term, highs: dict[Term, Term], factors: dict[Term, int]) -> tuple[Term, Term] | None:
    """The terms of 64 bits whose low words have a carry, and whose high words are in a sum as often as it."""
    once = [wide for wide, high in highs.items() if factors[high] == factors[carry]]
    twice = [wide for wide, high in highs.items() if factors[high] == 2 * factors[carry]]
    return _carried(carry.args[1], once) or _doubled(carry.args[1], twice)


def _replace(factors: dict[Term, int], old: set[Term], new: tuple[Term, int]) -> None:
    """One summand in place of some."""
    for one in old:
        del factors[one]
    factors[new[0]] = factors.get(new[0], 0) + new[1]


def _doubled(carry: Term, wides: list[Term]) -> tuple[Term, Term] | None:
    """A term of 64 bits, twice, whose low word added to itself has this carry."""
    parts = _summands_of_carry(carry)
    if parts is None or parts[0] is not parts[1]:
        return None
    return next(((wide, wide) for wide in wides if extract(wide, 31, 0) is parts[0]), None)


def _carried(carry: Term, wides: list[Term]) -> tuple[Term, Term] | None:
    """Two terms of 64 bits whose low words have this carry; the second may be half of 2^32."""
    lows = {extract(wide, 31, 0): wide for wide in wides}
    if carry.kind == "extract":
        half = next((wide for wide in wides if extract(wide, 31, 31) is carry), None)
        if half is not None:
            return half, const(1 << 31, 64)
    parts = _summands_of_carry(carry)
    return tuple(lows[one] for one in parts) if parts and all(one in lows for one in parts) and parts[0] is not parts[1] else None


def _summands_of_carry(carry: Term) -> tuple[Term, Term] | None:
    """The words whose sum has a carry: as a comparison, or as bit 32 of a sum."""
    if carry.kind == "ult":
        return carry.args[1], sub(*carry.args)
    source = carry.args[0] if carry.kind == "extract" else carry
    if source.kind != "linear" or source.width != 33 or carry.data != (32, 32) or source.data != (0, (1, 1)):
        return None
    is_unsigned = all(extract(one, 32, 32) is const(0, 1) for one in source.args)
    return tuple(extract(one, 31, 0) for one in source.args) if is_unsigned else None


# High halves of products of 64 bits

def join_high_halves(factors: dict[Term, int]) -> None:
    """High halves of two terms of 128 bits, and the carry of their low halves, become the high half of their sum."""
    for carry in [one for one in factors if _is_carry(one)]:
        wides = {one.args[0]: one for one in factors if _is_high_half(one) and _is_multiple(factors[one], factors[carry])}
        found = next((pair for pair in combinations(wides, 2) if _carry_by_top_bits(*pair) is carry.args[1]), None)
        if found is not None:
            _replace(factors, {carry, *(wides[one] for one in found)}, (extract(add(*found), 127, 64), factors[carry]))


def _is_carry(term: Term) -> bool:
    """Whether a term is one bit behind others."""
    return term.kind == "concat" and len(term.args) == 2 and term.args[1].width == 1


def _is_high_half(term: Term) -> bool:
    """Whether a term is the upper half of one of 128 bits."""
    return term.kind == "extract" and (term.args[0].width, term.data) == (128, (127, 64))


def _carry_by_top_bits(a: Term, b: Term) -> Term:
    """The carry of the low halves, as programs without a flag for it compute it: by the top bits of both, and of the sum."""
    first, second = (extract(one, 63, 63) for one in (a, b))
    total = extract(add(extract(a, 63, 0), extract(b, 63, 0)), 63, 63)
    return or_(and_(or_(first, second), not_(total)), and_(first, second))


def join_products(factors: dict[Term, int]) -> None:
    """Four products of words, with their carries, become the high half of a product of 64 bits:

        low = a0 * b0,  middle = a1 * b0 + (low >> 32),  other = a0 * b1 + middle modulo 2^32
        high half = a1 * b1 + (middle >> 32) + (other >> 32)

    None of these sums is above 64 bits. They may have any factor in the sum that is searched."""
    for last in [one for one in factors if _before_shift(one) is not None]:
        found = _assembled(last, factors) if last in factors else None
        if found is not None:
            old, product = found
            _replace(factors, old, (extract(product, 127, 64), factors[last]))


def _is_multiple(factor: int, other: int, times: int = 1) -> bool:
    """Whether a factor of words of 64 bits is a multiple of another one."""
    return (factor - other * times) & ((1 << 64) - 1) == 0


def _before_shift(term: Term) -> Term | None:
    """The term of 64 bits whose upper word a term is, behind zeros."""
    is_upper = term.kind == "concat" and len(term.args) == 2 and term.args[0] is const(0, 32) and is_high_word(term.args[1])
    return term.args[1].args[0] if is_upper else None


def _assembled(last: Term, factors: dict[Term, int]) -> tuple[set[Term], Term] | None:
    """Summands that are the high half of a product, and the product of 128 bits; the last carry is given."""
    other, times = _before_shift(last), factors[last]
    for second in [one for one in factors if one is not last and _is_multiple(factors[one], times)]:
        words = _words_by_carries(other, _before_shift(second))
        top = _top_product(words, factors, times) if words is not None else None
        if top is not None:
            return {last, second, *top}, mul(*(zext(_whole(*word), 128) for word in (words[:2], words[2:])))
    return None


def _words_by_carries(other: Term, middle: Term | None) -> tuple[Term, Term, Term, Term] | None:
    """The words a1, a0, b1, b0 of both of these sums, if they have this form."""
    cross = None if middle is None else _pair(sub(other, zext(extract(middle, 31, 0), 64)))
    for carried in middle.args if cross is not None and middle.kind == "linear" else ():
        low, first = _before_shift(carried), _pair(sub(middle, carried))
        words = _words_of(_pair(low), first, cross) if low is not None and first is not None else None
        if words is not None:
            return words
    return None


def _pair(term: Term) -> tuple[Term, Term] | None:
    """The two words, or the word and the constant, whose product a term of 64 bits is."""
    if term.kind == "mul":
        words = [_unsigned_word(one) for one in term.args]
        return None if None in words else tuple(words)
    if term.kind != "linear" or len(term.args) > 1 or term.data[0] or term.data[1][0] >> 32:
        return None
    word = _unsigned_word(term.args[0])
    return None if word is None else (word, const(term.data[1][0], 32))


def _unsigned_word(term: Term) -> Term | None:
    """The word that zeros extend to 64 bits."""
    return extract(term, 31, 0) if extract(term, 63, 32) is const(0, 32) else None


def _words_of(low: tuple | None, first: tuple, cross: tuple) -> tuple[Term, Term, Term, Term] | None:
    """The words a1, a0, b1, b0 of low = a0 * b0, first = a1 * b0 and cross = a0 * b1."""
    for low_a, low_b in (low, low[::-1]) if low is not None else ():
        if low_b in first and low_a in cross:
            high_a, high_b = (pair[1 - pair.index(one)] for pair, one in ((first, low_b), (cross, low_a)))
            return high_a, low_a, high_b, low_b
    return None


def _top_product(words: tuple, factors: dict[Term, int], times: int) -> set[Term] | None:
    """The summand that is the product of the upper words; none where that is zero."""
    product = mul(zext(words[0], 64), zext(words[2], 64))
    if product is const(0, 64):
        return set()
    one, factor = (product.args[0], product.data[1][0]) if product.kind == "linear" else (product, 1)
    is_alone = product.kind != "linear" or len(product.args) == 1 and not product.data[0]
    is_there = is_alone and one in factors and _is_multiple(factors[one], times, factor)
    return {one} if is_there else None


def _whole(high: Term, low: Term) -> Term:
    """Both words of a term; of two choices by one condition, a choice."""
    if high.kind == low.kind == "ite" and high.args[0] is low.args[0]:
        return ite(high.args[0], *(_whole(*each) for each in zip(high.args[1:], low.args[1:])))
    return concat(high, low)
