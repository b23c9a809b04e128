"""Rules and naive Bayes in other languages have the class and the probabilities of the model."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import dialects, exported, postgres
from support.problems import problems, random_problem

import ctree
from ctree.errors import ModelError
from ctree.export.plans import planned

LEARNERS = [
    ctree.C45RulesClassifier(min_cases=1),
    ctree.C45RulesClassifier(group_values=True, confidence=0.9),
    ctree.NaiveBayesClassifier(),
    ctree.NaiveBayesClassifier(estimate="frequency", bins=3),
    ctree.NaiveBayesClassifier(estimate="laplace"),
]
learners = st.sampled_from(LEARNERS)
named = pytest.mark.parametrize("learner", LEARNERS, ids=repr)


def fitted(learner, seed=6):
    """A model, and cases for it: those it was fitted to, and some with more unknown values."""
    data = random_problem(seed, 120, 3, [0, 4, 0, 3], unknown=0.1).dataset()
    return learner.fit(data), exported.together(data, exported.with_unknown(data, 0.3))


def check(model, data, labels, shares):
    assert shares == pytest.approx(model.predict_proba(data), abs=1e-12)
    two = np.sort(model.predict_proba(data))[:, -2:]
    rules = isinstance(model, ctree.C45RulesClassifier)
    clear = np.full(len(data), True) if rules else two[:, 1] - two[:, 0] > 1e-12
    assert np.array(labels, dtype=object)[clear].tolist() == model.predict(data)[clear].tolist()


@settings(max_examples=60, deadline=None)
@given(problems(), learners)
def test_python(problem, learner):
    data = problem.dataset()
    model = learner.fit(data)
    cases = exported.together(data, exported.with_unknown(data, 0.3))
    module = {}
    exec(ctree.to_python(model), module)
    check(
        model, cases, [module["predict"](case) for case in exported.cases_of(cases)], exported.by_python(model, cases)
    )


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
@settings(max_examples=10, deadline=None)
@given(problems(), learners)
def test_c(problem, learner):
    data = problem.dataset()
    model = learner.fit(data)
    cases = exported.together(data, exported.with_unknown(data, 0.3))
    with tempfile.TemporaryDirectory() as folder:
        assert exported.by_c(model, cases, Path(folder)) == pytest.approx(model.predict_proba(cases), abs=1e-14)


@settings(max_examples=30, deadline=None)
@given(problems(), learners)
def test_sqlite(problem, learner):
    data = problem.dataset()
    model = learner.fit(data)
    cases = exported.together(data, exported.with_unknown(data, 0.3))
    assert exported.by_sqlite(model, cases) == pytest.approx(model.predict_proba(cases), abs=1e-12)


@named
@pytest.mark.parametrize("dialect", ["duckdb", *dialects.CALLED])
def test_dialects(learner, dialect):
    pytest.importorskip("sqlglot")
    pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    model, data = fitted(learner)
    query = ctree.to_sql(model, dialect, key="the case")
    check(model, data, *dialects.by_dialect(query, dialect, data, planned(model).attributes))


@pytest.mark.slow
@pytest.mark.skipif(not postgres.is_here(), reason="there is no PostgreSQL")
def test_postgres():
    with postgres.server() as folder:
        for learner in LEARNERS:
            model, data = fitted(learner)
            made = postgres.table(data, planned(model).attributes)
            query = ctree.to_sql(model, "postgresql", key="the case")
            rows = postgres.run(folder, f"{made};\n{query} ORDER BY 1;")
            check(model, data, [row[1] for row in rows], np.array([row[2:] for row in rows], dtype=np.float64))


@settings(max_examples=30, deadline=None)
@given(problems(), learners)
def test_pmml(problem, learner):
    data = problem.dataset()
    model = learner.fit(data)
    cases = exported.together(data, exported.with_unknown(data, 0.3))
    if isinstance(model, ctree.C45RulesClassifier):
        found = exported.by_the_standard(model, cases)
    elif model.estimate == "frequency":
        return
    else:
        found = exported.by_shares(model, cases, form=None)
    assert found == pytest.approx(model.predict_proba(cases), abs=1e-12)


def test_pmml_has_no_impossible_classes():
    model = ctree.NaiveBayesClassifier(estimate="frequency").fit(ctree.load_golf())
    with pytest.raises(ModelError, match="PMML cannot express that a value rules out a class"):
        ctree.to_pmml(model)


def test_a_list_of_rules_is_as_good_as_its_learner():
    model = ctree.C45RulesClassifier().fit(ctree.load_golf())
    for writer in (ctree.to_sql, ctree.to_pmml, ctree.to_python, ctree.to_c):
        assert writer(model) == writer(model.rules_)


def test_rules_that_are_none(tmp_path):
    model = ctree.C45RulesClassifier().fit({"x": [1.0, 2.0, 3.0]}, ["a", "a", "a"])
    assert len(model.rules_) == 0
    data = ctree.from_arrays({"x": [1.0, np.nan]}, schema=model.schema_)
    expected = model.predict_proba(data).tolist()
    assert exported.by_python(model, data).tolist() == expected
    assert exported.by_sqlite(model, data).tolist() == expected
    assert exported.by_the_standard(model, data).tolist() == expected
    if shutil.which("gcc"):
        assert exported.by_c(model, data, tmp_path).tolist() == expected
