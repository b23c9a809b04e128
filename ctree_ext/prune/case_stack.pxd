# The cases of the nodes above the one that is being pruned, for where sums of what they count are exact.

from libc.stdint cimport int32_t

from ctree_ext.base.cases cimport Cases
from ctree_ext.base.memory cimport Memory, Pool
from ctree_ext.base.nodes cimport Nodes


ctypedef struct StackedCases:
    # The cases of a node.
    Py_ssize_t start         # where they stand, unless it is a leaf
    Py_ssize_t n
    Py_ssize_t room          # from here on nothing on the stack is needed
    double weight
    double* counts           # class weights
    # once it is divided
    Py_ssize_t room_below    # the same for its branches
    Py_ssize_t unknown       # where the cases of unknown outcome stand
    Py_ssize_t n_unknown
    double known             # the weight of the others
    Py_ssize_t* sizes        # per branch, cases of known outcome
    Py_ssize_t* ends         # where these end, unless the branch is a leaf; behind them is room for the others
    double* weights          # and what they weigh
    double* counts_below     # per branch, class weights


cdef class CaseStack:
    cdef const Cases* cases
    cdef const Nodes* nodes
    cdef Memory memory
    cdef Py_ssize_t capacity
    cdef int32_t* rows
    cdef double* weights
    cdef int32_t* sides      # of the cases of the node being divided

    cdef int set_up(self, const Cases* cases, const Nodes* nodes, const int32_t* order) except -1
    cdef StackedCases root(self) except *
    cdef int divide(self, StackedCases* stacked, Py_ssize_t node, Pool* memory) except -1 nogil
    cdef void lay_out(self, StackedCases* stacked, Py_ssize_t node) noexcept nogil
    cdef void distribute(self, StackedCases* stacked, Py_ssize_t node) noexcept nogil
    cdef StackedCases branch(self, const StackedCases* stacked, Py_ssize_t node, int b, double share) noexcept nogil
