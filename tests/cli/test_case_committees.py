"""Committees of trees of one table on the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest

import ctree
from ctree.learners.committee.settings import default_learner
from ctree.learners.registry import COMMITTEES


@pytest.mark.parametrize(
    ("words", "made"),
    [
        ("--committee boosting --members 4", {"method": "boosting", "members": 4}),
        (
            "--committee boosting --members 4 --method c4.5",
            {"method": "boosting", "learner": ctree.C45Classifier(), "members": 4},
        ),
        ("--committee forest --members 4", {"method": "forest", "members": 4}),
        (
            "--committee forest --members 4 --estimate laplace",
            {"method": "forest", "members": 4, "learner": ctree.ProbabilityTreeClassifier(estimate="laplace")},
        ),
        (
            "--committee boosting --members 4 --group-values",
            {"method": "boosting", "members": 4, "learner": ctree.C45Classifier(group_values=True)},
        ),
        ("--committee bagging --members 4", {"members": 4}),
        (
            "--method bic-stop --min-cases 2 --committee forest --max-attributes 2 --members 5",
            {
                "method": "forest", "max_attributes": 2, "members": 5,
                "learner": ctree.ProbabilityTreeClassifier(approach="bic-stop", min_cases=2.0),
            },
        ),
        (
            "--method c4.5rules --committee bagging --sample-share 0.7 --members 3 -j 2",
            {"learner": ctree.C45RulesClassifier(), "members": 3, "sample_share": 0.7},
        ),
    ],
)  # fmt: skip
def test_the_committee_is_that_of_python(words, made, ctree_command):
    answer = ctree_command("learn", "golf", *words.split(), "--seed", "3", "-o", "model.json", "--json")
    assert answer.status == 0, answer.err
    golf, loaded = ctree.read_c45("golf"), ctree.load("model.json")
    model = ctree.CommitteeClassifier(**made, random_state=3).fit(golf)
    assert np.array_equal(loaded.predict_proba(golf), model.predict_proba(golf))
    assert json.loads(answer.out)["committee"]["members"] == len(model.members_)
    assert ctree_command("show", "model.json").out.strip() == model.to_text().strip()
    assert ctree_command("show", "model.json", "--member", "0").out.strip() == model.members_[0].to_text().strip()
    assert ctree_command("predict", "model.json", "golf.data").status == 0
    if not isinstance(made.get("learner"), ctree.C45RulesClassifier):
        assert ctree_command("export", "model.json", "--to", "python", "--member", "0").status == 0
    whole = ctree_command("export", "model.json", "--to", "python")
    averages = made.get("method", "bagging") != "boosting" and not isinstance(
        made.get("learner"), ctree.C45RulesClassifier
    )
    if averages:
        module: dict = {}
        exec(whole.out, module)
        case = {"outlook": "rain", "temperature": 70, "humidity": None, "windy": "true"}
        assert module["predict"](case) == model.predict({name: [value] for name, value in case.items()})[0]
    else:
        assert "cannot be exported as a whole: its members" in whole.err
        assert "export one of `members_`" in whole.err


USUAL = {
    "bagging": ctree.C45Classifier(),
    "forest": ctree.ProbabilityTreeClassifier(approach="c4.4", estimate="m-branch", m=0.5),
    "boosting": ctree.C45Classifier(binary_splits=True),
}


@pytest.mark.parametrize("committee", COMMITTEES)
def test_trees_are_those_of_python_where_no_method_is_named(committee):
    made = COMMITTEES[committee].of_usual().make({})
    assert made.method == committee
    for learner in (made.learner, default_learner(committee)):
        assert type(learner) is type(USUAL[committee])
        assert learner.get_params() == USUAL[committee].get_params()


def test_the_help_tells_what_the_trees_have_then(ctree_command):
    text = " ".join(ctree_command("learn", "--committee", "forest", "--help").out.split())
    assert "options of --method c4.4 and --committee forest" in text
    assert "(default: m-branch)" in text
    assert "(default: m-branch)" not in " ".join(ctree_command("learn", "--method", "c4.4", "--help").out.split())


WRONG = {
    "learn golf --committee bagging --method naive-bayes": "a committee cannot be made of NaiveBayesClassifier, only",
    "learn golf --committee forest --method c4.5rules": "a forest offers the nodes of its trees attributes at random",
    "learn golf --members 3": "--members is for committees, which need --committee",
    "learn golf --committee boosting --sample-share 0.5": "--sample-share",
    "learn golf --committee boosting --members 0": "it should be a whole number from 1 to 1000000 or none, not '0'",
    "compare golf --method c4.5(committee=bosting)": "there is no committee 'bosting', only bagging, forest, boosting",
}


@pytest.mark.parametrize("words", WRONG)
def test_what_cannot_be_done_is_said(words, ctree_command):
    answer = ctree_command(*words.split())
    assert answer.status != 0
    assert WRONG[words] in answer.err


def test_committees_are_compared(ctree_command):
    answer = ctree_command(
        "compare", "golf", "--method", "c4.5,c4.5(committee=boosting, members=3)", "--folds", "2", "--repeats", "1"
    )
    assert answer.status == 0, answer.err
    assert "c4.5(committee=boosting, members=3)" in answer.out
