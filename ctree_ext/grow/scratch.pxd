# What every search for a test is given: the cases of a node, and working memory.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t

from ctree_ext.base.memory cimport Memory
from ctree_ext.base.weights cimport Weights
from ctree_ext.grow.counts cimport Cell
from ctree_ext.grow.rounded_sums cimport RoundedSums
from ctree_ext.grow.split_scores cimport Terms


cdef enum:
    MAX_BLOCK = 64   # see block_size
    MAX_HELD = 8     # cuts that a search for thresholds puts aside


cdef enum TieState:
    # Whether a node's cases may have equal values of an attribute, or at least some that are too near for a threshold.
    # What is told apart at a node is told apart in its branches.
    APART
    NEARLY
    EQUAL


ctypedef struct NodeView:
    # The cases of a node. In every sorted column they stand from `start` on, `n` of them.
    Py_ssize_t start
    Py_ssize_t n
    const int32_t* rows      # the same cases in the list of rows
    const Weights* weights   # per row; NULL where every case here counts one
    const uint16_t* classes  # per row as columns and weights name it
    const int32_t* row_of    # the row of the table that it is; NULL where these are the same
    bint marked              # by a score, where cases are divided: approximate scores rule most tests out
    const int64_t* lanes     # by row, what it counts in each class, in units; or NULL
    const int64_t* units     # where they are few, instead: by row, what it counts in units; or NULL
    const double* cells      # where cases are divided: the class weights of the values of discrete attributes, or NULL
    const Py_ssize_t* cell_of  # per attribute, where its unknown values begin there; -1: they are not there
    const double* counts     # class weights
    double cases             # their sum
    uint8_t* tie_states      # per attribute, a `TieState` of the cases; NULL where that is not kept
    Py_ssize_t n_fractional  # in 32 bits: so many cases, at most, count other than one
    int best                 # the class of most cases
    # by a score only
    const Terms* own         # the terms of the node itself, and of its branches
    const Terms* below
    double max_in_class      # the greatest of `counts`


ctypedef struct Visit:
    # A case as a scan meets it.
    float weight
    int32_t class_


ctypedef struct Grouping:
    # What a grouping of values is judged by, per block of values. A struct of zeros has no room yet.
    RoundedSums info         # the information in each block
    RoundedSums weight       # its weight
    RoundedSums log_weight   # x log x of that
    bint whole               # the weights are whole numbers, whose sum is exact
    double* joined           # for each pair the information in both as one block; NULL where they are too many
    Py_ssize_t stride
    double* pairs            # room for these
    Py_ssize_t room
    double* counts           # of one pair


ctypedef struct Scratch:
    # Working memory of one thread.
    double* counts           # (most values + 2) x classes
    Cell* cells              # the same
    double* branch           # most values + 2
    double* tally            # the same, all 0 between two uses
    double* sides            # 2 x classes: low and high
    double* terms            # 2 x classes: their x log x
    int32_t* integers        # 2 x classes: low and high as integer counts
    float* fractions         # 4 x classes, as fractions in 32 bits: on either side, at both ends of a block
    float* held_sides        # MAX_HELD x 2 x classes: of cuts put aside
    float* marks             # blocks x (classes + 1): the sums before each block of a scan
    double* long_marks       # the same memory: in doubles
    int32_t* sums            # the same memory: class counts of each block, where every case counts one
    double* highs            # 3 x classes: the sums above both ends of a block in doubles, and of all
    Visit* visits            # borrowed, one for each case of a node
    Grouping grouping        # grows with use
    int64_t* lanes           # by a score: of the cases of a node
    int32_t* fine_table      # by a score: see `score_fine`
    int32_t* fine_scores     # of the cuts of a column
    double doubt             # by a score: how far those of tests that were ruled out may be off
    double floor             # by a score: cuts that score less need not be found


cdef inline Py_ssize_t block_size(Py_ssize_t n, Py_ssize_t n_classes) noexcept nogil:
    # How many cases one bound of a search for thresholds answers for: more of them cost less, fewer bound better, few
    # cases most of all. There are at most n / MAX_BLOCK blocks, or MAX_BLOCK. With many classes the sums before each
    # must not outgrow the cases.
    cdef Py_ssize_t size = 8 if n < 64 else 16 if n < 384 else 32 if n < 2048 else MAX_BLOCK
    while 4 * size < n_classes:
        size *= 2
    return size


cdef int scratch_init(Scratch* scratch, Memory memory, int most_values, int n_classes, Py_ssize_t most_cases) except -1
