"""CountTables: of how many nodes a pass counts the cases, and how coarse the bins are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ctree.scale.source import CaseSource

KNOWN = 100
"""Bytes that a search keeps for each bin, besides its counts."""

PLENTY = 4
"""So many times the bins that a node needs make it unlikely that many numbers have to be looked at."""

FEW = 1024
"""So many bins are never too many."""


class CountTables:
    """The room that the counts of one pass have.

    Parameters
    ----------
    source : CaseSource
    budget : int
        Bytes.
    joins_bins : bool
        Whether bins may be joined where there are many.
    """

    def __init__(self, source: CaseSource, budget: int, *, joins_bins: bool) -> None:
        self.source = source
        self.budget = budget
        self.joins_bins = joins_bins

    def groups(self, level: Sequence[int], largest: int) -> Iterator[tuple[list[int], dict[int, int]]]:
        """Nodes whose counts fit the budget together, and how coarse the bins are.

        Bins are joined where a node has many more than it has use for: counts take time to add up and to send. Where
        all nodes of the level do not fit, more are joined, though never so many that a node has fewer than twice the
        square root of its cases: there most numbers would have to be looked at.

        Parameters
        ----------
        level : sequence of int
        largest : int
            How many cases the largest of these nodes has.
        """
        enough = 2 * int(np.sqrt(largest))
        most = max((len(bins) for bins in self.source.bins if bins is not None), default=1)
        most = min(most, max(FEW, PLENTY * enough))
        while self._at_once(most) < len(level) and most > enough:
            most = (most + 1) // 2
        size = self._at_once(most)
        shifts = self._shifts(most)
        for start in range(0, len(level), size):
            yield list(level[start : start + size]), shifts

    def _shifts(self, most: int) -> dict[int, int]:
        """By which each attribute has no more than so many bins."""
        shifts = {}
        for a, bins in enumerate(self.source.bins):
            shift = 0
            while bins is not None and self.joins_bins and -(-len(bins) >> shift) > most:
                shift += 1
            if shift:
                shifts[a] = shift
        return shifts

    def _at_once(self, most: int) -> int:
        """How many nodes can be looked at together if no attribute has more bins: at least one."""
        schema = self.source.schema
        rows = n_bins = 0
        for attribute, bins in zip(schema, self.source.bins, strict=True):
            rows += 1 + (len(attribute.values) if bins is None else min(len(bins), most))
            n_bins += 0 if bins is None else min(len(bins), most)
        counts = 8 * schema.n_classes
        # the counts of a pass, and all that searches know of bins, which is more and has twice the room
        return max(1, min(self.budget // (counts * (1 + rows)), 2 * self.budget // ((counts + KNOWN) * (1 + n_bins))))
