"""The arrays of a whole tree, from its top and the subtrees that hang there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.scale.top_tree import TopTree
from ctree_ext.base.node_arrays import NodeArrays, Test

COLUMNS = ("test", "attribute", "threshold", "n_branches", "best", "cases", "errors", "counts", "n_tests")
"""The arrays of a tree that have an entry for each node, which goes where the node goes."""


def assembled(top: TopTree, subtrees: Mapping[int, NodeArrays], small: float = 0.0) -> NodeArrays:
    """The tree whose leaves are replaced by subtrees, numbered level by level.

    The class of a node is the first that no other exceeds by more than `small`.
    """
    return joined(_top_arrays(top, small), subtrees)[0]


def joined(top: NodeArrays, subtrees: Mapping[int, NodeArrays]) -> tuple[NodeArrays, npt.NDArray[np.int64]]:
    """The tree in which subtrees stand for some nodes, numbered level by level.

    The second result says for each node where it comes from: its number in the top, or beyond all those the place of a
    subtree's node, subtrees being one after the other.
    """
    trees = [top, *subtrees.values()]
    offsets = np.cumsum([0, *(len(tree) for tree in trees)])
    columns: dict[str, npt.NDArray[Any]] = {
        name: np.concatenate([getattr(tree, name) for tree in trees]) for name in COLUMNS
    }
    starts = zip(trees, offsets, strict=False)
    columns["first_branch"] = np.concatenate([tree.first_branch.astype(np.int64) + start for tree, start in starts])
    # the maps from values to branches
    columns["group"] = np.concatenate([tree.group for tree in trees])
    starts = zip(trees, np.cumsum([0, *(len(tree.group) for tree in trees)]), strict=False)
    columns["group_start"] = np.concatenate([tree.group_start + start for tree, start in starts])
    lengths = np.concatenate([tree.group_lengths() for tree in trees])
    # where a subtree hangs, its root stands for the leaf
    place = np.arange(offsets[-1])
    place[np.fromiter(subtrees, dtype=np.int64, count=len(subtrees))] = offsets[1:-1]
    return _by_levels(columns, lengths, place, 0)


def subtree(tree: NodeArrays, node: int) -> NodeArrays:
    """The part of a tree that begins at a node."""
    columns = {name: getattr(tree, name) for name in (*COLUMNS, "first_branch", "group", "group_start")}
    return _by_levels(columns, tree.group_lengths(), np.arange(len(tree)), node)[0]


def _by_levels(
    columns: dict[str, npt.NDArray[Any]], lengths: npt.NDArray[np.int64], place: npt.NDArray[np.int64], root: int
) -> tuple[NodeArrays, npt.NDArray[np.int64]]:
    """The nodes from a root on, `place` being the one that stands for each, and where each comes from."""
    order, level = [], place[root : root + 1]
    while len(level):
        order.append(level)
        level = place[_ranges(columns["first_branch"][level], columns["n_branches"][level])]
    nodes = np.concatenate(order)
    result = {name: columns[name][nodes] for name in COLUMNS}
    n_branches = result["n_branches"].astype(np.int64)
    result["first_branch"] = np.where(n_branches > 0, 1 + np.cumsum(n_branches) - n_branches, -1)
    lengths = lengths[nodes]
    result["group"] = columns["group"][_ranges(columns["group_start"][nodes], lengths)]
    result["group_start"] = np.where(result["test"] == Test.GROUPS, np.cumsum(lengths) - lengths, -1)
    return NodeArrays(**result), nodes


def _ranges(starts: npt.NDArray[np.int64], lengths: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """All numbers of ranges, one after the other."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.asarray(np.arange(total) + np.repeat(starts - (ends - lengths), lengths))


def _top_arrays(top: TopTree, small: float) -> NodeArrays:
    counts = np.array(top.counts).reshape(len(top), top.n_classes)
    cases = counts.sum(axis=1)
    best = np.zeros(len(top), dtype=np.int32)
    rows = np.arange(len(top))
    for c in range(1, top.n_classes):
        best[counts[:, c] - counts[rows, best] > small] = c
    for node in np.flatnonzero(cases == 0):
        # a branch that no case takes predicts what the node above does
        best[node] = best[top.parent[node]] if node else 0
    routing = top.routing()
    return NodeArrays(
        test=routing.test,
        attribute=routing.attribute,
        threshold=routing.threshold,
        first_branch=routing.first_branch,
        n_branches=routing.n_branches,
        group_start=routing.group_start,
        group=routing.group,
        best=best,
        cases=cases,
        errors=cases - counts[rows, best],
        counts=counts,
        n_tests=np.array(top.n_tests),
    )
