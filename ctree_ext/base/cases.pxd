from libc.stdint cimport int8_t, int32_t, uint8_t, uint16_t

from ctree_ext.base.memory cimport Memory

cdef enum Kind:
    DISCRETE = 0
    CONTINUOUS = 1
    IGNORED = 2


ctypedef struct Cases:
    # The cases as columns: pointers into numpy arrays that a `CaseTable` keeps alive.
    Py_ssize_t n
    int n_attributes
    int n_classes
    const int8_t* kind
    const int32_t* n_values
    const int32_t** codes        # NULL where there are only short ones
    const uint8_t** short_codes  # code + 1 in a byte, where that suffices, else NULL: counted from all the time
    const double** values        # NULL where there are only short ones
    const float** short_values   # NULL where there are others
    const uint16_t* classes  # in 16 bits, for they are looked up everywhere in no order
    const double* weights
    double unit              # weights are whole numbers of this, a power of two; 0: any
    bint complete_codes      # no discrete value is unknown
    bint single


cdef inline int32_t code_of(const Cases* cases, int attribute, Py_ssize_t row) noexcept nogil:
    if cases.short_codes[attribute] != NULL:
        return <int32_t> cases.short_codes[attribute][row] - 1
    return cases.codes[attribute][row]


cdef inline double value_of(const Cases* cases, int attribute, Py_ssize_t row) noexcept nogil:
    if cases.short_values[attribute] != NULL:
        return <double> cases.short_values[attribute][row]
    return cases.values[attribute][row]


cdef class CaseTable:
    cdef Memory memory
    cdef Cases cases
    cdef tuple keep
    cdef readonly double total_weight
    cdef readonly bint compact  # some columns have only short codes or values
    cdef int add_codes(self, Py_ssize_t attribute, const int32_t[::1] codes, bint shorten) except -1
    cdef int add_short_codes(self, Py_ssize_t attribute, const uint8_t[::1] codes) except -1
    cdef int refuse_compact(self) except -1
    cdef public object drawn  # a `DrawnColumns` where the cases were drawn from others, whose columns are sorted; or None
    cdef CaseTable part(self, const int32_t* rows, Py_ssize_t n)
