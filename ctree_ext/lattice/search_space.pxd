# The states of the lattice: the sets of cases on the way down, how they are known again, and what is known of them.

from libc.stdint cimport int32_t, uint64_t

from ctree_ext.base.memory cimport Memory
from ctree_ext.lattice.limits cimport Limits
from ctree_ext.lattice.pairs cimport PairScratch
from ctree_ext.lattice.state_cache cimport State, StateCache
from ctree_ext.lattice.tree_prior cimport TreePrior
from ctree_ext.lattice.views cimport View

cdef enum:
    # the objectives
    ERRORS = 0       # the fewest errors: scores are errors with the sign changed
    POSTERIOR = 1    # the greatest ln of prior times likelihood
    EVIDENCE = 2     # the sum of prior times likelihood over all trees, as a logarithm


ctypedef struct Level:
    # One node on the way down, and scratch for its tests.
    View view
    Py_ssize_t max_tests
    double* merged           # [k] the probabilities of the tests, see `test_probabilities`
    double* largest
    double* score            # [k] by which the tests are tried in order
    double* highs            # [k, 2] bounds of the sides that have been searched
    int32_t* order           # [2, k] the second row is scratch
    int32_t* solved          # [2 k] which they are, in order
    Py_ssize_t n_solved


cdef class SearchSpace:
    cdef Memory memory
    cdef Limits limits
    cdef View all_cases
    cdef Level** levels
    cdef readonly Py_ssize_t n_levels, n_tests, n_cases, max_depth
    cdef readonly int n_classes
    cdef TreePrior prior
    cdef PairScratch scratch
    cdef StateCache[3] caches              # by objective
    cdef int objective
    cdef bint merge, pairs, by_cover
    cdef double* log_tree_counts           # [n_levels + 1] see `count_trees`
    cdef readonly Py_ssize_t n_rows        # of a sum that was stopped within the last two levels: first tests done
    cdef uint64_t[::1] item_marks
    # What the smaller side of a test is known by: the last that was asked for.
    cdef const View* side_view
    cdef Py_ssize_t side_test
    cdef uint64_t[2] side

    cdef int set_up_prior(self, bint uniform, double gamma, double delta, double alpha, Py_ssize_t min_cases,
                          bint truncated, const int32_t[::1] groups) except -1
    cdef int count_trees(self) except -1
    cdef int root(self) except -1 nogil
    cdef Level* level(self, Py_ssize_t depth) except NULL nogil
    cdef int reserve(self, Level* level) except -1 nogil
    cdef int enter(self) except -1 nogil
    cdef void child_key(self, const View* view, Py_ssize_t q, bint passed, uint64_t* mask, uint64_t* key) noexcept nogil
    cdef int descend(self, Py_ssize_t depth, Py_ssize_t q, bint passed, const uint64_t* key) except -1 nogil
    cdef int remember(self, const uint64_t* key, double low, double high, Py_ssize_t test) except -1 nogil
    cdef State* child_state(self, Py_ssize_t depth, Py_ssize_t q, bint passed, int objective, uint64_t* key,
                            uint64_t* at) noexcept nogil


cdef inline Py_ssize_t levels_left(SearchSpace space, Py_ssize_t depth) noexcept nogil:
    return space.max_depth - depth


cdef inline void state_key(const uint64_t* key, Py_ssize_t depth, uint64_t* result) noexcept nogil:
    # What a set of cases at a depth is remembered by.
    result[0] = key[0] ^ (<uint64_t> 0x9E3779B97F4A7C15 * <uint64_t> (depth + 1))
    result[1] = key[1] + <uint64_t> depth
