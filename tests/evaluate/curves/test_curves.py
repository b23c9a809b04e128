"""The curves of scored cases against scikit-learn's, and against the definitions written out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from ctree.errors import DataError, ParameterError
from ctree.evaluate.curves.cost import _upper_hull, cost_curve, cost_matrix, mean_costs
from ctree.evaluate.curves.lift import lift_curve
from ctree.evaluate.curves.reliability import reliability
from ctree.evaluate.curves.roc import newcombe, roc_curve
from ctree.evaluate.intervals import effective_number, mean_interval, share_interval, wilson

metrics = pytest.importorskip("sklearn.metrics")


@st.composite
def scored_cases(draw, whole_weights=False):
    """Classes, scores with many ties, and weights, some of them 0."""
    n = draw(st.integers(4, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    own = rng.random(n) < draw(st.sampled_from([0.2, 0.5, 0.8]))
    own[:2] = True, False
    levels = draw(st.sampled_from([2, 5, 1000]))
    scores = (rng.integers(levels, size=n) + own * rng.integers(levels, size=n)) / (2 * levels)
    weights = rng.integers(0, 4, size=n).astype(float) if whole_weights else rng.random(n)
    weights[:2] = 1.0
    return own, scores, draw(st.sampled_from([None, weights]))


@settings(max_examples=60, deadline=None)
@given(scored_cases())
def test_roc_is_that_of_scikit_learn(cases):
    own, scores, weights = cases
    curve = roc_curve(own, scores, weights)
    x, y, thresholds = metrics.roc_curve(own, scores, sample_weight=weights, drop_intermediate=False)
    np.testing.assert_allclose(curve.false_alarms, x, atol=1e-12)
    np.testing.assert_allclose(curve.hits, y, atol=1e-12)
    np.testing.assert_array_equal(curve.thresholds, thresholds)
    area = metrics.roc_auc_score(own, scores, sample_weight=weights)
    assert curve.area.value == pytest.approx(area, abs=1e-12)
    assert 0 <= curve.area.low <= curve.area.value <= curve.area.high <= 1
    assert (curve.low <= curve.hits + 1e-12).all()
    assert (curve.hits <= curve.high + 1e-12).all()


@settings(max_examples=40, deadline=None)
@given(scored_cases())
def test_the_interval_of_the_area_is_that_of_delong_written_out(cases):
    own, scores, _ = cases
    curve = roc_curve(own, scores)
    inside, outside = scores[own], scores[~own]
    wins = np.array([[(a > b) + (a == b) / 2 for b in outside] for a in inside])
    area = wins.mean()
    m, n = wins.shape
    if not 0 < area < 1 or min(m, n) < 2:
        return
    variance = wins.mean(axis=1).var(ddof=1) / m + wins.mean(axis=0).var(ddof=1) / n
    if variance < 1e-15:
        return
    half = 1.959963984540054 * math.sqrt(variance) / (area * (1 - area))
    odds = math.log(area / (1 - area))
    assert curve.area.low == pytest.approx(1 / (1 + math.exp(half - odds)), abs=1e-9)
    assert curve.area.high == pytest.approx(1 / (1 + math.exp(-half - odds)), abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(scored_cases(whole_weights=True))
def test_whole_weights_are_cases_that_come_several_times(cases):
    """The curves themselves; intervals know that a case that comes twice tells nothing new."""
    own, scores, weights = cases
    if weights is None:
        return
    times = np.repeat(np.arange(len(own)), weights.astype(int))
    one, other = roc_curve(own, scores, weights), roc_curve(own[times], scores[times])
    np.testing.assert_allclose(one.hits, other.hits, atol=1e-12)
    first, second = lift_curve(own, scores, weights), lift_curve(own[times], scores[times])
    np.testing.assert_allclose(first.lift, second.lift, atol=1e-12)
    np.testing.assert_allclose(first.chosen, second.chosen, atol=1e-12)
    groups, again = (
        reliability(own, scores, 4, weights, "uniform"),
        reliability(own[times], scores[times], 4, None, "uniform"),
    )
    np.testing.assert_allclose(groups.observed, again.observed, atol=1e-12)
    np.testing.assert_allclose(groups.given, again.given, atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(scored_cases())
def test_lift_and_gains_are_what_is_counted(cases):
    own, scores, weights = cases
    each = np.ones(len(own)) if weights is None else weights
    curve = lift_curve(own, scores, weights)
    frequency = each[own].sum() / each.sum()
    for i, threshold in enumerate(curve.thresholds):
        looked_at = scores >= threshold
        among = each[looked_at & own].sum() / each[looked_at].sum()
        assert curve.chosen[i] == pytest.approx(each[looked_at].sum() / each.sum())
        assert curve.found[i] == pytest.approx(each[looked_at & own].sum() / each[own].sum())
        assert curve.lift[i] == pytest.approx(among / frequency)
        assert curve.low[i] - 1e-9 <= curve.lift[i] <= curve.high[i] + 1e-9
    assert curve.low[-1] == pytest.approx(1, abs=1e-4)
    assert curve.high[-1] == pytest.approx(1, abs=1e-4)


@settings(max_examples=40, deadline=None)
@given(scored_cases())
def test_the_cost_curve_is_the_least_cost_of_all_thresholds(cases):
    own, scores, weights = cases
    each = np.ones(len(own)) if weights is None else weights
    curve = cost_curve(own, scores, weights, scores > 0.5)
    assert curve.probability_cost[0] == 0
    assert curve.probability_cost[-1] == 1
    assert (np.diff(curve.probability_cost) > 0).all()
    assert len(curve.thresholds) == len(curve.probability_cost) - 1

    def rates(taken):
        return np.average(taken[~own], weights=each[~own]), np.average(~taken[own], weights=each[own])

    lines = [rates(scores >= t) for t in (np.inf, *np.unique(scores))]
    for p in np.linspace(0, 1, 23):
        least = min(misses * p + alarms * (1 - p) for alarms, misses in lines)
        assert np.interp(p, curve.probability_cost, curve.expected_cost) == pytest.approx(least, abs=1e-9)
    for left, right, threshold in zip(
        curve.probability_cost, curve.probability_cost[1:], curve.thresholds, strict=False
    ):
        p = (left + right) / 2
        alarms, misses = rates(scores >= threshold)
        reached = misses * p + alarms * (1 - p)
        assert reached == pytest.approx(np.interp(p, curve.probability_cost, curve.expected_cost), abs=1e-9)
    assert (curve.false_alarms, curve.misses) == pytest.approx(rates(scores > 0.5))


@settings(max_examples=40, deadline=None)
@given(scored_cases(), st.integers(1, 12))
def test_uniform_groups_are_those_of_scikit_learn(cases, groups):
    calibration = pytest.importorskip("sklearn.calibration")
    own, scores, _ = cases
    points = reliability(own, scores, groups, strategy="uniform")
    observed, mean = calibration.calibration_curve(own, scores, n_bins=groups, strategy="uniform")
    np.testing.assert_allclose(points.observed, observed, atol=1e-12)
    np.testing.assert_allclose(points.given, mean, atol=1e-12)
    assert points.weight.sum() == pytest.approx(len(own))


def test_quantile_groups_are_those_of_scikit_learn_where_no_scores_are_equal():
    calibration = pytest.importorskip("sklearn.calibration")
    rng = np.random.default_rng(3)
    scores = rng.permutation(200) / 200
    own = rng.random(200) < scores
    points = reliability(own, scores, 10, strategy="quantile")
    observed, mean = calibration.calibration_curve(own, scores, n_bins=10, strategy="quantile")
    np.testing.assert_allclose(points.observed, observed)
    np.testing.assert_allclose(points.given, mean)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 60), st.integers(1, 60), st.sampled_from([0.8, 0.95, 0.99]))
def test_shares_have_the_interval_of_wilson(hits, n, level):
    stats = pytest.importorskip("scipy.stats")
    hits = min(hits, n)
    found = stats.binomtest(hits, n).proportion_ci(level, method="wilson")
    low, high = wilson(hits / n, n, level)
    assert float(low) == pytest.approx(found.low, abs=1e-9)
    assert float(high) == pytest.approx(found.high, abs=1e-9)
    flags = np.arange(n) < hits
    assert share_interval(flags, level=level) == pytest.approx((hits / n, found.low, found.high), abs=1e-9)
    # twenty times the weight of all cases tells no more
    assert share_interval(flags, np.full(n, 20.0), level) == pytest.approx((hits / n, found.low, found.high), abs=1e-9)


def test_means_have_the_interval_of_student():
    stats = pytest.importorskip("scipy.stats")
    values = np.random.default_rng(1).gamma(2.0, size=17)
    low, high = stats.t.interval(0.9, 16, values.mean(), stats.sem(values))
    assert mean_interval(values, level=0.9) == pytest.approx((values.mean(), low, high))
    assert mean_interval(values, np.full(17, 0.1), 0.9) == pytest.approx((values.mean(), low, high))
    assert mean_interval([2.0]) == (2.0, -math.inf, math.inf)
    assert effective_number([1e-200, 1e-200]) == 2
    assert effective_number([0.0]) == 0


def test_areas_of_one_have_an_interval_too():
    """Its lower end is the area from which one as far away would just be expected, found here by trying all."""
    curve = roc_curve([True] * 10 + [False] * 30, [0.9] * 10 + [0.1] * 30)
    assert curve.area.value == 1
    assert curve.area.high == 1
    m, n, z = 10, 30, 1.959963984540054
    thetas = np.linspace(0.5, 1, 200001)[:-1]
    spread = (
        thetas
        * (1 - thetas)
        / (m * n)
        * (1 + ((m + n) / 2 - 1) * ((1 - thetas) / (2 - thetas) + thetas / (1 + thetas)))
    )
    inside = 1 - thetas <= z * np.sqrt(spread)
    assert curve.area.low == pytest.approx(thetas[inside].min(), abs=1e-5)
    assert newcombe(0.0, n, m).high == pytest.approx(1 - curve.area.low)


@pytest.mark.parametrize("seed", range(3))
def test_nine_of_ten_intervals_hold_the_truth(seed):
    """Areas of small samples from two normal distributions, whose area is known."""
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(seed)
    truth = stats.norm.cdf(1.2 / math.sqrt(2))
    held = 0
    for _ in range(200):
        scores = np.concatenate([rng.normal(1.2, size=15), rng.normal(size=25)])
        area = roc_curve(np.arange(40) < 15, scores, level=0.9).area
        held += area.low <= truth <= area.high
    assert 0.83 * 200 <= held <= 0.97 * 200


def test_costs_are_what_is_added_up():
    rng = np.random.default_rng(5)
    table = rng.dirichlet([1, 1, 1], size=50)
    codes, weights = rng.integers(3, size=50), rng.random(50)
    matrix = cost_matrix({("a", "b"): 4, ("c", "a"): 2.5}, ["a", "b", "c"])
    assert matrix.tolist() == [[0, 4, 1], [1, 0, 1], [2.5, 1, 0]]
    predicted = table.argmax(axis=1)
    costs = mean_costs(codes, table, predicted, matrix, weights)
    total = sum(weights)
    assert costs.predicted.value == pytest.approx(
        sum(w * matrix[a, b] for w, a, b in zip(weights, codes, predicted, strict=True)) / total
    )
    best = [min(range(3), key=lambda c: sum(p[a] * matrix[a, c] for a in range(3))) for p in table]
    assert costs.least_expected.value == pytest.approx(
        sum(w * matrix[a, b] for w, a, b in zip(weights, codes, best, strict=True)) / total
    )
    constants = [sum(w * matrix[a, c] for w, a in zip(weights, codes, strict=True)) / total for c in range(3)]
    assert costs.constant == pytest.approx(min(constants))
    assert costs.constant_class == constants.index(min(constants))


WRONG = [
    (lambda: roc_curve([True, True], [0.1, 0.2]), DataError, "all cases have the class"),
    (lambda: roc_curve([False, False], [0.1, 0.2]), DataError, "no case has the class"),
    (lambda: roc_curve([True, False], [1.0, 0.5], [0, 1]), DataError, "no case has the class"),
    (lambda: roc_curve([], []), DataError, "no case has the class"),
    (lambda: roc_curve([True, False], [0.1]), DataError, "do not fit"),
    (lambda: lift_curve([True, False], [np.nan, 0.5]), DataError, "not a finite number"),
    (lambda: reliability([True], [1.5]), DataError, "between 0 and 1"),
    (lambda: reliability([True], [0.5], strategy="other"), ParameterError, "quantile, uniform"),
    (lambda: reliability([True], [0.5], 0, strategy="uniform"), ParameterError, "at least 1"),
    (lambda: reliability([], []), DataError, "no cases"),
    (lambda: wilson(0.5, 3, 1.0), ParameterError, "between 0 and 1"),
    (lambda: cost_matrix({("a", "x"): 1}, ["a", "b"]), DataError, "'x', not one of a, b"),
    (lambda: cost_matrix([[0, 1]], ["a", "b"]), DataError, r"\(2, 2\), not \(1, 2\)"),
    (lambda: cost_matrix({("a", "b"): -1}, ["a", "b"]), DataError, "negative"),
]


@pytest.mark.parametrize(("call", "error", "message"), WRONG, ids=[message for *_, message in WRONG])
def test_what_cannot_be_drawn_is_said(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_a_million_cases_without_equal_scores():
    """A case of the class has density 2x, another 2(1 - x), so that the first is larger with probability 5/6."""
    rng = np.random.default_rng(0)
    scores = rng.random(1_000_000)
    own = rng.random(1_000_000) < scores
    curve = roc_curve(own, scores)
    assert curve.area.high - curve.area.low < 0.01
    assert curve.area.low < 5 / 6 < curve.area.high


@pytest.mark.parametrize("steps", [20, 10_000_000])
def test_the_hull_of_many_points_is_that_of_scipy(steps):
    rng = np.random.default_rng(3)
    x, y = (np.sort(np.concatenate([[0, steps], rng.integers(0, steps, 6000)])) / steps for _ in range(2))
    y = np.sqrt(y)  # above the diagonal
    corners = _upper_hull(x, y)
    expected = ConvexHull(np.c_[x, y]).vertices
    above = {(x[i], y[i]) for i in expected if (i in (0, len(x) - 1)) or y[i] > x[i]}
    assert {(x[i], y[i]) for i in corners} == above
