"""Class counts over rows and weights."""

import numpy as np

from libc.stdint cimport int32_t, uint8_t, uint16_t
from libc.string cimport memset

from ctree_ext.base.memory cimport Memory
from ctree_ext.base.weights cimport Weights, sum_weights


cdef enum:
    FEW_CLASSES = 64
    FEW_CELLS = 128


cdef double _count_few(const int32_t* rows, Py_ssize_t n, const uint16_t* classes, const float* weights, int n_classes,
                       double* counts) noexcept nogil:
    # In floats until the end: converting the sum of a class to double and back for every case takes three times as long
    # as adding to it.
    cdef float[FEW_CLASSES] sums
    cdef float total = 0.0
    cdef Py_ssize_t i
    memset(sums, 0, n_classes * sizeof(float))
    for i in range(n):
        sums[classes[rows[i]]] += weights[rows[i]]
        total += weights[rows[i]]
    for i in range(n_classes):
        counts[i] = sums[i]
    return total


cdef double count_classes(const int32_t* rows, Py_ssize_t n, const uint16_t* classes, const Weights* weights,
                          int n_classes, double* counts) noexcept nogil:
    # The weight of each class among these rows, and of all.
    cdef Py_ssize_t i
    memset(counts, 0, n_classes * sizeof(double))
    if weights == NULL:
        for i in range(n):
            counts[classes[rows[i]]] += 1.0
    elif weights.short_ != NULL and n_classes <= FEW_CLASSES:
        return _count_few(rows, n, classes, weights.short_, n_classes, counts)
    elif weights.short_ != NULL:
        for i in range(n):
            counts[classes[rows[i]]] = <float> counts[classes[rows[i]]] + weights.short_[rows[i]]
    else:
        for i in range(n):
            counts[classes[rows[i]]] += weights.long_[rows[i]]
    return sum_weights(rows, n, weights)


cdef Py_ssize_t count_fractional(const int32_t* rows, Py_ssize_t n, const float* weights) noexcept nogil:
    # How many of these rows count other than one.
    cdef Py_ssize_t i, found = 0
    for i in range(n):
        found += weights[rows[i]] != 1
    return found


cdef void count_values(const int32_t* rows, Py_ssize_t n, const int32_t* codes, const uint8_t* short_codes,
                       int n_values, const uint16_t* classes, const Weights* weights, int n_classes, Cell* cells,
                       double* counts) noexcept nogil:
    # The count matrix of a discrete attribute: row 0 for unknown values, row v + 1 for value v. `cells` is scratch of
    # the same shape.
    cdef Py_ssize_t i, size = <Py_ssize_t> (n_values + 1) * n_classes
    if short_codes != NULL:
        _add_up(rows, n, short_codes, classes, weights, n_classes, size, cells, counts)
    else:
        # row -1 of these codes is the row of the unknown
        _add_up(rows, n, codes, classes, weights, n_classes, size, cells + n_classes, counts + n_classes)
    if weights == NULL:
        for i in range(size):
            counts[i] = cells[i].integer
    elif weights.short_ != NULL:
        for i in range(size):
            counts[i] = cells[i].fraction


cdef void count_cells(const int32_t* rows, Py_ssize_t n, const uint8_t* short_codes, int n_values,
                      const uint16_t* classes, int n_classes, Cell* cells) noexcept nogil:
    # The same in whole numbers, where every case counts one.
    _add_up(rows, n, short_codes, classes, NULL, n_classes, <Py_ssize_t> (n_values + 1) * n_classes, cells, NULL)


ctypedef fused code_t:
    uint8_t
    int32_t


cdef void _add_up(const int32_t* rows, Py_ssize_t n, const code_t* codes, const uint16_t* classes,
                  const Weights* weights, int n_classes, Py_ssize_t size, Cell* cells, double* counts) noexcept nogil:
    cdef Py_ssize_t i = 0, row, first = 0
    cdef int32_t[FEW_CELLS] second
    cdef double[FEW_CELLS] other
    if code_t is int32_t:
        first = -n_classes
    if weights == NULL:
        memset(cells + first, 0, size * sizeof(Cell))
        if size <= FEW_CELLS < n:
            # Alternating between two matrices: an addition to the same cell as the previous one would have to wait.
            memset(second, 0, size * sizeof(int32_t))
            while i + 1 < n:
                row = rows[i]
                cells[<Py_ssize_t> codes[row] * n_classes + classes[row]].integer += 1
                row = rows[i + 1]
                second[<Py_ssize_t> codes[row] * n_classes + classes[row] - first] += 1
                i += 2
            for row in range(size):
                cells[first + row].integer += second[row]
        for i in range(i, n):
            row = rows[i]
            cells[<Py_ssize_t> codes[row] * n_classes + classes[row]].integer += 1
    elif weights.short_ != NULL:
        memset(cells + first, 0, size * sizeof(Cell))
        for i in range(n):
            row = rows[i]
            cells[<Py_ssize_t> codes[row] * n_classes + classes[row]].fraction += weights.short_[row]
    else:
        memset(counts + first, 0, size * sizeof(double))
        if weights.exact and size <= FEW_CELLS < n:
            memset(other, 0, size * sizeof(double))
            while i + 1 < n:
                row = rows[i]
                counts[<Py_ssize_t> codes[row] * n_classes + classes[row]] += weights.long_[row]
                row = rows[i + 1]
                other[<Py_ssize_t> codes[row] * n_classes + classes[row] - first] += weights.long_[row]
                i += 2
            for row in range(size):
                counts[first + row] += other[row]
        for i in range(i, n):
            row = rows[i]
            counts[<Py_ssize_t> codes[row] * n_classes + classes[row]] += weights.long_[row]


cdef void count_listed(const int32_t* rows, Py_ssize_t n, const int32_t* codes, const uint8_t* short_codes, int n_values,
                       const uint16_t* classes, const double* weights, int n_classes, double* counts) noexcept nogil:
    # The count matrix where classes and weights are listed like the rows, and sums are exact.
    cdef Py_ssize_t i, code, size = <Py_ssize_t> (n_values + 1) * n_classes
    memset(counts, 0, size * sizeof(double))
    for i in range(n):
        code = short_codes[rows[i]] if short_codes != NULL else codes[rows[i]] + 1
        counts[code * n_classes + classes[i]] += weights[i]


cdef class _Arrays:
    # The arguments of the two functions below as the kernels take them.
    cdef uint16_t[::1] classes
    cdef float[::1] short_
    cdef double[::1] long_
    cdef Weights held
    cdef const Weights* weights

    def __cinit__(self, classes, weights, bint single):
        self.classes = np.asarray(classes).astype(np.uint16)
        if weights is None:
            return
        self.weights = &self.held
        if single:
            self.short_ = np.array(weights, dtype=np.float32)
            self.held.short_ = &self.short_[0]
        else:
            self.long_ = np.array(weights, dtype=np.float64)
            self.held.long_ = &self.long_[0]


def class_counts(const int32_t[::1] rows, classes, int n_classes, weights=None, bint single=False):
    """Weight of each class among `rows`, added up in 32 bits if `single`."""
    result = np.zeros(n_classes)
    cdef double[::1] counts = result
    cdef _Arrays arrays
    if rows.shape[0]:
        arrays = _Arrays(classes, weights, single)
        count_classes(&rows[0], rows.shape[0], &arrays.classes[0], arrays.weights, n_classes, &counts[0])
    return result


def value_counts(const int32_t[::1] rows, const int32_t[::1] codes, int n_values, classes, int n_classes, weights=None,
                 bint single=False):
    """Count matrix of a discrete attribute among `rows`: unknown first, then a row per value."""
    result = np.zeros((n_values + 1, n_classes))
    cdef double[:, ::1] counts = result
    cdef _Arrays arrays
    cdef Memory memory
    cdef Cell* cells
    if rows.shape[0]:
        arrays = _Arrays(classes, weights, single)
        memory = Memory()
        cells = <Cell*> memory.raw((n_values + 1) * n_classes, sizeof(Cell))
        count_values(&rows[0], rows.shape[0], &codes[0], NULL, n_values, &arrays.classes[0], arrays.weights, n_classes,
                     cells, &counts[0, 0])
    return result
