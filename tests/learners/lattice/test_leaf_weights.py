"""Leaves that say the same are one, whatever the least weight is that is asked for; against the slow recursion."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from naive.all_trees import Lattice as SlowLattice
from naive.all_trees import Problem

import ctree
from ctree.learners.lattice import itemset_weights

VALUES = ("a", "b", "c", "d")


def table(seed, n=24):
    rng = np.random.default_rng(seed)
    return {"x": rng.integers(5, size=n).astype(float), "v": rng.choice(VALUES[: 3 + seed % 2], n)}, rng.integers(
        2, size=n
    )


def points(model):
    """Every case that the tests can tell from others, as values by name."""
    numbers = [test.threshold for test in model.tests_.tests if test.is_threshold]
    return [{"x": x, "v": v} for x, v in product([*numbers, max(numbers, default=0.0) + 1], model.schema_[1].values)]


def expected(model, X, y, max_depth):
    """By the points that meet it, the probability of a leaf by the slow recursion over itemsets."""
    tests = model.tests_
    rows = tests.columns(model._cases(X)).T.astype(int)
    slow = SlowLattice(Problem(rows.tolist(), y.tolist(), 2, max_depth=max_depth, features=tests.attributes.tolist()))
    grid = points(model)
    names = {name: np.array([point[name] for point in grid]) for name in ("x", "v")}
    passed = tests.columns(model._cases(names))
    result = {}
    for itemset, weight in slow.leaf_marginals().items():
        met = np.ones(len(grid), dtype=bool)
        for test, side in itemset:
            met &= passed[test] == side
        key = frozenset(np.flatnonzero(met).tolist())
        result[key] = result.get(key, 0.0) + weight
    return grid, result


def meets(point, condition):
    value = point[condition.attribute]
    if condition.values:
        return value in condition.values
    return value <= condition.at_most if condition.at_most is not None else value > condition.above


def by_points(grid, itemsets):
    given = {}
    for itemset in itemsets:
        key = frozenset(i for i, point in enumerate(grid) if all(meets(point, c) for c in itemset.conditions))
        assert key not in given, "two itemsets that say the same"
        given[key] = itemset.weight
    return given


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("max_depth", [2, 3])
def test_weights_are_those_of_all_itemsets_that_say_the_same(seed, max_depth):
    X, y = table(seed)
    model = ctree.BayesOptimalClassifier(max_depth=max_depth, bins=None, test_prior="per-feature").fit(X, y)
    grid, slow = expected(model, X, y, max_depth)
    for least in (0.3, 0.1, 0.01, 1e-4):
        given = by_points(grid, model.leaf_marginals(least))
        assert given == pytest.approx({key: weight for key, weight in slow.items() if weight >= least}, abs=1e-6)
    case = {"x": 2.0, "v": "b"}
    here = grid.index(case)
    for least in (0.3, 0.1, 0.01, 1e-4):
        given = by_points(grid, model.explain(case, least=least).itemsets)
        assert given == pytest.approx({k: w for k, w in slow.items() if w >= least and here in k}, abs=1e-6)


def test_they_hardly_depend_on_it_where_not_every_itemset_is_looked_at(monkeypatch):
    iris = ctree.load_iris()
    model = ctree.BayesOptimalClassifier(max_depth=3, bins=8).fit(iris)
    case = iris.take(np.array([70]))
    exact = {i.conditions: i.weight for i in model.explain(case, least=1e-6).itemsets}
    monkeypatch.setattr(itemset_weights, "MANY", 200)
    for least in (0.2, 0.01, 0.001):
        few = {i.conditions: i.weight for i in model.explain(case, least=least).itemsets}
        assert few == pytest.approx({c: exact[c] for c in few}, rel=0.05)
        assert {c for c, weight in exact.items() if weight > 1.05 * least} <= few.keys()
