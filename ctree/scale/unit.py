"""The unit in which cases are counted, some of them in fractions."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.errors import DataError

Floats = npt.NDArray[np.float64]

FINEST = 40
"""Units are 2**-40 of a case, or larger where so many cases could not be added up."""

EXACT = 51
"""All cases together are up to 2**51 units, and some more for roundings: sums of doubles are exact up to 2**53."""


def default_unit(n_cases: int, complete: bool) -> float:
    """The unit of cases that count one.

    Examples
    --------
    >>> default_unit(10**9, complete=True), default_unit(1000, complete=False) == 2**-40
    (1.0, True)
    >>> default_unit(10**9, complete=False) == 2**-21
    True
    """
    return 1.0 if complete else _unit_of(n_cases)


def unit_of_weights(weights: Floats) -> float:
    """The unit of cases that count so much."""
    total = float(weights.sum())
    if total >= 2.0**61:
        raise DataError(f"the weights add up to {total:.3g}, but should stay below 2**61")
    return _unit_of(total)


def _unit_of(total: float) -> float:
    return float(2.0 ** -max(0, min(FINEST, EXACT - math.ceil(math.log2(max(total, 1.0))))))


def whole_units(weights: Floats, unit: float) -> Floats:
    """The weights in units, as whole numbers: at least 1, but 0 where a case counts nothing."""
    return np.where(weights > 0, np.maximum(np.rint(weights / unit), 1.0), 0.0)


def unit_of(data: Dataset) -> float:
    """The unit that a source of these cases has."""
    if data.weights is not None:
        return unit_of_weights(data.weights)
    complete = all(
        bool((column >= 0).all() if attribute.is_discrete else not np.isnan(column).any())
        for attribute, column in zip(data.schema, data.columns, strict=True)
        if column is not None
    )
    return default_unit(data.n_cases, complete)
