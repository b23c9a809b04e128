"""Bayesian trees and their averages, against the naive version."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.bayesian_averages import average_along_by_listing, average_of_prunings_by_listing
from naive.bayesian_tree import BayesianTree
from naive.candidate_tests import paths
from support.compared import assert_same, naive_data
from support.problems import Problem, problems, random_problem, with_whole_numbers

from ctree import BayesianTreeClassifier
from ctree.errors import DataError, ParameterError

parameters = st.fixed_dictionaries(
    {
        "prior_weight": st.sampled_from([1.0, 2.0, 2.0, 0.3, "classes"]),
        "nonuniform": st.booleans(),
        "bins": st.sampled_from([None, 5, 3]),
        "unknown": st.sampled_from(["fractions", "fractions", "impute"]),
        "threshold_prior": st.sampled_from(["shared", "each"]),
    }
)
AVERAGING = {"path": True, "prunings": "prunings", "none": False}
"""What the naive version calls it."""

averages = st.sampled_from(list(AVERAGING))


def ours(parameters):
    """The parameters of the naive version by the names that they have here."""
    return {name: value for name, value in parameters.items() if name != "nonuniform"} | {
        "uniform_prior": not parameters["nonuniform"]
    }


@settings(deadline=None, max_examples=300)
@given(problems(most_cases=80, most_unknown=0.3), parameters, averages)
@pytest.mark.slow
def test_trees_are_those_of_the_naive_version(problem, parameters, averaging):
    if parameters["unknown"] == "impute":  # a mean may be a value of the data, but for the last bit
        problem = with_whole_numbers(problem)
    naive = BayesianTree(naive_data(problem), **parameters)
    model = BayesianTreeClassifier(averaging=averaging, min_cases=1e-12, **ours(parameters)).fit(problem.dataset())
    assert_same(model.tree_, naive.root)
    probabilities = model.predict_proba(problem.dataset())
    for case, found in zip(problem.cases[:20], probabilities[:20].tolist(), strict=True):
        assert found == pytest.approx(naive.probabilities(case, AVERAGING[averaging]), abs=1e-9)
    assert np.abs(probabilities.sum(axis=1) - 1).max() <= 1e-12


@settings(deadline=None, max_examples=100)
@given(problems(most_cases=25, most_unknown=0.2), parameters, averages)
def test_cases_in_branches_that_no_training_case_took(problem, parameters, averaging):
    # Every value of the first discrete attributes with every other: few of these are among so few cases.
    choices = [range(n) if n else [None] for n in problem.n_values]
    cases = [list(case) for case in itertools.islice(itertools.product(*choices), 60)]
    columns = [None if c is None else list(v) for c, v in zip(problem.columns, zip(*cases, strict=True), strict=True)]
    other = Problem(columns, problem.n_values, [0] * len(cases), problem.n_classes)
    if parameters["unknown"] == "impute":
        problem = with_whole_numbers(problem)
    naive = BayesianTree(naive_data(problem), **parameters)
    model = BayesianTreeClassifier(averaging=averaging, min_cases=1e-12, **ours(parameters)).fit(problem.dataset())
    for case, found in zip(cases, model.predict_proba(other.dataset()).tolist(), strict=True):
        assert found == pytest.approx(naive.probabilities(case, AVERAGING[averaging]), abs=1e-9)


@pytest.mark.parametrize("estimate", ["dirichlet", "laplace", "m", "m-branch", "frequency"])
def test_a_branch_without_cases_predicts_what_the_node_above_it_does(estimate):
    # Values 0 and 1 divide the classes; 2 never occurs. Most cases are of the last class.
    problem = Problem([[0] * 10 + [1] * 20], [3], [0] * 10 + [1] * 20, 2)
    model = BayesianTreeClassifier(averaging="none", estimate=estimate).fit(problem.dataset())
    tree = model.tree_
    assert tree.cases.tolist() == [30, 10, 20, 0]
    assert tree.probabilities[3].tolist() == tree.probabilities[0].tolist()
    unseen = Problem([[0, 1, 2]], [3], [0, 0, 0], 2).dataset()
    assert model.predict_codes(unseen).tolist() == [0, 1, 1]
    assert tree.best.tolist() == [1, 0, 1, 1]


@settings(deadline=None, max_examples=100)
@given(problems(most_cases=60), parameters, st.integers(0, 2**32 - 1))
def test_weights(problem, parameters, seed):
    weights = np.random.default_rng(seed).integers(0, 9, size=len(problem.classes)) / 2
    if not weights.any():
        weights[0] = 1.0
    kept = np.flatnonzero(weights)
    columns = [None if c is None else [c[i] for i in kept] for c in problem.columns]
    problem = Problem(columns, problem.n_values, [problem.classes[i] for i in kept], problem.n_classes)
    problem = with_whole_numbers(problem)
    naive = BayesianTree(naive_data(problem, weights[kept].tolist()), **parameters)
    model = BayesianTreeClassifier(min_cases=1e-12, **ours(parameters)).fit(problem.dataset(weights[kept]))
    assert_same(model.tree_, naive.root)


def n_prunings(node) -> int:
    """How many trees pruning can make of one."""
    return 1 + math.prod(n_prunings(branch) for branch in node.branches) if node.branches else 1


@settings(deadline=None, max_examples=60)
@given(problems(most_cases=80, most_unknown=0.2), parameters, st.sampled_from([0.5, 0.2, 0.9]))
@pytest.mark.slow
def test_averages_are_those_over_all_trees_listed(problem, parameters, split_prior):
    problem = with_whole_numbers(problem)
    naive = BayesianTree(naive_data(problem), **parameters)
    along = BayesianTreeClassifier(min_cases=1e-12, **ours(parameters)).fit(problem.dataset())
    pruned = BayesianTreeClassifier(averaging="prunings", split_prior=split_prior, min_cases=1e-12, **ours(parameters))
    pruned.fit(problem.dataset())
    few = n_prunings(naive.root) < 200
    data = problem.dataset()
    for case, path_average, pruning_average in zip(
        problem.cases[:5], along.predict_proba(data)[:5], pruned.predict_proba(data)[:5], strict=True
    ):
        case = [naive.prepared(value, a) for a, value in enumerate(case)]
        expected = np.sum([s * np.array(average_along_by_listing(way)) for s, way in paths(naive.root, case)], axis=0)
        assert path_average.tolist() == pytest.approx(expected.tolist(), abs=1e-9)
        if few:
            listed = average_of_prunings_by_listing(naive.root, case, split_prior)
            assert pruning_average.tolist() == pytest.approx(listed, abs=1e-9)


def worked_tree(**parameters):
    """The spec's example: the root (6,4) has branches (6,1) and (0,3), the first of them (5,0) and (1,1)."""
    x = ["L"] * 7 + ["R"] * 3
    z = ["l"] * 5 + ["r", "r"] + ["l", "l", "r"]
    y = ["a"] * 6 + ["b"] * 4
    return BayesianTreeClassifier(uniform_prior=True, **parameters).fit({"x": x, "z": z}, y)


def test_worked_numbers():
    LL = {"x": ["L"], "z": ["l"]}
    model = worked_tree()
    assert model.tree_.class_counts.tolist() == [[6, 4], [6, 1], [0, 3], [5, 0], [1, 1]]
    assert round(model.predict_proba(LL)[0, 0], 6) == 0.817212
    weights = model.node_weights_
    along = [(1 - weights[1]) * (1 - weights[3]), weights[1] * (1 - weights[3]), weights[3]]
    assert np.round(along, 6).tolist() == [0.036558, 0.376999, 0.586443]
    assert round(worked_tree(averaging="none").predict_proba(LL)[0, 0], 6) == 0.857143
    assert round(worked_tree(averaging="prunings").predict_proba(LL)[0, 0], 6) == 0.808964


@pytest.mark.parametrize("averaging", ["path", "prunings"])
def test_a_million_cases(averaging):
    rng = np.random.default_rng(0)
    x, z = rng.integers(2, size=10**6), rng.integers(3, size=10**6)
    y = np.where(rng.random(10**6) < 0.2, rng.integers(2, size=10**6), x)
    model = BayesianTreeClassifier(averaging=averaging, categorical_features=[0, 1]).fit(np.column_stack([x, z]), y)
    found = model.predict_proba([[0, 0], [1, 2]])
    assert np.isfinite(found).all()
    assert np.abs(found - [[0.9, 0.1], [0.1, 0.9]]).max() < 0.005


@settings(deadline=None, max_examples=60)
@given(problems(most_unknown=0.1), parameters)
def test_a_constant_attribute_is_never_chosen(problem, parameters):
    columns = [[1] * len(problem.classes), *problem.columns, [2.5] * len(problem.classes)]
    wider = Problem(columns, [3, *problem.n_values, 0], problem.classes, problem.n_classes)
    tree = BayesianTreeClassifier(**ours(parameters)).fit(wider.dataset()).tree_
    assert not np.isin(tree.attribute, [0, len(columns) - 1]).any()


@given(problems(most_unknown=0), parameters)
def test_on_complete_data_one_case_is_no_more_than_none(problem, parameters):
    free, default = (BayesianTreeClassifier(**ours(parameters), **more) for more in ({"min_cases": 1e-12}, {}))
    assert free.fit(problem.dataset()).tree_ == default.fit(problem.dataset()).tree_


@settings(deadline=None, max_examples=60)
@given(problems(most_unknown=0), parameters, st.randoms(use_true_random=False))
def test_order_of_cases_does_not_matter(problem, parameters, random):
    order = list(range(len(problem.classes)))
    random.shuffle(order)
    columns = [None if c is None else [c[i] for i in order] for c in problem.columns]
    shuffled = Problem(columns, problem.n_values, [problem.classes[i] for i in order], problem.n_classes)
    model = BayesianTreeClassifier(**ours(parameters))
    assert model.fit(problem.dataset()).tree_ == model.fit(shuffled.dataset()).tree_


@pytest.mark.parametrize("bins", [None, 5])
@pytest.mark.parametrize("unknown", [0.0, 0.05])
def test_threads_do_not_matter(unknown, bins):
    problem = random_problem(3, 20000, 4, [0, 5, 0, 2], unknown=unknown)
    one, two = (BayesianTreeClassifier(bins=bins, n_jobs=n).fit(problem.dataset()).tree_ for n in (1, 2))
    assert one == two
    assert one.n_nodes > 3


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"prior_weight": 0}, "prior_weight must be a number at least 1e-200 and at most 1e+15 or 'classes', not 0"),
        (
            {"prior_weight": "all"},
            "prior_weight must be a number at least 1e-200 and at most 1e+15 or 'classes', not 'all'",
        ),
        ({"min_cases": 0}, "min_cases must be a number greater than 0, not 0"),
        ({"m": -1}, "m must be a number at least 1e-200 and at most 1e+15, not -1"),
        ({"averaging": True}, "averaging must be 'path', 'prunings' or 'none', not True"),
        ({"bins": 0}, "bins must be a whole number of at least 1 or None, not 0"),
        ({"bins": 2.5}, "bins must be a whole number of at least 1 or None, not 2.5"),
        ({"unknown": "drop"}, "unknown must be 'fractions' or 'impute', not 'drop'"),
        ({"averaging": "all"}, "averaging must be 'path', 'prunings' or 'none', not 'all'"),
        ({"uniform_prior": 1}, "uniform_prior must be True or False, not 1"),
        ({"split_prior": 1}, "split_prior must be a number greater than 0 and less than 1, not 1"),
        ({"estimate": "best"}, "estimate must be 'frequency', 'laplace', 'm', 'dirichlet' or 'm-branch', not 'best'"),
    ],
)
def test_wrong_parameters(parameters, message):
    with pytest.raises(ParameterError) as caught:
        BayesianTreeClassifier(**parameters).fit([[1.0], [2.0]], [0, 1])
    assert str(caught.value) == message


@pytest.mark.parametrize("unknown", ["fractions", "impute"])
@pytest.mark.parametrize("bins", [5, None])
def test_odd_data(bins, unknown):
    model = BayesianTreeClassifier(bins=bins, unknown=unknown)
    with pytest.raises(DataError, match="there are no cases to learn from"):
        model.fit(np.empty((0, 2)), [])
    one_class = model.fit([[1.0], [2.0]], ["a", "a"])
    assert (one_class.tree_.n_leaves, one_class.predict_proba([[7.0]]).tolist()) == (1, [[1.0]])
    only_unknown = model.fit(np.full((4, 2), np.nan), ["a", "b", "b", "b"])
    assert only_unknown.predict_proba([[1.0, 2.0]]).tolist() == [[2 / 6, 4 / 6]]


def test_leaves_show_the_class_that_they_predict():
    problem = random_problem(2, 300, 3, [0, 6, 4, 0], noise=0.4)
    model = BayesianTreeClassifier().fit(problem.dataset())
    tree = model.tree_
    leaves = tree.apply(model._tree_cases(problem.dataset()))
    assert (tree.best[leaves] == model.predict_codes(problem.dataset())).all()
    assert (tree.best != tree.class_counts.argmax(axis=1)).any()
    wrong = tree.cases - tree.class_counts[np.arange(tree.n_nodes), tree.best]
    assert tree.errors.tolist() == wrong.tolist()


def test_many_classes_take_little_memory():
    rng = np.random.default_rng(0)
    y = rng.integers(3000, size=6000)
    model = BayesianTreeClassifier(bins=2).fit(rng.random((6000, 1)), y)
    assert np.isfinite(model.predict_proba([[0.5]])).all()


@pytest.mark.parametrize("prior_weight", [1e-200, 1e8])
def test_extreme_priors(prior_weight):
    problem = random_problem(4, 60, 2, [2, 3, 2])
    naive = BayesianTree(naive_data(problem), prior_weight=1.0)
    assert naive.root.test is not None
    model = BayesianTreeClassifier(prior_weight=prior_weight, uniform_prior=True).fit(problem.dataset())
    if prior_weight > 1:
        # ln B = sum of (n - expected)² / S, nearly: the least gain counts
        root = np.array([b.counts for b in naive.root.branches])
        assert model.tree_.n_leaves >= root.shape[0]
    else:
        assert np.isfinite(model.predict_proba(problem.dataset())).all()


def test_a_mean_that_does_not_overflow():
    X = {"d": [1.5e308, 1.6e308, None, -1.0]}
    model = BayesianTreeClassifier(unknown="impute", bins=None).fit(X, ["a", "a", "b", "b"])
    assert model.fillers_[0] == pytest.approx(1.5e308 / 3 + 1.6e308 / 3)


def test_an_interrupted_fit_changes_nothing(monkeypatch):
    problem = random_problem(4, 60, 2, [0, 3, 2])
    model = BayesianTreeClassifier().fit(problem.dataset())
    before = model.predict_proba(problem.dataset())

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(BayesianTreeClassifier, "_settings", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(random_problem(5, 80, 2, [0, 3, 2]).dataset())
    assert model.predict_proba(problem.dataset()).tolist() == before.tolist()


def test_imputed_values_are_those_of_the_training_cases():
    X = {"x": ["u", "u", "v", None], "t": [1.0, 3.0, None, 5.0]}
    model = BayesianTreeClassifier(unknown="impute", bins=2).fit(X, ["a", "a", "b", "b"])
    assert model.fillers_ == [0, 3.0]
    assert (
        model.predict_proba({"x": [None], "t": [None]}).tolist()
        == model.predict_proba({"x": ["u"], "t": [3.0]}).tolist()
    )
