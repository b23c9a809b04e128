"""Trees of the learners in the words of the naive probability trees and Bayesian trees, and compared with them."""

from __future__ import annotations

import pytest
from naive import candidate_tests

from ctree.tree import tree as trees
from ctree.tree.tree import Tree
from support.problems import Problem


def naive_data(problem: Problem, weights=None, cuts=None) -> candidate_tests.Data:
    return candidate_tests.Data(problem.columns, problem.n_values, problem.classes, problem.n_classes, weights, cuts)


def asked(tree: Tree, node: int) -> candidate_tests.Test:
    """The test of a node in the naive version's words."""
    attribute = int(tree.attribute[node])
    n_values = len(tree.schema[attribute].values)
    if tree.test[node] == trees.Test.THRESHOLD:
        return candidate_tests.Test("threshold", attribute, 0, cut=float(tree.threshold[node]))
    if tree.test[node] == trees.Test.GROUPS:
        return candidate_tests.Test("one value", attribute, n_values, value=tree.groups(node)[0][0])
    return candidate_tests.Test("values", attribute, n_values)


def assert_same(tree: Tree, naive: candidate_tests.Node) -> None:
    """The same tests at the same places, and the same class counts but for the last bits."""
    waiting = [(0, naive)]
    n_nodes = 0
    while waiting:
        node, other = waiting.pop()
        n_nodes += 1
        assert tree.class_counts[node].tolist() == pytest.approx(other.counts, abs=1e-9)
        assert len(tree.branches(node)) == len(other.branches)
        if other.test is None:
            continue
        test = asked(tree, node)
        # one of two values against the other is a branch for each
        kinds = {"one value": "values"} if other.test.n_values == 2 else {}
        assert test.kind == kinds.get(other.test.kind, other.test.kind)
        assert test.attribute == other.test.attribute
        if test.kind == "threshold":
            assert test.cut == pytest.approx(other.test.cut, rel=1e-12, abs=1e-300)
        elif test.kind == "one value":
            assert test.value == other.test.value
        waiting.extend(zip(tree.branches(node), other.branches, strict=True))
    assert n_nodes == tree.n_nodes


def placed(tree: Tree) -> dict:
    """The tests of a tree by the way to them."""
    ways = {0: ()}
    result = {}
    for node in range(tree.n_nodes):
        if tree.branches(node):
            result[ways[node]] = asked(tree, node)
            ways |= {branch: (*ways[node], number) for number, branch in enumerate(tree.branches(node))}
    return result
