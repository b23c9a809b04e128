"""The order in which a tree is shown, and the numbers that its leaves have by it.

Text, rules, pictures, pages and reports all follow it: leaf 3 of an explanation is the third leaf from the top in each
of them, and the third rule.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ctree.tree.tree import Tree
from ctree_ext.base.node_arrays import Ints


def shown_branches(tree: Any, node: int) -> list[int]:
    """The branches of a node as they are shown: leaves first, as release 8 prints them; of linked tables yes before no.

    Parameters
    ----------
    tree : Tree or RelationalTree
    node : int

    Examples
    --------
    >>> import ctree
    >>> tree = ctree.C45Classifier().fit(ctree.load_golf()).tree_
    >>> shown_branches(tree, 0)
    [2, 1, 3]
    """
    branches = list(tree.branches(node))
    return sorted(branches, key=lambda branch: len(tree.branches(branch)) > 0) if isinstance(tree, Tree) else branches


def leaf_numbers(tree: Any) -> Ints:
    """The number of each leaf, from 1; of any other node that of the first leaf below it.

    Parameters
    ----------
    tree : Tree or RelationalTree

    Examples
    --------
    >>> import ctree
    >>> leaf_numbers(ctree.C45Classifier().fit(ctree.load_golf()).tree_).tolist()
    [1, 2, 1, 4, 2, 3, 4, 5]
    """
    numbers = np.zeros(tree.n_nodes, dtype=np.int32)
    waiting, leaves = [0], 0
    while waiting:
        node = waiting.pop()
        numbers[node] = leaves + 1
        below = shown_branches(tree, node)
        leaves += not below
        waiting.extend(reversed(below))
    return numbers
