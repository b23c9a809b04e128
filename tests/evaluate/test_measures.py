"""Measures against scikit-learn's, and against sums over all pairs and cases."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctree
from ctree.errors import DataError
from ctree.evaluate.measures import MIN_PROBABILITY, accuracy, brier, expected_auc, log_likelihood, tree_size

metrics = pytest.importorskip("sklearn.metrics")


@st.composite
def predictions(draw, least_classes=2):
    """True classes, probabilities with ties and zeros, weights."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, k = draw(st.integers(2, 40)), draw(st.integers(least_classes, 5))
    table = rng.integers(0, 4, (n, k)) + rng.integers(0, 2, (n, k)) * rng.random((n, k))
    table[table.sum(axis=1) == 0] = 1
    return rng.integers(0, k, n), table / table.sum(axis=1, keepdims=True), rng.integers(1, 4, n).astype(float)


def slow_auc(targets, probabilities, weights):
    """By every pair of a case of the class and a case of another."""
    areas, total, skipped = 0.0, 0.0, []
    for c in range(probabilities.shape[1]):
        inside = [i for i, t in enumerate(targets) if t == c]
        outside = [i for i, t in enumerate(targets) if t != c]
        if not inside or not outside:
            skipped.append(c)
            continue
        won = all_pairs = 0.0
        for i, j in itertools.product(inside, outside):
            first, second = probabilities[i, c], probabilities[j, c]
            all_pairs += weights[i] * weights[j]
            won += weights[i] * weights[j] * (1.0 if first > second else 0.5 if first == second else 0.0)
        prevalence = sum(weights[i] for i in inside)
        areas += prevalence * won / all_pairs
        total += prevalence
    return (areas / total if total else math.nan), tuple(skipped)


@settings(deadline=None)
@given(predictions())
def test_measures_are_those_of_scikit_learn(problem):
    targets, table, weights = problem
    k = table.shape[1]
    said = table.argmax(axis=1)
    assert accuracy(targets, said) == pytest.approx(metrics.accuracy_score(targets, said))
    assert accuracy(targets, said, weights) == pytest.approx(
        metrics.accuracy_score(targets, said, sample_weight=weights)
    )
    for weight in (None, weights):
        expected = -metrics.log_loss(targets, table, labels=np.arange(k), sample_weight=weight)
        assert log_likelihood(targets, table, weight).mean == pytest.approx(expected, abs=1e-12)
        # class by class, for scikit-learn 1.6 knows it of two classes only
        expected = sum(
            metrics.brier_score_loss(targets == c, table[:, c], sample_weight=weight, pos_label=True) for c in range(k)
        )
        assert brier(targets, table, weight) == pytest.approx(expected)
    assert log_likelihood(targets, table).zeros == sum(table[i, t] == 0 for i, t in enumerate(targets))


@settings(deadline=None)
@given(predictions())
def test_expected_auc_is_a_sum_over_pairs(problem):
    targets, table, weights = problem
    for weight in (np.ones(len(targets)), weights):
        value, skipped = slow_auc(targets, table, weight)
        ours = expected_auc(targets, table, weight)
        assert ours.value == pytest.approx(value, nan_ok=True)
        assert ours.skipped == skipped


@settings(deadline=None)
@given(predictions())
def test_expected_auc_is_that_of_scikit_learn_where_every_class_is_there(problem):
    targets, table, _ = problem
    if len(set(targets.tolist())) < table.shape[1]:
        return
    if table.shape[1] == 2:
        expected = metrics.roc_auc_score(targets, table[:, 1])
    else:
        expected = metrics.roc_auc_score(targets, table, multi_class="ovr", average="weighted")
    assert expected_auc(targets, table) == (pytest.approx(expected), ())


def test_a_class_without_cases_is_skipped_and_named():
    table = np.array([[0.7, 0.2, 0.1], [0.6, 0.3, 0.1], [0.2, 0.7, 0.1]])
    assert expected_auc([0, 0, 1], table) == (1.0, (2,))
    only = expected_auc([0, 0, 0], table)
    assert math.isnan(only.value)
    assert only.skipped == (0, 1, 2)


def test_zeros_are_counted_and_clipped():
    result = log_likelihood([0, 1], [[1.0, 0.0], [1.0, 0.0]])
    assert result == (pytest.approx(math.log(MIN_PROBABILITY) / 2), 1)
    assert log_likelihood([0, 0], [[1.0, 0.0], [0.5, 0.5]]) == (pytest.approx(math.log(0.5) / 2), 0)


def test_sizes_of_trees():
    golf = ctree.read_c45("examples/golf")
    assert tree_size(ctree.C45Classifier().fit(golf)) == (8, 5, 2)
    assert tree_size(ctree.NaiveBayesClassifier().fit(golf)) is None
    assert tree_size(ctree.C45RulesClassifier().fit(golf)) is None
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(random_state=0).fit([[0.0], [1.0], [2.0]], [0, 1, 0])
    assert tree_size(tree) == (tree.tree_.node_count, tree.get_n_leaves(), tree.get_depth())

    class Sampled:
        traces_ = {"leaves": np.array([[2, 4]]), "depth": np.array([[1, 2]])}  # noqa: RUF012

    assert tree_size(Sampled()) == (5, 3, 1.5)


@pytest.mark.parametrize(
    ("targets", "table", "words"),
    [
        ([0, 1], [[0.5, 0.5]], "do not fit"),
        ([], np.empty((0, 2)), "no cases"),
        ([2], [[0.5, 0.5]], "codes from 0 to 1"),
        ([-1], [[0.5, 0.5]], "codes from 0 to 1"),
        ([0], [[np.nan, 0.5]], "not a finite"),
    ],
)
def test_wrong_input_is_refused(targets, table, words):
    for measure in (log_likelihood, brier, expected_auc):
        with pytest.raises(DataError, match=words):
            measure(targets, table)
