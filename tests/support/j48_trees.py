"""J48's trees by the naive version, and compared with those of the kernels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from naive.j48_grow import Data, Node
from naive.j48_main import learn as naive_learn

from support.problems import Problem

NAIVE_NAMES = {
    "collapse": "collapsing",
    "subtree_raising": "raising",
    "binary_splits": "binary",
    "actual_thresholds": "actual_cut",
}


def naive_data(problem: Problem) -> Data:
    kept = [a for a, column in enumerate(problem.columns) if column is not None]
    columns = [np.array([math.nan if v is None else v for v in problem.columns[a]], dtype=float) for a in kept]
    return Data(columns, [problem.n_values[a] for a in kept], np.array(problem.classes), problem.n_classes)


def naive_tree(problem: Problem, options: dict, weights=None) -> Node:
    options = dict(options)
    prune = options.pop("prune", True)
    named = {NAIVE_NAMES.get(name, name): value for name, value in options.items()}
    return naive_learn(
        naive_data(problem), weights, unpruned=prune is False, reduced_error=prune == "reduced-error", **named
    )


def assert_same_tree(tree, naive: Node, kept: list[int]) -> None:
    """The same tests, classes and figures; sums may differ in the last bits where a fold was taken in another order."""
    waiting = [(0, naive, None)]
    n_nodes = 0
    while waiting:
        node, other, parent = waiting.pop()
        n_nodes += 1
        assert len(tree.branches(node)) == len(other.branches)
        assert tree.cases[node] == pytest.approx(other.cases, abs=1e-9)
        assert tree.arrays.counts[node].tolist() == pytest.approx(other.share.counts, abs=1e-9)
        expected = parent if other.is_empty and parent is not None else other.cls
        assert tree.best[node] == expected
        if not other.is_empty:
            assert tree.errors[node] == pytest.approx(other.errors, abs=1e-9)
        if other.test is None:
            continue
        assert tree.attribute[node] == kept[other.test.attribute]
        if other.test.kind == "threshold":
            assert tree.threshold[node] == other.test.cut
        elif other.test.kind == "one value":
            assert tree.groups(node)[0] == (other.test.value,)
        branches = tree.branches(node)
        waiting.extend((b, o, expected) for b, o in zip(branches, other.branches, strict=True))
    assert n_nodes == len(tree)
