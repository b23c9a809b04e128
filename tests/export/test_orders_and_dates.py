"""Exports of models with ordered values and dates give the same probabilities as the models, wherever they run."""

import datetime

import numpy as np
import pytest
from naive.pmml_shares import RegressionModel
from naive.pmml_tree import TreeModel
from support.exported import by_c, by_duckdb, by_python, by_sqlite, cases_of
from support.orders import orders

import ctree
from ctree import to_pmml, to_python, to_sql

MODELS = {
    "c4.5": lambda: ctree.C45Classifier(min_cases=1),
    "j48": lambda: ctree.C45Classifier(variant="j48"),
    "probability": lambda: ctree.ProbabilityTreeClassifier(),
    "bayesian": lambda: ctree.BayesianTreeClassifier(unknown="impute"),
    "bayesian in bins": lambda: ctree.BayesianTreeClassifier(bins=4),
    "optimal": lambda: ctree.OptimalTreeClassifier(max_depth=3),
    "rules": lambda: ctree.C45RulesClassifier(),
    "naive bayes": lambda: ctree.NaiveBayesClassifier(),
}
NO_TREES = ("rules", "naive bayes")


@pytest.fixture(scope="module", params=MODELS)
def fitted(request):
    return request.param, MODELS[request.param]().fit(orders())


CASES = orders(80, seed=7, unknown=0.1)
WHOLE = orders(80, seed=8, unknown=0.0)


def close(found, expected):
    assert np.allclose(found, expected, rtol=0, atol=1e-12)


def test_python(fitted):
    _, model = fitted
    close(by_python(model, CASES), model.predict_proba(CASES))


def test_c(fitted, tmp_path):
    _, model = fitted
    close(by_c(model, CASES, tmp_path), model.predict_proba(CASES))


@pytest.mark.parametrize("run", [by_sqlite, by_duckdb])
def test_sql(fitted, run):
    name, model = fitted
    if run is by_duckdb:
        pytest.importorskip("duckdb")
    close(run(model, CASES), model.predict_proba(CASES))
    if name not in NO_TREES:
        close(run(model, WHOLE, "case"), model.predict_proba(WHOLE))


def test_sql_of_typed_columns(fitted):
    """Tables of databases have dates as dates."""
    duckdb = pytest.importorskip("duckdb")
    _, model = fitted
    base = duckdb.connect(config={"threads": 1})
    kinds = {"size": "VARCHAR", "day": "DATE", "number": "DOUBLE", "colour": "VARCHAR", "at": "TIMESTAMP"}
    declared = ", ".join(f'"{name}" {kind}' for name, kind in {"k": "INTEGER", **kinds, "time": "TIME"}.items())
    base.execute(f"CREATE TABLE typed ({declared})")
    rows = [(i, *case.values()) for i, case in enumerate(cases_of(CASES))]
    base.executemany("INSERT INTO typed VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
    found = base.execute(to_sql(model, "duckdb", table="typed", key="k")).fetchall()
    close([row[-2:] for row in sorted(found)], model.predict_proba(CASES))


def test_pmml(fitted):
    name, model = fitted
    document = TreeModel(to_pmml(model)) if name == "rules" else RegressionModel(to_pmml(model, **_shares(name)))
    found = [document.probabilities(case) for case in _numbers(CASES)]
    close(found, model.predict_proba(CASES))


def _shares(name):
    return {} if name == "naive bayes" else {"form": "shares"}


def _numbers(data):
    """Cases as PMML takes them: dates are days or microseconds."""
    cases = cases_of(data)
    for case, values in enumerate(cases):
        for a, attribute in enumerate(data.schema):
            if attribute.is_moment and values[attribute.name] is not None:
                values[attribute.name] = float(data.columns[a][case])
    return cases


def test_onnx():
    runtime = pytest.importorskip("onnxruntime")
    model = ctree.C45Classifier(min_cases=1).fit(orders())
    session = runtime.InferenceSession(ctree.to_onnx(model), providers=["CPUExecutionProvider"])
    columns = {}
    for a, attribute in enumerate(WHOLE.schema):
        values = [WHOLE.value(i, a) for i in range(len(WHOLE))] if attribute.values else WHOLE.columns[a]
        columns[attribute.name] = np.array(values).reshape(-1, 1)
    feed = {one.name: columns[one.name] for one in session.get_inputs()}
    found = session.run(["probabilities"], feed)[0]
    assert np.allclose(found, model.predict_proba(WHOLE), atol=1e-6)


class TestWords:
    model = ctree.C45Classifier(min_cases=1).fit(orders())

    def test_a_query_names_values_and_dates(self):
        query = to_sql(self.model, "duckdb", form="case")
        assert "CAST(c.\"size\" AS VARCHAR) IN ('large', 'huge')" in query
        assert 'CAST(c."day" AS DATE) <= CAST(\'202' in query
        assert "AS TIMESTAMP) > CAST('202" in query
        assert 'date(c."day") <= \'202' in to_sql(self.model, "sqlite", form="case")

    @pytest.mark.parametrize("dialect", ["postgresql", "bigquery", "snowflake", "sqlserver"])
    def test_dialects_that_cannot_be_run_here_have_words_for_dates(self, dialect):
        words = {
            "postgresql": ("EXTRACT(EPOCH FROM CAST(", "- DATE '1970-01-01'"),
            "bigquery": ("UNIX_MICROS(CAST(", "UNIX_DATE("),
            "snowflake": ("DATE_PART(epoch_microsecond, CAST(", "DATEDIFF('day'"),
            "sqlserver": ("DATEDIFF_BIG(microsecond, CAST('1970-01-01' AS DATETIME2)", "DATEDIFF(day, "),
        }
        query = to_sql(self.model, dialect, key="k")
        for word in words[dialect]:
            assert word in query

    def test_the_python_module_takes_texts_objects_and_numbers(self):
        module = {}
        exec(to_python(self.model), module)
        case = cases_of(WHOLE)[0]
        expected = module["predict_proba"](case)
        at = datetime.datetime.fromisoformat(case["at"])
        zone = datetime.timezone(datetime.timedelta(hours=2))
        forms = {
            "day": [
                datetime.date.fromisoformat(case["day"]),
                case["day"].replace("-", "/"),
                float(WHOLE.columns[1][0]),
            ],
            "at": [at, at.replace(tzinfo=datetime.UTC), at.replace(tzinfo=datetime.UTC).astimezone(zone)],
            "time": [datetime.time.fromisoformat(case["time"]), float(WHOLE.columns[5][0])],
        }
        for name, values in forms.items():
            for value in values:
                assert module["predict_proba"]({**case, name: value}) == expected
