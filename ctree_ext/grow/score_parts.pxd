# The best threshold by a score at a node where cases count in fractions.

from ctree_ext.base.cases cimport Cases
from ctree_ext.grow.score_scan cimport Scan
from ctree_ext.grow.score_search cimport ScoreSearch
from ctree_ext.grow.scratch cimport NodeView, Scratch

cdef void scan_parts(const ScoreSearch* search, Scan* scan, const Cases* cases, const NodeView* node,
                     Scratch* scratch) noexcept nogil
