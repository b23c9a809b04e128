"""Soft thresholds against the naive version, and what a tree does with them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.soft_thresholds import soft_thresholds
from support.problems import GOLF, as_nodes, growing_options, problems, pruned, random_problem

import ctree
from ctree import C45Classifier, Tree
from ctree.errors import DataError, ModelError
from ctree.tree.leaves import leaf_probabilities
from ctree.tree.soft_thresholds import bounds, softened


def tree_from(problem, arrays):
    probabilities = leaf_probabilities(arrays.counts, arrays.best)
    return Tree(problem.schema, arrays.replace(probabilities=probabilities), float32=True)


def soft_golf():
    data = GOLF.dataset()
    return softened(C45Classifier().fit(data).tree_, data)


@given(problems(most_cases=80), growing_options, st.sampled_from([0.25, 1.0]))
@settings(deadline=None, max_examples=300)
def test_the_bounds_are_the_naive_ones_to_the_last_bit(problem, options, confidence):
    arrays = pruned(problem, confidence=confidence, **options)
    tree = softened(tree_from(problem, arrays), problem.dataset())
    found = [(tree.lower[n.index], tree.upper[n.index]) for n in tree if n.threshold is not None]
    assert found == soft_thresholds(as_nodes(problem, arrays), problem.cases, problem.classes, problem.n_classes)


@pytest.mark.parametrize("unknown", [0.0, 0.2])
def test_larger_sets_as_well(unknown):
    problem = random_problem(3, 400, 3, [0, 0, 3, 0], unknown=unknown, noise=0.3)
    arrays = pruned(problem, confidence=1.0)
    tree = softened(tree_from(problem, arrays), problem.dataset())
    found = [(tree.lower[n.index], tree.upper[n.index]) for n in tree if n.threshold is not None]
    expected = soft_thresholds(as_nodes(problem, arrays), problem.cases, problem.classes, problem.n_classes)
    assert len(found) > 10
    assert found == expected


def test_a_clean_cut_is_soft_up_to_where_one_error_would_be_too_many():
    # One error is more than a standard error of none among ten: sqrt(0.5 * 10.5 / 11) = 0.6908.
    values = np.arange(1.0, 11.0)
    high = values > 5
    lower, upper = bounds(values, high, ~high, np.ones(10), 5.0, single=False)
    limit = (0.5 * 10.5 / 11) ** 0.5
    assert (lower, upper) == pytest.approx((5 - limit, 5 + limit))


def test_a_case_of_weight_two_is_two_cases():
    problem = random_problem(5, 60, 2, [0, 0, 2], noise=0.3)
    rng = np.random.default_rng(0)
    twice = rng.integers(1, 3, size=60)
    data = problem.dataset(weights=twice.astype(float))
    tree = C45Classifier(min_cases=4).fit(data).tree_
    repeated = problem.dataset().take(np.repeat(np.arange(60), twice))
    assert tree.n_leaves > 2
    assert softened(tree, data) == softened(tree, repeated)


def test_only_thresholds_have_bounds():
    tree = soft_golf()
    cut = np.array([tree[i].threshold is not None for i in range(len(tree))])
    assert (tree.lower[~cut] == 0).all()
    assert (tree.upper[~cut] == 0).all()
    assert tree.lower[cut].tolist() == [70.0]
    assert tree.upper[cut].tolist() == pytest.approx([80.155], abs=1e-4)


def test_predictions_do_not_change():
    problem = random_problem(7, 200, 3, [0, 3, 0], unknown=0.1, noise=0.3)
    tree = C45Classifier().fit(problem.dataset()).tree_
    soft = softened(tree, problem.dataset())
    assert np.array_equal(soft.predict_proba(problem.dataset()), tree.predict_proba(problem.dataset()))
    assert tree.lower is None
    assert tree.upper is None
    assert soft != tree


@pytest.mark.parametrize("scale", [1e-45, 3e38, 1e39, 1e300])
def test_numbers_beyond_32_bits_have_finite_bounds(scale, tmp_path):
    values = np.array([-2, -1, -0.5, 0.5, 1, 1.1]) * scale
    data = ctree.from_arrays({"x": values}, ["a", "a", "a", "b", "b", "b"])
    tree = softened(C45Classifier(min_cases=1).fit(data).tree_, data)
    assert np.isfinite([tree.lower, tree.upper]).all()
    ctree.save(tree, tmp_path / "tree.json")
    assert ctree.load(tmp_path / "tree.json") == tree


def test_a_leaf_has_nothing_to_soften():
    data = GOLF.dataset()
    tree = C45Classifier(min_cases=100).fit(data).tree_
    assert softened(tree, data).upper.tolist() == [0.0]


def test_cases_without_classes_are_refused():
    data = GOLF.dataset()
    unlabelled = ctree.Dataset(data.schema, data.columns)
    with pytest.raises(DataError, match="need cases with classes"):
        softened(soft_golf(), unlabelled)


def test_the_text_shows_the_bounds():
    lines = soft_golf().to_text().splitlines()
    assert "|   a2 <= 75 [70,80.155]: c0 (2.0/1.0)" in lines
    assert "|   a2 > 75 [70,80.155]: c1 (3.0/1.1)" in lines


def test_they_are_saved_and_pickled(tmp_path):
    tree = soft_golf()
    ctree.save(tree, tmp_path / "tree.json")
    assert ctree.load(tmp_path / "tree.json") == tree
    assert pickle.loads(pickle.dumps(tree)) == tree


def test_a_threshold_outside_its_bounds_is_refused():
    tree = soft_golf()
    with pytest.raises(ModelError, match="does not lie between its bounds"):
        Tree(tree.schema, tree.arrays.replace(lower=tree.arrays.lower + 10), float32=True)


def test_one_bound_without_the_other_is_refused():
    arrays = soft_golf().arrays.replace(upper=None)
    with pytest.raises(ModelError, match="needs the array 'upper'"):
        Tree(GOLF.schema, arrays, float32=True)
