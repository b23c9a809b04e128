"""Sums of numbers that are exact, and so do not depend on the order of the numbers or on the parts they come in."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

SCALE = 1200
"""Sums are whole numbers in units of 2**-1200, of which every double is a multiple."""

AT_ONCE = 1 << 24
"""So many halves of mantissas, of 27 bits at most, add up without rounding."""


def exact_sum(numbers: Floats) -> int:
    """The sum of finite numbers, in units of 2**-1200; such sums are added up as they are.

    Examples
    --------
    >>> import numpy as np
    >>> total = exact_sum(np.array([1e100, 1.0])) + exact_sum(np.array([0.5, -1e100]))
    >>> as_float(total)
    1.5
    """
    total = 0
    for start in range(0, len(numbers), AT_ONCE):
        parts, exponents = np.frexp(numbers[start : start + AT_ONCE])
        mantissas = np.ldexp(parts, 53)
        high = np.floor(np.ldexp(mantissas, -27))
        low = mantissas - np.ldexp(high, 27)
        least = int(exponents.min())
        places = exponents - least
        for halves, shift in ((high, 27), (low, 0)):
            sums = np.bincount(places, halves)
            for place in np.flatnonzero(sums).tolist():
                total += int(sums[place]) << (SCALE + least + place + shift - 53)
    return total


def as_float(total: int) -> float:
    """The double that is nearest to a sum; infinite if there is none."""
    try:
        return total / (1 << SCALE)
    except OverflowError:
        return math.inf if total > 0 else -math.inf
