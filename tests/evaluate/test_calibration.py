"""The calibration error is what its definition says, case by case."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctree.errors import DataError, ParameterError
from ctree.evaluate.calibration import calibration_error, calibration_groups, overconfidence


def slow_groups(has_class, given_probability, groups, weights):
    """Cases one by one in their order; equal probabilities are never parted."""
    total = sum(weights)
    cases = sorted(zip(given_probability, has_class, weights, strict=True))
    result, seen, group, last = [], 0.0, None, None
    for probability, has, weight in cases:
        if probability != last:
            number = int(seen * groups / total + 1e-9)
            if number != group:
                result.append([])
                group = number
            last = probability
        result[-1].append((probability, has, weight))
        seen += weight
    return result


def slow_error(targets, table, groups, weights):
    total, error = sum(weights), 0.0
    for c in range(len(table[0])):
        has = [t == c for t in targets]
        share = sum(w for w, h in zip(weights, has, strict=True) if h) / total
        if share == 0:
            continue
        for group in slow_groups(has, [row[c] for row in table], groups, weights):
            weight = sum(w for _, _, w in group)
            mean = sum(p * w for p, _, w in group) / weight
            observed = sum(w for _, h, w in group if h) / weight
            error += share * weight / total * abs(mean - observed)
    return error


@settings(max_examples=200)
@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(2, 4), st.booleans())
def test_it_is_the_slow_one(seed, groups, n_classes, weighted):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 60))
    table = rng.integers(1, 5, size=(n, n_classes)).astype(float)
    table /= table.sum(axis=1, keepdims=True)
    targets = rng.integers(n_classes, size=n)
    weights = rng.integers(1, 4, size=n).astype(float) if weighted else None
    expected = slow_error(targets, table.tolist(), groups, [1.0] * n if weights is None else weights.tolist())
    assert calibration_error(targets, table, groups, weights) == pytest.approx(expected, abs=1e-12)


def test_a_weight_of_two_is_two_cases():
    rng = np.random.default_rng(3)
    table = rng.dirichlet(np.ones(3), size=40)
    targets, weights = rng.integers(3, size=40), rng.integers(1, 4, size=40)
    repeated = np.repeat(np.arange(40), weights)
    assert calibration_error(targets, table, weights=weights) == pytest.approx(
        calibration_error(targets[repeated], table[repeated])
    )


def test_equal_probabilities_stay_together():
    (one,) = calibration_groups([True] * 30 + [False] * 70, np.full(100, 0.4))
    assert one == pytest.approx((100, 0.4, 0.3))


def test_probabilities_that_are_true_have_a_small_error_and_sure_ones_their_share_of_mistakes():
    rng = np.random.default_rng(1)
    p = rng.random(100_000)
    true = (rng.random(p.size) < p).astype(int)
    assert calibration_error(true, np.column_stack([1 - p, p])) < 0.01
    sure = (p > 0.5).astype(float)
    assert calibration_error(true, np.column_stack([1 - sure, sure])) == pytest.approx(0.25, abs=0.01)


@settings(max_examples=50)
@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(2, 3))
def test_overconfidence_counts_in_standard_errors_of_the_brier_score(seed, n, n_classes):
    """All ways in which the classes could have come out, with their probabilities."""
    table = np.random.default_rng(seed).dirichlet(np.ones(n_classes), size=n)
    truths = [np.array(t) for t in product(range(n_classes), repeat=n)]
    chances = np.array([table[np.arange(n), truth].prod() for truth in truths])
    scores = np.array([((np.eye(n_classes)[truth] - table) ** 2).sum() for truth in truths])
    mean = chances @ scores
    deviation = np.sqrt(chances @ (scores - mean) ** 2)
    found = [overconfidence(truth, table) for truth in truths]
    assert found == pytest.approx(((scores - mean) / deviation).tolist(), abs=1e-8)


def test_overconfidence_of_a_weight_of_two_is_that_of_two_cases():
    table, targets = [[0.7, 0.3], [0.2, 0.8]], [1, 1]
    twice = overconfidence([1, 1, 1], [table[0], table[0], table[1]])
    assert overconfidence(targets, table, [2, 1]) == pytest.approx(twice)


def test_sure_of_everything():
    assert overconfidence([0, 1], [[1.0, 0.0], [0.0, 1.0]]) == 0
    assert overconfidence([0, 0], [[1.0, 0.0], [0.0, 1.0]]) == float("inf")


def test_wrong_arguments_are_refused():
    with pytest.raises(ParameterError, match="groups must be at least 1, not 0"):
        calibration_error([0], [[1.0]], groups=0)
    with pytest.raises(DataError, match="no cases"):
        calibration_error([], np.empty((0, 2)))
