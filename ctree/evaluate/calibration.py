"""Whether probabilities mean what they say: of the cases given 0.8 for a class, do 80 % have it?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ctree.errors import ParameterError
from ctree.evaluate.measures import checked_predictions


class Group(NamedTuple):
    """Cases with about the same probability of a class.

    Parameters
    ----------
    weight : float
        How many they are.
    given : float
        Their mean probability.
    observed : float
        The share of them that have the class.
    """

    weight: float
    given: float
    observed: float


def calibration_groups(
    has_class: npt.ArrayLike, given: npt.ArrayLike, groups: int = 10, weights: npt.ArrayLike | None = None
) -> list[Group]:
    """Cases in the order of their probability of one class, cut into groups of about the same weight.

    Cases with equal probabilities, of which trees make many, stay together: a group ends with the first probability
    at which it has its share.

    Parameters
    ----------
    has_class : array of bool (cases,)
        Whether each case has the class.
    given : array (cases,)
        The probability that it was given.
    groups : int
        At most so many groups.
    weights : array (cases,), optional

    Examples
    --------
    >>> calibration_groups([False, True, True, True], [0.5, 0.5, 0.9, 0.9], groups=2)
    [Group(weight=2.0, given=0.5, observed=0.5), Group(weight=2.0, given=0.9, observed=1.0)]
    """
    if groups < 1:
        raise ParameterError(f"groups must be at least 1, not {groups}")
    probabilities = np.asarray(given, dtype=np.float64)
    each = np.ones(len(probabilities)) if weights is None else np.asarray(weights, dtype=np.float64)
    levels, places = np.unique(probabilities, return_inverse=True)
    amounts = np.bincount(places, each)
    hits = np.bincount(places, each * np.asarray(has_class, dtype=np.float64))
    # the group of a level is that of its first case; so a level that is larger than a share has a group of its own
    starts = np.cumsum(amounts) - amounts
    found = []
    number = np.floor(starts * groups / amounts.sum() + 1e-9)
    for one in np.unique(number):
        own = number == one
        weight = float(amounts[own].sum())
        if weight > 0:
            given_here = float((levels[own] * amounts[own]).sum()) / weight
            found.append(Group(weight, given_here, float(hits[own].sum()) / weight))
    return found


def calibration_error(
    targets: npt.ArrayLike, probabilities: npt.ArrayLike, groups: int = 10, weights: npt.ArrayLike | None = None
) -> float:
    """How far the probabilities of classes are from the shares that are observed, on average.

    For each class, cases are put into groups by their probability of it (`calibration_groups`); the error of the class
    is the mean over the cases of the distance between the mean probability of their group and the share of the group
    that has the class. The classes are averaged by how frequent they are. 0 is best. With few cases in a group the
    error is larger than 0 by chance alone: put the test cases of all folds together before asking for it.

    Parameters
    ----------
    targets : array of int (cases,)
        True classes as codes.
    probabilities : array (cases, classes)
    groups : int
    weights : array (cases,), optional

    Examples
    --------
    >>> round(calibration_error([0, 1, 1, 1], [[0.5, 0.5], [0.5, 0.5], [0.2, 0.8], [0.2, 0.8]], groups=2), 9)
    0.1
    """
    codes, table = checked_predictions(targets, probabilities)
    each = np.ones(len(codes)) if weights is None else np.asarray(weights, dtype=np.float64)
    error = 0.0
    for c in range(table.shape[1]):
        own = codes == c
        share = float(each[own].sum() / each.sum())
        if share > 0:
            found = calibration_groups(own, table[:, c], groups, each)
            error += share * sum(g.weight * abs(g.given - g.observed) for g in found) / float(each.sum())
    return error


def overconfidence(targets: npt.ArrayLike, probabilities: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> float:
    """Spiegelhalter's z: by how many standard errors the Brier score is worse than the probabilities themselves expect.

    If classes were drawn by the probabilities, z would be about normal with mean 0 and deviation 1. Above 2, they are
    significantly overconfident: more often wrong than they say. Below -2, they are underconfident. Where all
    probabilities are 0 and 1, it is infinite if a class has another one than it was given, else 0.

    Parameters
    ----------
    targets : array of int (cases,)
        True classes as codes.
    probabilities : array (cases, classes)
    weights : array (cases,), optional

    References
    ----------
    Spiegelhalter: Probabilistic prediction in patient management and clinical trials. Statistics in Medicine 5, 1986.

    Examples
    --------
    >>> round(overconfidence([0, 1, 1, 1], [[0.9, 0.1], [0.9, 0.1], [0.2, 0.8], [0.2, 0.8]]), 3)
    0.833
    """
    codes, table = checked_predictions(targets, probabilities)
    each = np.ones(len(codes)) if weights is None else np.asarray(weights, dtype=np.float64)
    squares = (table**2).sum(axis=1)
    # the score of a case is 1 - 2 p + the sum of squares, with p the probability of its class; only p is left to chance
    excess = float((each * 2 * (squares - table[np.arange(len(codes)), codes])).sum())
    variance = float((each * 4 * np.maximum((table**3).sum(axis=1) - squares**2, 0.0)).sum())
    if variance <= 0:
        return 0.0 if excess <= 1e-12 else float("inf")
    return excess / float(np.sqrt(variance))
