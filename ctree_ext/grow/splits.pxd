# The best test of a discrete attribute at a node, and what searches for tests share.

from libc.stdint cimport int32_t, uint32_t

from ctree_ext.base.cases cimport Cases
from ctree_ext.grow.counts cimport Cell
from ctree_ext.grow.split_scores cimport Terms
from ctree_ext.base.numeric cimport Logs
from ctree_ext.base.weights cimport Weights


cdef enum:
    MAX_BLOCK = 64  # see block_size
    MAX_HELD = 8     # cuts that a search for thresholds puts aside


ctypedef struct NodeView:
    # The cases of a node. In every `Sorted` column and in the list of rows they stand at `start`, `n` of them.
    Py_ssize_t start
    Py_ssize_t n
    const int32_t* rows      # already at `start`
    const Weights* weights   # per row of the table; NULL where every case here counts one
    const double* counts     # class weights
    double cases             # their sum
    const Terms* own         # by a `Measure`: terms of the node itself, and of its branches
    const Terms* below
    double most_in_class     # the greatest of `counts`


ctypedef struct Scored:
    # A test with its figures; gain is NO_GAIN and branches 0 where the attribute offers none.
    double gain              # or what it is worth by a `Measure`
    double info              # or what it has to be worth
    uint32_t below           # threshold: ranks of the values on either side of the cut
    uint32_t above
    int n_groups             # grouped values: the number of groups
    # by a `Measure` only
    int32_t low_row          # threshold: a case on either side of the cut
    int32_t high_row
    int value                # the value that stands against the others; -1 where none does
    int branches             # how many have a case
    int present              # how many classes have one among those of known value
    Py_ssize_t n_tests       # how many tests the attribute has at the node, where they are counted


ctypedef struct Visit:
    # A case as a scan meets it.
    float weight
    int32_t class_


ctypedef struct Scratch:
    # Working memory of one thread.
    double* counts           # (most values + 2) x classes
    Cell* cells              # the same
    double* branch           # most values + 2
    double* tally            # the same, all 0 between two uses
    double* sides            # 2 x classes: low and high
    double* terms            # 2 x classes: their x log x
    int32_t* whole           # 2 x classes, as whole numbers
    float* parts             # 4 x classes, as fractions in 32 bits: on either side, at both ends of a block
    float* held_sides        # MAX_HELD x 2 x classes: of cuts put aside
    float* marks             # blocks x (classes + 1): the sums before each block of a scan
    Visit* visits            # borrowed, room for the cases of a node
    double floor             # by a `Measure`: cuts that are worth less need not be found


cdef inline Py_ssize_t block_size(Py_ssize_t n, Py_ssize_t n_classes) noexcept nogil:
    # How many cases one bound of a search for thresholds answers for: more of them cost less, fewer bound better, few
    # cases most of all. There are at most n / MAX_BLOCK blocks, or MAX_BLOCK. With many classes the sums before each
    # must not outgrow the cases.
    cdef Py_ssize_t size = 8 if n < 64 else 16 if n < 384 else 32 if n < 2048 else MAX_BLOCK
    while 4 * size < n_classes:
        size *= 2
    return size


cdef Scored no_test() noexcept nogil
cdef Scored best_values(const Cases* cases, int attribute, const NodeView* node, double min_cases, const Logs* logs,
                        Scratch* scratch) noexcept nogil
cdef Scored best_single_value(const Cases* cases, int attribute, const NodeView* node, double min_cases,
                              const Logs* logs, Scratch* scratch, int32_t* group) noexcept nogil
cdef int scratch_init(Scratch* scratch, int most_values, int n_classes, Py_ssize_t most_cases) noexcept nogil
cdef void scratch_free(Scratch* scratch) noexcept nogil
