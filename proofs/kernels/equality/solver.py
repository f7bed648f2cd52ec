"""Equality of terms for all values, by two solvers: each difference of a claim is given to Bitwuzla and to Z3."""
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import bitwuzla
import z3

from proofs.kernels.claim import Ends
from proofs.kernels.equality.congruence import Congruence
from proofs.kernels.equality.products import Products
from proofs.kernels.equality.shared import without_shared
from proofs.kernels.terms import Term, ordered, sub, zext

PROVED, REFUTED, OPEN = "proved", "refuted", "open"
# One of these answers to a script, in so many seconds
Solver = Callable[[str, float], str]
SECONDS_FOR_SHARED = 2


def of_linear(term: Term, args: list[str]) -> str:
    """A sum in SMT-LIB."""
    constant, factors = term.data
    parts = [one if factor == 1 else f"(bvneg {one})" if factor == (1 << term.width) - 1 else
             f"(bvmul (_ bv{factor} {term.width}) {one})" for one, factor in zip(args, factors)]
    parts += [f"(_ bv{constant} {term.width})"] if constant else []
    return parts[0] if len(parts) == 1 else f"(bvadd {' '.join(parts)})"


def compared(name: str) -> Callable[[Term, list[str]], str]:
    """A comparison in SMT-LIB, as one bit."""
    return lambda _, args: f"(ite ({name} {' '.join(args)}) #b1 #b0)"


def applied(name: str) -> Callable[[Term, list[str]], str]:
    """An operation in SMT-LIB."""
    return lambda _, args: f"({name} {' '.join(args)})"


TEXTS = {
    "const": lambda term, _: f"(_ bv{term.data} {term.width})",
    "extract": lambda term, args: f"((_ extract {term.data[0]} {term.data[1]}) {args[0]})",
    "sext": lambda term, args: f"((_ sign_extend {term.width - term.args[0].width}) {args[0]})",
    "ite": lambda _, args: f"(ite (= {args[0]} #b1) {args[1]} {args[2]})", "linear": of_linear,
    "eq": compared("="), "ult": compared("bvult"), "slt": compared("bvslt"), "concat": applied("concat"),
    "mul": applied("bvmul"), "and": applied("bvand"), "or": applied("bvor"), "xor": applied("bvxor"),
    "maj": lambda _, args: f"(bvor (bvand {args[0]} {args[1]}) (bvand {args[2]} (bvor {args[0]} {args[1]})))",
}


def script(pair: tuple[Term, Term], assumed: list[Term], bounds: dict[str, tuple[int, int]]) -> str:
    """The question whether a pair can differ."""
    names: dict[Term, str] = {}
    lines = ["(set-logic QF_BV)"]
    difference = sub(*pair)
    for term in ordered([difference, *assumed]):
        name = names[term] = f"t{term.number}"
        if term.kind == "var":
            lines.append(f"(declare-fun {name} () (_ BitVec {term.width}))")
            if term.data in bounds:
                low, high = (bound & ((1 << term.width) - 1) for bound in bounds[term.data])
                lines.append(f"(assert (and (bvsle (_ bv{low} {term.width}) {name}) (bvsle {name} (_ bv{high} {term.width}))))")
        else:
            text = TEXTS[term.kind](term, [names[one] for one in term.args])
            lines.append(f"(define-fun {name} () (_ BitVec {term.width}) {text})")
    lines += [f"(assert (= {names[one]} #b1))" for one in assumed]
    lines.append(f"(assert (distinct {names[difference]} (_ bv0 {difference.width})))")
    return "\n".join(lines)


def by_bitwuzla(text: str, seconds: float) -> str:
    """Bitwuzla's answer."""
    options = bitwuzla.Options()
    options.set(bitwuzla.Option.TIME_LIMIT_PER, int(1000 * seconds))
    manager = bitwuzla.TermManager()
    parser = bitwuzla.Parser(manager, options)
    parser.parse(text, True, False)
    found = parser.bitwuzla().check_sat()
    return PROVED if found == bitwuzla.Result.UNSAT else REFUTED if found == bitwuzla.Result.SAT else OPEN


def by_z3(text: str, seconds: float) -> str:
    """Z3's answer."""
    solver = z3.SolverFor("QF_BV")
    solver.set("timeout", int(1000 * seconds))
    solver.from_string(text)
    found = solver.check()
    return PROVED if found == z3.unsat else REFUTED if found == z3.sat else OPEN


SOLVERS: dict[str, Solver] = {"Bitwuzla": by_bitwuzla, "Z3": by_z3}


@dataclass(frozen=True)
class Verdict:
    """How a claim ended: `same` pairs were one term already, `congruent` ones the same residues, `asked` went to the solvers,
    whose answers to all follow."""

    same: int
    asked: int
    answers: dict[str, str]
    congruent: int = 0

    @property
    def is_proved(self) -> bool:
        """By the normal form alone, or by every solver."""
        return all(answer == PROVED for answer in self.answers.values())

    @property
    def is_proved_by_one(self) -> bool:
        """By one solver, while the other found no answer in time."""
        found = set(self.answers.values())
        return found == {PROVED, OPEN}


def decided(ends: Ends, seconds: float, solvers: Mapping[str, Solver] = SOLVERS) -> Verdict:
    """Decides pair by pair: first with products as unknowns, and where that is not enough with the products. A solver stops at
    the first pair that it does not prove."""
    different = [(a, b) for _, a, b in ends.pairs if a is not b]
    residues = Congruence(ends.prime, 64 if ends.prime >> 32 else 32)
    rest = [pair for pair in different if not are_residues(residues, pair, ends.bound)] if ends.prime else different
    answers = {}
    for name, ask in solvers.items() if rest else ():
        each = (answer(pair, ends, ask, seconds) for pair in rest)
        answers[name] = next((one for one in each if one != PROVED), PROVED)
    return Verdict(len(ends.pairs) - len(different), len(rest), answers, len(different) - len(rest))


def are_residues(residues: Congruence, pair: tuple[Term, Term], bound: int) -> bool:
    """Whether a pair are the same residues, canonical ones or others within a bound."""
    return residues.are_congruent(*pair, bound) if bound else residues.are_equal(*pair)


def answer(pair: tuple[Term, Term], ends: Ends, ask: Solver, seconds: float) -> str:
    """The answer of one solver to one pair."""
    if pair[0].width < pair[1].width:
        pair = zext(pair[0], pair[1].width), pair[1]
    smaller = without_shared(*pair)
    if smaller[0] is smaller[1] or ask(script(smaller, [], {}), SECONDS_FOR_SHARED) == PROVED:
        return PROVED
    products = Products(ends.bounds)
    lighter = tuple(map(products.without, pair))
    if lighter[0] is lighter[1]:
        return PROVED
    found = ask(script(lighter, products.facts, ends.bounds), seconds)
    if found == PROVED or not products.unknowns:
        return found
    return ask(script(pair, [], ends.bounds), seconds)
