# The search for the best test of a node: what is known of the node, the best test so far, and scratch.

from libc.stdint cimport int32_t, int64_t, uint64_t

from ctree_ext.base.interrupts cimport Watch
from ctree_ext.base.memory cimport Memory
from ctree_ext.grow.split_scores cimport (
    CHI_SQUARE, ScoreFunction, branch_score, branch_units, chi_square_of,
)
from ctree_ext.relational.language cimport Vocabulary
from ctree_ext.relational.linked cimport Linked
from ctree_ext.relational.query_test cimport QueryTest


ctypedef struct Scratch:
    int64_t* stamp           # of each code: the mark of the example in which it was last seen
    int64_t* row_stamp       # the same of each row of a table, for conditions that two terms are the same
    int32_t* n_agreeing      # of each row how many entries of the other term stand for it
    int64_t mark             # all stamps up to now; they are never reset
    double* counts           # of each code the classes of the examples that have it
    int32_t* n_yes           # of each code how many examples have it
    uint64_t* least          # keys of examples, by the code in the upper half
    uint64_t* greatest
    uint64_t* sorting
    double* branches         # the count matrix of a test
    double* running


ctypedef struct Search:
    const Linked* linked
    const Vocabulary* words
    const ScoreFunction* function
    int n_classes
    const int32_t* classes       # of each example
    const double* weights        # NULL if all are 1
    double least_weight          # of a branch
    bint by_units                # whether scores are whole numbers of units
    bint closing
    # the node
    Py_ssize_t n_examples
    const double* totals         # what its classes weigh
    int64_t node_units
    double node_score
    # what has been found
    int64_t n_tests
    bint found
    QueryTest best
    int64_t best_units
    double best_score
    QueryTest current            # the test that is being looked at
    Scratch scratch


cdef inline void consider(Search* search, const double* yes, Py_ssize_t n_yes) noexcept nogil:
    # Count the current test if it divides the node, and keep it if it is the best so far. Of equal ones the first is.
    cdef double* branches = search.scratch.branches
    cdef double weight = 0.0, other = 0.0, score
    cdef int64_t units
    cdef int c, n_classes = search.n_classes
    if n_yes == 0 or n_yes == search.n_examples:
        return
    for c in range(n_classes):
        branches[c] = yes[c]
        branches[n_classes + c] = search.totals[c] - yes[c]
        weight += yes[c]
        other += branches[n_classes + c]
    if weight < search.least_weight or other < search.least_weight:
        return
    search.n_tests += 1
    if search.by_units:
        units = (branch_units(branches, n_classes, search.function.terms, search.function)
                 + branch_units(branches + n_classes, n_classes, search.function.terms, search.function)
                 - search.node_units)
        if search.found and units <= search.best_units + search.function.tie_units:
            return
        search.best_units = units
        score = <double> units * search.function.unit
    elif search.function.kind == CHI_SQUARE:
        score = chi_square_of(branches, 2, n_classes, search.totals)
    else:
        score = (branch_score(branches, n_classes, search.function.terms, search.function)
                 + branch_score(branches + n_classes, n_classes, search.function.terms, search.function)
                 - search.node_score)
    if not search.by_units and search.found and score <= search.best_score + search.function.tie_tolerance:
        return
    search.found = True
    search.best_score = score
    search.best = search.current


cdef int search_init(Search* search, Memory memory, Py_ssize_t n_examples, Py_ssize_t most_rows) except -1
cdef void search_begin(Search* search, const double* totals, Py_ssize_t n_examples) noexcept nogil
cdef void score_step(Search* search, const int32_t* example, Py_ssize_t n) noexcept nogil
cdef void score_column(Search* search, int column, const int32_t* rows, const int32_t* example, Py_ssize_t n,
                       bint of_example) noexcept nogil
