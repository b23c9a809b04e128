# Sums that are rounded after every term, of all terms but two; rounded_sums.pyx explains how.

from libc.stdint cimport int64_t

from ctree_ext.base.memory cimport Memory

cdef enum:
    N_SLOTS = 16     # binades that a step remembers leaps for
    MAX_LEVELS = 32


ctypedef struct Leap:
    # What consecutive terms add to a sum within one binade, in units of its last place, if that place is even or odd;
    # and how far below and above its beginning the sum comes on the way.
    int64_t sum[2]
    int64_t least[2]
    int64_t most[2]


ctypedef struct Leaps:
    # For one binade, a leap over every 2^level terms.
    int exponent             # of the binade; no binade has 0
    Leap* levels[MAX_LEVELS]
    Leap* all_


ctypedef struct RoundedSums:
    bint single              # rounded to 32 bits
    Py_ssize_t n
    Py_ssize_t room
    double* terms
    double* before           # the sum of the terms before each
    Leaps* slots


cdef int sums_make_room(RoundedSums* sums, Memory memory, Py_ssize_t room, bint single) except -1 nogil
cdef void sums_start(RoundedSums* sums, Py_ssize_t n, double first) noexcept nogil
cdef double sum_over(RoundedSums* sums, double total, Py_ssize_t start, Py_ssize_t end, Memory memory) noexcept nogil
cdef double sum_with_joined(RoundedSums* sums, Py_ssize_t i, Py_ssize_t j, double joined,
                            Memory memory) noexcept nogil
