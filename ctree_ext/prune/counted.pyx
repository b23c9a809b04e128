"""Error-based pruning as in release 8 where only the class counts of all nodes are known, not the cases.

Without subtree raising they are enough. With it they still say what errors a subtree is expected to make.
"""

import numpy as np

from ctree_ext.base.nodes cimport LEAF, Nodes, nodes_export, nodes_free, nodes_import, nodes_make_leaf
from ctree_ext.prune.error_estimate cimport ErrorEstimate, error_estimate, extra_errors


cdef double _as_leaf(const Nodes* nodes, Py_ssize_t node, const double* counts, const ErrorEstimate* estimate,
                     double* cases, int* best) noexcept nogil:
    # The errors expected of a node as a leaf, its weight, and its class, which stays as it is unless another has more.
    cdef double errors
    cdef int c
    best[0] = nodes.best[node]
    cases[0] = 0.0
    for c in range(nodes.n_classes):
        cases[0] += counts[c]
        if counts[c] > counts[best[0]]:
            best[0] = c
    errors = cases[0] - counts[best[0]]
    return errors + extra_errors(cases[0], errors, estimate)


def expected_errors(arrays, const double[:, ::1] counts, double confidence):
    """The errors that each node is expected to make as a leaf, and with the subtree below it, given its class counts."""
    cdef Nodes nodes
    cdef ErrorEstimate estimate = error_estimate(confidence, False)
    cdef Py_ssize_t node, b, child, n = counts.shape[0]
    cdef double cases
    cdef int best
    cdef double[::1] leaves = np.zeros(n), trees = np.zeros(n), weights = np.zeros(n)
    if n != len(arrays):
        raise ValueError("the counts are not those of the tree")
    nodes_import(&nodes, arrays, <int> counts.shape[1])
    try:
        for node in range(n - 1, -1, -1):
            leaves[node] = trees[node] = _as_leaf(&nodes, node, &counts[node, 0], &estimate, &cases, &best)
            weights[node] = cases
            if nodes.test[node] != LEAF:
                trees[node] = 0.0
                for b in range(nodes.n_branches[node]):
                    child = nodes.first_branch[node] + b
                    if weights[child] > 0:
                        trees[node] += trees[child]
        return np.asarray(leaves), np.asarray(trees)
    finally:
        nodes_free(&nodes)


def prune_by_counts(arrays, int n_classes, double confidence):
    """The tree, pruned without subtree raising; its errors are the estimates."""
    cdef Nodes nodes
    cdef ErrorEstimate estimate = error_estimate(confidence, False)
    cdef Py_ssize_t node, b, child
    cdef double cases, as_leaf, as_tree
    cdef int best
    nodes_import(&nodes, arrays, n_classes)
    try:
        for node in range(nodes.n - 1, -1, -1):
            as_leaf = _as_leaf(&nodes, node, nodes.counts + node * n_classes, &estimate, &cases, &best)
            if cases <= 0 and node > 0:
                continue
            nodes.cases[node] = cases
            nodes.best[node] = best
            nodes.errors[node] = as_leaf
            if nodes.test[node] == LEAF:
                continue
            as_tree = 0.0
            for b in range(nodes.n_branches[node]):
                child = nodes.first_branch[node] + b
                if nodes.cases[child] > 0:
                    as_tree += nodes.errors[child]
            if as_leaf <= as_tree + 0.1:
                nodes_make_leaf(&nodes, node)
            else:
                nodes.errors[node] = as_tree
        return nodes_export(&nodes)
    finally:
        nodes_free(&nodes)
