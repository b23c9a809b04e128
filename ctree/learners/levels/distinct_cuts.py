"""DistinctCuts: how many cuts there are within pieces whose values nobody has looked at."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from ctree.learners.levels.pieces import Pieces
from ctree.scale.source import CaseSource, Numbers, Opening
from ctree.scale.top_tree import Routing, root_routing

Part = tuple[int, int, Pieces]
"""A node, an attribute, and what is known of its numbers there."""


class DistinctCuts:
    """Count the cuts of nodes by passes over a source.

    Parameters
    ----------
    source : CaseSource

    Attributes
    ----------
    passes : int
        Over the cases, so far.
    """

    def __init__(self, source: CaseSource) -> None:
        self.source = source
        self.passes = 0
        # of attributes that were asked for, how many bins before each have a number twice
        self.repeated: dict[int, Numbers] = {}

    def find_repeated(self, attributes: Collection[int]) -> None:
        """Find the bins in which two of all cases have the same number: elsewhere cuts need not be counted."""
        openings = []
        for a in sorted(set(attributes) - self.repeated.keys()):
            bins = self.source.bins[a]
            assert bins is not None
            places = np.arange(len(bins))
            # where every bin has one value, a piece of several is one of joined bins
            if (bins.least < bins.most).any():
                openings.append(Opening(0, a, np.column_stack([places, places + 1])))
            self.repeated[a] = np.arange(len(bins) + 1)
        if openings:
            found = self.source.distinct(root_routing(self.source.schema.n_classes), openings)
            self.passes += 1
            for opening, numbers in zip(openings, found, strict=True):
                twice = numbers.cases > numbers.values
                self.repeated[opening.attribute] = np.concatenate([[0], np.cumsum(twice)])

    def count_single(self, attribute: int, pieces: Pieces) -> None:
        """Count the cuts within pieces in which no two of all cases have the same number, every case counting one."""
        pieces.count_single(self.repeated[attribute])

    def count(self, routing: Routing, parts: Sequence[Part]) -> None:
        """Count the cuts within pieces amid others; of the rest only some leave enough cases on either side."""
        counting = []
        for node, a, pieces in parts:
            left = pieces.uncounted
            amid = left[pieces.amid[left]]
            if len(amid):
                counting.append((Opening(node, a, pieces.ranges(amid, joined=False)), pieces, amid))
        if counting:
            found = self.source.distinct(routing, [opening for opening, _, _ in counting])
            self.passes += 1
            for (_, pieces, amid), numbers in zip(counting, found, strict=True):
                pieces.count(amid, numbers)
