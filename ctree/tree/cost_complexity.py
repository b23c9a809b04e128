"""Minimal cost-complexity pruning of Breiman, Friedman, Olshen and Stone: the prunings that are best at some price."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from ctree.errors import ParameterError
from ctree_ext.base.elementary import xlog2y
from ctree_ext.base.node_arrays import Floats, NodeArrays, Places

if TYPE_CHECKING:
    from ctree.tree.relational_arrays import RelationalArrays

MEASURES = ("errors", "gini", "entropy")


class CostComplexityPath(NamedTuple):
    """The prunings of a tree that are best at some price of a leaf, each within the one before.

    Attributes
    ----------
    alphas : array
        From which price of a leaf on each is the best, in ascending order from 0.
    leaves : array
        How many leaves it has.
    errors : array
        Its cost in training, without the price of its leaves: the share of errors, or the mean impurity of its leaves.
    """

    alphas: Floats
    leaves: npt.NDArray[np.int64]
    errors: Floats


class CostComplexity:
    """The weakest links of a tree, from first to last.

    With R for the cost of a node as a leaf and |T| for the leaves below it, a node is worth keeping up to the price
    g = (R - R of its leaves) / (|T| - 1). The least g of all gives the next price; nodes with it become leaves.

    Parameters
    ----------
    arrays : NodeArrays or RelationalArrays
    measure : {"errors", "gini", "entropy"}
        The cost of a leaf: the training cases of other classes than its most frequent one, or its impurity times its
        cases; as a share of all cases. Entropy is in bits.
    """

    def __init__(self, arrays: NodeArrays | RelationalArrays, measure: str = "errors") -> None:
        if measure not in MEASURES:
            raise ParameterError(f"measure must be one of {', '.join(MEASURES)}, not {measure!r}")
        counts, n_branches = arrays.counts, arrays.n_branches
        self.parent: Places = arrays.parents()
        self.n_branches = n_branches
        self.cost = node_costs(counts, measure) / max(float(counts[0].sum()), 1e-300)
        self.leaves = np.where(n_branches > 0, 0, 1).astype(np.int64)
        self.below = np.where(n_branches > 0, 0.0, self.cost)
        for node in range(len(counts) - 1, 0, -1):  # branches come after their node
            above = self.parent[node]
            self.leaves[above] += self.leaves[node]
            self.below[above] += self.below[node]
        self.price = np.full(len(counts), np.inf)
        self._reprice(np.flatnonzero(n_branches > 0))
        # Sums of many costs are not equal to the last bit where they should be.
        self.tolerance = 1e-12 * max(float(self.cost[0]), 1.0)

    def cut_off(self, alpha: float) -> None:
        """Make leaves of all nodes that are not worth keeping at this price."""
        while True:
            weakest = int(self.price.argmin())
            if not self.price[weakest] <= alpha + self.tolerance:
                return
            self._make_leaf(weakest)

    def collapsed(self) -> npt.NDArray[np.bool_]:
        """The nodes with branches that have become leaves."""
        return np.asarray((self.n_branches > 0) & (self.leaves == 1) & np.isinf(self.price))

    def path(self) -> CostComplexityPath:
        """All prunings, until the root is a leaf."""
        alphas, leaves, errors = [], [], []
        for alpha in self.prices():
            alphas.append(alpha)
            leaves.append(int(self.leaves[0]))
            errors.append(float(self.below[0]))
        return CostComplexityPath(np.array(alphas), np.array(leaves, dtype=np.int64), np.array(errors))

    def prices(self) -> Iterator[float]:
        """Cut off pruning by pruning, and give the price of each once it is made, until the root is a leaf."""
        alpha = 0.0
        while not np.isinf(alpha):
            self.cut_off(alpha)
            yield alpha
            alpha = float(self.price.min())

    def _make_leaf(self, node: int) -> None:
        fewer, dearer = self.leaves[node] - 1, self.cost[node] - self.below[node]
        self._drop_below(node)
        self.leaves[node], self.below[node], self.price[node] = 1, self.cost[node], np.inf
        above = int(self.parent[node])
        changed = []
        while above >= 0:
            self.leaves[above] -= fewer
            self.below[above] += dearer
            changed.append(above)
            above = int(self.parent[above])
        self._reprice(np.array(changed, dtype=np.intp))

    def _drop_below(self, node: int) -> None:
        """What stands below a leaf has no price any more. Level by level its nodes are a range."""
        first = last = node
        while True:
            # parents never decrease, so the branches of a range of nodes are one as well
            low = int(np.searchsorted(self.parent, first, side="left"))
            high = int(np.searchsorted(self.parent, last, side="right"))
            if low >= high:
                return
            self.price[low:high] = np.inf
            first, last = low, high - 1

    def _reprice(self, nodes: Places) -> None:
        more = self.leaves[nodes] - 1
        saved = self.cost[nodes] - self.below[nodes]
        # A test of one branch costs no leaf: it goes at once.
        self.price[nodes] = np.where(more > 0, saved / np.maximum(more, 1), 0.0)


def node_costs(counts: Floats, measure: str) -> Floats:
    """The cost of each node as a leaf, in cases."""
    total = counts.sum(axis=1)
    if measure == "errors":
        return np.asarray(total - counts.max(axis=1))
    shares = counts / np.where(total > 0, total, 1.0)[:, None]
    if measure == "gini":
        return np.asarray(total * (1.0 - (shares**2).sum(axis=1)) * (total > 0))
    # A share may be too small for 64 bits, beside counts that are larger by far.
    return np.asarray(-xlog2y(np.where(shares > 0, counts, 0.0), shares).sum(axis=1))
