"""Tables of other libraries: the same cases in any form make the same model; what cannot be a case is refused."""

import datetime
import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ctree
from ctree import from_arrays
from ctree.errors import DataError, DataTypeError, ParameterError

pytest.importorskip("narwhals")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
duckdb = pytest.importorskip("duckdb")

WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=4)
VALUES = {
    "number": st.floats(allow_nan=False, allow_infinity=False),
    "whole": st.integers(-(2**53), 2**53),
    "flag": st.booleans(),
    "word": WORDS,
    "category": st.sampled_from(["low", "mid", "high", "1", ""]),
}
PANDAS = {"number": "float64", "whole": "Int64", "flag": "boolean", "word": "string", "category": "category"}
POLARS = {"number": pl.Float64, "whole": pl.Int64, "flag": pl.Boolean, "word": pl.String, "category": pl.Categorical}
ARROW = {
    "number": pa.float64(),
    "whole": pa.int64(),
    "flag": pa.bool_(),
    "word": pa.string(),
    "category": pa.dictionary(pa.int32(), pa.string()),
}


@st.composite
def tables(draw) -> tuple[dict[str, list], dict[str, str], list[str]]:
    """Columns by name, unknown values among them, their kinds, and classes."""
    n = draw(st.integers(2, 25))
    kinds = {f"c{j}": draw(st.sampled_from(list(VALUES))) for j in range(draw(st.integers(1, 5)))}
    columns = {}
    for name, kind in kinds.items():
        # a column of which nothing is known has a kind only where it has a type
        first = draw(VALUES[kind])
        columns[name] = [first, *draw(st.lists(st.none() | VALUES[kind], min_size=n - 1, max_size=n - 1))]
    return columns, kinds, draw(st.lists(st.sampled_from(["yes", "no", "perhaps"]), min_size=n, max_size=n))


def in_pandas(columns, kinds):
    return pd.DataFrame({name: pd.Series(values, dtype=PANDAS[kinds[name]]) for name, values in columns.items()})


def in_polars(columns, kinds):
    return pl.DataFrame({name: pl.Series(values, dtype=POLARS[kinds[name]]) for name, values in columns.items()})


def in_pandas_by_arrow(columns, kinds):
    return in_arrow(columns, kinds).to_pandas(types_mapper=pd.ArrowDtype)


def in_arrow(columns, kinds):
    return pa.table({name: pa.array(values, type=ARROW[kinds[name]]) for name, values in columns.items()})


def in_duckdb(columns, kinds):
    return duckdb.from_arrow(in_arrow(columns, kinds))


FORMS = {
    "pandas": in_pandas,
    "pandas of objects": lambda columns, kinds: pd.DataFrame(columns, dtype=object),
    "pandas of arrow": in_pandas_by_arrow,
    "polars": in_polars,
    "lazy polars": lambda columns, kinds: in_polars(columns, kinds).lazy(),
    "pyarrow": in_arrow,
    "record batch": lambda columns, kinds: in_arrow(columns, kinds).combine_chunks().to_batches()[0],
    "duckdb": in_duckdb,
    "dict of series": lambda columns, kinds: dict(in_polars(columns, kinds).to_dict()),
}


def same(one: ctree.Dataset, other: ctree.Dataset) -> bool:
    # repr tells 1 from 1.0 and from True
    return repr(one.schema) == repr(other.schema) and all(
        np.array_equal(a, b, equal_nan=b.dtype.kind == "f") for a, b in zip(one.columns, other.columns, strict=True)
    )


@pytest.mark.parametrize("form", FORMS)
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(table=tables())
def test_the_same_cases_in_any_form_are_the_same(form, table):
    columns, kinds, y = table
    plain = from_arrays(columns, y)
    assert same(plain, from_arrays(FORMS[form](columns, kinds), y))
    assert [a.is_continuous for a in plain.schema] == [kind in ("number", "whole") for kind in kinds.values()]


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(table=tables(), seed=st.integers(0, 2**32 - 1))
@pytest.mark.slow
def test_models_and_predictions_are_the_same_in_any_form(table, seed):
    columns, kinds, y = table
    # the same values in another order of columns and so of levels, and a case of which nothing is known
    later = {name: [*columns[name][::-1], None] for name in np.random.default_rng(seed).permutation(list(columns))}
    for learner in (ctree.C45Classifier(min_cases=1, prune=False), ctree.NaiveBayesClassifier()):
        plain = learner.fit(columns, y)
        expected = plain.predict_proba(later)
        matrix = np.array([columns[name] for name in columns], dtype=object).T
        ordered = np.array([later[name] for name in columns], dtype=object).T
        by_place = type(learner)(**learner.get_params()).fit(matrix, y)
        assert np.array_equal(by_place.predict_proba(ordered), expected)
        for form, make in FORMS.items():
            model = type(learner)(**learner.get_params()).fit(make(columns, kinds), y)
            assert model.feature_names_in_.tolist() == list(columns), form
            assert np.array_equal(model.predict_proba(make(later, kinds)), expected), form
            if hasattr(model, "tree_"):
                assert model.tree_ == plain.tree_, form


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.sampled_from([*np.linspace(1, 1 + 1e-6, 12), 16777217.0, 16777216.0]), min_size=4, max_size=60),
    st.data(),
)
def test_a_case_goes_to_predict_where_it_went_in_training(values, data):
    y = data.draw(st.lists(st.sampled_from("ab"), min_size=len(values), max_size=len(values)))
    X = np.array(values)[:, None]
    cases = from_arrays(X)
    for learner in (
        ctree.C45Classifier(min_cases=1, prune=False, mdl_correction=False),
        ctree.C45Classifier(min_cases=1, prune=False, variant="j48"),
        ctree.ProbabilityTreeClassifier(),
        ctree.BayesianTreeClassifier(bins=None),
        ctree.OptimalTreeClassifier(bins=None),
    ):
        tree = learner.fit(X, y).tree_
        reached = np.bincount(tree.apply(cases), minlength=tree.n_nodes)
        leaves = tree.arrays.n_branches == 0
        assert reached[leaves].tolist() == tree.cases[leaves].tolist(), learner


@pytest.mark.parametrize("variant", ["release8", "j48"])
def test_only_release_8_rounds_numbers(variant):
    """Two numbers that are one in 32 bits are two to everyone else."""
    X = [[1e9], [1e9 + 1]] * 10
    model = ctree.C45Classifier(variant=variant).fit(X, ["a", "b"] * 10)
    assert model.tree_.n_leaves == (1 if variant == "release8" else 2)
    assert ctree.ProbabilityTreeClassifier().fit(X, ["a", "b"] * 10).tree_.n_leaves == 2
    assert ctree.OptimalTreeClassifier(bins=None).fit(X, ["a", "b"] * 10).tree_.n_leaves == 2


class TestUnknownValues:
    @pytest.mark.parametrize(
        "column",
        [
            pd.Series(["a", None, "b"]),
            pd.Series(["a", np.nan, "b"], dtype=object),
            pd.Series(["a", pd.NA, "b"], dtype="string"),
            pd.Series(["a", pd.NaT, "b"], dtype=object),
            pd.Series(["a", float("nan"), "b"], dtype="category"),
            pl.Series(["a", None, "b"]),
            pl.Series(["a", None, "b"], dtype=pl.Enum(["b", "z", "a"])),
            pa.chunked_array([["a", None], ["b"]]),
            ["a", None, "b"],
            ["a", math.nan, "b"],
            ["a", pd.NaT, "b"],
            ["a", pd.NA, "b"],
        ],
    )
    def test_of_labels(self, column):
        data = from_arrays({"c": column})
        assert data.schema[0].values == ("a", "b")
        assert data.columns[0].tolist() == [0, -1, 1]

    @pytest.mark.parametrize(
        "column",
        [
            pd.Series([1.5, None, 2]),
            pd.Series([1.5, pd.NA, 2], dtype="Float64"),
            pd.Series([1.5, pd.NaT, 2], dtype=object),
            pd.arrays.SparseArray([1.5, np.nan, 2]),
            pl.Series([1.5, None, 2]),
            pl.Series([1.5, math.nan, 2]),
            pl.Series(["1.5", None, "2"]).cast(pl.Decimal(5, 2)),
            pl.Series([1.5, None, 2], dtype=pl.Float32),
            pa.chunked_array([[1.5, None], [2]]),
            [Decimal("1.5"), None, 2],
            [1.5, pd.NA, 2],
        ],
    )
    def test_of_numbers(self, column):
        data = from_arrays({"c": column})
        assert data.schema[0].is_continuous
        assert [data.value(i, 0) for i in range(3)] == [1.5, None, 2.0]

    @pytest.mark.parametrize("frame", [pl.DataFrame({"c": [None, None]}), pa.table({"c": [None, None]})])
    def test_a_column_of_nothing(self, frame):
        assert np.isnan(from_arrays(frame).columns[0]).all()


class TestTypes:
    def test_categories_of_numbers_are_labels(self):
        data = from_arrays(pd.DataFrame({"c": pd.Categorical([3, 1, 3])}))
        assert data.schema[0].values == (1, 3)

    def test_whole_numbers_beyond_doubles_stay_apart(self):
        frame = pl.DataFrame({"c": [2**60, 2**60 + 1, None]})
        assert from_arrays(frame, categorical_features=["c"]).schema[0].values == (2**60, 2**60 + 1)
        assert from_arrays(frame).schema[0].is_continuous

    @pytest.mark.parametrize(
        "column",
        [
            pl.Series([datetime.timedelta(1)]),
            pd.Series(pd.to_timedelta(["1 day"])),
            pd.Series(pd.period_range("2020", periods=1)),
        ],
    )
    def test_lengths_of_time_are_refused_by_name(self, column):
        told = r"column 'when' holds lengths of time or periods .*: convert them to numbers"
        with pytest.raises(DataTypeError, match=told):
            ctree.C45Classifier().fit({"when": column}, ["a"])
        frame = pd.DataFrame({"when": column}) if isinstance(column, pd.Series) else column.to_frame("when")
        with pytest.raises(DataTypeError, match=told):
            ctree.C45Classifier().fit(frame, ["a"])

    @pytest.mark.parametrize(
        ("column", "kind", "value"),
        [
            (pl.Series([datetime.date(2020, 1, 1)]), "date", "2020-01-01"),
            (pl.Series([datetime.datetime(2020, 1, 1)]), "timestamp", "2020-01-01 00:00:00"),
            (pl.Series([datetime.time(1)]), "time", "01:00:00"),
            (pd.Series(pd.to_datetime(["2020-01-01"])), "timestamp", "2020-01-01 00:00:00"),
            (pd.Series(pd.to_datetime(["2020-01-01"]).tz_localize("Asia/Tokyo")), "timestamp", "2019-12-31 15:00:00"),
            (pa.chunked_array([[datetime.date(2020, 1, 1)]]), "date", "2020-01-01"),
            (np.array(["2020-01"], dtype="datetime64[M]"), "date", "2020-01-01"),
            (np.array(["2020-01-01T01"], dtype="datetime64[h]"), "timestamp", "2020-01-01 01:00:00"),
            ([datetime.date(2020, 1, 1)], "date", "2020-01-01"),
        ],
    )
    def test_dates_and_times_are_what_their_types_say(self, column, kind, value):
        data = from_arrays({"when": column})
        assert data.schema[0].kind.value == kind
        assert data.value(0, 0) == value
        if isinstance(column, pd.Series | pl.Series):
            frame = pd.DataFrame({"when": column}) if isinstance(column, pd.Series) else column.to_frame("when")
            assert from_arrays(frame)[0] == {"when": value}
        if not isinstance(column, list):
            with pytest.raises(DataTypeError, match="column 'y' holds dates or times, which cannot be used here"):
                from_arrays({"x": [1.0]}, column)

    @pytest.mark.parametrize(
        "frame",
        [
            pl.DataFrame({"odd": [[1, 2]]}),
            pl.DataFrame({"odd": [{"a": 1}]}),
            pl.DataFrame({"odd": [b"x"]}),
            pa.table({"odd": [[1, 2]]}),
            pd.DataFrame({"odd": [[1, 2]]}),
            pd.DataFrame({"odd": [1 + 2j]}),
            pd.DataFrame({"odd": pd.interval_range(0, 1)}),
            pd.DataFrame({"odd": [datetime.date(2020, 1, 1), "x"]}),
        ],
    )
    def test_what_is_no_value_is_refused_by_name(self, frame):
        with pytest.raises(DataError, match=r"(column|attribute) 'odd' has"):
            from_arrays(frame)

    def test_names_that_are_no_text_are_places(self):
        model = ctree.C45Classifier().fit(pd.DataFrame([[1.0, 2.0], [2.0, 3.0]]), ["a", "b"])
        assert not hasattr(model, "feature_names_in_")
        assert model.schema_.names == ("x0", "x1")
        with pytest.raises(TypeError, match="one column is called 'a' and another 1"):
            from_arrays(pd.DataFrame([[1, 2]], columns=["a", 1]))

    def test_two_columns_of_a_name(self):
        with pytest.raises(DataError, match="two columns are called 'a'"):
            from_arrays(pd.DataFrame([[1, 2]], columns=["a", "a"]))
        with pytest.raises(DataError, match="two columns are called 'a'"):
            from_arrays(pa.table([[1], [2]], names=["a", "a"]))

    def test_a_table_of_no_columns(self):
        with pytest.raises(DataError, match="the table has no columns"):
            from_arrays(pl.DataFrame())

    def test_a_weight_of_hundreds_of_digits_is_refused(self):
        with pytest.raises(DataError, match="sample_weight should hold numbers"):
            ctree.C45Classifier().fit([[1.0], [2.0]], ["a", "b"], sample_weight=[10**400, 1])

    def test_classes_and_weights_of_other_libraries(self):
        X = [[1.0], [2.0], [3.0]] * 4
        labels, weights = ["a", "b", "b"] * 4, [1.0, 2.0, 0.5] * 4
        expected = ctree.C45Classifier().fit(X, labels, weights).tree_
        for make in (pd.Series, pl.Series, lambda x: pa.chunked_array([x]), np.array):
            assert ctree.C45Classifier().fit(X, make(labels), make(weights)).tree_ == expected
        assert ctree.C45Classifier().fit(X, pd.Categorical(labels), weights).tree_ == expected
        with pytest.warns(UserWarning, match="column-vector"):
            assert ctree.C45Classifier().fit(X, pl.DataFrame({"y": labels}), weights).tree_ == expected


class TestLater:
    """Tables that meet a model."""

    FRAME = pl.DataFrame({"size": [1.0, 2.0, 3.0, 4.0] * 3, "colour": ["red", "red", "blue", "blue"] * 3})
    Y = ("a", "a", "b", "b") * 3

    @pytest.fixture(params=["C45Classifier", "NaiveBayesClassifier", "OptimalTreeClassifier", "C45RulesClassifier"])
    def learner(self, request):
        return getattr(ctree, request.param)()

    def test_columns_go_by_name(self, learner):
        model = learner.fit(self.FRAME, self.Y)
        expected = model.predict_proba(self.FRAME)
        assert (model.predict_proba(self.FRAME.select("colour", "size")) == expected).all()
        assert (model.predict_proba(self.FRAME.to_pandas()[["colour", "size"]]) == expected).all()

    def test_levels_go_by_value(self, learner):
        frame = pd.DataFrame({"c": pd.Categorical(["u", "v"] * 6, categories=["v", "u"])})
        model = learner.fit(frame, ["a", "b"] * 6)
        turned = pd.DataFrame({"c": pd.Categorical(["u", "v"], categories=["u", "w", "v"])})
        assert model.predict(turned).tolist() == ["a", "b"]

    def test_a_missing_column_is_named(self, learner):
        model = learner.fit(self.FRAME, self.Y)
        with pytest.raises(DataError, match=r"X lacks the column 'colour', .* \(did you mean 'color'\?\)"):
            model.predict(self.FRAME.rename({"colour": "color"}))
        with pytest.raises(DataError, match="X lacks the columns 'size', 'colour', which"):
            model.predict(pl.DataFrame({"other": [1]}))

    def test_an_extra_column_is_refused(self, learner):
        model = learner.fit(self.FRAME, self.Y)
        with pytest.raises(DataError, match=r"X has the column 'weight', which .* was not fitted with: leave"):
            model.predict(self.FRAME.with_columns(weight=1))

    def test_an_array_for_a_table_is_taken_in_order_with_a_warning(self, learner):
        model = learner.fit(self.FRAME, self.Y)
        with pytest.warns(UserWarning, match="X does not have valid feature names, but") as caught:
            predicted = model.predict([[1.0, "red"], [4.0, "blue"]])
        assert caught[0].filename == __file__
        assert predicted.tolist() == ["a", "b"]
        model.fit([[1.0], [2.0]] * 6, ["a", "b"] * 6)
        with pytest.warns(UserWarning, match="X has feature names, but .* was fitted without feature names"):
            assert model.predict(pl.DataFrame({"size": [2.0]})).tolist() == ["b"]
        with pytest.raises(DataError, match=r"X has 2 features, but .* is expecting 1 features as input"):
            model.predict([[1.0, 2.0]])

    def test_a_value_first_seen_is_unknown_or_an_error(self, learner):
        model = learner.fit(self.FRAME, self.Y)
        new = pl.DataFrame({"size": [2.0, None], "colour": ["green", None]})
        unknown = pl.DataFrame({"size": [2.0, None], "colour": [None, None]}, schema_overrides={"colour": pl.String})
        assert (model.predict_proba(new) == model.predict_proba(unknown)).all()
        model.set_params(unseen="error")
        model.predict_proba(unknown)
        message = "attribute 'colour' has the value 'green', which is not one of blue, red"
        with pytest.raises(DataError, match=message):
            model.predict_proba(new)
        with pytest.raises(DataError, match=message):
            model.predict(from_arrays(new))
        with pytest.raises(ParameterError, match="unseen must be 'unknown' or 'error', not 'new'"):
            model.set_params(unseen="new").predict(new)

    def test_a_number_first_seen_among_labels(self):
        model = ctree.C45Classifier(categorical_features=[0], unseen="error").fit([[1], [2]] * 5, ["a", "b"] * 5)
        assert model.predict(np.array([[1.0], [np.nan]])).shape == (2,)
        with pytest.raises(DataError, match=r"attribute 'x0' has the value 3.0, which is not one of 1, 2"):
            model.predict(np.array([[1.0], [3.0]]))
