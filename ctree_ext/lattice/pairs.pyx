"""Trees of at most two levels of tests: all leaves follow from how many cases of each class pass two tests.

That is the terminal solver of the lattice: the last two levels, where nearly all states are, are never visited one by
one. It works for sums as for the best tree.

With k tests that is k rows of k pairs. After some rows the limits are checked, and the work may be stopped: what is
given then is a tree that is not the best, or the sums below some of the first tests.
"""

from libc.math cimport INFINITY, exp, log
from libc.stdint cimport int32_t
from libc.string cimport memcpy

from ctree_ext.base.interrupts cimport GO_ON
from ctree_ext.base.memory cimport pool_raw, pool_release
from ctree_ext.base.processor cimport follow_processor, own_level
from ctree_ext.lattice.bitblocks cimport (
    add_row, best_row, error_row, max_row, pair_row, quadrants, score_row, score_row_two, valid_row,
)
from ctree_ext.lattice.limits cimport STOP, limits_within
from ctree_ext.lattice.tree_prior cimport (
    TABLE_SIDE, TreePrior, errors_of, grouped_max, grouped_sum, log_last_prior, log_leaf_prior, log_likelihood,
    split_prior, test_probabilities,
)
from ctree_ext.lattice.views cimport View, side_count

cdef enum:
    MAX_HELD = 256  # tests of which all rows are held at once

cdef double TOO_SMALL = 1e-250   # below, products of likelihoods may have lost terms

follow_processor(own_level())


cdef int pairs_reserve(PairScratch* scratch, Pool* pool, Py_ssize_t k, int n_classes) noexcept nogil:
    # Room for so many tests; -1 without memory.
    k = max(k, 1)
    if k <= scratch.max_tests:
        return 0
    pool_release(pool, scratch.pairs)
    pool_release(pool, scratch.scores)
    pool_release(pool, scratch.held)
    scratch.max_tests = 0
    scratch.held = NULL
    scratch.pairs = <int32_t*> pool_raw(pool, (n_classes + 12) * k, sizeof(int32_t))
    scratch.scores = <double*> pool_raw(pool, 9 * k, sizeof(double))
    if scratch.pairs == NULL or scratch.scores == NULL:
        return -1
    if k <= MAX_HELD:
        scratch.held = <double*> pool_raw(pool, 2 * k * k, sizeof(double))
        if scratch.held == NULL:
            return -1
    scratch.max_tests = k
    scratch.sizes = scratch.pairs + n_classes * k
    scratch.errors = scratch.sizes + 4 * k
    scratch.with_errors = scratch.errors + 4 * k
    scratch.without_errors = scratch.with_errors + k
    scratch.with_valid = scratch.with_errors + 2 * k
    scratch.without_valid = scratch.with_errors + 3 * k
    scratch.with_score = scratch.scores + 4 * k
    scratch.without_score = scratch.with_score + k
    scratch.merged = scratch.with_score + 2 * k
    scratch.largest = scratch.with_score + 3 * k
    scratch.logs = scratch.with_score + 4 * k
    return 0


cdef void pair_counts(const View* view, Py_ssize_t i, Py_ssize_t first, PairScratch* scratch) noexcept nogil:
    # The class counts of test i with the tests from `first` on.
    pair_row(view.bits, view.n_words, view.start, view.n_classes, i, first, view.k, scratch.pairs)
    quadrants(scratch.pairs, view.totals, view.n_classes, i, first, view.k, <int32_t> view.n, scratch.sizes)


cdef int least_errors(const View* view, const TreePrior* prior, Py_ssize_t levels, PairScratch* scratch, Limits limits,
                      Py_ssize_t* errors, Py_ssize_t* test) except -1 nogil:
    # The least errors of a tree of 1 or 2 levels, and its first test, or -1 for a leaf.
    cdef Py_ssize_t k = view.k, i, best = errors_of(view.counts, view.n_classes)
    cdef int c, status = GO_ON
    cdef int32_t n, most, rest
    test[0] = -1
    limits.n_checks = 0
    for i in range(k):
        most = rest = 0
        for c in range(view.n_classes):
            n = view.ones[c * k + i]
            most = max(most, n)
            rest = max(rest, view.counts[c] - n)
        scratch.with_errors[i] = view.totals[i] - most
        scratch.without_errors[i] = <int32_t> view.n - view.totals[i] - rest
    limits.watch.work += k
    if levels >= 2 and best > 0:
        for i in range(k - 1):
            status = limits_within(limits, (k - i) * (view.n_words + 4), _share(i, k))
            if status == STOP:
                break
            _error_row(view, prior, i, i + 1, scratch)
    for i in range(k):
        if scratch.with_errors[i] + scratch.without_errors[i] < best:
            best = scratch.with_errors[i] + scratch.without_errors[i]
            test[0] = i
    if status == STOP and test[0] >= 0:
        # The best second tests below the one that has been found.
        i = test[0]
        _error_row(view, prior, i, 0, scratch)
        best = scratch.with_errors[i] + scratch.without_errors[i]
    errors[0] = best
    return STOP if status == STOP else GO_ON


cdef inline double _share(Py_ssize_t i, Py_ssize_t k) noexcept nogil:
    # Of all pairs, those with a first test before i.
    return 1.0 - (<double> (k - i) / k) * (<double> (k - i) / k)


cdef void _error_row(const View* view, const TreePrior* prior, Py_ssize_t i, Py_ssize_t first,
                     PairScratch* scratch) noexcept nogil:
    pair_counts(view, i, first, scratch)
    error_row(scratch.pairs, view.ones, view.counts, scratch.sizes, view.n_classes, i, first, view.k,
              <int32_t> prior.min_cases, scratch.errors)
    best_row(scratch.errors, i, first, view.k, scratch.with_errors, scratch.without_errors)


cdef void pair_scores(const View* view, const TreePrior* prior, Py_ssize_t i, Py_ssize_t first, bint product,
                      PairScratch* scratch) noexcept nogil:
    # The likelihoods of the four leaves of test i with each from `first` on, as they are (`product`) or as logarithms.
    if view.n_classes == 2 and view.counts[0] < TABLE_SIDE and view.counts[1] < TABLE_SIDE:
        score_row_two(scratch.pairs, view.ones, view.counts, i, first, view.k,
                      prior.table if product else prior.log_table, TABLE_SIDE, scratch.scores)
    else:
        score_row(scratch.pairs, view.ones, view.counts, scratch.sizes, view.n_classes, i, first, view.k,
                  prior.gammas if product else prior.classes.log_gammas,
                  prior.leaf_sums if product else prior.log_leaf_sums, product, scratch.scores)


cdef void log_row(const View* view, const TreePrior* prior, Py_ssize_t i, PairScratch* scratch) noexcept nogil:
    # ln m of the four leaves of test i with every test: minus infinity for those that are too small.
    pair_counts(view, i, 0, scratch)
    pair_scores(view, prior, i, 0, False, scratch)


cdef double _side_likelihood(const View* view, const TreePrior* prior, Py_ssize_t i, bint passed) noexcept nogil:
    cdef double result = prior.classes.log_sums[view.totals[i] if passed else view.n - view.totals[i]]
    cdef int c
    for c in range(view.n_classes):
        result += prior.classes.log_gammas[side_count(view, c, i, passed)]
    return result


cdef inline double _added(double a, double b) noexcept nogil:
    # ln(exp a + exp b)
    if a < b:
        a, b = b, a
    return a if b == -INFINITY else a + log(1.0 + exp(b - a))


cdef int _quick_sum(const View* view, const TreePrior* prior, Py_ssize_t depth, PairScratch* scratch, Limits limits,
                    double* result) except -1 nogil:
    # Two levels as plain products and sums: the sum itself, or 0 if it may be too small for that.
    cdef Py_ssize_t k = view.k, i, count = 0
    cdef int status
    cdef double split = split_prior(prior, depth + 1), total = 0.0, with_, without, m1, m0
    for i in range(k):
        scratch.with_score[i] = scratch.without_score[i] = 0.0
        scratch.with_valid[i] = scratch.without_valid[i] = 0
        count += view.times[i]
    for i in range(k - 1):
        status = limits_within(limits, (k - i) * (view.n_words + 10), _share(i, k))
        if status != GO_ON:
            return status
        pair_counts(view, i, i + 1, scratch)
        pair_scores(view, prior, i, i + 1, True, scratch)
        add_row(scratch.scores, view.weights, i, i + 1, k, scratch.with_score, scratch.without_score)
        if not prior.uniform:
            valid_row(scratch.sizes, view.times, i, i + 1, k, <int32_t> prior.min_cases, scratch.with_valid,
                      scratch.without_valid)
    for i in range(k):
        m1 = exp(_side_likelihood(view, prior, i, True))
        m0 = exp(_side_likelihood(view, prior, i, False))
        if prior.uniform:
            with_ = m1 + scratch.with_score[i]
            without = m0 + scratch.without_score[i]
        else:
            with_, without = m1, m0
            # Other tests that divide these cases as test i does are not valid below it.
            if scratch.with_valid[i]:
                with_ = (1.0 - split) * m1 + split * scratch.with_score[i] / scratch.with_valid[i]
            if scratch.without_valid[i]:
                without = (1.0 - split) * m0 + split * scratch.without_score[i] / scratch.without_valid[i]
        total += view.weights[i] * with_ * without
    if not prior.uniform:
        total *= split_prior(prior, depth) / count
    total += exp(log_leaf_prior(prior, depth, True) + log_likelihood(prior, view.counts))
    result[0] = total if total > TOO_SMALL else 0.0
    return GO_ON


cdef void _hold_row(Py_ssize_t k, Py_ssize_t i, PairScratch* scratch) noexcept nogil:
    # What the row of test i, the first of two, says of the rows of the tests after it.
    cdef const double* scores = scratch.scores
    cdef double* passed = scratch.held
    cdef double* failed = scratch.held + k * k
    cdef Py_ssize_t j
    for j in range(i + 1, k):
        passed[j * k + i] = scores[j] + scores[2 * k + j]
        failed[j * k + i] = scores[k + j] + scores[3 * k + j]


cdef inline void _add_second_tests(const View* view, const TreePrior* prior, double leaf, double split, Py_ssize_t row,
                                   const PairScratch* scratch, Py_ssize_t i, Py_ssize_t first,
                                   double* score) noexcept nogil:
    # One side of first test i: to ln m of a leaf is added what the second tests give. The scores of their leaves are in
    # this row and the next, but for those before `first`, which are held; `leaf` and `split` are ln of the prior of each.
    cdef Py_ssize_t k = view.k, j
    cdef const double* scores = scratch.scores + row * k
    cdef const double* held
    cdef double below
    if first:
        held = scratch.held + (row >> 1) * k * k + i * k
        memcpy(scratch.logs, held, first * sizeof(double))
    for j in range(first, k):
        scratch.logs[j] = scores[j] + scores[k + j]
    below = grouped_sum(prior, view, scratch.logs)
    if below > -INFINITY:
        score[0] = _added(score[0] + leaf, split + below)


cdef int log_sum(const View* view, const TreePrior* prior, Py_ssize_t depth, Py_ssize_t levels, bint exact,
                 const int32_t* order, Py_ssize_t max_rows, PairScratch* scratch, Limits limits,
                 double* result) except -1 nogil:
    # ln u of a node of this depth with 1 or 2 levels of tests left; it has tests. With `exact`, ln u of both sides of
    # each test is left in `with_score` and `without_score`, and the probabilities of the tests in `merged`. First tests
    # are done in the order given, if it is. If the work is stopped, or after `max_rows` of them (-1 for all), `n_rows`
    # says how many have been done, and ln u of their sides is there as well. Both orders of two tests have the same four
    # leaves: unless an order is given or there are many tests, each pair is looked at once.
    cdef Py_ssize_t k = view.k, i, r, first = 0
    cdef bint once = order == NULL and scratch.held != NULL
    cdef double quick = 0, likelihood = log_likelihood(prior, view.counts), total, below
    cdef double split = log(split_prior(prior, depth))
    cdef double below_leaf = log_leaf_prior(prior, depth + 1, True), below_split = log(split_prior(prior, depth + 1))
    cdef int status
    limits.n_checks = scratch.n_rows = 0
    if (levels >= 2 and not exact and max_rows < 0 and prior.group_start == NULL and view.n <= prior.max_linear
            and likelihood > -900.0):
        status = _quick_sum(view, prior, depth, scratch, limits, &quick)
        if status == STOP:
            return STOP
        if status == GO_ON and quick > 0:
            result[0] = log(quick)
            return GO_ON
        # In logarithms each first test is done by itself: so what can be done in the time that is left is of use.
    test_probabilities(prior, view, scratch.merged, scratch.largest)
    limits.watch.work += k
    for r in range(k):
        i = r if order == NULL else order[r]
        if levels >= 2 and (r == max_rows or limits_within(limits, k * (view.n_words + 40), <double> r / k) == STOP):
            scratch.n_rows = r
            return STOP
        scratch.with_score[i] = _side_likelihood(view, prior, i, True)
        scratch.without_score[i] = _side_likelihood(view, prior, i, False)
        if levels < 2:
            scratch.with_score[i] += log_last_prior(prior, view.totals[i])
            scratch.without_score[i] += log_last_prior(prior, view.n - view.totals[i])
            continue
        if once:
            first = i
        pair_counts(view, i, first, scratch)
        pair_scores(view, prior, i, first, False, scratch)
        if once:
            _hold_row(k, i, scratch)
        _add_second_tests(view, prior, below_leaf, below_split, 0, scratch, i, first, &scratch.with_score[i])
        _add_second_tests(view, prior, below_leaf, below_split, 2, scratch, i, first, &scratch.without_score[i])
    total = -INFINITY
    for i in range(k):
        total = max(total, scratch.with_score[i] + scratch.without_score[i] + log(scratch.merged[i]))
    below = 0.0
    for i in range(k):
        below += exp(scratch.with_score[i] + scratch.without_score[i] + log(scratch.merged[i]) - total)
    result[0] = _added(log_leaf_prior(prior, depth, True) + likelihood, split + total + log(below))
    return GO_ON


cdef void _best_row(const View* view, const TreePrior* prior, Py_ssize_t i, PairScratch* scratch) noexcept nogil:
    # ln of the best second test with its two leaves, on both sides of the first.
    cdef Py_ssize_t k = view.k, j
    log_row(view, prior, i, scratch)
    for j in range(k):
        scratch.logs[j] = scratch.scores[j] + scratch.scores[k + j]
    scratch.with_score[i] = grouped_max(prior, view, scratch.logs)
    for j in range(k):
        scratch.logs[j] = scratch.scores[2 * k + j] + scratch.scores[3 * k + j]
    scratch.without_score[i] = grouped_max(prior, view, scratch.logs)


cdef double _two_levels(const View* view, const TreePrior* prior, double leaf, double split, Py_ssize_t i, bint complete,
                        const PairScratch* scratch) noexcept nogil:
    # ln of the best tree that begins with test i, but for the probability of the test; `leaf` and `split` are ln of the
    # probabilities of what is below it. Unless the row is complete, a second test may be valid that has not been seen.
    cdef double below, value
    # Where no second test is valid, the leaf is certain.
    below = _side_likelihood(view, prior, i, True)
    if not complete or scratch.with_score[i] > -INFINITY:
        below = max(below + leaf, scratch.with_score[i] + split)
    value = below
    below = _side_likelihood(view, prior, i, False)
    if not complete or scratch.without_score[i] > -INFINITY:
        below = max(below + leaf, scratch.without_score[i] + split)
    return value + below


cdef int _best_second_tests(const View* view, const TreePrior* prior, const int32_t* order, PairScratch* scratch,
                            Limits limits) except -1 nogil:
    # ln of the best second test on both sides of each first one, as far as the limits allow.
    cdef Py_ssize_t k = view.k, i, r, count = 0
    cdef int status = GO_ON
    if prior.group_start != NULL:
        for r in range(k):
            status = limits_within(limits, k * (view.n_words + 40), <double> r / k)
            if status == STOP:
                break
            _best_row(view, prior, r if order == NULL else order[r], scratch)
        return status
    for i in range(k):
        count += view.times[i]
    for i in range(k - 1):
        status = limits_within(limits, (k - i) * (view.n_words + 10), _share(i, k))
        if status == STOP:
            break
        pair_counts(view, i, i + 1, scratch)
        pair_scores(view, prior, i, i + 1, False, scratch)
        max_row(scratch.scores, i, i + 1, k, scratch.with_score, scratch.without_score)
        valid_row(scratch.sizes, view.times, i, i + 1, k, <int32_t> prior.min_cases, scratch.with_valid,
                  scratch.without_valid)
    for i in range(k if not prior.uniform else 0):
        if status == STOP:   # no more can be valid than there are
            scratch.with_valid[i] = scratch.without_valid[i] = <int32_t> count
        scratch.with_score[i] -= log(<double> max(scratch.with_valid[i], 1))
        scratch.without_score[i] -= log(<double> max(scratch.without_valid[i], 1))
    return status


cdef int log_max(const View* view, const TreePrior* prior, Py_ssize_t depth, Py_ssize_t levels, const int32_t* order,
                 PairScratch* scratch, Limits limits, double* result, Py_ssize_t* test) except -1 nogil:
    # ln of the most probable tree of 1 or 2 levels below a node of this depth that has tests; its first test, or -1.
    # First tests are done in the order given, if it is.
    cdef Py_ssize_t k = view.k, i
    cdef double best = log_leaf_prior(prior, depth, True) + log_likelihood(prior, view.counts)
    cdef double split = log(split_prior(prior, depth)), value
    cdef double below_leaf = log_leaf_prior(prior, depth + 1, True), below_split = log(split_prior(prior, depth + 1))
    cdef int status = GO_ON
    limits.n_checks = 0
    test_probabilities(prior, view, scratch.merged, scratch.largest)
    limits.watch.work += k
    for i in range(k):
        scratch.with_score[i] = scratch.without_score[i] = -INFINITY
        scratch.with_valid[i] = scratch.without_valid[i] = 0
    if levels >= 2:
        status = _best_second_tests(view, prior, order, scratch, limits)
    test[0] = -1
    for i in range(k):
        value = (_two_levels(view, prior, below_leaf, below_split, i, status != STOP, scratch) + split
                 + log(scratch.largest[i]))
        if levels < 2:
            value += log_last_prior(prior, view.totals[i]) + log_last_prior(prior, view.n - view.totals[i])
        if value > best:
            best = value
            test[0] = i
    if status == STOP and test[0] >= 0:
        # The best second tests below the one that has been found.
        i = test[0]
        _best_row(view, prior, i, scratch)
        best = _two_levels(view, prior, below_leaf, below_split, i, True, scratch) + split + log(scratch.largest[i])
    result[0] = best
    return STOP if status == STOP else GO_ON
