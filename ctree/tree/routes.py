"""Which nodes a case comes to, and what share of it: all of it, but for tests of values that are not known."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.imports import whole_module
from ctree.tree.validation import check_cases

if TYPE_CHECKING:
    from ctree.tree.tree import Tree

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]


class Visits(NamedTuple):
    """Cases at nodes: a row, a node, and the share of the case that comes there."""

    rows: Places
    nodes: Places
    shares: Floats


def visits(tree: Tree, data: Dataset) -> Iterator[Visits]:
    """Where cases are, level by level from the root; those that are in a leaf go no further.

    A case whose tested value is unknown goes down every branch that has training cases, in proportion to them.
    """
    from ctree.tree.tree import Test

    check_cases(tree.schema, data)
    arrays = tree.arrays
    first, n_branches, cases = arrays.first_branch, arrays.n_branches, arrays.cases
    level = Visits(np.arange(data.n_cases), np.zeros(data.n_cases, dtype=np.intp), np.ones(data.n_cases))
    while len(level.rows):
        yield level
        inner = tree.test[level.nodes] != Test.LEAF
        rows, nodes, shares = (array[inner] for array in level)
        branch = _branches(tree, data, rows, nodes)
        known = branch >= 0
        odd = ~known
        width = n_branches[nodes[odd]]
        above = np.repeat(nodes[odd], width)
        # the first branch of the node, the second, and so on
        child = np.repeat(first[nodes[odd]] - (np.cumsum(width) - width), width) + np.arange(int(width.sum()))
        part = np.repeat(shares[odd], width) * cases[child] / cases[above]
        filled = cases[child] > 0
        level = Visits(
            np.concatenate([rows[known], np.repeat(rows[odd], width)[filled]]),
            np.concatenate([first[nodes[known]] + branch[known], child[filled]]).astype(np.intp),
            np.concatenate([shares[known], part[filled]]),
        )


def _branches(tree: Tree, data: Dataset, rows: Places, nodes: Places) -> Places:
    """The branch that each of these cases takes at its node, -1 where its value is unknown or in no group."""
    from ctree.tree.tree import Test

    result = np.full(len(rows), -1, dtype=np.intp)
    attribute, test = tree.attribute[nodes], tree.test[nodes]
    for a in np.unique(attribute).tolist():
        here = np.flatnonzero(attribute == a)
        column: Any = data.columns[a]
        values = column[rows[here]]
        if tree.schema[a].has_order:
            if tree.float32:
                with np.errstate(over="ignore"):  # beyond its range, a number is infinite in 32 bits
                    values = values.astype(np.float32).astype(np.float64)
            result[here] = np.where(np.isnan(values), -1, ~(values <= tree.threshold[nodes[here]]))
            continue
        grouped = (test[here] == Test.GROUPS) & (values >= 0)
        start = tree.arrays.group_start[nodes[here[grouped]]]
        result[here] = values
        result[here[grouped]] = tree.arrays.group[start + values[grouped]]
    return result


def decision_path(tree: Tree, data: Dataset) -> Any:
    """The share of each case at each node, as a sparse matrix (cases, nodes)."""
    sparse = whole_module("scipy.sparse")
    levels = list(visits(tree, data))
    parts: list[Any] = [np.concatenate([level[i] for level in levels]) if levels else [] for i in range(3)]
    result = sparse.csr_matrix((parts[2], (parts[0], parts[1])), shape=(data.n_cases, tree.n_nodes), dtype=np.float64)
    result.sort_indices()
    return result


def leaf_shares(tree: Tree, data: Dataset) -> list[list[tuple[int, float]]]:
    """Per case the leaves that it comes to with its share there, the greatest first; the shares add up to 1."""
    from ctree.tree.tree import Test

    result: list[list[tuple[int, float]]] = [[] for _ in range(data.n_cases)]
    for level in visits(tree, data):
        at_leaf = tree.test[level.nodes] == Test.LEAF
        for row, node, share in zip(*(array[at_leaf].tolist() for array in level), strict=True):
            result[row].append((node, share))
    for leaves in result:
        total = math.fsum(share for _, share in leaves)  # not sum, which rounds otherwise from Python 3.12 on
        leaves[:] = sorted(((node, share / total) for node, share in leaves), key=lambda leaf: (-leaf[1], leaf[0]))
    return result
