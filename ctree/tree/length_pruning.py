"""Pruning by description length: tests that cost more bits than they save become leaves, the lowest first."""

from __future__ import annotations

import math
from typing import Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt

from ctree_ext.base.elementary import log2, xlog2y
from ctree_ext.base.node_arrays import Ints, Places, levels
from ctree_ext.grow.split_scores import tie_tolerance

Floats = npt.NDArray[np.float64]


class CountedNodes(Protocol):
    """The arrays of a tree by which it can be pruned: `NodeArrays`, or those of another kind of tests."""

    @property
    def counts(self) -> Floats: ...
    @property
    def n_branches(self) -> Ints: ...
    @property
    def cases(self) -> Floats: ...
    @property
    def n_tests(self) -> npt.NDArray[np.int64] | None: ...
    def parents(self) -> Places: ...
    def collapsed(self, nodes: npt.NDArray[np.bool_]) -> Self: ...


Nodes = TypeVar("Nodes", bound=CountedNodes)


def prune_by_length(arrays: Nodes, rule: str, n_cases: float) -> Nodes:
    """The pruned tree.

    A subtree with L leaves becomes a leaf where the bits that it saves, N H of the node less those of its leaves, are
    fewer than it costs. Each test with v branches that have cases costs (v - 1) ½ (C - 1) log2 N and, by MDL, log2 of
    the number of tests it was chosen from and v bits more. So two leaves are kept exactly where the stopping rule would
    have divided; where values are unknown only nearly, as that rule goes by the cases whose value is known, and the
    counts of the leaves have the others in parts.

    Parameters
    ----------
    arrays : CountedNodes
        A tree as `ScoreGrower` makes it, ``n_tests`` included.
    rule : {"bic", "mdl"}
    n_cases : float
        N, the weight of the whole training set.
    """
    counts, n_branches = arrays.counts, arrays.n_branches
    n_nodes, n_classes = counts.shape
    parent = arrays.parents()
    least = tie_tolerance(n_cases)
    filled = np.bincount(parent[1:][arrays.cases[1:] > 0], minlength=n_nodes)
    cost = np.where(n_branches > 0, (filled - 1) * 0.5 * (n_classes - 1) * math.log2(max(n_cases, 1.0)), 0.0)
    if rule == "mdl":
        n_tests = np.zeros(n_nodes) if arrays.n_tests is None else arrays.n_tests
        cost += np.where(n_branches > 0, log2(np.maximum(n_tests, 1)) + filled, 0.0)
    bits = information(counts)
    remaining = np.where(n_branches > 0, 0.0, bits)
    collapsed = np.zeros(n_nodes, dtype=bool)
    for level in reversed([slice(0, 1), *levels(parent)]):
        inner = np.flatnonzero(n_branches[level]) + level.start
        saving = bits[inner] - remaining[inner]
        useless = inner[saving < cost[inner] - least]
        collapsed[useless] = True
        cost[useless] = 0.0
        remaining[useless] = bits[useless]
        if level.start:
            np.add.at(remaining, parent[level], remaining[level])
            np.add.at(cost, parent[level], cost[level])
    return arrays.collapsed(collapsed)


def information(counts: Floats) -> Floats:
    """N H of each node, in bits."""
    total = counts.sum(axis=1)
    return np.asarray(xlog2y(total, total) - xlog2y(counts, counts).sum(axis=1))
