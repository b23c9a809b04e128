"""Trees far deeper than a stack of calls."""

import re
import sys

import numpy as np
import pytest
from support.problems import Problem

import ctree
from ctree import C45Classifier
from ctree.render.text import tree_text


def alternating(n, unknown=()):
    """Classes that alternate along one attribute; each case is heavy enough to be a branch of its own."""
    column = [None if i in unknown else float(i) for i in range(n)]
    problem = Problem([column], [0], [i % 2 for i in range(n)], 2)
    return problem.dataset(np.full(n, 100.0))


@pytest.fixture(scope="module")
def data():
    return alternating(3000)


@pytest.fixture(scope="module")
def model(data):
    return C45Classifier(min_cases=1, prune=False, criterion="gain").fit(data)


def test_the_tree_is_deeper_than_python_recurses(model):
    assert model.tree_.depth > 2 * sys.getrecursionlimit()


def test_it_classifies_its_own_cases(model, data):
    assert model.score(data) == 1


def test_a_case_with_an_unknown_value_reaches_every_leaf(model, data):
    unknown = ctree.Dataset(data.schema, [np.full(2, np.nan)])
    assert model.predict_proba(unknown).ravel().tolist() == pytest.approx([0.5] * 4)
    assert model.tree_[int(model.tree_.apply(unknown)[0])].is_leaf


@pytest.mark.parametrize("unknown", [(), (10, 11, 200)])
def test_it_is_pruned(unknown):
    # Estimating the largest branch with all cases at every node takes time cubic in the depth.
    data = alternating(400, unknown)
    model = C45Classifier(min_cases=1, criterion="gain").fit(data)
    assert model.unpruned_tree_.depth > 300
    assert model.tree_.cases[0] == 40_000
    assert model.predict_proba(data).sum(axis=1) == pytest.approx(1)


def test_it_prints_in_subtrees(model):
    text = tree_text(model.tree_)
    assert "[S1]" in text
    assert "Subtree [S99]" in text
    assert "[S100]" not in text


def test_it_prints_whole_for_a_person(model):
    text = model.tree_.to_text()
    assert "[S??]" not in text
    assert len(re.findall(r"\(\d+\.\d(/\d+\.\d)?\)$", text, re.MULTILINE)) == model.tree_.n_leaves


def test_it_is_walked_through(model):
    tree = model.tree_
    assert sum(1 for _ in tree) == tree.n_nodes
    deepest = tree[int(tree.node_depth.argmax())]
    assert (len(deepest.path), deepest.depth) == (tree.depth + 1, tree.depth)


def test_it_is_saved_and_loaded(model, tmp_path):
    ctree.save(model, tmp_path / "deep.json")
    assert ctree.load(tmp_path / "deep.json").tree_ == model.tree_


def test_unknown_values_go_all_the_way_down():
    data = alternating(3000, unknown={10, 11, 1000, 2001})
    model = C45Classifier(min_cases=1, prune=False, criterion="gain").fit(data)
    assert model.tree_.depth > sys.getrecursionlimit()
    assert model.predict_proba(data).sum(axis=1) == pytest.approx(1)
    assert np.isfinite(model.tree_.class_counts).all()
