"""Classes and weights given by the names of columns; columns at predict that the model does not know."""

import datetime
import warnings

import numpy as np
import pytest

import ctree
from ctree.errors import DataError

pytest.importorskip("narwhals")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
duckdb = pytest.importorskip("duckdb")

N = 24
COLUMNS = {
    "age": [20 + 3 * i for i in range(N)],
    "job": ["clerk", "farmer", "judge"] * (N // 3),
    "status": ["yes" if i % 3 == 0 or i > 18 else "no" for i in range(N)],
    "times": [1 + i % 2 for i in range(N)],
}
PANDAS = pd.DataFrame(COLUMNS)
FORMS = {
    "dict": COLUMNS,
    "pandas": PANDAS,
    "pandas with categories": PANDAS.astype({"status": "category"}),
    "polars": pl.DataFrame(COLUMNS),
    "lazy polars": pl.LazyFrame(COLUMNS),
    "pyarrow": pa.table(COLUMNS),
    "duckdb": duckdb.from_arrow(pa.table(COLUMNS)),
    "narwhals": pytest.importorskip("narwhals").from_native(PANDAS),
}
LEARNERS = {
    "c45": ctree.C45Classifier(),
    "rules": ctree.C45RulesClassifier(),
    "probability": ctree.ProbabilityTreeClassifier(),
    "bayesian": ctree.BayesianTreeClassifier(),
    "naive Bayes": ctree.NaiveBayesClassifier(),
    "all trees": ctree.BayesOptimalClassifier(max_depth=2),
    "optimal": ctree.OptimalTreeClassifier(max_depth=2),
    "sampled": ctree.MCMCTreeClassifier(samples=20, burn_in=10, chains=1, random_state=0),
}
X = {name: COLUMNS[name] for name in ("age", "job")}


def fitted(learner, *given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few samples
        return type(learner)(**learner.get_params()).fit(*given)


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_takes_the_name_of_the_class(name):
    model = fitted(LEARNERS[name], PANDAS.drop(columns="times"), "status")
    expected = fitted(LEARNERS[name], X, COLUMNS["status"])
    assert model.feature_names_in_.tolist() == ["age", "job"]
    assert np.array_equal(model.predict_proba(X), expected.predict_proba(X))
    assert model.score(PANDAS.drop(columns="times"), "status") == expected.score(X, COLUMNS["status"])


@pytest.mark.parametrize("form", FORMS)
def test_every_kind_of_table_has_names_for_classes_and_weights(form):
    table = FORMS[form]
    expected = ctree.C45Classifier().fit(X, COLUMNS["status"], COLUMNS["times"])
    model = ctree.C45Classifier().fit(table, y="status", sample_weight="times")
    assert model.tree_ == expected.tree_
    right = expected.score(X, COLUMNS["status"], COLUMNS["times"])
    assert model.score(table, "status", sample_weight="times") == right
    data = ctree.from_arrays(table, "status", sample_weight="times")
    assert data.labels == COLUMNS["status"]
    assert data.weights.tolist() == COLUMNS["times"]
    assert data.schema.names == ("age", "job")


def test_further_cases_and_votes_by_name():
    first, rest = PANDAS[:12].drop(columns="times"), PANDAS[12:].drop(columns="times")
    model = ctree.NaiveBayesClassifier().partial_fit(first, "status").partial_fit(rest, "status")
    again = ctree.NaiveBayesClassifier().partial_fit(first[["age", "job"]], first["status"])
    again.partial_fit(rest[["age", "job"]], rest["status"])
    assert np.array_equal(model.predict_proba(X), again.predict_proba(X))
    sampled = fitted(LEARNERS["sampled"], X, COLUMNS["status"])
    by_name = ctree.uncertainty_envelope(sampled, PANDAS.drop(columns="times"), "status")
    assert by_name.shares() == ctree.uncertainty_envelope(sampled, X, COLUMNS["status"]).shares()
    sets = ctree.frequent_itemsets(PANDAS, "status")
    assert sets.classes == ("no", "yes")


def test_classes_of_numbers_are_as_if_they_were_given():
    frame = PANDAS.assign(status=[i % 2 for i in range(N)])
    model = ctree.C45Classifier().fit(frame, "status")
    assert model.classes_.tolist() == [0, 1]
    assert model.predict(frame.drop(columns="status")).dtype.kind == "i"
    with pytest.raises(DataError, match="Unknown label type: continuous"):
        ctree.C45Classifier().fit(PANDAS.assign(status=0.5), "status")


def test_examples_of_linked_tables_by_name():
    data = ctree.RelationalData(
        {
            "machine": {"id": ["a", "b", "c", "d"], "action": ["fix", "ok", "fix", "ok"]},
            "worn": {"machine": ["a", "a", "c", "d"], "part": ["gear", "belt", "gear", "belt"]},
        },
        target=("machine", "action"),
        keys={"machine": "id"},
        foreign_keys={"worn.machine": "machine"},
    )
    keys = pd.DataFrame({"id": ["a", "b", "c", "d"], "what": ["u", "v", "u", "v"]})
    tree = ctree.RelationalTreeClassifier(data=data)
    assert tree.fit(keys, "what").score(keys, "what") == 1.0
    assert tree.classes_.tolist() == ["u", "v"]
    bagged = ctree.BaggedTreesClassifier(learner=tree, members=3, random_state=1).fit(keys, "what")
    assert bagged.classes_.tolist() == ["u", "v"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            (PANDAS, "statu"),
            r"y is 'statu', but there is no column 'statu' among age, job, status, times \(did you mean 'status'\?\)",
        ),
        (
            (PANDAS, "status", "time"),
            r"sample_weight is 'time', but there is no column 'time' among age, job, status, times \(did you mean",
        ),
        ((PANDAS, "status", "status"), "y and sample_weight both name the column 'status'"),
        ((PANDAS, "status", "job"), "sample_weight should hold numbers"),
        ((PANDAS[["status"]], "status"), "the table has no columns besides those that y and sample_weight name"),
        ((PANDAS.to_numpy(), "status"), "y is 'status', the name of a column, but the columns of X have no names"),
        ((ctree.load_golf(), "play"), "a Dataset has its own classes: leave out y"),
        ((ctree.load_golf(), None, "play"), "a Dataset has its own weights: see Dataset.with_weights"),
    ],
)
def test_names_that_lead_nowhere(given, message):
    with pytest.raises(DataError, match=message):
        ctree.C45Classifier().fit(*given)


ODD = {
    "dates": [datetime.date(2020, 1, 1)] * N,
    "times": pd.to_datetime(["2020-01-01"] * N),
    "lists": [[1, 2]] * N,
    "objects": [object()] * N,
    "text": ["a"] * N,
    "complex": [1j] * N,
}


class TestColumnsThatTheModelDoesNotKnow:
    """They are named, whatever they hold: nothing of them is read."""

    @pytest.mark.parametrize("what", ODD)
    @pytest.mark.parametrize("ask", ["predict", "predict_proba", "explain", "apply"])
    def test_are_called_extra(self, what, ask):
        model = ctree.C45Classifier().fit(X, COLUMNS["status"])
        frame = pd.DataFrame(X).assign(when=pd.Series(list(ODD[what])))
        for table in (frame, {**X, "when": list(ODD[what])}):
            with pytest.raises(DataError, match="X has the column 'when', which C45Classifier was not fitted with"):
                getattr(model, ask)(table)

    def test_in_polars_and_arrow_too(self):
        model = ctree.C45Classifier().fit(X, COLUMNS["status"])
        for table in (pl.DataFrame(X), pl.LazyFrame(X)):
            with pytest.raises(DataError, match="X has the column 'when', which"):
                model.predict(table.with_columns(when=datetime.date(2020, 1, 1)))
        with pytest.raises(DataError, match="X has the column 'when', which"):
            model.predict(pa.table({**X, "when": ODD["dates"]}))

    def test_a_missing_column_comes_first(self):
        model = ctree.C45Classifier().fit(X, COLUMNS["status"])
        with pytest.raises(DataError, match="X lacks the column 'age', which"):
            model.predict(pd.DataFrame({"job": X["job"], "when": ODD["dates"]}))

    def test_those_that_the_model_ignores_may_hold_anything(self):
        schema = ctree.Schema(
            (
                ctree.Attribute("age", ctree.Kind.CONTINUOUS),
                ctree.Attribute("name", ctree.Kind.IGNORE),
            ),
            ("no", "yes"),
        )
        codes = [int(label == "yes") for label in COLUMNS["status"]]
        model = ctree.C45Classifier().fit(ctree.Dataset(schema, [COLUMNS["age"], None], codes))
        expected = model.predict({"age": COLUMNS["age"]})
        for name in ([datetime.date(2020, 1, 1)] * N, [[1]] * N, ["a"] * N):
            assert (model.predict(pd.DataFrame({"age": COLUMNS["age"], "name": name})) == expected).all()
