"""Unknown values replaced: by the most frequent value or the mean of the known ones, or by whatever is given."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ctree.data.dataset import Column, Dataset

Filler = float | int | None
"""What is taken for an unknown value: the code of a discrete value, or a number; None for nothing."""


def mode_or_mean(data: Dataset, attribute: int) -> Filler:
    """The most frequent value of an attribute, the first of equals, or the mean; by weight. None if none is known.

    Examples
    --------
    >>> import ctree
    >>> golf = ctree.load_golf()
    >>> [mode_or_mean(golf, a) for a in (0, 2)]
    [0, 80.28571428571429]
    """
    column = data.columns[attribute]
    if column is None:
        return None
    weights = np.ones(data.n_cases) if data.weights is None else data.weights
    known = column >= 0 if data.schema[attribute].is_discrete else ~np.isnan(column)
    if not known.any():
        return None
    if data.schema[attribute].is_discrete:
        return int(np.bincount(column[known], weights[known]).argmax())
    with np.errstate(over="ignore", invalid="ignore"):
        mean = float(np.average(column[known], weights=weights[known]))
    if np.isfinite(mean):
        return mean
    # in parts of the largest, whose sum cannot be too large for a number
    scale = float(np.abs(column[known]).max())
    return float(np.average(column[known] / scale, weights=weights[known]) * scale)


def imputed(data: Dataset, fillers: Sequence[Filler]) -> Dataset:
    """The cases with unknown values replaced, where there is something to take for them."""
    columns: list[Column | None] = []
    for value, column in zip(fillers, data.columns, strict=True):
        if column is not None and value is not None:
            unknown = column < 0 if column.dtype.kind == "i" else np.isnan(column)
            if unknown.any():
                column = np.where(unknown, np.array(value, dtype=column.dtype), column)
        columns.append(column)
    if all(one is other for one, other in zip(columns, data.columns, strict=True)):
        return data
    return Dataset(data.schema, columns, data.classes, data.weights, n_cases=data.n_cases)
