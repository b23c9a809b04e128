"""Rules from cases with weights: a case of weight 3 is three cases, without being made three."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.problems import random_problem

import ctree
from ctree.errors import CtreeError

LEARNERS = [
    {},
    {"significance": 0.1},
    {"group_values": True, "criterion": "gain"},
    {"min_cases": 1, "confidence": 0.9},
]


def what_was_learned(model):
    return str(model.rules_), list(map(repr, model.selected_rules_)), model.tree_, model.rules_.probabilities.tolist()


@given(st.integers(0, 10**6), st.sampled_from(LEARNERS), st.sampled_from([0.0, 0.0, 0.1]))
@settings(deadline=None, max_examples=40)
def test_a_case_of_weight_3_is_three_cases(seed, parameters, unknown):
    problem = random_problem(seed % 1000, 60, 3, [0, 4, 0, 3], unknown)
    weights = np.random.default_rng(seed).integers(1, 6, size=60)
    learner = ctree.C45RulesClassifier(**parameters)
    weighted = what_was_learned(learner.fit(problem.dataset(weights.astype(float))))
    repeated = what_was_learned(learner.fit(problem.dataset().take(np.repeat(np.arange(60), weights))))
    assert weighted == repeated


def test_a_threshold_at_zero_has_the_sign_that_it_has_with_three_cases():
    X = np.array([[-0.0], [0.0], [-0.0], [0.0], [1.0], [1.0], [2.0], [2.0]])
    y, weights = ["a"] * 4 + ["b"] * 4, np.array([1, 2, 3, 4, 1, 2, 3, 4])
    weighted = ctree.C45RulesClassifier().fit(X, y, weights.astype(float))
    repeated = ctree.C45RulesClassifier().fit(X.repeat(weights, axis=0), np.repeat(y, weights))
    assert str(weighted.rules_) == str(repeated.rules_)
    assert np.signbit(weighted.tree_.threshold).tolist() == np.signbit(repeated.tree_.threshold).tolist()


@pytest.mark.parametrize("unknown", [0.0, 0.2])
def test_large_weights_take_no_more_memory_than_small_ones(unknown):
    problem = random_problem(1, 100, 3, [0, 4, 0, 3], unknown)
    data = problem.dataset(np.full(100, 2.0**24 // 100))
    tracemalloc.start()
    try:
        model = ctree.C45RulesClassifier().fit(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(model.rules_) > 1
    assert peak < 5e6


def test_weights_that_are_not_whole_or_too_many_are_still_refused():
    problem = random_problem(1, 20, 2, [0, 4])
    with pytest.raises(CtreeError, match="needs whole numbers as weights"):
        ctree.C45RulesClassifier().fit(problem.dataset(np.full(20, 1.5)))
    with pytest.raises(CtreeError, match="at most 16777216 cases are possible"):
        ctree.C45RulesClassifier().fit(problem.dataset(np.full(20, 2.0**21)))
