"""The search for the test of a node, by a score, from counts: what it has to know, and what it decides."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ctree.learners.levels.pieces import Pieces
from ctree.learners.levels.search import Decision, Wanted, weights_of
from ctree.scale.source import Numbers
from ctree_ext.base.node_arrays import Floats, Test
from ctree_ext.scale.bracket import NodeScores, ScoreBracket, between

Candidate = tuple[float, int, int, int]
"""The best test of an attribute: what it scores, how many branches it has, of how many tests it is the best, and how
many classes have cases of known value."""


class NodeSearch:
    """What is known of the tests of a node.

    Parameters
    ----------
    bracket : ScoreBracket
    scores : NodeScores
        Of this node.
    unit : float
        What 1 stands for in the counts.
    matrices : list of int64 arrays (values, classes), or None
        For each discrete attribute that may be tested.
    pieces : list of Pieces or None
        For each continuous attribute.
    is_enough : callable
        Whether a test with a score gains enough.
    """

    def __init__(
        self,
        bracket: ScoreBracket,
        scores: NodeScores,
        unit: float,
        matrices: list[Numbers | None],
        pieces: list[Pieces | None],
        is_enough: Callable[[float], bool],
    ) -> None:
        self.bracket = bracket
        self.scores = scores
        self.unit = unit
        self.is_enough = is_enough
        self.matrices = matrices
        self.pieces = {a: numbers for a, numbers in enumerate(pieces) if numbers is not None}
        self.discrete = [None if counts is None else scores.discrete(weights_of(counts, unit)) for counts in matrices]
        self.present = {a: int((numbers.counts.sum(axis=0) > 0).sum()) for a, numbers in self.pieces.items()}
        self.slack = bracket.slack
        # a test is looked for down to here, as by a grower
        self.floor = bracket.least_score - 2 * bracket.tie_tolerance
        self.counts_all = bracket.counting and not bracket.shared

    def step(self) -> list[Wanted] | Decision:
        """The test of the node, or what has to be known first."""
        if self.counts_all:
            wanted = [self._to_count(a) for a, pieces in self.pieces.items() if len(pieces.uncounted)]
            if wanted:
                return wanted
        elif self.bracket.pruning:
            # it matters whether there is any cut at all
            wanted = [
                Wanted(a, pieces.uncounted)
                for a, pieces in self.pieces.items()
                if pieces.n_edges == 0 and len(pieces.uncounted)
            ]
            if wanted:
                return wanted
        cuts, candidates = self._candidates()
        attribute, n_tests = self.scores.choose(candidates)
        if self.bracket.pruning and attribute < 0 and self._is_too_costly(candidates, n_tests):
            return Decision(n_tests)
        wanted = self._to_open(attribute, cuts)
        if not wanted and self.bracket.shared:
            wanted = self._to_count_shared(candidates)
        if wanted:
            return wanted
        best = candidates[attribute] if attribute >= 0 else None
        if best is None or not self.is_enough(best[0]):
            return Decision(n_tests)
        return self._decision(attribute, n_tests, cuts)

    def _candidates(self) -> tuple[dict[int, tuple[int, float]], list[Candidate | None]]:
        """The best tests known, found in the order of a grower: cuts with their scores, and a candidate an attribute.

        Where all have to reach the same, cuts that score less than an earlier test are not looked for.
        """
        floor, ties = self.floor, 2 * self.bracket.tie_tolerance
        candidates: list[Candidate | None] = [None if best is None else best[:4] for best in self.discrete]
        if self.bracket.same_required:
            floor = max([floor, *(best[0] - ties for best in candidates if best is not None)])
        cuts = {}
        for a, pieces in self.pieces.items():
            cuts[a] = place, score = self._scan(pieces, floor - self.scores.below_floor)
            n_tests = pieces.n_tests()[1] if self.bracket.counting else 0
            if place >= 0 or n_tests:
                candidates[a] = score, 2, n_tests, self.present[a]
                if self.bracket.same_required:
                    floor = max(floor, score - ties)
        return cuts, candidates

    def _is_too_costly(self, candidates: list[Candidate | None], n_tests: int) -> bool:
        branches = [best[1] for best in candidates if best is not None]
        return not branches or self.scores.too_costly(n_tests, min(branches))

    def _to_count(self, attribute: int) -> Wanted:
        """All pieces whose cuts have to be counted."""
        return Wanted(attribute, self.pieces[attribute].uncounted, keep=False, distinct=True)

    def _bounds(self, pieces: Pieces, reach: float) -> Floats:
        closed = pieces.closed.view(np.uint8)
        if self.scores.whole:
            return self.scores.bounds(pieces.counts, closed, reach)
        return self.scores.bounds_weights(weights_of(pieces.counts, self.unit), closed)

    def _scan(self, pieces: Pieces, floor: float) -> tuple[int, float]:
        """The best cut between pieces, of those that score more than the floor."""
        if self.scores.whole:
            return self.scores.scan(pieces.counts, floor)
        return self.scores.scan_weights(weights_of(pieces.counts, self.unit), floor)

    def _to_open(self, attribute: int, cuts: dict[int, tuple[int, float]]) -> list[Wanted]:
        """The pieces within which a cut may be the best of all, and those beside the best cut."""
        least: list[Candidate | None] = [None if best is None else best[:4] for best in self.discrete]
        most = list(least)
        for a, pieces in self.pieces.items():
            score = cuts[a][1]
            fewest, greatest = pieces.n_tests()
            if greatest:
                least[a] = score, 2, max(fewest, 1), self.present[a]
                most[a] = score, 2, greatest, self.present[a]
        in_all = sum(best[2] for best in most if best is not None)
        # what tests have to reach, at least and, where more tests on an attribute ask for more, at most
        required = self.scores.requirements(least, in_all)
        at_most = self.scores.requirements(most, in_all)
        beyond = [best[0] - at_most[a] for a, best in enumerate(most) if best is not None]
        goal = max([self.bracket.least_beyond, *beyond])
        wanted = []
        for a, pieces in self.pieces.items():
            if most[a] is None:
                continue
            reach = max(goal + required[a], self.floor - self.scores.below_floor) - self.slack
            may_win = self._bounds(pieces, reach) >= reach
            if a == attribute and cuts[a][0] >= 0:
                may_win[pieces.beside(cuts[a][0])] = True
            opening = np.flatnonzero(may_win & pieces.closed)
            if len(opening):
                wanted.append(Wanted(a, opening))
        return wanted

    def _to_count_shared(self, candidates: list[Candidate | None]) -> list[Wanted]:
        """Where a test has to reach more the more tests its attribute has: the pieces in which they are counted.

        All attributes whose best test may be furthest beyond that; where none was found, the first that has any test.
        """
        found = [best is not None and best[0] > -math.inf for best in candidates]
        counted = []
        if any(found):
            least: list[Candidate | None] = [
                None
                if best is None
                else (best[0], best[1], max(self.pieces[a].n_tests()[0], 1), best[3])
                if a in self.pieces
                else best
                for a, best in enumerate(candidates)
            ]
            required, at_most = self.scores.requirements(least, 1), self.scores.requirements(candidates, 1)
            goal = max(best[0] - at_most[a] for a, best in enumerate(candidates) if best is not None and found[a])
            for a in self.pieces:
                best = candidates[a]
                if found[a] and best is not None and best[0] - required[a] >= goal - self.slack:
                    counted.append(a)
        else:
            for a, pieces in self.pieces.items():
                counted.append(a)
                if pieces.n_tests()[0]:
                    break
        return [self._to_count(a) for a in counted if len(self.pieces[a].uncounted)]

    def _decision(self, attribute: int, n_tests: int, cuts: dict[int, tuple[int, float]]) -> Decision:
        if attribute in self.pieces:
            pieces, place = self.pieces[attribute], cuts[attribute][0]
            low = pieces.low_side(place)
            below, above = pieces.around(place)
            return Decision(
                n_tests,
                Test.THRESHOLD,
                attribute,
                threshold=below if pieces.listed else between(below, above),
                branches=(low, pieces.counts.sum(axis=0) - low),
            )
        counts, best = self.matrices[attribute], self.discrete[attribute]
        assert counts is not None
        assert best is not None
        value = best[4]
        if value < 0:
            return Decision(n_tests, Test.VALUES, attribute, branches=tuple(counts))
        group = (np.arange(len(counts)) != value).astype(np.int32)
        branches = counts[value], counts.sum(axis=0) - counts[value]
        return Decision(n_tests, Test.GROUPS, attribute, group=group, branches=branches)
