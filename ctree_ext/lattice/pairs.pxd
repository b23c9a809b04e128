# Trees of at most two levels of tests, from the class counts of pairs of tests.

from libc.stdint cimport int32_t

from ctree_ext.lattice.tree_prior cimport TreePrior
from ctree_ext.lattice.views cimport View

cdef enum:
    LOOK = 4_000_000   # words of bits looked at, or as much other work, between two looks at the clock and for Ctrl-C

# What a look says: go on; stop; or that the work cannot be done in the time that is left.
cdef enum:
    GO_ON = 0
    STOP = 1
    TOO_LONG = 2

# Looks for Ctrl-C and at the clock. It is told what share of the work on the present state is done.
ctypedef int (*Look)(void* owner, double share) except -1 nogil


ctypedef struct Pairs:
    # Room for one row of pairs, and the results per first test: among the cases that pass it and those that do not.
    Py_ssize_t most_tests
    int32_t* pairs             # [n_classes, k]
    int32_t* sizes             # [4, k]
    int32_t* errors            # [4, k]
    double* scores             # [4, k]
    int32_t* with_errors       # [k]
    int32_t* without_errors
    int32_t* with_valid        # [k] how many tests are valid there
    int32_t* without_valid
    double* with_score         # [k]
    double* without_score
    double* together           # [k] the chances of the tests
    double* best
    double* logs               # [k] one row of the second level
    Py_ssize_t n_bytes
    # The looks within a state, of which those with many tests take long.
    Py_ssize_t work            # since the last one
    Py_ssize_t n_looks         # at the present state
    Py_ssize_t n_rows          # of a sum that was stopped: how many first tests have been done, in the order given
    Look look
    void* owner


cdef int pairs_reserve(Pairs* room, Py_ssize_t k, int n_classes) noexcept nogil
cdef void pairs_free(Pairs* room) noexcept nogil
cdef int least_errors(const View* view, const TreePrior* prior, Py_ssize_t levels, Pairs* room, Py_ssize_t* errors,
                      Py_ssize_t* test) except -1 nogil
cdef int log_sum(const View* view, const TreePrior* prior, Py_ssize_t depth, Py_ssize_t levels, bint exact,
                 const int32_t* order, Py_ssize_t most_rows, Pairs* room, double* result) except -1 nogil
cdef int log_max(const View* view, const TreePrior* prior, Py_ssize_t depth, Py_ssize_t levels, const int32_t* order,
                 Pairs* room, double* result, Py_ssize_t* test) except -1 nogil
cdef void log_row(const View* view, const TreePrior* prior, Py_ssize_t i, Pairs* room) noexcept nogil
