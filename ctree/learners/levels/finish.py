"""Finish: the subtrees of a tree that is grown level by level, in memory, and pruned there if that is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ctree.data.dataset import Dataset
from ctree.learners.base.gain_settings import GainSettings
from ctree.learners.base.kernels import case_table
from ctree.learners.base.score_settings import ScoreSettings
from ctree.learners.levels.error_rules import ErrorRules
from ctree_ext.base.node_arrays import NodeArrays


class Finished(NamedTuple):
    """A subtree as it was grown, and as it was pruned."""

    grown: NodeArrays
    pruned: NodeArrays | None


@dataclass(frozen=True)
class PruneAtOnce:
    """Collapses a subtree and prunes it with the cases that it was grown from: picklable.

    Nothing above a node changes what becomes of its subtree, as long as it stays where it is.
    """

    rules: ErrorRules
    unit: float
    """Of which what a case counts is a whole number; 0 if it may be any number."""
    collapse: Callable[[NodeArrays, int, bool], NodeArrays] | None
    n_classes: int

    def collapsed(self, tree: NodeArrays) -> NodeArrays:
        """A tree without the tests that save no training errors, if those are to go."""
        return tree if self.collapse is None else self.collapse(tree, self.n_classes, False)

    def __call__(self, tree: NodeArrays, cases: Dataset) -> Finished:
        """The subtree, collapsed, and pruned."""
        tree = self.collapsed(tree)
        return Finished(tree, self.rules.pruned(tree, case_table(cases, single=False, unit=self.unit)))


def in_own_order(cases: Dataset) -> Dataset:
    """The cases in an order that is the same whatever part each comes from: sums of fractions depend on it."""
    keys = [column for column in (*cases.columns, cases.classes, cases.weights) if column is not None]
    return cases.take(np.lexsort(keys))


@dataclass(frozen=True)
class Finish:
    """Grows the subtree of a node from its cases, wherever they are: picklable."""

    settings: ScoreSettings | GainSettings
    above: dict[int, tuple[tuple[int, ...], int]]
    """For each node the attributes that are tested above it, and how many classes its parent has."""
    sort: bool
    """Whether sums depend on the order of the cases, because some count in fractions."""
    prune: PruneAtOnce | None = None

    def __call__(self, node: int, cases: Dataset) -> Finished:
        """The subtree of a node."""
        tested, present_above = self.above[node]
        if self.sort:
            cases = in_own_order(cases)
        tree = self.settings.grow(cases, tested=tested, present_above=present_above)
        return Finished(tree, None) if self.prune is None else self.prune(tree, cases)
