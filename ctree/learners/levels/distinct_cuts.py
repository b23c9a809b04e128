"""DistinctCuts: how many cuts there are within pieces whose values nobody has looked at."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ctree.learners.levels.pieces import UNCOUNTED, Pieces
from ctree.scale.source import CaseSource, Numbers, Opening
from ctree.scale.top_tree import Routing, root_routing


class Part(NamedTuple):
    """Of a node and an attribute, what is known of the numbers, and some pieces of them."""

    node: int
    attribute: int
    pieces: Pieces
    some: npt.NDArray[np.intp]
    whole: bool
    """Whether every case counts one."""


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

    def _find_repeated(self, attributes: Collection[int]) -> None:
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

    def count(self, routing: Routing, parts: Sequence[Part]) -> list[Part]:
        """Count the cuts within some pieces; those that have to be opened for it, as only some of their cuts count."""
        plain = [part for part in parts if part.whole and not part.pieces.near]
        self._find_repeated({part.attribute for part in plain})
        for part in plain:
            part.pieces.count_single(self.repeated[part.attribute])
        counting: dict[float, list[tuple[Opening, Part]]] = {}
        left = []
        for part in parts:
            pieces = part.pieces
            # with a distance, those that were counted are asked for too, for the ends of their values
            some = part.some if pieces.near else part.some[pieces.inside[part.some] == UNCOUNTED]
            amid = some[pieces.amid[some]]
            if len(amid):
                opening = Opening(part.node, part.attribute, pieces.ranges(amid, joined=False))
                counting.setdefault(pieces.near, []).append((opening, part._replace(some=amid)))
            if len(amid) < len(some):
                left.append(part._replace(some=some[~pieces.amid[some]]))
        for near, asked in counting.items():
            found = self.source.distinct(routing, [opening for opening, _ in asked], near)
            self.passes += 1
            for (_, part), numbers in zip(asked, found, strict=True):
                part.pieces.count(part.some, numbers)
        return left
