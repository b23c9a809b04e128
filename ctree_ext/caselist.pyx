"""The list of a node's cases in release 8's own order."""

import numpy as np

from libc.math cimport isnan, log2
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from ctree_ext.cases cimport Cases
from ctree_ext.nodes cimport VALUES, Nodes
from ctree_ext.routing cimport branch_of
from ctree_ext.sorting cimport Entry


cdef double sum_weights(const int32_t* rows, Py_ssize_t n, const double* weights, bint single) noexcept nogil:
    # NULL weights: every case counts one.
    cdef Py_ssize_t i
    cdef float short_sum = 0.0
    cdef double long_sum = 0.0
    if weights == NULL:
        return <double> n
    if single:
        for i in range(n):
            short_sum += <float> weights[rows[i]]
        return <double> short_sum
    for i in range(n):
        long_sum += weights[rows[i]]
    return long_sum


cdef Py_ssize_t group_branch(int32_t* rows, Py_ssize_t start, Py_ssize_t end, const Cases* cases, const Nodes* nodes,
                             Py_ssize_t node, int branch) noexcept nogil:
    # Swap the cases of one branch of a test (-1: outcome unknown) to the front of a stretch; the place behind them.
    cdef Py_ssize_t i
    cdef int32_t row
    cdef const int32_t* codes
    if nodes.test[node] == VALUES:
        # the case that costs most, a pass per value
        codes = cases.codes[nodes.attribute[node]]
        for i in range(start, end):
            row = rows[i]
            if codes[row] == branch:
                rows[i] = rows[start]
                rows[start] = row
                start += 1
        return start
    for i in range(start, end):
        row = rows[i]
        if branch_of(cases, nodes, node, row) == branch:
            rows[i] = rows[start]
            rows[start] = row
            start += 1
    return start


cdef Py_ssize_t group_unknown(int32_t* rows, Py_ssize_t n, const double* values) noexcept nogil:
    # Swap the cases without a value to the front; their number.
    cdef Py_ssize_t i, unknown = 0
    cdef int32_t row
    for i in range(n):
        row = rows[i]
        if isnan(values[row]):
            rows[i] = rows[unknown]
            rows[unknown] = row
            unknown += 1
    return unknown


cdef inline void _swap(Entry* list_, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    cdef Entry entry = list_[i]
    list_[i] = list_[j]
    list_[j] = entry


cdef bint _quicksort(Entry* list_, Py_ssize_t first, Py_ssize_t last, int64_t* steps) noexcept nogil:
    # The sort whose order among equal values is release 8's, found by trial among the usual ones: the last case is
    # the pivot, cases up to its value go to the front, those equal to it next to it. False if out of steps.
    cdef Py_ssize_t i, above, equal
    cdef uint32_t pivot
    while first < last:
        steps[0] -= last - first
        if steps[0] < 0:
            return False
        pivot = list_[last].rank
        above = first
        for i in range(first, last):
            if list_[i].rank <= pivot:
                _swap(list_, i, above)
                above += 1
        equal = above - 1
        for i in range(above - 1, first - 1, -1):
            if list_[i].rank == pivot:
                _swap(list_, i, equal)
                equal -= 1
        _swap(list_, above, last)
        # The two parts do not touch each other; the smaller first keeps the recursion shallow.
        if equal - first < last - above:
            if not _quicksort(list_, first, equal, steps):
                return False
            first = above + 1
        else:
            if not _quicksort(list_, above + 1, last, steps):
                return False
            last = equal
    return True


cdef void sort_known(int32_t* rows, Py_ssize_t n, Entry* order, uint32_t* rank_of, Entry* spare) noexcept nogil:
    # Sort a stretch of the list by a column whose sorted entries for the same cases are `order`. Without equal values
    # these are the result; with some, the original's sort decides, and `order` takes its order among them.
    #
    # On cases that stand in order already that sort takes quadratic time, as does the original. Past the limit, which
    # some thousand cases do not reach, equal values stay in the order of their rows.
    cdef Py_ssize_t i
    cdef bint ties = False
    cdef int64_t steps = 20000000
    for i in range(1, n):
        if order[i].rank == order[i - 1].rank:
            ties = True
            break
    if ties:
        for i in range(n):
            rank_of[order[i].row] = order[i].rank
        for i in range(n):
            spare[i].rank = rank_of[rows[i]]
            spare[i].row = rows[i]
        steps = max(steps, <int64_t> (16 * n * log2(<double> n)))
        if _quicksort(spare, 0, n - 1, &steps):
            memcpy(order, spare, n * sizeof(Entry))
    for i in range(n):
        rows[i] = order[i].row


def sorted_list(const int32_t[::1] rows, const uint32_t[::1] ranks):
    """The rows sorted by their ranks (``ranks[row]``), equal ones as release 8 leaves them."""
    cdef Py_ssize_t n = rows.shape[0], i
    cdef int64_t steps = 0x7FFFFFFFFFFFFFFF
    result = np.empty(n, dtype=np.int32)
    cdef int32_t[::1] sorted_rows = result
    cdef Entry* entries = <Entry*> malloc(max(n, 1) * sizeof(Entry))
    if entries == NULL:
        raise MemoryError
    for i in range(n):
        entries[i].row = rows[i]
        entries[i].rank = ranks[rows[i]]
    _quicksort(entries, 0, n - 1, &steps)
    for i in range(n):
        sorted_rows[i] = entries[i].row
    free(entries)
    return result
