"""Tables and columns of pandas, read without any other library."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import numpy as np

from ctree.data.dates import numbers_of_array
from ctree.data.schema import Kind, Label
from ctree.data.tables.levels import EXACT_INTEGERS, RawColumn


class Listed(tuple[Label, ...]):
    """The values that a type lists, of which it does not say that they have an order."""


Told = bool | None | Kind | tuple[Label, ...]
"""What the type of a column says: that it is discrete, or nothing; that it has dates or times, which are numbers then;
or the order of its values. A `Listed` is discrete, too, unless a person says that it has an order."""

TEXT_TYPES = ("is_string", "is_large_string", "is_string_view", "is_dictionary", "is_boolean")


def is_pandas(X: Any, kind: str) -> bool:
    """Whether this is a ``"DataFrame"`` or a ``"Series"`` of pandas, which is not imported to find out."""
    pandas = sys.modules.get("pandas")
    known = None if pandas is None else getattr(pandas, kind, None)  # not yet there while another thread imports it
    return known is not None and isinstance(X, known)


def pandas_column(series: Any) -> tuple[RawColumn, Told] | str:
    """A series as numbers or objects, and what its type says of it.

    Where it can be neither, a word for what it holds: ``"times"``, or ``"other"``.
    """
    dtype = series.dtype
    if hasattr(dtype, "pyarrow_dtype"):
        return _arrow_column(series, dtype.pyarrow_dtype)
    if hasattr(dtype, "fill_value") and hasattr(dtype, "subtype"):
        return pandas_column(series.sparse.to_dense())
    kind, name = dtype.kind, str(dtype)
    if name == "category":
        values = dtype.categories.tolist()
        return series.tolist(), tuple(values) if dtype.ordered else Listed(values)
    if kind == "M":
        if hasattr(dtype, "tz"):  # as it is in UTC
            series = series.dt.tz_convert("UTC").dt.tz_localize(None)
        return numbers_of_array(series.to_numpy(), Kind.TIMESTAMP), Kind.TIMESTAMP
    if kind == "b" or name in ("string", "str") or name.startswith("string"):
        return series.tolist(), True
    if kind in "iuf":
        return _numbers(series, kind != "f")
    if kind == "m" or name.startswith("period"):
        return "times"
    return "other" if kind == "c" else (series.tolist(), None)


def _arrow_column(series: Any, kind: Any) -> tuple[RawColumn, Told] | str:
    types: Any = import_module("pyarrow").types

    if types.is_date(kind) or types.is_time(kind) or types.is_timestamp(kind):
        from ctree.data.scan.arrow_moments import arrow_moments

        return arrow_moments(import_module("pyarrow").array(series.array))

    if any(getattr(types, test, lambda kind: False)(kind) for test in TEXT_TYPES):
        return series.tolist(), True
    if types.is_integer(kind) or types.is_floating(kind):
        return _numbers(series, types.is_integer(kind))
    if types.is_decimal(kind):
        return _floats(series), None
    if types.is_null(kind):
        return series.tolist(), None
    return "times" if types.is_temporal(kind) else "other"


def _numbers(series: Any, whole: bool) -> tuple[RawColumn, None]:
    if whole and series.dtype.itemsize == 8 and _is_large(series):
        return series.tolist(), None
    return _floats(series), None


def _floats(series: Any) -> RawColumn:
    # of a column that is a float64 array already a copy, as the caller may keep it
    return np.array(series.to_numpy(dtype=np.float64, na_value=np.nan), dtype=np.float64)


def _is_large(series: Any) -> bool:
    """Whether there are whole numbers that a double does not have."""
    known = series.dropna()
    return len(known) > 0 and max(int(known.max()), -int(known.min())) > EXACT_INTEGERS
