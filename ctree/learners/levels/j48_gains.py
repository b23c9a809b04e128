"""J48Gains: what is known of the gain of the best threshold on an attribute at a node, by the rules of J48.

J48 goes through the cuts from below, and takes one only if it gains a millionth more than the last that it took. So
which is the last depends on those before, and cuts are followed in their order, with all that may have been taken.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ctree.learners.levels.number_gains import NumberGains
from ctree.learners.levels.pieces import UNCOUNTED
from ctree.learners.levels.search import weights_of
from ctree_ext.base.node_arrays import Floats
from ctree_ext.scale.gain_bracket import MARGIN, SMALL

REACHES = 1e-5, 1e-3, np.inf
"""So far below the best, cuts are followed: further if that does not tell which is taken."""

NONE, HIDDEN = -1, -2


class Taken(NamedTuple):
    """What may be the best cut so far: behind a piece, `HIDDEN` within one, or `NONE`; and the two ends of its gain."""

    place: int
    least: float
    most: float


class J48Gains(NumberGains):
    """The gain of the threshold that J48 takes, less what its choice costs: between two ends, until it is known.

    Parameters and attributes are those of `NumberGains`.
    """

    def look(self) -> None:
        """Reckon with the pieces as they are."""
        pieces, bracket = self.pieces, self.bracket
        counts = weights_of(pieces.counts, self.unit)
        self._find_cuts()
        fewest = int(self.sure.sum() + pieces.inside[pieces.inside > 0].sum())
        most = fewest + int(self.unsure.sum() + pieces.room[pieces.inside == UNCOUNTED].sum())
        self.counted = fewest == most
        self.possible = self.certain = self.exact = False
        self.place, self.least, self.most = NONE, 0.0, 0.0
        self.infos = self.ratios = 0.0, 0.0
        self.within = np.full(len(pieces.values), False)
        self.edges = np.full(max(len(pieces.values) - 1, 0), False)
        if most == 0:
            self.exact = True
            return
        costs = bracket.cost(max(fewest, 1), self.total), bracket.cost(most, self.total)
        self.gains = bracket.gains(counts, (self.sure | self.unsure).view(np.uint8), self.total)
        inside = pieces.closed & (pieces.inside != 0)
        # a weight of less than a millionth adds nothing to a gain, and up to this to its bound
        slack = self.slack + (0.0 if self.unit == 1 else 8e-5 * counts.shape[1] / self.total)
        bounds = bracket.bounds(counts, inside.view(np.uint8), self.total) + slack
        taken = self._follow(bounds, costs)
        last = [one for one in taken if one.place != NONE and one.most - costs[0] > SMALL]
        if not last:
            self.exact = True
            self.within[:], self.edges[:] = False, False
            return
        self.possible = True
        self.most = max(one.most for one in last) - costs[0]
        self.least = min(one.least for one in taken) - costs[1]
        self.certain = self.least > SMALL and all(one.place != NONE for one in taken)
        self.least = max(self.least, 0.0)
        if len(taken) == 1 and taken[0].place >= 0:
            self.place = taken[0].place
            self.within[:], self.edges[:] = False, False
            self.edges[self.place] = True
            self.exact = self.counted
            info = self._info(self.place)
            self.infos = info, info
            self.ratios = gain_ratio(self.least, info), gain_ratio(self.most, info)
            return
        self._find_ratios(bounds, costs[0])
        if self.infos[0] < SMALL:
            self.ratios = 0.0, self.ratios[1]

    def _follow(self, bounds: Floats, costs: tuple[float, float]) -> list[Taken]:
        """What may be the cut that is taken; where that is not one, `edges` and `within` are those it hangs on."""
        # cuts that gain much less than the cost do not matter
        start = Taken(NONE, max(costs[0] - MARGIN, 0.0), max(costs[1] - MARGIN, 0.0))
        known = max(float(self.gains[self.sure].max(initial=-np.inf)), start.least)
        taken = [start]
        for reach in REACHES:
            limit = known - reach
            self.edges = (self.gains >= limit) & (self.sure | self.unsure)
            self.within = bounds >= limit
            taken = [start]
            if limit > start.least:
                # what is left aside may have been taken
                taken.append(Taken(HIDDEN, start.least, limit))
            edges, within = np.flatnonzero(self.edges), np.flatnonzero(self.within)
            for place in np.sort(np.concatenate([2 * within, 2 * edges + 1])).tolist():
                piece = place // 2
                if place % 2 == 0:
                    taken = _perhaps_within(taken, float(bounds[piece]))
                else:
                    taken = _behind(taken, piece, float(self.gains[piece]), sure=bool(self.sure[piece]))
            if len(taken) == 1 or self.may_be_best:
                break
        return taken


def gain_ratio(gain: float, info: float) -> float:
    """J48's: 0 where the outcome is all but certain."""
    return 0.0 if abs(info) < SMALL else gain / info


def _behind(taken: list[Taken], piece: int, gain: float, *, sure: bool) -> list[Taken]:
    """What may be taken after the cut behind a piece, which may be none unless it is sure."""
    moved, result = False, []
    for one in taken:
        moves = gain - one.most > SMALL
        may_move = gain - one.least > SMALL
        moved |= moves or may_move
        if not sure or not may_move:
            result.append(one)
        elif not moves:
            result.append(Taken(one.place, gain - SMALL, one.most))
    return [*result, Taken(piece, gain, gain)] if moved else result


def _perhaps_within(taken: list[Taken], bound: float) -> list[Taken]:
    """What may be taken after the cuts within a piece, none of which gains more than its bound."""
    beaten = [one for one in taken if bound - one.least > SMALL]
    if not beaten:
        return taken
    hidden = [one for one in taken if one.place == HIDDEN]
    least = min(one.least for one in beaten)
    most = max([bound, *(one.most for one in hidden)])
    least = min([least + SMALL, *(one.least for one in hidden)])
    return [*(one for one in taken if one.place != HIDDEN), Taken(HIDDEN, least, most)]
