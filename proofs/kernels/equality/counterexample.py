"""Values of variables for which a kernel and portable C differ.

Without one, a claim that is not proved may still be true. With one it is false, and whoever changed the kernel sees where."""
import random
from dataclasses import dataclass

from proofs.kernels.claim import Ends
from proofs.kernels.terms import draw_missing, signed, values

TRIES, SEED = 64, 1


@dataclass(frozen=True)
class Counterexample:
    """The name of a word, and what the kernel and portable C leave there."""

    name: str
    kernel: int
    reference: int


def counterexample(ends: Ends) -> Counterexample | None:
    """The first word that differs for some values that are drawn, edges among them; None if all of them agree."""
    source = random.Random(SEED)
    pairs = [(name, pair) for name, *pair in ends.pairs if pair[0] is not pair[1]]
    every = [term for _, pair in pairs for term in pair]
    for _ in range(TRIES if pairs else 0):
        given: dict[str, int] = {}
        draw_missing(given, every, source)
        found = values(every, given)
        for (name, pair), kernel, reference in zip(pairs, found[::2], found[1::2]):
            if kernel != reference and not are_congruent(ends, *map(signed, (kernel, reference), (term.width for term in pair))):
                return Counterexample(name, kernel, reference)
    return None


def are_congruent(ends: Ends, kernel: int, reference: int) -> bool:
    """Whether two words are representatives of one residue, of a claim that allows any within a bound."""
    return max(abs(kernel), abs(reference)) < ends.bound and (kernel - reference) % ends.prime == 0
