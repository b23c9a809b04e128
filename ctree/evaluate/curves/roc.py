"""How well scores tell the cases of a class from the others: the ROC curve and the area under it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ctree.evaluate.curves.ranked import Ranked, ranked
from ctree.evaluate.intervals import LEVEL, Interval, wilson
from ctree.imports import whole_module

Floats = npt.NDArray[np.float64]


class RocCurve(NamedTuple):
    """What comes of taking all cases from a score on for the class, from none of them to all.

    Attributes
    ----------
    thresholds : array
        The scores, the first of them infinite: no case has it.
    false_alarms : array
        Of the cases of other classes, the share that is taken for the class.
    hits : array
        Of the cases of the class, the share that is.
    low, high : array
        Wilson's interval of the hits, at each threshold by itself.
    area : Interval
        The area under the curve: the probability that a case of the class has a higher score than another one.
    """

    thresholds: Floats
    false_alarms: Floats
    hits: Floats
    low: Floats
    high: Floats
    area: Interval


def roc_curve(
    has_class: npt.ArrayLike, scores: npt.ArrayLike, weights: npt.ArrayLike | None = None, level: float = LEVEL
) -> RocCurve:
    """The ROC curve of a class against the rest.

    Cases of equal score, of which trees make many, are one point. The interval of the area is DeLong's, on the scale of
    log-odds, so that it stays between 0 and 1. Where no two cases are in the wrong order, or none in the right one,
    that has no width; then it is Newcombe's.

    Parameters
    ----------
    has_class : array of bool (cases,)
    scores : array (cases,)
    weights : array (cases,), optional
    level : float
        Of the intervals.

    References
    ----------
    DeLong, DeLong, Clarke-Pearson: Comparing the areas under two or more correlated receiver operating characteristic
    curves. Biometrics 44, 1988.
    Newcombe: Confidence intervals for an effect size measure based on the Mann-Whitney statistic. Part 2. Statistics in
    Medicine 25, 2006.

    Examples
    --------
    >>> curve = roc_curve([True, True, False, False], [0.9, 0.4, 0.4, 0.1])
    >>> curve.thresholds.tolist(), curve.false_alarms.tolist(), curve.hits.tolist()
    ([inf, 0.9, 0.4, 0.1], [0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0])
    >>> curve.area.value
    0.875
    """
    cases = ranked(has_class, scores, weights)
    hits = _shares(cases.inside)
    low, high = wilson(hits, cases.inside_number, level)
    high[0], low[-1] = 0.0, 1.0  # none and all, whatever the cases
    thresholds = np.concatenate([[np.inf], cases.scores])
    return RocCurve(thresholds, _shares(cases.outside), hits, low, high, _area(cases, level))


def _shares(weights: Floats) -> Floats:
    sums = np.concatenate([[0.0], np.cumsum(weights)])
    return np.asarray(sums / sums[-1])


def _area(cases: Ranked, level: float) -> Interval:
    """The area under the curve with its interval."""
    special = whole_module("scipy.special")
    inside, outside = cases.inside / cases.inside.sum(), cases.outside / cases.outside.sum()
    # the share of the others that a case of the class at this score is ahead of, and the other way round; ties half
    ahead = np.clip(1 - np.cumsum(outside) + outside / 2, 0.0, 1.0)
    behind = np.clip(np.cumsum(inside) - inside / 2, 0.0, 1.0)
    area = float(np.clip((inside * ahead).sum(), 0.0, 1.0))
    m, n = cases.inside_number, cases.outside_number
    variance = _variance(cases.inside_squares / cases.inside.sum() ** 2, ahead, area, m) + _variance(
        cases.outside_squares / cases.outside.sum() ** 2, behind, area, n
    )
    if not 0 < area < 1 or not variance > 0:
        return newcombe(area, m, n, level)
    # by the slope of the log-odds
    half = float(special.ndtri((1 + level) / 2)) * np.sqrt(variance) / (area * (1 - area))
    middle = float(special.logit(area))
    return Interval(area, float(special.expit(middle - half)), float(special.expit(middle + half)))


def _variance(squares: Floats, placed: Floats, area: float, number: float) -> float:
    if number <= 1:
        return 0.25  # the most that it can be
    return float((squares * (placed - area) ** 2).sum()) * number / (number - 1)


def newcombe(area: float, m: float, n: float, level: float = LEVEL) -> Interval:
    """Newcombe's interval of an area from `m` cases inside and `n` outside: all areas that do not contradict it.

    Examples
    --------
    >>> round(newcombe(1.0, 20, 20).low, 3), newcombe(1.0, 20, 20).high
    (0.899, 1.0)
    """
    ndtri = whole_module("scipy.special").ndtri
    z = float(ndtri((1 + level) / 2))
    mean = (m + n) / 2 - 1

    def excess(theta: float) -> float:
        """By how much an area is further away than its deviation times z."""
        q = (1 - theta) / (2 - theta) + theta / (1 + theta) if 0 < theta < 1 else 0.5
        variance = theta * (1 - theta) * (1 + max(mean, 0.0) * q) / (m * n)
        return abs(area - theta) - z * float(np.sqrt(max(variance, 0.0)))

    return Interval(area, _root(excess, 0.0, area), _root(excess, 1.0, area))


def _root(excess: object, away: float, near: float) -> float:
    """Where `excess` changes its sign between a bound and the area itself, at which it is not above 0."""
    assert callable(excess)
    if away == near or excess(away) <= 0:
        return away
    for _ in range(60):
        middle = (away + near) / 2
        away, near = (middle, near) if excess(middle) > 0 else (away, middle)
    return near
