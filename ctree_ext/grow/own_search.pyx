"""The tests of an attribute at a node, each offered to a criterion of the user's.

It may be any function of the counts, so no test is ruled out before it is scored. Only branches that have a case are in
the matrix, in the order of values.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc, qsort

from ctree_ext.base.cases cimport Cases
from ctree_ext.base.weights cimport weight_of
from ctree_ext.grow.own_criterion cimport Trial, Trials
from ctree_ext.grow.score_scan cimport Scan, class_at, differ, row_at, tests_between
from ctree_ext.grow.score_search cimport ALMOST, ScoreSearch, ValueMatrix, count_present
from ctree_ext.grow.score_thresholds cimport begin_scan
from ctree_ext.grow.score_values cimport count_matrix, is_test
from ctree_ext.grow.scratch cimport NodeView, Scratch
from ctree_ext.grow.sorting cimport Sorted


cdef void _may_be_tested(Trials trials, int attribute, int n_branches, const double* classes,
                         int n_classes) noexcept nogil:
    # The attribute has a test, which has still to be scored.
    trials.best[attribute].n_branches = n_branches
    trials.best[attribute].score = -INFINITY
    trials.best[attribute].n_present = count_present(classes, n_classes)


cdef int offer_thresholds(Trials trials, const ScoreSearch* search, const Cases* cases, int attribute,
                          const Sorted* column, const NodeView* node, Scratch* scratch) except -1 nogil:
    cdef Py_ssize_t i, c, C = cases.n_classes
    cdef double* low = scratch.terms
    cdef double* matrix
    cdef double least, below = 0.0, above, w
    cdef Trial trial
    cdef Scan scan
    if not begin_scan(search, cases, cases.values[attribute], column, node, scratch, &scan):
        return 0
    least = scan.least * ALMOST
    above = scan.known
    trial.attribute = attribute
    trial.value = -1
    for c in range(C):
        low[c] = 0.0
    for i in range(scan.n - 1):
        w = weight_of(node.weights, scan.order[i].row)
        low[class_at(&scan, i, node.classes)] += w
        below += w
        above = max(above - w, 0.0)
        if not differ(&scan, i) or below < least or above < least:
            continue
        if trials.best[attribute].n_branches == 0:
            _may_be_tested(trials, attribute, 2, scratch.sides, <int> C)
        trials.best[attribute].n_tests += tests_between(search, &scan, i)
        matrix = trials.matrix(2)
        for c in range(C):
            matrix[c] = low[c]
            matrix[C + c] = max(scratch.sides[c] - low[c], 0.0)
        trial.low_row = row_at(&scan, i)
        trial.high_row = row_at(&scan, i + 1)
        trial.n_below = i + 1
        trials.offer(&trial)
    return 0


cdef int offer_values(Trials trials, const ScoreSearch* search, const Cases* cases, int attribute, bint one_by_one,
                      const NodeView* node, Scratch* scratch) except -1 nogil:
    # A branch per value, or each value against the others. With two values all these tests are the same.
    cdef ValueMatrix matrix = count_matrix(cases, attribute, node, scratch)
    cdef int64_t* order = NULL
    cdef Py_ssize_t r
    if matrix.codes != NULL:
        order = <int64_t*> malloc((matrix.n_rows + 1) * sizeof(int64_t))
        if order == NULL:
            with gil:
                raise MemoryError
        for r in range(matrix.n_rows):
            order[r] = (<int64_t> matrix.codes[r] << 32) + r
        qsort(order, matrix.n_rows, sizeof(int64_t), _compared)
    try:
        if one_by_one and cases.n_values[attribute] > 2:
            _offer_each(trials, search, &matrix, attribute, order, cases.n_classes, scratch)
        else:
            _offer_division(trials, search, &matrix, attribute, order, cases.n_classes, scratch)
    finally:
        free(order)
    return 0


cdef int _compared(const void* a, const void* b) noexcept nogil:
    cdef int64_t first = (<const int64_t*> a)[0], second = (<const int64_t*> b)[0]
    return (first > second) - (first < second)


cdef inline Py_ssize_t _row(const int64_t* order, Py_ssize_t k) noexcept nogil:
    # The row that comes k-th in the order of values.
    return k if order == NULL else <Py_ssize_t> <int32_t> order[k]


cdef int _offer_division(Trials trials, const ScoreSearch* search, const ValueMatrix* matrix, int attribute,
                         const int64_t* order, Py_ssize_t C, Scratch* scratch) except -1 nogil:
    cdef Py_ssize_t k, r, c
    cdef int n_branches = 0, enough = 0
    cdef double* counts
    cdef Trial trial
    for r in range(matrix.n_rows):
        n_branches += matrix.sizes[r] > 0
        enough += matrix.sizes[r] > 0 and matrix.sizes[r] >= search.min_cases * ALMOST
    if enough < 2:
        return 0
    _may_be_tested(trials, attribute, n_branches, scratch.sides, <int> C)
    trials.best[attribute].n_tests = 1
    counts = trials.matrix(n_branches)
    for k in range(matrix.n_rows):
        r = _row(order, k)
        if matrix.sizes[r] > 0:
            for c in range(C):
                counts[c] = matrix.counts[r * C + c]
            counts += C
    trial.attribute = attribute
    trial.value = trial.low_row = trial.high_row = -1
    trial.n_below = 0
    return trials.offer(&trial)


cdef int _offer_each(Trials trials, const ScoreSearch* search, const ValueMatrix* matrix, int attribute,
                     const int64_t* order, Py_ssize_t C, Scratch* scratch) except -1 nogil:
    cdef Py_ssize_t k, r, c
    cdef double* counts
    cdef Trial trial
    trial.attribute = attribute
    trial.low_row = trial.high_row = -1
    trial.n_below = 0
    for k in range(matrix.n_rows):
        r = _row(order, k)
        if not is_test(search, matrix, <int> r):
            continue
        if trials.best[attribute].n_branches == 0:
            _may_be_tested(trials, attribute, 2, scratch.sides, <int> C)
        trials.best[attribute].n_tests += 1
        counts = trials.matrix(2)
        for c in range(C):
            counts[c] = matrix.counts[r * C + c]
            counts[C + c] = max(scratch.sides[c] - counts[c], 0.0)
        trial.value = <int> r if matrix.codes == NULL else matrix.codes[r]
        trials.offer(&trial)
    return 0
