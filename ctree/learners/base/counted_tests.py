"""How many tests each node of a tree could have had: what MDL charges a test for being chosen."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.tree.routes import visits
from ctree.tree.tree import Test, Tree

Floats = npt.NDArray[np.float64]

ALMOST = 1 - 1e-9
"""As in growing: sums of fractions may miss a whole number by a hair."""


def count_tests(
    tree: Tree, data: Dataset, min_cases: float, binary: bool, listed: bool = False
) -> npt.NDArray[np.int64]:
    """The number of tests that leave enough cases on two sides, of every node with branches; 0 for leaves.

    Parameters
    ----------
    tree : Tree
    data : Dataset
        The cases that it was grown from.
    min_cases : float
    binary : bool
        Whether a discrete attribute has a test for each value, or one.
    listed : bool
        Whether all the thresholds between values of the whole table are tests, though some divide in the same way.
    """
    assert data.classes is not None
    levels = list(visits(tree, data))
    rows, nodes, shares = (np.concatenate([level[i] for level in levels]) for i in range(3))
    order = np.argsort(nodes, kind="stable")
    rows, nodes, shares = rows[order], nodes[order], shares[order]
    weights = shares if data.weights is None else shares * data.weights[rows]
    ends = np.searchsorted(nodes, np.arange(tree.n_nodes + 1))
    ranks = [
        np.unique(column, return_inverse=True)[1] if attribute.has_order and column is not None else None
        for attribute, column in zip(data.schema, data.columns, strict=True)
    ]
    result = np.zeros(tree.n_nodes, dtype=np.int64)
    for node in np.flatnonzero(tree.test != Test.LEAF).tolist():
        here = slice(ends[node], ends[node + 1])
        row, weight = rows[here], weights[here]
        for attribute, column, rank in zip(data.schema, data.columns, ranks, strict=True):
            if column is None:
                continue
            known = ~np.isnan(column[row]) if rank is not None else column[row] >= 0
            level = (column if rank is None else rank)[row[known]]
            n_levels = len(attribute.values) if rank is None else int(level.max(initial=-1)) + 1
            counts = np.zeros((n_levels, data.schema.n_classes))
            np.add.at(counts, (level, data.classes[row[known]]), weight[known])
            if rank is None:
                result[node] += _of_values(counts, min_cases, binary)
            else:
                result[node] += _of_thresholds(counts, min_cases, listed)
    return result


def _of_values(counts: Floats, min_cases: float, binary: bool) -> int:
    sizes = counts.sum(axis=1)
    filled = sizes > 0
    enough = filled & (sizes >= min_cases * ALMOST)
    if not binary or len(sizes) <= 2:  # of two values the second would make the first one's test again
        return int(enough.sum() >= 2)
    if filled.sum() < 2:
        return 0
    return int((enough & (sizes.sum() - sizes >= min_cases * ALMOST)).sum())


def _of_thresholds(counts: Floats, min_cases: float, listed: bool) -> int:
    ranks = np.flatnonzero(counts.sum(axis=1) > 0)
    low = np.cumsum(counts[ranks], axis=0)[:-1]
    if not len(low):
        return 0
    high = np.maximum(counts.sum(axis=0) - low, 0.0)
    enough = (low.sum(axis=1) >= min_cases * ALMOST) & (high.sum(axis=1) >= min_cases * ALMOST)
    between = np.diff(ranks) if listed else np.ones(len(low), dtype=np.int64)
    return int(between[enough].sum())
