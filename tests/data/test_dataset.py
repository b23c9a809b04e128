"""Parts of a data set, its description, and its way to other libraries and back."""

import datetime
import json
import math
import statistics
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctree
from ctree import Attribute, Dataset, Kind, Schema, from_arrays
from ctree.data.dates import LIMITS
from ctree.errors import DataError

LABELS = st.one_of(
    st.lists(st.text(max_size=3), min_size=1, max_size=4, unique=True),
    st.lists(st.integers(-5, 2**53), min_size=1, max_size=4, unique=True),
    st.lists(st.floats(-9, 9).filter(lambda x: not x.is_integer()), min_size=1, max_size=4, unique=True),
    st.lists(st.booleans(), min_size=1, max_size=2, unique=True),
    st.just(["a", 1, 2.5]),
)


@st.composite
def datasets(draw) -> Dataset:
    n = draw(st.integers(0, 12))
    attributes, columns = [], []
    for j in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(list(Kind)))
        if kind is Kind.DISCRETE or kind is Kind.ORDERED:
            values = tuple(draw(LABELS))
            attributes.append(Attribute(f"a{j}", kind, values))
            columns.append(draw(st.lists(st.integers(-1, len(values) - 1), min_size=n, max_size=n)))
        elif kind in LIMITS:
            attributes.append(Attribute(f"a{j}", kind))
            low, high = LIMITS[kind]
            numbers = st.integers(max(low, -(2**53)), min(high - 1, 2**53)).map(float) | st.just(np.nan)
            columns.append(draw(st.lists(numbers, min_size=n, max_size=n)))
        else:
            attributes.append(Attribute(f"a{j}", kind))
            numbers = st.floats(allow_infinity=False, width=32)
            columns.append(None if kind is Kind.IGNORE else draw(st.lists(numbers, min_size=n, max_size=n)))
    classes = tuple(draw(LABELS))
    codes = st.lists(st.integers(-1, len(classes) - 1), min_size=n, max_size=n)
    weights = st.none() | st.lists(st.floats(0, 9), min_size=n, max_size=n)
    schema = Schema(tuple(attributes), classes)
    return Dataset(schema, columns, draw(st.none() | codes), draw(weights), n_cases=n)


def shown(value):
    """Dates and times as data sets show them, anything else as it is."""
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ")
    return value.isoformat() if isinstance(value, datetime.date | datetime.time) else value


def values_of(data: Dataset) -> list[list]:
    used = [j for j, column in enumerate(data.columns) if column is not None]
    return [[data.value(i, j) for j in used] for i in range(len(data))]


def plain(value):
    """A cell of a frame as the data set would have it."""
    pd = pytest.importorskip("pandas")
    return None if value is None or value is pd.NA or value != value else value


class TestParts:
    def test_slices_masks_and_places(self):
        iris = ctree.load_iris()
        everything = values_of(iris)
        mask = iris.columns[0] > 6
        for rows in (
            slice(10, 20),
            slice(None, None, -7),
            mask,
            mask.tolist(),
            [3, 3, -1],
            np.array([5]),
            [],
            slice(0),
        ):
            part = iris[rows]
            places = list(range(150))[rows] if isinstance(rows, slice) else np.arange(150)[rows].tolist()
            assert values_of(part) == [everything[i] for i in places]
            assert part.labels == [iris.labels[i] for i in places]
            assert part.schema is iris.schema

    def test_weights_go_with_the_cases(self):
        golf = ctree.load_golf().with_weights(range(14))
        assert golf[10:12].weights.tolist() == [10.0, 11.0]

    def test_one_case_is_what_explain_takes(self):
        golf = ctree.load_golf()
        model = ctree.C45Classifier().fit(golf)
        assert golf[3] == {"outlook": "rain", "temperature": 70.0, "humidity": 96.0, "windy": "false"}
        assert golf[-1] == golf[13] == golf[np.int64(13)]
        for place, case in enumerate(golf):  # which ends
            assert model.explain(case).prediction == model.predict(golf[[place]])[0]
        with pytest.raises(IndexError, match="case 14 of a data set of 14 cases"):
            golf[14]

    def test_an_array_of_it_is_an_array_of_cases(self):
        assert np.asarray(ctree.load_golf()).shape == (14,)

    @pytest.mark.parametrize("rows", ["outlook", [0.5], [True], [[1, 2]], [99], None, True, {"a": 1}])
    def test_what_chooses_no_cases(self, rows):
        with pytest.raises(
            DataError, match="cases are chosen by a slice, a mask or an array of places, and there are 14"
        ):
            ctree.load_golf()[rows]

    def test_fewer_attributes(self):
        golf = ctree.load_golf().with_weights(range(14))
        less = golf.drop("outlook").drop(["windy"])
        assert less.schema.names == ("temperature", "humidity")
        assert less.columns[1] is not None
        assert less.columns[1].tolist() == golf.columns[2].tolist()
        assert less.labels == golf.labels
        assert less.weights.tolist() == golf.weights.tolist()
        assert golf.drop([]).schema == golf.schema
        with pytest.raises(DataError, match="there is no attribute 'wind'"):
            golf.drop(["wind"])
        with pytest.raises(DataError, match="without these attributes there would be none left"):
            golf.drop(golf.schema.names)


class TestOtherLibraries:
    @settings(deadline=None, max_examples=80)
    @given(data=datasets())
    def test_pandas_has_what_the_data_set_has(self, data):
        pd = pytest.importorskip("pandas")
        frame = data.to_pandas("y", "w")
        used = [a for a in data.schema if a.kind is not Kind.IGNORE]
        names = [*(a.name for a in used), *["y"] * (data.classes is not None), *["w"] * (data.weights is not None)]
        assert list(frame.columns) == names
        assert len(frame) == len(data)
        for attribute in used:
            kind = frame[attribute.name].dtype
            if attribute.values:
                assert isinstance(kind, pd.CategoricalDtype)
                assert kind.categories.tolist() == list(attribute.values)
                assert kind.ordered is attribute.is_ordered
            elif attribute.is_moment:
                assert kind.kind == ("M" if attribute.kind is Kind.TIMESTAMP else "O") or not len(data)
            else:
                assert kind == np.float64
        rows = zip(*(frame[a.name].tolist() for a in used), strict=True)
        cells = [[shown(plain(value)) for value in row] for row in rows] or [[]] * len(data)
        assert cells == values_of(data)
        if data.classes is not None:
            assert [plain(value) for value in frame["y"]] == data.labels

    @settings(deadline=None, max_examples=80)
    @given(data=datasets())
    def test_polars_has_what_the_data_set_has(self, data):
        pl = pytest.importorskip("polars")
        frame = data.to_polars("y", "w")
        used = [a for a in data.schema if a.kind is not Kind.IGNORE]
        # labels of several kinds are texts
        columns = [
            [str(x) if x is not None and mixed(a) else x for x in column]
            for a, column in zip(used, zip(*values_of(data), strict=True), strict=False)
        ]
        assert [list(map(shown, frame[a.name].to_list())) for a in used if len(data)] == columns
        for a in used:
            if a.values and isinstance(a.values[0], str):
                assert frame[a.name].dtype == pl.Enum([str(value) for value in a.values])
            assert a.values or a.is_moment or frame[a.name].dtype == pl.Float64
            if a.is_moment and len(data):
                kinds = {Kind.DATE: pl.Date, Kind.TIME: pl.Time, Kind.TIMESTAMP: pl.Datetime("us")}
                assert frame[a.name].dtype == kinds[a.kind] or frame[a.name].null_count() == len(data)
        if data.weights is not None:
            assert frame["w"].to_list() == data.weights.tolist()

    @settings(deadline=None, max_examples=80)
    @given(data=datasets(), library=st.sampled_from(["pandas", "polars"]))
    def test_there_and_back(self, data, library):
        pytest.importorskip(library)
        pytest.importorskip("narwhals")
        if all(column is None for column in data.columns) or (data.classes is not None and (data.classes < 0).any()):
            return  # which from_arrays refuses
        frame = getattr(data, f"to_{library}")("y", "w")
        names = {"y": None if data.classes is None else "y", "sample_weight": None if data.weights is None else "w"}
        back = from_arrays(frame, schema=data.schema, **names)
        for one, other in zip(back.columns, data.columns, strict=True):
            assert one is other is None or np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
        assert back.labels == data.labels
        assert (back.weights is None) == (data.weights is None)
        assert data.weights is None or back.weights.tolist() == data.weights.tolist()

    def test_a_frame_may_be_changed_without_changing_the_data(self):
        pytest.importorskip("pandas")
        iris = ctree.load_iris()
        frame = iris.to_pandas()
        frame.loc[0, "petal_width"] = 99.0
        assert iris.value(0, 3) == 0.2

    def test_names_that_are_taken(self):
        pytest.importorskip("pandas")
        data = from_arrays({"class": [1.0], "weight": [2.0]}, ["a"], sample_weight=[1.0])
        with pytest.raises(DataError, match="there is a column 'class' already: choose another class_name"):
            data.to_pandas()
        with pytest.raises(DataError, match="there is a column 'weight' already: choose another weight_name"):
            data.to_pandas("label")


def mixed(attribute) -> bool:
    return bool(attribute.values) and len({isinstance(value, str) for value in attribute.values}) > 1


class TestDescription:
    @settings(deadline=None, max_examples=60)
    @given(data=datasets())
    def test_figures_are_those_of_the_values(self, data):
        described = data.describe()
        assert described.cases == len(data)
        if data.classes is not None:
            known = [label for label in data.labels if label is not None]
            assert list(described.classes.values()) == [known.count(label) for label in data.schema.classes]
            assert described.unknown_classes == len(data) - len(known)
        for j, told in enumerate(described.attributes):
            assert told.name == data.schema[j].name
            values = [data.value(i, j) for i in range(len(data))] if data.columns[j] is not None else []
            known = [value for value in values if value is not None]
            assert (told.unknown, told.distinct) == (len(values) - len(known), len(set(known)))
            if told.kind in ("discrete", "ordered"):
                counts = Counter(known)
                assert list(told.values.values()) == [counts[value] for value in data.schema[j].values]
            elif known:
                assert (told.least, told.greatest) == (min(known), max(known))
                if data.schema[j].is_continuous:
                    assert math.isclose(told.median, statistics.median(known), rel_tol=1e-12, abs_tol=1e-300)
                else:  # the later of the two in the middle may be a moment after their mean
                    assert statistics.median_low(known) <= told.median <= statistics.median_high(known)
        json.dumps(described.to_dict(), allow_nan=False)
        assert str(described) == repr(described)

    def test_a_wide_set_is_a_page(self):
        data = from_arrays(np.zeros((3, 5000)), list(range(3)))
        lines = str(data.describe()).splitlines()
        assert len(lines) < 60
        assert lines[-1] == "… and 4,960 more attributes, which to_dict() has"
        assert len(data.describe().to_dict()["attributes"]) == 5000

    def test_many_classes_and_long_names(self):
        data = from_arrays({"x" * 500: ["v" * 500, None]}, ["c" * 500, "d"])
        assert max(map(len, str(data.describe()).splitlines())) < 120
        data = from_arrays([[i] for i in range(1000)], range(1000))
        assert "… and 960 more classes, which to_dict() has" in str(data.describe())
