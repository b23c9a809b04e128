# Which cuts of a continuous attribute can be tried at a node.

from libc.stdint cimport int32_t, uint8_t

from ctree_ext.base.cases cimport Cases
from ctree_ext.grow.candidates cimport GainCandidate
from ctree_ext.grow.scratch cimport MAX_HELD, NodeView, Scratch
from ctree_ext.grow.sorting cimport Entry, Sorted


ctypedef struct NextColumn:
    # What the search on the next continuous attribute needs to know about the list, found while this one sorts it.
    const int32_t* rows      # the list
    const uint8_t* missing   # per row, whether the next attribute is unknown; NULL where it never is
    int32_t* unknown         # where in the list the cases stand whose value of it is unknown
    Py_ssize_t n_unknown
    float total              # the weight of all cases, added up as they stand in the list


ctypedef struct ThresholdScan:
    # The state of a scan for the best threshold.
    const Sorted* column
    const Entry* order
    Py_ssize_t n_known
    Py_ssize_t n_fractional  # of these at most
    double known
    Py_ssize_t block     # how many cases are skipped, or scanned, at a time
    bint in_blocks       # where every case counts one: whether the class counts of blocks stand in `sums`
    double unknown_rate
    double base          # the information before the split
    bint base_is_exact   # else it is approximate
    double min_cases     # each side must have this weight, and `min_split` too
    double min_split
    double tolerance     # how far the approximate gain may be from the exact one
    Py_ssize_t start     # cuts can be made after the cases from here to before `end`
    Py_ssize_t end
    Py_ssize_t n_cuts    # how many cuts can be tried
    bint apart           # whether there is one between any two known values
    double limit         # a cut that leaves more information cannot win
    double cost          # of choosing among the cuts, taken off every gain
    double best_gain
    double best_low
    GainCandidate best
    # cuts put aside, to be evaluated at the end
    Py_ssize_t n_held
    double[MAX_HELD] held_info
    double[MAX_HELD] held_low
    Py_ssize_t[MAX_HELD] held_place


cdef Py_ssize_t count_known(const Sorted* column, const NodeView* node) noexcept nogil
cdef void note_unknown(const int32_t* rows, Py_ssize_t n, NextColumn* next_column) noexcept nogil
cdef void list_known(const Entry* order, Py_ssize_t n, const float* weights, int32_t* rows,
                     NextColumn* next_column) noexcept nogil
cdef void find_range(ThresholdScan* scan, const Cases* cases, const NodeView* node, Scratch* scratch, int32_t* rows,
                     NextColumn* next_column) noexcept nogil
