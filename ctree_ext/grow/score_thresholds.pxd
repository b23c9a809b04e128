from ctree_ext.base.cases cimport Cases
from ctree_ext.grow.candidates cimport ScoreCandidate
from ctree_ext.grow.score_scan cimport Scan
from ctree_ext.grow.score_search cimport ScoreSearch
from ctree_ext.grow.scratch cimport NodeView, Scratch
from ctree_ext.grow.sorting cimport Sorted

cdef bint begin_scan(const ScoreSearch* search, const Cases* cases, const double* values, const Sorted* column,
                     const NodeView* node, Scratch* scratch, Scan* scan) noexcept nogil
cdef ScoreCandidate best_score_threshold(const ScoreSearch* search, const Cases* cases, const double* values,
                                         const Sorted* column, const NodeView* node, Scratch* scratch) noexcept nogil
cdef ScoreCandidate survey_threshold(const ScoreSearch* search, const Cases* cases, const double* values,
                                     const Sorted* column, const NodeView* node, Scratch* scratch) noexcept nogil
