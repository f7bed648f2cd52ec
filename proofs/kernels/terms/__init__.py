"""Terms over bit vectors: variables, constants, and operations in a normal form."""
from proofs.kernels.terms.constructors import (
    RULES_OF_SUMS,
    add,
    and_,
    ashr,
    choose,
    concat,
    eq,
    extract,
    ite,
    linear,
    lshr,
    majority,
    mul,
    neg,
    not_,
    or_,
    ror,
    sext,
    shl,
    slt,
    sub,
    ult,
    xor,
    zext,
)
from proofs.kernels.terms.evaluation import draw_missing, value, values
from proofs.kernels.terms.high_words import join_high_halves, join_high_words, join_products
from proofs.kernels.terms.node import Term, bounds_of, const, is_const, ordered, signed, var
from proofs.kernels.terms.ranges import can_be, range_of

RULES_OF_SUMS.update({32: (join_high_words,), 64: (join_products, join_high_halves)})
__all__ = [
    "Term", "add", "and_", "ashr", "bounds_of", "can_be", "choose", "concat", "const", "draw_missing", "eq", "extract",
    "is_const", "ite", "linear", "lshr", "majority", "mul", "neg", "not_", "or_", "ordered", "range_of", "ror", "sext", "shl",
    "signed", "slt", "sub", "ult", "value", "values", "var", "xor", "zext",
]
