"""Unknown values replaced: by the most frequent value or the mean of the known ones, or by whatever is given."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Column, Dataset
from ctree.data.schema import Attribute

Floats = npt.NDArray[np.float64]

Filler = float | int | None
"""What is taken for an unknown value: the code of a discrete value, or a number; None for nothing."""


def mode_or_mean(data: Dataset, attribute: int) -> Filler:
    """The most frequent value of an attribute, the first of equals, or the mean; by weight. None if none is known.

    Of ordered values it is the most frequent one, too, and the mean of dates is a date.

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
    known = column >= 0 if data.schema[attribute].is_discrete else ~np.isnan(column)
    if data.weights is not None:
        known &= data.weights > 0
    if not known.any():
        return None
    weights = None if data.weights is None else data.weights[known]
    if data.schema[attribute].is_discrete:
        return int(np.bincount(column[known], weights).argmax())
    if data.schema[attribute].is_ordered:
        return float(np.bincount(column[known].astype(np.int64), weights).argmax())
    return as_value(data.schema[attribute], _mean(np.asarray(column[known], dtype=np.float64), weights))


def as_value(attribute: Attribute, mean: float) -> float:
    """A mean as a value that an attribute may have: the nearest date, if it has dates, the later one of two."""
    return float(math.floor(mean + 0.5)) if attribute.is_moment else mean


def _mean(values: Floats, weights: Floats | None) -> float:
    """The mean by weight, from exact sums: it may be a bound between two bins, where the last bit decides.

    So it depends neither on the order of the cases nor on whether a case of weight 2 is given as two.
    """
    # In parts of the largest, by powers of two, which are exact: neither sums nor products are too large for a number.
    exponent = int(np.frexp(np.abs(values).max())[1])
    values = np.ldexp(values, -exponent)
    if weights is None:
        return math.ldexp(math.fsum(values.tolist()) / len(values), exponent)
    weights = np.ldexp(weights, -int(np.frexp(weights.max())[1]))
    total = math.fsum(np.concatenate(exact_products(values, weights)).tolist())
    return math.ldexp(total / math.fsum(weights.tolist()), exponent)


def exact_products(values: Floats, weights: Floats) -> list[Floats]:
    """Arrays of numbers whose sum, without any rounding, is the product of each value with its weight."""
    return [x * w for x in _halves(values) for w in _halves(weights)]


def _halves(values: Floats) -> tuple[Floats, Floats]:
    """Two numbers of half as many bits each that sum to each value: their products with others are exact (Veltkamp)."""
    factor = values * (2.0**27 + 1)
    high = factor - (factor - values)
    return high, values - high


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
    return data.replaced(data.schema, columns)
