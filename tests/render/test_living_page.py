"""The slider over prunings, and what would change a class, in a real browser."""

from __future__ import annotations

import numpy as np
import pytest
from support.browser import until
from support.page_cases import as_values, mixed_data, random_cases

import ctree
from ctree.errors import DataError
from ctree.tree.prunings import prunings_of

pytestmark = pytest.mark.slow

LEARNERS = {
    "release 8": ctree.C45Classifier(prune=False),
    "release 8, groups": ctree.C45Classifier(group_values=True, estimate="m", prune=False),
    "J48": ctree.C45Classifier(variant="j48", estimate="laplace", prune=False),
    "Bayesian": ctree.BayesianTreeClassifier(bins=4),
    "Bayesian, imputed": ctree.BayesianTreeClassifier(unknown="impute", bins=None),
    "least errors": ctree.OptimalTreeClassifier(max_depth=3),
}


def slide(page, stop):
    """Move the slider to a pruning, 0 for the whole tree, as a hand does."""
    last = int(page.get_attribute("#stop", "max"))
    page.evaluate(
        """value => { const stop = document.getElementById("stop");
                      stop.value = value;
                      stop.dispatchEvent(new Event("input", { bubbles: true })); }""",
        last - stop,
    )
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


@pytest.mark.parametrize("name", LEARNERS)
def test_cases_end_where_the_pruned_tree_does(name, opens):
    model = LEARNERS[name].fit(mixed_data())
    page = opens(model.to_html())
    tree = model.tree_
    nested = prunings_of(tree, model._interface())
    cases = random_cases(model, 40)
    path = tree.decision_path(model._tree_cases(cases)).toarray()
    for stop in sorted({0, 1, nested.number // 2, nested.number - 1}):
        slide(page, stop)
        leaves = [n for n in range(tree.n_nodes) if nested.first[n] <= stop < nested.gone[n]]
        answers = page.evaluate("cases => cases.map(c => ctreePage.classify(c).leaves)", as_values(cases))
        for shares, answer in zip(path, answers, strict=True):
            expected = {leaf: shares[leaf] for leaf in leaves if shares[leaf] > 0}
            assert dict(answer) == pytest.approx(expected)
        assert page.inner_text("#stop-said").startswith(f"{len(leaves)} of" if stop else "whole tree")


def test_the_slider_folds_what_it_prunes_and_tells_errors(opens):
    golf = ctree.read_c45("examples/golf")
    test = golf.take(np.arange(10))
    model = ctree.C45Classifier().fit(golf)
    page = opens(model.to_html(test=test))
    assert page.inner_text("#stop-said") == "whole tree, 5 leaves training error 0.0 % test error 0.0 %"
    assert page.locator("#tree li").count() == 8
    page.focus("#stop")
    page.keyboard.press("ArrowLeft")
    until(page, "document.querySelectorAll('#tree li').length === 1")
    wrong = sum(label != "Play" for label in test.labels)
    told = f"1 of 5 leaves, training error 35.7 %, test error {10 * wrong}.0 %"
    assert page.get_attribute("#stop", "aria-valuetext") == told
    page.select_option("#a0", label="sunny")
    assert page.inner_text("#result .answer") == "Play"
    page.fill("#search", "play")
    assert page.inner_text("#found") == "1 of 1 match"
    page.focus("#stop")
    page.keyboard.press("End")
    until(page, "document.querySelectorAll('#tree li').length === 8")
    assert page.evaluate("ctreePage.answer().leaves.length") == 2  # the case is asked about again
    assert page.inner_text("#found") == "5 matches"
    page.keyboard.press("Home")
    until(page, "document.querySelectorAll('#tree li').length === 1")
    page.click("#least")
    until(page, "document.querySelectorAll('#tree li').length === 8")


def test_without_test_cases_there_is_no_test_error(opens):
    page = opens(ctree.C45Classifier().fit(ctree.load_golf()).to_html())
    assert "test" not in page.inner_text("#stop-said").replace("latest", "")
    assert page.locator("#least").is_hidden()
    single = opens(ctree.ProbabilityTreeClassifier(approach="mdl-stop").fit(ctree.load_golf()).to_html())
    assert single.locator("#pruning").is_hidden()


def test_a_large_tree_is_pruned_without_a_halt(opens):
    rng = np.random.default_rng(0)
    X, y = rng.random((12000, 4)).round(4), rng.integers(12, size=12000)
    model = ctree.C45Classifier(prune=False, min_cases=1).fit(X, y)
    assert model.tree_.n_nodes > 10_000
    page = opens(model.to_html(test=(X[:500], y[:500])))
    last = int(page.get_attribute("#stop", "max"))
    for stop in (last // 2, last - 1, 3, 0):
        slide(page, stop)
        assert 1 < page.locator("#tree li").count() <= 80
    slide(page, last)
    assert page.locator("#tree li").count() == 1
    page.fill("#a0", "0.5")
    assert page.inner_text("#result .changes-found") == "No change of the case gives another class."


@pytest.mark.parametrize("name", LEARNERS)
def test_changes_are_those_that_python_finds(name, opens):
    model = LEARNERS[name].fit(mixed_data(n_values=(0, 3, 0, 4, None, 2)))
    page = opens(model.to_html())
    cases = random_cases(model, 60, seed=3)
    names = list(model.schema_.names)
    for to in (None, 1):
        found = page.evaluate("([cases, to]) => cases.map(c => ctreePage.changes(c, to))", [as_values(cases), to])
        expected = model.counterfactual(cases, None if to is None else model.classes_[to])
        for answer, what in zip(found, expected, strict=True):
            assert [way["leaf"] for way in answer["ways"]] == [way.leaf for way in what.ways]
            for way, same in zip(answer["ways"], what.ways, strict=True):
                assert model.classes_[way["best"]] == same.prediction
                assert way["probabilities"] == pytest.approx(list(same.probabilities.values()), abs=1e-12)
                places = [change["attribute"] for change in way["changes"]]
                assert places == [names.index(change.condition.attribute) for change in same.changes]


@pytest.mark.parametrize("name", LEARNERS)
def test_what_the_page_puts_in_gives_the_class_that_it_says(name, opens):
    model = LEARNERS[name].fit(mixed_data())
    page = opens(model.to_html())
    values = as_values(random_cases(model, 60, seed=4))
    # The way with its values is taken, and the case goes down the tree again.
    ends = page.evaluate(
        """cases => cases.flatMap(c => ctreePage.changes(c).ways.map(way => {
             const other = [...c];
             for (const { attribute, limit } of way.changes) {
               other[attribute] = ctreePage.valueWithin(attribute, limit, c[attribute]);
             }
             const { best, leaf } = ctreePage.classify(other);
             return [best === way.best, leaf === way.leaf];
           }))""",
        values,
    )
    assert len(ends) > 60
    assert all(right and there for right, there in ends)


def test_a_way_is_told_and_can_be_taken(opens):
    page = opens(ctree.C45Classifier().fit(ctree.read_c45("examples/golf")).to_html())
    page.select_option("#a0", label="sunny")
    page.fill("#a2", "90")
    assert page.inner_text(".changes-found .hint") == "One change gives another class, in one of these ways:"
    ways = page.locator(".changes-found button").all_inner_texts()
    assert [way.split("\n") for way in ways] == [
        ["outlook = overcast", "Play", "1.000"],
        ["humidity ≤ 75", "Play", "1.000"],
    ]
    page.click(".changes-found button >> nth=1")
    assert page.input_value("#a2") == "75"
    assert page.inner_text("#result .answer") == "Play"
    assert page.locator("#wanted").count() == 0  # of two classes there is only one other


def test_of_many_classes_one_can_be_wanted(opens):
    model = ctree.C45Classifier().fit(ctree.load_iris())
    page = opens(model.to_html())
    page.fill("#a3", "0.2")
    page.fill("#a2", "1.4")
    names = list(map(str, model.classes_))
    assert page.locator("#wanted option").all_inner_texts() == ["any other class", *names[1:]]
    page.select_option("#wanted", label=names[2])
    assert all(names[2] in way for way in page.locator(".changes-found button").all_inner_texts())
    page.fill("#a2", "1.5")
    assert page.input_value("#wanted") == "2"  # it stays


def test_cases_to_test_on_need_their_classes():
    golf = ctree.load_golf()
    model = ctree.C45Classifier().fit(golf)
    bare = ctree.Dataset(golf.schema, golf.columns, n_cases=len(golf))
    with pytest.raises(DataError, match="the cases to test on have no classes"):
        model.to_html(test=bare)
    with pytest.raises(DataError, match="the cases to test on need a class each"):
        model.tree_.to_html(test=bare)
    with pytest.raises(DataError, match="there are no cases to test on"):
        model.to_html(test=golf.take([]))
