"""The nested prunings of a tree, by minimal cost-complexity, and the errors of each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.tree.cost_complexity import CostComplexity
from ctree.tree.interface import TreeInterface, first_best
from ctree.tree.relational_arrays import RelationalArrays
from ctree.tree.routes import Visits, visits
from ctree.tree.tree import Tree
from ctree_ext.base.node_arrays import Floats, NodeArrays, Places

BLOCK = 1 << 14
"""So many cases go down the tree at once: each is noted at every node on its way."""

HAIR = 1e-9
"""Shares of classes that differ by less are added up anew, in the order of predictions."""


class Prunings(NamedTuple):
    """Prunings of a tree, each within the one before, from the whole tree to the root alone.

    They are those of `CostComplexity` by training errors, after the whole tree where that is not the first of them. A
    node is a leaf in the prunings from ``first`` on, until it is gone in those from ``gone`` on.

    Attributes
    ----------
    first, gone : array of int (nodes,)
    leaves : array of int (prunings,)
        How many leaves each has.
    training : array (prunings,)
        The weight of the training cases in leaves that give another class.
    codes : array of int (nodes,)
        The class that each node gives as a leaf.
    """

    first: Places
    gone: Places
    leaves: Places
    training: Floats
    codes: Places

    @property
    def number(self) -> int:
        """How many prunings there are."""
        return len(self.leaves)

    def at_leaves(self, nodes: Places, weights: Floats) -> Floats:
        """Per pruning the sum of the weights of nodes that are leaves in it; a node may come several times."""
        there = self.first[nodes] < self.gone[nodes]
        nodes, weights = nodes[there], weights[there]
        changes = np.bincount(self.first[nodes], weights, self.number + 1)
        changes -= np.bincount(self.gone[nodes], weights, self.number + 1)
        return np.asarray(changes[:-1].cumsum())


def has_parts(tree: Tree) -> bool:
    """Whether cases of unknown values, or of weights, make the numbers of cases in leaves other than whole.

    Examples
    --------
    >>> import ctree
    >>> has_parts(ctree.C45Classifier().fit(ctree.load_golf()).tree_)
    False
    """
    return bool((tree.class_counts != tree.class_counts.round()).any())


def prunings_of(tree: Tree, interface: TreeInterface) -> Prunings:
    """The nested prunings of a tree, as its learner uses it.

    Examples
    --------
    >>> import ctree
    >>> model = ctree.C45Classifier().fit(ctree.load_golf())
    >>> nested = prunings_of(model.tree_, model._interface())
    >>> nested.leaves.tolist(), nested.training.tolist(), nested.first.tolist()
    ([5, 1], [0.0, 5.0], [1, 1, 0, 1, 0, 0, 0, 0])
    """
    votes = tree.probabilities if interface.votes is None else interface.votes
    return nested_prunings(tree.arrays, first_best(votes, interface.tie_tolerance))


def nested_prunings(arrays: NodeArrays | RelationalArrays, codes: Places) -> Prunings:
    """The nested prunings of the tree with these arrays, whose nodes give these classes."""
    links = CostComplexity(arrays)
    n_nodes = len(codes)
    first = np.zeros(n_nodes, dtype=np.intp)
    inner = np.flatnonzero(arrays.n_branches > 0)
    stop = 0
    for _ in links.prices():
        now = np.isinf(links.price[inner])
        if now.any():
            stop += 1
            first[inner[now]] = stop
            inner = inner[~now]
    gone = [stop + 1] * n_nodes
    starts = first.tolist()
    for node, above in enumerate(arrays.parents().tolist()):  # parents come first
        if above >= 0:
            gone[node] = min(gone[above], starts[above])
    nodes = np.arange(n_nodes)
    wrong = arrays.cases - arrays.counts[nodes, codes]
    result = Prunings(first, np.array(gone, dtype=np.intp), np.zeros(stop + 1, dtype=np.intp), np.zeros(0), codes)
    leaves = result.at_leaves(nodes, np.ones(n_nodes)).round().astype(np.intp)
    return result._replace(leaves=leaves, training=result.at_leaves(nodes, wrong))


def errors_on(prunings: Prunings, tree: Tree, interface: TreeInterface, data: Dataset) -> Floats:
    """Per pruning the weight of the cases, given as the tree takes them, to which it gives a wrong class."""
    assert data.classes is not None
    weights = np.ones(data.n_cases) if data.weights is None else data.weights
    divided = _Divided(prunings, tree, interface)
    total = np.zeros(prunings.number)
    for start in range(0, data.n_cases, BLOCK):
        here = slice(start, min(start + BLOCK, data.n_cases))
        classes, weight = data.classes[here], weights[here]
        levels = list(visits(tree, data.take(here)))
        rows, nodes, shares = (np.concatenate([level[i] for level in levels]) for i in range(3))
        in_parts = np.zeros(len(classes), dtype=bool)
        in_parts[rows[shares < 1]] = True
        whole = ~in_parts[rows]
        wrong = prunings.codes[nodes[whole]] != classes[rows[whole]]
        total += prunings.at_leaves(nodes[whole], wrong * weight[rows[whole]])
        for row, its_nodes, its_shares in _by_case(Visits(rows[~whole], nodes[~whole], shares[~whole])):
            total += weight[row] * (divided.codes(its_nodes, its_shares) != classes[row])
    return total


def _by_case(parts: Visits) -> Iterator[tuple[int, Places, Floats]]:
    """The visits of one case after the other."""
    order = np.argsort(parts.rows, kind="stable")
    rows, nodes, shares = parts.rows[order], parts.nodes[order], parts.shares[order]
    cases, starts = np.unique(rows, return_index=True)
    for case, start, end in zip(cases.tolist(), starts, np.append(starts, len(rows))[1:], strict=True):
        yield case, nodes[start:end], shares[start:end]


class _Divided:
    """The classes that all prunings give to a case which unknown values have divided."""

    def __init__(self, prunings: Prunings, tree: Tree, interface: TreeInterface) -> None:
        self.prunings = prunings
        self.votes = tree.probabilities if interface.votes is None else interface.votes
        self.tolerance = interface.tie_tolerance
        self.from_left = np.empty(tree.n_nodes, dtype=np.intp)
        self.from_left[[node.index for node in tree]] = np.arange(tree.n_nodes)

    def codes(self, nodes: Places, shares: Floats) -> npt.NDArray[np.intp]:
        """Its class in each pruning, of its nodes and its shares there."""
        first, gone = self.prunings.first[nodes], self.prunings.gone[nodes]
        there = first < gone
        nodes, shares, first, gone = nodes[there], shares[there], first[there], gone[there]
        # Only where one of its nodes becomes a leaf or goes, the sums over its leaves change.
        stops, at = np.unique(np.concatenate([first, gone]), return_inverse=True)
        votes = shares[:, None] * self.votes[nodes]
        sums = np.zeros((len(stops), votes.shape[1]))
        np.add.at(sums, at, np.concatenate([votes, -votes]))
        sums = sums.cumsum(axis=0)[:-1]  # after the last, the root is gone as well
        sums /= sums.sum(axis=1, keepdims=True)
        result = first_best(sums, self.tolerance)
        ahead = sums.max(axis=1)[:, None] - sums
        for near in np.flatnonzero((ahead < self.tolerance + HAIR).sum(axis=1) > 1):
            leaves = np.flatnonzero((first <= stops[near]) & (stops[near] < gone))
            result[near] = self._added_up(nodes[leaves], shares[leaves])
        lengths = np.diff(stops)
        return np.repeat(result, lengths)

    def _added_up(self, leaves: Places, shares: Floats) -> int:
        """The class by these leaves, with sums in the order of predictions, where equal shares are equal."""
        sums = np.zeros(self.votes.shape[1])
        for i in np.argsort(self.from_left[leaves]):
            sums += shares[i] * self.votes[leaves[i]]
        total = sum(sums.tolist())
        return int(first_best((sums / total)[None, :], self.tolerance)[0])
