"""Thresholds of continuous attributes where the classes change.

A threshold between two values whose cases all have one and the same class is never better than all others as a first
test, by its errors or by its entropy (Fayyad and Irani, 1992); the others are at *boundaries*. If there are more of
these than there may be, those are taken that tell most of the classes, one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.schema import Schema
from ctree_ext.base.elementary import log

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

GRID = 1000
"""Thresholds are sought between so many bins of about equal frequency, or between all values if there are no more."""

ALL_THRESHOLDS = 64
"""So many thresholds are for all continuous attributes together ..."""

LEAST, MOST = 4, 16
"""... but for each of them no fewer and no more than these."""


def most_thresholds(schema: Schema) -> int:
    """How many thresholds a continuous attribute may have."""
    n_continuous = sum(attribute.has_order for attribute in schema)
    return min(max(ALL_THRESHOLDS // max(n_continuous, 1), LEAST), MOST)


@dataclass(frozen=True)
class ClassTable:
    """The cases of an attribute between some bounds: above one, up to the next.

    Parameters
    ----------
    counts : int64 array (bounds + 2, classes)
        How many there are by class; the last row is for unknown values.
    least : float64 array (bounds + 1,)
        The least value in each interval, infinite where there is none.
    """

    counts: Counts
    least: Floats

    @classmethod
    def of(cls, column: Floats, bounds: Floats, classes: npt.NDArray[np.int32], n_classes: int,
           weights: Floats | None = None) -> ClassTable:  # fmt: skip
        """That of a column of numbers, NaN for unknown ones; weights are whole numbers."""
        known = ~np.isnan(column)
        seen = known if weights is None else known & (weights > 0)
        place = np.where(known, np.searchsorted(bounds, column, side="left"), len(bounds) + 1)
        counts = np.bincount(place * n_classes + classes, weights, minlength=(len(bounds) + 2) * n_classes)
        least = np.full(len(bounds) + 1, np.inf)
        np.minimum.at(least, place[seen], column[seen])
        return cls(counts.astype(np.int64).reshape(-1, n_classes), least)

    def __add__(self, other: ClassTable) -> ClassTable:
        return ClassTable(self.counts + other.counts, np.minimum(self.least, other.least))

    def cuts(self, bounds: Floats, most: int, min_cases: int, fill: float) -> list[float]:
        """At most so many thresholds, in the middle between two values; unknown values are `fill`."""
        counts = self.counts[:-1].copy()
        counts[np.searchsorted(bounds, fill, side="left")] += self.counts[-1]
        chosen = chosen_places(counts, most, min_cases)
        return [middle(float(bounds[i]), float(self.least[i + 1])) for i in chosen]


def class_tables(data: Dataset, bounds: Sequence[Floats | None]) -> list[ClassTable | None]:
    """The table of each attribute that has bounds."""
    assert data.classes is not None
    result: list[ClassTable | None] = []
    for column, cuts in zip(data.columns, bounds, strict=True):
        if cuts is None or column is None:
            result.append(None)
        else:
            numbers = np.asarray(column, dtype=np.float64)
            result.append(ClassTable.of(numbers, cuts, data.classes, data.schema.n_classes, data.weights))
    return result


def chosen_places(counts: Counts, most: int, min_cases: int = 1) -> list[int]:
    """The intervals, given by their class counts, after which a threshold is worth most: at most so many, ascending.

    All are taken that leave enough cases on both sides, if they are no more than that; else those at boundaries. If
    even these are too many, the first is the one that leaves the least class entropy within the two parts, and each of
    the next the one that leaves the least within all parts; the lowest of equals.

    Examples
    --------
    >>> import numpy as np
    >>> counts = np.array([[3, 0], [4, 0], [0, 2], [1, 1], [0, 5]])
    >>> chosen_places(counts, 4), chosen_places(counts, 3), chosen_places(counts, 1)
    ([0, 1, 2, 3], [1, 2, 3], [1])
    """
    below = np.concatenate([np.zeros((1, counts.shape[1]), dtype=np.int64), np.cumsum(counts, axis=0)])
    sizes = below.sum(axis=1)
    places = np.arange(len(counts) - 1)
    enough = (sizes[1:-1] >= min_cases) & (sizes[-1] - sizes[1:-1] >= min_cases)
    places = places[enough & (counts[1:].sum(axis=1) > 0)]
    if len(places) <= most:
        return [int(i) for i in places]
    places = places[is_boundary(counts)[places]]
    if len(places) <= most:
        return [int(i) for i in places]
    # Parts as (start, end) of rows, with the gain of their best threshold.
    open_parts = [_best_within(below, places, 0, len(counts))]
    chosen: list[int] = []
    while len(chosen) < most:
        best = max(range(len(open_parts)), key=lambda i: (open_parts[i].gain, -open_parts[i].place))
        part = open_parts.pop(best)
        if part.place < 0:
            break
        chosen.append(part.place)
        open_parts.append(_best_within(below, places, part.start, part.place + 1))
        open_parts.append(_best_within(below, places, part.place + 1, part.end))
    return sorted(chosen)


@dataclass(frozen=True)
class _Part:
    start: int
    end: int
    gain: float
    place: int


def is_boundary(counts: Counts) -> npt.NDArray[np.bool_]:
    """Whether the cases of an interval and of the next that is not empty are not all of one class."""
    result = np.zeros(len(counts), dtype=np.bool_)
    filled = np.flatnonzero(counts.sum(axis=1))
    pure = (counts[filled] > 0).sum(axis=1) == 1
    which = counts[filled].argmax(axis=1)
    result[filled[:-1]] = ~(pure[:-1] & pure[1:] & (which[:-1] == which[1:]))
    return result


def _best_within(below: Counts, places: npt.NDArray[np.int64], start: int, end: int) -> _Part:
    """The threshold that takes most from the class entropy of some rows; place -1 if there is none."""
    here = places[(places >= start) & (places < end - 1)]
    if len(here) == 0:
        return _Part(start, end, -np.inf, -1)
    left = (below[here + 1] - below[start]).astype(np.float64)
    right = (below[end] - below[here + 1]).astype(np.float64)
    gains = _entropy((below[end] - below[start])[None, :].astype(np.float64)) - _entropy(left) - _entropy(right)
    # Gains that differ by rounding only are the same.
    gains = np.round(gains, 6)
    best = int(gains.argmax())
    return _Part(start, end, float(gains[best]), int(here[best]))


def _entropy(counts: Floats) -> Floats:
    """Class entropy times the number of cases, of each row."""
    total = counts.sum(axis=1)
    return np.asarray(_x_log_x(total) - _x_log_x(counts).sum(axis=1))


def _x_log_x(x: Floats) -> Floats:
    return np.asarray(x * log(np.maximum(x, 1.0)))


def middle(low: float, high: float) -> float:
    """A number between two others: the lower one if there is none."""
    result = low + (high - low) / 2
    if np.isinf(result):  # they are too far apart for a number
        result = low / 2 + high / 2
    return result if result < high else low
