"""Pruning by several threads, and with only the other cases passed down a branch that may be raised.

A pruner that keeps the order of the cases passes all of them, one node after the other; it is the one that is compared
with the naive version where values are unknown.
"""

import pytest
from support.problems import random_problem

from ctree_ext.grow.gain_ratio_grower import GainRatioGrower
from ctree_ext.prune.release8 import Pruner
from ctree_ext.prune.shared_pruning import prune_shared

N_CASES = 24_000  # enough for tasks


@pytest.fixture(scope="module", params=[0.15, 0.5], ids=["some noise", "much noise"])
def grown(request):
    table = random_problem(11, N_CASES, 3, [0, 0, 0, 5, 2, 10, 40], 0.0, noise=request.param).table()
    return table, GainRatioGrower(table).grow()


@pytest.mark.parametrize("confidence", [0.01, 0.25, 0.9])
def test_the_tree_is_the_same_for_any_number_of_threads(grown, confidence):
    table, tree = grown
    expected = Pruner(table, confidence=confidence, keep_order=True).prune(tree)
    assert len(expected.test) < len(tree.test)
    for n_threads in (1, 2, 3, 7):
        pruner = Pruner(table, confidence=confidence)
        assert prune_shared(pruner, tree, None, n_threads) == expected
        assert pruner.prune(tree) == expected  # it can be used again


def test_trees_that_are_not_shared(grown):
    table, tree = grown
    for settings in ({"subtree_raising": False}, {"keep_order": True}):
        assert prune_shared(Pruner(table, **settings), tree, None, 2) == Pruner(table, **settings).prune(tree)
    small = random_problem(1, 50, 2, [0, 3]).table()
    leaf = GainRatioGrower(small, min_cases=1000).grow()
    assert prune_shared(Pruner(small), leaf, None, 4) == Pruner(small).prune(leaf)
