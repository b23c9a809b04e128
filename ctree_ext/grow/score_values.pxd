from ctree_ext.base.cases cimport Cases
from ctree_ext.grow.candidates cimport ScoreCandidate
from ctree_ext.grow.score_search cimport ScoreSearch
from ctree_ext.grow.scratch cimport NodeView, Scratch

cdef ScoreCandidate best_score_division(const ScoreSearch* search, const Cases* cases, int attribute,
                                        const NodeView* node, Scratch* scratch) noexcept nogil
cdef ScoreCandidate best_score_value(const ScoreSearch* search, const Cases* cases, int attribute,
                                     const NodeView* node, Scratch* scratch) noexcept nogil
