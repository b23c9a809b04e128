"""Code lengths, in bits: logarithms of factorials, and the exceptions to a set of rules.

All of them are rounded to 32 bits where release 8 rounds, whatever the number of cases.
"""

import numpy as np

from libc.math cimport log

from ctree_ext.base.numeric cimport LN2

cdef double IMPOSSIBLE = 1e6  # bits, for errors where none are expected
cdef double ULP = 2.0 ** -24  # of a 32-bit float, to the number itself
MAX_TABLE = 2**22             # cases for which logarithms are looked up


cdef double log2_of(double x) noexcept nogil:
    return log(x) / LN2 if x > 0 else 0.0


cdef inline double _biased(Py_ssize_t n, Py_ssize_t errors, double expected) noexcept nogil:
    # The bits to identify the errors among n cases, when so many are expected.
    cdef double rate
    if expected <= 1e-6:
        return 0.0 if errors == 0 else IMPOSSIBLE
    if expected >= n - 1e-6:
        return 0.0 if errors == n else IMPOSSIBLE
    rate = as_float(expected / n)
    return as_float(-(<double> errors) * log2_of(rate) - <double> (n - errors) * log2_of(as_float(1 - rate)))


cdef double exceptions(Py_ssize_t n, double log_n, Py_ssize_t covered, Py_ssize_t wrong,
                       Py_ssize_t missed) noexcept nogil:
    # In the larger part half of all errors are expected, in the smaller one as many as there are.
    cdef double half = as_float(<double> (wrong + missed) / 2), bits
    if 2 * covered > n:
        bits = as_float(log_n + _biased(covered, wrong, half))
        return as_float(bits + _biased(n - covered, missed, missed))
    bits = as_float(log_n + _biased(covered, wrong, wrong))
    return as_float(bits + _biased(n - covered, missed, half))


cdef class RoughExceptions:
    """The code length of exceptions without rounding on the way, from tables: a fifth of the time.

    Parameters
    ----------
    n : int
        All cases.

    Attributes
    ----------
    tolerance : float
        By how much it can differ from the one that is rounded, but for the rounding of that itself.
    """

    def __cinit__(self, Py_ssize_t n):
        cdef double[::1] logs, products
        self.table.n = n
        self.table.log_n = as_float(log2_of(n))
        if n > MAX_TABLE:
            return
        # A rate is off by a share of 2^-24, and so is its complement, of a rate of up to a half by twice as much: that
        # times 1/ln 2 for each case.
        self.tolerance = 3 * ULP * n
        whole = np.arange(2 * n + 1, dtype=np.float64)
        whole[0] = 1.0
        logs = np.log2(whole)
        products = np.asarray(logs)[:n + 1] * whole[:n + 1]
        self.arrays = (np.asarray(logs), np.asarray(products))
        self.table.logs, self.table.products = &logs[0], &products[0]


def rough_exception_bits(Py_ssize_t n, Py_ssize_t covered, Py_ssize_t wrong, Py_ssize_t missed):
    """What `exception_bits` says, approximately, and by how much it can be off before that is rounded."""
    cdef RoughExceptions rough = RoughExceptions(n)
    return rough_exceptions(&rough.table, covered, wrong, missed), rough.tolerance


def exception_bits(Py_ssize_t n, Py_ssize_t covered, Py_ssize_t wrong, Py_ssize_t missed):
    """The code length of the errors of a class's rules: `wrong` among the covered cases, `missed` among the rest."""
    return exceptions(n, as_float(log2_of(n)), covered, wrong, missed)


def log_factorials(Py_ssize_t largest):
    """log2 of 0!, 1!, ..., `largest`!: sums in double of logarithms in 32 bits."""
    result = np.zeros(largest + 1)
    cdef double[::1] sums = result
    cdef Py_ssize_t i
    for i in range(2, largest + 1):
        sums[i] = sums[i - 1] + as_float(log2_of(i))
    return result
