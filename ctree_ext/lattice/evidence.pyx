"""The sum over all trees: the evidence, and for every set of cases u, the sum over all trees that can stand below it.

u of a node is its weight as a leaf, and for each test the product of u of both sides, weighted by the prior of the split
and of the test (Nijssen, 2008).
"""

from libc.math cimport INFINITY, exp, log
from libc.stdint cimport uint64_t

from ctree_ext.base.interrupts cimport GO_ON
from ctree_ext.lattice.limits cimport STOP, limits_after
from ctree_ext.lattice.objective cimport leaf_score, order_tests, side_upper_bound
from ctree_ext.lattice.pairs cimport log_sum
from ctree_ext.lattice.search_space cimport EVIDENCE, Level, levels_left, state_key
from ctree_ext.lattice.state_cache cimport State, cache_find
from ctree_ext.lattice.tree_prior cimport split_prior, test_probabilities
from ctree_ext.lattice.views cimport View


cdef int sum_root(SearchSpace space, double* low, double* high) except -1 nogil:
    # The evidence, or a bracket of it if the search was stopped.
    cdef uint64_t[2] at
    cdef bint cut
    space.enter()
    state_key(space.levels[0].view.key, 0, at)
    cut = _sum_state(space, 0, low, high)
    return space.remember(at, low[0], high[0], CUT if cut else -1)


cdef int _sum_state(SearchSpace space, Py_ssize_t depth, double* low, double* high) except -1 nogil:
    # ln u of the node at a level, or a bracket of it; whether it was stopped within the last two levels.
    cdef Level* level = space.levels[depth]
    cdef View* view = &level.view
    cdef Py_ssize_t left = levels_left(space, depth), q, i
    cdef double leaf = leaf_score(space, view, depth), low1, high1, low0, high0, term, split
    cdef double low_most, low_sum, high_most, high_sum
    if view.k == 0 or left == 0:
        low[0] = high[0] = leaf
        return 0
    if left <= 2 and space.pairs:
        if not space.limits.stopped and _sum_pairs(space, depth, low) == GO_ON:
            high[0] = low[0]
            return 0
        space.n_rows = max(space.n_rows, 0)
    test_probabilities(&space.prior, view, level.merged, level.largest)
    split = log(split_prior(&space.prior, depth))
    order_tests(space, level)  # should the search be stopped, what weighs most has been added up
    low_most = high_most = leaf
    low_sum = high_sum = 1.0
    for i in range(view.k):
        q = level.order[i]
        _sum_child(space, depth, q, True, &low1, &high1)
        _sum_child(space, depth, q, False, &low0, &high0)
        limits_after(space.limits, 4 * view.n_words + 40)
        term = split + log(level.merged[q])
        _add(term + low1 + low0, &low_most, &low_sum)
        _add(term + high1 + high0, &high_most, &high_sum)
        if depth == 0:
            space.limits.low, space.limits.share = low_most + log(low_sum), <double> (i + 1) / view.k
    low[0] = low_most + log(low_sum)
    high[0] = max(low[0], high_most + log(high_sum))
    return left <= 2 and space.pairs


cdef inline void _add(double x, double* most, double* total) noexcept nogil:
    # One more term of a sum of exponentials.
    if x <= most[0]:
        if x > most[0] - 45.0:
            total[0] += exp(x - most[0])
    else:
        total[0] = total[0] * exp(most[0] - x) + 1.0
        most[0] = x


cdef int _sum_pairs(SearchSpace space, Py_ssize_t depth, double* result) except -1 nogil:
    # The sum of the last two levels, from the counts of pairs. If it is stopped, what is known of the sides of first
    # tests is remembered.
    cdef Level* level = space.levels[depth]
    cdef View* view = &level.view
    cdef Py_ssize_t left = levels_left(space, depth), r, q, max_rows = -1
    cdef double log_u
    cdef bint wide = is_wide(view, left)
    cdef uint64_t[2] key
    cdef uint64_t[2] at
    if space.limits.row_limit >= 0 and space.limits.n_states == space.limits.state_limit:
        max_rows, wide = space.limits.row_limit, True
    if wide:
        order_tests(space, level)
    if log_sum(view, &space.prior, depth, left, False, level.order if wide else NULL, max_rows, &space.scratch,
               space.limits, result) == GO_ON:
        return GO_ON
    if not space.limits.stopped:
        with gil:
            space.limits.stop("states")
    space.n_rows = space.scratch.n_rows
    for r in range(2 * space.n_rows):
        q = level.order[r >> 1]
        space.child_state(depth, q, r & 1, EVIDENCE, key, at)
        log_u = space.scratch.with_score[q] if r & 1 else space.scratch.without_score[q]
        space.remember(at, log_u, log_u, -1)
    return STOP


cdef int _sum_child(SearchSpace space, Py_ssize_t depth, Py_ssize_t q, bint passed, double* low,
                    double* high) except -1 nogil:
    # ln u of one side of a test, or a bracket of it.
    cdef uint64_t[2] key
    cdef uint64_t[2] at
    cdef State* state = space.child_state(depth, q, passed, EVIDENCE, key, at)
    cdef bint cut
    if state != NULL:
        low[0], high[0] = state.low, state.high
        return 0
    space.enter()
    if space.limits.stopped:  # trees with this node are not in the sum
        low[0] = -INFINITY
        high[0] = side_upper_bound(space, &space.levels[depth].view, depth + 1, q, passed)
        return 0
    space.descend(depth, q, passed, key)
    cut = _sum_state(space, depth + 1, low, high)
    return space.remember(at, low[0], high[0], CUT if cut else -1)


cdef bint is_explored(SearchSpace space, const View* view, Py_ssize_t depth) noexcept nogil:
    # Whether the search has come to this node. Within the last two levels there are no states.
    cdef uint64_t[2] at
    if depth == 0 or (space.pairs and levels_left(space, depth) < 2):
        return True
    state_key(view.key, depth, at)
    return cache_find(&space.caches[EVIDENCE], at) != NULL


cdef bint is_cut(SearchSpace space, const View* view, Py_ssize_t depth) noexcept nogil:
    # Whether the last two levels from this node on have been added up in part only.
    cdef uint64_t[2] at
    cdef State* state
    if space.n_rows < 0:
        return False
    state_key(view.key, depth, at)
    state = cache_find(&space.caches[EVIDENCE], at)
    return state != NULL and state.test == CUT


cdef double known_sum(SearchSpace space, Py_ssize_t depth, Py_ssize_t q, bint passed) noexcept nogil:
    # ln u of one side of a test as the search left it: minus infinity if it did not come to it.
    cdef uint64_t[2] key
    cdef uint64_t[2] at
    cdef State* state = space.child_state(depth, q, passed, EVIDENCE, key, at)
    return -INFINITY if state == NULL else state.low
