# The columns of some coded cases; columns.pyx explains them.

from libc.stdint cimport int64_t, uint16_t, uint32_t

from ctree_ext.base.memory cimport Memory


ctypedef struct Column:
    # One that nobody asked for has a width of 0.
    const void* codes
    const double* numbers   # NULL: every bin has one value, or the attribute is discrete
    int width               # of a code, in bytes: 1, 2 or 4
    uint32_t n_codes        # codes are below this


ctypedef struct Range:
    uint32_t least
    uint32_t most


cdef class Columns:
    cdef Memory memory
    cdef Py_ssize_t n
    cdef Py_ssize_t n_attributes
    cdef Column* columns
    cdef Column classes
    cdef const int64_t* weights   # NULL: every case counts `one`
    cdef int64_t one
    cdef object keep

    cdef object _take(self, Column* column, array, n_codes)
    cdef int _check_length(self, Py_ssize_t length) except -1
    cdef bint in_range(self, const Column* column, Py_ssize_t start, Py_ssize_t n, uint32_t* least) noexcept nogil
    cdef void note_classes(self, Py_ssize_t start, Py_ssize_t n, uint16_t* classes) noexcept nogil
