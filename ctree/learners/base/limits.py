"""Limits: how large a tree may grow, and which attributes it may test where, as its cases number them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ctree.errors import ParameterError
from ctree.learners.base.below_first import first_nodes
from ctree.learners.base.first_tests import FirstTest
from ctree.tree.best_first import best_first
from ctree.wording import plural
from ctree_ext.base.node_arrays import NodeArrays
from ctree_ext.grow.limits import GrowthLimits


@dataclass(frozen=True)
class Limits:
    """What limits the trees of a learner.

    Parameters
    ----------
    max_depth, max_leaves, min_gain
        See `WithLimits`.
    not_below : tuple of (int, int)
        Pairs of attributes: the first is not tested below a test of the second.
    first_tests : tuple of FirstTest
        What is tested before anything else.
    """

    max_depth: int | None = None
    max_leaves: int | None = None
    min_gain: float | None = None
    not_below: tuple[tuple[int, int], ...] = ()
    first_tests: tuple[FirstTest, ...] = ()

    @property
    def deepest(self) -> int | None:
        """At which depth nodes are leaves: a tree of n leaves is no deeper than n - 1."""
        depths = [] if self.max_depth is None else [self.max_depth]
        depths += [] if self.max_leaves is None else [self.max_leaves - 1]
        return min(depths, default=None)

    def of_growing(self) -> GrowthLimits:
        """What growing has to mind."""
        tests = [(a, t, None if group is None else np.array(group, dtype=np.int32)) for a, t, group in self.first_tests]
        return GrowthLimits(self.deepest, self.min_gain, self.not_below, tests)

    def ends_at(self, depth: int) -> bool:
        """Whether the nodes at a depth are leaves."""
        return self.deepest is not None and depth >= self.deepest

    def too_little(self, gain: float) -> bool:
        """Whether a test gains too little, in bits per case, rounding aside."""
        return self.min_gain is not None and gain < self.min_gain - 1e-6

    def forbidden(self, tested: Sequence[int]) -> set[int]:
        """The attributes that may not be tested below tests of others."""
        return {attribute for attribute, above in self.not_below if above in tested}

    def chosen(self, arrays: NodeArrays) -> NodeArrays:
        """Of a tree that was grown within the other limits, what has no more than `max_leaves` leaves."""
        if self.max_leaves is None:
            return arrays
        first = first_nodes(arrays, self.first_tests)
        least = 1 + int((arrays.n_branches[first] - 1).sum())
        if least > self.max_leaves:
            raise ParameterError(
                f"first_tests alone make {plural(least, 'leaf')}, but max_leaves is {self.max_leaves}: allow as many"
            )
        return best_first(arrays, self.max_leaves, first)


NO_LIMITS = Limits()
