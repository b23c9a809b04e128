"""Committees in model files: exact to the last bit, what members share once, and checked before they are used."""

from __future__ import annotations

import json

import numpy as np
import pytest
from support.expected_relational import data_of
from support.relational_models import (
    check_any_entry,
    check_refused,
    check_same,
    damaged,
    molecules,
    round_trip,
    same,
)
from support.relational_problems import random_relational_problem, random_settings

import ctree
from ctree.errors import NotFittedError


def committee(members=4, **settings):
    return ctree.BaggedTreesClassifier(
        learner=ctree.RelationalTreeClassifier(**settings), members=members, random_state=3
    )


def check(model, loaded, data):
    for one, other in zip(model.members_, loaded.members_, strict=True):
        check_same(one, other, data)
    assert model.get_params(deep=False).keys() == loaded.get_params(deep=False).keys()
    for name, value in model.get_params().items():
        if name not in ("learner", "learner__data"):
            assert loaded.get_params()[name] == value, name
    assert same(model.predict_proba(data), loaded.predict_proba(data))
    assert same(model.oob_proba_, loaded.oob_proba_)
    assert same(model.feature_importances_, loaded.feature_importances_)
    assert model.oob_score_ == loaded.oob_score_ or np.isnan([model.oob_score_, loaded.oob_score_]).all()
    assert (model.seed_, model.to_text(), model.schema_) == (loaded.seed_, loaded.to_text(), loaded.schema_)
    assert loaded.classes_.tolist() == model.classes_.tolist()


@pytest.mark.parametrize("seed", range(2100, 2120))
def test_random_problems(seed, tmp_path):
    settings = random_settings(seed, aggregates=seed % 2 == 0)
    data = data_of(random_relational_problem(seed), tmp_path / "data")
    model = committee(**settings).fit(data)
    check(model, round_trip(model, tmp_path / "model.json"), data)


def test_the_default_learner_and_an_example_that_is_in_every_bag(tmp_path):
    data = molecules()
    model = ctree.BaggedTreesClassifier(members=1, random_state=1).fit(data)
    assert np.isnan(model.oob_proba_).any()
    loaded = round_trip(model, tmp_path / "model.json")
    check(model, loaded, data)
    assert loaded.learner is None
    model = ctree.BaggedTreesClassifier(members=1, random_state=1).fit(data.take([0]))
    assert np.isnan(round_trip(model, tmp_path / "model.json").oob_score_)


def test_what_members_share_is_there_once(tmp_path):
    ctree.save(committee(5, method="bic-prune").fit(molecules()), tmp_path / "model.json")
    content = json.loads((tmp_path / "model.json").read_text("utf-8"))
    assert content["kind"] == "BaggedTreesClassifier"
    assert {"schema", "values", "paths", "aggregates"} <= set(content)
    assert [set(member) for member in content["members"]] == [{"tree", "unpruned", "skipped_steps"}] * 5
    loaded = ctree.load(tmp_path / "model.json")
    assert all(member.schema_ is loaded.schema_ for member in loaded.members_)


def test_keys(tmp_path):
    tables = {"example": {"id": [1, 2, 3, 4]}, "part": {"of": [1, 2, 2, 4], "size": [1, 2, 3, 4]}}
    data = ctree.RelationalData(tables, target="example", keys={"example": "id"}, foreign_keys={"part.of": "example"})
    model = committee(data=data).fit([1, 2, 3, 4], [True, False, True, False])
    loaded = round_trip(model, tmp_path / "model.json")
    check(model, loaded, data)
    assert loaded.n_features_in_ == 1
    assert loaded.learner.data is None
    assert loaded.set_params(learner__data=data).predict([4, 1]).tolist() == model.predict([4, 1]).tolist()


def test_a_loaded_committee_goes_on(tmp_path):
    data = molecules()
    model = committee(3).fit(data)
    loaded = round_trip(model, tmp_path / "model.json").set_params(warm_start=True, members=7).fit(data)
    straight = committee(7).fit(data)
    assert [m.tree_.to_canonical() for m in loaded.members_] == [m.tree_.to_canonical() for m in straight.members_]
    assert same(loaded.oob_proba_, straight.oob_proba_)


def test_parameters_that_were_changed_after_the_fit_are_not_those_of_the_members(tmp_path):
    data = molecules()
    model = committee(3, method="c4.4").fit(data).set_params(learner__method="bic-stop", sample_share=0.5)
    loaded = round_trip(model, tmp_path / "model.json")
    assert (loaded.learner.method, loaded.members_[0].method, loaded.sample_share) == ("c4.4", "c4.4", 1.0)


def test_unfitted(tmp_path):
    with pytest.raises(NotFittedError):
        ctree.save(ctree.BaggedTreesClassifier(), tmp_path / "model.json")


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "model.json"
    ctree.save(committee(2, method="c4.5", max_variables=3).fit(molecules()), path)
    return json.loads(path.read_text("utf-8"))


LEARNER = ("parameters", "learner")
DAMAGE = [
    (("members",), [], "'members' is empty"),
    (("members",), {}, "'members' should be a list, not an object"),
    (("members", 1), 5, "'members[1]' should be an object in braces, not 5"),
    (("members", 1, "skipped_steps"), -1, "'members[1].skipped_steps' is a negative number"),
    (("members", 1, "tree", "n_branches", 0), 3, "numbers of branches"),
    (("members", 1, "tree", "probabilities", 0, 0), 7, "'members[1].tree.probabilities'"),
    (("members", 0, "unpruned"), None, "'members[0].unpruned' should be an object in braces, not null"),
    (("oob_proba",), None, "'oob_proba' should be a list, not null"),
    (("oob_proba", 0), [1.0], "'oob_proba[0]' should be a list of 2 numbers"),
    (("oob_proba", 0), [0.7, 0.7], "'oob_proba' has a row that is not a distribution"),
    (("oob_score",), 1.5, "'oob_score' should be from 0 to 1"),
    (("oob_score",), "high", "'oob_score' should be a number, not 'high'"),
    (("seed",), "xyz", "'seed' should be a number of 64 bits in hexadecimal, not 'xyz'"),
    (("seed",), 5, "'seed' should be text, not 5"),
    (("fingerprint",), 5, "'fingerprint' should be text, not 5"),
    (("n_features_in",), 2, "'n_features_in' should be 1"),
    (("parameters", "members"), 0, "'parameters.members' should be a whole number from 1 to 1000000, not 0"),
    (("parameters", "colour"), 0, "BaggedTreesClassifier has no parameter 'colour'"),
    (LEARNER, 5, "'parameters.learner' should be None or a RelationalTreeClassifier, not 5"),
    ((*LEARNER, "kind"), "C45Classifier", "'parameters.learner' should be None or a RelationalTreeClassifier"),
    ((*LEARNER, "parameters"), [], "'parameters.learner.parameters' should be an object in braces, not a list"),
    ((*LEARNER, "parameters", "lookahead"), 7, "'parameters.learner.parameters.lookahead' should be a whole number"),
    ((*LEARNER, "parameters", "colour"), 7, "RelationalTreeClassifier has no parameter 'colour'"),
    (("schema", "target", "classes"), [], "'schema.target' has no classes"),
    (("values",), {}, "the field 'values.atom.element' is missing"),
]  # fmt: skip


@pytest.mark.parametrize(("place", "value", "message"), DAMAGE)
def test_damaged_files(place, value, message, content, tmp_path):
    if place == ("oob_proba", 0):
        content = damaged(content, ("oob_proba",), [[0.5, 0.5], None])
    check_refused(content, place, value, message, tmp_path)


def test_any_entry_may_be_wrong(content, tmp_path):
    check_any_entry(content, (None, -1, 10**12, 0.5, "x", [], {}), tmp_path)
