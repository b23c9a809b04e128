"""From votes to probabilities: how much a share of the votes says, found out on cases that had no say in it.

Votes of boosted members are no probabilities: the members were learned one after the other to make up for each other's
errors, and agree on the cases that they were learned from far more than on others. Here the probability of class k is
in proportion to ``exp(slope * share_k)``, with `share_k` the share of the votes that the class has. The slope is the
one under which the classes of cases out of their folds are the most probable. As there is one for all classes, the
class of most votes is the most probable one.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from ctree_ext.base.elementary import exp

Floats = npt.NDArray[np.float64]

STEPS = 200
"""At most so many are made."""

NEAR = 1e-12
"""A slope is found if the next step would change it by less, as a share of it."""

MIN_SLOPE, MAX_SLOPE = 0.01, 2.0**20
"""However little votes are worth, the class that has most of them is the most probable one."""


def by_slope(shares: Floats, slope: float) -> Floats:
    """Class probabilities of cases from shares of votes, (cases, classes).

    Examples
    --------
    >>> import math
    >>> by_slope(np.array([[0.75, 0.25]]), 2 * math.log(3)).round(6)
    array([[0.75, 0.25]])
    """
    scaled = exp(slope * (shares - shares.max(axis=1, keepdims=True)))
    return np.asarray(scaled / scaled.sum(axis=1, keepdims=True))


def best_slope(shares: Floats, classes: npt.NDArray[np.integer], weights: Floats) -> float:
    """The slope of maximal likelihood.

    As in Platt's method each case counts a little for other classes: of n cases of C classes, the share (n + 1) / (n +
    C) for its own and 1 / (n + C) for each other one. So cases that are all right do not make it infinite.

    Parameters
    ----------
    shares : array (cases, classes)
    classes : array (cases,)
    weights : array (cases,)
        Of which some are greater than 0.

    Examples
    --------
    >>> shares = np.array([[1.0, 0.0]] * 8)
    >>> slope = best_slope(shares, np.array([0] * 6 + [1] * 2), np.ones(8))
    >>> by_slope(shares[:1], slope).round(3)  # (6 * 9 / 10 + 2 * 1 / 10) / 8
    array([[0.7, 0.3]])
    """
    n, n_classes = shares.shape
    targets = np.full((n, n_classes), 1 / (n + n_classes))
    targets[np.arange(n), classes] += n / (n + n_classes)
    wanted = float(weights @ (targets * shares).sum(axis=1))

    def surplus(slope: float) -> tuple[float, float]:
        # The first two derivatives of the negative log-likelihood, of which the first ascends with the slope.
        p = by_slope(shares, slope)
        means = (p * shares).sum(axis=1)
        return float(weights @ means) - wanted, float(weights @ ((p * shares**2).sum(axis=1) - means**2))

    low, high, slope = MIN_SLOPE, 1.0, 1.0
    if surplus(low)[0] >= 0:
        return low
    while (found := surplus(high))[0] < 0 and high < MAX_SLOPE:
        low, high = high, 2 * high
    slope = high
    for _ in range(STEPS):
        # Newton's step, or half the way where that would leave the bounds
        step = found[0] / found[1] if found[1] > 0 else math.inf
        following = slope - step
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - slope) <= NEAR * slope:
            break
        slope = following
        found = surplus(slope)
        low, high = (slope, high) if found[0] < 0 else (low, slope)
    return slope
