"""What is found of a class if only the cases are looked at that most probably have it: gains and lift."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ctree.evaluate.curves.ranked import ranked
from ctree.evaluate.intervals import LEVEL, wilson

Floats = npt.NDArray[np.float64]


class LiftCurve(NamedTuple):
    """What comes of looking at the cases of highest score, from the first group of equal ones to all.

    Attributes
    ----------
    thresholds : array
        The scores.
    chosen : array
        The share of all cases that are looked at.
    found : array
        The share of the cases of the class that are among them (the gains).
    lift : array
        How many times more frequent the class is among them than among all cases.
    low, high : array
        The interval of the lift, at each score by itself: Wilson's interval of the share of the class among the cases
        that are looked at, over its share among all, which is taken as given: where all are looked at, the lift is 1.
    """

    thresholds: Floats
    chosen: Floats
    found: Floats
    lift: Floats
    low: Floats
    high: Floats


def lift_curve(
    has_class: npt.ArrayLike, scores: npt.ArrayLike, weights: npt.ArrayLike | None = None, level: float = LEVEL
) -> LiftCurve:
    """Gains and lift of a class.

    Cases of equal score are looked at together.

    Parameters
    ----------
    has_class : array of bool (cases,)
    scores : array (cases,)
    weights : array (cases,), optional
    level : float
        Of the intervals.

    Examples
    --------
    >>> curve = lift_curve([True, True, False, False], [0.9, 0.4, 0.4, 0.1])
    >>> curve.chosen.tolist(), curve.found.tolist(), curve.lift.round(3).tolist()
    ([0.25, 0.75, 1.0], [0.5, 1.0, 1.0], [2.0, 1.333, 1.0])
    """
    cases = ranked(has_class, scores, weights)
    inside, all_cases = np.cumsum(cases.inside), np.cumsum(cases.inside + cases.outside)
    squares = np.cumsum(cases.inside_squares + cases.outside_squares)
    frequency = inside[-1] / all_cases[-1]
    among = inside / all_cases
    chosen = all_cases / all_cases[-1]
    # drawn without replacement from a number of cases of which so many have the class
    left = np.maximum(1 - chosen, 1e-12)
    low, high = wilson(among, all_cases**2 / squares / left, level)
    return LiftCurve(
        cases.scores,
        chosen,
        inside / inside[-1],
        among / frequency,
        low / frequency,
        high / frequency,
    )
