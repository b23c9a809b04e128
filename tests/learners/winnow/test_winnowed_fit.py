"""Learners that are told to winnow: the model of the attributes kept, and what it tells of the others."""

from __future__ import annotations

import copy
import inspect
import json

import numpy as np
import pytest
from support.problems import random_problem

import ctree
from ctree.cli.main import main
from ctree.errors import DataError, ModelError, ParameterError
from ctree.evaluate.candidates import parsed_candidates
from ctree.learners.base.winnowed import WithWinnowing
from ctree.learners.registry import LEARNERS, learner_class

QUICK = {
    "C45Classifier": {},
    "C45RulesClassifier": {},
    "ProbabilityTreeClassifier": {},
    "BayesianTreeClassifier": {},
    "NaiveBayesClassifier": {},
    "CommitteeClassifier": {"members": 4, "random_state": 2},
}


@pytest.fixture
def data():
    return random_problem(11, 150, 2, [0, 3, 0, 2, 4, 0], unknown=0.05, noise=0.1).dataset()


def test_these_learners_winnow():
    found = [name for name in LEARNERS if issubclass(learner_class(name), WithWinnowing)]
    assert sorted(found) == sorted(QUICK)
    for name in QUICK:
        assert "X" in inspect.signature(learner_class(name).fit).parameters
        assert hasattr(learner_class(name).fit, "__wrapped__"), f"fit of {name} does not winnow"


@pytest.mark.parametrize("name", QUICK)
def test_the_model_is_that_of_the_kept_attributes(name, data):
    make = learner_class(name)
    model = make(winnow=True, winnow_seed=3, winnow_loss="brier", **QUICK[name]).fit(data)
    by = ctree.C45Classifier() if name == "CommitteeClassifier" else make()
    found = ctree.winnow(data, estimator=by, loss="brier", random_state=3)
    assert found.left_out
    assert model.winnowing_ == found
    alone = make(**QUICK[name]).fit(data.drop(found.left_out))
    assert model.predict_proba(data).tolist() == alone.predict_proba(data.drop(found.left_out)).tolist()
    assert model.n_features_in_ == 6
    assert model.winnow is True


@pytest.mark.parametrize("name", QUICK)
def test_saved_with_what_was_left_out(name, data, tmp_path):
    model = learner_class(name)(winnow=True, **QUICK[name]).fit(data)
    ctree.save(model, tmp_path / "model.json")
    again = ctree.load(tmp_path / "model.json")
    assert again.winnowing_ == model.winnowing_
    assert again.winnow is True
    assert again.predict_proba(data).tolist() == model.predict_proba(data).tolist()


def test_a_damaged_file(data, tmp_path):
    model = ctree.C45Classifier(winnow=True).fit(data)
    ctree.save(model, tmp_path / "model.json")
    content = json.loads((tmp_path / "model.json").read_text())
    left_out, kept = content["winnowing"]["left_out"], content["winnowing"]["kept"]
    for change, message in (
        ({"kept": [*kept, "strange"]}, "'winnowing.kept' names 'strange', which is no attribute"),
        ({"left_out": [*left_out, kept[0]]}, "which is kept as well"),
        ({"kept": [], "left_out": kept}, "which is not ignored"),
        ({"rises": {"strange": 1.0}}, "'winnowing.rises' names 'strange'"),
        ({"rises": {kept[0]: "much"}}, "should be a number"),
        ({"loss": "accuracy"}, "'accuracy'"),
        ({"by": 3}, "'winnowing.by' should be text"),
        ({"n_tested": -1}, "'winnowing.n_tested' is a negative number"),
    ):
        damaged = copy.deepcopy(content)
        damaged["winnowing"].update(change)
        (tmp_path / "damaged.json").write_text(json.dumps(damaged))
        with pytest.raises(ModelError, match=message):
            ctree.load(tmp_path / "damaged.json")


def test_another_fit_without_it_forgets_it(data):
    model = ctree.C45Classifier(winnow=True).fit(data)
    model.set_params(winnow=False).fit(data)
    assert not hasattr(model, "winnowing_")
    assert model.to_text() == ctree.C45Classifier().fit(data).to_text()


def test_cases_need_not_have_what_was_left_out(data):
    frame = pytest.importorskip("pandas").DataFrame
    table = frame({"a": np.arange(60) % 3, "b": np.arange(60.0)})
    model = ctree.C45Classifier(winnow=True).fit(table, np.arange(60) % 3 == 1)
    assert model.winnowing_.left_out == ("b",)
    assert model.predict(table[["a"]]).tolist() == model.predict(table).tolist()
    assert model.feature_names_in_.tolist() == ["a", "b"]


@pytest.mark.parametrize("make", [ctree.C45Classifier, ctree.ProbabilityTreeClassifier])
def test_pruned_after_the_fit(make, data):
    parameters = {"prune": False} if make is ctree.C45Classifier else {}
    model = make(winnow=True, **parameters).fit(data)
    alone = make(**parameters).fit(data.drop(model.winnowing_.left_out))
    pruned = model.pruned("error-based", data)
    assert pruned.to_text() == alone.pruned("error-based", data.drop(model.winnowing_.left_out)).to_text()
    assert pruned.winnowing_ == model.winnowing_


def test_weights_and_classes_weigh_once(data):
    weights = np.random.default_rng(0).integers(1, 5, len(data))
    model = ctree.C45Classifier(winnow=True, class_weight={"c0": 3}).fit(data, sample_weight=weights)
    gone = model.winnowing_.left_out
    alone = ctree.C45Classifier(class_weight={"c0": 3}).fit(data.drop(gone), sample_weight=weights)
    assert model.tree_.class_counts.tolist() == alone.tree_.class_counts.tolist()


def test_ctrl_c_leaves_the_learner_as_it_was(data):
    def stop(_):
        raise KeyboardInterrupt

    model = ctree.C45Classifier(winnow=True)
    with pytest.raises(KeyboardInterrupt):
        model.fit(data, progress=stop)
    assert not hasattr(model, "schema_")
    model.fit(data)
    before = model.to_text()
    with pytest.raises(KeyboardInterrupt):
        model.fit(data.take(np.arange(60)), progress=stop)
    assert model.to_text() == before
    assert model.winnowing_.n_learned == 75


def test_a_committee_that_is_interrupted_has_the_members_that_were_done(data):
    def stop(progress):
        if progress.unit != "models" and progress.done >= 2:
            raise KeyboardInterrupt

    model = ctree.CommitteeClassifier(members=5000, random_state=1, winnow=True, warm_start=True)
    with pytest.raises(KeyboardInterrupt):
        model.fit(data, progress=stop)
    done = len(model.members_)
    assert 0 < done < 5000
    assert model.winnowing_.left_out
    model.set_params(members=done + 3).fit(data)
    assert len(model.members_) == done + 3


class TestBadInput:
    def test_a_winnowing_member(self, data):
        committee = ctree.CommitteeClassifier(learner=ctree.C45Classifier(winnow=True))
        with pytest.raises(ParameterError, match="set winnow of the committee"):
            committee.fit(data)

    def test_no_costs(self, data):
        with pytest.raises(ParameterError, match="winnow_loss='cost' needs costs, and there are none"):
            ctree.C45Classifier(winnow=True, winnow_loss="cost").fit(data)

    def test_wrong_parameters(self, data):
        with pytest.raises(ParameterError, match="winnow must be True or False"):
            ctree.C45Classifier(winnow="often").fit(data)
        with pytest.raises(ParameterError, match="winnow_seed"):
            ctree.C45Classifier(winnow=True, winnow_seed=-1).fit(data)

    def test_in_parts(self, data):
        with pytest.raises(ParameterError, match="needs all cases at once"):
            ctree.NaiveBayesClassifier(winnow=True).partial_fit(data)

    def test_too_few_cases(self):
        with pytest.raises(DataError, match="at least 2 in each"):
            ctree.C45Classifier(winnow=True).fit(ctree.load_golf()[:3])

    def test_more_than_memory_holds(self, tmp_path):
        pytest.importorskip("pyarrow")
        iris = ctree.load_iris()
        ctree.write_csv(iris, tmp_path / "iris.csv")
        with ctree.scan_csv(tmp_path / "iris.csv", memory=1 << 22) as cases:
            small = ctree.C45Classifier(winnow=True).fit(cases)
        assert small.winnowing_ == ctree.winnow(iris)


class TestCommand:
    def run(self, capsys, *arguments):
        assert main(["learn", *map(str, arguments)]) == 0
        return capsys.readouterr().out

    def test_text_and_json(self, tmp_path, capsys):
        ctree.write_csv(ctree.load_iris(), tmp_path / "iris.csv", "species")
        source = (tmp_path / "iris.csv", "--class", "species", "--winnow")
        text = self.run(capsys, *source, "-o", tmp_path / "iris.json")
        assert "Winnowed:  3 of 4 attributes left out, by log-loss: sepal_length, sepal_width, petal_length" in text
        facts = json.loads(self.run(capsys, *source, "--winnow-loss", "error", "--json"))
        assert facts["winnowing"]["kept"] == ["petal_width"]
        assert facts["winnowing"]["loss"] == "error"
        assert main(["show", str(tmp_path / "iris.json")]) == 0
        assert "Winnowed: 3 of 4 attributes left out" in capsys.readouterr().out

    def test_a_committee_winnows_by_one_tree(self, tmp_path, capsys):
        ctree.write_csv(ctree.load_iris(), tmp_path / "iris.csv", "species")
        options = ("--committee", "boosting", "--winnow", "--seed", "1")
        assert "Winnowed:  3 of 4" in self.run(capsys, tmp_path / "iris.csv", "--class", "species", *options)

    def test_what_is_wrong(self, tmp_path, capsys):
        ctree.write_csv(ctree.load_iris(), tmp_path / "iris.csv", "species")
        source = str(tmp_path / "iris.csv")
        assert main(["learn", source, "--class", "species", "--winnow-seed", "3"]) == 2
        assert "--winnow-seed has an effect only with --winnow" in capsys.readouterr().err
        assert main(["learn", source, "--class", "species", "--winnow", "--winnow-loss", "cost"]) == 2
        assert "--winnow-loss cost needs costs" in capsys.readouterr().err

    def test_in_comparisons(self):
        winnowing, plain = (parsed_candidates(text)[0] for text in ("c4.5(winnow=yes)", "c4.5"))
        found = ctree.compare({"iris": ctree.load_iris()}, [plain, winnowing], protocol=ctree.StratifiedFolds(3))
        assert winnowing.learner.winnow is True
        assert list(found.learners) == ["c4.5", "c4.5(winnow=yes)"]
