# What the searches for the best test by a score have in common.

from libc.stdint cimport int32_t

from ctree_ext.grow.scratch cimport NodeView
from ctree_ext.grow.split_scores cimport CHI_SQUARE, ScoreFunction

cdef extern from *:
    """
    #define CTREE_ALMOST (1 - 1e-9)
    """
    # The weight of a branch is a sum of fractions: what lacks only so little of `min_cases` has it.
    double ALMOST "CTREE_ALMOST"


ctypedef struct ScoreSearch:
    # What is the same for all nodes of a tree.
    const ScoreFunction* function
    double min_cases         # two branches must have this weight
    const double* fast       # the table of `fast_log2`
    bint counting            # whether the number of tests matters
    bint listed_thresholds   # values are numbers of bins: each is a threshold, and there are no others


ctypedef struct ValueMatrix:
    # Class counts of the values of a discrete attribute at a node.
    const double* counts
    const double* sizes      # of each row
    const int32_t* codes     # the value of each row; NULL where row v is value v
    int n_rows
    double known


cdef inline int count_present(const double* counts, int n_classes) noexcept nogil:
    # How many classes have cases.
    cdef int c, present = 0
    for c in range(n_classes):
        present += counts[c] > 0
    return present


cdef inline bint has_tables(const ScoreFunction* function, const NodeView* node) noexcept nogil:
    # Whether the tables have what the cases of a node may ask for.
    return (function.kind != CHI_SQUARE and node.weights == NULL and node.max_in_class <= node.own.max_count
            and node.max_in_class <= node.below.max_count)
