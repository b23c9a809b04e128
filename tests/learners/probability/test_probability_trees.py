"""Probability trees, against the naive version and what the report says of them."""

import itertools

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from naive.candidate_tests import equal_width_cuts as naive_width_cuts
from naive.probability_tree import METHODS, ProbabilityTree, placed_tests
from support.compared import assert_same, naive_data, placed
from support.problems import Problem, problems, random_problem, with_whole_numbers

import ctree
from ctree import ProbabilityTreeClassifier
from ctree.data.bins import equal_frequency_cuts
from ctree.errors import DataError, ParameterError

methods = st.sampled_from(METHODS)
options = st.fixed_dictionaries({"binary": st.booleans(), "min_cases": st.sampled_from([0.01, 1.37, 3.3])})


@settings(deadline=None, max_examples=300)
@given(problems(most_unknown=0.2), methods.filter(lambda m: m != "c4.5"), options, st.booleans())
def test_trees_are_those_of_the_naive_version(problem, method, options, present):
    naive = ProbabilityTree(naive_data(problem), method, present_df=present, **options)
    shared = {"binary_splits": options["binary"], "min_cases": options["min_cases"]}
    model = ProbabilityTreeClassifier(approach=method, present_classes=present, **shared).fit(problem.dataset())
    assert_same(model.unpruned_tree_, naive.grown)
    assert_same(model.tree_, naive.root)
    probabilities = model.predict_proba(problem.dataset())
    for case, found in zip(problem.cases[:20], probabilities[:20].tolist(), strict=True):
        assert found == pytest.approx(naive.probabilities(case), abs=1e-9)
    assert np.abs(probabilities.sum(axis=1) - 1).max() <= 1e-12


@settings(deadline=None, max_examples=100)
@given(problems(most_unknown=0), st.sampled_from([0.25, 0.1, 1.0]), st.booleans(), st.booleans())
def test_pruning_by_errors(problem, confidence, binary, raising):
    # the naive version prunes in 32 bits
    problem = with_whole_numbers(problem)
    naive = ProbabilityTree(naive_data(problem), "c4.5", confidence=confidence, binary=binary, raising=raising)
    model = ProbabilityTreeClassifier(
        approach="c4.5", confidence=confidence, binary_splits=binary, subtree_raising=raising
    ).fit(problem.dataset())
    assert_same(model.tree_, naive.root)


@settings(deadline=None, max_examples=60)
@given(problems(most_cases=120), st.sampled_from([0.25, 0.05]))
def test_without_raising_pruning_leaves_a_part_of_the_tree(problem, confidence):
    model = ProbabilityTreeClassifier(approach="c4.5", confidence=confidence, subtree_raising=False, min_cases=1.3).fit(
        problem.dataset()
    )
    assert placed(model.tree_).items() <= placed(model.unpruned_tree_).items()


def test_raising_is_allowed_unless_refused():
    problem = random_problem(1, 300, 2, [0, 3, 0, 4], noise=0.3)
    default, raised, kept = (
        ProbabilityTreeClassifier(approach="c4.5", **how).fit(problem.dataset()).tree_
        for how in ({}, {"subtree_raising": True}, {"subtree_raising": False})
    )
    assert default == raised != kept


@settings(deadline=None, max_examples=100)
@given(problems(most_cases=40), methods.filter(lambda m: m != "c4.5"), st.integers(0, 2**32 - 1))
def test_weights(problem, method, seed):
    weights = np.random.default_rng(seed).integers(0, 9, size=len(problem.classes)) / 2
    if not weights.any():
        weights[0] = 1.0
    naive = ProbabilityTree(naive_data(problem, weights.tolist()), method, min_cases=1.3)
    model = ProbabilityTreeClassifier(approach=method, min_cases=1.3).fit(problem.dataset(weights))
    assert_same(model.tree_, naive.root)


@settings(deadline=None, max_examples=100)
@given(problems(), methods.filter(lambda m: m != "c4.5"), st.integers(1, 5))
# parts of cases that come to 1.3, but for the last bit
@example(random_problem(1679182072, 34, 3, [6, 3, 0, 6], 0.4, 0.4), "c4.4", 1)
@example(random_problem(646467372, 33, 3, [2, 0, 0], 0.4, 0.0), "c4.4", 5)
@example(random_problem(2020464418, 22, 2, [6, 6, 4, 1, 0], 0.05, 0.4), "c4.4", 5)
def test_listed_thresholds(problem, method, thresholds):
    cuts = [
        None if column is None or n else equal_frequency_cuts(array, thresholds + 1).tolist()
        for column, n, array in zip(problem.columns, problem.n_values, problem.arrays, strict=True)
    ]
    naive = ProbabilityTree(naive_data(problem, cuts=cuts), method, min_cases=1.3)
    model = ProbabilityTreeClassifier(approach=method, max_thresholds=thresholds, min_cases=1.3).fit(problem.dataset())
    assert_same(model.tree_, naive.root)


@settings(deadline=None, max_examples=150)
@given(problems(), methods.filter(lambda m: m != "c4.5"), st.integers(1, 9), st.booleans(), st.integers(0, 2**32 - 1))
def test_thresholds_of_equal_width(problem, method, thresholds, weighted, seed):
    problem = with_whole_numbers(problem)
    weights = None
    if weighted:
        # a case without weight is none, not even at the end of the range
        weights = np.random.default_rng(seed).integers(0, 4, size=len(problem.classes)) / 2
        weights[0] = 1.0
    cuts = [
        None if column is None or n else naive_width_cuts(_weighing(column, weights), thresholds + 1)
        for column, n in zip(problem.columns, problem.n_values, strict=True)
    ]
    data = naive_data(problem, None if weights is None else weights.tolist(), cuts)
    naive = ProbabilityTree(data, method, min_cases=1.3)
    model = ProbabilityTreeClassifier(
        approach=method, max_thresholds=thresholds, threshold_spacing="width", min_cases=1.3
    ).fit(problem.dataset(weights))
    assert_same(model.tree_, naive.root)


def _weighing(column, weights):
    return column if weights is None else [x for x, w in zip(column, weights, strict=True) if w > 0]


def test_a_wide_range_has_its_thresholds_in_the_middle():
    # one value far off: as many cases on either side would be told apart elsewhere
    x = [*range(20), 100]
    y = [int(v >= 10) for v in x]
    wide, even = (
        ProbabilityTreeClassifier(max_thresholds=1, threshold_spacing=spacing).fit(np.c_[x], y).tree_
        for spacing in ("width", "frequency")
    )
    assert (wide.threshold[0], even.threshold[0]) == (50.0, 10.0)


@pytest.mark.parametrize("method", METHODS)
def test_equal_width_of_nothing_and_of_one_value(method):
    X = np.array([[np.nan, 3.0, 1.0], [np.nan, 3.0, 2.0], [np.nan, 3.0, np.nan], [np.nan, 3.0, 3.0]])
    model = ProbabilityTreeClassifier(approach=method, max_thresholds=7, threshold_spacing="width")
    tree = model.fit(X, ["a", "a", "a", "b"]).tree_
    assert set(tree.attribute.tolist()) <= {-1, 2}
    assert model.fit(X[:, :2], ["a", "a", "a", "b"]).tree_.n_leaves == 1


@settings(deadline=None, max_examples=150)
@given(problems(most_cases=120, most_unknown=0), st.booleans())
def test_trees_nest(problem, binary):
    # MDL within BIC within C4.4, and what stops within what is pruned; so the report says, of complete data. Where
    # tests have more branches, each rule has other prices and may take other tests.
    trees = {
        method: placed(ProbabilityTreeClassifier(approach=method, binary_splits=binary).fit(problem.dataset()).tree_)
        for method in ("mdl-stop", "mdl-prune", "bic-stop", "bic-prune", "c4.4")
    }
    for how in ("stop", "prune") if binary else ():
        assert trees[f"mdl-{how}"].items() <= trees[f"bic-{how}"].items() <= trees["c4.4"].items()
    for rule in ("mdl", "bic"):
        assert trees[f"{rule}-stop"].items() <= trees[f"{rule}-prune"].items()


@settings(deadline=None, max_examples=200)
@given(problems(most_unknown=0, most_cases=120), st.sampled_from(["mdl", "bic"]), st.booleans())
def test_two_leaves_are_pruned_just_where_growing_would_stop(problem, rule, binary):
    stopped = ProbabilityTreeClassifier(approach=f"{rule}-stop", binary_splits=binary).fit(problem.dataset()).tree_
    pruned = ProbabilityTreeClassifier(approach=f"{rule}-prune", binary_splits=binary).fit(problem.dataset())
    grown, final = placed(pruned.unpruned_tree_), placed(pruned.tree_)
    lowest = [way for way in grown if not any(other[: len(way)] == way and other != way for other in grown)]
    stops = placed(stopped)
    for way in lowest:
        # a test above the first that stopping refuses is there in both
        if all(way[:k] in stops for k in range(len(way))):
            assert (way in final) == (way in stops)


@settings(deadline=None, max_examples=60)
@given(problems(), methods, st.randoms(use_true_random=False))
def test_order_of_cases_does_not_matter(problem, method, random):
    model = ProbabilityTreeClassifier(approach=method, min_cases=1.3)
    order = list(range(len(problem.classes)))
    random.shuffle(order)
    columns = [None if c is None else [c[i] for i in order] for c in problem.columns]
    shuffled = Problem(columns, problem.n_values, [problem.classes[i] for i in order], problem.n_classes)
    if any(v is None for c in problem.columns if c for v in c):
        # sums of fractions may differ in their last bits, and so may what is all but equal
        one, other = (model.fit(p.dataset()).predict_proba(problem.dataset()) for p in (problem, shuffled))
        assert np.abs(one - other).max() < 1e-6
    else:
        assert model.fit(problem.dataset()).tree_ == model.fit(shuffled.dataset()).tree_


@settings(deadline=None, max_examples=60)
@given(problems(most_unknown=0.1), methods)
def test_a_constant_attribute_is_never_chosen(problem, method):
    columns = [[1] * len(problem.classes), *problem.columns, [2.5] * len(problem.classes)]
    wider = Problem(columns, [3, *problem.n_values, 0], problem.classes, problem.n_classes)
    tree = ProbabilityTreeClassifier(approach=method, min_cases=1.3).fit(wider.dataset()).tree_
    assert not np.isin(tree.attribute, [0, len(columns) - 1]).any()


@pytest.mark.parametrize("method", METHODS)
def test_order_of_attributes_matters_only_in_ties(method):
    problem = random_problem(5, 1500, 3, [0, 4, 0, 2, 0])
    rng = np.random.default_rng(1)
    # a little noise makes all numbers different, and branches of many cases all figures
    columns = [
        [v + rng.random() * 0.01 for v in column] if n == 0 else column
        for column, n in zip(problem.columns, problem.n_values, strict=True)
    ]
    found = []
    for order in ([0, 1, 2, 3, 4], [4, 2, 0, 3, 1]):
        n_values = [problem.n_values[a] for a in order]
        mixed = Problem([columns[a] for a in order], n_values, problem.classes, problem.n_classes)
        tree = ProbabilityTreeClassifier(approach=method, min_cases=60).fit(mixed.dataset()).tree_
        tests = placed(tree)
        found.append({way: (order[test.attribute], test.cut, test.value) for way, test in tests.items()})
    assert found[0] == found[1]
    assert len(found[0]) > 2


@pytest.mark.parametrize("unknown", [0.0, 0.05])
@pytest.mark.parametrize("method", METHODS)
def test_threads_do_not_matter(method, unknown):
    problem = random_problem(3, 20000, 3, [0, 5, 0, 2], unknown=unknown)
    one, two = (
        ProbabilityTreeClassifier(approach=method, n_jobs=n, min_cases=20).fit(problem.dataset()).tree_ for n in (1, 2)
    )
    assert one == two
    assert one.n_nodes > 3


def test_exclusive_or_needs_tests_that_gain_nothing():
    X = np.array(list(itertools.product([0, 1], repeat=2)) * 5)
    y = X[:, 0] ^ X[:, 1]
    sizes = {
        method: ProbabilityTreeClassifier(approach=method, categorical_features=[0, 1]).fit(X, y).tree_.n_leaves
        for method in METHODS
    }
    assert sizes == {m: 1 if m in ("mdl-stop", "bic-stop", "chi2") else 4 for m in METHODS}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"approach": "c5"},
            "approach must be 'c4.5', 'c4.4', 'mdl-stop', 'mdl-prune', 'bic-stop', 'bic-prune' or 'chi2', not 'c5'",
        ),
        ({"m": 0}, "m must be a number at least 1e-200 and at most 1e+15, not 0"),
        ({"prior_weight": -1}, "prior_weight must be a number at least 1e-200 and at most 1e+15 or 'classes', not -1"),
        ({"min_cases": 0}, "min_cases must be a number greater than 0, not 0"),
        ({"min_cases": "1"}, "min_cases must be a number greater than 0, not '1'"),
        ({"significance": 1}, "significance must be a number greater than 0 and less than 1, not 1"),
        ({"confidence": 2}, "confidence must be a number greater than 0 and at most 1, not 2"),
        ({"binary_splits": "no"}, "binary_splits must be True or False, not 'no'"),
        ({"m": float("inf")}, "m must be a number at least 1e-200 and at most 1e+15, not inf"),
        ({"n_jobs": "a"}, "n_jobs must be None or a number of threads up to 1000, -1 for all cores, not 'a'"),
        (
            {"approach": ["c4.4"]},
            "approach must be 'c4.5', 'c4.4', 'mdl-stop', 'mdl-prune', 'bic-stop', 'bic-prune' or 'chi2', not ['c4.4']",
        ),
        ({"max_thresholds": True}, "max_thresholds must be a whole number of at least 1 or None, not True"),
        ({"max_thresholds": 0}, "max_thresholds must be a whole number of at least 1 or None, not 0"),
        ({"threshold_spacing": "log"}, "threshold_spacing must be 'frequency' or 'width', not 'log'"),
        (
            {"threshold_spacing": "width"},
            "threshold_spacing='width' needs max_thresholds, the number of thresholds",
        ),
        ({"estimate": "best"}, "estimate must be 'frequency', 'laplace', 'm', 'dirichlet' or 'm-branch', not 'best'"),
    ],
)
def test_wrong_parameters(parameters, message):
    with pytest.raises(ParameterError) as caught:
        ProbabilityTreeClassifier(**parameters).fit([[1.0], [2.0]], [0, 1])
    assert str(caught.value) == message


@pytest.mark.parametrize("method", ["mdl-stop", "mdl-prune", "bic-stop", "bic-prune", "chi2"])
def test_an_attribute_that_numbers_the_cases_does_not_hide_the_others(method):
    rng = np.random.default_rng(0)
    x = rng.integers(2, size=400)
    y = np.where(rng.random(400) < 0.05, 1 - x, x)
    X = {"id": [f"case {i}" for i in range(400)], "x": x.astype(str).tolist()}
    tree = ProbabilityTreeClassifier(approach=method, binary_splits=False).fit(X, y).tree_
    assert (tree.attribute[0], tree.n_leaves) == (1, 2)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("method", ["c4.4", "bic-prune", "chi2"])
def test_order_of_weighted_cases_does_not_matter(method, scale):
    # copies of an attribute make equal tests, which sums in another order must not tell apart
    rng = np.random.default_rng(3)
    x = rng.random(200)
    X, y = np.column_stack([x, -x, 2 * x + 1]), rng.integers(2, size=200)
    weights = (0.1 + rng.random(200)) * scale
    order = rng.permutation(200)
    model = ProbabilityTreeClassifier(approach=method, min_cases=5 * scale)
    one = model.fit(X, y, weights).tree_
    other = model.fit(X[order], y[order], weights[order]).tree_
    assert one.attribute.tolist() == other.attribute.tolist()


@pytest.mark.parametrize("method", METHODS)
def test_odd_data(method):
    model = ProbabilityTreeClassifier(approach=method)
    with pytest.raises(DataError, match="there are no cases to learn from"):
        model.fit(np.empty((0, 2)), [])
    one_class = model.fit([[1.0], [2.0]], ["a", "a"])
    assert (one_class.tree_.n_leaves, one_class.predict_proba([[7.0]]).tolist()) == (1, [[1.0]])
    blind = model.fit({"x": [None, None, None], "y": [1.0, 2.0, 3.0]}, ["a", "b", "b"])
    assert not (blind.tree_.attribute == 0).any()
    only_unknown = model.fit(np.full((4, 2), np.nan), ["a", "b", "b", "b"])
    assert only_unknown.tree_.n_leaves == 1
    with pytest.raises(DataError, match="the class"):
        ctree.NaiveBayesClassifier().fit([[1.0], [2.0]], ["a", "b"]).partial_fit([[1.0]], ["c"])


def test_a_class_that_was_not_there():
    model = ProbabilityTreeClassifier().fit([[1.0], [2.0], [3.0]], ["a", "b", "b"])
    assert model.score([[1.0], [2.0]], ["a", "c"]) == 0.5


def test_placed_tests_of_both_versions_agree():
    problem = random_problem(11, 80, 3, [0, 3, 2])
    naive = ProbabilityTree(naive_data(problem), "c4.4")
    tree = ProbabilityTreeClassifier(approach="c4.4").fit(problem.dataset()).tree_
    assert placed(tree).keys() == placed_tests(naive.root).keys()
