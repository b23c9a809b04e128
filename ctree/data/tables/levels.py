"""The levels of a column: its distinct values in order, and the code of each cell among them."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.files.text_file import abbreviated
from ctree.data.schema import Label
from ctree.errors import DataError
from ctree_ext.io import coding

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]
RawColumn = Floats | list[Any]
"""Numbers with NaN for unknown, or objects of any kind with None, NaN or NA for unknown."""

EXACT_INTEGERS = 1 << 53  # up to here every whole number is a double
MAX_DIRECT = 1 << 16  # the widest range of whole numbers that is coded by direct address


def find_levels(column: RawColumn, what: str) -> tuple[tuple[Label, ...], Codes]:
    """The sorted distinct known values of a column, and the code of each cell, -1 where it is unknown.

    Parameters
    ----------
    column : array of float64 or list
    what : str
        What the column is, for messages.

    Returns
    -------
    levels : tuple
        Python scalars. Numbers are all int if they are whole, else all float; numbers stand before text.
    codes : array of int32
    """
    if isinstance(column, list):
        return _levels_of_objects(column, what)
    low, high, integral = coding.integer_range(column)
    if low > high:
        return (), np.full(len(column), -1, dtype=np.int32)
    if math.isinf(low) or math.isinf(high):
        raise DataError(f"{what} has an infinite value")
    if integral and high - low < MAX_DIRECT:
        present = coding.integers_present(column, low, int(high - low) + 1)
        codes = np.cumsum(present, dtype=np.int32) - np.int32(1)
        return tuple((np.flatnonzero(present) + int(low)).tolist()), coding.code_integers(column, low, codes)
    distinct = np.unique(column[~np.isnan(column)])
    codes = coding.code_numbers(column, distinct, np.arange(len(distinct), dtype=np.int32))
    return _uniform(distinct.tolist()), codes


def code_levels(column: RawColumn, levels: Sequence[Label], what: str) -> Codes:
    """The code of each cell among known levels, -1 where it is none of them or unknown.

    A number and a text that reads as that number are the same level: tables of numbers meet a schema from a file.
    """
    if isinstance(column, list):
        table: dict[Hashable, int] = {label: code for code, label in enumerate(levels)}
        for code, label in enumerate(levels):
            other = _as_float(label) if isinstance(label, str) else str(label)
            if other is not None:
                table.setdefault(other, code)
        try:
            return coding.code_objects(column, table)
        except TypeError:
            raise _not_a_label(column, what) from None
    numbers: dict[float, int] = {}
    for code, label in enumerate(levels):
        number = _as_float(label)
        if number is not None:
            numbers.setdefault(number, code)
    return _code_numbers(column, numbers)


def unseen_value(column: RawColumn, codes: Codes) -> Any:
    """The first value that has no code although it is known; None if there is none."""
    places = np.flatnonzero(codes < 0)
    if not isinstance(column, list):
        known = places[~np.isnan(column[places])]
        return float(column[known[0]]) if known.size else None
    return next(iter(coding.collect_objects([column[i] for i in places])[1]), None)


def _code_numbers(column: Floats, numbers: dict[float, int]) -> Codes:
    if not numbers:
        return np.full(len(column), -1, dtype=np.int32)
    low, high = min(numbers), max(numbers)
    if high - low < MAX_DIRECT and all(x.is_integer() for x in numbers):
        codes = np.full(int(high - low) + 1, -1, dtype=np.int32)
        for x, code in numbers.items():
            codes[int(x - low)] = code
        return coding.code_integers(column, low, codes)
    ordered = sorted(numbers)
    codes = np.array([numbers[x] for x in ordered], dtype=np.int32)
    return coding.code_numbers(column, np.array(ordered), codes)


def _as_float(label: Label) -> float | None:
    """The finite number that a label is or reads as."""
    try:
        number = float(label)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _levels_of_objects(column: list[Any], what: str) -> tuple[tuple[Label, ...], Codes]:
    try:
        codes, table = coding.collect_objects(column)
    except TypeError:
        raise _not_a_label(column, what) from None
    # but not of text, whose item() has no NULs at its end
    found: list[Any] = [v.item() if isinstance(v, np.generic) and not isinstance(v, str) else v for v in table]
    for value in found:
        if not isinstance(value, str | int | float):
            raise DataError(
                f"{what} has the value {abbreviated(repr(value))}, which is not text, a number or a boolean"
            )
        if isinstance(value, float) and math.isinf(value):
            raise DataError(f"{what} has an infinite value")
    order = sorted(range(len(found)), key=lambda i: (isinstance(found[i], str), found[i]))
    places = np.empty(len(found) + 1, dtype=np.int32)
    places[order] = np.arange(len(found), dtype=np.int32)
    places[-1] = -1  # which the code of unknown, -1, picks
    return _uniform([found[i] for i in order]), places[codes]


def _uniform(levels: list[Label]) -> tuple[Label, ...]:
    """Numbers as int if all of them are whole, else as float; anything else as it is."""
    if all(isinstance(x, bool) for x in levels) or any(isinstance(x, str) for x in levels):
        return tuple(str.__str__(x) if isinstance(x, str) else x for x in levels)
    if all(isinstance(x, int) or (isinstance(x, float) and x.is_integer()) for x in levels):
        return tuple(int(x) for x in levels)
    try:
        return tuple(float(x) for x in levels)
    except OverflowError:  # a whole number beyond all doubles
        return tuple(levels)


def _not_a_label(column: list[Any], what: str) -> DataError:
    """The error about the first value that cannot be a label because it cannot be looked up."""
    for value in column:
        try:
            hash(value)
        except TypeError:
            return DataError(
                f"{what} has the value {abbreviated(repr(value))}, which is not text, a number or a boolean"
            )
    return DataError(f"{what} has values that cannot be compared with each other")
