# Cases in one list that is kept in release 8's order.

from libc.stdint cimport int32_t, uint8_t, uint32_t

from ctree_ext.grow.frames cimport Frame
from ctree_ext.grow.storage cimport CaseStorage


cdef class ListStorage(CaseStorage):
    cdef bint is_copy        # of the cases of a subtree
    cdef uint8_t** missing   # per continuous attribute, which rows have no value; NULL where all have one
    cdef uint32_t* place_of  # per row, working memory of the list's sort
    cdef uint32_t* ties
    cdef uint8_t* by_position  # like `side`, but per place in the list
    cdef Py_ssize_t n_reorderings  # how often a node has put the list into another order

    cdef void scale_unknown(self, const Frame* frame, int branch, bint down) noexcept nogil
    cdef bint is_worth_a_copy(self, const Frame* frame) noexcept nogil
    cdef int take_copy(self, ListStorage original, const Frame* frame, const int32_t[::1] rows) except -1
    cdef int hand_back(self, ListStorage original, const Frame* frame, const int32_t[::1] rows) except -1
