# The cases that fail a condition, a bit each; condition_bits.pyx explains which are kept.

from libc.stdint cimport int32_t, uint8_t, uint64_t

from ctree_ext.base.cases cimport CaseTable
from ctree_ext.base.memory cimport Memory
from ctree_ext.base.nodes cimport Nodes


cdef class ConditionBits:
    cdef CaseTable table
    cdef Memory memory
    cdef Py_ssize_t n, words, n_bytes
    cdef const float** singles    # [n_attributes] numbers in 32 bits, NULL where nobody asks for them
    cdef uint8_t* unknown    # [n_attributes] whether some case has no number there: 1 no, 2 yes, 0 not looked
    cdef uint64_t*** kept         # [n_attributes, n_values] sets of values, NULL where they are not kept

    cdef int prepare(self, const Nodes* nodes) except -1
    cdef int add_singles(self, int attribute) except -1
    cdef void look_for_unknown(self, int attribute) noexcept nogil
    cdef bint has_unknown(self, int attribute) noexcept nogil
    cdef int keep_values(self, int attribute) except -1
    cdef const uint64_t* failing(self, const Nodes* nodes, Py_ssize_t above, int branch, uint64_t* room) noexcept nogil
    cdef const uint64_t* value_set(self, int attribute, int value, uint64_t* room) noexcept nogil
    cdef const uint64_t* cut_set(self, int attribute, double cut, bint above, uint64_t* room) noexcept nogil
    cdef array_of(self, const uint64_t* words)
