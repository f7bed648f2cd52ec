"""The values of terms for values of their variables."""
import random
from functools import reduce

from proofs.kernels.terms.node import Term, bounds_of, ordered, signed

Values = dict[str, int]


def value(term: Term, given: Values) -> int:
    """The value of a term for values of its variables."""
    return values([term], given)[0]


def values(of: list[Term], given: Values) -> list[int]:
    """The values of some terms for values of their variables."""
    found: dict[Term, int] = {}
    for one in ordered(of):
        mask = (1 << one.width) - 1
        found[one] = _EVALUATE[one.kind](one, [found[arg] for arg in one.args], given) & mask
    return [found[term] for term in of]


def draw_missing(given: Values, of: list[Term], source: random.Random) -> None:
    """Draws values of the variables that have none, within their bounds. Every second one is at an edge."""
    for one in ordered(of):
        if one.kind == "var" and one.data not in given:
            low, high = bounds_of(one) or (-(1 << (one.width - 1)), (1 << (one.width - 1)) - 1)
            edges = [edge for edge in (low, -1, 0, 1, high) if low <= edge <= high]
            drawn = source.choice(edges) if source.getrandbits(1) else source.randint(low, high)
            given[one.data] = drawn & ((1 << one.width) - 1)


def _value_concat(term: Term, args: list[int], _: dict) -> int:
    result = 0
    for part, bits in zip(term.args, args):
        result = result << part.width | bits
    return result


_EVALUATE = {
    "const": lambda term, args, given: term.data,
    "var": lambda term, args, given: given[term.data],
    "concat": _value_concat,
    "extract": lambda term, args, given: args[0] >> term.data[1],
    "sext": lambda term, args, given: signed(args[0], term.args[0].width),
    "linear": lambda term, args, given: term.data[0] + sum(a * factor for a, factor in zip(args, term.data[1])),
    "mul": lambda term, args, given: args[0] * args[1],
    "and": lambda term, args, given: reduce(lambda a, b: a & b, args),
    "or": lambda term, args, given: reduce(lambda a, b: a | b, args),
    "xor": lambda term, args, given: reduce(lambda a, b: a ^ b, args),
    "maj": lambda term, args, given: args[0] & args[1] | args[2] & (args[0] | args[1]),
    "eq": lambda term, args, given: args[0] == args[1],
    "ult": lambda term, args, given: args[0] < args[1],
    "slt": lambda term, args, given: signed(args[0], term.args[0].width) < signed(args[1], term.args[1].width),
    "ite": lambda term, args, given: args[1] if args[0] else args[2],
}
