"""Error-based pruning as in J48 where only the class counts of all nodes are known, not the cases.

Without subtree raising they are enough. With it they still say what errors a subtree is expected to make.
"""

import numpy as np

from ctree_ext.base.nodes cimport LEAF, Nodes, nodes_export, nodes_free, nodes_import, nodes_make_leaf
from ctree_ext.base.numeric cimport SMALL, at_most
from ctree_ext.prune.j48_estimate cimport J48Estimate, choose_class, j48_estimate, leaf_errors


cdef double _below(const Nodes* nodes, Py_ssize_t node, const double[::1] errors) noexcept nogil:
    # What the branches of a node make together.
    cdef double result = 0.0
    cdef Py_ssize_t b
    for b in range(nodes.n_branches[node]):
        result += errors[nodes.first_branch[node] + b]
    return result


def expected_errors(arrays, const double[:, ::1] counts, double confidence):
    """The errors that each node is expected to make with the subtree below it, given its class counts."""
    cdef Nodes nodes
    cdef J48Estimate estimate = j48_estimate(confidence)
    cdef Py_ssize_t node, n = counts.shape[0]
    cdef int c, C = <int> counts.shape[1]
    cdef double cases
    cdef double[::1] errors = np.zeros(n)
    if n != len(arrays):
        raise ValueError("the counts are not those of the tree")
    nodes_import(&nodes, arrays, C)
    try:
        for node in range(n - 1, -1, -1):
            if nodes.test[node] != LEAF:
                errors[node] = _below(&nodes, node, errors)
                continue
            cases = 0.0
            for c in range(C):
                cases += counts[node, c]
            errors[node] = leaf_errors(cases, &counts[node, 0], C, &estimate)
        return np.asarray(errors)
    finally:
        nodes_free(&nodes)


def prune_by_counts(arrays, int n_classes, double confidence):
    """The tree, pruned without subtree raising."""
    cdef Nodes nodes
    cdef J48Estimate estimate = j48_estimate(confidence)
    cdef Py_ssize_t node
    cdef double as_leaf, as_tree
    cdef double[::1] errors
    nodes_import(&nodes, arrays, n_classes)
    errors = np.zeros(nodes.n)
    try:
        for node in range(nodes.n - 1, -1, -1):
            choose_class(&nodes, node)
            as_leaf = leaf_errors(nodes.cases[node], nodes.counts + node * n_classes, n_classes, &estimate)
            errors[node] = as_leaf
            if nodes.test[node] == LEAF:
                continue
            as_tree = _below(&nodes, node, errors)
            if at_most(as_leaf, as_tree + 0.1, SMALL):
                nodes_make_leaf(&nodes, node)
            else:
                errors[node] = as_tree
        return nodes_export(&nodes)
    finally:
        nodes_free(&nodes)


def recounted(arrays, const double[:, ::1] counts):
    """The tree with the class counts of other cases, the first node's being the same; where none are, a node says what
    the one above it does."""
    cdef Nodes nodes
    cdef Py_ssize_t node, b, child
    cdef int c, C = <int> counts.shape[1]
    if counts.shape[0] != len(arrays):
        raise ValueError("the counts are not those of the tree")
    nodes_import(&nodes, arrays, C)
    try:
        for node in range(nodes.n):
            nodes.cases[node] = 0.0
            for c in range(C):
                nodes.counts[node * C + c] = counts[node, c]
                nodes.cases[node] += counts[node, c]
            choose_class(&nodes, node)
            # branches come later, and have their own class if they have cases
            for b in range(nodes.n_branches[node]):
                child = nodes.first_branch[node] + b
                nodes.best[child] = nodes.best[node]
                nodes.errors[child] = 0.0
        return nodes_export(&nodes)
    finally:
        nodes_free(&nodes)
