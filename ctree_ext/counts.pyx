"""Class counts over rows and weights."""

import numpy as np

from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from ctree_ext.caselist cimport sum_weights
from ctree_ext.numeric cimport rounded


cdef double count_classes(const int32_t* rows, Py_ssize_t n, const int32_t* classes, const double* weights,
                          int n_classes, bint single, double* counts) noexcept nogil:
    # The weight of each class among these rows, and of all; `weights` NULL counts every case once.
    cdef Py_ssize_t i
    memset(counts, 0, n_classes * sizeof(double))
    if weights == NULL:
        for i in range(n):
            counts[classes[rows[i]]] += 1.0
    else:
        for i in range(n):
            counts[classes[rows[i]]] = rounded(counts[classes[rows[i]]] + weights[rows[i]], single)
    return sum_weights(rows, n, weights, single)


cdef void count_values(const int32_t* rows, Py_ssize_t n, const int32_t* codes, int n_values, const int32_t* classes,
                       const double* weights, int n_classes, bint single, Cell* cells, double* counts) noexcept nogil:
    # The count matrix of a discrete attribute: row 0 for unknown values, row v + 1 for value v. `cells` is working
    # memory of the same shape.
    cdef Py_ssize_t i, row, size = (n_values + 1) * n_classes
    if weights == NULL:
        memset(cells, 0, size * sizeof(Cell))
        for i in range(n):
            row = rows[i]
            cells[(codes[row] + 1) * n_classes + classes[row]].whole += 1
        for i in range(size):
            counts[i] = cells[i].whole
    elif single:
        memset(cells, 0, size * sizeof(Cell))
        for i in range(n):
            row = rows[i]
            cells[(codes[row] + 1) * n_classes + classes[row]].part += <float> weights[row]
        for i in range(size):
            counts[i] = cells[i].part
    else:
        memset(counts, 0, size * sizeof(double))
        for i in range(n):
            row = rows[i]
            counts[(codes[row] + 1) * n_classes + classes[row]] += weights[row]


def class_counts(const int32_t[::1] rows, const int32_t[::1] classes, int n_classes, weights=None, bint single=False):
    """Weight of each class among `rows`."""
    cdef const double[::1] w = weights
    cdef const double* pointer = NULL
    result = np.zeros(n_classes)
    cdef double[::1] counts = result
    if rows.shape[0]:
        if weights is not None:
            pointer = &w[0]
        count_classes(&rows[0], rows.shape[0], &classes[0], pointer, n_classes, single, &counts[0])
    return result


def value_counts(const int32_t[::1] rows, const int32_t[::1] codes, int n_values, const int32_t[::1] classes,
                 int n_classes, weights=None, bint single=False):
    """Count matrix of a discrete attribute among `rows`: unknown first, then a row per value."""
    cdef const double[::1] w = weights
    cdef const double* pointer = NULL
    result = np.zeros((n_values + 1, n_classes))
    cdef double[:, ::1] counts = result
    cdef Cell* cells
    if rows.shape[0]:
        if weights is not None:
            pointer = &w[0]
        cells = <Cell*> malloc((n_values + 1) * n_classes * sizeof(Cell))
        if cells == NULL:
            raise MemoryError
        count_values(&rows[0], rows.shape[0], &codes[0], n_values, &classes[0], pointer, n_classes, single, cells,
                     &counts[0, 0])
        free(cells)
    return result
