"""The unit in which cases are counted, some of them in fractions."""

from __future__ import annotations

import math

from ctree.errors import DataError

FINEST = 40
"""Units are 2**-40 of a case, or larger where so many cases could not be added up."""

MOST = 61
"""Weights add up to less than 2**61 units, and no unit is less than 2**-61."""


def default_unit(n_cases: int, complete: bool) -> float:
    """The unit of cases that count one.

    Examples
    --------
    >>> default_unit(10**9, complete=True), default_unit(1000, complete=False) == 2**-40
    (1.0, True)
    >>> default_unit(10**9, complete=False) == 2**-32
    True
    """
    if complete:
        return 1.0
    return 2.0 ** -max(0, min(FINEST, 62 - max(1, n_cases).bit_length()))


def unit_of_weights(total: float, least: float) -> float:
    """The unit of cases that have weights, given their sum and the least that is not 0.

    It is 2**-40, or as much less as small weights ask for, or as much more as a large sum does.

    Examples
    --------
    >>> [math.log2(unit_of_weights(*weights)) for weights in ((100.0, 1.0), (1.0, 0.001), (1e12, 1.0))]
    [-40.0, -50.0, -21.0]
    """
    if total <= 0:
        return 2.0**-FINEST
    if total >= 2.0**MOST:
        raise DataError(
            f"the weights add up to {total:.3g}, but should stay below 2**61: divide all of them by the same number"
        )
    most = MOST - math.ceil(math.log2(total))
    wanted = FINEST - min(0, math.floor(math.log2(least)))
    unit = 2.0 ** -min(wanted, most, MOST)
    if least < unit:
        raise DataError(
            f"a weight is {least:.3g}, which is too little to be counted where all add up to {total:.3g}: multiply all "
            "by the same number, or make it 0"
        )
    return unit
