# The best test of an attribute at a node by a `Measure`.

from ctree_ext.base.cases cimport Cases
from ctree_ext.grow.split_scores cimport Measure
from ctree_ext.grow.sorting cimport Sorted
from ctree_ext.grow.splits cimport NodeView, Scored, Scratch


ctypedef struct Search:
    # What all searches of a tree have in common.
    const Measure* measure
    double min_cases         # two branches must have this weight
    const double* fast       # the table of `fast_log2`
    bint counting            # whether the number of tests matters
    bint listed_cuts         # values are upper bounds of bins: each is a threshold, and there are no others


cdef Scored best_cut(const Search* search, const Cases* cases, const Sorted* column, const NodeView* node,
                     Scratch* scratch) noexcept nogil
cdef Scored best_division(const Search* search, const Cases* cases, int attribute, const NodeView* node,
                          Scratch* scratch) noexcept nogil
cdef Scored best_value(const Search* search, const Cases* cases, int attribute, const NodeView* node,
                       Scratch* scratch) noexcept nogil
