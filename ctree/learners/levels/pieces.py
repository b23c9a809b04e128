"""Pieces: what is known of the numbers of an attribute at a node."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ctree.errors import DataError
from ctree.scale.source import Bins, Distinct, Numbers, Opened
from ctree_ext.base.node_arrays import Floats

UNCOUNTED = -1

CHANGED = "the cases are not the same in two passes over them"


class Pieces:
    """The numbers of a continuous attribute at a node, ascending, in pieces of one value or of unknown ones.

    Parameters
    ----------
    bins : Bins
        The finest bins.
    shift : int
        Each 2**shift of them were counted as one.
    counts : int64 array (bins, classes)
    least_cases : int
        How many cases, or units of weight, either side of a cut needs.
    most_below : int, optional
        How many may be below a cut: all but `least_cases`, unless a grower that has the cases rounds it otherwise.
    most_cuts : int or None
        How many cuts there may be within a piece, where that does not follow from its counts because they are weights.
    listed : bool
        The values are numbers of bins, between which all thresholds count, though they divide the cases in the same
        way; each bin was counted by itself.
    near : float
        No cut is between values that are not further apart.

    Attributes
    ----------
    counts : int64 array (pieces, classes)
    values : float64 array
        NaN where the piece is closed: it may have several values. Of several without a cut between them the least.
    least, most : float64 arrays
        Between which its values are.
    tight : bool array
        Whether these are values of the node, not only bounds.
    first, end : int64 arrays
        The finest bins that the piece comes from.
    inside : int64 array
        How many cuts there are between its values, of those that leave enough cases on either side; -1 where nobody
        counted.
    """

    def __init__(
        self,
        bins: Bins,
        shift: int,
        counts: Numbers,
        least_cases: int,
        *,
        most_below: int | None = None,
        most_cuts: int | None = None,
        listed: bool = False,
        near: float = 0.0,
    ) -> None:
        coarse = bins.coarser(shift) if shift else bins
        filled = np.flatnonzero(counts.any(axis=1))
        self.bins = bins
        self.least_cases = least_cases
        self._most_below = most_below
        self.listed = listed
        self.most_cuts = most_cuts
        self.near = near
        self.counts = np.ascontiguousarray(counts[filled])
        one = coarse.least[filled] == coarse.most[filled]
        self.values = np.where(one, coarse.least[filled], np.nan)
        self.least, self.most, self.tight = coarse.least[filled], coarse.most[filled], one
        self.first = filled.astype(np.int64) << shift
        self.end = np.minimum(self.first + (1 << shift), len(bins))
        self.inside = np.full(len(filled), UNCOUNTED, dtype=np.int64)
        self._sum()

    def _sum(self) -> None:
        sizes = self.counts.sum(axis=1)
        ends = np.cumsum(sizes)
        self.n = int(ends[-1]) if len(ends) else 0
        self.most_below = self.n - self.least_cases if self._most_below is None else self._most_below
        self.sizes = sizes
        self.below = ends
        self.closed = np.isnan(self.values)
        # where cuts can be within a piece: how many cases may be below them
        low = np.maximum(ends - sizes + 1, self.least_cases)
        high = np.minimum(ends - 1, self.most_below)
        self.room = np.where(self.closed, np.maximum(high - low + 1, 0), 0)
        # whether all cuts within a piece leave enough cases on either side
        self.amid = (ends - sizes + 1 >= self.least_cases) & (ends - 1 <= self.most_below)
        if self.most_cuts is not None:
            self.room = np.where(self.room > 0, self.most_cuts, 0)
        if self.near:
            span = np.where(self.closed, self.most - self.least, 0.0)
            # one more for roundings, and one where values are at both ends
            room = np.minimum(self.room, np.minimum(span / self.near, 2.0**62) + 2).astype(np.int64)
            self.room = np.where(self.least + self.near < self.most, room, 0)
        self.inside[self.room == 0] = 0

    @property
    def n_edges(self) -> int:
        """How many cuts between pieces leave enough cases on either side."""
        below = self.below[:-1]
        enough = (below >= self.least_cases) & (below <= self.most_below)
        return int(np.diff(self.values)[enough].sum() if self.listed else enough.sum())

    @property
    def uncounted(self) -> npt.NDArray[np.intp]:
        """The pieces of which nobody knows how many cuts are within."""
        return np.flatnonzero(self.inside == UNCOUNTED)

    def n_tests(self) -> tuple[int, int]:
        """How many cuts there are, at least and at most."""
        known = self.n_edges + int(self.inside[self.inside != UNCOUNTED].sum())
        return known, known + int(self.room[self.inside == UNCOUNTED].sum())

    def count_single(self, repeated: Numbers) -> None:
        """Count the cuts in pieces of which no two cases of all have the same number, in whole cases.

        Parameters
        ----------
        repeated : int64 array (1 + bins)
            How many of the finest bins before each have a number twice.
        """
        single = (self.inside == UNCOUNTED) & (repeated[self.end] == repeated[self.first])
        self.inside[single] = self.room[single]

    def count(self, pieces: npt.NDArray[np.intp], found: Distinct) -> None:
        """Count the cuts in pieces `amid` others, by their distinct numbers, and take their ends."""
        known = self.most_cuts is None
        if (found.values < 1).any() or (known and not np.array_equal(found.cases, self.sizes[pieces])):
            raise DataError(CHANGED)
        self.inside[pieces] = found.values - 1
        self.least[pieces], self.most[pieces], self.tight[pieces] = found.least, found.most, True

    def ranges(self, pieces: npt.NDArray[np.intp], *, joined: bool = True) -> Numbers:
        """The bins of some pieces, as ranges, those that touch joined or not."""
        first, end = self.first[pieces], self.end[pieces]
        if not joined:
            return np.column_stack([first, end])
        starts = np.concatenate([[True], first[1:] != end[:-1]])
        return np.column_stack([first[starts], end[np.append(np.flatnonzero(starts)[1:] - 1, len(end) - 1)]])

    def open(self, pieces: npt.NDArray[np.intp], opened: Opened, *, keep: bool = True) -> None:
        """Take the values of some closed pieces: as pieces of their own if they are to be kept, else only counted.

        Values of a piece without a cut between them have come together.
        """
        cuts = np.append(self.bins.cuts, np.inf)
        ends = np.searchsorted(opened.values, cuts[self.end[pieces] - 1], side="right")
        starts = np.concatenate([[0], ends[:-1]])
        lengths = ends - starts
        if not (lengths > 0).all() or not np.array_equal(
            np.add.reduceat(opened.counts, starts, axis=0), self.counts[pieces]
        ):
            raise DataError(CHANGED)
        # how many cases are below each cut behind a value, of all but the last value of a piece
        sums = np.cumsum(opened.counts.sum(axis=1))
        origin = np.repeat(np.arange(len(pieces)), lengths)
        below = sums + (self.below[pieces] - sums[ends - 1])[origin]
        cut = (below >= self.least_cases) & (below <= self.most_below)
        cut[ends - 1] = False
        self.inside[pieces] = np.add.reduceat(cut.astype(np.int64), starts)
        self.least[pieces], self.most[pieces] = opened.values[starts], opened.most[ends - 1]
        self.tight[pieces] = True
        if not keep:
            return
        self._replace(pieces, pieces[origin], opened.values, opened.most, opened.counts)

    def _replace(
        self, pieces: npt.NDArray[np.intp], origin: npt.NDArray[np.intp], least: Floats, most: Floats, counts: Numbers
    ) -> None:
        """Put values, or runs of values without a cut, each from one of these pieces, in their place."""
        old = np.full(len(self.values), True)
        old[pieces] = False
        order = np.argsort(np.concatenate([np.flatnonzero(old), origin]), kind="stable")
        self.counts = np.concatenate([self.counts[old], counts])[order]
        self.values = np.concatenate([self.values[old], least])[order]
        self.first = np.concatenate([self.first[old], self.first[origin]])[order]
        self.end = np.concatenate([self.end[old], self.end[origin]])[order]
        self.inside = np.concatenate([self.inside[old], np.zeros(len(least), dtype=np.int64)])[order]
        self.least = np.concatenate([self.least[old], least])[order]
        self.most = np.concatenate([self.most[old], most])[order]
        self.tight = np.concatenate([self.tight[old], np.full(len(least), True)])[order]
        self._sum()

    def beside(self, place: int) -> npt.NDArray[np.intp]:
        """Of the two pieces beside the cut behind a piece, those that are closed."""
        return np.array([piece for piece in (place, place + 1) if self.closed[piece]], dtype=np.intp)

    def around(self, place: int) -> tuple[float, float]:
        """The greatest value below the cut behind a piece and the least above it."""
        return float(self.values[place]), float(self.values[place + 1])

    def low_side(self, place: int) -> Numbers:
        """The class counts below the cut behind a piece."""
        return np.asarray(self.counts[: place + 1].sum(axis=0))
