"""Continuous attributes in bins, of about as many cases each or of equal width."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.schema import Attribute, Kind, Schema
from ctree.data.worded import Worded

Floats = npt.NDArray[np.float64]

MAX_WIDTHS = 1 << 50
"""Beyond so many bins of equal width, bounds would not differ."""


def equal_frequency_cuts(column: Floats, bins: int, weights: Floats | None = None) -> Floats:
    """The upper bounds of all bins but the last: the values at ranks n / bins, 2 n / bins and so on, rounded up.

    Unknown values are left out. Equal values stay together, so there may be fewer bins. With weights, a case of weight
    2 has the ranks of two cases.

    Examples
    --------
    >>> import numpy as np
    >>> equal_frequency_cuts(np.array([5.0, 3.0, np.nan, 1.0, 2.0, 4.0]), 5)
    array([1., 2., 3., 4.])
    >>> equal_frequency_cuts(np.array([1.0, 1.0, 1.0, 1.0, 2.0, 3.0]), 3)
    array([1.])
    >>> equal_frequency_cuts(np.array([1.0, 2.0, 3.0]), 3, np.array([4.0, 1.0, 1.0]))
    array([1.])
    """
    bins = int(bins)  # products with one of numpy's smaller whole numbers would overflow
    if weights is not None:
        return _weighted_cuts(column, bins, weights)
    values = np.sort(column[~np.isnan(column)]) + 0.0  # 0, whichever of 0 and -0 comes first
    if len(values) == 0:
        return np.empty(0)
    if bins >= len(values):
        return np.unique(values)[:-1]
    ranks = -(-np.arange(1, bins) * len(values) // bins) - 1
    cuts = np.unique(values[ranks])
    return np.asarray(cuts[cuts < values[-1]])


def _weighted_cuts(column: Floats, bins: int, weights: Floats) -> Floats:
    known = ~np.isnan(column) & (weights > 0)
    values, places = np.unique(column[known] + 0.0, return_inverse=True)
    if len(values) == 0:
        return np.empty(0)
    below = np.cumsum(np.bincount(places, weights[known]))
    # How many of the ranks are reached with each value; sums of fractions may miss one by the last bit.
    reached = np.floor(below / below[-1] * bins * (1 + 1e-12))
    return np.asarray(values[:-1][np.diff(reached, prepend=0.0)[:-1] > 0])


def equal_width_cuts(column: Floats, bins: int) -> Floats:
    """The upper bounds of all bins but the last, where the bins divide the way from the least to the greatest value
    into equal parts.

    Unknown values are left out. Of bounds that divide the values alike, because no value lies between them, only the
    least counts, so there may be fewer bins; if all values are equal, there is one.

    Examples
    --------
    >>> import numpy as np
    >>> equal_width_cuts(np.array([0.0, 3.0, np.nan, 6.0, 7.0, 10.0]), 5)
    array([2., 4., 6., 8.])
    >>> equal_width_cuts(np.array([0.0, 1.0, 9.0, 10.0]), 5)
    array([2.])
    >>> equal_width_cuts(np.array([7.0, 7.0]), 5)
    array([], dtype=float64)
    """
    values = np.unique(column[~np.isnan(column)] + 0.0)
    if len(values) < 2:
        return np.empty(0)
    place = width_places(values, values[0], values[-1], bins)
    cuts = _width_bounds(np.unique(place[place < min(int(bins), MAX_WIDTHS)]), values[0], values[-1], bins)
    return np.asarray(np.unique(cuts[cuts < values[-1]]))


def width_places(values: Floats, low: float, high: float, bins: int) -> Floats:
    """Of each value, the first bound of bins of equal width that is not below it, from 1; the last bin has none."""
    most = float(min(int(bins), MAX_WIDTHS))
    below, place = np.zeros(len(values)), np.full(len(values), most)
    while (unsure := place - below > 1).any():
        middle = np.where(unsure, np.floor((below + place) / 2), 0.0)
        reached = _width_bounds(middle, low, high, bins) >= values
        place = np.where(unsure & reached, middle, place)
        below = np.where(unsure & ~reached, middle, below)
    return place


def _width_bounds(places: Floats, low: float, high: float, bins: int) -> Floats:
    # Near the greatest numbers, products would have to be infinite.
    scale = 2.0**-60 if max(-low, high) > 2.0**960 else 1.0
    low, high = low * scale, high * scale
    return np.asarray((low + (high - low) * places / min(int(bins), MAX_WIDTHS)) / scale)


def bin_codes(column: Floats, cuts: Floats) -> npt.NDArray[np.int32]:
    """The bin of each value, from 0; -1 where it is unknown. A cut belongs to the bin below it.

    Examples
    --------
    >>> import numpy as np
    >>> bin_codes(np.array([1.0, 1.5, 3.0, 4.0, np.nan]), np.array([1.0, 3.0]))
    array([ 0,  1,  1,  2, -1], dtype=int32)
    """
    codes = np.searchsorted(cuts, column, side="left").astype(np.int32)
    codes[np.isnan(column)] = -1
    return codes


def bin_names(cuts: Floats, attribute: Attribute | None = None) -> tuple[str, ...]:
    """The bins as intervals; of ordered values and dates in the words of their attribute.

    Examples
    --------
    >>> import numpy as np
    >>> bin_names(np.array([1.0, 2.5]))
    ('(-inf, 1]', '(1, 2.5]', '(2.5, inf)')
    """
    shown = cuts.tolist() if attribute is None else [attribute.bound(cut) for cut in cuts.tolist()]
    words = [str(cut) if isinstance(cut, Worded) else repr(cut).removesuffix(".0") for cut in shown]
    bounds = ["-inf", *words, "inf"]
    intervals = [f"({low}, {high}]" for low, high in pairwise(bounds)]
    return (*intervals[:-1], intervals[-1][:-1] + ")")


def binned_schema(schema: Schema, cuts: Sequence[Floats | None]) -> Schema:
    """The schema with each attribute that has cuts as a discrete one, whose values are the bins."""
    attributes = [
        attribute if bounds is None else Attribute(attribute.name, Kind.DISCRETE, bin_names(bounds, attribute))
        for attribute, bounds in zip(schema, cuts, strict=True)
    ]
    return Schema(tuple(attributes), schema.classes)


def binned(data: Dataset, cuts: Sequence[Floats | None]) -> Dataset:
    """The cases with each attribute that has cuts turned into a discrete one, whose values are the bins."""
    columns = [
        column if bounds is None or column is None else bin_codes(np.asarray(column, dtype=np.float64), bounds)
        for column, bounds in zip(data.columns, cuts, strict=True)
    ]
    return data.replaced(binned_schema(data.schema, cuts), columns)
