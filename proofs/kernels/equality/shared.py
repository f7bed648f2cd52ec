"""Pairs of terms without what they share: a difference in the last steps is then a small question."""
from proofs.kernels import terms
from proofs.kernels.terms import Term, const, extract, var

BITWISE = {"and": terms.and_, "or": terms.or_, "xor": terms.xor, "maj": terms.majority}


def without_shared(a: Term, b: Term) -> tuple[Term, Term]:
    """Both terms, with a variable for each bitwise operation that both have: if these are equal for all values, the terms are."""
    nodes = set(terms.ordered([a])) & set(terms.ordered([b]))
    shared = {one: var(f"shared_{one.number}", one.width) for one in nodes if one.kind in BITWISE}
    return rebuilt(a, shared), rebuilt(b, shared)


def rebuilt(term: Term, replaced: dict[Term, Term]) -> Term:
    """A term with other terms in place of some."""
    done = dict(replaced)
    for one in terms.ordered([term]):
        if one not in done:
            done[one] = _made(one, [done[arg] for arg in one.args])
    return done[term]


def _made(term: Term, args: list[Term]) -> Term:
    match term.kind:
        case "const" | "var":
            return term
        case "linear":
            factors = (terms.mul(const(factor, term.width), arg) for factor, arg in zip(term.data[1], args))
            return terms.add(const(term.data[0], term.width), const(0, term.width), *factors)
        case "extract":
            return extract(args[0], *term.data)
        case "sext":
            return terms.sext(args[0], term.width)
        case kind if kind in BITWISE:
            return BITWISE[kind](*args)
        case _:
            return getattr(terms, term.kind)(*args)
