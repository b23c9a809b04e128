from libc.stdint cimport int32_t, uint32_t

cdef extern from *:
    """
    #define CTREE_UNKNOWN_RANK 0xFFFFFFFFu
    """
    uint32_t UNKNOWN_RANK "CTREE_UNKNOWN_RANK"


ctypedef struct Entry:
    # A case in the sorted list of a continuous attribute: the rank of its value among the distinct ones, and its row.
    uint32_t rank
    int32_t row


ctypedef struct Sorted:
    # A continuous attribute: its cases by value, unknown last, and its distinct values, as floats where they are floats.
    Entry* order
    Py_ssize_t n_distinct
    float* distinct32
    double* distinct64


cdef inline double distinct_value(const Sorted* column, Py_ssize_t rank) noexcept nogil:
    return <double> column.distinct32[rank] if column.distinct32 != NULL else column.distinct64[rank]


cdef int sort_column(const double* values, Py_ssize_t n, bint single, Sorted* column) noexcept nogil
cdef void sorted_free(Sorted* column) noexcept nogil
cdef double held(double value, bint single) noexcept nogil
