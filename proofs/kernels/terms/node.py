"""Terms over bit vectors: their nodes, of which equal ones are the same object."""
from dataclasses import dataclass, field


@dataclass(frozen=True, eq=False)
class Term:
    """A node; `data` is what its kind needs beside the arguments: a value, a name, a slice, coefficients."""

    kind: str
    width: int
    args: tuple["Term", ...] = ()
    data: object = None
    number: int = field(default=0, compare=False)

    def __repr__(self) -> str:
        return f"<{self.kind}{self.width} {self.data if self.data is not None else ''} {len(self.args)}>"


_known: dict[tuple, Term] = {}


def node(kind: str, width: int, args: tuple[Term, ...] = (), data: object = None) -> Term:
    """The only term of these parts."""
    key = kind, width, args, data
    found = _known.get(key)
    if found is None:
        found = _known[key] = Term(kind, width, args, data, len(_known))
    return found


def const(value: int, width: int) -> Term:
    """A constant; the value is taken modulo 2^width."""
    return node("const", width, (), value & ((1 << width) - 1))


_bounds: dict[Term, tuple[int, int]] = {}


def var(name: str, width: int, within: tuple[int, int] | None = None) -> Term:
    """A variable, free to have any value, or any within signed bounds, which the name must tell."""
    found = node("var", width, (), name)
    if within is not None:
        assert _bounds.setdefault(found, within) == within, f"{name} has other bounds"
    return found


def bounds_of(term: Term) -> tuple[int, int] | None:
    """The signed bounds of a variable that has some."""
    return _bounds.get(term)


def is_const(term: Term) -> bool:
    """Whether the term is a constant."""
    return term.kind == "const"


def signed(value: int, width: int) -> int:
    """The value of a pattern of bits in two's complement."""
    return value - (1 << width) if value >> (width - 1) else value


def ordered(terms: list[Term]) -> list[Term]:
    """All nodes of some terms, arguments first."""
    seen: set[Term] = set()
    stack, result = [(term, False) for term in reversed(terms)], []
    while stack:
        term, is_done = stack.pop()
        if is_done:
            result.append(term)
        elif term not in seen:
            seen.add(term)
            stack.append((term, True))
            stack.extend((arg, False) for arg in term.args)
    return result
