"""Kappa, costs and cost curves, against loops and scikit-learn."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive.costs import best_threshold_cost, cheapest
from naive.costs import kappa as naive_kappa
from naive.costs import mean_cost as naive_mean_cost
from support.committees import shop
from support.costly import cases, costs_of

import ctree
from ctree.errors import DataError, ParameterError
from ctree.evaluate.curves.cost import cost_curve
from ctree.evaluate.measures import kappa, mean_cost

CODES = st.integers(0, 3)


@st.composite
def predictions(draw):
    n = draw(st.integers(1, 30))
    lists = [draw(st.lists(CODES, min_size=n, max_size=n)) for _ in range(2)]
    return *lists, draw(st.lists(st.sampled_from([0.5, 1.0, 2.0, 7.0]), min_size=n, max_size=n))


@given(predictions())
def test_kappa_is_that_of_the_loops(drawn):
    expected = naive_kappa(*drawn)
    found = kappa(*drawn)
    assert math.isnan(found) if expected is None else found == pytest.approx(expected, abs=1e-12)


@given(predictions())
def test_kappa_is_that_of_scikit_learn(drawn):
    metrics = pytest.importorskip("sklearn.metrics")
    true, predicted, weights = drawn
    if len({*true, *predicted}) > 1:
        expected = metrics.cohen_kappa_score(true, predicted, sample_weight=weights)
        assert kappa(true, predicted, weights) == pytest.approx(expected, abs=1e-12)


@given(predictions(), st.integers(0, 100))
def test_mean_cost_is_that_of_the_loops(drawn, seed):
    matrix = np.random.default_rng(seed).integers(0, 9, (4, 4)) * (1.0 - np.eye(4))
    expected = naive_mean_cost(*drawn[:2], matrix.tolist(), drawn[2])
    assert mean_cost(*drawn[:2], matrix, drawn[2]) == pytest.approx(expected, abs=1e-12)


def test_nothing_to_measure():
    for measure in (kappa, lambda *codes: mean_cost(*codes, np.zeros((2, 2)))):
        with pytest.raises(DataError, match="there are no cases to evaluate"):
            measure([], [])


@given(
    st.lists(
        st.tuples(st.booleans(), st.integers(0, 6), st.sampled_from([0.5, 1.0, 3.0])), min_size=2, max_size=25
    ).filter(lambda rows: len({has for has, _, _ in rows}) == 2)
)
def test_cost_curves_are_the_best_of_all_thresholds(rows):
    has, scores, weights = (list(column) for column in zip(*rows, strict=True))
    curve = cost_curve(has, [s / 6 for s in scores], weights)
    for share in np.linspace(0, 1, 21):
        found = np.interp(share, curve.probability_cost, curve.expected_cost)
        expected = best_threshold_cost(has, [s / 6 for s in scores], float(share), weights)
        assert found == pytest.approx(expected, abs=1e-9)


class TestComparison:
    def test_costs_of_each_split_are_those_of_the_loops(self):
        data, costs = cases(1, 90), costs_of(1)
        learners = {"plain": ctree.BayesianTreeClassifier(), "dear": ctree.BayesianTreeClassifier(costs=costs)}
        folds = ctree.StratifiedFolds(3, 1)
        result = ctree.compare({"a": data}, learners, protocol=folds, costs=costs)
        ((_, splits),) = folds.series(data.classes)
        for run, split in enumerate(splits):
            test = data.take(split.test)
            model = ctree.BayesianTreeClassifier().fit(data.take(split.train))
            true, ones = test.classes.tolist(), [1] * test.n_cases
            best = [cheapest(p, costs.tolist()) for p in model.predict_proba(test).tolist()]
            by_plain = naive_mean_cost(true, model.predict_codes(test).tolist(), costs.tolist(), ones)
            by_costs = naive_mean_cost(true, best, costs.tolist(), ones)
            assert result.scores["cost"][0, :, run] == pytest.approx([by_plain, by_costs])
            assert result.scores["least-cost"][0, :, run] == pytest.approx([by_costs, by_costs])
            expected = naive_kappa(true, model.predict_codes(test).tolist(), ones)
            assert result.scores["kappa"][0, 0, run] == pytest.approx(expected)

    def test_weights_of_cases_count(self):
        data = cases(1, 60)
        weighed = data.with_weights(np.arange(60) % 3 + 1.0)
        result = ctree.compare(
            {"a": weighed}, [ctree.NaiveBayesClassifier()], protocol=ctree.Holdout(0.5, 1), costs=costs_of(1)
        )
        ((_, (split,)),) = ctree.Holdout(0.5, 1).series(data.classes)
        model, test = ctree.NaiveBayesClassifier().fit(weighed.take(split.train)), weighed.take(split.test)
        expected = naive_mean_cost(
            test.classes.tolist(), model.predict_codes(test).tolist(), costs_of(1).tolist(), test.weights.tolist()
        )
        assert result.means("cost")[0, 0] == pytest.approx(expected)

    def test_sets_may_have_costs_of_their_own(self):
        sets = {"a": cases(1), "b": cases(2), "c": cases(3)}
        folds = ctree.StratifiedFolds(2, 1)
        result = ctree.compare(
            sets, [ctree.NaiveBayesClassifier()], protocol=folds, costs={"a": costs_of(1), "b": costs_of(2)}
        )
        assert set(result.costs) == {"a", "b"}
        assert np.isfinite(result.means("cost")[:, 0]).tolist() == [True, True, False]
        with pytest.raises(ParameterError, match=re.escape("costs are for a set 'd', but the sets are a, b, c")):
            ctree.compare(sets, [ctree.NaiveBayesClassifier()], costs={"d": costs_of(1)})
        with pytest.raises(DataError, match="a: the costs name a class 'x'"):
            ctree.compare(sets, [ctree.NaiveBayesClassifier()], costs={("x", "good"): 1})

    def test_without_costs_there_is_no_such_table(self):
        result = ctree.compare({"a": cases(1)}, [ctree.NaiveBayesClassifier()], protocol=ctree.StratifiedFolds(2, 1))
        assert np.isnan(result.scores["cost"]).all()
        with pytest.raises(ParameterError, match="the measure 'cost' needs to know what errors cost"):
            ctree.measure_table(result, "cost")

    def test_linked_tables(self):
        costs = {("yes", "no"): 4}
        learners = {"plain": ctree.RelationalTreeClassifier(), "dear": ctree.RelationalTreeClassifier(costs=costs)}
        result = ctree.compare({"shop": shop()}, learners, protocol=ctree.StratifiedFolds(2, 1), costs=costs)
        assert result.scores["least-cost"][0, 0] == pytest.approx(result.scores["cost"][0, 1])

    def test_learners_of_others_are_measured_too(self):
        tree = pytest.importorskip("sklearn.tree").DecisionTreeClassifier(max_depth=2, random_state=0)
        result = ctree.compare({"a": cases(1)}, [tree], protocol=ctree.StratifiedFolds(2, 1), costs=costs_of(1))
        assert all(np.isfinite(result.means(measure)).all() for measure in ("cost", "least-cost", "kappa"))
