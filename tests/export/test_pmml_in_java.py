"""PMML in the evaluators of others, which run in Java: pmml4s and JPMML."""

from __future__ import annotations

import shutil
import sys

import pytest
from support import exported
from support.problems import random_problem

import ctree

LEARNERS = [
    ctree.C45Classifier(group_values=True, min_cases=1, estimate="laplace"),
    ctree.BayesianTreeClassifier(bins=3, unknown="impute", prior_weight=1, averaging="prunings"),
    ctree.OptimalTreeClassifier(max_depth=2),
]
pytestmark = [pytest.mark.slow, pytest.mark.skipif(shutil.which("java") is None, reason="there is no Java")]


@pytest.fixture(autouse=True, scope="module")
def no_java_left():
    """JPMML's Java would go on when the tests are over."""
    yield
    backend = sys.modules.get("jpmml_evaluator.py4j")
    if backend is not None and backend.Py4JBackend.gateway is not None:
        backend.Py4JBackend.destroyGateway()


def fitted(learner):
    """A model, and some cases for it, every other of which has more unknown values."""
    data = random_problem(6, 80, 3, [0, 4, 0, 3], unknown=0.1).dataset()
    return learner.fit(data), exported.together(data.take(range(15)), exported.with_unknown(data.take(range(15)), 0.3))


def clear(model, data):
    """The cases that come to one leaf only."""
    leaf = model.tree_.attribute < 0
    return data.take(model.decision_path(data).toarray()[:, leaf].max(axis=1) == 1)


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
class TestTrees:
    def test_pmml4s(self, learner):
        pytest.importorskip("pypmml")
        model, data = fitted(learner)
        assert exported.by_pypmml(model, data) == pytest.approx(model.predict_proba(data), abs=1e-12)

    def test_jpmml(self, learner, tmp_path):
        pytest.importorskip("jpmml_evaluator")
        model, data = fitted(learner)
        assert exported.by_jpmml(model, data, tmp_path) == pytest.approx(model.predict_proba(data), abs=1e-12)
        whole = clear(model, data)  # it does not know weightedConfidence
        found = exported.by_jpmml(model, whole, tmp_path, form="tree")
        assert found == pytest.approx(model.predict_proba(whole), abs=1e-12)


@pytest.mark.parametrize("learner", [ctree.C45RulesClassifier(), ctree.NaiveBayesClassifier(bins=3)])
def test_rules_and_naive_bayes(learner, tmp_path):
    pytest.importorskip("jpmml_evaluator")
    model, data = fitted(learner)
    assert exported.by_jpmml(model, data, tmp_path, form=None) == pytest.approx(model.predict_proba(data), abs=1e-12)
