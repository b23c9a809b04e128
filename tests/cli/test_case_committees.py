"""Committees of trees of one table on the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest

import ctree


@pytest.mark.parametrize(
    ("words", "made"),
    [
        ("--committee boosting --members 4", {"method": "boosting", "learner": ctree.C45Classifier(), "members": 4}),
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
    if made["learner"].__class__ is not ctree.C45RulesClassifier:
        assert ctree_command("export", "model.json", "--to", "python", "--member", "0").status == 0
    whole = ctree_command("export", "model.json", "--to", "python")
    if made.get("method") == "forest":
        module: dict = {}
        exec(whole.out, module)
        case = {"outlook": "rain", "temperature": 70, "humidity": None, "windy": "true"}
        assert module["predict"](case) == model.predict([list(case.values())])[0]
    else:
        assert "cannot be exported as a whole: its members" in whole.err
        assert "export one of `members_`" in whole.err


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
