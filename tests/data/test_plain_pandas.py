"""Frames of pandas with nothing but pandas: the same as narwhals reads them, in a process that does not have it."""

import datetime
import subprocess
import sys
import textwrap
from decimal import Decimal

import numpy as np
import pytest

from ctree.data.tables.frames import series_column
from ctree.data.tables.numeric import is_numeric
from ctree.data.tables.pandas_columns import Listed
from ctree.errors import DataError

nw = pytest.importorskip("narwhals")
pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")

DATES = [datetime.datetime(2020, 1, 1), None]
COLUMNS = {
    "floats": pd.Series([1.5, np.nan, -2]),
    "float32": pd.Series([1.5, np.nan], dtype="float32"),
    "whole": pd.Series([1, 2, 3]),
    "bytes": pd.Series([1, 200], dtype="uint8"),
    "large": pd.Series([2**60, 2**60 + 1]),
    "very large": pd.Series([2**63 + 1, 1], dtype="uint64"),
    "nullable": pd.Series([1, None], dtype="Int64"),
    "nullable and large": pd.Series([2**60 + 1, None], dtype="Int64"),
    "nullable floats": pd.Series([1.5, None], dtype="Float64"),
    "flags": pd.Series([True, False]),
    "nullable flags": pd.Series([True, None], dtype="boolean"),
    "objects": pd.Series(["a", None, "b"], dtype=object),
    "text": pd.Series(["a", None, "b"], dtype="string"),
    "text of arrow": pd.Series(["a", None, "b"], dtype="string[pyarrow]"),
    "text by default": pd.Series(["a", "b"]),
    "categories": pd.Series(["low", None, "high"], dtype="category"),
    "categories of numbers": pd.Series(pd.Categorical([3, 1, None])),
    "mixed": pd.Series([1, "a", None], dtype=object),
    "decimals": pd.Series([Decimal("1.5"), None], dtype=object),
    "sparse": pd.Series(pd.arrays.SparseArray([0.0, 1.0, 0.0])),
    "whole by arrow": pd.Series([1, None], dtype=pd.ArrowDtype(pa.int32())),
    "large by arrow": pd.Series([2**60 + 1, None], dtype=pd.ArrowDtype(pa.int64())),
    "floats by arrow": pd.Series([1.5, None], dtype=pd.ArrowDtype(pa.float64())),
    "flags by arrow": pd.Series([True, None], dtype=pd.ArrowDtype(pa.bool_())),
    "text by arrow": pd.Series(["a", None], dtype=pd.ArrowDtype(pa.large_string())),
    "decimals by arrow": pd.Series([Decimal("1.5"), None], dtype=pd.ArrowDtype(pa.decimal128(5, 2))),
    "categories by arrow": pd.Series(["a", None], dtype=pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))),
    "nothing by arrow": pd.Series([None, None], dtype=pd.ArrowDtype(pa.null())),
    # what cannot be read
    "dates": pd.Series(pd.to_datetime(DATES)),
    "dates with zones": pd.Series(pd.to_datetime(DATES).tz_localize("UTC")),
    "durations": pd.Series(pd.to_timedelta(["1 day"])),
    "dates by arrow": pd.Series([datetime.date(2020, 1, 1)], dtype=pd.ArrowDtype(pa.date32())),
    "lists by arrow": pd.Series([[1]], dtype=pd.ArrowDtype(pa.list_(pa.int64()))),
    "bytes by arrow": pd.Series([b"x"], dtype=pd.ArrowDtype(pa.binary())),
    "complex": pd.Series([1j]),
}


def read(series, name="odd"):
    """The column, or the beginning of the error."""
    try:
        column, discrete = series_column(series, name)
    except DataError as error:
        return str(error).partition("(")[0].partition(" type ")[0]
    unknown = [None if value is None or value is pd.NA or value != value else value for value in list(column)]
    is_discrete = not is_numeric(column) if discrete is None else isinstance(discrete, Listed) or discrete
    return type(column), [(type(value), value) for value in unknown], is_discrete


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_is_as_narwhals_has_it(name):
    assert read(COLUMNS[name]) == read(nw.from_native(COLUMNS[name], series_only=True))


def test_periods_are_times():
    with pytest.raises(DataError, match="column 'when' holds lengths of time or periods"):
        series_column(pd.Series(pd.period_range("2020", periods=2)), "when")


def test_what_is_read_is_not_the_array_of_the_frame():
    frame = pd.DataFrame({"a": [1.0, 2.0]})
    column, _ = series_column(frame["a"], "a")
    assert not np.shares_memory(column, frame["a"].to_numpy())


def test_pandas_needs_nothing_else_and_other_frames_say_what_they_need():
    code = """
        import sys
        sys.modules["narwhals"] = None
        import pandas as pd
        import ctree
        from ctree.errors import MissingExtraError
        categories = pd.Categorical(["u", None, "v"] * 4)
        frame = pd.DataFrame({"a": [1.0, 2.0, 3.0] * 4, "b": categories, "y": list("pqq") * 4})
        model = ctree.C45Classifier().fit(frame, "y")
        assert model.feature_names_in_.tolist() == ["a", "b"]
        assert model.schema_[1].values == ("u", "v")
        assert model.score(frame, "y") == 1.0
        assert model.predict(frame[["b", "a"]]).tolist() == frame["y"].tolist()
        assert ctree.C45Classifier().fit(frame[["a", "b"]], frame["y"]).tree_ == model.tree_
        assert ctree.C45Classifier().fit(frame[["a", "b"]], pd.Categorical(frame["y"])).tree_ == model.tree_
        assert list(model.to_rules("pandas").columns)[:3] == ["rule", "conditions", "class"]
        assert model.explain(frame[["a", "b"]].iloc[0]).prediction == "p"
        try:
            import polars
        except ImportError:
            sys.exit()
        try:
            ctree.C45Classifier().fit(polars.DataFrame({"a": [1, 2]}), ["a", "b"])
        except MissingExtraError as error:
            told = str(error)
            assert told.endswith("(the extra 'dataframe'), which is not installed; to install it: pip install narwhals")
        else:
            raise AssertionError
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True)
