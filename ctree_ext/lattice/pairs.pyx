"""Trees of at most two levels of tests: all leaves follow from how many cases of each class pass two tests.

That is the terminal solver of the lattice: the last two levels, where nearly all states are, are never visited one by
one. It works for sums as for the best tree.

With k tests that is k rows of k pairs. After some rows there is a look for Ctrl-C and at the clock, and the work may be
stopped: what is given then is a tree that is not the best, or the sums below some of the first tests.
"""

from libc.math cimport INFINITY, exp, log
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc

from ctree_ext.lattice.bitblocks cimport (
    add_row, best_row, error_row, has_fast_bits, max_row, pair_row, quadrants, score_row, score_row_two, use_fast_bits,
    valid_row,
)
from ctree_ext.lattice.tree_prior cimport (
    TABLE_SIDE, TreePrior, errors_of, grouped_max, grouped_sum, log_leaf_prior, log_likelihood,
    split_chance, test_chances,
)
from ctree_ext.lattice.views cimport View

cdef double TOO_SMALL = 1e-250   # below, products of likelihoods may have lost terms


def fast_bits(yes):
    """Whether the instructions for bits that not every processor has are used where it has them; for tests."""
    use_fast_bits(yes)
    return bool(has_fast_bits())


cdef int pairs_reserve(Pairs* room, Py_ssize_t k, int n_classes) noexcept nogil:
    # Room for so many tests; -1 if there is no memory.
    if k <= room.most_tests and room.pairs != NULL:
        return 0
    pairs_free(room)
    k = max(k, 1)
    room.pairs = <int32_t*> malloc(n_classes * k * sizeof(int32_t))
    room.sizes = <int32_t*> malloc(4 * k * sizeof(int32_t))
    room.errors = <int32_t*> malloc(4 * k * sizeof(int32_t))
    room.scores = <double*> malloc(4 * k * sizeof(double))
    room.with_errors = <int32_t*> malloc(4 * k * sizeof(int32_t))
    room.with_score = <double*> malloc(5 * k * sizeof(double))
    if (room.pairs == NULL or room.sizes == NULL or room.errors == NULL or room.scores == NULL
            or room.with_errors == NULL or room.with_score == NULL):
        return -1
    room.most_tests = k
    room.n_bytes = k * ((n_classes + 12) * <Py_ssize_t> sizeof(int32_t) + 9 * <Py_ssize_t> sizeof(double))
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
    room.pairs = room.sizes = room.errors = room.with_errors = NULL
    room.scores = room.with_score = NULL
    room.most_tests = room.n_bytes = 0


cdef inline int _looked(Pairs* room, Py_ssize_t work, double share) except -1 nogil:
    # So much more work is begun.
    room.work += work
    if room.work <= LOOK:
        return GO_ON
    room.work = 0
    room.n_looks += 1
    return room.look(room.owner, share)


cdef inline void _count(const View* view, Py_ssize_t i, Py_ssize_t first, Pairs* room) noexcept nogil:
    # The class counts of test i with the tests from `first` on.
    pair_row(view.bits, view.n_words, view.start, view.n_classes, i, first, view.k, room.pairs)
    quadrants(room.pairs, view.totals, view.n_classes, i, first, view.k, <int32_t> view.n, room.sizes)


cdef int least_errors(const View* view, const TreePrior* prior, Py_ssize_t levels, Pairs* room, Py_ssize_t* errors,
                      Py_ssize_t* test) except -1 nogil:
    # The least errors of a tree of 1 or 2 levels, and its first test, or -1 for a leaf.
    cdef Py_ssize_t k = view.k, i, best = errors_of(view.counts, 1, view.n_classes)
    cdef int c, status = GO_ON
    cdef int32_t n, most, rest
    test[0] = -1
    room.n_looks = 0
    for i in range(k):
        most = rest = 0
        for c in range(view.n_classes):
            n = view.ones[c * k + i]
            most = max(most, n)
            rest = max(rest, view.counts[c] - n)
        room.with_errors[i] = view.totals[i] - most
        room.without_errors[i] = <int32_t> view.n - view.totals[i] - rest
    room.work += k
    if levels >= 2 and best > 0:
        for i in range(k - 1):
            status = _looked(room, (k - i) * (view.n_words + 4), _share(i, k))
            if status == STOP:
                break
            _error_row(view, prior, i, i + 1, room)
    for i in range(k):
        if room.with_errors[i] + room.without_errors[i] < best:
            best = room.with_errors[i] + room.without_errors[i]
            test[0] = i
    if status == STOP and test[0] >= 0:
        # The best second tests below the one that has been found.
        i = test[0]
        _error_row(view, prior, i, 0, room)
        best = room.with_errors[i] + room.without_errors[i]
    errors[0] = best
    return STOP if status == STOP else GO_ON


cdef inline double _share(Py_ssize_t i, Py_ssize_t k) noexcept nogil:
    # Of all pairs, those with a first test before i.
    return 1.0 - (<double> (k - i) / k) * (<double> (k - i) / k)


cdef void _error_row(const View* view, const TreePrior* prior, Py_ssize_t i, Py_ssize_t first, Pairs* room) noexcept nogil:
    _count(view, i, first, room)
    error_row(room.pairs, view.ones, view.counts, room.sizes, view.n_classes, i, first, view.k, <int32_t> prior.least,
              room.errors)
    best_row(room.errors, i, first, view.k, room.with_errors, room.without_errors)


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


cdef int _quick_sum(const View* view, const TreePrior* prior, Py_ssize_t depth, Pairs* room,
                    double* result) except -1 nogil:
    # Two levels as plain products and sums: the sum itself, or 0 if it may be too small for that.
    cdef Py_ssize_t k = view.k, i, count = 0
    cdef int status
    cdef double chance = split_chance(prior, depth + 1), total = 0.0, with_, without, m1, m0
    for i in range(k):
        room.with_score[i] = room.without_score[i] = 0.0
        room.with_valid[i] = room.without_valid[i] = 0
        count += view.times[i]
    for i in range(k - 1):
        status = _looked(room, (k - i) * (view.n_words + 10), _share(i, k))
        if status != GO_ON:
            return status
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
    result[0] = total if total > TOO_SMALL else 0.0
    return GO_ON


cdef int log_sum(const View* view, const TreePrior* prior, Py_ssize_t depth, Py_ssize_t levels, bint exact,
                 const int32_t* order, Py_ssize_t most_rows, Pairs* room, double* result) except -1 nogil:
    # ln u of a node of this depth with 1 or 2 levels of tests left; it has tests. With `exact`, ln u of both sides of
    # each test is left in `with_score` and `without_score`, and the chances of the tests in `together`. First tests are
    # done in the order given, if it is. If the work is stopped, or after `most_rows` of them (-1 for all), `n_rows` says
    # how many have been done, and ln u of their sides is there as well.
    cdef Py_ssize_t k = view.k, i, j, r
    cdef double quick = 0, likelihood = log_likelihood(prior, view.counts, 1), total, below
    cdef double split = log(split_chance(prior, depth)), below_split = log(split_chance(prior, depth + 1))
    cdef int status
    room.n_looks = room.n_rows = 0
    if (levels >= 2 and not exact and most_rows < 0 and prior.group_start == NULL and view.n <= prior.most_linear
            and likelihood > -900.0):
        status = _quick_sum(view, prior, depth, room, &quick)
        if status == STOP:
            return STOP
        if status == GO_ON and quick > 0:
            result[0] = log(quick)
            return GO_ON
        # In logarithms each first test is done by itself: so what can be done in the time that is left is of use.
    test_chances(prior, view, room.together, room.best)
    room.work += k
    for r in range(k):
        i = r if order == NULL else order[r]
        if levels >= 2 and (r == most_rows or _looked(room, k * (view.n_words + 40), <double> r / k) == STOP):
            room.n_rows = r
            return STOP
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
    result[0] = _added(log_leaf_prior(prior, depth, True) + likelihood, split + total + log(below))
    return GO_ON


cdef void _best_row(const View* view, const TreePrior* prior, Py_ssize_t i, Pairs* room) noexcept nogil:
    # ln of the best second test with its two leaves, on both sides of the first.
    cdef Py_ssize_t k = view.k, j
    log_row(view, prior, i, room)
    for j in range(k):
        room.logs[j] = room.scores[j] + room.scores[k + j]
    room.with_score[i] = grouped_max(prior, view, room.logs)
    for j in range(k):
        room.logs[j] = room.scores[2 * k + j] + room.scores[3 * k + j]
    room.without_score[i] = grouped_max(prior, view, room.logs)


cdef double _two_levels(const View* view, const TreePrior* prior, double leaf, double split, Py_ssize_t i, bint whole,
                        const Pairs* room) noexcept nogil:
    # ln of the best tree that begins with test i, but for the chance of the test; `leaf` and `split` are ln of the
    # chances of what is below it. Unless the row is whole, a second test may be valid that has not been seen.
    cdef double below, value
    # Where no second test is valid, the leaf is certain.
    below = _side_likelihood(view, prior, i, True)
    if not whole or room.with_score[i] > -INFINITY:
        below = max(below + leaf, room.with_score[i] + split)
    value = below
    below = _side_likelihood(view, prior, i, False)
    if not whole or room.without_score[i] > -INFINITY:
        below = max(below + leaf, room.without_score[i] + split)
    return value + below


cdef int log_max(const View* view, const TreePrior* prior, Py_ssize_t depth, Py_ssize_t levels, const int32_t* order,
                 Pairs* room, double* result, Py_ssize_t* test) except -1 nogil:
    # ln of the most probable tree of 1 or 2 levels below a node of this depth that has tests; its first test, or -1.
    # First tests are done in the order given, if it is.
    cdef Py_ssize_t k = view.k, i, r, count = 0
    cdef double best = log_leaf_prior(prior, depth, True) + log_likelihood(prior, view.counts, 1)
    cdef double split = log(split_chance(prior, depth)), value
    cdef double below_leaf = log_leaf_prior(prior, depth + 1, True), below_split = log(split_chance(prior, depth + 1))
    cdef int status = GO_ON
    room.n_looks = 0
    test_chances(prior, view, room.together, room.best)
    room.work += k
    for i in range(k):
        room.with_score[i] = room.without_score[i] = -INFINITY
        room.with_valid[i] = room.without_valid[i] = 0
        count += view.times[i]
    if levels >= 2 and prior.group_start == NULL:
        for i in range(k - 1):
            status = _looked(room, (k - i) * (view.n_words + 10), _share(i, k))
            if status == STOP:
                break
            _count(view, i, i + 1, room)
            _score(view, prior, i, i + 1, False, room)
            max_row(room.scores, i, i + 1, k, room.with_score, room.without_score)
            valid_row(room.sizes, view.times, i, i + 1, k, <int32_t> prior.least, room.with_valid, room.without_valid)
        for i in range(k if not prior.uniform else 0):
            if status == STOP:   # no more can be valid than there are
                room.with_valid[i] = room.without_valid[i] = <int32_t> count
            room.with_score[i] -= log(<double> max(room.with_valid[i], 1))
            room.without_score[i] -= log(<double> max(room.without_valid[i], 1))
    elif levels >= 2:
        for r in range(k):
            status = _looked(room, k * (view.n_words + 40), <double> r / k)
            if status == STOP:
                break
            _best_row(view, prior, r if order == NULL else order[r], room)
    test[0] = -1
    for i in range(k):
        value = _two_levels(view, prior, below_leaf, below_split, i, status != STOP, room) + split + log(room.best[i])
        if value > best:
            best = value
            test[0] = i
    if status == STOP and test[0] >= 0:
        # The best second tests below the one that has been found.
        i = test[0]
        _best_row(view, prior, i, room)
        best = _two_levels(view, prior, below_leaf, below_split, i, True, room) + split + log(room.best[i])
    result[0] = best
    return STOP if status == STOP else GO_ON
