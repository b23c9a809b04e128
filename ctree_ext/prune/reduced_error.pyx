"""Reduced-error pruning, as Weka's J48 does it: by the errors on cases that the tree was not grown from."""

from libc.stdint cimport int32_t
from libc.string cimport memset

from ctree_ext.base.cases cimport Cases, CaseTable
from ctree_ext.base.interrupts cimport Watch, check_after
from ctree_ext.base.nodes cimport LEAF, Nodes, nodes_export, nodes_free, nodes_import, nodes_make_leaf
from ctree_ext.base.numeric cimport SMALL, at_most
from ctree_ext.base.routing cimport branch_of

import numpy as np

cdef enum:
    WORK = 200  # per case: the walk down the tree uses Python objects


cdef int _pass_down(const Cases* cases, const Nodes* nodes, int32_t row, double[:, ::1] counts,
                    double[::1] totals) except -1:
    # Add a case to the counts of every node that it reaches. If its outcome is unknown it takes all branches, in
    # proportion to the cases they were grown from.
    cdef Py_ssize_t node, b, child, k
    cdef double weight, total
    cdef list stack = [(0, 1.0 if cases.weights == NULL else cases.weights[row])]
    while stack:
        node, weight = stack.pop()
        counts[node, cases.classes[row]] += weight
        totals[node] += weight
        if nodes.test[node] == LEAF:
            continue
        k = branch_of(cases, nodes, node, row)
        if k >= 0:
            stack.append((nodes.first_branch[node] + k, weight))
            continue
        total = 0.0
        for b in range(nodes.n_branches[node]):
            total += nodes.cases[nodes.first_branch[node] + b]
        for b in range(nodes.n_branches[node] - 1, -1, -1):
            child = nodes.first_branch[node] + b
            if nodes.cases[child] / total > SMALL:
                stack.append((child, weight * (nodes.cases[child] / total)))
    return 0


def reduced_error(arrays, CaseTable table, const int32_t[::1] rows):
    """Turn every test into a leaf that makes no more errors than its branches on the cases at `rows`.

    These are cases that the tree was not grown from. Counts stay those of growing.
    """
    cdef Nodes nodes
    cdef const Cases* cases = &table.cases
    cdef Py_ssize_t i, node, b, C = cases.n_classes
    cdef double as_tree, as_leaf
    nodes_import(&nodes, arrays, <int> C)
    cdef double[:, ::1] counts = np.zeros((nodes.n, C))
    cdef double[::1] errors = np.zeros(nodes.n), totals = np.zeros(nodes.n)
    cdef Watch watch
    memset(&watch, 0, sizeof(Watch))
    try:
        for i in range(rows.shape[0]):
            if not 0 <= rows[i] < cases.n:
                raise ValueError(f"there is no row {rows[i]}")
            check_after(&watch, WORK)
            _pass_down(cases, &nodes, rows[i], counts, totals)
        for node in range(nodes.n - 1, -1, -1):
            as_leaf = totals[node] - counts[node, nodes.best[node]]
            errors[node] = as_leaf
            if nodes.test[node] == LEAF:
                continue
            as_tree = 0.0
            for b in range(nodes.n_branches[node]):
                as_tree += errors[nodes.first_branch[node] + b]
            if at_most(as_leaf, as_tree, SMALL):
                nodes_make_leaf(&nodes, node)
            else:
                errors[node] = as_tree
        return nodes_export(&nodes)
    finally:
        nodes_free(&nodes)
