"""The top of a tree, while it is grown level by level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ctree_ext.base.node_arrays import Floats, Ints, Test


@dataclass(frozen=True)
class Routing:
    """What sends a case down the top of a tree: flat arrays, the same as those of `NodeArrays`, small and picklable.

    Parameters
    ----------
    test : int8 array
        A `Test` for each node.
    attribute, first_branch : int32 arrays
        -1 in leaves.
    threshold : float64 array
    group_start : int64 array
    group : int32 array
        Of tests of groups, the branch of each value.
    shares : float64 array
        For each node the share of its parent's known weight that it has, by which cases of unknown value are divided; 1
        at the root.
    """

    test: npt.NDArray[np.int8]
    attribute: Ints
    threshold: Floats
    first_branch: Ints
    n_branches: Ints
    group_start: npt.NDArray[np.int64]
    group: Ints
    shares: Floats


@dataclass
class TopTree:
    """Nodes as they are added, children after their parents, the branches of a node together.

    Node 0 is the root. `counts` are the weights of the classes; `n_tests` is what the decision counted.
    """

    n_classes: int
    test: list[int] = field(default_factory=list)
    attribute: list[int] = field(default_factory=list)
    threshold: list[float] = field(default_factory=list)
    first_branch: list[int] = field(default_factory=list)
    n_branches: list[int] = field(default_factory=list)
    groups: dict[int, npt.NDArray[np.int32]] = field(default_factory=dict)
    parent: list[int] = field(default_factory=list)
    counts: list[Floats] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)
    n_tests: list[int] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.test)

    def add_leaf(self, counts: Floats, parent: int = -1, share: float = 1.0) -> int:
        """Add a leaf, and say its number."""
        self.test.append(Test.LEAF)
        self.attribute.append(-1)
        self.threshold.append(0.0)
        self.first_branch.append(-1)
        self.n_branches.append(0)
        self.parent.append(parent)
        self.counts.append(np.asarray(counts, dtype=np.float64))
        self.shares.append(share)
        self.n_tests.append(0)
        return len(self.test) - 1

    def divide(
        self,
        node: int,
        test: int,
        attribute: int,
        branches: Sequence[Floats],
        *,
        threshold: float = 0.0,
        group: npt.NDArray[np.int32] | None = None,
        shares: Sequence[float] | None = None,
    ) -> range:
        """Give a leaf a test; the new leaves, with the class weights of each branch."""
        self.test[node] = test
        self.attribute[node] = attribute
        self.threshold[node] = threshold
        if group is not None:
            self.groups[node] = group
        first = len(self)
        self.first_branch[node] = first
        self.n_branches[node] = len(branches)
        for place, counts in enumerate(branches):
            self.add_leaf(counts, node, 1.0 if shares is None else shares[place])
        return range(first, len(self))

    def routing(self) -> Routing:
        """What sends cases down these nodes."""
        group_start = np.full(len(self), -1, dtype=np.int64)
        maps, length = [], 0
        for node in sorted(self.groups):
            group_start[node] = length
            maps.append(self.groups[node])
            length += len(self.groups[node])
        return Routing(
            np.array(self.test, dtype=np.int8),
            np.array(self.attribute, dtype=np.int32),
            np.array(self.threshold, dtype=np.float64),
            np.array(self.first_branch, dtype=np.int32),
            np.array(self.n_branches, dtype=np.int32),
            group_start,
            np.concatenate(maps).astype(np.int32) if maps else np.empty(0, dtype=np.int32),
            np.array(self.shares, dtype=np.float64),
        )


def root_routing(n_classes: int) -> Routing:
    """What leaves all cases at the root."""
    top = TopTree(n_classes)
    top.add_leaf(np.zeros(n_classes))
    return top.routing()
