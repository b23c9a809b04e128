"""Committees that average trees, exported as a whole: the mean of what the members say, wherever it is run."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from support import exported
from support.problems import random_problem

import ctree
from ctree.cli.main import main
from ctree.errors import ParameterError

LEARNERS = [
    None,
    ctree.C45Classifier(group_values=True, min_cases=1),
    ctree.C45Classifier(variant="j48", estimate="laplace"),
    ctree.ProbabilityTreeClassifier(approach="mdl-prune", max_thresholds=3),
    ctree.BayesianTreeClassifier(bins=None, prior_weight=1),
    ctree.BayesianTreeClassifier(bins=3, averaging="prunings"),
]
needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")


def fitted(learner, method="bagging", seed=3, **settings):
    """A committee, and cases for it, some with unknown values."""
    data = random_problem(seed, 60, 3, [3, 0, 2, 0], 0.1, noise=0.2).dataset()
    model = ctree.CommitteeClassifier(method=method, learner=learner, members=7, random_state=1, **settings).fit(data)
    return model, exported.together(data, exported.with_unknown(data, 0.3))


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
class TestTheSameProbabilities:
    def test_python_to_the_last_bit(self, learner):
        model, data = fitted(learner)
        assert exported.by_python(model, data).tobytes() == model.predict_proba(data).tobytes()

    @needs_gcc
    def test_c_to_the_last_bit(self, learner, tmp_path):
        model, data = fitted(learner)
        assert exported.by_c(model, data, tmp_path).tobytes() == model.predict_proba(data).tobytes()

    def test_databases(self, learner):
        model, data = fitted(learner)
        for run in (exported.by_sqlite, exported.by_duckdb):
            assert np.abs(run(model, data) - model.predict_proba(data)).max() < 1e-12


@needs_gcc
def test_forests(tmp_path):
    model, data = fitted(None, "forest", max_attributes=1)
    expected = model.predict_proba(data)
    assert exported.by_python(model, data).tobytes() == expected.tobytes()
    assert exported.by_c(model, data, tmp_path).tobytes() == expected.tobytes()
    assert np.abs(exported.by_duckdb(model, data) - expected).max() < 1e-12


@pytest.mark.parametrize("costs", [None, np.array([[0.0, 5.0, 1.0], [1.0, 0.0, 2.0], [1.0, 1.0, 0.0]])])
def test_predictions(costs):
    import duckdb

    model, data = fitted(None, costs=costs)
    module = {}
    exec(model.to_python(), module)
    predicted = [module["predict"](case) for case in exported.cases_of(data)]
    assert predicted == model.predict(data).tolist()
    base = duckdb.connect(config={"threads": 1})
    declared, rows = exported.table_of(data)
    base.execute(f"CREATE TABLE cases ({declared})")
    base.executemany(f"INSERT INTO cases VALUES ({', '.join('?' * len(rows[0]))})", rows)
    found = {row[0]: row[1] for row in base.execute(model.to_sql(key="the case")).fetchall()}
    p = np.sort(model.predict_proba(data), axis=1)
    sure = np.flatnonzero(p[:, -1] - p[:, -2] > 1e-9) if costs is None else np.arange(data.n_cases)
    assert [found[case] for case in sure.tolist()] == model.predict(data)[sure].tolist()


@needs_gcc
def test_trees_of_one_leaf(tmp_path):
    data = random_problem(3, 20, 2, [2], 0.0).dataset()
    model = ctree.CommitteeClassifier(learner=ctree.C45Classifier(min_cases=100), members=3, random_state=1).fit(data)
    expected = model.predict_proba(data)
    assert exported.by_python(model, data).tobytes() == expected.tobytes()
    assert exported.by_c(model, data, tmp_path).tobytes() == expected.tobytes()
    assert np.abs(exported.by_sqlite(model, data) - expected).max() < 1e-12


class TestRefusals:
    @pytest.mark.parametrize("write", [lambda m: m.to_pmml(), lambda m: m.to_onnx(), lambda m: m.to_sql(form="case")])
    def test_forms_without_a_mean(self, write):
        pytest.importorskip("onnx")
        with pytest.raises(ParameterError, match=r"a committee cannot be written as .*Python, C or SQL.*members_"):
            write(fitted(None)[0])

    def test_boosted_members_vote(self):
        model, data = fitted(None, "boosting")
        with pytest.raises(ParameterError, match=r"its members vote, and only committees that average.*export one of"):
            model.to_python()
        assert exported.by_python(model.members_[0], data).shape == (data.n_cases, 3)

    def test_rules_are_no_trees(self):
        with pytest.raises(ParameterError, match=r"its members are rules; export one of `members_`"):
            fitted(ctree.C45RulesClassifier())[0].to_c()

    def test_members_that_fill_in_different_values(self):
        model, _ = fitted(ctree.BayesianTreeClassifier(bins=3, unknown="impute"))
        with pytest.raises(ParameterError, match=r"as a whole: its members take different values for unknown"):
            model.to_python()


def test_the_command(tmp_path, capsys):
    model, data = fitted(None)
    ctree.save(model, tmp_path / "model.json")
    assert main(["export", str(tmp_path / "model.json"), "--to", "python", "-o", str(tmp_path / "model.py")]) == 0
    module = {}
    exec((tmp_path / "model.py").read_text(), module)
    assert module["predict_proba"](exported.cases_of(data)[0]) == model.predict_proba(data)[0].tolist()
    assert main(["export", str(tmp_path / "model.json"), "--to", "pmml"]) == 2
    assert "a committee cannot be written as PMML" in capsys.readouterr().err
    ctree.save(fitted(None, "boosting")[0], tmp_path / "boosted.json")
    assert main(["export", str(tmp_path / "boosted.json"), "--to", "c"]) == 1
    assert "its members vote" in capsys.readouterr().err
