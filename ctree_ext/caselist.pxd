# The list of a node's cases in release 8's own order.
#
# Sums of fractions of cases are rounded to 32 bits after every case, so they depend on the order in which the cases
# are added. Release 8 keeps its cases in one list: a test of a continuous attribute sorts a node's stretch of it, a
# split swaps the cases of each branch to the front. Where data have unknown values, the list is kept the same way.

from libc.stdint cimport int32_t, uint8_t, uint32_t

from ctree_ext.cases cimport Cases
from ctree_ext.nodes cimport Nodes
from ctree_ext.sorting cimport Entry

cdef Py_ssize_t group_branch(int32_t* rows, Py_ssize_t start, Py_ssize_t end, const Cases* cases, const Nodes* nodes,
                             Py_ssize_t node, int branch) noexcept nogil
cdef void group_by_side(int32_t* rows, Py_ssize_t start, Py_ssize_t end, const uint8_t* side,
                        uint8_t wanted) noexcept nogil
cdef void group_unknown_again(int32_t* rows, Py_ssize_t n, const Cases* cases, const Nodes* nodes, Py_ssize_t node,
                              uint8_t* side) noexcept nogil
cdef void group_unknown(int32_t* rows, Py_ssize_t n, const Entry* unknown, Py_ssize_t n_unknown,
                        uint8_t* flag) noexcept nogil
cdef void sort_known(int32_t* rows, Py_ssize_t n, Entry* order, uint32_t* rank_of, uint32_t* ties,
                     Entry* spare) noexcept nogil
