"""Columns of objects that are numbers."""

from __future__ import annotations

import numbers
from decimal import Decimal

import numpy as np

from ctree.data.tables.levels import Floats, RawColumn
from ctree_ext.io import coding


class NotANumberError(Exception):
    """A known value of a column is not a number."""

    def __init__(self, row: int) -> None:
        super().__init__(row)
        self.row = row


def is_numeric(column: RawColumn) -> bool:
    """Whether all known values are numbers; booleans are not."""
    if not isinstance(column, list):
        return True
    for kind in set(map(type, column)):
        if kind is not bool and issubclass(kind, numbers.Real | Decimal):
            continue
        example = next(value for value in column if type(value) is kind)
        if not is_unknown(example):
            return False
    return True


def is_unknown(value: object) -> bool:
    """Whether this is None, NaN, NaT or NA."""
    try:
        hash(value)
    except TypeError:
        return False
    return not coding.collect_objects([value])[1]


def as_numbers(column: RawColumn) -> Floats:
    """A column as floats; text that reads as a number is one. What is none raises a `NotANumberError`."""
    if not isinstance(column, list):
        return column
    try:
        return np.array(column, dtype=np.float64)  # None becomes NaN
    except (TypeError, ValueError, OverflowError):
        pass
    result = np.empty(len(column), dtype=np.float64)
    for i, value in enumerate(column):
        try:
            result[i] = float(value)
        except (TypeError, ValueError, OverflowError):
            if not is_unknown(value):
                raise NotANumberError(i) from None
            result[i] = np.nan
    return result
