"""What the weight of a case means."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.problems import GOLF, Problem, growing_options, problems, pruned, random_problem, repeated

from ctree import C45Classifier

seeds = st.integers(0, 2**32 - 1)
QUESTIONS = ("test", "attribute", "threshold", "first_branch", "n_branches", "best")


def without_unknown(problem):
    columns = [None if c is None else [0 if x is None else x for x in c] for c in problem.columns]
    return Problem(columns, problem.n_values, problem.classes, problem.n_classes)


@given(problems(most_cases=40), growing_options, seeds)
@settings(deadline=None, max_examples=150)
def test_whole_weights_are_repeated_cases(problem, options, seed):
    problem = without_unknown(problem)
    times = np.random.default_rng(seed).integers(1, 4, size=len(problem.classes))
    weighted = pruned(problem, weights=times, **options)
    assert weighted == pruned(repeated(problem, times), **options)


def classifier_options(options):
    return {
        "criterion": "gain" if options["gain_only"] else "gain-ratio",
        "min_cases": options["min_cases"],
        "group_values": options["group_values"],
    }


@given(problems(), growing_options, st.booleans())
@settings(deadline=None, max_examples=100)
def test_weights_of_one_change_nothing(problem, options, prune):
    data = problem.dataset()
    learner = C45Classifier(prune=prune, **classifier_options(options))
    plain = learner.fit(data).tree_
    assert learner.fit(data.with_weights(np.ones(data.n_cases))).tree_ == plain


@given(problems(), growing_options)
@settings(deadline=None, max_examples=100)
def test_weights_of_one_change_nothing_for_the_kernels(problem, options):
    # With unknown values, weights that were ones do not come back as ones to the last bit; the learner passes none.
    problem = without_unknown(problem)
    ones = np.ones(len(problem.classes))
    assert pruned(problem, weights=ones, **options) == pruned(problem, **options)


@given(problems(), growing_options, seeds)
@settings(deadline=None, max_examples=100)
def test_a_case_of_weight_nothing_is_absent(problem, options, seed):
    keep = np.random.default_rng(seed).random(len(problem.classes)) < 0.7
    keep[0] = True
    learner = C45Classifier(**classifier_options(options))
    weighted = learner.fit(problem.dataset(keep.astype(float))).tree_
    assert learner.fit(problem.dataset().take(keep)).tree_ == weighted


@pytest.mark.parametrize("factor", [0.25, 0.5, 3.0, 100.0])
def test_scaled_weights_and_minimum_ask_the_same_of_discrete_attributes(factor):
    # Thresholds pay for the number of cuts per case, and pruning counts cases: neither is free of the scale.
    problem = without_unknown(random_problem(6, 300, 3, [2, 3, 4, 5]))
    plain = C45Classifier(prune=False, min_cases=2).fit(problem.dataset()).tree_
    weights = np.full(300, factor)
    scaled = C45Classifier(prune=False, min_cases=2 * factor).fit(problem.dataset(), sample_weight=weights).tree_
    assert plain.n_nodes > 20
    assert all(np.array_equal(getattr(plain.arrays, name), getattr(scaled.arrays, name)) for name in QUESTIONS)
    np.testing.assert_allclose(scaled.class_counts, factor * plain.class_counts)


def test_a_weight_counts_in_every_figure():
    weights = np.ones(14)
    weights[0] = 3.0  # sunny, Don't Play
    tree = C45Classifier(prune=False).fit(GOLF.dataset(), sample_weight=weights).tree_
    assert tree.cases[0] == 16
    assert tree.class_counts[0].tolist() == [9, 7]
    assert tree[1].cases == 7


def test_a_heavy_case_decides_the_class_of_a_leaf():
    problem = Problem([[0.0] * 5], [0], [0, 0, 0, 0, 1], 2)
    assert pruned(problem).best.tolist() == [0]
    assert pruned(problem, weights=[1, 1, 1, 1, 5]).best.tolist() == [1]


@pytest.mark.parametrize("weights", [[1.0, 0.0], [1.0, -1.0], [1.0, np.nan]])
def test_the_kernels_take_positive_weights_only(weights):
    with pytest.raises(ValueError, match="weights must be positive"):
        Problem([[0.0, 1.0]], [0], [0, 1], 2).table(weights)


def test_the_kernels_want_a_weight_for_each_case():
    with pytest.raises(ValueError, match="differ in length"):
        Problem([[0.0, 1.0]], [0], [0, 1], 2).table([1.0])
