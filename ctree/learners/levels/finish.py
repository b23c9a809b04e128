"""Finish: the subtrees of a tree that is grown level by level, in memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ctree.data.dataset import Dataset
from ctree.learners.base.gain_settings import GainSettings
from ctree.learners.base.score_settings import ScoreSettings
from ctree_ext.base.node_arrays import NodeArrays


@dataclass(frozen=True)
class Finish:
    """Grows the subtree of a node from its cases, wherever they are: picklable."""

    settings: ScoreSettings | GainSettings
    above: dict[int, tuple[tuple[int, ...], int]]
    """For each node the attributes that are tested above it, and how many classes its parent has."""
    sort: bool
    """Whether sums depend on the order of the cases, because some count in fractions."""

    def __call__(self, node: int, cases: Dataset) -> NodeArrays:
        """The subtree of a node."""
        tested, present_above = self.above[node]
        if self.sort:
            # in an order of their own, whatever part each comes from
            keys = [column for column in (*cases.columns, cases.classes, cases.weights) if column is not None]
            cases = cases.take(np.lexsort(keys))
        return self.settings.grow(cases, tested=tested, present_above=present_above)
