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

MOST = 61
"""Weights add up to less than 2**61, and no unit is less than 2**-61."""


def default_unit(n_cases: int, complete: bool) -> float:
    """The unit of cases that count one.

    Examples
    --------
    >>> default_unit(10**9, complete=True), default_unit(1000, complete=False) == 2**-40
    (1.0, True)
    >>> default_unit(10**9, complete=False) == 2**-21
    True
    """
    return 1.0 if complete else unit_of_weights(float(n_cases), 1.0)


def unit_of_weights(total: float, least: float) -> float:
    """The unit of cases that have weights, given their sum and the least that is not 0.

    It is 2**-40, or as much less as small weights ask for, or as much more as a large sum does, up to 1.

    Examples
    --------
    >>> [math.log2(unit_of_weights(*weights)) for weights in ((100.0, 1.0), (0.5, 0.001), (1e12, 1.0))]
    [-40.0, -50.0, -11.0]
    """
    if total >= 2.0**MOST:
        raise DataError(
            f"the weights add up to {total:.3g}, but should stay below 2**{MOST}: divide all of them by the same number"
        )
    if total <= 0:
        return float(2.0**-FINEST)
    wanted = FINEST - min(0, math.floor(math.log2(least)))
    return float(2.0 ** -min(max(0, min(wanted, EXACT - math.ceil(math.log2(total)))), MOST))


def whole_units(weights: Floats, unit: float) -> Floats:
    """The weights in units, as whole numbers: at least 1, but 0 where a case counts nothing."""
    return np.where(weights > 0, np.maximum(np.rint(weights / unit), 1.0), 0.0)


def unit_of(data: Dataset) -> float:
    """The unit that a source of these cases has."""
    if data.weights is not None:
        weights = data.weights
        return unit_of_weights(float(weights.sum()), float(np.min(weights, where=weights > 0, initial=np.inf)))
    complete = all(
        bool((column >= 0).all() if attribute.is_discrete else not np.isnan(column).any())
        for attribute, column in zip(data.schema, data.columns, strict=True)
        if column is not None
    )
    return default_unit(data.n_cases, complete)
