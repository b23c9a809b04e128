"""Trees within limits: how deep, how many leaves, how much gain, which attributes below which."""

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.bayes_criteria import information
from naive.j48_main import learn as naive_j48
from naive.limited_growth import (
    LimitedBayesianTree,
    LimitedJ48,
    LimitedProbabilityTree,
    LimitedRelease8,
    chosen,
    collapse_release8,
)
from naive.probability_tree import METHODS
from naive.release8_numbers import f
from naive.release8_prune import prune as naive_prune
from support.compared import assert_same, naive_data
from support.j48_trees import assert_same_tree
from support.j48_trees import naive_data as j48_data
from support.limits import first_tests, naive_limits, parameters_of, settings_of_limits, with_first
from support.problems import as_nodes, problems, random_problem

import ctree
from ctree import BayesianTreeClassifier, C45Classifier, CommitteeClassifier, ProbabilityTreeClassifier
from ctree.errors import NamingError, ParameterError

methods = st.sampled_from([method for method in METHODS if method != "c4.5"])
weighing = st.one_of(st.none(), st.integers(0, 2**32 - 1))


def weights_of(problem, seed, least=0):
    """None, or a weight for each case."""
    if seed is None:
        return None
    weights = np.random.default_rng(seed).integers(least, 9, size=len(problem.classes)) / 2
    weights[0] = 1.0
    return weights


def assert_probability_tree(problem, method, binary, limits, seed):
    """The tree before and after pruning is that of a plain loop."""
    weights = weights_of(problem, seed)
    data = naive_data(problem, None if weights is None else weights.tolist())
    naive = LimitedProbabilityTree(data, method, naive_limits(limits), binary=binary, min_cases=1.37)
    model = ProbabilityTreeClassifier(
        approach=method, binary_splits=binary, min_cases=1.37, **parameters_of(problem, limits)
    ).fit(problem.dataset(weights))
    assert_same(model.unpruned_tree_, naive.grown)
    assert_same(model.tree_, naive.root)


@pytest.mark.filterwarnings("ignore::ctree.errors.SmallWeightsWarning")
@settings(deadline=None, max_examples=150)
@given(problems(most_unknown=0.2), methods, st.booleans(), settings_of_limits, weighing)
def test_probability_trees_are_those_of_a_plain_best_first_loop(problem, method, binary, limits, seed):
    if method == "chi2":
        limits = {**limits, "min_gain": None}
    assert_probability_tree(problem, method, binary, limits, seed)


@settings(deadline=None, max_examples=120)
@given(problems(most_unknown=0.2), settings_of_limits, st.booleans(), st.sampled_from([None, 3]), weighing)
def test_bayesian_trees_are_those_of_a_plain_best_first_loop(problem, limits, shared, bins, seed):
    weights = weights_of(problem, seed)
    prior = "shared" if shared else "each"
    data = naive_data(problem, None if weights is None else weights.tolist())
    naive = LimitedBayesianTree(data, naive_limits(limits), bins=bins, nonuniform=True, threshold_prior=prior)
    model = BayesianTreeClassifier(
        bins=bins, threshold_prior=prior, min_cases=1e-12, averaging="prunings", **parameters_of(problem, limits)
    ).fit(problem.dataset(weights))
    assert_same(model.tree_, naive.root)
    for case, found in zip(problem.cases[:10], model.predict_proba(problem.dataset())[:10].tolist(), strict=False):
        assert found == pytest.approx(naive.probabilities(case, "prunings"), abs=1e-9)


options_of_release8 = st.fixed_dictionaries(
    {
        "min_cases": st.sampled_from([1, 2, 3]),
        "criterion": st.sampled_from(["gain", "gain-ratio"]),
        "group_values": st.booleans(),
    }
)


def naive_release8(problem, options, limits):
    """The tree of release 8 within limits, as it was grown and as it was pruned."""
    grower = LimitedRelease8(
        *problem.arguments, options["min_cases"], options["criterion"] == "gain", options["group_values"]
    )
    grower.limits = naive_limits(limits)
    root = grower.grow()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        node.errors = f(node.cases - node.counts[node.cls])
        waiting.extend(node.branches)
    chosen(root, grower.limits.max_leaves, lambda node: information(node.counts))
    collapse_release8(root)
    return root, naive_prune(copy.deepcopy(root), *problem.arguments, 0.25, grower.cases)


@settings(deadline=None, max_examples=150)
@given(problems(), options_of_release8, settings_of_limits)
def test_trees_of_release_8_are_the_naive_ones(problem, options, limits):
    grown, pruned = naive_release8(problem, options, limits)
    model = C45Classifier(**options, **parameters_of(problem, limits)).fit(problem.dataset())
    assert plain(as_nodes(problem, model.unpruned_tree_.arrays)) == plain(grown)
    assert plain(as_nodes(problem, model.tree_.arrays)) == plain(pruned)


def plain(node):
    """What there is to compare of a node: groups of values stand beside their branches."""
    return (
        (node.kind, node.cls, node.counts, node.cases, node.errors, node.attribute, node.threshold, node.groups),
        [plain(branch) for branch in node.branches],
    )


@settings(deadline=None, max_examples=120)
@given(problems(), settings_of_limits, st.booleans(), st.sampled_from([True, False, "reduced-error"]), weighing)
def test_trees_of_j48_are_the_naive_ones(problem, limits, binary, prune, seed):
    weights = weights_of(problem, seed, least=1)
    kept = [a for a, column in enumerate(problem.columns) if column is not None]

    class Limited(LimitedJ48):
        limits = None

        def node(self, share, path=()):
            root = super().node(share, path)
            if not path:
                chosen(root, self.limits.max_leaves, lambda node: information(node.share.counts))
            return root

    Limited.limits = naive_limits(limits, kept)
    naive = naive_j48(
        j48_data(problem),
        weights,
        binary=binary,
        unpruned=prune is False,
        reduced_error=prune == "reduced-error",
        grower=Limited,
    )
    model = C45Classifier(variant="j48", binary_splits=binary, prune=prune, **parameters_of(problem, limits))
    assert_same_tree(model.fit(problem.dataset(weights)).tree_, naive, kept)


@settings(deadline=None, max_examples=120)
@given(problems(most_unknown=0.2), methods, st.booleans(), settings_of_limits, first_tests, weighing)
def test_probability_trees_make_the_tests_that_come_first(problem, method, binary, limits, tests, seed):
    limits = with_first(problem, {**limits, "min_gain": None, "max_leaves": None}, tests)
    assert_probability_tree(problem, method, binary, limits, seed)


@settings(deadline=None, max_examples=80)
@given(problems(most_unknown=0.2), st.booleans(), first_tests, weighing)
def test_bayesian_trees_make_the_tests_that_come_first(problem, shared, tests, seed):
    limits = with_first(problem, {"max_leaves": None, "min_gain": None}, tests)
    weights = weights_of(problem, seed)
    prior = "shared" if shared else "each"
    data = naive_data(problem, None if weights is None else weights.tolist())
    naive = LimitedBayesianTree(data, naive_limits(limits), bins=None, nonuniform=True, threshold_prior=prior)
    model = BayesianTreeClassifier(threshold_prior=prior, min_cases=1e-12, **parameters_of(problem, limits))
    assert_same(model.fit(problem.dataset(weights)).tree_, naive.root)


@settings(deadline=None, max_examples=120)
@given(problems(), options_of_release8, first_tests)
def test_trees_of_release_8_make_the_tests_that_come_first(problem, options, tests):
    limits = with_first(problem, {"max_leaves": None, "min_gain": None}, tests, own_thresholds=False)
    limits["first_tests"] = tuple((a, None if cut is None else f(cut)) for a, cut in limits["first_tests"])
    grower = LimitedRelease8(
        *problem.arguments, options["min_cases"], options["criterion"] == "gain", options["group_values"]
    )
    grower.limits = naive_limits(limits)
    root = grower.grow()
    model = C45Classifier(collapse=False, prune=False, **options, **parameters_of(problem, limits))
    found = as_nodes(problem, model.fit(problem.dataset()).tree_.arrays)
    assert made_tests(found) == made_tests(root)


def made_tests(node):
    """A node without its errors."""
    return plain(node)[0][:4] + plain(node)[0][5:], [made_tests(branch) for branch in node.branches]


LEARNERS = {
    "release8": C45Classifier(),
    "double": C45Classifier(arithmetic="double", prune=False),
    "groups": C45Classifier(group_values=True),
    "j48": C45Classifier(variant="j48", collapse=False),
    "c4.4": ProbabilityTreeClassifier(),
    "branches": ProbabilityTreeClassifier(binary_splits=False),
    "listed": ProbabilityTreeClassifier(max_thresholds=5, approach="mdl-prune"),
    "chi2": ProbabilityTreeClassifier(approach="chi2"),
    "bayes": BayesianTreeClassifier(),
    "bins": BayesianTreeClassifier(bins=4, unknown="impute"),
}


@pytest.mark.parametrize("unknown", [0.0, 0.1])
@pytest.mark.parametrize("name", LEARNERS)
def test_the_tree_keeps_the_limits_and_is_the_same_for_any_number_of_threads(name, unknown):
    data = random_problem(3, 12_000, 4, [0, 0, 4, 9, 2, 0], unknown, 0.3).dataset()
    for limits in (
        {"max_depth": 3},
        {"max_leaves": 7},
        {"max_depth": 4, "max_leaves": 12, "not_below": {"a1": ["a0"], "a0": ["a2", "a5"], "a5": ["a5"]}},
        {"not_below": {"a0": ["a3"]}},
        {"first_tests": ["a3", "a4"]},
        {"first_tests": ["a2", "a1"], "max_leaves": 20, "max_depth": 3},
    ):
        one = clone(LEARNERS[name], **limits, n_jobs=1).fit(data)
        assert one.tree_ == clone(LEARNERS[name], **limits, n_jobs=2).fit(data).tree_
        tree = one.tree_
        assert tree.n_nodes > 1
        assert tree.depth <= limits.get("max_depth", np.inf)
        assert tree.n_leaves <= limits.get("max_leaves", np.inf)
        for path in attributes_on_paths(tree):
            for attribute, above in limits.get("not_below", {}).items():
                for place, name_of in enumerate(path):
                    assert name_of != attribute or not set(above) & set(path[:place])
            if "first_tests" in limits:
                assert path[:2] == tuple(limits["first_tests"])


def attributes_on_paths(tree):
    """The attributes tested on the way to each leaf, from the root."""
    waiting = [(0, ())]
    while waiting:
        node, path = waiting.pop()
        if not tree.branches(node):
            yield path
        waiting += [(branch, (*path, tree.schema[tree.attribute[node]].name)) for branch in tree.branches(node)]


def clone(learner, **changes):
    return type(learner)(**{**learner.get_params(), **changes})


@pytest.mark.parametrize("name", LEARNERS)
def test_a_limit_that_is_never_met_changes_nothing(name):
    data = random_problem(7, 800, 3, [0, 4, 3, 0], 0.05, 0.3).dataset()
    wide = {"max_depth": 10_000, "max_leaves": 100_000, "not_below": {}}
    if name not in ("chi2",):
        wide["min_gain"] = 0 if name not in ("release8", "double", "groups") else None
    assert clone(LEARNERS[name], **wide).fit(data).tree_ == LEARNERS[name].fit(data).tree_


def test_members_of_committees_keep_the_limits():
    data = random_problem(5, 600, 3, [0, 0, 4, 3], 0.05).dataset()
    limits = {"max_depth": 3, "max_leaves": 5, "not_below": {"a0": ["a1"]}}
    for attributes in (None, 2):
        learner = C45Classifier(**limits)
        model = CommitteeClassifier(learner=learner, members=6, max_attributes=attributes, random_state=1).fit(data)
        for member in model.members_:
            assert member.tree_.depth <= 3
            assert member.tree_.n_leaves <= 5
            below = [path[: path.index("a0")] for path in attributes_on_paths(member.tree_) if "a0" in path]
            assert not any("a1" in above for above in below)


def test_what_cannot_be():
    golf = ctree.load_golf()
    with pytest.raises(NamingError, match="not_below names 'windi', but there is no attribute 'windi' among"):
        C45Classifier(not_below={"windi": ["outlook"]}).fit(golf)
    with pytest.raises(NamingError, match="did you mean 'outlook'"):
        BayesianTreeClassifier(not_below={"windy": ["outlok"]}).fit(golf)
    with pytest.raises(ParameterError, match="not_below must be None or a dict of attributes to lists of attributes"):
        C45Classifier(not_below=["windy"]).fit(golf)
    with pytest.raises(ParameterError, match="max_leaves must be a whole number of at least 1 or None, not 0"):
        C45Classifier(max_leaves=0).fit(golf)
    with pytest.raises(ParameterError, match="min_gain does not go with approach='chi2', which compares tests by chi"):
        ProbabilityTreeClassifier(approach="chi2", min_gain=0.1).fit(golf)


FIRST = ["windy", ("temperature", 70.5), ("outlook", [["sunny", "rain"], ["overcast"]])]


@pytest.mark.parametrize("name", LEARNERS)
def test_pruning_leaves_the_tests_that_come_first(name):
    learner = clone(LEARNERS[name], first_tests=FIRST if name not in ("listed", "bins") else ["windy", "outlook"])
    tree = learner.fit(ctree.load_golf()).tree_
    paths = list(attributes_on_paths(tree))
    assert all(
        path[:2] == (("windy", "temperature") if name not in ("listed", "bins") else ("windy", "outlook"))
        for path in paths
    )
    np.testing.assert_allclose(tree.class_counts[0], [9, 5])
    for node in range(tree.n_nodes):
        if tree.branches(node):
            np.testing.assert_allclose(
                tree.class_counts[list(tree.branches(node))].sum(axis=0), tree.class_counts[node]
            )


def test_groups_of_values_that_come_first():
    tree = C45Classifier(first_tests=FIRST[2:], prune=False).fit(ctree.load_golf()).tree_
    assert tree.class_counts[list(tree.branches(0))].tolist() == [[5, 5], [4, 0]]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"first_tests": ["windi"]}, r"first_tests names 'windi', but there is no attribute 'windi' among .*windy"),
        ({"first_tests": "windy"}, "first_tests must be None or a list of attributes, or of pairs"),
        ({"first_tests": [("windy", 3)]}, "first_tests has the threshold 3 for 'windy', which has no numbers"),
        (
            {"first_tests": [("humidity", [["a"], ["b"]])]},
            "first_tests of 'humidity' has lists of values, but it is not",
        ),
        ({"first_tests": [("outlook", [["sunny"], ["rain"]])]}, "leaves out the value 'overcast'"),
        ({"first_tests": [("outlook", [["sunny", "rain"], ["rain", "overcast"]])]}, "has the value 'rain' twice"),
        ({"first_tests": [("outlook", [["sunny", "rain", "overcast"]])]}, "at least two lists of values"),
        (
            {"first_tests": [("outlook", [["snow"], ["rain"]])]},
            "first_tests of 'outlook': there is no value 'snow' among",
        ),
        ({"first_tests": ["windy", "outlook"], "max_depth": 1}, "first_tests has 2 tests, .* but max_depth is 1"),
        (
            {"first_tests": ["windy", "outlook"], "max_leaves": 3},
            "first_tests alone make 6 leaves, but max_leaves is 3",
        ),
        (
            {"first_tests": ["windy", "outlook"], "not_below": {"outlook": ["windy"]}},
            "first_tests has 'outlook' below 'windy', where not_below says",
        ),
        (
            {"first_tests": ["humidity", "humidity"], "not_below": {"humidity": ["humidity"]}},
            "first_tests has 'humidity' below 'humidity', where not_below says",
        ),
        ({"first_tests": ["windy"], "prune": "reduced-error"}, "first_tests does not go with prune='reduced-error'"),
    ],
)
def test_first_tests_that_cannot_be(changes, message):
    with pytest.raises(ParameterError, match=message):
        C45Classifier(**changes).fit(ctree.load_golf())


def test_members_of_committees_make_the_tests_that_come_first():
    model = CommitteeClassifier(learner=C45Classifier(first_tests=["windy"]), members=5, random_state=1)
    assert all(member.tree_.attribute[0] == 3 for member in model.fit(ctree.load_golf()).members_)


def test_models_keep_their_limits(tmp_path):
    golf = ctree.load_golf()
    limits = {
        "max_depth": 3,
        "max_leaves": 9,
        "min_gain": 0.01,
        "not_below": {"windy": ["humidity"]},
        "first_tests": FIRST,
    }
    for learner in (C45Classifier, ProbabilityTreeClassifier, BayesianTreeClassifier):
        model = learner(**limits).fit(golf)
        ctree.save(model, tmp_path / "model.json")
        loaded = ctree.load(tmp_path / "model.json")
        assert {name: loaded.get_params()[name] for name in limits} == limits
        assert loaded.tree_ == model.tree_
