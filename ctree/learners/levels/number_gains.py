"""NumberGains: what is known of the gain of the best threshold on an attribute at a node, by release 8's rules."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from ctree.learners.levels.pieces import UNCOUNTED, Pieces
from ctree.learners.levels.search import Wanted, weights_of
from ctree.scale.source import Numbers
from ctree_ext.base.elementary import log2
from ctree_ext.base.node_arrays import Floats
from ctree_ext.scale.bracket import between
from ctree_ext.scale.gain_bracket import MARGIN, GainBracket

HAIR = 1e-9
"""More than roundings add to a gain or to a gain ratio."""


class NumberGains:
    """The gain of the best threshold, less what its choice costs: between two ends, until it is known.

    Parameters
    ----------
    bracket : GainBracket
    pieces : Pieces
    unit : float
        What 1 stands for in the counts.
    total : float
        The weight of all cases of the node.

    Attributes
    ----------
    possible : bool
        Whether a threshold may gain anything.
    certain : bool
        Whether one does.
    exact : bool
        Whether `least` and `most` are the gain itself, or nothing is gained.
    least, most : float
        The two ends of the gain.
    place : int
        The piece behind which the best cut is; -1 where that is not known.
    infos : tuple of float
        The least and the greatest information that the outcome may have.
    ratios : tuple of float
        The least and the greatest gain ratio.
    """

    def __init__(self, bracket: GainBracket, pieces: Pieces, unit: float, total: float) -> None:
        self.bracket = bracket
        self.pieces = pieces
        self.unit = unit
        self.total = total
        # the roundings of a gain are relative to its terms, which are logarithms
        n_classes = pieces.counts.shape[1]
        self.slack = HAIR + (4 * n_classes + 24) * 2.3e-16 * (math.log2(max(total, 1.0)) + 3)
        self.look()

    def look(self) -> None:
        """Reckon with the pieces as they are."""
        pieces, bracket = self.pieces, self.bracket
        counts = weights_of(pieces.counts, self.unit)
        self._find_cuts()
        fewest = int(self.sure.sum() + pieces.inside[pieces.inside > 0].sum())
        most = fewest + int(self.unsure.sum() + pieces.room[pieces.inside == UNCOUNTED].sum())
        self.counted = fewest == most
        self.possible = self.certain = self.exact = False
        self.place, self.least, self.most = -1, 0.0, 0.0
        self.infos = self.ratios = 0.0, 0.0
        self.within = np.full(len(pieces.values), False)
        if most == 0:
            self.exact = True
            return
        low_cost, high_cost = bracket.cost(max(fewest, 1), self.total), bracket.cost(most, self.total)
        self.gains = bracket.gains(counts, (self.sure | self.unsure).view(np.uint8), self.total)
        inside = pieces.closed & (pieces.inside != 0)
        bounds = bracket.bounds(counts, inside.view(np.uint8), self.total)
        known = float(self.gains[self.sure].max(initial=-np.inf))
        reach = max(known, low_cost) - self.slack
        # where a cut may be the best: between two pieces, or within one
        self.edges = (self.gains >= reach) & (self.sure | self.unsure)
        self.within = bounds >= reach
        unsure = self.edges & self.unsure
        settled = not self.within.any() and not unsure.any()
        if settled and self.counted:
            self.exact = True
            self.place, gain = bracket.best(np.where(self.sure, self.gains, -np.inf), low_cost)
            if self.place >= 0:
                self.possible = self.certain = True
                self.least = self.most = gain
                info = self._info(self.place)
                self.infos, self.ratios = (info, info), (gain / info, gain / info)
            return
        beyond = max(
            known, float(self.gains[unsure].max(initial=-np.inf)), float(bounds[self.within].max(initial=-np.inf))
        )
        self.most = beyond - low_cost + (0.0 if settled else self.slack)
        self.possible = self.most > 0
        if not self.possible:
            self.exact = True
            return
        self.least = known - high_cost
        self.certain = self.least > 0
        self.least = max(self.least, 0.0)
        if settled:
            # of cuts that gain the same the first is taken; which of nearly the same, depends on the cost
            places = np.flatnonzero(self.edges)
            if len(np.unique(self.gains[places])) == 1:
                self.place = int(places[0])
        self._find_ratios(bounds, low_cost)

    def _find_cuts(self) -> None:
        """Between which pieces there is a cut for sure, and between which there may be one."""
        pieces = self.pieces
        below = pieces.below[:-1]
        enough = (below >= pieces.least_cases) & (below <= pieces.most_below)
        self.sure = enough & (pieces.most[:-1] + pieces.near < pieces.least[1:])
        known = pieces.tight[:-1] & pieces.tight[1:]
        self.unsure = enough & ~self.sure & ~known & (pieces.least[:-1] + pieces.near < pieces.most[1:])

    def _info(self, place: int) -> float:
        low, known = float(self.pieces.below[place]) * self.unit, float(self.pieces.n) * self.unit
        return self.bracket.split_info(low, known, self.total)

    def _infos(self, low: npt.NDArray[np.int64]) -> Floats:
        """About the information in the outcome of cuts with so many cases below."""
        known = self.pieces.n * self.unit
        below = low * self.unit
        parts = np.array([np.full(len(low), max(self.total - known, 0.0)), below, known - below])
        terms = parts * log2(np.where(parts > 0, parts, 1.0))
        return np.asarray((self.total * math.log2(self.total) - terms.sum(axis=0)) / self.total)

    def _find_ratios(self, bounds: Floats, low_cost: float) -> None:
        pieces = self.pieces
        edges, within = np.flatnonzero(self.edges), np.flatnonzero(self.within)
        starts = np.maximum(pieces.below[within] - pieces.sizes[within], pieces.least_cases)
        ends = np.minimum(pieces.below[within], pieces.most_below)
        at_edges, at_starts, at_ends = self._infos(pieces.below[edges]), self._infos(starts), self._infos(ends)
        middle = self._infos(np.clip(pieces.n // 2, starts, ends))
        # between two cuts the information is never less than at both, and greatest nearest to the middle
        lowest = np.concatenate([at_edges, np.minimum(at_starts, at_ends)])
        highest = np.concatenate([at_edges, np.maximum.reduce([at_starts, at_ends, middle])])
        self.infos = float(lowest.min()) - HAIR, float(highest.max()) + HAIR
        gains = np.concatenate([self.gains[edges], bounds[within]]) - low_cost + self.slack
        with np.errstate(divide="ignore"):
            most = gains / np.maximum(lowest - HAIR, 0.0)
        self.ratios = self.least / self.infos[1], float(most.max()) * (1 + HAIR)

    def is_enough_info(self, gain_only: bool) -> bool | None:
        """Whether the outcome of the test is open enough; None where that is not known."""
        least = 0.0 if gain_only else MARGIN
        if self.exact or self.infos[0] > least:
            return self.infos[0] > least
        return None if self.infos[1] > least else False

    @property
    def may_be_best(self) -> bool:
        """Whether the best cut may be one that is not known."""
        return bool(self.within.any() or (self.edges & self.unsure).any())

    def to_open(self) -> npt.NDArray[np.intp]:
        """The pieces that have to be opened for the best cut to be known."""
        result = self.within.copy()
        unsure = np.flatnonzero(self.edges & self.unsure)
        result[unsure] = True
        result[unsure + 1] = True
        return np.flatnonzero(result & self.pieces.closed)

    def to_count(self) -> npt.NDArray[np.intp]:
        """The pieces that have to be looked at for the number of cuts to be known."""
        result = self.pieces.inside == UNCOUNTED
        unsure = np.flatnonzero(self.unsure)
        result[unsure] = True
        result[unsure + 1] = True
        return np.flatnonzero(result & self.pieces.closed & ~(self.pieces.tight & (self.pieces.inside >= 0)))

    def wanted(self, attribute: int) -> Wanted | None:
        """What has to be known next: the best cut, then of how many it is the best. None if nothing."""
        if self.exact:
            return None
        if self.may_be_best:
            pieces = self.to_open()
            return Wanted(attribute, pieces)
        pieces = self.to_count()
        return Wanted(attribute, pieces, keep=False, distinct=True)

    def beside(self) -> npt.NDArray[np.intp]:
        """Of the two pieces beside the best cut, those whose nearest values are not known."""
        return np.array([p for p in (self.place, self.place + 1) if not self.pieces.tight[p]], dtype=np.intp)

    def threshold(self) -> float:
        """Halfway between the values beside the best cut."""
        return between(float(self.pieces.most[self.place]), float(self.pieces.least[self.place + 1]))

    def branches(self) -> tuple[Numbers, Numbers]:
        """The class counts on either side of the best cut."""
        low = self.pieces.low_side(self.place)
        return low, self.pieces.counts.sum(axis=0) - low
