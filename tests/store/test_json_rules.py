"""Rules as JSON: what is loaded is what was saved, and what is wrong is said in one sentence."""

from __future__ import annotations

import json

import pytest
from support.problems import random_problem

import ctree
from ctree.errors import ModelError, NotFittedError
from ctree.learners.rules.classifier import C45RulesClassifier


@pytest.fixture(scope="module")
def data():
    return random_problem(4, 300, 3, [0, 5, 2, None, 0], unknown=0.1, noise=0.3).dataset()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "rules.json"


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"criterion": "gain", "min_cases": 1},
        {"group_values": True, "redundancy": 20.0},
        {"confidence": 0.1, "significance": 0.05},
        {"redundancy": 0.01},
        {"categorical_features": [0], "n_jobs": 2},
    ],
    ids=str,
)
def test_every_parameter_rule_and_prediction_comes_back(parameters, data, path):
    model = C45RulesClassifier(**parameters).fit(data)
    ctree.save(model, path)
    loaded = ctree.load(path)
    assert type(loaded) is C45RulesClassifier
    assert loaded.get_params() == model.get_params()
    assert loaded.rules_ == model.rules_
    assert loaded.selected_rules_ == model.selected_rules_
    assert (loaded.tree_, loaded.default_, loaded.schema_) == (model.tree_, model.default_, model.schema_)
    assert loaded.classes_.tolist() == model.classes_.tolist()
    assert loaded.n_features_in_ == model.n_features_in_
    assert loaded.predict_proba(data).tobytes() == model.predict_proba(data).tobytes()
    assert loaded.predict(data).tolist() == model.predict(data).tolist()


def test_dropped_rules_are_saved_too(path):
    for seed in range(20):
        data = random_problem(seed, 150, 3, [0, 3, 2, 0], 0.1, noise=0.4).dataset()
        model = C45RulesClassifier(min_cases=1, redundancy=50.0).fit(data)
        if len(model.selected_rules_) > len(model.rules_):
            break
    else:
        pytest.fail("no rule was dropped")
    ctree.save(model, path)
    assert ctree.load(path).selected_rules_ == model.selected_rules_


def test_no_rules_at_all(path):
    model = C45RulesClassifier().fit([[1.0], [2.0]], ["a", "a"])
    ctree.save(model, path)
    assert ctree.load(path).rules_ == model.rules_


def test_a_person_can_read_it(path):
    ctree.save(C45RulesClassifier().fit(ctree.read_c45("examples/golf")), path)
    text = path.read_text("utf-8")
    assert '"default": "Play"' in text
    assert '{"number": 2, "if": [{"attribute": "outlook", "values": ["overcast"]}], "class": "Play", "error": ' in text
    assert '{"attribute": "humidity", "above": 75.0}' in text


def test_a_learner_that_is_not_fitted_is_not_saved(path):
    with pytest.raises(NotFittedError, match="not fitted"):
        ctree.save(C45RulesClassifier(), path)
    assert not path.exists()


def changed(content: dict, keys: list, value: object) -> None:
    for key in keys[:-1]:
        content = content[key]
    if value is ...:
        del content[keys[-1]]
    else:
        content[keys[-1]] = value


RULE = ["rules", "rules", 2]
CONDITION = [*RULE, "if", 1]


@pytest.mark.parametrize(
    ("keys", "value", "message"),
    [
        (["rules"], [], "'rules' should be an object in braces, not a list"),
        (["rules", "default"], "Stay", "'rules.default' has 'Stay', which the schema does not have"),
        (["rules", "default"], ["Play"], "'rules.default' has a list, which the schema does not have"),
        (["rules", "rules"], {}, "'rules.rules' should be a list, not an object"),
        (["rules", "probabilities"], [[0.5, 0.5]], "5 rows of 2 probabilities"),
        (["rules", "probabilities", 0], [0.5, 0.6], "'rules.probabilities' has a row that is not a distribution"),
        (["rules", "probabilities", 0], [0.5], "'rules.probabilities[0]' should be a list of 2 numbers"),
        (["selected"], 5, "'selected' should be an object in braces, not 5"),
        (["selected"], ..., "the field 'selected' is missing"),
        (RULE, 7, "'rules.rules[2]' should be an object in braces, not 7"),
        ([*RULE, "number"], 1.5, "'rules.rules[2].number' should be a whole number, not 1.5"),
        ([*RULE, "class"], "Stay", "'rules.rules[2].class' has 'Stay', which the schema does not have"),
        ([*RULE, "error"], -0.1, "'rules.rules[2].error' should be from 0 to 1, not -0.1"),
        ([*RULE, "errors"], 99, "'rules.rules[2].errors' should be from 0 to the number of cases"),
        ([*RULE, "if"], None, "'rules.rules[2].if' should be a list, not null"),
        ([*CONDITION, "attribute"], "fog", "'rules.rules[2].if[1].attribute' should be an attribute of the schema"),
        ([*CONDITION, "attribute"], "windy", "does not fit the attribute, which is discrete"),
        ([*CONDITION, "above"], ..., "'rules.rules[2].if[1]' should have one of values, at_most and above"),
        ([*CONDITION, "at_most"], 5.0, "'rules.rules[2].if[1]' should have one of values, at_most and above"),
        ([*CONDITION, "above"], "high", "'rules.rules[2].if[1].above' should be a number, not 'high'"),
        (
            [*RULE, "if", 0, "values"],
            ["fog"],
            "'rules.rules[2].if[0].values' has 'fog', which the schema does not have",
        ),
        (
            ["parameters", "redundancy"],
            "much",
            "'parameters.redundancy' should be a number at least 0.001 and at most 1000, not 'much'",
        ),
        (
            ["parameters", "significance"],
            "much",
            "'parameters.significance' should be a number greater than 0 and at most 1 or None, not 'much'",
        ),
        (
            ["parameters", "n_jobs"],
            1.5,
            "'parameters.n_jobs' should be None or a number of threads up to 1000, -1 for all cores, not 1.5",
        ),
        (
            ["parameters", "categorical_features"],
            [[]],
            "should be None or a list of names or numbers of columns, or a mask, not a list",
        ),
        (["parameters", "depth"], 3, "C45RulesClassifier has no parameter 'depth'"),
        (["trees"], ..., "the field 'trees' is missing"),
    ],
)
def test_a_damaged_file_is_refused(keys, value, message, path):
    ctree.save(C45RulesClassifier().fit(ctree.read_c45("examples/golf")), path)
    content = json.loads(path.read_text("utf-8"))
    changed(content, keys, value)
    path.write_text(json.dumps(content), "utf-8")
    with pytest.raises(ModelError) as error:
        ctree.load(path)
    assert str(error.value).startswith(f"{path}: ")
    assert message in str(error.value)
