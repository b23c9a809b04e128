"""Queries of trees in each dialect give the class and the probabilities of the model.

sqlglot reads them as the database would, and says them in the dialect of DuckDB, where they are run; PostgreSQL runs
its own, where there is one.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support import dialects, exported, postgres
from support.chains import chain
from support.problems import random_problem

import ctree
from ctree.errors import ModelError, ParameterError
from ctree.export.plan import plan_of

pytest.importorskip("sqlglot")
pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

SHARED = Path(__file__).parents[3] / "shared" / "data"
LEARNERS = [
    ctree.C45Classifier(min_cases=1),
    ctree.C45Classifier(group_values=True, min_cases=1, estimate="laplace"),
    ctree.C45Classifier(variant="j48"),
    ctree.BayesianTreeClassifier(bins=3, unknown="impute", prior_weight=1),
]


def check(model, data, dialect):
    """Both forms; that of one CASE for the rows that come to one leaf."""
    asked, key = plan_of(model).attributes, "the case"
    labels, shares = dialects.by_dialect(ctree.to_sql(model, dialect, key=key), dialect, data, asked)
    assert shares == pytest.approx(model.predict_proba(data), abs=1e-12)
    near = np.sort(model.predict_proba(data))
    clear = near[:, -1] - near[:, -2] > 1e-12  # databases add up in another order
    assert [label for label, c in zip(labels, clear, strict=True) if c] == model.predict(data)[clear].tolist()
    whole = data.take(model.decision_path(data).toarray()[:, model.tree_.attribute < 0].max(axis=1) == 1)
    labels, shares = dialects.by_dialect(ctree.to_sql(model, dialect, form="case"), dialect, whole, asked)
    assert shares == pytest.approx(model.predict_proba(whole), abs=1e-15)
    assert labels == model.predict(whole).tolist()


@pytest.mark.parametrize("dialect", dialects.CALLED)
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: str(learner)[:40])
def test_the_model(learner, dialect):
    data = random_problem(6, 120, 3, [0, 4, 0, 3], unknown=0.1).dataset()
    model = learner.fit(data)
    check(model, exported.together(data, exported.with_unknown(data, 0.3)), dialect)


WEIRD = ["o'clock", "a;b -- c", "Größe", "x<y & z", "back\\slash\\", "%s {0}", "line\nbreak", "tab\there", "]]", 'q"q']


@pytest.mark.parametrize("dialect", dialects.CALLED)
def test_names_and_values(dialect):
    rng = np.random.default_rng(0)
    names = [name for name in WEIRD if dialect != "bigquery" or not set(name) & set('\\;[]"{}')]
    columns = {name: np.array(WEIRD, dtype=object)[rng.integers(0, len(WEIRD), 200)] for name in names}
    y = np.array(WEIRD)[[WEIRD.index(v) // 2 for v in columns[names[0]]]]
    model = ctree.ProbabilityTreeClassifier(binary_splits=False).fit(columns, y)
    check(model, ctree.from_arrays(columns, y, schema=model.schema_).take(range(40)), dialect)


@pytest.mark.parametrize("dialect", dialects.CALLED)
def test_classes_that_are_numbers_stay_numbers(dialect):
    data = ctree.from_arrays({"x": [1.0, 2.0, 3.0, 4.0] * 5}, [3, 3, 7, 7] * 5)
    model = ctree.C45Classifier().fit(data)
    check(model, data, dialect)


def test_equal_probabilities_are_told_as_predict_does():
    data = ctree.from_arrays({"x": [1.0, 1.0, 2.0, 2.0] * 5, "y": [1.0, 2.0] * 10}, ["b", "a", "c", "c"] * 5)
    model = ctree.C45Classifier(prune=False).fit(data)
    cases = ctree.from_arrays({"x": [np.nan, 1.0, np.nan], "y": [np.nan, np.nan, 1.0]}, schema=model.schema_)
    query = ctree.to_sql(model, "postgresql", key="the case")
    labels, shares = dialects.by_dialect(query, "postgresql", cases, [0, 1])
    assert (shares[1] == shares[1].max()).sum() == 2
    assert labels == model.predict(cases).tolist()


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.is_dir(), reason="the data sets are not here")
@pytest.mark.parametrize("stem", ["vote", "hypothyroid", "soybean", "adult"])
@pytest.mark.parametrize("dialect", dialects.CALLED)
def test_real_sets(stem, dialect):
    data = ctree.read_c45(str(SHARED / stem))
    data = data.take(np.random.default_rng(0).permutation(len(data))[:3000])
    some = data.take(range(60))
    check(ctree.C45Classifier().fit(data), exported.together(some, exported.with_unknown(some, 0.2)), dialect)


@pytest.fixture(scope="module")
def folder():
    with postgres.server() as folder:
        yield folder


@pytest.mark.slow
@pytest.mark.skipif(not postgres.is_here(), reason="there is no PostgreSQL")
class TestPostgres:
    @pytest.mark.parametrize("form", ["walk", "case"])
    @pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: str(learner)[:40])
    def test_a_server(self, folder, learner, form):
        data = random_problem(6, 120, 3, [0, 4, 0, 3], unknown=0.1).dataset()
        model, cases = learner.fit(data), exported.with_unknown(data, 0.2 if form == "walk" else 0)
        if form == "case":
            path = model.decision_path(cases).toarray()[:, model.tree_.attribute < 0]
            cases = cases.take(path.max(axis=1) == 1)
        key = {"key": "the case"} if form == "walk" else {}
        query = ctree.to_sql(model, "postgresql", form=form, **key)
        made = postgres.table(cases, plan_of(model).attributes)
        rows = postgres.run(folder, f"{made};\n{query} ORDER BY 1;")
        C = data.schema.n_classes
        shares = np.array([row[-C:] for row in rows], dtype=np.float64)
        assert shares == pytest.approx(model.predict_proba(cases), abs=1e-12)
        assert [row[-C - 1] for row in rows] == list(map(str, model.predict(cases)))

    def test_rows_are_numbered_without_a_key(self, folder):
        model = ctree.C45Classifier().fit(ctree.load_golf())
        made = postgres.table(ctree.load_golf(), plan_of(model).attributes)
        rows = postgres.run(folder, f"{made};\n{ctree.to_sql(model, 'postgresql')} ORDER BY 1;")
        assert [row[0] for row in rows] == [str(i) for i in range(1, 15)]


class TestWhatIsRefused:
    def test_rows_that_would_be_numbered_anew(self):
        model = ctree.C45Classifier().fit(ctree.load_golf())
        for dialect in ("bigquery", "snowflake", "sqlserver"):
            with pytest.raises(ParameterError, match="needs a key for"):
                ctree.to_sql(model, dialect)

    def test_trees_that_are_too_deep(self):
        deep = chain(600)
        with pytest.raises(ModelError, match="600 levels deep, but a recursive query of BigQuery"):
            ctree.to_sql(deep, "bigquery", key="k")
        assert ctree.to_sql(deep, "sqlserver", key="k").endswith("OPTION (MAXRECURSION 601)")
        assert "OPTION" not in ctree.to_sql(chain(50), "sqlserver", key="k")

    def test_names_of_bigquery(self):
        model = ctree.C45Classifier(prune=False, min_cases=1).fit({"a.b": [1.0, 2.0]}, ["x", "y"])
        with pytest.raises(ModelError, match=r"BigQuery allows no '\.' in a name, but an attribute 'a\.b' has one"):
            ctree.to_sql(model, "bigquery", key="k")

    def test_values_that_differ_in_blanks_at_the_end(self):
        X = {"a": ["x", "x "] * 10}
        model = ctree.C45Classifier(prune=False).fit(X, ["no", "yes"] * 10)
        with pytest.raises(ModelError, match="two labels that SQL Server would both call 'x'"):
            ctree.to_sql(model, "sqlserver", key="k")
        assert "x " in ctree.to_sql(model, "snowflake", key="k")

    def test_queries_that_are_too_long(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(20_000, 5)), rng.integers(0, 2, 20_000)
        model = ctree.ProbabilityTreeClassifier().fit(X, y)
        with pytest.raises(ModelError, match="Snowflake takes queries of no more than 1,000,000 characters"):
            ctree.to_sql(model.tree_, "snowflake", key="k")
