"""Whether members keep their trees as they were before pruning."""

from __future__ import annotations

import json

import pytest
from support.problems import random_problem

import ctree
from ctree.errors import CtreeError, ModelError, ParameterError

DATA = random_problem(4, 200, 3, [3, 0, 2, 0], 0.1, noise=0.3).dataset()


def committee(**settings):
    return ctree.CommitteeClassifier(members=3, random_state=1, **settings)


@pytest.mark.parametrize("method", ["bagging", "boosting"])
@pytest.mark.parametrize("learner", [ctree.C45Classifier(), ctree.ProbabilityTreeClassifier(approach="bic-prune")])
def test_members_keep_them_if_asked(method, learner, tmp_path):
    kept = committee(method=method, learner=learner, keep_unpruned=True).fit(DATA)
    without = committee(method=method, learner=learner).fit(DATA)
    assert any(member.unpruned_tree_.n_nodes > member.tree_.n_nodes for member in kept.members_)
    assert without.predict_proba(DATA).tobytes() == kept.predict_proba(DATA).tobytes()
    for model in (kept, without):
        ctree.save(model, tmp_path / "model.json")
        for member in (*model.members_, *ctree.load(tmp_path / "model.json").members_):
            if model is kept or member.unpruned_tree_ is member.tree_:
                assert member.pruned("cost-complexity", alpha=1.0).tree_.n_leaves == 1
                continue
            assert member.unpruned_tree_ is None
            assert "before pruning" not in member.size_text()
            assert member.summary()["unpruned"] is None
            for ask in (member.cost_complexity_path, lambda m=member: m.pruned("bic")):
                with pytest.raises(CtreeError, match="fit the committee with keep_unpruned=True"):
                    ask()


def test_a_tree_that_is_not_pruned_stays():
    model = committee(learner=ctree.C45Classifier(prune=False)).fit(DATA)
    assert all(member.unpruned_tree_ is member.tree_ for member in model.members_)
    assert model.members_[0].cost_complexity_path().leaves[0] > 1


def test_members_of_one_committee_are_alike():
    model = committee(warm_start=True).fit(DATA).set_params(members=5, keep_unpruned=True)
    with pytest.raises(ParameterError, match="learned with keep_unpruned=False"):
        model.fit(DATA)


def test_a_damaged_entry_of_a_file_is_refused(tmp_path):
    path = tmp_path / "model.json"
    ctree.save(committee().fit(DATA), path)
    content = json.loads(path.read_text())
    content["members"][1]["trees"]["unpruned"] = 3
    path.write_text(json.dumps(content))
    with pytest.raises(ModelError, match=r"members\[1\].trees.unpruned"):
        ctree.load(path)
