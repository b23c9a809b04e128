# The best threshold by a score at a node where cases count in fractions.

from ctree_ext.base.cases cimport Cases
from ctree_ext.grow.score_scan cimport FEW_CLASSES, Scan
from ctree_ext.grow.score_search cimport ScoreSearch
from ctree_ext.grow.scratch cimport NodeView, Scratch


ctypedef struct Cut:
    # The classes below a cut, and what is known about them.
    double T                        # their weight
    double[FEW_CLASSES] low         # of each class
    double[FEW_CLASSES] parts       # what it adds on both sides, approximately; unless by chi-square
    double[FEW_CLASSES] parted      # the weight of which that was computed


ctypedef struct Block:
    # What the blocks of a scan share.
    const double* classes           # the weight of each class at the node
    const double* weights           # by row
    double base                     # the score of the node itself
    double slack
    double limit                    # a cut that scores no more, approximately, cannot win
    double[FEW_CLASSES] inverses    # 1 / weight of each class, by chi-square


cdef void scan_parts(const ScoreSearch* search, Scan* scan, const Cases* cases, const NodeView* node,
                     Scratch* scratch) noexcept nogil
cdef double slack_of(const Scan* scan, Py_ssize_t n_classes) noexcept nogil
cdef void try_cuts(const ScoreSearch* search, Scan* scan, Block* block, const Cases* cases, const NodeView* node,
                   Py_ssize_t start, Py_ssize_t end, Cut* cut, Scratch* scratch) noexcept nogil
cdef Py_ssize_t tests_in(const ScoreSearch* search, const Scan* scan, Py_ssize_t start, Py_ssize_t end) noexcept nogil
