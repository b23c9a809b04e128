from ctree_ext.grow.candidates cimport ScoreCandidate
from ctree_ext.grow.criteria cimport LogTables
from ctree_ext.grow.frames cimport Worker
from ctree_ext.grow.score_search cimport ScoreSearch
from ctree_ext.grow.scratch cimport NodeView
from ctree_ext.grow.split_scores cimport SplitScore
from ctree_ext.grow.stopping cimport StoppingRule
from ctree_ext.grow.tree_grower cimport TreeGrower


cdef class ScoreGrower(TreeGrower):
    cdef SplitScore score
    cdef StoppingRule stopping
    cdef bint binary_splits
    cdef LogTables tables
    cdef ScoreSearch settings
    cdef bint stacked        # cases are divided, in whole units
    cdef bint has_classes    # columns have the classes of their cases, where they are few
    cdef bint same_required  # whether all tests have to reach the same score

    cdef ScoreCandidate best_of_discrete(self, Worker hand, Worker lead, const NodeView* node, int a) noexcept nogil
    cdef ScoreCandidate best_of_continuous(self, Worker hand, const NodeView* node, int a) noexcept nogil
    cdef int search_own(self, Worker hand, Worker lead, const NodeView* node, int part, int parts) except -1 nogil
    cdef int search_marked(self, Worker worker, const NodeView* node, double lowest) except -1 nogil
    cdef double bits(self, double score) noexcept nogil
    cdef bint is_in_doubt(self, Worker worker) noexcept nogil
