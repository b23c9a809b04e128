"""Probabilities that are monotone in an attribute, for all cases that there can be."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import monotone as naive
from support import exported
from support.problems import random_problem

import ctree
from ctree import C45Classifier, CommitteeClassifier, ProbabilityTreeClassifier
from ctree.errors import NamingError, ParameterError
from ctree.learners.base.monotone import Directions, directions_of

LEARNERS = {
    "release 8": lambda **options: C45Classifier(min_cases=1, **options),
    "unpruned": lambda **options: C45Classifier(min_cases=1, prune=False, collapse=False, **options),
    "groups": lambda **options: C45Classifier(min_cases=1, group_values=True, prune=False, **options),
    "j48": lambda **options: C45Classifier(min_cases=1, variant="j48", **options),
    "reduced error": lambda **options: C45Classifier(min_cases=1, prune="reduced-error", **options),
    "c4.4": lambda **options: ProbabilityTreeClassifier(**options),
    "c4.5": lambda **options: ProbabilityTreeClassifier(approach="c4.5", binary_splits=False, **options),
    "bic": lambda **options: ProbabilityTreeClassifier(approach="bic-prune", **options),
    "thresholds": lambda **options: ProbabilityTreeClassifier(max_thresholds=4, **options),
}
estimates = st.sampled_from(["frequency", "laplace", "m", "dirichlet", "m-branch"])


def grid_of(data, most=4):
    """Cases with every combination of a few values of each attribute, unknown among them, and of known first two."""
    choices = []
    for column in data.columns:
        if column.dtype.kind == "i":
            choices.append([-1, *range(min(most, int(column.max(initial=0)) + 1))])
        else:
            known = np.unique(column[~np.isnan(column)])
            known = known[np.linspace(0, len(known) - 1, min(most, len(known))).astype(int)] if len(known) else known
            choices.append([np.nan, *known.tolist()])
    rows = list(itertools.product(*choices))
    columns = [
        np.array(column, dtype=given.dtype) for column, given in zip(zip(*rows, strict=True), data.columns, strict=True)
    ]
    return ctree.Dataset(data.schema, columns, n_cases=len(rows)), [len(one) for one in choices]


def assert_monotone(probabilities, sizes, attribute, direction, exact=True):
    """Along an attribute of the grid, whatever the others are; its own unknown value comes first and does not count."""
    unknown, *_ = cube = np.moveaxis(probabilities.reshape(sizes), attribute, 0)
    cube = cube[1:]
    steps = direction * np.diff(cube, axis=0)
    known = steps[(slice(None), *[slice(1, None)] * (len(sizes) - 1))]
    assert not exact or known.size == 0 or known.min() >= 0  # no sums, so no rounding
    assert steps.size == 0 or steps.min() >= -1e-12
    if exact and len(cube):  # where its own is unknown, it lies between
        assert (direction * (unknown - cube[0]) >= -1e-12).all()
        assert (direction * (cube[-1] - unknown) >= -1e-12).all()


@settings(deadline=None, max_examples=120)
@given(
    st.integers(0, 10**6),
    st.sampled_from(list(LEARNERS)),
    estimates,
    st.sampled_from([(1, 1), (-1, 1), (0, -1)]),
    st.sampled_from([0.0, 0.15]),
)
def test_no_two_cases_are_in_the_wrong_order(seed, name, estimate, signs, unknown):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 120))
    data = random_problem(seed, n, 2, [0, 0, int(rng.integers(2, 4)), 0], unknown, noise=0.3).dataset()
    names = data.schema.names
    monotone = {names[place]: sign for place, sign in enumerate(signs) if sign}
    weights = rng.choice([1.0, 1.0, 2.5], n) if rng.random() < 0.3 else None
    model = LEARNERS[name](estimate=estimate, monotone=monotone).fit(data, sample_weight=weights)
    grid, sizes = grid_of(data)
    probabilities = model.predict_proba(grid)
    assert np.abs(probabilities.sum(axis=1) - 1).max() <= 1e-12
    predicted = model.predict_codes(grid)
    for place, sign in enumerate(signs):
        if sign:
            assert_monotone(probabilities[:, 1], sizes, place, sign)
            assert_monotone(predicted, sizes, place, sign)
            leaves = dict(enumerate(model.tree_.probabilities[:, 1].tolist()))
            assert naive.violations(model.tree_, leaves, place, sign) == []


@pytest.mark.parametrize("name", ["release 8", "c4.4"])
def test_without_it_some_are(name):
    # the witness sees what is wrong where nothing is done
    data = random_problem(5, 200, 2, [0, 0, 3], noise=0.4).dataset()
    tree = LEARNERS[name]().fit(data).unpruned_tree_
    assert naive.violations(tree, dict(enumerate(tree.probabilities[:, 1].tolist())), 0, 1)


def test_what_is_monotone_already_stays_as_it_is():
    rng = np.random.default_rng(3)
    x = rng.integers(0, 10, 400).astype(float)
    y = rng.random(400) < x / 10
    for learner in (C45Classifier, ProbabilityTreeClassifier):
        plain = learner().fit(ctree.from_arrays({"x": np.floor(x / 5)}, y))
        same = learner(monotone={"x": 1}).fit(ctree.from_arrays({"x": np.floor(x / 5)}, y))
        assert same.tree_.arrays == plain.tree_.arrays
        flat = learner(monotone={"x": -1}).fit(ctree.from_arrays({"x": np.floor(x / 5)}, y))
        assert flat.tree_.n_leaves == 1  # the test has become useless
        assert flat.unpruned_tree_ == plain.unpruned_tree_


def credit(n=600, seed=1):
    rng = np.random.default_rng(seed)
    income, age = np.round(rng.normal(3, 1, n), 1), rng.integers(18, 80, n).astype(float)
    history = rng.choice(["none", "paid", "late"], n)
    chance = income - age / 20 - 1.5 * (history == "late")
    good = rng.random(n) < 1 / (1 + np.exp(-chance))
    return ctree.from_arrays({"income": income, "age": age, "history": history}, np.where(good, "good", "bad"))


MONOTONE = {"income": 1, "age": -1}


@pytest.mark.parametrize("method", ["bagging", "forest"])
@pytest.mark.parametrize("learner", [C45Classifier, ProbabilityTreeClassifier])
def test_averages_of_trees_are_monotone(method, learner):
    data = credit()
    members = learner(monotone=MONOTONE, estimate="laplace")
    committee = CommitteeClassifier(method=method, learner=members, members=7, random_state=1).fit(data)
    grid, sizes = grid_of(data, 12)
    probabilities = committee.predict_proba(grid)[:, 1]
    assert len(np.unique(probabilities)) > 10
    for place, sign in ((0, 1), (1, -1)):
        assert_monotone(probabilities, sizes, place, sign, exact=False)


def test_boosting_is_refused():
    learner = C45Classifier(monotone=MONOTONE)
    with pytest.raises(ParameterError, match="which averages of trees keep, but not the votes of boosting"):
        CommitteeClassifier(method="boosting", learner=learner).fit(credit())


@pytest.mark.parametrize("learner", [C45Classifier(), ProbabilityTreeClassifier(approach="bic-prune")])
def test_exports_give_the_same_probabilities(learner, tmp_path):
    data = credit()
    model = learner.set_params(monotone=MONOTONE).fit(data)
    grid, _ = grid_of(data)
    expected = model.predict_proba(grid)
    learner.set_params(monotone=None)
    assert (learner.fit(data).predict_proba(grid) != expected).any()
    model = learner.set_params(monotone=MONOTONE).fit(data)
    found = [
        exported.by_python(model, grid),
        exported.by_c(model, grid, tmp_path),
        exported.by_sqlite(model, grid),
        exported.by_shares(model, grid),
    ]
    known = grid.take(np.flatnonzero([None not in case.values() for case in exported.cases_of(grid)]).astype(np.int32))
    standard = exported.by_the_standard(model, known)
    assert np.abs(standard - model.predict_proba(known)).max() <= 1e-12
    for one in found:
        assert np.abs(np.asarray(one) - expected).max() <= 1e-12


@pytest.mark.parametrize("learner", [C45Classifier, ProbabilityTreeClassifier])
def test_a_saved_model_is_monotone(learner, tmp_path):
    data = credit()
    monotone = {"income": 1, "age": ("bad", 1)}
    model = learner(monotone=monotone).fit(data)
    ctree.save(model, tmp_path / "model.json")
    loaded = ctree.load(tmp_path / "model.json")
    assert loaded.monotone == monotone
    assert json.loads((tmp_path / "model.json").read_text())["parameters"]["monotone"] == [
        ["income", 1],
        ["age", "bad", 1],
    ]
    assert loaded.predict_proba(data).tolist() == model.predict_proba(data).tolist()
    assert loaded.fit(data).tree_ == model.tree_


@pytest.mark.parametrize("learner", [C45Classifier(min_cases=1, prune=False), ProbabilityTreeClassifier()])
@pytest.mark.parametrize("method", ["cost-complexity", "error-based", "mdl"])
def test_pruned_models_are_monotone(learner, method):
    data = credit()
    model = learner.set_params(monotone=MONOTONE).fit(data)
    settings = {"alpha": 1.0} if method == "cost-complexity" else {"X": data}
    pruned = model.pruned(method, **settings)
    assert pruned.tree_.n_leaves < model.unpruned_tree_.n_leaves
    grid, sizes = grid_of(data, 12)
    for place, sign in ((0, 1), (1, -1)):
        assert_monotone(pruned.predict_proba(grid)[:, 1], sizes, place, sign)


def test_the_classes_of_nodes_are_those_of_their_probabilities():
    for learner in (C45Classifier(prune=False), ProbabilityTreeClassifier()):
        tree = learner.set_params(monotone=MONOTONE).fit(credit()).tree_
        rows = np.arange(tree.n_nodes)
        leaf = tree.arrays.n_branches == 0
        assert tree.best[leaf].tolist() == tree.probabilities.argmax(axis=1)[leaf].tolist()
        errors = tree.cases - tree.class_counts[rows, tree.best]
        assert tree.errors[leaf].tolist() == pytest.approx(errors[leaf].tolist())


def test_costs_decide_by_monotone_probabilities():
    data = credit()
    model = C45Classifier(monotone=MONOTONE, costs={("bad", "good"): 4}).fit(data)
    grid, sizes = grid_of(data, 12)
    for place, sign in ((0, 1), (1, -1)):
        assert_monotone(model.predict_codes(grid), sizes, place, sign)


def test_ordered_values_and_dates(tmp_path):
    n = 400
    rng = np.random.default_rng(4)
    level, month = rng.integers(0, 4, n), rng.integers(1, 13, n)
    names = np.array(["low", "middle", "high", "top"])[level]
    y = np.where(rng.random(n) < 0.2 + 0.1 * level + month / 40, "yes", "no")
    rows = [f"{a},2020-{m:02d}-01,{c}" for a, m, c in zip(names, month, y, strict=True)]
    (tmp_path / "cases.csv").write_text("\n".join(["level,day,class", *rows]) + "\n")
    data = ctree.read_csv(
        tmp_path / "cases.csv", "class", ordered={"level": ["low", "middle", "high", "top"]}, dates=["day"]
    )
    model = ProbabilityTreeClassifier(monotone={"level": 1, "day": ("yes", 1)}).fit(data)
    grid, sizes = grid_of(data, 12)
    assert sizes[0] >= 5
    for place in (0, 1):
        assert_monotone(model.predict_proba(grid)[:, 1], sizes, place, 1)
    assert model.tree_.n_leaves > 4


def test_a_source_gives_the_tree_of_memory():
    from ctree.scale.coded_dataset import coded_from_dataset

    data = credit()
    source = coded_from_dataset(data, 3, 10, memory=4_000)
    for learner in (C45Classifier(arithmetic="double"), ProbabilityTreeClassifier(approach="bic-stop")):
        learner.set_params(monotone=MONOTONE)
        found = learner.fit(source)
        assert found.fit_info_["engine"] != "memory"
        assert found.tree_.arrays == learner.fit(data).tree_.arrays


WRONG = {
    "three": ({"sepal length": 1}, "monotone is for two classes, and here are 3: "),
    "zero": (
        {"income": 0},
        "monotone must be None or a dict of attributes to 1 or -1, or to .class, 1. or .class, -1., n",
    ),
    "text": ({"income": "+"}, "monotone must be None or a dict of attributes"),
    "list": (["income"], "monotone must be None or a dict of attributes"),
    "flag": ({"income": True}, "monotone must be None or a dict of attributes"),
    "name": (
        {"incme": 1},
        r"monotone: there is no attribute 'incme' among income, age, history \(did you mean 'income'",
    ),
    "discrete": (
        {"history": 1},
        "the attribute 'history', which is discrete, and its values have no order: it should be",
    ),
    "class": ({"income": ("god", 1)}, r"monotone\['income'\]: there is no class 'god' among bad, good"),
}


@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize("learner", [C45Classifier, ProbabilityTreeClassifier])
def test_what_cannot_be_is_told(kind, learner):
    monotone, message = WRONG[kind]
    with pytest.raises(ParameterError, match=message):
        learner(monotone=monotone).fit(ctree.load_iris() if kind == "three" else credit())


def test_a_class_that_is_named_turns_the_direction():
    schema = credit(20).schema
    assert directions_of({"income": ("good", 1), "age": ("bad", 1)}, schema) == [1, -1, 0]
    assert directions_of({"income": np.int64(1), "age": -1}, schema) == [1, -1, 0]
    with pytest.raises(NamingError):
        directions_of({"history": 1}, schema)


@pytest.mark.parametrize("text", ["income:+, age:-", "income:+1,age:-1", "{'income': +1, 'age': -1}"])
def test_it_can_be_typed(text):
    assert Directions().read("monotone", text) == {"income": 1, "age": -1}


@pytest.mark.parametrize("text", ["income", "income:", "income:up", ":+", "income:+,income:-", ""])
def test_what_cannot_be_typed(text):
    with pytest.raises(ParameterError, match="monotone must be a dict of attributes"):
        Directions().read("monotone", text)


def test_what_was_typed_can_be_spelled():
    monotone = {"income": 1, "age": ("bad", -1)}
    assert Directions().read("monotone", Directions().spelled(monotone)) == monotone
