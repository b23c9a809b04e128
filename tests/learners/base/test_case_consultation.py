"""Consulting models that are not one tree: what they say of the case, or of the cases that the answers leave open."""

from __future__ import annotations

import numpy as np
import pytest
from support.problems import random_problem

import ctree
from ctree.errors import DataError

LEARNERS = [
    ctree.C45RulesClassifier(),
    ctree.NaiveBayesClassifier(bins=4),
    ctree.BayesOptimalClassifier(max_depth=2, bins=3),
    ctree.MCMCTreeClassifier(burn_in=200, samples=30),
]
every = pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
pytestmark = pytest.mark.filterwarnings("ignore::ctree.learners.mcmc.convergence.ChainsDisagreeWarning")


@pytest.fixture(scope="module")
def data():
    return random_problem(6, 80, 3, [0, 3, 0, 2], unknown=0.1).dataset()


def answer(consultation, case, answers=None):
    """Answer all questions by the values of a case; the names of those that were asked for."""
    asked = []
    while (attribute := consultation.question) is not None:
        asked.append(attribute.name)
        value = case[attribute.name]
        consultation.answer((answers or {}).get(attribute.name, "?" if value is None else str(value)))
    return asked


def rows(data):
    names = [a.name for a in data.schema]
    return [{name: data.value(i, a) for a, name in enumerate(names)} for i in range(len(data))]


@every
def test_a_case_that_is_known(learner, data):
    model = learner.fit(data)
    p, labels = model.predict_proba(data), model.predict(data)
    for i, case in enumerate(rows(data)[:25]):
        consultation = model.consultation()
        answer(consultation, case)
        found = consultation.certainties()
        assert found[0].label == labels[i]
        by_label = {c.label: c.cf for c in found}
        assert [by_label[label] for label in data.schema.classes] == pytest.approx(p[i].tolist(), abs=1e-15)
        assert consultation.reason == str(model.explain(data.take([i])))


def test_rules_ask_for_no_more_than_they_need(data):
    model = ctree.C45RulesClassifier().fit(data)
    number = {rule: i for i, rule in enumerate(model.rules_)}
    for case in rows(data):
        explained = model.explain({name: [value] for name, value in case.items()})
        tried = model.rules_[: number[explained.rule] + 1] if explained.rule else tuple(model.rules_)
        asked = answer(model.consultation(), case)
        assert len(set(asked)) == len(asked)
        assert set(asked) <= {condition.attribute for rule in tried for condition in rule.conditions}


@every
def test_probable_values_are_averaged(learner, data):
    model = learner.fit(data)
    case = {**rows(data)[0], "a1": "v0"}
    consultation = model.consultation()
    asked = answer(consultation, case, {"a1": "v0: 0.2, v1: 0.5, v2: 0.3"})
    if "a1" not in asked:
        pytest.skip("the rules do not ask for it")
    table = {name: [value] * 3 for name, value in case.items()} | {"a1": ["v0", "v1", "v2"]}
    expected = np.array([0.2, 0.5, 0.3]) @ model.predict_proba(table)
    by_label = {c.label: c.cf for c in consultation.certainties()}
    assert [by_label[label] for label in data.schema.classes] == pytest.approx(expected.tolist(), abs=1e-12)
    assert consultation.reason == ""


@every
def test_a_range_is_averaged(learner, data):
    model = learner.fit(data)
    known = data.columns[0][~np.isnan(data.columns[0])]
    low, high = (float(x) for x in np.quantile(known, [0.2, 0.7]))
    case = {**rows(data)[0], "a0": None, "a2": None}
    consultation = model.consultation()
    answer(consultation, case, {"a0": f"{low!r} - {high!r}"})
    # every number of the range is as likely: the mean over a fine grid of them
    grid = low + (np.arange(20_000) + 0.5) / 20_000 * (high - low)
    table = {name: [value] * len(grid) for name, value in case.items()} | {"a0": grid.tolist()}
    expected = model.predict_proba(table).mean(axis=0)
    by_label = {c.label: c.cf for c in consultation.certainties()}
    assert [by_label[label] for label in data.schema.classes] == pytest.approx(expected.tolist(), abs=1e-3)


def test_answers_that_leave_too_much_open():
    rng = np.random.default_rng(0)
    X = {f"a{i}": rng.integers(0, 4, 60).astype(str).tolist() for i in range(8)}
    model = ctree.NaiveBayesClassifier().fit(X, rng.integers(0, 2, 60).tolist())
    consultation = model.consultation()
    for _ in range(6):
        consultation.answer("0: 0.4")
    with pytest.raises(DataError, match="the answers leave 16,384 cases open, more than 10,000; give a value"):
        consultation.answer("0: 0.4")
    consultation.answer("?")
    consultation.answer("1")
    assert consultation.question is None
    assert sum(c.cf for c in consultation.certainties()) == pytest.approx(1)
    with pytest.raises(DataError, match="there are no more questions"):
        consultation.answer("1")
