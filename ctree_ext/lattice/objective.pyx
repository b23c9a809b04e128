"""Scores of leaves and bounds of subtrees, for each objective.

The score of a tree is what the search maximises or adds up: minus the errors, or ln of prior times likelihood.
"""

from libc.math cimport exp, log
from libc.stdint cimport int32_t
from libc.string cimport memcpy

from ctree_ext.base.processor cimport follow_processor, own_level
from ctree_ext.lattice.bitblocks cimport count_and
from ctree_ext.lattice.search_space cimport ERRORS, EVIDENCE, POSTERIOR, levels_left
from ctree_ext.lattice.tree_prior cimport (
    errors_of, log_last_prior, log_leaf_prior, log_likelihood, log_pure, split_prior,
)
from ctree_ext.lattice.views cimport View, side_count

follow_processor(own_level())


cdef double leaf_score(SearchSpace space, const View* view, Py_ssize_t depth) noexcept nogil:
    # The score of a node as a leaf.
    if space.objective == ERRORS:
        return -<double> errors_of(view.counts, space.n_classes)
    if levels_left(space, depth) == 0:
        return log_last_prior(&space.prior, view.n) + log_likelihood(&space.prior, view.counts)
    return log_leaf_prior(&space.prior, depth, view.k > 0) + log_likelihood(&space.prior, view.counts)


cdef double side_leaf_score(SearchSpace space, const View* view, Py_ssize_t depth, Py_ssize_t q,
                            bint passed) noexcept nogil:
    # The score of one side of a test as a leaf, which makes it a node of this depth.
    cdef double likelihood = 0.0
    cdef Py_ssize_t n = 0, most = 0, count, j, both, words = view.start[view.n_classes]
    cdef bint divisible = False
    cdef int c
    for c in range(space.n_classes):
        count = side_count(view, c, q, passed)
        n += count
        most = max(most, count)
        likelihood += space.prior.classes.log_gammas[count]
    if space.objective == ERRORS:
        return -<double> (n - most)
    if levels_left(space, depth) > 0 and n >= 2 * space.prior.min_cases and not space.prior.uniform:
        for j in range(view.k):
            both = count_and(view.bits + q * view.n_words, view.bits + j * view.n_words, words)
            space.limits.work_after_stop += words + 8
            if not passed:
                both = view.totals[j] - both
            if space.prior.min_cases <= both <= n - space.prior.min_cases:
                divisible = True
                break
    likelihood += space.prior.classes.log_sums[n]
    if levels_left(space, depth) == 0:
        return log_last_prior(&space.prior, n) + likelihood
    return log_leaf_prior(&space.prior, depth, divisible) + likelihood


cdef double upper_bound(SearchSpace space, const View* view, Py_ssize_t depth) noexcept nogil:
    # No tree below the node has a greater score, nor have all of them together.
    cdef double best, split
    if space.objective == ERRORS:
        return 0.0
    if view.k == 0 or levels_left(space, depth) == 0:
        return leaf_score(space, view, depth)
    best = log_pure(&space.prior, view.counts)
    if space.prior.uniform:
        return best + (space.log_tree_counts[levels_left(space, depth)] if space.objective == EVIDENCE else 0.0)
    split = split_prior(&space.prior, depth)
    if space.objective == POSTERIOR:
        return max(leaf_score(space, view, depth), log(split) + best)
    return best + log(split + (1.0 - split) * exp(log_likelihood(&space.prior, view.counts) - best))


cdef double side_upper_bound(SearchSpace space, const View* view, Py_ssize_t depth, Py_ssize_t q,
                             bint passed) noexcept nogil:
    # The same for one side of a test, which makes it a node of this depth: from its class counts.
    cdef double likelihood = 0.0, pure = 0.0, split
    cdef Py_ssize_t n = 0, count
    cdef int c
    if space.objective == ERRORS:
        return 0.0
    split = split_prior(&space.prior, depth)
    for c in range(space.n_classes):
        count = side_count(view, c, q, passed)
        n += count
        likelihood += space.prior.classes.log_gammas[count]
        pure += space.prior.classes.log_gammas[count] + space.prior.classes.log_sums[count]
    likelihood += space.prior.classes.log_sums[n]
    if levels_left(space, depth) == 0:
        return likelihood
    if space.objective == POSTERIOR:
        return max(likelihood, log(split) + pure)
    if space.prior.uniform:
        return pure + space.log_tree_counts[levels_left(space, depth)]
    return pure + log(split + (1.0 - split) * exp(likelihood - pure))


cdef double _two_leaves(SearchSpace space, const View* view, Py_ssize_t q) noexcept nogil:
    # The likelihood of the two leaves that a test makes.
    cdef double score = (space.prior.classes.log_sums[view.totals[q]]
                         + space.prior.classes.log_sums[view.n - view.totals[q]])
    cdef int c
    for c in range(space.n_classes):
        score += space.prior.classes.log_gammas[view.ones[c * view.k + q]]
        score += space.prior.classes.log_gammas[view.counts[c] - view.ones[c * view.k + q]]
    return score


cdef void order_tests(SearchSpace space, Level* level) noexcept nogil:
    # Tests by the likelihood of the two leaves that they make, the best first.
    cdef View* view = &level.view
    cdef Py_ssize_t q, i, k = view.k, width, start, middle, end, a, b
    cdef int32_t* run = level.order
    cdef int32_t* merged = level.order + level.max_tests
    for q in range(k):
        level.score[q] = _two_leaves(space, view, q)
        # Runs of 16 by insertion, which are then merged; of tests with the same score the first stays first.
        i = q
        while i & 15 and level.score[run[i - 1]] < level.score[q]:
            run[i] = run[i - 1]
            i -= 1
        run[i] = <int32_t> q
    width = 16
    while width < k:
        start = 0
        while start < k:
            middle, end = min(start + width, k), min(start + 2 * width, k)
            a, b = start, middle
            for i in range(start, end):
                if b == end or (a < middle and level.score[run[a]] >= level.score[run[b]]):
                    merged[i] = run[a]
                    a += 1
                else:
                    merged[i] = run[b]
                    b += 1
            start = end
        run, merged = merged, run
        width *= 2
    if run != level.order:
        memcpy(level.order, run, k * sizeof(int32_t))
    space.limits.watch.work += 8 * k
