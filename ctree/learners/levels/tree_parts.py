"""A tree in parts: its top node by node, what is below as whole subtrees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.learners.levels.assembled import COLUMNS, joined
from ctree.scale.top_tree import Routing
from ctree_ext.base.node_arrays import Floats, NodeArrays, Test


@dataclass(eq=False)
class Part:
    """A node of the top with its branches, or, without any, a whole subtree as arrays."""

    arrays: NodeArrays
    """Of a node of the top, its own entry alone counts: it is the first."""
    branches: list[Part] = field(default_factory=list)
    share: float = 1.0
    """Of the known weight of the node above."""
    pruned: bool = False
    """Whether it is pruned already, and `expected` is known."""
    expected: float = 0.0
    """The errors that it is expected to make, once it is pruned."""

    @property
    def cases(self) -> float:
        return float(self.arrays.cases[0])


Places = dict[Part, npt.NDArray[np.int64]]
"""The numbers of the nodes of trees that stand for parts."""


def divided(tree: NodeArrays, shares: Floats, large: npt.NDArray[np.bool_]) -> tuple[Part, dict[int, Part]]:
    """A tree as parts: large nodes by themselves, the others with all that is below them.

    Also the parts that are whole subtrees, by the nodes where these begin; their arrays are still to be given.
    """
    large = large & (tree.test != Test.LEAF)
    root = Part(tree)
    waiting, whole = [(0, root)], {}
    while waiting:
        node, part = waiting.pop()
        if not large[node]:
            whole[node] = part
            continue
        part.arrays = entry_of(tree, node)
        first = int(tree.first_branch[node])
        for branch in range(first, first + int(tree.n_branches[node])):
            part.branches.append(Part(tree, share=float(shares[branch])))
            waiting.append((branch, part.branches[-1]))
    return root, whole


def entry_of(tree: NodeArrays, node: int) -> NodeArrays:
    """The entry of one node, whose branches are elsewhere."""
    start, length = int(tree.group_start[node]), int(tree.group_lengths()[node])
    assert tree.n_tests is not None
    return NodeArrays(
        test=tree.test[node : node + 1],
        attribute=tree.attribute[node : node + 1],
        threshold=tree.threshold[node : node + 1],
        first_branch=np.array([-1]),
        n_branches=tree.n_branches[node : node + 1],
        group_start=np.array([0 if length else -1]),
        group=tree.group[start : start + length] if length else np.empty(0, dtype=np.int32),
        best=tree.best[node : node + 1],
        cases=tree.cases[node : node + 1],
        errors=tree.errors[node : node + 1],
        counts=tree.counts[node : node + 1],
        n_tests=tree.n_tests[node : node + 1],
    )


def as_leaf(entry: NodeArrays) -> NodeArrays:
    """The entry of a node, as a leaf."""
    return entry_of(entry, 0).replace(
        test=[Test.LEAF], attribute=[-1], threshold=[0.0], n_branches=[0], group_start=[-1], group=[]
    )


def part_levels(parts: Sequence[Part]) -> Iterator[list[Part]]:
    """The nodes of the top from some on, level by level."""
    level = [part for part in parts if part.branches]
    while level:
        yield level
        level = [branch for part in level for branch in part.branches if branch.branches]


def flat(root: Part, instead: dict[Part, NodeArrays | None]) -> tuple[NodeArrays, dict[Part, int], Places]:
    """A tree as arrays, some parts of it as given instead, or as leaves if that is None.

    Also the numbers that the parts have in these arrays; and for each tree that was given, the numbers of its nodes.
    """
    order, first = [root], []
    rows: list[NodeArrays] = []
    hanging: dict[int, NodeArrays] = {}
    for part in order:
        given = instead.get(part, part.arrays if not part.branches else None)
        if part in instead or not part.branches:
            if given is not None:
                hanging[len(rows)] = given
            rows.append(as_leaf(part.arrays))
            first.append(-1)
        else:
            rows.append(entry_of(part.arrays, 0))
            first.append(len(order))
            order += part.branches
    lengths = np.array([len(row.group) for row in rows])
    columns: dict[str, Any] = {name: np.concatenate([getattr(row, name) for row in rows]) for name in COLUMNS}
    columns["group"] = np.concatenate([row.group for row in rows])
    columns["group_start"] = np.where(lengths > 0, np.cumsum(lengths) - lengths, -1)
    top = NodeArrays(first_branch=np.array(first), **columns)
    tree, origin = joined(top, hanging)
    number = np.empty(int(origin.max()) + 1, dtype=np.int64)
    number[origin] = np.arange(len(origin))
    places: Places = {}
    start = len(rows)
    numbers = {}
    for row, part in enumerate(order):
        if row in hanging:
            places[part] = number[start : start + len(hanging[row])]
            numbers[part] = int(number[start])
            start += len(hanging[row])
        else:
            numbers[part] = int(number[row])
    return tree, numbers, places


def routing_of(tree: NodeArrays, numbers: dict[Part, int]) -> Routing:
    shares = np.zeros(len(tree))
    for part, number in numbers.items():
        shares[number] = part.share
    return Routing(
        tree.test,
        tree.attribute,
        tree.threshold,
        tree.first_branch,
        tree.n_branches,
        tree.group_start,
        tree.group,
        shares,
    )


def cut_off(routing: Routing, nodes: Sequence[int]) -> Routing:
    """What leaves cases at nodes."""
    test = routing.test.copy()
    test[nodes] = Test.LEAF
    return replace(routing, test=test)
