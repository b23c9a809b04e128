"""Rows become columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TypeVar

_T = TypeVar("_T")

AT_ONCE = 4096
"""Rows that are there at a time: millions of small lists keep Python's collector of garbage busy."""


def transposed(rows: Iterable[Sequence[_T]], n_columns: int) -> list[list[_T]]:
    """The columns of rows; a `ValueError` if a row has another number of cells.

    Examples
    --------
    >>> transposed([("a", 1), ("b", 2)], 2)
    [['a', 'b'], [1, 2]]
    """
    columns: list[list[_T]] = [[] for _ in range(n_columns)]
    left = iter(rows)
    while some := list(islice(left, AT_ONCE)):
        for column, cells in zip(columns, zip(*some, strict=True), strict=True):
            column.extend(cells)
    return columns
