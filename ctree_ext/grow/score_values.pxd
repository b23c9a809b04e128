# The best test of a discrete attribute, from cases or from counts.

from libc.stdint cimport int32_t

from ctree_ext.base.cases cimport Cases
from ctree_ext.grow.candidates cimport ScoreCandidate
from ctree_ext.grow.score_search cimport ScoreSearch
from ctree_ext.grow.scratch cimport NodeView, Scratch


ctypedef struct ValueMatrix:
    # Class counts of the values of a discrete attribute at a node.
    const double* counts
    const double* sizes      # of each row
    const int32_t* codes     # the value of each row; NULL where row v is value v
    int n_rows
    double known


cdef ScoreCandidate best_score_division(const ScoreSearch* search, const Cases* cases, int attribute,
                                        const NodeView* node, Scratch* scratch) noexcept nogil
cdef ScoreCandidate best_score_value(const ScoreSearch* search, const Cases* cases, int attribute,
                                     const NodeView* node, Scratch* scratch) noexcept nogil
cdef void sum_matrix(ValueMatrix* matrix, const double* counts, int n_classes, Scratch* scratch) noexcept nogil
cdef ScoreCandidate score_division(const ScoreSearch* search, const ValueMatrix* matrix, int C, const NodeView* node,
                                   Scratch* scratch) noexcept nogil
cdef ScoreCandidate score_value(const ScoreSearch* search, const ValueMatrix* matrix, int n_values, int C,
                                const NodeView* node, Scratch* scratch) noexcept nogil
