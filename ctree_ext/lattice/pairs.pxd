# Trees of at most two levels of tests, from the class counts of pairs of tests.

from libc.stdint cimport int32_t

from ctree_ext.base.memory cimport Pool
from ctree_ext.lattice.limits cimport Limits
from ctree_ext.lattice.tree_prior cimport TreePrior
from ctree_ext.lattice.views cimport View


ctypedef struct PairScratch:
    # Room for one row of pairs, and the results per first test: among the cases that pass it and those that do not.
    Py_ssize_t max_tests
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
    double* merged             # [k] the probabilities of the tests, see `test_probabilities`
    double* largest
    double* logs               # [k] one row of the second level
    double* held               # [2, k, k] the same of tests still to come, for both sides; NULL if there are many tests
    Py_ssize_t n_rows          # of a sum that was stopped: how many first tests have been done, in the order given


cdef int pairs_reserve(PairScratch* scratch, Pool* pool, Py_ssize_t k, int n_classes) noexcept nogil
cdef int least_errors(const View* view, const TreePrior* prior, Py_ssize_t levels, PairScratch* scratch, Limits limits,
                      Py_ssize_t* errors, Py_ssize_t* test) except -1 nogil
cdef int log_sum(const View* view, const TreePrior* prior, Py_ssize_t depth, Py_ssize_t levels, bint exact,
                 const int32_t* order, Py_ssize_t max_rows, PairScratch* scratch, Limits limits,
                 double* result) except -1 nogil
cdef int log_max(const View* view, const TreePrior* prior, Py_ssize_t depth, Py_ssize_t levels, const int32_t* order,
                 PairScratch* scratch, Limits limits, double* result, Py_ssize_t* test) except -1 nogil
cdef void pair_counts(const View* view, Py_ssize_t i, Py_ssize_t first, PairScratch* scratch) noexcept nogil
cdef void pair_scores(const View* view, const TreePrior* prior, Py_ssize_t i, Py_ssize_t first, bint product,
                      PairScratch* scratch) noexcept nogil
cdef void log_row(const View* view, const TreePrior* prior, Py_ssize_t i, PairScratch* scratch) noexcept nogil
