"""The flat arrays of a tree, as they grow."""

import numpy as np

from ctree_ext.base.node_arrays import DTYPES, NodeArrays

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int8_t, int32_t, int64_t
from libc.string cimport memcpy, memset

from ctree_ext.base.memory cimport pool_free, pool_resize
from ctree_ext.base.numeric cimport rounded


cdef int nodes_init(Nodes* nodes, int n_classes) noexcept nogil:
    memset(nodes, 0, sizeof(Nodes))
    nodes.n_classes = n_classes
    return 0


cdef void nodes_free(Nodes* nodes) noexcept nogil:
    pool_free(&nodes.pool)
    memset(nodes, 0, sizeof(Nodes))


cdef Py_ssize_t nodes_reserve(Nodes* nodes, Py_ssize_t count) noexcept nogil:
    # Room for `count` more nodes, to be filled in; the place of the first, or -1 without memory.
    cdef Py_ssize_t first = nodes.n, room
    if first + count > nodes.room:
        room = max(2 * nodes.room, first + count, 64)
        if room > 0x7FFFFFFF:
            return -1
        if not (pool_resize(&nodes.pool, <void**> &nodes.test, room, sizeof(int8_t))
                and pool_resize(&nodes.pool, <void**> &nodes.attribute, room, sizeof(int32_t))
                and pool_resize(&nodes.pool, <void**> &nodes.threshold, room, sizeof(double))
                and pool_resize(&nodes.pool, <void**> &nodes.first_branch, room, sizeof(int32_t))
                and pool_resize(&nodes.pool, <void**> &nodes.n_branches, room, sizeof(int32_t))
                and pool_resize(&nodes.pool, <void**> &nodes.group_start, room, sizeof(Py_ssize_t))
                and pool_resize(&nodes.pool, <void**> &nodes.group_length, room, sizeof(int32_t))
                and pool_resize(&nodes.pool, <void**> &nodes.best, room, sizeof(int32_t))
                and pool_resize(&nodes.pool, <void**> &nodes.cases, room, sizeof(double))
                and pool_resize(&nodes.pool, <void**> &nodes.errors, room, sizeof(double))
                and pool_resize(&nodes.pool, <void**> &nodes.counts, room * nodes.n_classes, sizeof(double))
                and pool_resize(&nodes.pool, <void**> &nodes.n_tests, room, sizeof(int64_t))):
            return -1
        nodes.room = room
    nodes.n += count
    return first


cdef Py_ssize_t nodes_add(Nodes* nodes, Py_ssize_t count) noexcept nogil:
    # The same of empty leaves.
    cdef Py_ssize_t first = nodes_reserve(nodes, count), i
    if first < 0:
        return -1
    for i in range(first, first + count):
        nodes_make_leaf(nodes, i)
        nodes.best[i] = 0
        nodes.cases[i] = 0.0
        nodes.errors[i] = 0.0
        nodes.n_tests[i] = 0
    memset(nodes.counts + first * nodes.n_classes, 0, count * nodes.n_classes * sizeof(double))
    return first


cdef Py_ssize_t nodes_add_group(Nodes* nodes, Py_ssize_t n_values) noexcept nogil:
    # Room for a map from values to branches; its place, or -1 without memory.
    cdef Py_ssize_t first = nodes.n_group, room
    if first + n_values > nodes.group_room:
        room = max(2 * nodes.group_room, first + n_values, 64)
        if not pool_resize(&nodes.pool, <void**> &nodes.group, room, sizeof(int32_t)):
            return -1
        nodes.group_room = room
    nodes.n_group += n_values
    return first


cdef void nodes_make_leaf(Nodes* nodes, Py_ssize_t node) noexcept nogil:
    nodes.test[node] = LEAF
    nodes.attribute[node] = -1
    nodes.threshold[node] = 0.0
    nodes.first_branch[node] = -1
    nodes.n_branches[node] = 0
    nodes.group_start[node] = -1
    nodes.group_length[node] = 0


cdef bint nodes_collapse(Nodes* nodes, Py_ssize_t node, bint single) noexcept nogil:
    # Make a leaf of a node whose test saves no training errors; its branches are finished. Whether it did. The node has
    # the errors of its branches as its own number from then on, either way.
    cdef Py_ssize_t b, first = nodes.first_branch[node]
    cdef double in_branches = 0.0, as_leaf
    if nodes.test[node] == LEAF:
        return False
    for b in range(first, first + nodes.n_branches[node]):
        in_branches = rounded(in_branches + nodes.errors[b], single)
    as_leaf = rounded(nodes.cases[node] - nodes.counts[node * nodes.n_classes + nodes.best[node]], single)
    nodes.errors[node] = in_branches
    if in_branches < as_leaf - 0.001:
        return False
    nodes_make_leaf(nodes, node)
    return True


cdef void nodes_copy_test(Nodes* nodes, Py_ssize_t target, Py_ssize_t source) noexcept nogil:
    # Put the test of `source`, and with it all that hangs below, at `target`.
    nodes.test[target] = nodes.test[source]
    nodes.attribute[target] = nodes.attribute[source]
    nodes.threshold[target] = nodes.threshold[source]
    nodes.first_branch[target] = nodes.first_branch[source]
    nodes.n_branches[target] = nodes.n_branches[source]
    nodes.group_start[target] = nodes.group_start[source]
    nodes.group_length[target] = nodes.group_length[source]


cdef int nodes_graft(Nodes* nodes, Py_ssize_t target, const Nodes* other) noexcept nogil:
    # Hang the whole of `other` at the leaf `target`, which becomes its root.
    cdef Py_ssize_t offset, group_offset
    offset = nodes_reserve(nodes, other.n - 1)
    if offset < 0:
        return -1
    group_offset = nodes_add_group(nodes, other.n_group)
    if group_offset < 0:
        return -1
    nodes_place(nodes, target, other, offset, group_offset)
    return 0


cdef void nodes_place(Nodes* nodes, Py_ssize_t target, const Nodes* other, Py_ssize_t offset,
                      Py_ssize_t group_offset) noexcept nogil:
    # The same where the room is there: for all nodes but the root from `offset` on.
    cdef Py_ssize_t i, to, C = nodes.n_classes
    if other.n_group:
        memcpy(nodes.group + group_offset, other.group, other.n_group * sizeof(int32_t))
    for i in range(other.n):
        to = target if i == 0 else offset + i - 1
        nodes.test[to] = other.test[i]
        nodes.attribute[to] = other.attribute[i]
        nodes.threshold[to] = other.threshold[i]
        nodes.first_branch[to] = <int32_t> (offset + other.first_branch[i] - 1) if other.n_branches[i] else -1
        nodes.n_branches[to] = other.n_branches[i]
        nodes.group_start[to] = group_offset + other.group_start[i] if other.test[i] == GROUPS else -1
        nodes.group_length[to] = other.group_length[i]
        nodes.best[to] = other.best[i]
        nodes.cases[to] = other.cases[i]
        nodes.errors[to] = other.errors[i]
        nodes.n_tests[to] = other.n_tests[i]
        memcpy(nodes.counts + to * C, other.counts + i * C, C * sizeof(double))


cdef object nodes_export(const Nodes* nodes):
    # The reachable nodes as `NodeArrays`, numbered level by level so that the numbers do not depend on how they grew.
    cdef Py_ssize_t n = 0, head, b, node, C = nodes.n_classes
    order_array = np.empty(max(nodes.n, 1), dtype=np.int64)
    cdef int64_t[::1] order = order_array
    order[0] = 0
    n = 1
    head = 0
    while head < n:
        node = order[head]
        for b in range(nodes.n_branches[node]):
            order[n] = nodes.first_branch[node] + b
            n += 1
        head += 1
    cdef Py_ssize_t i, next_branch = 1, n_group = 0
    for i in range(n):
        if nodes.test[order[i]] == GROUPS:
            n_group += nodes.group_length[order[i]]
    made = {}
    cdef int8_t* test = <int8_t*> _room_for(made, "test", n)
    cdef int32_t* attribute = <int32_t*> _room_for(made, "attribute", n)
    cdef double* threshold = <double*> _room_for(made, "threshold", n)
    cdef int32_t* first_branch = <int32_t*> _room_for(made, "first_branch", n)
    cdef int32_t* n_branches = <int32_t*> _room_for(made, "n_branches", n)
    cdef int64_t* group_start = <int64_t*> _room_for(made, "group_start", n)
    cdef int32_t* group = <int32_t*> _room_for(made, "group", n_group)
    cdef int32_t* best = <int32_t*> _room_for(made, "best", n)
    cdef double* cases = <double*> _room_for(made, "cases", n)
    cdef double* errors = <double*> _room_for(made, "errors", n)
    cdef double* counts = <double*> _room_for(made, "counts", (n, C))
    cdef int64_t* n_tests = <int64_t*> _room_for(made, "n_tests", n)
    n_group = 0
    for i in range(n):
        node = order[i]
        test[i] = nodes.test[node]
        attribute[i] = nodes.attribute[node]
        threshold[i] = nodes.threshold[node]
        n_branches[i] = nodes.n_branches[node]
        first_branch[i] = <int32_t> next_branch if nodes.n_branches[node] else -1
        next_branch += nodes.n_branches[node]
        group_start[i] = -1
        if nodes.test[node] == GROUPS:
            # laid out in the order of the nodes, too
            group_start[i] = n_group
            memcpy(group + n_group, nodes.group + nodes.group_start[node], nodes.group_length[node] * sizeof(int32_t))
            n_group += nodes.group_length[node]
        best[i] = nodes.best[node]
        cases[i] = nodes.cases[node]
        errors[i] = nodes.errors[node]
        n_tests[i] = nodes.n_tests[node]
        memcpy(counts + i * C, nodes.counts + node * C, C * sizeof(double))
    return NodeArrays(**made)


cdef char* _room_for(dict made, name, shape) except NULL:
    # A new array of `NodeArrays` to be filled at once: on immutable bytes, as it keeps them, so that it copies nothing.
    dtype = np.dtype(DTYPES[name])
    cdef object content = PyBytes_FromStringAndSize(NULL, int(np.prod(shape)) * dtype.itemsize)
    made[name] = np.ndarray(shape, dtype, content)
    return PyBytes_AS_STRING(content)


cdef int nodes_import(Nodes* nodes, arrays, int n_classes) except -1:
    # `NodeArrays` back again, for a kernel that changes a tree.
    cdef const int8_t[::1] test = arrays.test
    cdef const int32_t[::1] attribute = arrays.attribute, first_branch = arrays.first_branch
    cdef const int32_t[::1] n_branches = arrays.n_branches, best = arrays.best, group = arrays.group
    cdef const int64_t[::1] group_start = arrays.group_start
    cdef const double[::1] threshold = arrays.threshold, cases = arrays.cases, errors = arrays.errors
    cdef const double[:, ::1] counts = arrays.counts
    cdef Py_ssize_t i, n = test.shape[0], before = -1
    nodes_init(nodes, n_classes)
    if nodes_reserve(nodes, n) < 0 or nodes_add_group(nodes, group.shape[0]) < 0:
        nodes_free(nodes)
        raise MemoryError
    memcpy(nodes.test, &test[0], n * sizeof(int8_t))
    memcpy(nodes.attribute, &attribute[0], n * sizeof(int32_t))
    memcpy(nodes.threshold, &threshold[0], n * sizeof(double))
    memcpy(nodes.first_branch, &first_branch[0], n * sizeof(int32_t))
    memcpy(nodes.n_branches, &n_branches[0], n * sizeof(int32_t))
    memcpy(nodes.best, &best[0], n * sizeof(int32_t))
    memcpy(nodes.cases, &cases[0], n * sizeof(double))
    memcpy(nodes.errors, &errors[0], n * sizeof(double))
    memcpy(nodes.counts, &counts[0, 0], n * n_classes * sizeof(double))
    memset(nodes.group_length, 0, n * sizeof(int32_t))
    memset(nodes.n_tests, 0, n * sizeof(int64_t))
    for i in range(n):
        nodes.group_start[i] = group_start[i]  # a Py_ssize_t, which need not have 64 bits
        if test[i] == GROUPS:
            # laid out in the order of the nodes, so each list ends where the next begins
            if before >= 0:
                nodes.group_length[before] = <int32_t> (group_start[i] - group_start[before])
            before = i
            nodes.group_length[i] = <int32_t> (group.shape[0] - group_start[i])
    if group.shape[0]:
        memcpy(nodes.group, &group[0], group.shape[0] * sizeof(int32_t))
    return 0
