"""The arrays of a whole tree, from its top and the subtrees that hang there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.scale.memory import give_back
from ctree.scale.top_tree import TopTree
from ctree_ext.base.node_arrays import DTYPES, NodeArrays, Test, frozen

COLUMNS = ("test", "attribute", "threshold", "n_branches", "best", "cases", "errors", "counts", "n_tests")
"""The arrays of a tree that have an entry for each node, which goes where the node goes."""

MANY = 1 << 16
"""Of a tree with more nodes, memory is given back as soon as it is free."""


def assembled(
    top: TopTree,
    subtrees: dict[int, NodeArrays],
    small: float = 0.0,
    collapse: Callable[[NodeArrays], NodeArrays] | None = None,
) -> NodeArrays:
    """The tree whose leaves are replaced by subtrees, numbered level by level.

    Parameters
    ----------
    top : TopTree
    subtrees : dict of int to NodeArrays
        By the leaves of the top where they hang. They are taken out: a tree may take much of the memory.
    small : float
        The class of a node is the first that no other exceeds by more than this.
    collapse : callable, optional
        What takes tests from a tree that save no training errors. From the subtrees it has taken them already.
    """
    above = _top_arrays(top, small)
    if collapse is None:
        return joined(above, subtrees, keep=False)[0]
    # Of the subtrees only their errors count, unless a test of the top goes, and whatever is below it.
    errors = np.array(above.errors)
    for node, tree in subtrees.items():
        errors[node] = tree.errors[tree.test == Test.LEAF].sum()
    tried = collapse(above.replace(errors=errors))
    if len(tried) == len(above):
        return joined(tried, subtrees, keep=False)[0]
    return collapse(joined(above, subtrees, keep=False)[0])


def joined(
    top: NodeArrays, subtrees: dict[int, NodeArrays], *, keep: bool = True
) -> tuple[NodeArrays, npt.NDArray[np.int64]]:
    """The tree in which subtrees stand for some nodes, numbered level by level.

    The second result says for each node where it comes from: its number in the top, or beyond all those the place of a
    subtree's node, subtrees being one after the other. Unless they are kept, they are taken out of the dictionary.
    """
    trees = [top, *subtrees.values()]
    offsets = np.cumsum([0, *(len(tree) for tree in trees)])
    first_branch = np.concatenate(
        [tree.first_branch.astype(np.int64) + start for tree, start in zip(trees, offsets, strict=False)]
    )
    # where a subtree hangs, its root stands for the leaf
    place = np.arange(offsets[-1])
    place[np.fromiter(subtrees, dtype=np.int64, count=len(subtrees))] = offsets[1:-1]
    n_branches = np.concatenate([tree.n_branches for tree in trees])
    nodes = _levels(first_branch, n_branches, place, 0)
    del first_branch, n_branches, place
    if not keep:
        subtrees.clear()
    return _by_levels(trees, nodes), nodes


def subtree(tree: NodeArrays, node: int) -> NodeArrays:
    """The part of a tree that begins at a node."""
    nodes = _levels(tree.first_branch.astype(np.int64), tree.n_branches, np.arange(len(tree)), node)
    return _by_levels([tree], nodes)


def _levels(
    first_branch: npt.NDArray[np.int64], n_branches: npt.NDArray[Any], place: npt.NDArray[np.int64], root: int
) -> npt.NDArray[np.int64]:
    """The nodes from a root on, level by level, `place` being the one that stands for each."""
    order, level = [], place[root : root + 1]
    while len(level):
        order.append(level)
        level = place[_ranges(first_branch[level], n_branches[level])]
    return np.concatenate(order)


def _by_levels(trees: list[NodeArrays], nodes: npt.NDArray[np.int64]) -> NodeArrays:
    """The tree of some nodes of trees, which are one after the other; the list of trees is left empty."""
    # the maps from values to branches
    lengths = np.concatenate([tree.group_lengths() for tree in trees])[nodes]
    starts = zip(trees, np.cumsum([0, *(len(tree.group) for tree in trees)]), strict=False)
    group_start = np.concatenate([tree.group_start + start for tree, start in starts])[nodes]
    group = np.concatenate([tree.group for tree in trees])[_ranges(group_start, lengths)]
    result: dict[str, npt.NDArray[Any]] = {"group": group}
    del group_start
    # One column after the other, and those of the trees are let go: the memory may not hold all of both.
    columns = [tree.by_name() for tree in trees]
    trees.clear()
    # of nodes that are left out, a row behind all others
    places = np.full(sum(len(tree["test"]) for tree in columns), len(nodes))
    places[nodes] = np.arange(len(nodes))
    for name in COLUMNS:
        column, start = np.empty((len(nodes) + 1, *columns[0][name].shape[1:]), dtype=DTYPES[name]), 0
        for tree in columns:
            values = tree.pop(name)
            column[places[start : start + len(values)]] = values
            start += len(values)
        result[name] = frozen(column[:-1], DTYPES[name])
        del column, values
        if len(nodes) > MANY:
            give_back()
    result["group_start"] = np.where(result["test"] == Test.GROUPS, np.cumsum(lengths) - lengths, -1)
    n_branches = result["n_branches"].astype(np.int64)
    result["first_branch"] = np.where(n_branches > 0, 1 + np.cumsum(n_branches) - n_branches, -1)
    return NodeArrays(**result)


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
