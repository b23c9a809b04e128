"""What a chain records of its tree every so many steps, and that as arrays."""

from libc.stdint cimport int32_t, int64_t

from ctree_ext.base.memory cimport pool_resize

import numpy as np


cdef int records_add(Records* records, Record record) noexcept nogil:
    # -1 without memory.
    cdef Py_ssize_t larger = records.max_records + records.max_records // 2 + 256
    if records.n == records.max_records:
        if not pool_resize(records.pool, <void**> &records.records, larger, sizeof(Record)):
            return -1
        records.max_records = larger
    records.records[records.n] = record
    records.n += 1
    return 0


cdef dict records_arrays(const Records* records):
    cdef Py_ssize_t i, n = records.n
    likelihood, post = np.empty(n), np.empty(n)
    leaves, depth, tree = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int64)
    cdef double[::1] a = likelihood
    cdef double[::1] b = post
    cdef int32_t[::1] c = leaves
    cdef int32_t[::1] d = depth
    cdef int64_t[::1] e = tree
    for i in range(n):
        a[i] = records.records[i].log_likelihood
        b[i] = records.records[i].log_posterior
        c[i] = records.records[i].leaves
        d[i] = records.records[i].depth
        e[i] = records.records[i].tree
    return {"log_likelihood": likelihood, "log_posterior": post, "leaves": leaves, "depth": depth, "tree": tree}


cdef int records_restore(Records* records, columns, Py_ssize_t n_trees) except -1:
    # Add what `records_arrays` gave, of a chain that has so many trees.
    cdef Record record
    names = ("log_likelihood", "log_posterior", "leaves", "depth", "tree")
    rows = zip(*(columns[name].tolist() for name in names), strict=True)
    for record.log_likelihood, record.log_posterior, record.leaves, record.depth, record.tree in rows:
        if record.tree >= n_trees:
            raise ValueError("a draw has no tree")
        if records_add(records, record) < 0:
            raise MemoryError
    return 0
