"""Decision trees on whole numbers."""
from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..models import Tree
from .estimators import TREE
from .numbers import quietly

_EXACT = 2**24  # scikit-learn's trees compare in single precision, which has the whole numbers up to here


def tree_of(model: Any, fitted: Any) -> Tree:
    """The tree, as the server walks it; refuses one that predicts something else."""
    tree = fitted.tree_
    if tree.n_outputs != 1 or len(fitted.classes_) > 256:
        raise InputError(f"model: a tree with {tree.n_outputs} outputs; allowed is one, with at most 256 classes")

    def node(at: int) -> dict[str, Any]:
        if tree.children_left[at] < 0:
            return {"leaf": int(np.argmax(tree.value[at][0]))}
        if not abs(tree.threshold[at]) < _EXACT:
            raise InputError(
                f"model: a tree with the threshold {tree.threshold[at]:.0f}; allowed is below 2^24, up to where scikit-learn "
                "tells whole numbers apart"
            )
        # x <= t of a whole number is x <= floor(t).
        return {
            "branch": {
                "feature": int(tree.feature[at]), "above": math.floor(tree.threshold[at]),
                "then": node(tree.children_right[at]), "otherwise": node(tree.children_left[at]),
            }
        }

    made = Tree(int(fitted.n_features_in_), node(0), tuple(fitted.classes_.tolist()))
    rows, leaves = map(np.asarray, zip(*_reached(made.root, np.tile([[-_EXACT], [_EXACT]], made.features))))
    if [made.classes[leaf] for leaf in leaves] != np.asarray(quietly(model.predict, rows)).tolist():
        raise InputError(f"model: {TREE} predicts something else than its tree says; allowed are models as they were fitted")
    return made


def _reached(node: dict[str, Any], bounds: NDArray[Any]) -> Iterator[tuple[NDArray[Any], int]]:
    """For each leaf, two corners of the whole numbers that reach it; ``bounds`` are the least and the largest numbers."""
    if (bounds[0] > bounds[1]).any():
        return
    if "leaf" in node:
        yield from ((corner, node["leaf"]) for corner in bounds)
        return
    branch = node["branch"]
    for side, bound, least in (("then", 0, branch["above"] + 1), ("otherwise", 1, branch["above"])):
        inside = bounds.copy()
        at = branch["feature"]
        inside[bound, at] = max(inside[bound, at], least) if bound == 0 else min(inside[bound, at], least)
        yield from _reached(branch[side], inside)
