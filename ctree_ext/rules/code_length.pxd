# Code lengths in bits: what it takes to tell the exceptions to a set of rules.

cdef double log2_of(double x) noexcept nogil
cdef double exceptions(Py_ssize_t n, double log_n, Py_ssize_t covered, Py_ssize_t wrong,
                       Py_ssize_t missed) noexcept nogil


cdef inline double as_float(double x) noexcept nogil:
    # Rounded to 32 bits.
    return <double> <float> x


ctypedef struct RoughTable:
    # The code length of exceptions, without rounding on the way.
    Py_ssize_t n
    double log_n
    const double* logs        # [2 n + 1] log2, NULL where there are too many cases for it
    const double* products    # [n + 1] k log2 k


cdef class RoughExceptions:
    cdef RoughTable table
    cdef object arrays
    cdef readonly double tolerance


cdef inline double _shared(const RoughTable* table, Py_ssize_t n, Py_ssize_t errors, Py_ssize_t both) noexcept nogil:
    # For the larger part, in which half of all errors are expected.
    if both == 0:
        return 0.0
    return table.products[n] + n - errors * table.logs[both] - (n - errors) * table.logs[2 * n - both]


cdef inline double _own(const RoughTable* table, Py_ssize_t n, Py_ssize_t errors) noexcept nogil:
    # For the smaller part, in which as many are expected as there are.
    return table.products[n] - table.products[errors] - table.products[n - errors]


cdef inline double rough_exceptions(const RoughTable* table, Py_ssize_t covered, Py_ssize_t wrong,
                                    Py_ssize_t missed) noexcept nogil:
    cdef Py_ssize_t n = table.n, both = wrong + missed
    # If errors are more than cases right, the complement of their rate could be inexact.
    if table.logs == NULL or both > max(covered, n - covered):
        return exceptions(n, table.log_n, covered, wrong, missed)
    if 2 * covered > n:
        return table.log_n + _shared(table, covered, wrong, both) + _own(table, n - covered, missed)
    return table.log_n + _own(table, covered, wrong) + _shared(table, n - covered, missed, both)
