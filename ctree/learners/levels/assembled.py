"""The arrays of a whole tree, from its top and the subtrees that hang there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.scale.top_tree import TopTree
from ctree_ext.base.node_arrays import NodeArrays, Test


def assembled(top: TopTree, subtrees: Mapping[int, NodeArrays]) -> NodeArrays:
    """The tree whose leaves are replaced by subtrees, numbered level by level."""
    trees = [_top_arrays(top), *subtrees.values()]
    offsets = np.cumsum([0, *(len(tree) for tree in trees)])
    columns: dict[str, npt.NDArray[Any]] = {
        name: np.concatenate([getattr(tree, name) for tree in trees])
        for name in ("test", "attribute", "threshold", "n_branches", "best", "cases", "errors", "counts", "n_tests")
    }
    first = np.concatenate(
        [tree.first_branch.astype(np.int64) + offset for tree, offset in zip(trees, offsets, strict=False)]
    )
    # where a subtree hangs, its root stands for the leaf
    place = np.arange(offsets[-1])
    place[np.fromiter(subtrees, dtype=np.int64, count=len(subtrees))] = offsets[1:-1]
    order, level = [], place[:1]
    while len(level):
        order.append(level)
        level = place[_ranges(first[level], columns["n_branches"][level])]
    nodes = np.concatenate(order)
    result = {name: column[nodes] for name, column in columns.items()}
    n_branches = result["n_branches"].astype(np.int64)
    result["first_branch"] = np.where(n_branches > 0, 1 + np.cumsum(n_branches) - n_branches, -1)
    # the maps from values to branches, in the order of the nodes
    groups = np.concatenate([tree.group for tree in trees])
    group_offsets = np.cumsum([0, *(len(tree.group) for tree in trees)])
    starts = np.concatenate([tree.group_start + offset for tree, offset in zip(trees, group_offsets, strict=False)])[
        nodes
    ]
    lengths = np.concatenate([tree.group_lengths() for tree in trees])[nodes]
    result["group"] = groups[_ranges(starts, lengths)]
    result["group_start"] = np.where(result["test"] == Test.GROUPS, np.cumsum(lengths) - lengths, -1)
    return NodeArrays(**result)


def _ranges(starts: npt.NDArray[np.int64], lengths: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """All numbers of ranges, one after the other."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.asarray(np.arange(total) + np.repeat(starts - (ends - lengths), lengths))


def _top_arrays(top: TopTree) -> NodeArrays:
    counts = np.array(top.counts).reshape(len(top), top.n_classes)
    cases = counts.sum(axis=1)
    best = counts.argmax(axis=1)
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
        errors=cases - counts[np.arange(len(top)), best],
        counts=counts,
        n_tests=np.array(top.n_tests),
    )
