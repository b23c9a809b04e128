# The numeric model: release 8 keeps its figures in 32 bits, and a tree is only the same tree if ours do too.
#
# Everything is held in doubles. Where `single` is set, a result that the original stores in a float is rounded to one;
# the sum, difference, product or quotient of two floats computed in double and then rounded equals the float result.

from libc.math cimport isfinite, log
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy

cdef enum:
    FAST_LOG_BITS = 11
    FAST_LOG_SIZE = 2048  # 2 ** FAST_LOG_BITS

cdef extern from *:
    """
    #define CTREE_LN2 0.693147180559945309417232121458176568
    #define CTREE_NO_GAIN ((double)(float)-0.001)
    #define CTREE_SMALL 1e-6
    """
    double LN2 "CTREE_LN2"
    double NO_GAIN "CTREE_NO_GAIN"  # the original's marker for "no test": a float, just below -0.001
    double SMALL "CTREE_SMALL"      # J48: numbers nearer than this are equal


cdef inline double rounded(double x, bint single) noexcept nogil:
    return <double> <float> x if single else x


cdef inline double midpoint(double low, double high, bint single) noexcept nogil:
    # Halfway between two values, but never the upper one.
    cdef double both = rounded(low + high, single), middle
    # Where their sum is beyond all numbers, the halves lose nothing: they are far from the smallest.
    middle = rounded(both / 2 if isfinite(both) else low / 2 + high / 2, single)
    return low if middle >= high else middle  # rounded up to it


ctypedef struct Logs:
    # n log2 n for integers up to `max_count`, and the tables of `fast_log2`.
    const double* integer
    Py_ssize_t max_count
    const double* fast
    bint single
    double small             # SMALL in J48, 0 in release 8


cdef inline double x_log_x(double x, const Logs* logs) noexcept nogil:
    # x log2 x, 0 for next to nothing; the logarithm is of x as a float, as in release 8.
    cdef Py_ssize_t k
    if x <= logs.small:
        return 0.0
    if x <= <double> logs.max_count:
        k = <Py_ssize_t> x
        if <double> k == x:
            return logs.integer[k]
    return x * (log(rounded(x, logs.single)) / LN2)


cdef inline bint same(double a, double b, double small) noexcept nogil:
    return a == b or (a - b < small and b - a < small)


cdef inline bint at_least(double a, double b, double small) noexcept nogil:
    return a >= b or b - a < small


cdef inline bint at_most(double a, double b, double small) noexcept nogil:
    return a <= b or a - b < small


cdef inline double fast_log2(double x, const double* table) noexcept nogil:
    # log2 of a positive normal number, absolute error under 1e-10: only ever used to rule cuts out, never to choose one.
    cdef uint64_t bits, mantissa
    cdef int64_t exponent
    cdef Py_ssize_t slot
    cdef double m, r
    memcpy(&bits, &x, 8)
    exponent = <int64_t> (bits >> 52) - 1023
    slot = <Py_ssize_t> ((bits >> (52 - FAST_LOG_BITS)) & (FAST_LOG_SIZE - 1))
    mantissa = (bits & 0x000FFFFFFFFFFFFFULL) | 0x3FF0000000000000ULL
    memcpy(&m, &mantissa, 8)
    # table: 1 / centre of the slot, log2 of that centre
    r = m * table[2 * slot] - 1.0
    return <double> exponent + table[2 * slot + 1] + r * (1.4426950408889634 - r * 0.7213475204444817)
