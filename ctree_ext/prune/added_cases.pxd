# The errors to expect of a subtree that takes over more cases.

from libc.stdint cimport int32_t

from ctree_ext.base.cases cimport Cases
from ctree_ext.base.memory cimport Memory
from ctree_ext.base.nodes cimport Nodes
from ctree_ext.base.stack cimport FrameStack
from ctree_ext.prune.error_estimate cimport ErrorEstimate


ctypedef struct Moved:
    # A case that is added, and the branch that it takes at the node where it is.
    int32_t row
    int32_t branch


cdef class AddedCases:
    cdef const Cases* cases
    cdef const Nodes* nodes
    cdef const ErrorEstimate* estimate
    cdef Memory memory
    cdef FrameStack stack
    cdef int32_t* own        # per node, its cases of each class
    cdef int32_t* n_own      # per node, its cases
    cdef int32_t* counts     # of one leaf
    cdef Moved* moved
    cdef Moved* spare
    cdef Py_ssize_t* place
    cdef double so_far       # the errors of all leaves passed, rounded nowhere
    cdef double most         # beyond this, the rest need not be known

    cdef int set_up(self, const Cases* cases, const Nodes* nodes, const ErrorEstimate* estimate,
                    AddedCases known) except -1
    cdef void note(self, Py_ssize_t node, const double* counts, Py_ssize_t n) noexcept nogil
    cdef double errors_with(self, Py_ssize_t node, const int32_t* rows, Py_ssize_t n, Py_ssize_t left_out,
                            Py_ssize_t n_left_out, double most) except -1.0 nogil
    cdef int enter(self, Py_ssize_t node, Moved* moved, Py_ssize_t n) except -1 nogil
    cdef void divide(self, Py_ssize_t node, Moved* moved, Py_ssize_t n) noexcept nogil
    cdef double leaf_with(self, Py_ssize_t node, const Moved* moved, Py_ssize_t n) noexcept nogil
