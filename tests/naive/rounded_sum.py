"""A sum that is rounded after every term, the long way."""

from collections.abc import Sequence

import numpy as np


def rounded_sum(first: float, terms: Sequence[float], single: bool) -> float:
    """Each sum is made in double, and rounded to a float32 if `single`.

    >>> rounded_sum(2.0**24, [1.0, 1.0], True), rounded_sum(2.0**24, [1.0, 1.0], False)
    (16777216.0, 16777218.0)
    """
    total = first
    for term in terms:
        total = float(np.float32(total + term)) if single else total + term
    return total


def with_joined(terms: Sequence[float], i: int, j: int, joined: float) -> list[float]:
    """The terms once two are one: that stands in the place of the first, and the last in the place of the second.

    >>> with_joined([1.0, 2.0, 3.0, 4.0], 0, 1, 12.0), with_joined([1.0, 2.0, 3.0], 0, 2, 13.0)
    ([12.0, 4.0, 3.0], [13.0, 2.0])
    """
    result = list(terms)
    result[i] = joined
    result[j] = result[-1]
    return result[:-1]
