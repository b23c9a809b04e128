"""Two models on one page: both say of a case what they say in Python, and where they differ is told."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest
from support.page_cases import mixed_data, random_cases

import ctree
from ctree import Attribute, Dataset, Kind, Schema
from ctree.errors import DataError, ParameterError

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def pair():
    data = mixed_data()
    return ctree.C45Classifier(group_values=True).fit(data), ctree.BayesianTreeClassifier(bins=4).fit(data)


def union_values(page, data):
    """Cases by the attributes of the page, found by name; None for unknown."""
    shown = page.evaluate("ctreePage.data.attributes")
    names = list(data.schema.names)
    result = []
    for case in range(len(data)):
        values = []
        for attribute in shown:
            value = data.value(case, names.index(attribute["name"]))
            discrete = value is not None and attribute["kind"] == "discrete"
            values.append(attribute["values"].index(str(value)) if discrete else value)
        result.append(values)
    return result


def test_both_say_what_they_say_in_python(opens, pair):
    page = opens(ctree.side_by_side(*pair, names=("C4.5", "Bayesian")))
    assert page.title() == "C4.5 and Bayesian"
    cases = random_cases(pair[0], 200)
    answers = page.evaluate("cases => cases.map(c => ctreePage.answersTo(c))", union_values(page, cases))
    for i, model in enumerate(pair):
        said = np.array([answer[i]["probabilities"] for answer in answers])
        assert np.abs(said - model.predict_proba(cases)).max() <= 1e-12
        assert [answer[i]["label"] for answer in answers] == model.predict(cases).tolist()


def test_test_cases_on_which_they_differ_are_listed(opens, pair):
    test = mixed_data(seed=8, n=150)
    page = opens(ctree.side_by_side(*pair, names=("one", "other"), test=test))
    said = [model.predict(test) for model in pair]
    differ = np.flatnonzero(said[0] != said[1])
    wrong = [int((np.array(test.labels) != labels).sum()) for labels in said]
    assert 0 < len(differ) < 150
    assert page.inner_text("#tested-said") == (
        f"They differ on {len(differ)} of 150 test cases; one is wrong on {wrong[0]}, other is wrong on {wrong[1]}."
    )
    options = page.locator("#differing option").all_inner_texts()[1:]
    assert options == [f"case {i + 1}: {said[0][i]} or {said[1][i]}, is {test.labels[i]}" for i in differ]
    for place, case in list(enumerate(differ.tolist()))[:5]:
        page.select_option("#differing", str(place))
        assert page.locator("#models .answer").all_inner_texts() == [said[0][case], said[1][case]]
        verdict = page.inner_text("#verdict").split("\n")[0]
        assert verdict == f"They differ: one says {said[0][case]}, other says {said[1][case]}."
    page.click("#before")
    assert page.input_value("#differing") == str(min(len(differ), 5) - 2)


def test_values_and_attributes_that_only_one_has(opens):
    values = ("a", "b", "c")
    classes = [0] * 20 + [1] * 20 + [0] * 20
    codes = np.repeat([0, 1, 2], 20).astype(np.int32)
    more = Dataset(Schema((Attribute("x", Kind.DISCRETE, values), Attribute("y", Kind.CONTINUOUS)), ("no", "yes")),
                   [codes, np.arange(60.0)], classes)  # fmt: skip
    two = codes < 2
    less = Dataset(Schema((Attribute("x", Kind.DISCRETE, ("b", "a")),), ("yes", "no", "maybe")),
                   [1 - codes[two]], [1 - c for c, kept in zip(classes, two, strict=True) if kept])  # fmt: skip
    large, small = ctree.C45Classifier().fit(more), ctree.C45Classifier().fit(less)
    page = opens(ctree.side_by_side(large, small, ("large", "small")))
    assert page.locator("#a0 option").all_inner_texts() == ["unknown", *values]
    assert page.locator("#legend li").all_inner_texts() == ["no", "yes", "maybe"]
    page.select_option("#a0", label="b")
    assert page.locator("#models .answer").all_inner_texts() == ["yes", "yes"]
    assert page.inner_text("#verdict").startswith("Both say yes.")
    page.select_option("#a0", label="c")
    assert "It does not know the value of x" in page.inner_text("#models section >> nth=1")
    assert "It does not know" not in page.inner_text("#models section >> nth=0")
    # A way is set in the form by the values of both.
    page.select_option("#a0", label="a")
    page.click("#models section >> nth=1 >> .changes-found button")
    assert page.input_value("#a0") == "1"
    assert page.locator("#models .answer").all_inner_texts() == ["yes", "yes"]


def test_names_are_text(opens):
    model = ctree.C45Classifier().fit(ctree.load_golf())
    page = opens(ctree.side_by_side(model, model.tree_, ("<b>one</b>", "</script>"), title="<i>&amp;"))
    assert page.title() == "<i>&amp;"
    assert page.locator("#models h2").all_inner_texts() == ["<b>one</b>", "</script>"]
    assert page.locator("main b, main i").count() == 0


def test_models_that_do_not_fit_say_why():
    golf, iris = ctree.load_golf(), ctree.load_iris()
    model = ctree.C45Classifier().fit(golf)
    with pytest.raises(ParameterError, match="first and second have no attribute in common"):
        ctree.side_by_side(model, ctree.C45Classifier().fit(iris))
    X = {"outlook": [1.0, 2.0, 3.0, 4.0] * 5}
    number = ctree.C45Classifier().fit(X, ["Play", "Play", "Don't Play", "Don't Play"] * 5)
    with pytest.raises(ParameterError, match="'outlook' is discrete in first but continuous in second"):
        ctree.side_by_side(model, number)
    other = ctree.C45Classifier().fit({"windy": ["true", "false"] * 9}, ["x", "y"] * 9)
    with pytest.raises(ParameterError, match="have no class in common"):
        ctree.side_by_side(model, other)
    with pytest.raises(ParameterError, match="not a NaiveBayesClassifier"):
        ctree.side_by_side(model, ctree.NaiveBayesClassifier().fit(golf))
    with pytest.raises(ParameterError, match="names must be two texts"):
        ctree.side_by_side(model, model, names=("one",))
    with pytest.raises(DataError, match="there are no cases to test on"):
        ctree.side_by_side(model, model, test=golf.take([]))


def test_the_command_writes_the_page(tmp_path, monkeypatch, capsys):
    from ctree.cli.main import main

    monkeypatch.chdir(tmp_path)
    golf = ctree.load_golf()
    one, other = ctree.C45Classifier().fit(golf), ctree.ProbabilityTreeClassifier().fit(golf)
    ctree.save(one, "one.json")
    ctree.save(other, "other.json")
    ctree.write_c45(golf, "golf")
    assert main(["show", "one.json", "other.json", "--html", "both.html", "--test", "golf.data"]) == 0
    expected = ctree.side_by_side(one, other, ("one", "other"), test=golf)
    assert pathlib.Path("both.html").read_text("utf-8") == expected
    for file in ("c.json", "d.json"):
        assert main(["learn", "golf", "-o", file]) == 0
    assert main(["show", "c.json", "d.json", "--html", "both.html"]) == 0
    assert "<title>golf: c and d</title>" in pathlib.Path("both.html").read_text("utf-8")
    for wrong, message in (
        (["one.json", "other.json"], "two models are compared on a page: give --html FILE"),
        (["one.json", "other.json", "--html", "x.html", "--max-depth", "2"], "--max-depth is for one model"),
        (["one.json", "other.json", "--html", "other.json"], "this file is read by the same command"),
    ):
        assert main(["show", *wrong]) == 2
        assert message in capsys.readouterr().err
