"""Doubled products and their halves, as vector instructions of Arm have them.

sqdmulh gives the high word of twice a product; halves of differences, and rounded halves, of such words undo the doubling.
Kernels do so to reduce, so that these functions give the terms that other processors have for a reduction:

    floor((floor(2p / 2^w) - floor(2m / 2^w)) / 2) = floor(p / 2^w) - floor(m / 2^w)    where the low words of p and m are equal
    floor((floor(2p / 2^w) + 1) / 2) = floor((p + 2^(w-1)) / 2^w)
    floor((floor(2p / 2^w) + floor(2m / 2^w) + 1) / 2) = (p + m) / 2^w                where the low words of p and -m are equal
    floor((floor(2p / 2^w) + floor(2r / 2^w) - floor(2m / 2^w) + 1) / 2) = (p + r - m) / 2^w        where those of p + r and m are

The first holds since 2p and 2m leave the same remainder, so that the difference is (2p - 2m) / 2^w, twice a whole number. In the
others a sum of two floors may be one less than twice a whole number, which adding one mends. All are modulo 2^w, and the last one
asks that the sum of floors is a number of w bits. test/test_residues.py compares them with integers."""
from proofs.kernels import terms
from proofs.kernels.equality.products import Interval, Products
from proofs.kernels.terms import Term, const, extract, is_const, sext

# The product whose double has this high word, of words that do not saturate; and its bounds
_product_of: dict[Term, Term] = {}
_range_of: dict[Term, Interval] = {}
# Bounds of words
_bounds = Products({})


def least(width: int) -> Term:
    """The least signed number."""
    return const(1 << (width - 1), width)


def doubled_high(a: Term, b: Term) -> Term:
    """sqdmulh: the high word of twice a product, which saturates for the square of the least number alone."""
    width = a.width
    product = terms.mul(sext(a, 2 * width), sext(b, 2 * width))
    high = extract(terms.add(product, product), 2 * width - 1, width)
    ranges = [_bounds.interval(one) for one in (a, b)]
    if any(low > -(1 << (width - 1)) for low, _ in ranges):
        if not is_const(high):
            _product_of[high] = product
            corners = [x * y for x in ranges[0] for y in ranges[1]]
            _range_of[high] = min(corners), max(corners)
        return high
    is_least = terms.and_(terms.eq(a, least(width)), terms.eq(b, least(width)))
    return terms.ite(is_least, terms.not_(least(width)), high)


def halved_sum(a: Term, b: Term) -> Term:
    """rhadd: half of the sum, rounded up."""
    width, products = a.width, [_product_of.get(one) for one in (a, b)]
    if None not in products and extract(terms.add(*products), width - 1, 0) is const(0, width):
        return extract(terms.add(*products), 2 * width - 1, width)
    return extract(terms.add(sext(a, width + 1), sext(b, width + 1), const(1, width + 1)), width, 1)


def halved_difference(a: Term, b: Term) -> Term:
    """shsub: half of the difference."""
    width, products = a.width, [_product_of.get(one) for one in (a, b)]
    if None not in products and extract(products[0], width - 1, 0) is extract(products[1], width - 1, 0):
        return terms.sub(*(extract(one, 2 * width - 1, width) for one in products))
    return extract(terms.sub(sext(a, width + 1), sext(b, width + 1)), width, 1)


def rounded_shift(a: Term, by: int) -> Term:
    """srshr: a shift to the right, rounded to the nearest."""
    width = a.width
    if by == 1 and a in _product_of:
        return extract(terms.add(_product_of[a], const(1 << (width - 1), 2 * width)), 2 * width - 1, width)
    if by == 1 and (quotient := whole_quotient(a)) is not None:
        return quotient
    found = terms.range_of(a)
    if found is not None and found[1] + (1 << (by - 1)) < 1 << (width - 1):
        return terms.ashr(terms.add(a, const(1 << (by - 1), width)), by)
    wide = terms.add(sext(a, width + 1), const(1 << (by - 1), width + 1))
    return extract(terms.ashr(wide, by), width - 1, 0)


def whole_quotient(a: Term) -> Term | None:
    """(p + r - m) / 2^w of a sum of the high words of doubled products, if their low words cancel."""
    width, product = a.width, 2 * a.width
    parts = [(one, terms.signed(factor, width)) for one, factor in zip(a.args, a.data[1])] if a.kind == "linear" else []
    is_known = all(one in _product_of for one, _ in parts)
    if not is_known or sorted(factor for _, factor in parts) != [-1, 1, 1] or a.data[0]:
        return None
    total = terms.add(*(terms.mul(const(factor, product), _product_of[one]) for one, factor in parts))
    is_whole = extract(total, width - 1, 0) is const(0, width)
    return extract(total, product - 1, width) if is_whole and fits(parts, width) else None


def fits(parts: list[tuple[Term, int]], width: int) -> bool:
    """Whether a sum of high words is a number of so many bits. It is at most twice the quotient, and at least one less."""
    ends = [sorted(factor * end for end in _range_of[one]) for one, factor in parts]
    low, high = (2 * sum(end[at] for end in ends) >> width for at in (0, 1))
    return low - 1 >= -(1 << (width - 1)) and high < 1 << (width - 1)
