# The list of a node's cases in release 8's own order.
#
# Sums of fractions of cases are rounded to 32 bits after every case, so they depend on the order in which the cases
# are added. Release 8 keeps its cases in one list: a test of a continuous attribute sorts a node's segment of it, a
# split swaps the cases of each branch to the front. Where data have unknown values, the list is kept the same way.

from libc.stdint cimport int32_t, uint8_t, uint32_t

from ctree_ext.base.cases cimport Cases
from ctree_ext.base.nodes cimport Nodes
from ctree_ext.grow.sorting cimport Entry

cdef Py_ssize_t group_branch(int32_t* rows, Py_ssize_t start, Py_ssize_t end, const Cases* cases, const Nodes* nodes,
                             Py_ssize_t node, int branch) noexcept nogil
cdef void note_by_position(const int32_t* rows, Py_ssize_t n, const uint8_t* side, uint8_t* by_position) noexcept nogil
cdef void group_by_position(int32_t* rows, uint8_t* by_position, Py_ssize_t start, Py_ssize_t end, uint8_t wanted,
                      Py_ssize_t n_wanted) noexcept nogil
cdef void bring_forward(int32_t* rows, const int32_t* places, Py_ssize_t n) noexcept nogil
cdef void close_leaf(Py_ssize_t n_unknown, Py_ssize_t n, uint8_t* by_position) noexcept nogil
cdef void close_branch(int32_t* rows, Py_ssize_t n, const int32_t* unknown, Py_ssize_t n_unknown, uint8_t* side,
                       uint8_t* by_position) noexcept nogil
cdef bint sort_known(int32_t* rows, Py_ssize_t n, Entry* order, uint32_t* place_of, uint32_t* ties,
                     Entry* spare) noexcept nogil
