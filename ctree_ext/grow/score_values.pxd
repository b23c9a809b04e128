# The best test of a discrete attribute, from cases or from counts.

from ctree_ext.base.cases cimport Cases
from ctree_ext.grow.candidates cimport ScoreCandidate
from ctree_ext.grow.score_search cimport ScoreSearch, ValueMatrix
from ctree_ext.grow.scratch cimport NodeView, Scratch


cdef ValueMatrix count_matrix(const Cases* cases, int attribute, const NodeView* node,
                              Scratch* scratch) noexcept nogil
cdef bint is_test(const ScoreSearch* search, const ValueMatrix* matrix, int row) noexcept nogil
cdef ScoreCandidate best_score_division(const ScoreSearch* search, const Cases* cases, int attribute,
                                        const NodeView* node, Scratch* scratch) noexcept nogil
cdef ScoreCandidate best_score_value(const ScoreSearch* search, const Cases* cases, int attribute,
                                     const NodeView* node, Scratch* scratch) noexcept nogil
cdef void sum_matrix(ValueMatrix* matrix, const double* counts, int n_classes, Scratch* scratch) noexcept nogil
cdef ScoreCandidate score_division(const ScoreSearch* search, const ValueMatrix* matrix, int C, const NodeView* node,
                                   Scratch* scratch) noexcept nogil
cdef ScoreCandidate score_value(const ScoreSearch* search, const ValueMatrix* matrix, int n_values, int C,
                                const NodeView* node, Scratch* scratch) noexcept nogil
