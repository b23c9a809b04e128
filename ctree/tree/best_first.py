"""Trees of so many leaves at most: the tests that gain most are taken first.

The best test of a node does not depend on which node was divided before. So growing the leaf with the best test first,
until there are enough leaves, is choosing from the tree that was grown as far as it goes.
"""

from __future__ import annotations

import heapq
import math

import numpy as np
import numpy.typing as npt

from ctree.tree.length_pruning import Floats, information
from ctree_ext.base.node_arrays import NodeArrays
from ctree_ext.grow.split_scores import tie_tolerance


def gains_of_tests(arrays: NodeArrays) -> Floats:
    """What the test of each node saves, in bits: N H of its cases less those of its branches; 0 at leaves."""
    bits = information(arrays.counts)
    below = np.bincount(arrays.parents()[1:], weights=bits[1:], minlength=len(bits))
    return np.where(arrays.n_branches > 0, bits - below, 0.0)


def best_first(arrays: NodeArrays, max_leaves: int, first: npt.NDArray[np.bool_]) -> NodeArrays:
    """The tree that growing best first gives: at most so many leaves.

    From the root on, of the leaves that have a test the one whose test gains most bits is divided, the first of equals
    in the order of levels. A test that would make more leaves than are left is passed over.

    Parameters
    ----------
    arrays : NodeArrays
        A tree that was grown without regard to the number of leaves.
    max_leaves : int
    first : bool array
        The nodes whose tests come first, whatever they gain.
    """
    if int((arrays.n_branches == 0).sum()) <= max_leaves:
        return arrays
    # sums may have been made in another order: what differs by no more than that is a tie
    gains = np.rint(gains_of_tests(arrays) / (16 * tie_tolerance(float(arrays.cases[0])))).tolist()
    gains = [math.inf if is_first else gain for is_first, gain in zip(first.tolist(), gains, strict=True)]
    n_branches, first_branch = arrays.n_branches.tolist(), arrays.first_branch.tolist()
    is_leaf = np.ones(len(arrays), dtype=bool)
    leaves = 1
    waiting = [(-gains[0], 0)]
    while waiting:
        _, node = heapq.heappop(waiting)
        if not n_branches[node] or leaves + n_branches[node] - 1 > max_leaves:
            continue
        leaves += n_branches[node] - 1
        is_leaf[node] = False
        for branch in range(first_branch[node], first_branch[node] + n_branches[node]):
            heapq.heappush(waiting, (-gains[branch], branch))
    return arrays.collapsed(is_leaf & (arrays.n_branches > 0))
