"""Cases in the order of a score, the highest first, where cases of equal score come together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ctree.errors import DataError

Floats = npt.NDArray[np.float64]


class Ranked(NamedTuple):
    """The different scores from the highest on, with the weight of the cases that have each.

    Attributes
    ----------
    scores : array
    inside, outside : array
        The weight of the cases that have the class, and of those that do not.
    inside_squares, outside_squares : array
        The sums of the squares of these weights.
    """

    scores: Floats
    inside: Floats
    outside: Floats
    inside_squares: Floats
    outside_squares: Floats

    @property
    def inside_number(self) -> float:
        """How many cases of equal weight would tell as much as those that have the class."""
        return float(self.inside.sum() ** 2 / self.inside_squares.sum())

    @property
    def outside_number(self) -> float:
        """The same of those that do not."""
        return float(self.outside.sum() ** 2 / self.outside_squares.sum())


def ranked(has_class: npt.ArrayLike, scores: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> Ranked:
    """Rank cases; a `DataError` unless some have the class and some do not.

    Parameters
    ----------
    has_class : array of bool (cases,)
    scores : array (cases,)
        Higher for cases that are rather expected to have the class: its probability, for instance.
    weights : array (cases,), optional
        Cases of weight 0 do not count.
    """
    own = np.asarray(has_class, dtype=bool)
    given = np.asarray(scores, dtype=np.float64)
    each = np.ones(len(own)) if weights is None else np.asarray(weights, dtype=np.float64)
    if own.ndim != 1 or given.shape != own.shape or each.shape != own.shape:
        raise DataError(f"{own.shape} classes, {given.shape} scores and {each.shape} weights do not fit")
    if not np.isfinite(given).all():
        raise DataError("a score is not a finite number")
    counted = each > 0
    if not counted.all():
        own, given, each = own[counted], given[counted], each[counted]
    if own.all() or not own.any():
        which = "all cases have" if own.size and own.all() else "no case has"
        raise DataError(f"{which} the class, so that cases with and without it cannot be told apart")
    each = each / each.max()
    levels, places = np.unique(given, return_inverse=True)
    sums = [np.bincount(places, amount * of, len(levels))[::-1] for amount in (each, each**2) for of in (own, ~own)]
    return Ranked(levels[::-1], *(part.astype(np.float64) for part in sums))
