"""Dates, times and timestamps of Arrow as the numbers that learners see."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from ctree.data.dates import Floats, numbers_of_array
from ctree.data.schema import Kind

UNITS = {"s": 1_000_000, "ms": 1_000, "us": 1}
"""How many microseconds they are."""


def arrow_kind(dtype: Any) -> Kind | None:
    """The kind of a type; None if it is none of these."""
    types = import_module("pyarrow").types
    if types.is_timestamp(dtype):
        return Kind.TIMESTAMP
    if types.is_date(dtype):
        return Kind.DATE
    return Kind.TIME if types.is_time(dtype) else None


def arrow_moments(array: Any) -> tuple[Floats, Kind]:
    """The numbers of an array, NaN where it is null, and its kind; what a date cannot be is a `NotADateError`."""
    kind = arrow_kind(array.type)
    assert kind is not None
    if kind is not Kind.TIME:
        # a timestamp with a time zone is in UTC already
        return numbers_of_array(array.to_numpy(zero_copy_only=False).astype("datetime64[us]"), kind), kind
    whole = array.cast("int64" if array.type.bit_width == 64 else "int32").cast("int64")
    known = np.array(array.is_valid().to_numpy(zero_copy_only=False))
    counted = whole.fill_null(0).to_numpy(zero_copy_only=False)
    unit = array.type.unit
    microseconds = counted // 1000 if unit == "ns" else counted * UNITS[unit]
    return np.where(known, microseconds.astype(np.float64), np.nan), kind
