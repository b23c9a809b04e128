"""Moved: what other cases make of a tree than those that it was grown from."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ctree.learners.levels.error_rules import ErrorRules
from ctree_ext.base.node_arrays import Floats, NodeArrays, Test


@dataclass(eq=False)
class Moved:
    """A tree down which other cases go than those that it was grown from.

    Where values are unknown, one level is divided after the other; else all class weights are found at once, and there
    are no shares.
    """

    tree: NodeArrays
    counts: Floats
    """The class weights of each node, once they are known."""
    shares: Floats
    """The share of each node in the known weight of the one above, once it is known."""
    weights: Floats
    """What each node weighs, or about so much."""
    divided: list[int] = field(default_factory=list)
    """The nodes whose branches have their shares."""
    open: list[int] = field(default_factory=list)
    """Those that are divided next."""
    ends: list[int] = field(default_factory=list)
    """Leaves whose class weights are counted next."""
    counted: list[int] = field(default_factory=list)
    """Leaves whose class weights are known."""
    small: list[int] = field(default_factory=list)
    """Nodes whose cases are few enough to be gathered."""
    expected: dict[int, float] = field(default_factory=dict)
    """The errors that are expected of the subtrees of these."""

    @classmethod
    def at_root(cls, tree: NodeArrays, counts: Floats) -> Moved:
        """Cases with these class weights, at the root of a tree."""
        n = len(tree)
        moved = cls(tree, np.zeros((n, len(counts))), np.zeros(n), np.zeros(n))
        moved.counts[0] = counts
        moved.weights[0] = counts.sum()
        if tree.test[0] != Test.LEAF:
            moved.open.append(0)
        return moved

    def branches(self, node: int) -> range:
        """The numbers of the branches of a node."""
        first = int(self.tree.first_branch[node])
        return range(first, first + int(self.tree.n_branches[node]))

    def divide(self, node: int, known: Floats, light: float, small: float) -> None:
        """Take the known weights of the branches of a node; those that weigh no more than `light` can be gathered.

        A share up to `small` is none.
        """
        self.divided.append(node)
        for branch, share in zip(self.branches(node), known / known.sum(), strict=True):
            self.shares[branch] = share if share > small else 0.0
            self.weights[branch] = self.weights[node] * share
            if share == 0:
                continue
            if self.tree.test[branch] == Test.LEAF:
                self.ends.append(branch)
            else:
                (self.open if self.weights[branch] > light else self.small).append(branch)

    def expected_errors(self, rules: ErrorRules) -> float:
        """The errors that are expected of the whole tree."""
        if not self.shares.any():
            # every case went down one branch, and all class weights are known
            return rules.expected_with(self.tree, self.counts)
        leaves = rules.leaf_errors(self.tree, self.counts)
        result = {node: float(leaves[node]) for node in np.flatnonzero(self.tree.test == Test.LEAF).tolist()}
        result |= self.expected
        for node in sorted(self.divided, reverse=True):
            result[node] = 0.0
            for branch in self.branches(node):
                result[node] += result[branch] if self.weights[branch] > 0 else 0.0
        return result[0]

    def known_shares(self) -> Floats:
        """The share of each node, as far as it is known."""
        if self.shares.any():
            return self.shares
        above = self.weights[self.tree.parents()[1:]]
        return np.append(1.0, self.weights[1:] / np.where(above > 0, above, 1.0))

    def with_counts(self, rules: ErrorRules) -> NodeArrays:
        """The tree with the cases that are there now, as far as it is not gathered."""
        if not self.shares.any():
            return rules.recounted(self.tree, self.counts)
        counts = np.array(self.tree.counts)
        counted = [0, *self.divided, *self.counted]
        counts[counted] = self.counts[counted]
        tree = rules.recounted(self.tree, counts)
        cases = np.array(tree.cases)
        cases[self.small] = self.weights[self.small]
        return tree.replace(cases=cases)
