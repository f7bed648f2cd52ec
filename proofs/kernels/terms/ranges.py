"""Signed bounds of terms, as far as their form tells them."""
from functools import cache

from proofs.kernels.terms.node import Term, bounds_of, const, is_const, signed

Range = tuple[int, int]


def range_of(term: Term) -> Range | None:
    """Signed bounds, of what can be seen to have some: constants, variables, one of them behind zeros, sums, upper bits."""
    return _RANGES[term.kind](term) if term.kind in _RANGES else None


def _range_behind_zeros(term: Term) -> Range | None:
    if term.args[0] is not const(0, term.args[0].width):
        return _range_before_zeros(term)
    last = term.args[-1]
    is_low = len(term.args) == 2 and last.kind == "extract" and last.data[1] == 0
    of_source = bounds_of(last.args[0]) if is_low else None
    is_whole = of_source is not None and of_source[0] >= 0 and of_source[1] >> last.width == 0
    return of_source if is_whole else (0, (1 << (term.width - term.args[0].width)) - 1)


def _range_before_zeros(term: Term) -> Range | None:
    """The bounds of a variable that is shifted left, if no bit of it is lost."""
    first, zeros = term.args[0], term.args[-1]
    is_shifted = len(term.args) == 2 and zeros is const(0, zeros.width) and first.kind == "extract" and first.data[1] == 0
    found = bounds_of(first.args[0]) if is_shifted else None
    fits = found is not None and -(1 << (first.width - 1)) <= found[0] and found[1] < 1 << (first.width - 1)
    return (found[0] << zeros.width, found[1] << zeros.width) if fits else None


def _range_of_upper(term: Term) -> Range | None:
    found = range_of(term.args[0]) if term.data[0] == term.args[0].width - 1 else None
    return (found[0] >> term.data[1], found[1] >> term.data[1]) if found else None


@cache
def _range_of_sum(term: Term) -> Range | None:
    ranges = [range_of(one) for one in term.args]
    if None in ranges:
        return None
    ends = [sorted(signed(factor, term.width) * end for end in found) for found, factor in zip(ranges, term.data[1])]
    low, high = (signed(term.data[0], term.width) + sum(end[at] for end in ends) for at in (0, 1))
    return (low, high) if -(1 << (term.width - 1)) <= low and high < 1 << (term.width - 1) else None


def _range_of_word(term: Term) -> Range:
    return range_of(term.args[0]) or (-(1 << (term.args[0].width - 1)), (1 << (term.args[0].width - 1)) - 1)


_RANGES = {"const": lambda term: (signed(term.data, term.width),) * 2, "var": bounds_of, "concat": _range_behind_zeros,
           "sext": _range_of_word, "extract": _range_of_upper, "linear": _range_of_sum}


def can_be(term: Term, value: int) -> bool:
    """Whether a term may have a signed value: known of constants, and of variables with bounds."""
    low, high = (signed(term.data, term.width),) * 2 if is_const(term) else bounds_of(term) or (value, value)
    return low <= value <= high
