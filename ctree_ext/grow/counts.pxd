# Class counts: the weight of the cases of each class, in a node or per value of an attribute.

from libc.stdint cimport int32_t, uint8_t, uint16_t

from ctree_ext.base.weights cimport Weights

cdef double count_classes(const int32_t* rows, Py_ssize_t n, const uint16_t* classes, const Weights* weights,
                          int n_classes, double* counts) noexcept nogil
ctypedef union Cell:
    # A count while it is being summed: half the size of the double it becomes, and faster to add to.
    int32_t integer
    float fraction

cdef Py_ssize_t count_fractional(const int32_t* rows, Py_ssize_t n, const float* weights) noexcept nogil
cdef void count_values(const int32_t* rows, Py_ssize_t n, const int32_t* codes, const uint8_t* short_codes,
                       int n_values, const uint16_t* classes, const Weights* weights, int n_classes, Cell* cells,
                       double* counts) noexcept nogil
cdef void count_cells(const int32_t* rows, Py_ssize_t n, const uint8_t* short_codes, int n_values,
                      const uint16_t* classes, int n_classes, Cell* cells) noexcept nogil
cdef void count_listed(const int32_t* rows, Py_ssize_t n, const int32_t* codes, const uint8_t* short_codes, int n_values,
                       const uint16_t* classes, const double* weights, int n_classes, double* counts) noexcept nogil
