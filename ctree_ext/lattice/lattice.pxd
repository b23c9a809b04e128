from libc.stdint cimport int32_t, uint64_t

from ctree_ext.lattice.pairs cimport Pairs
from ctree_ext.lattice.state_cache cimport State, StateCache
from ctree_ext.lattice.tree_prior cimport TreePrior
from ctree_ext.lattice.views cimport View

cdef enum:
    ERRORS = 0       # the least errors: scores are errors with the sign changed
    POSTERIOR = 1    # the greatest ln of prior times likelihood
    EVIDENCE = 2     # the sum of prior times likelihood over all trees, as a logarithm


ctypedef struct Level:
    # One node on the way down, and what its tests are worth.
    View view
    Py_ssize_t most_tests
    double* together         # [k] the chances of the tests, all alike together
    double* best             # ... of the likeliest single one
    double* score            # [k] by which the tests are tried in order
    int32_t* order           # [2, k] the second row is scratch
    double* highs            # [k, 2] bounds of the sides that have been looked at
    int32_t* solved          # [2 k] which they are, in order
    Py_ssize_t n_solved
    Py_ssize_t n_bytes


cdef class Lattice:
    cdef View whole
    cdef Level** levels
    cdef readonly Py_ssize_t n_levels, n_tests, n_cases, max_depth
    cdef readonly int n_classes
    cdef TreePrior prior
    cdef Pairs room
    cdef StateCache[3] caches
    cdef bint merge, pairs, by_cover, similarity, limited
    cdef double* tree_counts
    cdef double time_limit, started, deadline, reported, first_share, first_look
    cdef Py_ssize_t memory_limit, level_bytes, work, row_limit
    cdef readonly Py_ssize_t n_states, state_limit, n_rows
    cdef readonly bint stopped
    cdef Py_ssize_t late           # work done since
    cdef readonly double low, high
    cdef readonly str reason
    cdef object progress
    cdef readonly object lock  # held by whoever works here: levels, room and algebra are for one at a time
    cdef int algebra
    cdef uint64_t[::1] item_marks
    # What the smaller side of a test is known by: the last that was asked for.
    cdef const View* side_view
    cdef Py_ssize_t side_test
    cdef uint64_t[2] side

    cdef Py_ssize_t levels_left(self, Py_ssize_t depth) noexcept nogil
    cdef Level* level(self, Py_ssize_t depth) except NULL nogil
    cdef int start(self, int algebra) except -1
    cdef int look(self) except -1 nogil
    cdef int look_within(self, double share) except -1
    cdef int look_now(self) except -1 nogil
    cdef int without_limit(self, int algebra) except -1
    cdef int enter(self) except -1 nogil
    cdef Py_ssize_t bytes_now(self) noexcept nogil
    cdef int room_for(self, Level* level) except -1 nogil
    cdef void child_key(self, const View* view, Py_ssize_t q, bint passed, uint64_t* mask, uint64_t* key) noexcept nogil
    cdef void state_key(self, const uint64_t* key, Py_ssize_t depth, uint64_t* result) noexcept nogil
    cdef int descend(self, Py_ssize_t depth, Py_ssize_t q, bint passed, const uint64_t* key) except -1 nogil
    cdef int keep(self, const uint64_t* key, double low, double high, Py_ssize_t test) except -1 nogil
    cdef double leaf(self, const View* view, Py_ssize_t depth) noexcept nogil
    cdef double side_bound(self, const View* view, Py_ssize_t depth, Py_ssize_t q, bint passed) noexcept nogil
    cdef double side_leaf(self, const View* view, Py_ssize_t depth, Py_ssize_t q, bint passed) noexcept nogil
    cdef double bound(self, const View* view, Py_ssize_t depth) noexcept nogil
    cdef void count_trees(self) noexcept nogil
    cdef int sum_state(self, Py_ssize_t depth, double* low, double* high) except -1 nogil
    cdef int sum_pairs(self, Py_ssize_t depth, double* result) except -1 nogil
    cdef int sum_child(self, Py_ssize_t depth, Py_ssize_t q, bint passed, double* low, double* high) except -1 nogil
    cdef int best_state(self, Py_ssize_t depth, double need, double* low, double* high, Py_ssize_t* test) except -1 nogil
    cdef int best_pairs(self, Py_ssize_t depth, double* best, Py_ssize_t* q) except -1 nogil
    cdef int best_child(self, Py_ssize_t depth, Py_ssize_t q, bint passed, double need, double* low,
                        double* high) except -1 nogil
    cdef double quick_bound(self, Py_ssize_t depth, Py_ssize_t q, bint passed) except? -1 nogil
    cdef void by_likeness(self, Level* level, Py_ssize_t q, double* with_, double* without) noexcept nogil
    cdef void tests_in_order(self, Level* level) noexcept nogil
    cdef object subtree(self, Py_ssize_t depth)
    cdef int go_to(self, items) except -1
    cdef Py_ssize_t first_case(self, Py_ssize_t depth) except -1
    cdef bint turned(self, Py_ssize_t case, Py_ssize_t test, Py_ssize_t other) noexcept nogil
    cdef bint is_explored(self, const View* view, Py_ssize_t depth) noexcept nogil
    cdef bint is_cut(self, const View* view, Py_ssize_t depth) noexcept nogil
    cdef double known_sum(self, Py_ssize_t depth, Py_ssize_t q, bint passed) except? -1 nogil
