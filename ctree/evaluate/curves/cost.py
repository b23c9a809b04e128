"""What errors cost, whatever their costs and however frequent the class: cost curves, and costs by a matrix."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ctree.data.costs import cost_matrix as cost_matrix
from ctree.data.costs import worth
from ctree.evaluate.curves.roc import roc_curve
from ctree.evaluate.intervals import LEVEL, Interval, mean_interval
from ctree.evaluate.measures import checked_predictions
from ctree.tree.interface import decided

Floats = npt.NDArray[np.float64]

FEW_POINTS = 2000
"""So many of a curve are gone through one by one."""


class CostCurve(NamedTuple):
    """The expected cost of a class against the rest, at its best threshold for each probability-cost.

    The probability-cost of a class is its share of the worst cost: p C(miss) over this plus (1 - p) C(false alarm),
    with p its frequency. Costs are in shares of the worst that can be, all cases wrong. So a diagonal up and one down
    are the costs of taking no case and of taking all cases for the class.

    Attributes
    ----------
    probability_cost : array
        The corners of the curve, which is straight between them, from 0 to 1.
    expected_cost : array
        There.
    thresholds : array
        The best score to take cases for the class from, between each corner and the next.
    false_alarms, misses : float
        What the predicted classes themselves have of them; NaN if there are none. Their cost is a straight line from
        the first to the second.
    """

    probability_cost: Floats
    expected_cost: Floats
    thresholds: Floats
    false_alarms: float
    misses: float


def cost_curve(
    has_class: npt.ArrayLike,
    scores: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    predicted: npt.ArrayLike | None = None,
) -> CostCurve:
    """The cost curve of a class against the rest.

    Parameters
    ----------
    has_class : array of bool (cases,)
    scores : array (cases,)
    weights : array (cases,), optional
    predicted : array of bool (cases,), optional
        Whether the class is predicted.

    References
    ----------
    Drummond, Holte: Cost curves: An improved method for visualizing classifier performance. Machine Learning 65, 2006.

    Examples
    --------
    >>> curve = cost_curve([True, True, False, False], [0.9, 0.4, 0.4, 0.1])
    >>> curve.probability_cost.round(3).tolist(), curve.expected_cost.round(3).tolist()
    ([0.0, 0.5, 1.0], [0.0, 0.25, 0.0])
    """
    curve = roc_curve(has_class, scores, weights)
    corners = _upper_hull(curve.false_alarms, curve.hits)
    x, y = curve.false_alarms[corners], curve.hits[corners]
    # two neighbours on the hull cost the same where dy * p = dx * (1 - p)
    dx, dy = np.diff(x), np.diff(y)
    p = dx / (dx + dy)
    cost = (1 - y[:-1]) * p + x[:-1] * (1 - p)
    # at the ends the cost is 0: nothing that costs anything can happen there
    corner_p = np.concatenate([[0.0], p, [1.0]])
    thresholds, corner_cost = curve.thresholds[corners], np.concatenate([[0.0], cost, [0.0]])
    # a hull that begins with a step up, or ends with one to the right, has a corner at an end already
    kept = np.concatenate([[True], np.diff(corner_p) > 0])
    false_alarms, misses = float("nan"), float("nan")
    if predicted is not None:
        own, given = np.asarray(has_class, dtype=bool), np.asarray(predicted, dtype=bool)
        each = np.ones(len(own)) if weights is None else np.asarray(weights, dtype=np.float64)
        false_alarms = float(np.average(given[~own], weights=each[~own]))
        misses = float(np.average(~given[own], weights=each[own]))
    used = thresholds[np.diff(corner_p) > 0]
    return CostCurve(corner_p[kept], corner_cost[kept], used, false_alarms, misses)


def _upper_hull(x: Floats, y: Floats) -> npt.NDArray[np.intp]:
    """The points of a rising curve that no straight line between two others passes above."""
    left = _without_dents(x, y)
    hull: list[int] = []
    xs, ys = x[left].tolist(), y[left].tolist()
    for i in range(len(xs)):
        while len(hull) > 1:
            a, b = hull[-2], hull[-1]
            if (xs[b] - xs[a]) * (ys[i] - ys[a]) < (ys[b] - ys[a]) * (xs[i] - xs[a]):
                break
            hull.pop()
        hull.append(i)
    return left[hull]


def _without_dents(x: Floats, y: Floats) -> npt.NDArray[np.intp]:
    """The points but for most that lie below the line between their neighbours: a million are too many for a loop."""
    left, turn, idle = np.arange(len(x)), 0, 0
    while len(left) > FEW_POINTS and idle < 2:
        dx, dy = np.diff(x[left]), np.diff(y[left])
        below = dx[:-1] * (dy[:-1] + dy[1:]) >= dy[:-1] * (dx[:-1] + dx[1:])
        below[turn::2] = False  # its neighbours, which a point is held against, stay
        turn, idle = 1 - turn, 0 if below.any() else idle + 1
        left = left[np.concatenate([[True], ~below, [True]])]
    return left


class Costs(NamedTuple):
    """What predictions cost on average.

    Attributes
    ----------
    predicted : Interval
        If each case is given the class that the model predicts.
    least_expected : Interval
        If it is given the class whose expected cost, by the model's probabilities, is the least.
    constant : float
        If all cases are given the same class, the one that costs least.
    constant_class : int
        Its code.
    """

    predicted: Interval
    least_expected: Interval
    constant: float
    constant_class: int


def mean_costs(
    targets: npt.ArrayLike,
    probabilities: npt.ArrayLike,
    predicted: npt.ArrayLike,
    matrix: Floats,
    weights: npt.ArrayLike | None = None,
    level: float = LEVEL,
) -> Costs:
    """What predictions cost, case by case, with intervals of Student's t.

    Parameters
    ----------
    targets, predicted : array of int (cases,)
        True and predicted classes as codes.
    probabilities : array (cases, classes)
    matrix : array (classes, classes)
        See `cost_matrix`.
    weights : array (cases,), optional
    level : float

    Examples
    --------
    >>> costs = mean_costs([0, 1], [[0.8, 0.2], [0.7, 0.3]], [0, 0], cost_matrix({(1, 0): 10}, [0, 1]))
    >>> costs.predicted.value, costs.least_expected.value, costs.constant, costs.constant_class
    (5.0, 0.5, 0.5, 1)
    """
    codes, table = checked_predictions(targets, probabilities)
    each = np.ones(len(codes)) if weights is None else np.asarray(weights, dtype=np.float64)
    chosen = decided(table, worth(matrix))
    shares = np.bincount(codes, each, table.shape[1]) / each.sum()
    constant = shares @ matrix
    return Costs(
        mean_interval(matrix[codes, np.asarray(predicted, dtype=np.intp)], weights, level),
        mean_interval(matrix[codes, chosen], weights, level),
        float(constant.min()),
        int(constant.argmin()),
    )
