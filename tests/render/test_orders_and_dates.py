"""Ordered values and dates in texts, pictures and pages, the latter in a real browser."""

from __future__ import annotations

import numpy as np
import pytest
from support.orders import SIZES, orders

import ctree
from ctree import Attribute, Dataset, Kind, Schema

LEARNERS = {
    "release 8": ctree.C45Classifier(min_cases=1),
    "J48": ctree.C45Classifier(variant="j48"),
    "Bayesian in bins": ctree.BayesianTreeClassifier(bins=4),
    "Bayesian, imputed": ctree.BayesianTreeClassifier(unknown="impute"),
}

SMALL = Dataset(
    Schema((Attribute("size", Kind.ORDERED, ("s", "m", "l")), Attribute("since", Kind.DATE)), ("no", "yes")),
    [[0, 1, 2, 2, 2, 2, -1], [1, 2, 3, 4, 19_783, 19_784, 19_790]],
    [0, 0, 0, 0, 1, 1, 1],
)


def test_text():
    model = ctree.C45Classifier(min_cases=1, prune=False).fit(SMALL)
    assert model.tree_.to_text().strip() == ("since <= 1970-01-05 : no (4.0)\nsince > 1970-01-05 : yes (3.0)")
    sizes = ctree.C45Classifier(min_cases=1, prune=False).fit(SMALL.drop("since"))
    assert sizes.tree_.to_text().splitlines()[0].startswith("size <= m : no")


def test_a_threshold_between_two_values_is_told_by_the_lower_one():
    model = ctree.C45Classifier(variant="j48", min_cases=1, prune=False, actual_thresholds=False).fit(SMALL)
    cut = model.tree_.threshold[0]
    assert cut in (4.0, 4 + (19_783 - 4) / 2)
    first = str(model.to_rules()[0].conditions[0])
    shown = np.datetime64(first.split()[-1]).astype("datetime64[D]").astype(int)
    assert shown == np.floor(cut)


def test_pictures_and_graphs():
    model = ctree.C45Classifier(min_cases=1).fit(SMALL)
    assert "≤ 1970-01-05" in model.to_dot()
    sizes = ctree.C45Classifier(min_cases=1, prune=False).fit(SMALL.drop("since"))
    assert "≤ m" in sizes.to_dot()
    assert '"order":["s","m","l"]' in sizes.to_html()


def test_words_in_the_text_of_j48():
    from ctree.render.j48_text import j48_text

    model = ctree.C45Classifier(variant="j48", min_cases=1).fit(orders(moments=False))
    assert " <= 20" in j48_text(model.tree_) or f"size <= {SIZES[2]}" in j48_text(model.tree_)


def values_of(data):
    """Cases as the page takes them: codes, places and numbers, None for unknown."""
    rows = zip(*(column.tolist() for column in data.columns), strict=True)
    codes = [column.dtype.kind == "i" for column in data.columns]
    return [[None if x != x or (code and x < 0) else x for x, code in zip(row, codes, strict=True)] for row in rows]


@pytest.mark.slow
class TestPage:
    @pytest.mark.parametrize("name", LEARNERS)
    def test_the_page_says_what_the_model_says(self, name, opens):
        model = LEARNERS[name].fit(orders())
        page = opens(model.to_html())
        cases = orders(60, seed=5, unknown=0.1)
        found = page.evaluate("cases => cases.map(c => ctreePage.classify(c).probabilities)", values_of(cases))
        assert np.abs(np.array(found) - model.predict_proba(cases)).max() <= 1e-12

    @pytest.mark.parametrize("name", LEARNERS)
    def test_changes_that_are_put_in_are_values(self, name, opens):
        model = LEARNERS[name].fit(orders())
        page = opens(model.to_html())
        ends = page.evaluate(
            """cases => cases.flatMap(c => ctreePage.changes(c).ways.map(way => {
                 const other = [...c];
                 for (const { attribute, limit } of way.changes) {
                   other[attribute] = ctreePage.valueWithin(attribute, limit, c[attribute]);
                 }
                 return ctreePage.classify(other).best === way.best;
               }))""",
            values_of(orders(40, seed=6)),
        )
        assert len(ends) > 10
        assert all(ends)

    def test_rows_and_fields(self, opens):
        model = ctree.C45Classifier(min_cases=1).fit(orders())
        page = opens(model.to_html())
        text = page.inner_text("#tree")
        for rule in model.to_rules():
            for condition in rule.conditions:
                if condition.above is None or condition.at_most is None:
                    assert str(condition).replace(" <= ", " ≤ ") in text
        options = page.locator("#a0 option").all_inner_texts()
        assert options == ["unknown", *SIZES]
        case = {"size": "large", "day": "2024-01-20", "number": 0.5, "colour": "red"}
        moments = {"at": "2023-11-15 12:30:00.250000", "time": "23:15:00"}
        page.select_option("#a0", label="large")
        for place, name in ((1, "day"), (4, "at"), (5, "time")):
            if page.locator(f"#a{place}").count():
                page.fill(f"#a{place}", {**case, **moments}[name])
        if page.locator("#a2").count():
            page.fill("#a2", "0.5")
        if page.locator("#a3").count():
            page.select_option("#a3", label="red")
        expected = model.predict_proba({k: [v] for k, v in {**case, **moments}.items()})[0]
        assert page.evaluate("ctreePage.answer().probabilities") == pytest.approx(expected.tolist(), abs=1e-12)

    def test_what_is_no_date_is_said(self, opens):
        page = opens(ctree.C45Classifier(min_cases=1).fit(orders()).to_html())
        for text in ("2024-02-30", "soon", "13:45"):
            page.fill("#a1", text)
            assert page.inner_text("#w1") == "Give a date such as 2024-03-31, or nothing if it is unknown."
        page.fill("#a1", "2024/2/29")
        assert page.locator("#w1").count() == 0

    def test_two_models_on_one_page(self, opens):
        data = orders()
        pair = [ctree.C45Classifier(min_cases=1).fit(data), ctree.BayesianTreeClassifier(bins=4).fit(data)]
        page = opens(ctree.side_by_side(*pair, names=("one", "other"), test=orders(100, seed=3)))
        cases = orders(50, seed=4)
        answers = page.evaluate("cases => cases.map(c => ctreePage.answersTo(c))", values_of(cases))
        for i, model in enumerate(pair):
            said = np.array([answer[i]["probabilities"] for answer in answers])
            assert np.abs(said - model.predict_proba(cases)).max() <= 1e-12
        options = page.locator("#differing option")
        if options.count() > 1:
            page.select_option("#differing", index=1)
            assert "They differ" in page.inner_text("#verdict")
