"""Pruning by the errors to be expected, without raising branches: tests that do not make fewer become leaves."""

from __future__ import annotations

import numpy as np

from ctree.tree.length_pruning import Nodes
from ctree_ext.prune.error_estimate import pessimistic_errors


def prune_by_errors(arrays: Nodes, confidence: float) -> Nodes:
    """The pruned tree.

    A subtree becomes a leaf where C4.5's estimate of its errors as a leaf is at most the sum of those of its leaves and
    0.1. No branch takes the place of its parent: what is below a yes branch may ask for rows that the test of the
    parent has found.

    Parameters
    ----------
    arrays : CountedNodes
    confidence : float
        Of the estimate.
    """
    counts, n_branches, parent = arrays.counts, arrays.n_branches, arrays.parents()
    collapsed = np.zeros(len(counts), dtype=bool)
    below = [0.0] * len(counts)
    for node in range(len(counts) - 1, -1, -1):
        cases = float(counts[node].sum())
        errors = pessimistic_errors(cases, cases - float(counts[node].max()), confidence, single=False)
        if n_branches[node]:
            collapsed[node] = errors <= below[node] + 0.1
            if not collapsed[node]:
                errors = below[node]
        if node:
            below[parent[node]] += errors
    return arrays.collapsed(collapsed)
