from libc.stdint cimport int32_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from ctree_ext.base.memory cimport Memory

cdef extern from *:
    """
    #define CTREE_UNKNOWN_RANK 0xFFFFFFFFu
    """
    uint32_t UNKNOWN_RANK "CTREE_UNKNOWN_RANK"


cdef extern from *:
    """
    #define CTREE_NEAR 1e-5
    """
    double NEAR "CTREE_NEAR"  # no threshold is put between values nearer than this


ctypedef struct Entry:
    # A case in the sorted column of a continuous attribute: its row, and a rank in the order of its value. For floats
    # the rank is the number itself, its bits changed so that they order like integers: looking values up in a table
    # instead took a third of the time of the search for thresholds. For doubles it is the index of the value among the
    # distinct ones; its lowest bits may hold the class of the case, see `Sorted`.
    uint32_t rank
    int32_t row


ctypedef struct Sorted:
    # A continuous attribute: its cases by value, unknown last, and its distinct values, as floats where they are
    # floats.
    Entry* order
    Py_ssize_t n_distinct
    float* distinct32
    double* distinct64
    int class_bits       # this many bits of a rank are the class of the case, so that it need not be looked up
    bint spaced          # a threshold can be put between any two distinct values
    bint apart           # for scores: no two cases have the same value
    uint32_t most_near   # doubles: ranks further apart than this have a gap; nearer ones need a look at the values


cdef inline uint32_t float_rank(float value) noexcept nogil:
    # Flip all bits of a negative number, the sign bit of the others. 0 and -0 are one value.
    cdef uint32_t bits
    value += 0.0
    memcpy(&bits, &value, 4)
    return bits ^ (0xFFFFFFFFU if bits >> 31 else 0x80000000U)


cdef inline float float_of_rank(uint32_t rank) noexcept nogil:
    cdef float value
    rank ^= 0x80000000U | ~<uint32_t> (<int32_t> rank >> 31)  # float_rank undone, without a jump
    memcpy(&value, &rank, 4)
    return value


cdef inline double value_of_rank(const Sorted* column, uint32_t rank) noexcept nogil:
    return column.distinct64[rank] if column.distinct64 != NULL else <double> float_of_rank(rank)


cdef inline double distinct_value(const Sorted* column, Py_ssize_t place) noexcept nogil:
    return <double> column.distinct32[place] if column.distinct32 != NULL else column.distinct64[place]


cdef inline bint is_gap(const Sorted* column, uint32_t below, uint32_t above) noexcept nogil:
    # Whether a threshold can be put between two neighbours of these ranks. Doubles follow J48, which adds where
    # release 8 subtracts.
    if below == above:
        return False
    if column.distinct64 != NULL:
        return above - below > column.most_near or column.distinct64[below] + NEAR < column.distinct64[above]
    return <double> float_of_rank(below) < <double> float_of_rank(above) - NEAR


cdef inline Py_ssize_t sorting_scratch_size(Py_ssize_t n) noexcept nogil:
    # How many 64-bit numbers of scratch it takes to sort so many cases; most are rarely touched.
    return 6 * max(n, 1)


cdef int allocate_column(Sorted* column, Py_ssize_t n, bint single, bint with_values, Memory memory) except -1
cdef void sort_column(const double* values, const float* short_values, Py_ssize_t n, bint single, Sorted* column,
                      uint64_t* scratch) noexcept nogil
cdef void sort_with_classes(const double* values, Py_ssize_t n, const uint16_t* classes, int n_classes, Sorted* column,
                            uint64_t* scratch) noexcept nogil
cdef int class_bits_of(Py_ssize_t n, int n_classes) noexcept nogil
cdef uint32_t most_near(const double* distinct, Py_ssize_t n) noexcept nogil
cdef bint is_spaced(const float* distinct, Py_ssize_t n) noexcept nogil
