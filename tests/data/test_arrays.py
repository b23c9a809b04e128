"""Tables in memory become data sets."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctree import Attribute, Kind, Schema, from_arrays
from ctree.errors import DataError, ParameterError


def columns(data) -> list[list[object]]:
    """The columns as the person wrote them."""
    return [[data.value(i, j) for i in range(len(data))] for j in range(len(data.schema))]


class TestArrays:
    def test_numbers_are_continuous(self):
        data = from_arrays(np.array([[1.0, np.nan], [2.5, -3.0]]), ["b", "a"])
        assert data.schema == Schema((Attribute("x0", Kind.CONTINUOUS), Attribute("x1", Kind.CONTINUOUS)), ("a", "b"))
        assert columns(data) == [[1.0, 2.5], [None, -3.0]]
        assert data.labels == ["b", "a"]

    @pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "i4", "i8", "u1", "u8", ">f8", object])
    @pytest.mark.parametrize("order", ["C", "F"])
    def test_types_and_layouts(self, dtype, order):
        X = np.array([[1, 2, 3], [4, 5, 6]], dtype=dtype, order=order)
        assert columns(from_arrays(X)) == [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]
        assert columns(from_arrays(X[::-1, ::2])) == [[4.0, 1.0], [6.0, 3.0]]
        data = from_arrays(X, categorical_features=[1])
        assert data.schema[1].values == (2, 5)

    def test_the_data_set_keeps_its_own_copy(self):
        X = np.ones((3, 2), order="F")
        column = np.ones(3)
        data, named = from_arrays(X), from_arrays({"a": column})
        X[:] = column[:] = 7
        assert columns(data) == [[1.0] * 3] * 2
        assert columns(named) == [[1.0] * 3]

    def test_a_wide_or_long_table_is_split_right(self):
        X = np.random.default_rng(0).normal(size=(1000, 131))
        data = from_arrays(X)
        assert all((c == X[:, j]).all() for j, c in enumerate(data.columns))

    def test_text_is_discrete(self):
        data = from_arrays(np.array([["b", "x"], ["a", "y"], ["b", "x"]]))
        assert [a.values for a in data.schema] == [("a", "b"), ("x", "y")]
        assert [c.tolist() for c in data.columns] == [[1, 0, 1], [0, 1, 0]]

    def test_booleans_are_discrete(self):
        data = from_arrays(np.array([[True], [False], [True]]))
        assert data.schema[0].values == (False, True)
        assert all(isinstance(v, bool) for v in data.schema[0].values)

    def test_rows_of_lists_may_mix_kinds(self):
        data = from_arrays([[1, "a", True, None], [2.5, None, False, None], [None, "b", None, math.nan]])
        assert [a.kind.value for a in data.schema] == ["continuous", "discrete", "discrete", "continuous"]
        assert columns(data) == [[1.0, 2.5, None], ["a", None, "b"], [True, False, None], [None] * 3]

    def test_objects_that_are_numbers_are_numbers(self):
        data = from_arrays(np.array([[1, np.float32(2)], [np.int64(3), None]], dtype=object))
        assert columns(data) == [[1.0, 3.0], [2.0, None]]

    @pytest.mark.parametrize(
        ("X", "message"),
        [
            (np.ones(3), r"X has the shape \(3,\), but should be a table of cases by attributes"),
            (np.ones((2, 2, 2)), r"X has the shape \(2, 2, 2\)"),
            (5, r"X has the shape \(\)"),
            ([1, 2, 3], r"X has the shape \(3,\)"),
            ([[1, 2], [3]], "the rows of X differ in length"),
            (np.ones((3, 0)), "the table has no columns"),
            ({}, "the table has no columns"),
            ({"a": [1, 2], "b": [1]}, r"the columns differ in length: \[1, 2\]"),
            ({"a": np.ones((2, 2))}, "column 'a' is not one-dimensional"),
            (np.ones((2, 2), dtype=complex), "column 'x0' has the type complex128; it should hold numbers"),
            (np.ones((2, 1), dtype="M8[s]"), "column 'x0' has the type datetime64"),
            (np.array([[1.0, np.inf]]), "attribute 'x1' has an infinite value"),
            ({"a": [1, -math.inf]}, "attribute 'a' has an infinite value"),
            ([[[1]]], "X has the shape"),
            ({"a": [[1], "b"]}, r"attribute 'a' has the value \[1\], which is not text, a number or a boolean"),
            ({"a": [b"x"]}, r"attribute 'a' has the value b'x', which is not text, a number or a boolean"),
            ({1: [1], "1": [1]}, "two columns are called '1'"),
        ],
    )
    def test_wrong_tables(self, X, message):
        with pytest.raises(DataError, match=message):
            from_arrays(X)


class TestCategoricalFeatures:
    X = np.array([[1.0, 5.0, 0.5], [2.0, np.nan, 1.0], [1.0, 3.0, 0.5]])

    @pytest.mark.parametrize(
        "chosen", [[1, 2], [False, True, True], np.array([1, 2]), range(1, 3), ["x1", "x2"], (2, 1)]
    )
    def test_ways_to_choose(self, chosen):
        data = from_arrays(self.X, categorical_features=chosen)
        assert [a.is_discrete for a in data.schema] == [False, True, True]

    def test_whole_numbers_are_int_levels_and_others_float(self):
        data = from_arrays(self.X, categorical_features=[0, 1, 2])
        assert [a.values for a in data.schema] == [(1, 2), (3, 5), (0.5, 1.0)]
        assert {type(v) for v in data.schema[1].values} == {int}
        assert {type(v) for v in data.schema[2].values} == {float}
        assert data.columns[1].tolist() == [1, -1, 0]

    def test_named_columns(self):
        data = from_arrays(self.X, categorical_features=["b"], feature_names=["a", "b", "c"])
        assert data.schema.names == ("a", "b", "c")
        assert data.schema[1].is_discrete

    def test_none_of_them(self):
        assert not any(a.is_discrete for a in from_arrays(self.X, categorical_features=[]).schema)

    def test_text_that_is_said_to_be_numbers(self):
        assert columns(from_arrays({"a": ["1.5", None, "2"]}, categorical_features=[])) == [[1.5, None, 2.0]]
        with pytest.raises(DataError, match="attribute 'a' has the value 'two', which is not a number"):
            from_arrays({"a": ["1.5", "two"]}, categorical_features=[])

    @pytest.mark.parametrize(
        ("chosen", "message"),
        [
            ([True], "categorical_features marks 1 columns, but the table has 3"),
            ([3], "categorical_features has 3, but the columns are 0 to 2"),
            ([-1], "categorical_features has -1, but the columns are 0 to 2"),
            (["z"], "categorical_features names 'z', which is not one of x0, x1, x2"),
            ([0.5], "categorical_features has 0.5"),
        ],
    )
    def test_wrong_choices(self, chosen, message):
        with pytest.raises(DataError, match=message):
            from_arrays(self.X, categorical_features=chosen)

    def test_infinite_levels_are_refused(self):
        with pytest.raises(DataError, match="attribute 'x0' has an infinite value"):
            from_arrays([[math.inf], [1.0]], categorical_features=[0])
        with pytest.raises(DataError, match="attribute 'x0' has an infinite value"):
            from_arrays(np.array([[math.inf], [1.0]]), categorical_features=[0])

    def test_large_integers_stay_apart(self):
        data = from_arrays(np.array([[2**60], [2**60 + 1]]), categorical_features=[0])
        assert data.schema[0].values == (2**60, 2**60 + 1)
        assert from_arrays(np.array([[2**60], [2**60 + 1]])).schema[0].is_continuous

    def test_an_unknown_column_has_no_levels(self):
        data = from_arrays(np.full((3, 1), np.nan), categorical_features=[0])
        assert data.schema[0].values == ()
        assert data.columns[0].tolist() == [-1] * 3

    @settings(deadline=None)
    @given(
        st.lists(
            st.one_of(
                st.integers(-5, 5).map(float),
                st.floats(allow_infinity=False),
                st.integers(-(10**6), 10**6).map(float),
            ),
            min_size=1,
        )
    )
    def test_levels_and_codes_are_those_of_a_plain_computation(self, numbers):
        data = from_arrays(np.array(numbers)[:, None], categorical_features=[0])
        levels = sorted({x for x in numbers if x == x})
        assert list(data.schema[0].values) == levels
        assert data.columns[0].tolist() == [-1 if x != x else levels.index(x) for x in numbers]
        again = from_arrays(np.array(numbers)[:, None], schema=data.schema)
        assert again.columns[0].tolist() == data.columns[0].tolist()
        as_objects = from_arrays([[x] for x in numbers], categorical_features=[0])
        assert as_objects.schema == data.schema
        assert as_objects.columns[0].tolist() == data.columns[0].tolist()


class TestLabels:
    X = np.ones((3, 1))

    @pytest.mark.parametrize(
        ("y", "classes"),
        [
            ([1, 0, 1], (0, 1)),
            (np.array([1.0, 0.0, 1.0]), (0, 1)),
            (["b", "a", "b"], ("a", "b")),
            (np.array(["b", "a", "b"]), ("a", "b")),
            (np.array(["b", "a", "b"], dtype=object), ("a", "b")),
            ([True, False, True], (False, True)),
            (np.array([7, -7, 7], dtype=np.int8), (-7, 7)),
            ([2.5, 1, 2.5], (1.0, 2.5)),
        ],
    )
    def test_classes_are_the_sorted_labels(self, y, classes):
        data = from_arrays(self.X, y)
        assert data.schema.classes == classes
        assert [type(c) for c in data.schema.classes] == [type(c) for c in classes]
        assert data.classes.tolist() == [1, 0, 1]

    def test_without_labels_there_are_no_classes(self):
        data = from_arrays(self.X)
        assert data.classes is None
        assert data.schema.classes == ()

    @pytest.mark.parametrize("y", [[1.0, math.nan, 0.0], ["a", None, "b"]])
    def test_an_unknown_label_is_refused(self, y):
        with pytest.raises(DataError, match="the class of case 1 in y is unknown"):
            from_arrays(self.X, y)

    def test_class_names_in_order(self):
        data = from_arrays(self.X, ["b", "a", "b"], class_names=["c", "b", "a"])
        assert data.schema.classes == ("c", "b", "a")
        assert data.classes.tolist() == [1, 2, 1]

    def test_class_names_of_codes(self):
        data = from_arrays(self.X, [2, 0, 2], class_names=["setosa", "versicolor", "virginica"])
        assert data.labels == ["virginica", "setosa", "virginica"]

    def test_class_names_that_do_not_fit(self):
        with pytest.raises(DataError, match="y has the class 3, which is not one of a, b"):
            from_arrays(self.X, [3, 0, 1], class_names=["a", "b"])

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"y": [1, 2]}, "y has 2 entries for 3 cases"),
            ({"y": np.ones((3, 1))}, "column 'y' is not one-dimensional"),
            ({"sample_weight": [1, 2]}, "sample_weight has 2 entries for 3 cases"),
            ({"sample_weight": [1, -2, 1]}, "a weight is negative or not a finite number"),
            ({"sample_weight": np.ones((3, 2))}, "the weights are not one-dimensional"),
            ({"feature_names": ["a", "b"]}, "feature_names has 2 names for 1 columns"),
        ],
    )
    def test_wrong_companions(self, options, message):
        with pytest.raises(DataError, match=message):
            from_arrays(self.X, **options)

    def test_weights(self):
        assert from_arrays(self.X, sample_weight=[1, 0.5, 2]).weights.tolist() == [1.0, 0.5, 2.0]


class TestKnownSchema:
    SCHEMA = from_arrays(
        {"size": [1.5, 2.5], "colour": ["red", "blue"], "n": [3, 5]},
        ["yes", "no"],
        categorical_features=["colour", "n"],
    ).schema

    def test_columns_by_name_in_any_order(self):
        data = from_arrays({"n": [5, 4], "colour": ["green", "red"], "size": [1, 2]}, schema=self.SCHEMA)
        assert data.schema is self.SCHEMA
        assert columns(data) == [[1.0, 2.0], [None, "red"], [5, None]]

    def test_an_extra_column_is_named(self):
        with pytest.raises(DataError, match="the table has the column 'more', which the schema does not have"):
            from_arrays({"n": [5], "more": [0], "colour": ["green"], "size": [1]}, schema=self.SCHEMA)

    def test_columns_in_order(self):
        assert columns(from_arrays([[1, "red", 3.0], [None, None, None]], schema=self.SCHEMA)) == [
            [1.0, None],
            ["red", None],
            [3, None],
        ]

    def test_a_missing_column_is_named(self):
        with pytest.raises(DataError, match=r"no column 'colour' among size, color, n \(did you mean 'color'\?\)"):
            from_arrays({"size": [1], "color": ["red"], "n": [3]}, schema=self.SCHEMA)

    def test_the_numbers_of_columns(self):
        with pytest.raises(DataError, match="X has 2 columns, but the schema has 3 attributes"):
            from_arrays(np.ones((4, 2)), schema=self.SCHEMA)

    def test_labels_must_be_known(self):
        X = [[1, "red", 3]]
        assert from_arrays(X, ["yes"], schema=self.SCHEMA).classes.tolist() == [1]
        with pytest.raises(DataError, match="y has the class 'maybe', which is not one of no, yes"):
            from_arrays(X, ["maybe"], schema=self.SCHEMA)

    def test_text_and_numbers_meet(self):
        schema = Schema((Attribute("a", Kind.DISCRETE, ("2", "1", "x")), Attribute("b", Kind.DISCRETE, (1, 2))), ())
        assert [c.tolist() for c in from_arrays(np.array([[1.0, 2.0], [3.0, 0.5]]), schema=schema).columns] == [
            [1, -1],
            [1, -1],
        ]
        assert [c.tolist() for c in from_arrays([["1", "2"], [2, 1]], schema=schema).columns] == [[1, 0], [1, 0]]

    def test_levels_far_apart(self):
        schema = Schema((Attribute("a", Kind.DISCRETE, (10**9, -3, 0.5)),), ())
        X = np.array([[-3.0], [10.0**9], [0.5], [0.25], [np.nan], [1e300], [-1e300]])
        assert from_arrays(X, schema=schema).columns[0].tolist() == [1, 0, 2, -1, -1, -1, -1]

    def test_ignored_attributes_need_no_column(self):
        schema = Schema((Attribute("id", Kind.IGNORE), Attribute("a", Kind.CONTINUOUS)), ())
        assert columns(from_arrays({"a": [1.0]}, schema=schema)) == [[None], [1.0]]
        assert columns(from_arrays([["k", 1.0]], schema=schema)) == [[None], [1.0]]

    def test_text_for_a_continuous_attribute(self):
        with pytest.raises(DataError, match="attribute 'size' has the value 'large', which is not a number"):
            from_arrays([["large", "red", 3]], schema=self.SCHEMA)

    def test_values_that_cannot_be_labels(self):
        with pytest.raises(DataError, match=r"attribute 'colour' has the value \{\}, which is not text"):
            from_arrays([[1, {}, 3]], schema=self.SCHEMA)

    def test_names_and_kinds_belong_to_the_schema(self):
        with pytest.raises(ParameterError):
            from_arrays([[1, "red", 3]], schema=self.SCHEMA, feature_names=["a", "b", "c"])


class TestDataFrames:
    def test_kinds_follow_the_types(self):
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame(
            {
                "x": [1.5, None, 2.0],
                "n": pd.array([1, None, 3], dtype="Int64"),
                "s": ["b", None, "a"],
                "t": pd.array(["u", pd.NA, "v"], dtype="string"),
                "c": pd.Categorical(["q", None, "p"]),
                "b": pd.array([True, None, False], dtype="boolean"),
            }
        )
        data = from_arrays(frame, pd.Series(["no", "yes", "no"]))
        assert [a.kind.value for a in data.schema] == ["continuous"] * 2 + ["discrete"] * 4
        assert columns(data) == [
            [1.5, None, 2.0],
            [1.0, None, 3.0],
            ["b", None, "a"],
            ["u", None, "v"],
            ["q", None, "p"],
            [True, None, False],
        ]
        assert data.classes.tolist() == [0, 1, 0]
        assert columns(from_arrays(frame[frame.columns[::-1]], schema=data.schema)) == columns(data)
