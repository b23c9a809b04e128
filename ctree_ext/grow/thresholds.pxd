# The best threshold on a continuous attribute at a node.

from libc.stdint cimport int32_t, uint8_t

from ctree_ext.base.cases cimport Cases
from ctree_ext.base.numeric cimport Logs
from ctree_ext.grow.sorting cimport Entry, Sorted
from ctree_ext.grow.splits cimport NodeView, Scored, Scratch


ctypedef struct Totals:
    # The weights that a threshold on a continuous attribute reckons with: of all cases at the node, in the order in
    # which the attribute finds them, and of those whose value is unknown.
    double total
    double unknown


ctypedef struct Ahead:
    # What the next continuous attribute has to know of the list of cases, found while this one brings it into order.
    const uint8_t* missing   # per row, whether the next attribute is unknown; NULL where it never is
    int32_t* unknown         # the cases whose value of it is unknown, as they stand in the list
    Py_ssize_t n_unknown
    float total              # the weight of all cases, added up as they stand in the list
    bint apart               # whether a threshold can be put between any two values of this attribute at this node


cdef Py_ssize_t count_known(const Sorted* column, const NodeView* node) noexcept nogil
cdef void find_unknown(const int32_t* rows, Py_ssize_t n, Ahead* ahead) noexcept nogil
cdef void settle_known(const Entry* order, Py_ssize_t n, const float* weights, int32_t* rows,
                       Ahead* ahead) noexcept nogil
cdef Scored best_threshold(const Cases* cases, const Sorted* column, const NodeView* node, Totals totals,
                           double min_cases, bint charged, const Logs* logs, Scratch* scratch, int32_t* rows,
                           Ahead* ahead) noexcept nogil
