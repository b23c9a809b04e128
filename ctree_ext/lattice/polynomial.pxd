# What all trees say of a case, as a polynomial of its answers to the tests.

from libc.stdint cimport int32_t, int64_t, uint8_t

from ctree_ext.base.memory cimport Memory

cdef enum:
    MAX_DEGREE = 8


cdef class Polynomial:
    cdef Memory memory
    cdef readonly Py_ssize_t n_tests, degree, n_terms
    cdef readonly int n_classes
    cdef int64_t* binomials              # [degree + 1, n_tests + 1] how many sets of so many tests are before each test
    cdef int64_t[MAX_DEGREE + 1] offset  # where the terms of so many tests begin
    cdef double[:, ::1] coefficients     # [n_terms, n_classes]
    cdef const uint8_t[::1] flips
    # The node from which on terms are added: its condition as a sum of products of answers.
    cdef int32_t[1 << MAX_DEGREE][MAX_DEGREE] product
    cdef int[1 << MAX_DEGREE] size
    cdef double[1 << MAX_DEGREE] sign
    cdef Py_ssize_t n_products

    cdef void stand_at(self, const int32_t* items, Py_ssize_t n) noexcept nogil
    cdef void add(self, int32_t one, int32_t other, const double* said) noexcept nogil
    cdef void sum_up(self, const int32_t* passed, Py_ssize_t n, int degree, int64_t at, double* result) noexcept nogil
