# The best threshold by gain at a node of few cases that count in fractions.

from libc.stdint cimport int32_t

from ctree_ext.base.cases cimport Cases
from ctree_ext.grow.score_marks cimport MarkSurvey
from ctree_ext.grow.score_scan cimport Scan
from ctree_ext.grow.score_search cimport ScoreSearch
from ctree_ext.grow.scratch cimport NodeView, Scratch

cdef enum:
    FINE_CASES = 256     # with more, marks take less


cdef int fill_fine_table(int32_t* table) except -1
cdef Py_ssize_t fine_table_size() noexcept nogil
cdef MarkSurvey survey_fine(const ScoreSearch* search, Scan* scan, const Cases* cases, const NodeView* node,
                            Scratch* scratch) noexcept nogil
cdef void scan_fine(const ScoreSearch* search, Scan* scan, const Cases* cases, const NodeView* node,
                    Scratch* scratch) noexcept nogil
