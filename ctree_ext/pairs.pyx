"""Trees of at most two levels of tests: all leaves follow from how many cases of each class pass two tests.

That is the terminal solver of the lattice: the last two levels, where nearly all states are, are never visited one by
one. It works for sums as for the best tree.
"""

from libc.math cimport INFINITY, exp, log
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from ctree_ext.bitblocks cimport (
    add_row, best_row, error_row, max_row, pair_row, quadrants, score_row, score_row_two, valid_row,
)
from ctree_ext.treeprior cimport (
    TABLE_SIDE, TreePrior, errors_of, grouped_max, grouped_sum, log_leaf_prior, log_likelihood,
    split_chance, test_chances,
)
from ctree_ext.views cimport View

cdef double TOO_SMALL = 1e-250   # below, products of likelihoods may have lost terms


cdef int pairs_reserve(Pairs* room, Py_ssize_t k, int n_classes) noexcept nogil:
    # Room for so many tests; -1 if there is no memory.
    cdef Py_ssize_t work = room.work
    if k <= room.most_tests and room.pairs != NULL:
        return 0
    pairs_free(room)
    room.work = work
    k = max(k, 1)
    room.most_tests = k
    room.pairs = <int32_t*> malloc(n_classes * k * sizeof(int32_t))
    room.sizes = <int32_t*> malloc(4 * k * sizeof(int32_t))
    room.errors = <int32_t*> malloc(4 * k * sizeof(int32_t))
    room.scores = <double*> malloc(4 * k * sizeof(double))
    room.with_errors = <int32_t*> malloc(4 * k * sizeof(int32_t))
    room.with_score = <double*> malloc(5 * k * sizeof(double))
    if (room.pairs == NULL or room.sizes == NULL or room.errors == NULL or room.scores == NULL
            or room.with_errors == NULL or room.with_score == NULL):
        return -1
    room.without_errors = room.with_errors + k
    room.with_valid = room.with_errors + 2 * k
    room.without_valid = room.with_errors + 3 * k
    room.without_score = room.with_score + k
    room.together = room.with_score + 2 * k
    room.best = room.with_score + 3 * k
    room.logs = room.with_score + 4 * k
    return 0


cdef void pairs_free(Pairs* room) noexcept nogil:
    free(room.pairs)
    free(room.sizes)
    free(room.errors)
    free(room.scores)
    free(room.with_errors)
    free(room.with_score)
    memset(room, 0, sizeof(Pairs))


cdef inline void _count(const View* view, Py_ssize_t i, Py_ssize_t first, Pairs* room) noexcept nogil:
    # The class counts of test i with the tests from `first` on.
    pair_row(view.bits, view.n_words, view.start, view.n_classes, i, first, view.k, room.pairs)
    quadrants(room.pairs, view.totals, view.n_classes, i, first, view.k, <int32_t> view.n, room.sizes)


cdef Py_ssize_t least_errors(const View* view, const TreePrior* prior, Py_ssize_t levels, Pairs* room,
                             Py_ssize_t* test) noexcept nogil:
    # The least errors of a tree of 1 or 2 levels, and its first test, or -1 for a leaf.
    cdef Py_ssize_t k = view.k, i, best = errors_of(view.counts, 1, view.n_classes), errors
    cdef int c
    cdef int32_t n, most, rest
    test[0] = -1
    for i in range(k):
        most = rest = 0
        for c in range(view.n_classes):
            n = view.ones[c * k + i]
            most = max(most, n)
            rest = max(rest, view.counts[c] - n)
        room.with_errors[i] = view.totals[i] - most
        room.without_errors[i] = <int32_t> view.n - view.totals[i] - rest
    if levels >= 2 and best > 0:
        for i in range(k):
            if i + 1 < k:
                _count(view, i, i + 1, room)
                error_row(room.pairs, view.ones, view.counts, room.sizes, view.n_classes, i, i + 1, k,
                          <int32_t> prior.least, room.errors)
                best_row(room.errors, i, i + 1, k, room.with_errors, room.without_errors)
        room.work += k * k // 2 * (view.n_words + 2)
    for i in range(k):
        errors = room.with_errors[i] + room.without_errors[i]
        if errors < best:
            best = errors
            test[0] = i
    return best


cdef void _score(const View* view, const TreePrior* prior, Py_ssize_t i, Py_ssize_t first, bint product,
                 Pairs* room) noexcept nogil:
    # The likelihoods of the four leaves of test i with each from `first` on.
    if view.n_classes == 2 and view.counts[0] < TABLE_SIDE and view.counts[1] < TABLE_SIDE:
        score_row_two(room.pairs, view.ones, view.counts, i, first, view.k,
                      prior.table if product else prior.log_table, TABLE_SIDE, room.scores)
    else:
        score_row(room.pairs, view.ones, view.counts, room.sizes, view.n_classes, i, first, view.k,
                  prior.gammas if product else prior.log_gammas, prior.leaf_sums if product else prior.log_leaf_sums,
                  product, room.scores)


cdef void log_row(const View* view, const TreePrior* prior, Py_ssize_t i, Pairs* room) noexcept nogil:
    # ln m of the four leaves of test i with every test: minus infinity for those that are too small.
    _count(view, i, 0, room)
    _score(view, prior, i, 0, False, room)


cdef inline double _side(const View* view, int c, Py_ssize_t i, bint passed) noexcept nogil:
    return view.ones[c * view.k + i] if passed else view.counts[c] - view.ones[c * view.k + i]


cdef double _side_likelihood(const View* view, const TreePrior* prior, Py_ssize_t i, bint passed) noexcept nogil:
    cdef double result = prior.log_sums[view.totals[i] if passed else view.n - view.totals[i]]
    cdef int c
    for c in range(view.n_classes):
        result += prior.log_gammas[<Py_ssize_t> _side(view, c, i, passed)]
    return result


cdef inline double _added(double a, double b) noexcept nogil:
    # ln(exp a + exp b)
    if a < b:
        a, b = b, a
    return a if b == -INFINITY else a + log(1.0 + exp(b - a))


cdef double _quick_sum(const View* view, const TreePrior* prior, Py_ssize_t depth, Pairs* room) noexcept nogil:
    # Two levels as plain products and sums: the sum itself, or 0 if it may be too small for that.
    cdef Py_ssize_t k = view.k, i, count = 0
    cdef double chance = split_chance(prior, depth + 1), total = 0.0, with_, without, m1, m0
    for i in range(k):
        room.with_score[i] = room.without_score[i] = 0.0
        room.with_valid[i] = room.without_valid[i] = 0
        count += view.times[i]
    for i in range(k - 1):
        _count(view, i, i + 1, room)
        _score(view, prior, i, i + 1, True, room)
        add_row(room.scores, view.weights, i, i + 1, k, room.with_score, room.without_score)
        if not prior.uniform:
            valid_row(room.sizes, view.times, i, i + 1, k, <int32_t> prior.least, room.with_valid, room.without_valid)
    for i in range(k):
        m1 = exp(_side_likelihood(view, prior, i, True))
        m0 = exp(_side_likelihood(view, prior, i, False))
        if prior.uniform:
            with_ = m1 + room.with_score[i]
            without = m0 + room.without_score[i]
        else:
            with_, without = m1, m0
            # Other tests that divide these cases as test i does are not valid below it.
            if room.with_valid[i]:
                with_ = (1.0 - chance) * m1 + chance * room.with_score[i] / room.with_valid[i]
            if room.without_valid[i]:
                without = (1.0 - chance) * m0 + chance * room.without_score[i] / room.without_valid[i]
        total += view.weights[i] * with_ * without
    if not prior.uniform:
        total *= split_chance(prior, depth) / count
    total += exp(log_leaf_prior(prior, depth, True) + log_likelihood(prior, view.counts, 1))
    return total if total > TOO_SMALL else 0.0


cdef double log_sum(const View* view, const TreePrior* prior, Py_ssize_t depth, Py_ssize_t levels, bint exact,
                    Pairs* room) noexcept nogil:
    # ln u of a node of this depth with 1 or 2 levels of tests left; it has tests. With `exact`, ln u of both sides of
    # each test is left in `with_score` and `without_score`, and the chances of the tests in `together`.
    cdef Py_ssize_t k = view.k, i, j
    cdef double quick, likelihood = log_likelihood(prior, view.counts, 1), total, below
    cdef double split = log(split_chance(prior, depth)), below_split = log(split_chance(prior, depth + 1))
    room.work += k * k // 2 * (view.n_words + 10) if levels >= 2 else k
    if (levels >= 2 and not exact and prior.group_start == NULL and view.n <= prior.most_linear
            and likelihood > -900.0):
        quick = _quick_sum(view, prior, depth, room)
        if quick > 0:
            return log(quick)
    test_chances(prior, view, room.together, room.best)
    for i in range(k):
        room.with_score[i] = _side_likelihood(view, prior, i, True)
        room.without_score[i] = _side_likelihood(view, prior, i, False)
        if levels < 2:
            continue
        log_row(view, prior, i, room)
        for j in range(k):
            room.logs[j] = room.scores[j] + room.scores[k + j]
        below = grouped_sum(prior, view, room.logs)
        if below > -INFINITY:
            room.with_score[i] = _added(room.with_score[i] + log_leaf_prior(prior, depth + 1, True),
                                        below_split + below)
        for j in range(k):
            room.logs[j] = room.scores[2 * k + j] + room.scores[3 * k + j]
        below = grouped_sum(prior, view, room.logs)
        if below > -INFINITY:
            room.without_score[i] = _added(room.without_score[i] + log_leaf_prior(prior, depth + 1, True),
                                           below_split + below)
    total = -INFINITY
    for i in range(k):
        total = max(total, room.with_score[i] + room.without_score[i] + log(room.together[i]))
    below = 0.0
    for i in range(k):
        below += exp(room.with_score[i] + room.without_score[i] + log(room.together[i]) - total)
    return _added(log_leaf_prior(prior, depth, True) + likelihood, split + total + log(below))


cdef double log_max(const View* view, const TreePrior* prior, Py_ssize_t depth, Py_ssize_t levels, Pairs* room,
                    Py_ssize_t* test) noexcept nogil:
    # ln of the most probable tree of 1 or 2 levels below a node of this depth that has tests; its first test, or -1.
    cdef Py_ssize_t k = view.k, i, j
    cdef double leaf = log_leaf_prior(prior, depth, True) + log_likelihood(prior, view.counts, 1)
    cdef double below, below_leaf = log_leaf_prior(prior, depth + 1, True)
    cdef double split = log(split_chance(prior, depth)), below_split = log(split_chance(prior, depth + 1)), value
    room.work += k * k // 2 * (view.n_words + 10) if levels >= 2 else k
    test_chances(prior, view, room.together, room.best)
    for i in range(k):
        room.with_score[i] = room.without_score[i] = -INFINITY
        room.with_valid[i] = room.without_valid[i] = 0
    if levels >= 2 and prior.group_start == NULL:
        for i in range(k - 1):
            _count(view, i, i + 1, room)
            _score(view, prior, i, i + 1, False, room)
            max_row(room.scores, i, i + 1, k, room.with_score, room.without_score)
            valid_row(room.sizes, view.times, i, i + 1, k, <int32_t> prior.least, room.with_valid, room.without_valid)
        if not prior.uniform:
            for i in range(k):
                room.with_score[i] -= log(<double> max(room.with_valid[i], 1))
                room.without_score[i] -= log(<double> max(room.without_valid[i], 1))
    elif levels >= 2:
        for i in range(k):
            log_row(view, prior, i, room)
            for j in range(k):
                room.logs[j] = room.scores[j] + room.scores[k + j]
            room.with_score[i] = grouped_max(prior, view, room.logs)
            for j in range(k):
                room.logs[j] = room.scores[2 * k + j] + room.scores[3 * k + j]
            room.without_score[i] = grouped_max(prior, view, room.logs)
    test[0] = -1
    for i in range(k):
        # Where no second test is valid, the leaf is certain.
        below = _side_likelihood(view, prior, i, True)
        if room.with_score[i] > -INFINITY:
            below = max(below + below_leaf, room.with_score[i] + below_split)
        value = below
        below = _side_likelihood(view, prior, i, False)
        if room.without_score[i] > -INFINITY:
            below = max(below + below_leaf, room.without_score[i] + below_split)
        value += below + split + log(room.best[i])
        if value > leaf:
            leaf = value
            test[0] = i
    return leaf
