"""Probabilities against what came true, with intervals: the points of a reliability diagram."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ctree.errors import DataError, ParameterError
from ctree.evaluate.calibration import Group, calibration_groups
from ctree.evaluate.intervals import LEVEL, effective_number, wilson

Floats = npt.NDArray[np.float64]

STRATEGIES = ("quantile", "uniform")


class Reliability(NamedTuple):
    """Groups of cases with about the same probability of a class, from the lowest to the highest.

    Attributes
    ----------
    given : array
        The mean probability in each group.
    observed : array
        The share of the group that has the class.
    low, high : array
        Wilson's interval of that share.
    weight : array
        The weight of the cases in the group.
    """

    given: Floats
    observed: Floats
    low: Floats
    high: Floats
    weight: Floats


def reliability(
    has_class: npt.ArrayLike,
    given: npt.ArrayLike,
    groups: int = 10,
    weights: npt.ArrayLike | None = None,
    strategy: str = "uniform",
    level: float = LEVEL,
) -> Reliability:
    """The points of a reliability diagram of one class.

    Parameters
    ----------
    has_class : array of bool (cases,)
    given : array (cases,)
        The probability of the class, between 0 and 1.
    groups : int
        At most so many groups.
    weights : array (cases,), optional
    strategy : {"uniform", "quantile"}
        Stretches of the same length from 0 to 1, those without cases left out; or groups of about the same weight, as
        in `calibration_groups`, which for a rare class lie mostly near 0.
    level : float
        Of the intervals.

    Examples
    --------
    >>> points = reliability([False, True, True, True], [0.5, 0.5, 0.9, 0.9], groups=2)
    >>> points.given.tolist(), points.observed.tolist(), points.low.round(3).tolist()
    ([0.5, 0.9], [0.5, 1.0], [0.095, 0.342])
    """
    if strategy not in STRATEGIES:
        raise ParameterError(f"strategy must be one of {', '.join(STRATEGIES)}, not {strategy!r}")
    p = np.asarray(given, dtype=np.float64)
    own = np.asarray(has_class, dtype=np.float64)
    if p.ndim != 1 or own.shape != p.shape or p.size == 0:
        raise DataError(f"{own.shape} classes do not fit {p.shape} probabilities, or there are no cases")
    if not (np.isfinite(p).all() and p.min() >= 0 and p.max() <= 1 + 1e-9):
        raise DataError("a probability is not between 0 and 1")
    if strategy == "quantile":
        found = calibration_groups(own, p, groups, weights)
    else:
        if groups < 1:
            raise ParameterError(f"groups must be at least 1, not {groups}")
        each = np.ones(len(p)) if weights is None else np.asarray(weights, dtype=np.float64)
        edges = np.linspace(0.0, 1.0, groups + 1)
        place = np.searchsorted(edges[1:-1], p, side="left")
        amount, sums, hits = (np.bincount(place, by, groups) for by in (each, each * p, each * own))
        some = amount > 0
        columns = (amount[some], sums[some] / amount[some], hits[some] / amount[some])
        found = [Group(*figures) for figures in zip(*columns, strict=True)]
    weight, mean, observed = (np.array(column, dtype=np.float64) for column in zip(*found, strict=True))
    # cases of equal weight tell most; all weights together say by how much less these tell
    number = weight * effective_number(weights, len(p)) / weight.sum()
    low, high = wilson(observed, number, level)
    return Reliability(mean, observed, low, high, weight)
