"""Lanes of vector registers."""
from collections.abc import Callable

from proofs.kernels.terms import Term, concat, extract


def lanes(vector: Term, width: int) -> list[Term]:
    """The lanes of a vector, lowest first."""
    return [extract(vector, at + width - 1, at) for at in range(0, vector.width, width)]


def joined(found: list[Term]) -> Term:
    """A vector of lanes, lowest first."""
    return concat(*reversed(found))


def on_lanes(combine: Callable[..., Term], *sources: list[Term]) -> Term:
    """The vector of what an operation makes of each lane."""
    return joined([combine(*each) for each in zip(*sources, strict=True)])


def narrowed(found: list[Term], width: int, low: int) -> Term:
    """Some bits of each lane, from one on."""
    return joined([extract(one, low + width - 1, low) for one in found])
