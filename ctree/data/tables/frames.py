"""Tables of other libraries as plain columns: those of pandas by themselves, others as narwhals reads them."""

from __future__ import annotations

from collections.abc import Container
from importlib import import_module
from typing import Any, Literal

import numpy as np

from ctree.data.dates import NotADateError, numbers_of_array
from ctree.data.files.text_file import abbreviated
from ctree.data.schema import Kind
from ctree.data.tables.levels import EXACT_INTEGERS, RawColumn
from ctree.data.tables.pandas_columns import Listed, Told, is_pandas, pandas_column
from ctree.errors import DataError, DataTypeError, missing
from ctree.wording import shortened

MARKS = ("columns", "__dataframe__", "__narwhals_dataframe__", "__narwhals_lazyframe__")
"""Any of these on its class makes an object a table: on the class, as asking a lazy table itself may run it."""

STREAM = "__arrow_c_stream__"
"""So does this, unless it is a column, which can be made an array."""


def is_frame(X: Any) -> bool:
    """Whether this is a table of another library."""
    kind = type(X)
    return any(hasattr(kind, mark) for mark in MARKS) or (hasattr(kind, STREAM) and not hasattr(kind, "__array__"))


def of_dask(X: Any) -> bool:
    """Whether this is a frame or a series of Dask, told by its type alone."""
    return type(X).__module__.split(".")[0] in ("dask", "dask_expr")


def is_dask_frame(X: Any) -> bool:
    """Whether this is a frame of Dask."""
    return of_dask(X) and type(X).__name__ == "DataFrame"


def is_spark_frame(X: Any) -> bool:
    """Whether this is a frame of Spark, in this process or by Connect."""
    kind = type(X)
    return kind.__module__ in SPARK_MODULES and kind.__name__ == "DataFrame"


SPARK_MODULES = ("pyspark.sql.dataframe", "pyspark.sql.classic.dataframe", "pyspark.sql.connect.dataframe")


def lies_with(X: Any) -> Literal["dask", "spark"] | None:
    """Whose frame this is, if its cases may be anywhere, and more than memory holds; told by its type alone."""
    return "dask" if is_dask_frame(X) else "spark" if is_spark_frame(X) else None


def is_sparse(X: Any) -> bool:
    """Whether this is a sparse matrix of scipy. To be asked first: some are mappings too, from places to numbers."""
    return hasattr(type(X), "tocsr")


def frame_columns(
    X: Any, ignored: Container[str] = ()
) -> tuple[list[str] | None, list[RawColumn], list[Told], list[str]]:
    """The columns of a table of another library, without those to be ignored.

    Returns
    -------
    names : list of str or None
        None if the columns have numbers, or anything else but text, instead of names.
    columns : list of arrays and lists
    told : list of Told
        What the types of the columns say; None where it depends on what they hold.
    left_out : list of str
        The names of those that were ignored.
    """
    frame = in_memory(X)
    names = frame_names(frame)
    places = list(range(len(frame.columns)))
    left_out = [name for name in names or () if name in ignored]
    if names is not None and left_out:
        places = [j for j, name in enumerate(names) if name not in ignored]
        names = [names[j] for j in places]
    columns, told = [], []
    for place, j in enumerate(places):
        column, kind = series_column(_series_at(frame, j), names[place] if names else f"x{j}")
        columns.append(column)
        told.append(kind)
    return names, columns, told, left_out


def frame_names(X: Any) -> list[str] | None:
    """The names of the columns of a table by `in_memory`, whatever these hold; None if they are no text."""
    keys = list(X.columns)
    names = [key for key in keys if isinstance(key, str)]
    if names and len(names) < len(keys):
        odd = next(key for key in keys if not isinstance(key, str))
        raise DataTypeError(
            f"Feature names are only supported if all input features have string names: one column is called "
            f"'{abbreviated(names[0])}' and another {shortened(odd)}; convert all of them to text"
        )
    if len(set(names)) != len(names):
        raise _named_twice(names)
    return names or None


def in_memory(X: Any) -> Any:
    """A table that is in memory, and that can be asked more than once: one of pandas as it is, others by narwhals."""
    return X if is_pandas(X, "DataFrame") else _frame(X)


def _series_at(frame: Any, place: int) -> Any:
    return frame.iloc[:, place] if is_pandas(frame, "DataFrame") else frame[:, place]


def as_series(values: Any) -> Any:
    """A column of another library that `series_column` takes; None if this is none."""
    if hasattr(type(values), "__array_interface__"):
        return None
    if is_pandas(values, "Series"):
        return values
    try:
        nw = import_module("narwhals")
    except ImportError:
        return None
    series = nw.from_native(values, series_only=True, pass_through=True)
    return series if isinstance(series, nw.Series) else None


def series_column(series: Any, name: str) -> tuple[RawColumn, Told]:
    """A column of pandas or narwhals as numbers or objects, and what its type says of it."""
    try:
        return _series_column(series, name)
    except NotADateError as error:
        raise beyond(name, error.row) from None


def beyond(name: str, row: int) -> DataError:
    """That a date is none that can be shown."""
    return DataError(f"column '{abbreviated(name)}' has a date outside of the years 1 to 9999, in row {row + 1}")


def _series_column(series: Any, name: str) -> tuple[RawColumn, Told]:
    if is_pandas(series, "Series"):
        found = pandas_column(series)
        if isinstance(found, str):
            raise _times(name, series.dtype) if found == "times" else _wrong_type(name, series.dtype)
        return found
    nw = import_module("narwhals")
    dtype = series.dtype
    if dtype == nw.Decimal:
        series, dtype = series.cast(nw.Float64), nw.Float64()
    if dtype.is_numeric():
        if dtype.is_integer() and _is_large(series):
            return series.to_list(), None
        return np.array(series.cast(nw.Float64).to_numpy(), dtype=np.float64), None
    if dtype == nw.Enum:  # which compares by place, but is also what values without an order are put in
        return series.to_list(), Listed(dtype.categories)
    if dtype == nw.Categorical and type(series.to_native()).__module__.startswith("pyarrow"):
        return series.to_list(), _arrow_order(series)
    if dtype in (nw.Boolean, nw.String, nw.Categorical):
        return series.to_list(), True
    if dtype == nw.Time:
        return series.to_list(), Kind.TIME
    if dtype in (nw.Date, nw.Datetime):
        kind = Kind.DATE if dtype == nw.Date else Kind.TIMESTAMP
        if kind is Kind.TIMESTAMP and dtype.time_zone is not None:
            series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        return numbers_of_array(series.to_numpy().astype("datetime64[us]"), kind), kind
    if dtype.is_temporal():
        raise _times(name, dtype)
    if dtype.is_nested() or dtype == nw.Binary:
        raise _wrong_type(name, dtype)
    # Objects; or a type that narwhals does not know, of which numpy may.
    array = series.to_numpy() if dtype == nw.Unknown else None
    if array is None or array.dtype.kind == "O":
        return series.to_list(), None
    if array.dtype.kind not in "iuf":
        raise _wrong_type(name, array.dtype)
    return np.array(array, dtype=np.float64), None


def _frame(X: Any) -> Any:
    """The table in memory, as narwhals has it."""
    try:
        nw = import_module("narwhals")
    except ImportError:
        kind = f"{type(X).__module__.split('.')[0]}.{type(X).__name__}"
        raise missing(f"reading a {kind} needs", "narwhals", "dataframe") from None
    try:
        frame = nw.from_native(X, pass_through=True)
    except nw.exceptions.DuplicateError:
        names = X.column_names if hasattr(X, "column_names") else X.columns  # of pyarrow, the columns are arrays
        raise _named_twice([str(name) for name in names]) from None
    if not isinstance(frame, nw.DataFrame | nw.LazyFrame) and hasattr(type(X), STREAM):
        frame = nw.from_arrow(X, backend="pyarrow")
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    if not isinstance(frame, nw.DataFrame):
        raise DataTypeError(f"X is a {type(X).__name__}, which cannot be read as a table")
    return frame


def _named_twice(names: list[str]) -> DataError:
    twice = next(name for i, name in enumerate(names) if name in names[:i])
    return DataError(f"two columns are called '{abbreviated(twice)}'")


def _is_large(series: Any) -> bool:
    """Whether there are whole numbers that a double does not have."""
    low, high = series.min(), series.max()
    return max(_whole(high), -_whole(low)) > EXACT_INTEGERS


def _whole(value: Any) -> int:
    """The number, or 0 for that of no known values, which is None, NaN or NA."""
    try:
        return int(value)
    except (TypeError, ValueError):
        return 0


def _arrow_order(series: Any) -> Told:
    """The values of a dictionary of Arrow, in order if it says so."""
    column = series.to_native()
    values = column.unify_dictionaries().chunk(0).dictionary.to_pylist() if column.num_chunks else []
    return tuple(values) if column.type.ordered and values else Listed(values)


def _times(name: str, dtype: Any) -> DataTypeError:
    return DataTypeError(
        f"column '{abbreviated(name)}' holds lengths of time or periods ({dtype}), which are neither numbers nor "
        "labels: convert them to numbers, such as days, or to text"
    )


def _wrong_type(name: str, dtype: Any) -> DataTypeError:
    return DataTypeError(f"column '{abbreviated(name)}' has the type {dtype}; it should hold numbers, booleans or text")
