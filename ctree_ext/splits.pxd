# The best test of one attribute at one node.

from libc.stdint cimport int32_t, uint32_t

from ctree_ext.cases cimport Cases
from ctree_ext.counts cimport Cell
from ctree_ext.numeric cimport Logs
from ctree_ext.sorting cimport Sorted
from ctree_ext.weights cimport Weights


ctypedef struct NodeView:
    # The cases of a node. In every `Sorted` column and in the list of rows they stand at `start`, `n` of them.
    Py_ssize_t start
    Py_ssize_t n
    const int32_t* rows      # already at `start`
    const Weights* weights   # per row of the table; NULL where every case here counts one
    const double* counts     # class weights
    double cases             # their sum


ctypedef struct Totals:
    # The weights that a threshold on a continuous attribute reckons with: of all cases at the node, in the order in
    # which the attribute finds them, and of those whose value is unknown.
    double total
    double unknown


ctypedef struct Scored:
    # A test with its figures; gain is NO_GAIN where the attribute offers none.
    double gain
    double info
    uint32_t below           # threshold: ranks of the values on either side of the cut
    uint32_t above
    int n_groups             # grouped values: the number of groups


ctypedef struct Visit:
    # A case as a scan meets it.
    float weight
    int32_t class_


ctypedef struct Scratch:
    # Working memory of one thread.
    double* counts           # (most values + 2) x classes
    Cell* cells              # the same
    double* branch           # most values + 2
    double* sides            # 2 x classes: low and high
    double* terms            # 2 x classes: their x log x
    int32_t* whole           # 2 x classes, as whole numbers
    float* parts             # 2 x classes, as fractions in 32 bits
    Visit* visits            # borrowed, room for the cases of a node


cdef Scored no_test() noexcept nogil
cdef Scored best_values(const Cases* cases, int attribute, const NodeView* node, double min_cases, const Logs* logs,
                        Scratch* scratch) noexcept nogil
cdef Py_ssize_t count_known(const Sorted* column, const NodeView* node) noexcept nogil
cdef Scored best_threshold(const Cases* cases, const Sorted* column, const NodeView* node, Totals totals,
                           double min_cases, const Logs* logs, Scratch* scratch) noexcept nogil
cdef int scratch_init(Scratch* scratch, int most_values, int n_classes) noexcept nogil
cdef void scratch_free(Scratch* scratch) noexcept nogil
