"""The best tree: that with the fewest errors, or the most probable one, by branch and bound.

The tests of a node are tried in the order of the leaves that they make. A side of a test is searched only if it may be
better than what has been found, as far as bounds tell: from its class counts, from what is remembered of it, and from sets
of cases like it.
"""

from libc.math cimport INFINITY, log
from libc.stdint cimport int32_t, uint64_t

from ctree_ext.base.interrupts cimport GO_ON
from ctree_ext.base.processor cimport follow_processor, own_level
from ctree_ext.lattice.bitblocks cimport count_and
from ctree_ext.lattice.evidence cimport is_wide
from ctree_ext.lattice.limits cimport limits_after
from ctree_ext.lattice.objective cimport leaf_score, order_tests, side_leaf_score, side_upper_bound, upper_bound
from ctree_ext.lattice.pairs cimport least_errors, log_max
from ctree_ext.lattice.search_space cimport ERRORS, EVIDENCE, POSTERIOR, Level, levels_left, state_key
from ctree_ext.lattice.state_cache cimport State, cache_find
from ctree_ext.lattice.tree_prior cimport split_prior, test_probabilities
from ctree_ext.lattice.views cimport View

cdef enum:
    MAX_WORK_AFTER_STOP = 40_000_000   # on what has been found, once the search is stopped; then it is left as it is

cdef double SLACK = 1e-9   # of a bound that is a sum, against rounding

follow_processor(own_level())


cdef int best_root(SearchSpace space, double* low, double* high) except -1 nogil:
    # The score of the best tree, or a bracket of it if the search was stopped.
    cdef Py_ssize_t test = -1
    cdef uint64_t[2] at
    space.enter()
    state_key(space.levels[0].view.key, 0, at)
    _best_state(space, 0, -INFINITY, low, high, &test)
    return space.remember(at, low[0], high[0], test)


cdef int _best_state(SearchSpace space, Py_ssize_t depth, double need, double* low, double* high,
                     Py_ssize_t* test) except -1 nogil:
    # The best tree below a node, if its score is above `need`: its score, or a bracket of that, and its first test.
    cdef View* view = &space.levels[depth].view
    cdef Py_ssize_t left = levels_left(space, depth), q
    cdef double best = leaf_score(space, view, depth)
    test[0] = -1
    if view.k == 0 or left == 0 or (space.objective == ERRORS and best == 0):
        low[0] = high[0] = best
        return 0
    if left > 2 or not space.pairs:
        return _best_test(space, depth, best, need, low, high, test)
    if _best_pairs(space, depth, &best, &q) == GO_ON:
        low[0] = high[0] = best
    else:
        low[0], high[0] = best, max(best, upper_bound(space, view, depth))
    if q >= 0:
        test[0] = view.first[q]
    return 0


cdef int _best_test(SearchSpace space, Py_ssize_t depth, double best, double need, double* low, double* high,
                    Py_ssize_t* test) except -1 nogil:
    # The best tree that begins with a test, against a leaf, whose score is `best`.
    cdef Level* level = space.levels[depth]
    cdef View* view = &level.view
    cdef Py_ssize_t i, q
    cdef double most = best, split = 0.0, term, value, bound
    if space.objective == POSTERIOR:
        test_probabilities(&space.prior, view, level.merged, level.largest)
        split = log(split_prior(&space.prior, depth))
    order_tests(space, level)
    level.n_solved = 0
    for i in range(view.k):
        if space.limits.stopped and space.limits.work_after_stop > MAX_WORK_AFTER_STOP:
            most = max(most, upper_bound(space, view, depth))
            break
        q = level.order[i]
        space.limits.work_after_stop += 4 * view.n_words + 40 if space.limits.stopped else 0
        limits_after(space.limits, 4 * view.n_words + 40)
        term = split + log(level.largest[q]) if space.objective == POSTERIOR else 0.0
        _try_test(space, depth, q, term, max(best, need), &value, &bound)
        most = max(most, bound)
        if value > best:
            best = value
            test[0] = view.first[q]
        if depth == 0:
            space.limits.low, space.limits.share = best, <double> (i + 1) / view.k
        if space.objective == ERRORS and best == 0:
            most = 0
            break
    low[0] = best
    high[0] = max(best, most)
    return 0


cdef int _try_test(SearchSpace space, Py_ssize_t depth, Py_ssize_t q, double term, double aim, double* value,
                   double* bound) except -1 nogil:
    # The score of the best tree that begins with a test, if it can be above `aim`, and a bound of it; `term` is what the
    # prior of the test adds.
    cdef Level* level = space.levels[depth]
    cdef View* view = &level.view
    cdef double high1 = _quick_bound(space, depth, q, True), high0 = _quick_bound(space, depth, q, False)
    cdef double low1 = -INFINITY, low0 = -INFINITY
    cdef bint first
    value[0] = -INFINITY
    if (term + high1 + high0 > aim and space.objective == ERRORS and space.prior.min_cases == 1
            and not space.limits.stopped):
        _similarity_bound(space, level, q, &high1, &high0)
    if term + high1 + high0 <= aim:
        bound[0] = term + high1 + high0
        return 0
    # The side that can lose more is searched first.
    first = 2 * view.totals[q] >= view.n
    if first:
        _best_child(space, depth, q, True, aim - term - high0, &low1, &high1)
    else:
        _best_child(space, depth, q, False, aim - term - high1, &low0, &high0)
    if term + high1 + high0 > aim:
        if first:
            _best_child(space, depth, q, False, aim - term - high1, &low0, &high0)
        else:
            _best_child(space, depth, q, True, aim - term - high0, &low1, &high1)
    bound[0] = term + high1 + high0
    value[0] = term + low1 + low0
    return 0


cdef double _quick_bound(SearchSpace space, Py_ssize_t depth, Py_ssize_t q, bint passed) noexcept nogil:
    # A bound of one side of a test, from its class counts and from what is known of it.
    cdef uint64_t[2] key
    cdef uint64_t[2] at
    cdef State* state
    cdef double result = side_upper_bound(space, &space.levels[depth].view, depth + 1, q, passed)
    if space.limits.stopped:
        return result
    state = space.child_state(depth, q, passed, space.objective, key, at)
    if state != NULL:
        result = min(result, state.high)
    if space.objective == POSTERIOR:
        # No tree is more probable than all of them.
        state = cache_find(&space.caches[EVIDENCE], at)
        if state != NULL:
            result = min(result, state.high + SLACK * (1.0 - state.high))
    return result


cdef void _similarity_bound(SearchSpace space, Level* level, Py_ssize_t q, double* with_, double* without) noexcept nogil:
    # Two sets of cases differ in their fewest errors by no more than the cases that one has and the other has not.
    cdef View* view = &level.view
    cdef Py_ssize_t i, other, both, n = view.n, words = view.start[view.n_classes], size
    cdef const uint64_t* bits = view.bits + q * view.n_words
    for i in range(level.n_solved):
        other = level.solved[i] >> 1
        both = count_and(bits, view.bits + other * view.n_words, words)
        if level.solved[i] & 1:   # the cases that pass the other test
            size = view.totals[other]
            with_[0] = min(with_[0], level.highs[level.solved[i]] + (size - both))
            without[0] = min(without[0], level.highs[level.solved[i]] + both)
        else:
            size = n - view.totals[other]
            with_[0] = min(with_[0], level.highs[level.solved[i]] + (size - (view.totals[q] - both)))
            without[0] = min(without[0], level.highs[level.solved[i]] + (view.totals[q] - both))
    space.limits.watch.work += level.n_solved * words


cdef int _best_child(SearchSpace space, Py_ssize_t depth, Py_ssize_t q, bint passed, double need, double* low,
                     double* high) except -1 nogil:
    # One side of a test; `high` comes in as a bound that is known already.
    cdef Level* level = space.levels[depth]
    cdef uint64_t[2] key
    cdef uint64_t[2] at
    cdef State* state = space.child_state(depth, q, passed, space.objective, key, at)
    cdef Py_ssize_t test
    cdef double found
    if state != NULL:
        low[0] = state.low
        high[0] = min(high[0], state.high)
        if state.low == state.high or high[0] <= need:
            return 0
    if not space.limits.stopped:
        space.enter()
    if space.limits.stopped:
        if state == NULL:
            low[0] = side_leaf_score(space, &level.view, depth + 1, q, passed)
        return 0
    space.descend(depth, q, passed, key)
    _best_state(space, depth + 1, need, low, &found, &test)
    high[0] = min(high[0], found)
    # The table may have moved meanwhile.
    state = cache_find(&space.caches[space.objective], at)
    if state == NULL or not space.limits.stopped or low[0] > state.low:
        space.remember(at, low[0], max(low[0], high[0]), test)
    else:
        low[0] = state.low
    level.highs[2 * q + passed] = high[0]
    level.solved[level.n_solved] = <int32_t> (2 * q + passed)
    level.n_solved += 1
    return 0


cdef int _best_pairs(SearchSpace space, Py_ssize_t depth, double* best, Py_ssize_t* q) except -1 nogil:
    # The best tree of the last two levels, and where its first test is; if it is stopped, one that may not be best.
    cdef Level* level = space.levels[depth]
    cdef View* view = &level.view
    cdef Py_ssize_t left = levels_left(space, depth), errors = 0
    cdef bint wide = is_wide(view, left)
    cdef int status
    if space.objective == ERRORS:
        status = least_errors(view, &space.prior, left, &space.scratch, space.limits, &errors, q)
        best[0] = -<double> errors
        return status
    if wide:
        order_tests(space, level)
    return log_max(view, &space.prior, depth, left, level.order if wide else NULL, &space.scratch, space.limits, best, q)


cdef object best_subtree(SearchSpace space, Py_ssize_t depth):
    # The best tree that was found below a node: (class counts, test, branch that passes it, branch that does not).
    cdef View* view = &space.levels[depth].view
    cdef Py_ssize_t left = levels_left(space, depth), q = -1
    cdef uint64_t[2] key
    cdef uint64_t[2] at
    cdef State* state
    cdef double best
    counts = tuple(view.counts[c] for c in range(space.n_classes))
    if view.k == 0 or left == 0:
        return counts, -1, None, None
    state_key(view.key, depth, at)
    state = cache_find(&space.caches[space.objective], at)
    if state != NULL and state.test >= 0:
        q = view.place[state.test]
    elif state == NULL and left == 1 and space.pairs:
        _best_pairs(space, depth, &best, &q)   # below a first test, there are no states
    if q < 0:
        return counts, -1, None, None
    test = view.first[q]
    branches = []
    for passed in (True, False):
        space.child_key(view, q, passed, view.mask, key)
        space.descend(depth, q, passed, key)
        branches.append(best_subtree(space, depth + 1))
    return counts, test, branches[0], branches[1]


cdef double score_subtree(SearchSpace space, Py_ssize_t depth, tree) except? -1:
    # The score of a tree below a node, whose tests divide the cases there.
    cdef View* view = &space.levels[depth].view
    cdef uint64_t[2] key
    cdef double score = 0.0
    cdef Py_ssize_t q
    _, test, passing, failing = tree
    if test < 0:
        return leaf_score(space, view, depth)
    q = view.place[test] if 0 <= test < space.n_tests and levels_left(space, depth) > 0 else -1
    if q < 0:
        raise ValueError("no such tree in this lattice")
    if space.objective != ERRORS:
        test_probabilities(&space.prior, view, space.levels[depth].merged, space.levels[depth].largest)
        score = log(split_prior(&space.prior, depth)) + log(space.levels[depth].largest[q])
    for passed, branch in ((True, passing), (False, failing)):
        space.child_key(view, q, passed, view.mask, key)
        space.descend(depth, q, passed, key)
        score += score_subtree(space, depth + 1, branch)
    return score
