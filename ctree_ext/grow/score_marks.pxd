# Approximate scores of many divisions at once, and the best threshold at a node where cases count in fractions.

from libc.stdint cimport int64_t

from ctree_ext.base.cases cimport Cases
from ctree_ext.grow.score_scan cimport Scan
from ctree_ext.grow.score_search cimport ScoreSearch, ValueMatrix
from ctree_ext.grow.scratch cimport NodeView, Scratch
from ctree_ext.grow.split_scores cimport ScoreFunction


cdef enum:
    MARKED_CLASSES = 8   # with more, marks take too long; as in marks.h
    MARKS = 136          # a multiple of four
    MARKED_CASES = 8191  # with more, marks are too far apart


ctypedef struct Divisions:
    # Class weights of divisions of the same cases in two. Gain is of a node whose weight is 1, else numbers in 32 bits
    # would not be exact enough.
    Py_ssize_t n
    Py_ssize_t n_classes
    double scale             # what weights are multiplied by
    double weight            # what scores are multiplied by
    double base              # the score of the node
    double slack             # how far a score may be off
    float[MARKED_CLASSES][MARKS] low
    float[MARKED_CLASSES][MARKS] high
    float[MARKED_CLASSES][MARKS] parts   # what each class adds on both sides
    float[MARKS] below       # the weight of either side
    float[MARKS] above
    float[MARKS] scores      # of each division, before those of the node are taken away


ctypedef struct MarkSurvey:
    # Of the best threshold of a column.
    double least             # what it scores at least and at most
    double most
    Py_ssize_t n_tests       # if tests are counted


cdef bint can_mark(const ScoreFunction* function) noexcept nogil
cdef void lay_lanes(const NodeView* node, Py_ssize_t n_classes, double unit, int64_t* lanes) noexcept nogil
cdef void lay_units(const NodeView* node, double unit, int64_t* units) noexcept nogil
cdef void begin_divisions(Divisions* divisions, const ScoreSearch* search, const NodeView* node,
                          const double* classes, double known) noexcept nogil
cdef void score_divisions(Divisions* divisions, const ScoreSearch* search, const NodeView* node) noexcept nogil
cdef double most_of_division(const ScoreSearch* search, const ValueMatrix* matrix, const NodeView* node,
                             Scratch* scratch) noexcept nogil
cdef MarkSurvey survey_marks(const ScoreSearch* search, Scan* scan, const Cases* cases, const NodeView* node,
                             Scratch* scratch) noexcept nogil
cdef void scan_marks(const ScoreSearch* search, Scan* scan, const Cases* cases, const NodeView* node,
                     Scratch* scratch) noexcept nogil
