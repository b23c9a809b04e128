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
    const int32_t** codes
    const uint8_t** short_codes  # code + 1 in a byte, where that suffices, else NULL: counted from all the time
    const double** values
    const uint16_t* classes  # in 16 bits, for they are looked up everywhere in no order
    const double* weights
    double unit              # weights are whole numbers of this, a power of two; 0: any
    bint single


cdef class CaseTable:
    cdef Memory memory
    cdef Cases cases
    cdef tuple keep
    cdef readonly double total_weight
    cdef CaseTable part(self, const int32_t* rows, Py_ssize_t n)
