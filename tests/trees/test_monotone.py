"""The least change that makes the leaves of a tree monotone, against the max-min formula over all sets of leaves."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from naive import monotone as naive
from support.problems import random_problem

from ctree import ProbabilityTreeClassifier
from ctree.tree.monotone import monotone_values


def a_tree(seed, most_leaves=6):
    """A tree with tests of numbers, of values and of one value."""
    rng = np.random.default_rng(seed)
    problem = random_problem(seed, int(rng.integers(6, 40)), 2, [0, 0, int(rng.integers(2, 4))], noise=0.4)
    model = ProbabilityTreeClassifier(binary_splits=bool(rng.integers(2)), min_cases=1).fit(problem.dataset())
    for alpha in (0.0, 1.0, 2.0, 4.0, 100.0):
        tree = model.pruned("cost-complexity", alpha=alpha).tree_
        if tree.n_leaves <= most_leaves:
            return tree
    raise AssertionError


directions = st.tuples(st.sampled_from([-1, 0, 1]), st.sampled_from([-1, 0, 1]), st.just(0))


@settings(deadline=None, max_examples=120)
@given(st.integers(0, 10**6), directions, st.data())
def test_the_change_is_the_least(seed, directions, data):
    tree = a_tree(seed)
    assume(tree.n_leaves > 1)
    numbers = st.lists(st.integers(0, 12), min_size=tree.n_nodes, max_size=tree.n_nodes)
    values = np.array(data.draw(numbers)) / 12
    weights = np.array(
        data.draw(st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=len(values), max_size=len(values)))
    )
    found = monotone_values(tree.arrays, values, weights, directions)
    leaves = np.flatnonzero(tree.arrays.n_branches == 0).tolist()
    pairs = naive.ordered_leaves(tree, directions)
    numbered = {(leaves.index(a), leaves.index(b)) for a, b in pairs}
    expected = naive.isotonic(values[leaves].tolist(), weights[leaves].tolist(), numbered)
    assert found[leaves].tolist() == pytest.approx(expected, abs=1e-12)
    # exactly, not but for rounding
    assert all(found[a] <= found[b] for a, b in pairs)
    unchanged = [i for i, leaf in enumerate(leaves) if expected[i] == values[leaf]]
    if len(unchanged) == len(leaves):
        assert found[leaves].tolist() == values[leaves].tolist()


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 10**6), directions, st.data())
def test_every_pruning_is_monotone_too_whatever_leaves_weigh(seed, directions, data):
    tree = a_tree(seed, 30)
    rng = np.random.default_rng(seed)
    values, weights = rng.random(tree.n_nodes), rng.choice([0.0, 1e-9, 1.0, 1e6], tree.n_nodes)
    found = monotone_values(tree.arrays, values, weights, directions)
    cut = rng.random(tree.n_nodes) < 0.3
    kept = ~cut | (tree.arrays.n_branches == 0)
    number = {}
    pruned = tree.arrays.collapsed(~kept)
    waiting = [(0, 0)]
    while waiting:
        new, old = waiting.pop()
        number[new] = old
        branches = range(pruned.n_branches[new])
        waiting += [(pruned.first_branch[new] + b, tree.arrays.first_branch[old] + b) for b in branches]
    of_pruned = np.array([found[number[node]] for node in range(len(pruned))])
    again = monotone_values(pruned, of_pruned, np.ones(len(pruned)), directions)
    leaf = pruned.n_branches == 0
    assert again[leaf].tolist() == of_pruned[leaf].tolist()
    assert found.min() >= values.min()
    assert found.max() <= values.max()


def test_leaves_without_cases_follow_the_others():
    stump = a_tree(3, 30)
    assert stump.test[0] == 1
    values = np.linspace(1, 0, stump.n_nodes)
    found = monotone_values(stump.arrays, values, np.zeros(stump.n_nodes), [1, 1, 0])
    assert np.isfinite(found).all()
