"""The artificial data of Nijssen 2008, and what is made of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.trees_in_turn import classes_in_turn, leaf_path
from scipy import stats

from ctree.errors import DataError
from ctree.evaluate.papers.lab import Lab
from ctree.evaluate.papers.nijssen2008 import curves as nijssen_curves
from ctree.evaluate.papers.nijssen2008 import experiments as nijssen2008
from ctree.evaluate.papers.nijssen2008.made_up_trees import CompleteTree, assigned, cases_of_trees


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 3))
def test_classes_are_those_of_trees_in_turn(seed, n_trees, depth):
    rng = np.random.default_rng(seed)
    table = rng.random((40, 5)) < 0.5
    trees = [CompleteTree.drawn(depth, 5, rng) for _ in range(n_trees)]
    paths = [[leaf_path(tree.attributes, depth, row) for row in table] for tree in trees]
    leaves = [tree.leaf_of(table) for tree in trees]
    for leaf, path in zip(leaves, paths, strict=True):
        assert leaf.tolist() == [int("".join(map(str, p)), 2) for p in path]
    coins = np.random.default_rng(seed)
    expected = classes_in_turn(paths, lambda: int(coins.integers(2)))
    assert assigned(leaves, 2**depth, np.random.default_rng(seed)).tolist() == expected


def test_no_attribute_is_tested_twice_on_a_path():
    tree = CompleteTree.drawn(4, 5, np.random.default_rng(3))
    for leaf in range(15, 31):
        path, node = [], leaf
        while node:
            node = (node - 1) // 2
            path.append(int(tree.attributes[node]))
        assert len(set(path)) == 4


def test_a_single_tree_has_pure_leaves_that_differ_from_their_siblings():
    rng = np.random.default_rng(1)
    tree = CompleteTree.drawn(3, 6, rng)
    leaf = tree.leaf_of(rng.random((300, 6)) < 0.5)
    classes = assigned([leaf], 8, rng)
    of_leaf = [set(classes[leaf == i].tolist()) for i in range(8)]
    assert all(len(of_leaf[i]) == 1 and of_leaf[i] != of_leaf[i ^ 1] for i in range(8))


def test_every_leaf_has_enough_cases_or_there_are_none():
    data = cases_of_trees(2, 2, 4, 60, 8, np.random.default_rng(0))
    assert (data.n_cases, data.schema.n_classes) == (60, 2)
    with pytest.raises(DataError, match="60 cases leave fewer than 16 in some of the 4 leaves of 2 trees"):
        cases_of_trees(2, 2, 4, 60, 16, np.random.default_rng(0))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(-3, 3).map(lambda x: round(x, 2)), min_size=3, max_size=20))
def test_significance_is_that_of_the_paired_t_test(differences):
    values = np.array(differences)
    if values.std() < 1e-6:
        return
    test = stats.ttest_1samp(values, 0.0)
    expected = int(np.sign(values.mean())) if test.pvalue < nijssen_curves.LEVEL else 0
    assert nijssen_curves.outcome(values) == expected


def test_the_support_is_a_share_of_the_cases():
    assert nijssen_curves.FULL.min_cases(4000) == 12
    assert nijssen_curves.FULL.min_cases(200) == 1
    learners = nijssen_curves.learners_for(nijssen_curves.FULL, 0.2)
    assert {learner.min_cases for learner in learners.values()} == {3}
    assert {learner.max_depth for learner in learners.values()} == {7}


def test_the_report_has_curves_and_conclusions(tmp_path, monkeypatch):
    tiny = nijssen_curves.Design(2, 4, 80, 0.02, 3, (1, 2), (0.2, 0.8))
    monkeypatch.setattr(nijssen_curves, "QUICK", tiny)
    report = nijssen2008.run(Lab(tmp_path, quick=True, experiment="artificial"))
    curves, differences = report.sections
    assert [row[:2] for row in curves.rows[:4]] == [
        ["1", name] for name in ("optimal, uniform", "MAP, uniform", "optimal, size", "MAP, size")
    ]
    assert (len(curves.rows), len(differences.rows)) == (8, 8)
    assert len(report.findings) == 8
    # with 64 of 80 cases a single tree of depth 2 is found
    assert float(curves.rows[0][3].split()[0]) > 95
