"""How sure a figure is that was computed from some cases: intervals for shares and for means."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ctree.errors import ParameterError
from ctree.imports import whole_module

Floats = npt.NDArray[np.float64]

LEVEL = 0.95
"""The confidence of intervals, where nothing else is said."""


class Interval(NamedTuple):
    """A figure with the bounds of its confidence interval."""

    value: float
    low: float
    high: float


def effective_number(weights: npt.ArrayLike | None, n_cases: int | None = None) -> float:
    """How many cases of equal weight would tell as much as these (Kish): (Σw)² / Σw².

    Examples
    --------
    >>> effective_number([1, 1, 1, 1]), effective_number([2, 1, 1])
    (4.0, 2.6666666666666665)
    """
    if weights is None:
        return float(n_cases or 0)
    each = np.asarray(weights, dtype=np.float64)
    most = float(each.max(initial=0.0))
    if most <= 0:
        return 0.0
    each = each / most  # squares of very small and of very large weights cannot be told apart
    return float(each.sum() ** 2 / (each**2).sum())


def wilson(shares: npt.ArrayLike, numbers: npt.ArrayLike, level: float = LEVEL) -> tuple[Floats, Floats]:
    """Wilson's score interval of shares, each of so many cases; from 0 to 1 where there are no cases.

    Parameters
    ----------
    shares : array
        Which share of the cases it was.
    numbers : array
        How many cases; with weights, their `effective_number`.
    level : float

    References
    ----------
    Wilson: Probable inference, the law of succession, and statistical inference. JASA 22, 1927.

    Examples
    --------
    >>> low, high = wilson([0.5, 0.0], [10, 10])
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.237, 0.0], [0.763, 0.278])
    """
    z = _quantile(level)
    p, n = np.broadcast_arrays(np.asarray(shares, dtype=np.float64), np.asarray(numbers, dtype=np.float64))
    some = np.where(n > 0, n, 1.0)
    middle = p + z * z / (2 * some)
    # rounding may leave a share a little beyond 1
    spread = z * np.sqrt(np.maximum(p * (1 - p), 0.0) / some + z * z / (4 * some**2))
    scale = 1 + z * z / some
    low = np.where(p <= 0, 0.0, np.clip((middle - spread) / scale, 0.0, 1.0))
    high = np.where(p >= 1, 1.0, np.clip((middle + spread) / scale, 0.0, 1.0))
    return np.where(n > 0, low, 0.0), np.where(n > 0, high, 1.0)


def share_interval(hits: npt.ArrayLike, weights: npt.ArrayLike | None = None, level: float = LEVEL) -> Interval:
    """The share of cases for which something is so, with Wilson's interval.

    Examples
    --------
    >>> share_interval([True, False, True, True]).value
    0.75
    """
    flags = np.asarray(hits, dtype=np.float64)
    share = float(np.average(flags, weights=None if weights is None else np.asarray(weights, dtype=np.float64)))
    low, high = wilson(share, effective_number(weights, len(flags)), level)
    return Interval(share, float(low), float(high))


def mean_interval(values: npt.ArrayLike, weights: npt.ArrayLike | None = None, level: float = LEVEL) -> Interval:
    """The mean of a figure that each case has, with the interval of Student's t.

    With weights, the variance is that of the weighted mean, and the degrees of freedom follow from the
    `effective_number`. Without bounds (infinite ones) for a single case.

    Examples
    --------
    >>> mean = mean_interval([1.0, 2.0, 3.0, 4.0])
    >>> mean.value, round(mean.low, 3), round(mean.high, 3)
    (2.5, 0.446, 4.554)
    """
    stdtrit = whole_module("scipy.special").stdtrit
    _check_level(level)
    each = np.asarray(values, dtype=np.float64)
    w = np.ones(len(each)) if weights is None else np.asarray(weights, dtype=np.float64)
    mean = float(np.average(each, weights=w))
    n = effective_number(w)
    if n <= 1:
        return Interval(mean, float("-inf"), float("inf"))
    w = w / w.sum()
    variance = float((w**2 * (each - mean) ** 2).sum()) * n / (n - 1)
    half = float(stdtrit(n - 1, (1 + level) / 2)) * float(np.sqrt(variance))
    return Interval(mean, mean - half, mean + half)


def _quantile(level: float) -> float:
    ndtri = whole_module("scipy.special").ndtri
    _check_level(level)
    return float(ndtri((1 + level) / 2))


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise ParameterError(f"level must be between 0 and 1, not {level}")
