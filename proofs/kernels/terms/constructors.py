"""Terms in a normal form.

A term is made by the functions below alone. They fold constants and rewrite to one form, so that two programs that do the same in
different instructions mostly give the same term: sums are linear combinations modulo 2^width; shifts, masks and rotations by
constants are concatenations of slices; bitwise operations are sorted. Every rewriting keeps the value for all values of the
variables (test/test_terms.py compares random ones with integers)."""
from collections import Counter
from collections.abc import Callable
from functools import cache, reduce

from proofs.kernels.terms.node import Term, bounds_of, const, is_const, node, signed
from proofs.kernels.terms.ranges import range_of

# Powers of two from this exponent on are shifts; smaller ones may be factors of a reduction.
LARGE = 16
# Rules that shorten sums, by width; each is given the factors of the terms. high_words.py has them.
RULES_OF_SUMS: dict[int, tuple[Callable[[dict[Term, int]], None], ...]] = {}


# Slices and concatenations

def _pieces(term: Term) -> tuple[Term, ...]:
    """The parts of a concatenation, highest first."""
    return term.args if term.kind == "concat" else (term,)


def concat(*parts: Term) -> Term:
    """Parts beside each other, highest first."""
    flat: list[Term] = []
    for part in (piece for one in parts for piece in _pieces(one)):
        joined = _join(flat[-1], part) if flat else None
        if joined is None:
            flat.append(part)
        else:
            flat[-1] = joined
    if len(flat) == 1:
        return flat[0]
    return node("concat", sum(part.width for part in flat), tuple(flat))


def _join(high: Term, low: Term) -> Term | None:
    """Two neighbours as one piece, if they are parts of one term."""
    if is_const(high) and is_const(low):
        return const(high.data << low.width | low.data, high.width + low.width)
    (source, top, first), (other, last, bottom) = _slice_of(high), _slice_of(low)
    if source is other and first == last + 1:
        return extract(source, top, bottom)
    if high.kind == low.kind and high.kind in _BITWISE and len(high.args) == len(low.args):
        return _join_bitwise(high, low)
    if high.kind == low.kind == "sext" and high.args[0] is low.args[0] and high.args[0].width == 1:
        return sext(high.args[0], high.width + low.width)
    if (high.kind, high.width, low.width) == ("linear", 32, 32):
        return _join_negative(high, low)
    return _join_narrower(high, low)


def _join_narrower(high: Term, low: Term) -> Term | None:
    """Slices of a sum or product: lower bits are those of a narrower one."""
    source, top, first = _slice_of(high)
    rest = first - low.width
    if high.kind != "extract" or rest < 0 or source.kind not in ("linear", "mul"):
        return None
    return extract(source, top, rest) if extract(source, first - 1, rest) is low else None


def _join_negative(high: Term, low: Term) -> Term | None:
    """Both words of the negative of a term of 64 bits."""
    for one in high.args:
        if is_high_word(one):
            negative = neg(one.args[0])
            if extract(negative, 31, 0) is low and extract(negative, 63, 32) is high:
                return negative
    return None


def is_high_word(term: Term) -> bool:
    """Whether a term is the upper half of one of 64 bits."""
    return term.kind == "extract" and (term.args[0].width, term.data) == (64, (63, 32))


def _join_bitwise(high: Term, low: Term) -> Term | None:
    """An operation on neighbouring slices of the same terms."""
    rest, joined = list(low.args), []
    for one in high.args:
        found = next(((other, both) for other in rest if (both := _join(one, other)) is not None), None)
        if found is None:
            return None
        rest.remove(found[0])
        joined.append(found[1])
    return _BITWISE[high.kind](*joined)


def _slice_of(term: Term) -> tuple[Term, int, int]:
    """The term that this is a slice of, and its bounds."""
    if term.kind == "extract":
        return term.args[0], *term.data
    return term, term.width - 1, 0


@cache
def extract(term: Term, high: int, low: int) -> Term:
    """Bits high .. low of a term."""
    width = high - low + 1
    if width == term.width:
        return term
    if is_const(term):
        return const(term.data >> low, width)
    within = bounds_of(term)
    if within is not None and high == low == term.width - 1 and (within[0] >= 0 or within[1] < 0):
        return const(within[1] < 0, 1)
    found = _INSIDE.get(term.kind, lambda *_: None)(term, high, low)
    return found if found is not None else node("extract", width, (term,), (high, low))


def _inside_extract(term: Term, high: int, low: int) -> Term:
    return extract(term.args[0], high + term.data[1], low + term.data[1])


def _inside_concat(term: Term, high: int, low: int) -> Term:
    parts, at = [], term.width
    for part in term.args:
        at -= part.width
        top, bottom = min(high, at + part.width - 1), max(low, at)
        if top >= bottom:
            parts.append(extract(part, top - at, bottom - at))
    return concat(*parts)


def _inside_sext(term: Term, high: int, low: int) -> Term:
    source = term.args[0]
    if high < source.width:
        return extract(source, high, low)
    if low >= source.width - 1:
        return sext(extract(source, source.width - 1, source.width - 1), high - low + 1)
    return sext(extract(source, source.width - 1, low), high - low + 1)


def _inside_bitwise(term: Term, high: int, low: int) -> Term:
    return _BITWISE[term.kind](*(extract(one, high, low) for one in term.args))


def _inside_linear(term: Term, high: int, low: int) -> Term | None:
    """The low bits of a sum are the sum of the low bits, and others are the top of those."""
    if low == 0:
        parts = [(extract(one, high, 0), factor) for one, factor in zip(term.args, term.data[1])]
        return _sum(parts, term.data[0], high + 1)
    if (found := _without_factor(term, high, low)) is not None:
        return found
    if (term.width, high, low) == (64, 63, 32):
        shifted = _shifted(term)
        return _high_word(term) if shifted is None else sext(extract(shifted[0], 31, 32 - shifted[1]), 32)
    if high == low == term.width - 1 and (found := range_of(term)) is not None and (found[0] >= 0 or found[1] < 0):
        return const(found[0] < 0, 1)
    return extract(extract(term, high, 0), high, low) if high < term.width - 1 else None


def _without_factor(term: Term, high: int, low: int) -> Term | None:
    """Bits of a sum with a large power of two in all factors, and of bits beside each other, shifted left."""
    every = reduce(int.__or__, term.data[1], term.data[0])
    by = (every & -every).bit_length() - 1
    is_sum = len(term.args) > 1 and by >= LARGE
    is_shifted = len(term.args) == 1 and term.args[0].kind == "concat" and not term.data[0] and every == 1 << by
    if by > low or not is_sum and not is_shifted:
        return None
    rest = [(extract(one, term.width - 1 - by, 0), value >> by) for one, value in zip(term.args, term.data[1])]
    return extract(_sum(rest, term.data[0] >> by, term.width - by), high - by, low - by)


def _shifted(term: Term) -> tuple[Term, int] | None:
    """A word, and by how many bits a term of 64 bits is that word shifted; of the shifts that are no reduction's."""
    by = term.data[1][0].bit_length() - 1
    is_shift = len(term.args) == 1 and term.data[1][0] == 1 << by and LARGE <= by < 32
    if not is_shift or not term.data[0] or term.data[0] & ((1 << by) - 1):
        return None
    added, word = signed(term.data[0], 64) >> by, extract(term.args[0], 31, 0)
    found = range_of(word) if sext(word, 64) is term.args[0] else None
    if found is None or not -(1 << 31) <= found[0] + added <= found[1] + added < 1 << 31:
        return None
    return add(word, const(added, 32)), by


def _high_word(term: Term) -> Term | None:
    """The high word of a negative, and of two summands whose low words cancel: that of Montgomery's reduction."""
    parts, constant = list(zip(term.args, term.data[1])), term.data[0]
    if len(parts) == 1 and not constant:
        if parts[0][1] <= 1 << 63:
            return None
        positive = neg(term)
        return sub(neg(extract(positive, 63, 32)), _is_not_zero(extract(positive, 31, 0)))
    if len(parts) < 2 or extract(term, 31, 0) is not const(0, 32):
        return None
    # The multiple of the prime was made last.
    last = max(range(len(parts)), key=lambda at: parts[at][0].number)
    one, rest = _sum([parts[last]], 0, 64), _sum(parts[:last] + parts[last + 1:], constant, 64)
    return _sum([(extract(one, 63, 32), 1), (extract(rest, 63, 32), 1), (_is_not_zero(extract(one, 31, 0)), 1)], 0, 32)


def _is_not_zero(word: Term) -> Term:
    """1 for all words but zero."""
    return ite(eq(word, const(0, 32)), const(0, 32), const(1, 32))


def _inside_mul(term: Term, high: int, low: int) -> Term | None:
    """The low bits of a product are those of the product of the low bits."""
    if not low:
        return mul(*(extract(one, high, 0) for one in term.args))
    return extract(extract(term, high, 0), high, low) if high < term.width - 1 else None


def _inside_ite(term: Term, high: int, low: int) -> Term:
    condition, yes, no = term.args
    return ite(condition, extract(yes, high, low), extract(no, high, low))


def zext(term: Term, width: int) -> Term:
    """Zeros in front."""
    return term if width == term.width else concat(const(0, width - term.width), term)


def sext(term: Term, width: int) -> Term:
    """Copies of the sign in front."""
    if width == term.width:
        return term
    if is_const(term):
        return const(signed(term.data, term.width), width)
    if term.kind == "sext":
        return sext(term.args[0], width)
    if term.kind == "concat" and is_const(term.args[0]) and term.args[0].data >> (term.args[0].width - 1) == 0:
        return zext(term, width)
    if term.kind == "linear" and not term.data[0] and term.data[1][0] > 1 << (term.width - 1):
        # The negative of the least number is itself.
        positive = neg(term)
        found = range_of(positive)
        if found is not None and found[0] > -(1 << (term.width - 1)):
            return neg(sext(positive, width))
        return ite(eq(positive, const(1 << (term.width - 1), term.width)), sext(positive, width), neg(sext(positive, width)))
    return node("sext", width, (term,))


# Sums and products

def _sum(parts: list[tuple[Term, int]], constant: int, width: int) -> Term:
    """A linear combination; sums inside of it are opened."""
    factors: dict[Term, int] = {}
    choices: dict[Term, int] = {}
    waiting = list(parts)
    while waiting:
        term, factor = waiting.pop()
        if (opened := _opened(term, factor)) is not None:
            constant += opened[0]
            waiting += opened[1]
        elif _is_choice(term):
            condition, yes, no = term.args
            constant += factor * no.data
            choices[condition] = choices.get(condition, 0) + factor * (yes.data - no.data)
        else:
            factors[term] = factors.get(term, 0) + factor
    for shorten in RULES_OF_SUMS.get(width, ()):
        shorten(factors)
    factors |= {node("ite", width, (condition, const(value, width), const(0, width))): 1
                for condition, value in choices.items() if value & ((1 << width) - 1)}
    return linear(factors, constant, width)


def _opened(term: Term, factor: int) -> tuple[int, list[tuple[Term, int]]] | None:
    """A summand as a constant and other summands, if it is a sum itself, or has the form of one."""
    width = term.width
    if is_const(term):
        return factor * term.data, []
    if term.kind == "linear":
        return factor * term.data[0], [(one, factor * times) for one, times in zip(term.args, term.data[1])]
    if _is_complement(term):
        # The complement of x is -x - 1.
        return -factor, [(not_(term), -factor)]
    if term.kind == "sext" and term.args[0].width == 1 and abs(signed(factor & ((1 << width) - 1), width)) > 1:
        return 0, [(ite(term.args[0], const(-factor, width), const(0, width)), 1)]
    shifted = _source_of_shift(term)
    return None if shifted is None else (0, [(shifted[0], factor << shifted[1])])


def _source_of_shift(term: Term) -> tuple[Term, int] | None:
    """The term that another one is, shifted left, and by how much."""
    if term.kind != "concat" or len(term.args) != 2 or term.args[1] is not const(0, term.args[1].width):
        return None
    source = _wider(term.args[0], term.args[1].width)
    return None if source is None else (source, term.args[1].width)


def _wider(term: Term, by: int) -> Term | None:
    """A term with the same low bits and more above, whatever they are; of slices and their sums."""
    return _WIDER[term.kind](term, by) if term.kind in _WIDER else None


def _all_wider(found: tuple[Term, ...], by: int) -> list[Term] | None:
    wider = [_wider(one, by) for one in found]
    return None if None in wider else wider


def _wider_slice(term: Term, by: int) -> Term | None:
    source, (high, low) = term.args[0], term.data
    if high + by >= source.width:
        source = _wider(source, by) if source.kind in ("linear", "mul") else None
    return None if source is None else extract(source, high + by, low)


def _wider_choice(term: Term, by: int) -> Term | None:
    wider = _all_wider(term.args[1:], by)
    return None if wider is None else ite(term.args[0], *wider)


def _wider_product(term: Term, by: int) -> Term | None:
    wider = _all_wider(term.args, by)
    return None if wider is None else mul(*wider)


def _wider_sum(term: Term, by: int) -> Term | None:
    wider, factors = _all_wider(term.args, by), [signed(factor, term.width) for factor in term.data[1]]
    return None if wider is None else _sum(list(zip(wider, factors)), signed(term.data[0], term.width), term.width + by)


_WIDER = {"const": lambda term, by: const(signed(term.data, term.width), term.width + by), "extract": _wider_slice,
          "sext": lambda term, by: sext(term.args[0], term.width + by), "ite": _wider_choice, "mul": _wider_product,
          "linear": _wider_sum}


def _is_complement(term: Term) -> bool:
    """Whether a term is the complement of a simpler one: ones or a complement in front, and such or constants behind."""
    pieces, ones = _pieces(term), [one.args[-1] if one.kind == "xor" else one for one in _pieces(term)]
    is_behind = all(is_const(one) for one in ones) and (len(pieces) > 1 or pieces[0].kind == "xor")
    return is_behind and ones[0].data + 1 == 1 << ones[0].width


def _is_choice(term: Term) -> bool:
    """Whether a term is one of two constants."""
    return term.kind == "ite" and is_const(term.args[1]) and is_const(term.args[2])


def linear(factors: dict[Term, int], constant: int, width: int) -> Term:
    """The sum of factor times term, and a constant, modulo 2^width."""
    mask = (1 << width) - 1
    kept = sorted(((term, factor & mask) for term, factor in factors.items() if factor & mask), key=lambda one: one[0].number)
    constant &= mask
    if not kept:
        return const(constant, width)
    if len(kept) == 1 and kept[0][1] == 1:
        if not constant:
            return kept[0][0]
        if _is_choice(kept[0][0]):
            condition, yes, no = kept[0][0].args
            return ite(condition, const(yes.data + constant, width), const(no.data + constant, width))
    return node("linear", width, tuple(term for term, _ in kept), (constant, tuple(factor for _, factor in kept)))


def add(*terms: Term) -> Term:
    """The sum; of terms that share no bit that can be one, their concatenation."""
    if len(terms) == 2 and (found := _disjoint(*terms)) is not None:
        return found
    return _sum([(term, 1) for term in terms], 0, terms[0].width)


def sub(a: Term, b: Term) -> Term:
    """The difference."""
    return _sum([(a, 1), (b, -1)], 0, a.width)


def neg(a: Term) -> Term:
    """The negative."""
    return _sum([(a, -1)], 0, a.width)


def mul(a: Term, b: Term) -> Term:
    """The product modulo 2^width."""
    if is_const(b):
        a, b = b, a
    if is_const(a):
        return _sum([(b, a.data)], 0, a.width)
    for one, other in ((a, b), (b, a)):
        if one.kind == "sext" and one.args[0].width == 1:
            return ite(one.args[0], neg(other), const(0, a.width))
    (factor, a), (other, b) = _without_sign(a), _without_sign(b)
    parts = sorted((a, b), key=lambda one: one.number)
    return _sum([(node("mul", a.width, tuple(parts)), factor * other)], 0, a.width)


def _without_sign(term: Term) -> tuple[int, Term]:
    """The factor of a multiple, or the sign of a sum that begins with a negative, and the rest."""
    if term.kind != "linear" or term.data[0]:
        return 1, term
    if len(term.args) == 1:
        return term.data[1][0], term.args[0]
    return (-1, neg(term)) if term.data[1][0] > 1 << (term.width - 1) else (1, term)


# Bitwise operations

def _cuts(a: Term, b: Term) -> list[tuple[int, int]]:
    """The slices into which the pieces of both terms cut each other, highest first."""
    edges = {a.width}
    for term in (a, b):
        at = term.width
        for piece in _pieces(term):
            at -= piece.width
            edges.add(at)
    ordered = sorted(edges, reverse=True)
    return [(high - 1, low) for high, low in zip(ordered, ordered[1:])]


def _has_const(term: Term) -> bool:
    return is_const(term) or term.kind == "concat" and any(map(is_const, term.args))


def _disjoint(a: Term, b: Term) -> Term | None:
    """The sum of terms without a common bit, piece by piece; None for others."""
    if not (_has_const(a) and _has_const(b)):
        return None
    parts = []
    for high, low in _cuts(a, b):
        first, second = extract(a, high, low), extract(b, high, low)
        if is_const(first) and first.data == 0:
            parts.append(second)
        elif is_const(second) and second.data == 0:
            parts.append(first)
        else:
            return None
    return concat(*parts)


def _fold(kind: str, a: Term, b: Term) -> Term:
    """Two operands, by the pieces of both and the runs of equal bits of constants."""
    if kind == "and" and (chosen := _of_sign(a, b) or _of_sign(b, a)) is not None:
        return chosen
    cuts = _edges(a, b)
    if len(cuts) > 1:
        return concat(*(_fold(kind, extract(a, high, low), extract(b, high, low)) for high, low in cuts))
    return _flat(kind, a, b)


def _edges(*operands: Term) -> list[tuple[int, int]]:
    """The slices into which operands fall by their pieces and constants, highest first."""
    constants = [one for one in operands if is_const(one)]
    if len(constants) == len(operands):
        return []
    return reduce(_common, [_runs(one) if is_const(one) else _cuts(one, one) for one in operands])


def _common(a: list[tuple[int, int]], b: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Slices that end where one of two lists of them does."""
    ends = sorted({low for _, low in (*a, *b)}, reverse=True)
    return [(high - 1, low) for high, low in zip([a[0][0] + 1, *ends], ends)]


def _of_sign(number: Term, sign: Term) -> Term | None:
    """A constant where all bits of a sign are set."""
    if not is_const(number) or sign.kind != "sext" or sign.args[0].width != 1:
        return None
    return ite(sign.args[0], number, const(0, number.width)) if 0 < number.data < (1 << number.width) - 1 else None


def _runs(term: Term) -> list[tuple[int, int]]:
    """The slices of equal bits of a constant, highest first."""
    cuts, top = [], term.width - 1
    for at in range(term.width - 1, -1, -1):
        if at == 0 or (term.data >> at & 1) != (term.data >> (at - 1) & 1):
            cuts.append((top, at))
            top = at - 1
    return cuts


_ON_CONSTANTS = {"and": int.__and__, "or": int.__or__, "xor": int.__xor__}


def _flat(kind: str, a: Term, b: Term) -> Term:
    """One sorted operation of all operands; a constant has equal bits here, or both operands are constants."""
    ones = (1 << a.width) - 1
    neutral = ones if kind == "and" else 0
    operands = [one for term in (a, b) for one in (term.args if term.kind == kind else (term,))]
    value = reduce(_ON_CONSTANTS[kind], (one.data for one in operands if is_const(one)), neutral)
    kept = _once(kind, operands)
    if not kept or (kind != "xor" and value == ones - neutral):
        return const(value, a.width)
    if value != neutral:
        kept.append(const(value, a.width))
    return kept[0] if len(kept) == 1 else node(kind, a.width, tuple(sorted(kept, key=_order)))


def _once(kind: str, operands: list[Term]) -> list[Term]:
    """Each operand once, but constants; pairs cancel in an exclusive or."""
    counts = Counter(one for one in operands if not is_const(one))
    return [one for one, count in counts.items() if kind != "xor" or count % 2]


def _order(term: Term) -> tuple[bool, int]:
    """Constants come last."""
    return is_const(term), term.number


def and_(*terms: Term) -> Term:
    """The bits that all have."""
    return reduce(lambda a, b: _fold("and", a, b), terms)


def or_(*terms: Term) -> Term:
    """The bits that any has."""
    return reduce(lambda a, b: _carry(a, b) or _carry(b, a) or _fold("or", a, b), terms)


def xor(*terms: Term) -> Term:
    """The bits that an odd number has."""
    return reduce(lambda a, b: _as_majority(_fold("xor", a, b)), terms)


def not_(a: Term) -> Term:
    """The other bits."""
    return xor(a, const(-1, a.width))


# Majorities: the carries of adders, which programs write in several ways

def majority(a: Term, b: Term, c: Term) -> Term:
    """The bits that at least two have."""
    if a is b or a is c:
        return a
    if b is c:
        return b
    cuts = _edges(a, b, c)
    if len(cuts) > 1:
        return concat(*(majority(*(extract(one, high, low) for one in (a, b, c))) for high, low in cuts))
    if any(map(is_const, (a, b, c))):
        return _fold("or", _fold("and", a, b), _fold("and", c, _fold("or", a, b)))
    return node("maj", a.width, tuple(sorted((a, b, c), key=_order)))


def choose(mask: Term, yes: Term, no: Term) -> Term:
    """The bits of one term where a mask has ones, of another elsewhere."""
    if any(map(_has_const, (mask, yes, no))):
        return or_(and_(mask, yes), and_(not_(mask), no))
    # Where the mask is zero, `no` and the exclusive or with it agree.
    return majority(no, xor(mask, no), yes)


def _carry(product: Term, other: Term) -> Term | None:
    """(a and b) or (c and (a xor b)), a carry."""
    if product.kind != "and" or other.kind != "and" or len(product.args) != 2:
        return None
    half = xor(*product.args)
    if half not in other.args or len(other.args) < 2:
        return None
    return majority(*product.args, and_(*(one for one in other.args if one is not half)))


def _as_majority(term: Term) -> Term:
    """a xor (a xor b) and (a xor c), a carry, too, if leaving out a makes both shorter."""
    if term.kind != "xor" or is_const(term.args[-1]):
        return term
    for product in term.args:
        if product.kind != "and" or len(product.args) != 2:
            continue
        rest = [one for one in term.args if one is not product]
        a = rest[0] if len(rest) == 1 else node("xor", term.width, tuple(rest))
        b, c = (_fold("xor", one, a) for one in product.args)
        if all(_summands(new) < _summands(old) for new, old in zip((b, c), product.args)):
            return majority(a, b, c)
    return term


def _summands(term: Term) -> int:
    """The number of terms of an exclusive or."""
    return len(term.args) if term.kind == "xor" else 1


# Shifts

def shl(a: Term, by: int) -> Term:
    """Left by a constant."""
    if by >= a.width:
        return const(0, a.width)
    return a if by == 0 else concat(extract(a, a.width - 1 - by, 0), const(0, by))


def lshr(a: Term, by: int) -> Term:
    """Right by a constant, zeros in front."""
    if by >= a.width:
        return const(0, a.width)
    return zext(extract(a, a.width - 1, by), a.width)


def ashr(a: Term, by: int) -> Term:
    """Right by a constant, copies of the sign in front."""
    return sext(extract(a, a.width - 1, min(by, a.width - 1)), a.width)


def ror(a: Term, by: int) -> Term:
    """Rotated right by a constant."""
    by %= a.width
    return a if by == 0 else concat(extract(a, by - 1, 0), extract(a, a.width - 1, by))


# Conditions: terms of one bit

def eq(a: Term, b: Term) -> Term:
    """Whether two terms are equal."""
    if a is b:
        return const(1, 1)
    difference = sub(a, b)
    if is_const(difference):
        return const(difference.data == 0, 1)
    if a.width == 1:
        return not_(xor(a, b))
    if difference.kind == "linear" and difference.data[1][0] > 1 << (a.width - 1):
        difference = neg(difference)
    return node("eq", 1, (difference, const(0, a.width)))


def ult(a: Term, b: Term) -> Term:
    """Whether a < b without signs."""
    if is_const(a) and is_const(b):
        return const(a.data < b.data, 1)
    if a is b:
        return const(0, 1)
    first, second = range_of(a), range_of(b)
    if first and second and min(first[0], second[0]) >= 0 and (first[1] < second[0] or second[1] <= first[0]):
        return const(first[1] < second[0], 1)
    if sub(a, b) is const(1 << (a.width - 1), a.width):
        # The carry of adding half of the range is the top bit.
        return extract(b, a.width - 1, a.width - 1)
    return node("ult", 1, (a, b))


def slt(a: Term, b: Term) -> Term:
    """Whether a < b with signs."""
    if is_const(a) and is_const(b):
        return const(signed(a.data, a.width) < signed(b.data, b.width), 1)
    if a is b:
        return const(0, 1)
    if is_const(b) and b.data == 0:
        return extract(a, a.width - 1, a.width - 1)
    found = _less_by_ranges(a, b)
    return found if found is not None else node("slt", 1, (a, b))


def _less_by_ranges(a: Term, b: Term) -> Term | None:
    """Whether a < b with signs, where the bounds decide it, or where the difference has the sign of the true one."""
    first, second = range_of(a), range_of(b)
    if first is None or second is None:
        return None
    if first[1] < second[0] or second[1] <= first[0]:
        return const(first[1] < second[0], 1)
    is_inside = first[0] - second[1] >= -(1 << (a.width - 1)) and first[1] - second[0] < 1 << (a.width - 1)
    return extract(sub(a, b), a.width - 1, a.width - 1) if is_inside else None


def ite(condition: Term, yes: Term, no: Term) -> Term:
    """One of two terms."""
    if is_const(condition):
        return yes if condition.data else no
    if yes is no or _agrees(condition, sub(yes, no)):
        return no
    return node("ite", yes.width, (condition, yes, no))


def _agrees(condition: Term, difference: Term) -> bool:
    """Whether a difference is once or twice what a condition says is zero."""
    if condition.kind != "eq" or condition.args[0].width != difference.width:
        return False
    zero = condition.args[0]
    return any(difference is mul(const(times, zero.width), zero) for times in (1, -1, 2, -2))


_BITWISE = {"and": and_, "or": or_, "xor": xor, "maj": majority}
_INSIDE = {"extract": _inside_extract, "concat": _inside_concat, "sext": _inside_sext, "and": _inside_bitwise,
           "or": _inside_bitwise, "xor": _inside_bitwise, "maj": _inside_bitwise, "linear": _inside_linear, "mul": _inside_mul,
           "ite": _inside_ite}
