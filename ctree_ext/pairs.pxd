# Trees of at most two levels of tests, from the class counts of pairs of tests.

from libc.stdint cimport int32_t

from ctree_ext.treeprior cimport TreePrior
from ctree_ext.views cimport View

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
    Py_ssize_t work


cdef int pairs_reserve(Pairs* room, Py_ssize_t k, int n_classes) noexcept nogil
cdef void pairs_free(Pairs* room) noexcept nogil
cdef Py_ssize_t least_errors(const View* view, const TreePrior* prior, Py_ssize_t levels, Pairs* room,
                             Py_ssize_t* test) noexcept nogil
cdef double log_sum(const View* view, const TreePrior* prior, Py_ssize_t depth, Py_ssize_t levels, bint exact,
                    Pairs* room) noexcept nogil
cdef double log_max(const View* view, const TreePrior* prior, Py_ssize_t depth, Py_ssize_t levels, Pairs* room,
                    Py_ssize_t* test) noexcept nogil
cdef void log_row(const View* view, const TreePrior* prior, Py_ssize_t i, Pairs* room) noexcept nogil
