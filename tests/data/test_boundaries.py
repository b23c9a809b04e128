"""Thresholds where the classes change, by the definitions."""

from itertools import pairwise
from math import log

import numpy as np
import pytest

import ctree
from ctree.data.binary_tests import BinaryTests
from ctree.data.boundaries import chosen_places, is_boundary, middle, most_thresholds
from ctree.data.schema import Attribute, Kind, Schema


def entropy(counts):
    """Of one part, times its cases."""
    n = sum(counts)
    return -sum(c * log(c / n) for c in counts if c)


def parts(counts, places):
    """The class counts of the parts that thresholds make."""
    bounds = [0, *(p + 1 for p in sorted(places)), len(counts)]
    return [np.sum(counts[a:b], axis=0).tolist() for a, b in pairwise(bounds)]


def slow_choice(counts, most, min_cases):
    """One after the other, each by the entropy of all parts."""
    n = int(np.sum(counts))
    able = [i for i in range(len(counts) - 1) if min_cases <= np.sum(counts[: i + 1]) <= n - min_cases]
    if len(able) <= most:
        return able
    able = [i for i in able if np.count_nonzero(np.add(counts[i], counts[i + 1])) > 1]
    if len(able) <= most:
        return able
    chosen = []
    while len(chosen) < most:
        left = {i: sum(map(entropy, parts(counts, [*chosen, i]))) for i in able if i not in chosen}
        least = min(left.values())
        chosen.append(min(i for i, h in left.items() if h < least + 1e-7))
    return sorted(chosen)


@pytest.mark.parametrize("seed", range(60))
def test_the_choice_is_the_slow_one(seed):
    rng = np.random.default_rng(seed)
    n_classes = int(rng.integers(2, 5))
    counts = rng.multinomial(3, rng.dirichlet(np.full(n_classes, 0.4)), size=int(rng.integers(2, 25)))
    for most in (1, 2, 4, 30):
        for min_cases in (1, 5):
            assert chosen_places(counts, most, min_cases) == slow_choice(counts.tolist(), most, min_cases)


@pytest.mark.parametrize("seed", range(20))
def test_no_other_threshold_makes_fewer_errors(seed):
    rng = np.random.default_rng(seed)
    x = rng.integers(40, size=60)
    classes = np.where(rng.random(60) < 0.1, rng.integers(3, size=60), x // 9 % 3)
    values = np.unique(x)
    counts = np.array([[np.sum(classes[x == v] == c) for c in range(3)] for v in values])
    boundary = np.flatnonzero(is_boundary(counts)).tolist()
    assert len(boundary) < len(values) - 1

    def errors(place):
        low = x <= values[place]
        return sum(np.sum(side) - np.bincount(classes[side]).max() for side in (low, ~low))

    assert min(map(errors, boundary)) == min(map(errors, range(len(values) - 1)))


def test_thresholds_lie_in_the_middle_and_unknown_values_count_where_they_are_filled_in():
    x = np.array([1.0, 2.0, 3.0, 4.0, 5.0, np.nan, np.nan])
    data = ctree.from_arrays(x[:, None], ["a", "a", "a", "b", "b", "b", "b"])
    tests = BinaryTests.at_boundaries(data)
    assert [t.threshold for t in tests.tests] == [1.5, 2.5, 3.5, 4.5]
    assert tests.fill == (3.0,)
    many = np.arange(40.0)
    data = ctree.from_arrays(np.append(many, [np.nan] * 2)[:, None], ["a"] * 20 + ["b"] * 20 + ["a"] * 2)
    assert [t.threshold for t in BinaryTests.at_boundaries(data).tests] == [19.5]
    data = ctree.from_arrays(np.append(many, [np.nan] * 2)[:, None], ["a"] * 20 + ["b"] * 20 + ["b"] * 2)
    assert [t.threshold for t in BinaryTests.at_boundaries(data).tests] == [18.5, 19.5]


def test_nothing_to_test():
    data = ctree.from_arrays(np.array([[np.nan, 2.0], [np.nan, 2.0], [np.nan, 2.0]]), ["a", "b", "a"])
    tests = BinaryTests.at_boundaries(data)
    assert (len(tests), tests.described()) == (0, "no test")
    assert (middle(1.0, np.nextafter(1.0, 2.0)), middle(-1.7e308, 1.7e308)) == (1.0, 0.0)


@pytest.mark.parametrize(("n", "most"), [(0, 16), (1, 16), (4, 16), (8, 8), (20, 4), (500, 4)])
def test_how_many_thresholds_there_may_be(n, most):
    attributes = [Attribute(f"x{i}", Kind.CONTINUOUS) for i in range(n)]
    assert most_thresholds(Schema((*attributes, Attribute("d", Kind.DISCRETE, ("u", "v"))), ("a", "b"))) == most


def test_iris_needs_thresholds_between_the_bins():
    iris = ctree.load_iris()
    model = ctree.OptimalTreeClassifier(max_depth=2).fit(iris)
    assert (model.objective_, model.optimal_) == (6.0, True)
    assert model.objective_ == ctree.OptimalTreeClassifier(max_depth=2, bins=None).fit(iris).objective_
    assert model.proof_ == (
        f"the best of all trees of depth 2 or less with these tests: {len(model.tests_)} thresholds of 4 attributes"
    )
    assert model.summary()["proof"] == model.proof_
    # where tests have a prior, it does not look at the classes
    for learner in (ctree.OptimalTreeClassifier(objective="posterior"), ctree.BayesOptimalClassifier()):
        assert learner.set_params(max_depth=2).fit(iris).tests_ == BinaryTests.in_bins(iris, 4)


def test_what_a_proof_covers_is_said():
    model = ctree.OptimalTreeClassifier(max_depth=None, min_cases=3, bins=4).fit(ctree.load_golf())
    assert model.proof_ == (
        "the best of all trees, with 3 cases or more in each leaf, with these tests: "
        "6 thresholds of 2 attributes and 4 values of 2"
    )
    model.optimal_, model.bound_ = False, 1.0
    assert model.proof_.startswith("none that it is the best of all trees")
    assert model.proof_.endswith("; bound 1")
