"""The flat arrays of a tree, as they grow."""

import numpy as np

from ctree_ext.base.node_arrays import NodeArrays

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int8_t, int32_t, int64_t
from libc.string cimport memcpy, memset

from ctree_ext.base.memory cimport pool_free, pool_resize


cdef int nodes_init(Nodes* nodes, int n_classes) noexcept nogil:
    memset(nodes, 0, sizeof(Nodes))
    nodes.n_classes = n_classes
    return 0


cdef void nodes_free(Nodes* nodes) noexcept nogil:
    pool_free(&nodes.pool)
    memset(nodes, 0, sizeof(Nodes))


cdef Py_ssize_t nodes_add(Nodes* nodes, Py_ssize_t count) noexcept nogil:
    # Room for `count` more nodes, empty leaves at first; the place of the first, or -1 without memory.
    cdef Py_ssize_t first = nodes.n, room, i
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
    for i in range(first, first + count):
        nodes_make_leaf(nodes, i)
        nodes.best[i] = 0
        nodes.cases[i] = 0.0
        nodes.errors[i] = 0.0
        nodes.n_tests[i] = 0
    memset(nodes.counts + first * nodes.n_classes, 0, count * nodes.n_classes * sizeof(double))
    nodes.n += count
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
    cdef Py_ssize_t offset, group_offset, count = other.n - 1, i, to, C = nodes.n_classes
    offset = nodes_add(nodes, count)
    if offset < 0:
        return -1
    group_offset = nodes_add_group(nodes, other.n_group)
    if group_offset < 0:
        return -1
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
    return 0


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
    arrays = {
        "test": _room(np.int8, n), "attribute": _room(np.int32, n), "threshold": _room(np.float64, n),
        "first_branch": _room(np.int32, n), "n_branches": _room(np.int32, n), "group_start": _room(np.int64, n),
        "best": _room(np.int32, n), "cases": _room(np.float64, n), "errors": _room(np.float64, n),
        "counts": _room(np.float64, n, C), "n_tests": _room(np.int64, n),
    }
    cdef int8_t* test = <int8_t*> _start(arrays["test"])
    cdef int32_t* attribute = <int32_t*> _start(arrays["attribute"])
    cdef int32_t* first_branch = <int32_t*> _start(arrays["first_branch"])
    cdef int32_t* n_branches = <int32_t*> _start(arrays["n_branches"])
    cdef int32_t* best = <int32_t*> _start(arrays["best"])
    cdef int64_t* group_start = <int64_t*> _start(arrays["group_start"])
    cdef int64_t* n_tests = <int64_t*> _start(arrays["n_tests"])
    cdef double* threshold = <double*> _start(arrays["threshold"])
    cdef double* cases = <double*> _start(arrays["cases"])
    cdef double* errors = <double*> _start(arrays["errors"])
    cdef double* counts = <double*> _start(arrays["counts"])
    cdef int32_t[::1] group = np.empty(nodes.n_group, dtype=np.int32)
    cdef Py_ssize_t i, next_branch = 1, n_group = 0
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
            memcpy(&group[n_group], nodes.group + nodes.group_start[node], nodes.group_length[node] * sizeof(int32_t))
            n_group += nodes.group_length[node]
        best[i] = nodes.best[node]
        cases[i] = nodes.cases[node]
        errors[i] = nodes.errors[node]
        n_tests[i] = nodes.n_tests[node]
        memcpy(counts + i * C, nodes.counts + node * C, C * sizeof(double))
    return NodeArrays(**arrays, group=group[:n_group])


cdef object _room(dtype, Py_ssize_t n, columns=None):
    # An array in the bytes that `NodeArrays` keeps, so that it need not be copied. They are new, and nobody else has
    # them while they are filled.
    shape = (n,) if columns is None else (n, columns)
    data = PyBytes_FromStringAndSize(NULL, n * (1 if columns is None else columns) * np.dtype(dtype).itemsize)
    return np.ndarray(shape, dtype, data)


cdef char* _start(array):
    return PyBytes_AS_STRING(array.base)


cdef int nodes_import(Nodes* nodes, arrays, int n_classes) except -1:
    # `NodeArrays` back again, for a kernel that changes a tree.
    cdef const int8_t[::1] test = arrays.test
    cdef const int32_t[::1] attribute = arrays.attribute, first_branch = arrays.first_branch
    cdef const int32_t[::1] n_branches = arrays.n_branches, best = arrays.best, group = arrays.group
    cdef const int64_t[::1] group_start = arrays.group_start
    cdef const double[::1] threshold = arrays.threshold, cases = arrays.cases, errors = arrays.errors
    cdef const double[:, ::1] counts = arrays.counts
    cdef Py_ssize_t i, n = test.shape[0], C = n_classes, before = -1
    nodes_init(nodes, n_classes)
    if nodes_add(nodes, n) < 0 or nodes_add_group(nodes, group.shape[0]) < 0:
        nodes_free(nodes)
        raise MemoryError
    for i in range(n):
        nodes.test[i] = test[i]
        nodes.attribute[i] = attribute[i]
        nodes.threshold[i] = threshold[i]
        nodes.first_branch[i] = first_branch[i]
        nodes.n_branches[i] = n_branches[i]
        nodes.group_start[i] = group_start[i]
        if test[i] == GROUPS:
            # laid out in the order of the nodes, so each list ends where the next begins
            if before >= 0:
                nodes.group_length[before] = <int32_t> (group_start[i] - group_start[before])
            before = i
            nodes.group_length[i] = <int32_t> (group.shape[0] - group_start[i])
        nodes.best[i] = best[i]
        nodes.cases[i] = cases[i]
        nodes.errors[i] = errors[i]
        memcpy(nodes.counts + i * C, &counts[i, 0], C * sizeof(double))
    if group.shape[0]:
        memcpy(nodes.group, &group[0], group.shape[0] * sizeof(int32_t))
    return 0
