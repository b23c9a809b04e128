# Columns that were sorted once, for tables of cases that are drawn from theirs.

from libc.stdint cimport int32_t, uint16_t, uint64_t

from ctree_ext.base.memory cimport Memory
from ctree_ext.grow.sorting cimport Sorted


cdef class SortedColumns:
    cdef Memory memory
    cdef tuple columns
    cdef Py_ssize_t n
    cdef Sorted* floats      # per attribute, sorted as 32-bit and as 64-bit numbers; empty until they are asked for
    cdef Sorted* doubles
    cdef object lock

    cdef const Sorted* column(self, int attribute, bint single) except NULL


cdef class DrawnColumns:
    cdef SortedColumns original
    cdef bint has_times              # else each of the original cases is there once
    cdef const int32_t[::1] times    # how often it was drawn
    cdef const int32_t[::1] first    # where its copies begin
    cdef readonly Py_ssize_t n
    cdef readonly int n_chosen
    cdef readonly uint64_t key

    cdef int fill(self, int attribute, Sorted* column, bint single, const uint16_t* classes, int n_classes) except -1
    cdef void take(self, const Sorted* whole, Sorted* column, bint single, const uint16_t* classes) noexcept nogil
