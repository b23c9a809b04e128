"""J48's way of growing and pruning, against the naive version."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.j48_classify import predict as naive_predict
from naive.j48_classify import probabilities as naive_probabilities
from naive.j48_numbers import extra_errors
from naive.j48_prune import stratified
from support.j48_trees import assert_same_tree, naive_data, naive_tree
from support.problems import GOLF, Problem, problems, random_problem

from ctree.learners.c45.classifier import C45Classifier
from ctree.learners.c45.variants import held_out_fold
from ctree_ext.prune.j48_estimate import pessimistic_errors

options_of_j48 = st.fixed_dictionaries(
    {
        "min_cases": st.sampled_from([1, 2, 2, 5]),
        "confidence": st.sampled_from([0.25, 0.25, 0.1, 0.45, 0.7]),
        "prune": st.sampled_from([True, True, False, "reduced-error"]),
        "n_folds": st.sampled_from([2, 3, 5]),
        "collapse": st.booleans(),
        "subtree_raising": st.booleans(),
        "binary_splits": st.booleans(),
        "mdl_correction": st.booleans(),
        "actual_thresholds": st.booleans(),
    }
)


@given(problems(), options_of_j48)
@settings(deadline=None, max_examples=400)
def test_the_tree_is_the_naive_one(problem, options):
    model = C45Classifier(variant="j48", **options).fit(problem.dataset())
    kept = [a for a, column in enumerate(problem.columns) if column is not None]
    assert_same_tree(model.tree_, naive_tree(problem, options), kept)


@given(problems(), options_of_j48, st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=150)
def test_with_weights_the_tree_is_the_naive_one(problem, options, seed):
    weights = np.random.default_rng(seed).choice([0.25, 0.5, 1.0, 1.5, 3.0], size=len(problem.classes))
    model = C45Classifier(variant="j48", **options).fit(problem.dataset(weights))
    kept = [a for a, column in enumerate(problem.columns) if column is not None]
    assert_same_tree(model.tree_, naive_tree(problem, options, weights.tolist()), kept)


@given(problems(), options_of_j48, st.booleans())
@settings(deadline=None, max_examples=150)
def test_probabilities_and_classes_are_the_naive_ones(problem, options, laplace):
    data = problem.dataset()
    model = C45Classifier(variant="j48", estimate="laplace" if laplace else "frequency", **options).fit(data)
    tree = naive_tree(problem, options)
    columns = naive_data(problem).columns
    predicted = model.predict(data).tolist()
    for case, row in enumerate(model.predict_proba(data)):
        values = [column[case] for column in columns]
        expected = np.array(naive_probabilities(tree, values, laplace=laplace))
        assert row.tolist() == pytest.approx((expected / expected.sum()).tolist(), abs=1e-9)
        assert predicted[case] == data.schema.classes[naive_predict(tree, values)]


@pytest.mark.parametrize("unknown", [0.0, 0.05, 0.3])
@pytest.mark.parametrize("seed", range(4))
def test_larger_trees_are_the_naive_ones_with_any_number_of_threads(seed, unknown):
    problem = random_problem(seed, 900, 4, [0, 3, 0, 7, 0, 2], unknown, 0.3)
    naive = naive_tree(problem, {})
    for n_jobs in (1, 3):
        model = C45Classifier(variant="j48", n_jobs=n_jobs).fit(problem.dataset())
        assert_same_tree(model.tree_, naive, list(range(6)))


@pytest.mark.parametrize(
    ("n", "e"), [(1, 0), (2, 0), (9, 0), (2, 1), (16, 1), (5, 2), (14, 5), (100, 10), (4, 0.5), (3, 2.6)]
)
@pytest.mark.parametrize("confidence", [0.25, 0.1, 0.01, 0.5, 0.6])
def test_the_estimate_is_the_naive_one(n, e, confidence):
    assert pessimistic_errors(n, e, confidence) == pytest.approx(e + extra_errors(n, e, confidence), rel=1e-12)


def test_the_estimate_has_the_figures_of_the_specification():
    table = {(2, 1): 1.7915, (16, 1): 2.4757, (5, 2): 3.2220, (14, 5): 6.7611, (100, 10): 12.7496, (3, 2.6): 3.0}
    for (n, e), expected in table.items():
        assert pessimistic_errors(n, e) == pytest.approx(expected, abs=5e-5)


def test_exclusive_or_is_one_leaf():
    # Neither attribute alone gains anything, and here such a test is none; release 8 grows seven nodes.
    rows = [(a, b) for a in (0, 1) for b in (0, 1)] * 2
    problem = Problem([[a for a, _ in rows], [b for _, b in rows]], [2, 2], [a ^ b for a, b in rows], 2)
    assert len(C45Classifier(variant="j48").fit(problem.dataset()).tree_) == 1
    assert len(C45Classifier().fit(problem.dataset()).tree_) == 7


def test_golf_is_the_same_tree_in_both_variants():
    one, other = (C45Classifier(variant=variant).fit(GOLF.dataset()).tree_ for variant in ("release8", "j48"))
    assert len(one) == len(other) == 8
    assert one.threshold.tolist() == other.threshold.tolist()


@given(st.lists(st.integers(0, 4), min_size=1, max_size=40), st.integers(2, 6))
def test_the_fold_kept_for_pruning_is_the_naive_one(classes, n_folds):
    problem = Problem([[0.0] * len(classes)], [0], classes, 5)
    growing, pruning = held_out_fold(problem.dataset(), n_folds)
    folds = stratified(classes, n_folds)
    assert pruning.tolist() == sorted(folds[-1])
    assert growing.tolist() == sorted(row for fold in folds[:-1] for row in fold)


@given(problems(), options_of_j48, st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=150)
def test_cases_without_a_class_only_lend_their_values(problem, options, seed):
    unlabelled = np.random.default_rng(seed).random(len(problem.classes)) < 0.3
    unlabelled[0] = False
    problem.classes = [-1 if u else c for u, c in zip(unlabelled.tolist(), problem.classes, strict=True)]
    model = C45Classifier(variant="j48", **options).fit(problem.dataset())
    kept = [a for a, column in enumerate(problem.columns) if column is not None]
    assert_same_tree(model.tree_, naive_tree(problem, options), kept)


@pytest.mark.parametrize("confidence", [1e-300, 1e-50, 1e-9, 0.5, 1 - 1e-9])
def test_any_confidence_prunes(confidence):
    problem = random_problem(1, 80, 2, [0, 3], noise=0.3)
    sizes = [len(C45Classifier(variant="j48", confidence=c).fit(problem.dataset()).tree_) for c in (confidence, 0.25)]
    assert sizes[0] <= sizes[1] or confidence > 0.25
