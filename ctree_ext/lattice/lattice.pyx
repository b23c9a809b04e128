"""All trees at once: sums and maxima over every tree under a constraint, by a search over sets of cases.

A tree below a node depends on nothing but the cases that are there and on how deep the node is. So the search goes from
the set of all cases to the sets that each test makes of it, and remembers what it has found of each. What it adds up is
exchangeable: the errors of the best tree, the posterior of the most probable one, or the sum over all of them (Nijssen,
2008). The last two levels are done by `ctree_ext.lattice.pairs`.
"""

import time

import threading

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, exp, log
from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

from ctree_ext.lattice.bitblocks cimport count_and, has_fast_bits, use_fast_bits
from ctree_ext.lattice.pairs cimport (
    GO_ON, LOOK, STOP, TOO_LONG, least_errors, log_max, log_sum, pairs_free, pairs_reserve,
)
from ctree_ext.lattice.state_cache cimport State, cache_add, cache_bytes, cache_find, cache_free
from ctree_ext.lattice.tree_prior cimport (
    errors_of, log_leaf_prior, log_likelihood, log_pure, prior_free, prior_groups, prior_init, single_chances,
    split_chance, test_chances,
)
from ctree_ext.lattice.views cimport View, side_key, side_mask, view_all, view_free, view_part

cdef enum:
    CUT = -2               # of a sum that was stopped within the last two levels: what is known of it is that of its sides
    WIDE = 10 * LOOK       # a state of so much work is done in an order by which its best tests come first
    MAX_LATE = 10 * LOOK  # work on what has been found, once the search is stopped; then it is left as it is

MAX_LEVELS = 500

OBJECTIVES = {"errors": ERRORS, "posterior": POSTERIOR, "evidence": EVIDENCE}
cdef double SLACK = 1e-9   # of a bound that is a sum, against rounding


def fast_bits(yes):
    """Whether the instructions for bits that not every processor has are used where it has them; for tests."""
    use_fast_bits(yes)
    return bool(has_fast_bits())


cdef int _look(void* owner, double share) except -1 nogil:
    # What `Pairs` calls.
    with gil:
        return (<Lattice> owner).look_within(share)


cdef class Lattice:
    """All trees over these tests and cases, with at least `min_support` cases in every leaf.

    Parameters
    ----------
    columns : uint8 array (tests, cases)
        1 where a case passes a test.
    classes : int32 array (cases,)
    n_classes : int
    min_support, max_depth : int
        `max_depth` None is no limit.
    uniform : bool
        Every tree counts the same; else by its size, with `gamma` and `delta`.
    gamma, delta, alpha : float
    groups : int32 array (tests,), optional
        Tests of one group, which have the same number here, share the chance of one.
    merge, pairs, by_cover : bool
        Whether tests that divide cases alike are one, the last two levels are done from pair counts, and states are
        known by their cases (or else by their itemset). The result is the same.
    time_limit, memory_limit : float, int
        Seconds and bytes, None for no limit.
    state_limit, row_limit : int
        States after which the search stops, None for no limit, and the first tests that are done in the last of them,
        -1 for all: where a search was stopped (`n_states`, `n_rows`), another can stop too.
    progress : callable, optional
        Called now and then with the states visited, those remembered, and the bracket so far.
    """

    def __cinit__(self, const uint8_t[:, ::1] columns, const int32_t[::1] classes, int n_classes, *, Py_ssize_t min_support=1,
                  max_depth=None, bint uniform=False, double gamma=0.8, double delta=0.8, double alpha=1.0,
                  const int32_t[::1] groups=None, bint merge=True, bint pairs=True, bint by_cover=True,
                  time_limit=None, memory_limit=None, state_limit=None, Py_ssize_t row_limit=-1, progress=None):
        cdef Py_ssize_t n = classes.shape[0]
        self.lock = threading.RLock()
        if n == 0 or n_classes < 1 or n > 0x1FFFFFFF:
            raise ValueError("no cases, no classes, or too many cases")
        if columns.shape[0] and columns.shape[1] != n:
            raise ValueError("columns and classes differ in length")
        if np.min(classes) < 0 or np.max(classes) >= n_classes:
            raise ValueError("a class out of range")
        if columns.shape[0] and np.max(columns) > 1:
            raise ValueError("a column that is neither 0 nor 1")
        if not (min_support >= 1 and alpha > 0 and 0 < gamma < 1 and delta >= 0):
            raise ValueError("min_support, alpha, gamma or delta out of range")
        if max_depth is not None and not 0 <= max_depth <= MAX_LEVELS:
            raise ValueError("max_depth out of range")
        if groups is not None:
            if groups.shape[0] != columns.shape[0]:
                raise ValueError("one group a test")
            # Whatever the numbers of the groups are, they are now those from 0 on.
            groups = np.unique(groups, return_inverse=True)[1].reshape(-1).astype(np.int32)
        self.n_tests, self.n_cases, self.n_classes = columns.shape[0], n, n_classes
        # No tree is deeper than this: every test takes min_support cases away. And the search calls itself for every
        # level, so that there has to be an end.
        self.max_depth = min(n // min_support, MAX_LEVELS if max_depth is None else max_depth)
        self.merge, self.pairs, self.by_cover = merge, pairs, by_cover
        self.similarity = min_support == 1
        self.time_limit = INFINITY if time_limit is None else time_limit
        self.memory_limit = 1 << 62 if memory_limit is None else memory_limit
        self.state_limit = 1 << 62 if state_limit is None else state_limit
        self.row_limit = row_limit
        self.n_rows = -1
        self.progress = progress
        self.room.look, self.room.owner = _look, <void*> self
        self.prior.uniform, self.prior.gamma, self.prior.delta, self.prior.alpha = uniform, gamma, delta, alpha
        self.prior.least, self.prior.n_classes = min_support, n_classes
        self.n_levels = self.max_depth + 1
        self.levels = <Level**> calloc(self.n_levels + 1, sizeof(Level*))
        self.tree_counts = <double*> malloc((self.n_levels + 1) * sizeof(double))
        if self.levels == NULL or self.tree_counts == NULL or prior_init(&self.prior, n) < 0:
            raise MemoryError
        self.count_trees()
        if groups is not None and self.n_tests and prior_groups(&self.prior, &groups[0], self.n_tests) < 0:
            raise MemoryError
        view_all(&self.whole, &columns[0, 0] if self.n_tests else NULL, &classes[0], n, self.n_tests, n_classes, NULL, 0)
        if not by_cover:
            self.item_marks = np.random.default_rng(0).integers(1, 2 ** 63, size=4 * self.n_tests, dtype=np.uint64)
        self.root()

    def __dealloc__(self):
        cdef Py_ssize_t d
        cdef Level* level
        if self.levels != NULL:
            for d in range(self.n_levels + 1):
                level = self.levels[d]
                if level == NULL:
                    continue
                view_free(&level.view)
                free(level.together)
                free(level.best)
                free(level.score)
                free(level.order)
                free(level.highs)
                free(level.solved)
                free(level)
        free(self.levels)
        free(self.tree_counts)
        view_free(&self.whole)
        prior_free(&self.prior)
        pairs_free(&self.room)
        for d in range(3):
            cache_free(&self.caches[d])

    def root(self):
        # The view of all cases, without tests that do not divide them.
        cdef Level* level = self.level(0)
        self.side_view = NULL
        if view_part(&self.whole, self.whole.valid, -1, &level.view, self.prior.least, self.merge) < 0:
            raise MemoryError
        if self.by_cover:
            level.view.key[0], level.view.key[1] = self.whole.key[0], self.whole.key[1]
        else:
            level.view.key[0] = level.view.key[1] = 1
        self.room_for(level)

    cdef Py_ssize_t levels_left(self, Py_ssize_t depth) noexcept nogil:
        return self.max_depth - depth

    cdef Level* level(self, Py_ssize_t depth) except NULL nogil:
        if self.levels[depth] == NULL:
            self.levels[depth] = <Level*> calloc(1, sizeof(Level))
            if self.levels[depth] == NULL:
                with gil:
                    raise MemoryError
        return self.levels[depth]

    cdef int room_for(self, Level* level) except -1 nogil:
        cdef Py_ssize_t k = max(level.view.k, 1)
        if k > level.most_tests:
            free(level.together)
            free(level.best)
            free(level.score)
            free(level.order)
            free(level.highs)
            free(level.solved)
            level.together = <double*> calloc(k, sizeof(double))
            level.best = <double*> calloc(k, sizeof(double))
            level.score = <double*> calloc(k, sizeof(double))
            level.order = <int32_t*> calloc(2 * k, sizeof(int32_t))
            level.highs = <double*> calloc(2 * k, sizeof(double))
            level.solved = <int32_t*> calloc(2 * k, sizeof(int32_t))
            level.most_tests = k
            if (level.together == NULL or level.best == NULL or level.score == NULL or level.order == NULL
                    or level.highs == NULL or level.solved == NULL):
                level.most_tests = 0
                with gil:
                    raise MemoryError
        level.n_solved = 0
        self.level_bytes -= level.n_bytes
        level.n_bytes = level.view.n_bytes + level.most_tests * (5 * sizeof(double) + 4 * sizeof(int32_t))
        self.level_bytes += level.n_bytes
        if pairs_reserve(&self.room, k, self.n_classes) < 0:
            with gil:
                raise MemoryError
        return 0

    cdef Py_ssize_t bytes_now(self) noexcept nogil:
        # All that is allotted.
        return (self.whole.n_bytes + self.level_bytes + self.room.n_bytes + self.prior.n_bytes
                + cache_bytes(&self.caches[0]) + cache_bytes(&self.caches[1]) + cache_bytes(&self.caches[2]))

    cdef int start(self, int algebra) except -1:
        self.algebra = algebra
        self.limited = True
        self.stopped = False
        self.late = 0
        self.reason = None
        self.n_states = self.work = self.room.work = 0
        self.started = self.reported = time.monotonic()
        self.deadline = self.started + self.time_limit
        if algebra == EVIDENCE:
            self.n_rows = -1
        return 0

    cdef int without_limit(self, int algebra) except -1:
        # What is asked after a search is answered, however long it takes.
        self.algebra = algebra
        self.limited = False
        return 0

    cdef int look(self) except -1 nogil:
        # Look for Ctrl-C and at the clock, and tell how far the search has come.
        with gil:
            PyErr_CheckSignals()
            now = time.monotonic()
            if self.limited and now > self.deadline and not self.stopped:
                self.stopped, self.reason = True, "time"
            if self.limited and self.progress is not None and now > self.reported + 0.2:
                self.reported = now
                self.progress(self.n_states, self.caches[self.algebra].n_states, self.low, self.high)
        return 0

    cdef int look_within(self, double share) except -1:
        # The same within a state, of which this share is done.
        self.look()
        if not self.limited:
            return GO_ON
        if self.stopped:
            return STOP
        now = time.monotonic()
        if self.room.n_looks == 1:
            self.first_share, self.first_look = share, now
        elif self.room.n_looks > 2 and share > self.first_share and self.deadline < INFINITY:
            if now + (now - self.first_look) * (1.0 - share) / (share - self.first_share) > self.deadline:
                return TOO_LONG
        return GO_ON

    cdef int look_now(self) except -1 nogil:
        # If enough work has been done since the last look.
        if self.work > LOOK:
            self.work = 0
            self.look()
        return 0

    cdef int enter(self) except -1 nogil:
        # Before every state that is not known yet.
        cdef StateCache* cache = &self.caches[self.algebra]
        cdef Py_ssize_t n_bytes
        if self.n_states >= self.state_limit and not self.stopped:
            self.stopped = True
            with gil:
                self.reason = "states"
        self.work += self.room.work + 200
        self.room.work = 0
        self.look_now()
        n_bytes = self.bytes_now()
        # The states above this one have to find room as well. While a table grows, there are the old and the new one.
        if 3 * (cache.n_states + self.n_levels + 2) > 2 * cache.n_places:
            n_bytes += 2 * cache_bytes(cache)
        if not self.stopped and n_bytes > self.memory_limit:
            self.stopped = True
            with gil:
                self.reason = "memory"
        if not self.stopped:
            self.n_states += 1
        return 0

    cdef void child_key(self, const View* view, Py_ssize_t q, bint passed, uint64_t* mask, uint64_t* key) noexcept nogil:
        # The cases on one side of a test, and what they are known by: their random numbers together, which need to be
        # taken together for the smaller side only, and once for both.
        cdef bint smaller = 2 * view.totals[q] <= view.n
        side_mask(view, q, passed, mask)
        if not self.by_cover:
            key[0] = view.key[0] ^ self.item_marks[4 * view.first[q] + 2 * passed]
            key[1] = view.key[1] ^ self.item_marks[4 * view.first[q] + 2 * passed + 1]
            return
        if self.side_view != view or self.side_test != q:
            side_key(view, q, smaller, self.side)
            self.side_view, self.side_test = view, q
        if smaller == passed:
            key[0], key[1] = self.side[0], self.side[1]
        else:
            key[0], key[1] = view.key[0] ^ self.side[0], view.key[1] ^ self.side[1]

    cdef void state_key(self, const uint64_t* key, Py_ssize_t depth, uint64_t* result) noexcept nogil:
        result[0] = key[0] ^ (<uint64_t> 0x9E3779B97F4A7C15 * <uint64_t> (depth + 1))
        result[1] = key[1] + <uint64_t> depth

    cdef int descend(self, Py_ssize_t depth, Py_ssize_t q, bint passed, const uint64_t* key) except -1 nogil:
        # Make the view of one side of a test, whose mask has been set.
        cdef Level* level = self.levels[depth]
        cdef Level* below = self.level(depth + 1)
        cdef Py_ssize_t k = q
        self.side_view = NULL
        if view_part(&level.view, level.view.mask, k, &below.view, self.prior.least, self.merge) < 0:
            with gil:
                raise MemoryError
        below.view.key[0], below.view.key[1] = key[0], key[1]
        self.work += level.view.k * (2 * level.view.n_words + 8)
        self.room_for(below)
        return 0

    cdef int keep(self, const uint64_t* key, double low, double high, Py_ssize_t test) except -1 nogil:
        # Remember what is known of a state.
        cdef State* state = cache_add(&self.caches[self.algebra], key)
        if state == NULL:
            with gil:
                raise MemoryError
        state.low, state.high, state.test = low, high, <int32_t> test
        return 0

    cdef double leaf(self, const View* view, Py_ssize_t depth) noexcept nogil:
        # What the node is worth as a leaf.
        if self.algebra == ERRORS:
            return -<double> errors_of(view.counts, 1, self.n_classes)
        return (log_leaf_prior(&self.prior, depth, view.k > 0 and self.levels_left(depth) > 0)
                + log_likelihood(&self.prior, view.counts, 1))

    cdef void count_trees(self) noexcept nogil:
        # ln of a number that there are no more trees than, by the levels that they may have.
        cdef double result = 0.0, k = log(<double> max(self.n_tests, 1))
        cdef Py_ssize_t levels
        for levels in range(self.n_levels + 1):
            self.tree_counts[levels] = result
            result = k + 2 * result
            result += log(1.0 + exp(-result))

    cdef double side_bound(self, const View* view, Py_ssize_t depth, Py_ssize_t q, bint passed) noexcept nogil:
        # More than one side of a test is worth, which makes a node of this depth: from its class counts.
        cdef double likelihood = 0.0, pure = 0.0, chance = split_chance(&self.prior, depth)
        cdef Py_ssize_t n = 0, count
        cdef int c
        if self.algebra == ERRORS:
            return 0.0
        for c in range(self.n_classes):
            count = view.ones[c * view.k + q] if passed else view.counts[c] - view.ones[c * view.k + q]
            n += count
            likelihood += self.prior.log_gammas[count]
            pure += self.prior.log_gammas[count] + self.prior.log_sums[count]
        likelihood += self.prior.log_sums[n]
        if self.levels_left(depth) == 0:
            return likelihood
        if self.algebra == POSTERIOR:
            return max(likelihood, log(chance) + pure)
        if self.prior.uniform:
            return pure + self.tree_counts[self.levels_left(depth)]
        return pure + log(chance + (1.0 - chance) * exp(likelihood - pure))

    cdef double side_leaf(self, const View* view, Py_ssize_t depth, Py_ssize_t q, bint passed) noexcept nogil:
        # What one side of a test is worth as a leaf, which makes a node of this depth.
        cdef double likelihood = 0.0
        cdef Py_ssize_t n = 0, most = 0, count, j, both, words = view.start[view.n_classes]
        cdef bint divisible = False
        cdef int c
        for c in range(self.n_classes):
            count = view.ones[c * view.k + q] if passed else view.counts[c] - view.ones[c * view.k + q]
            n += count
            most = max(most, count)
            likelihood += self.prior.log_gammas[count]
        if self.algebra == ERRORS:
            return -<double> (n - most)
        if self.levels_left(depth) > 0 and n >= 2 * self.prior.least and not self.prior.uniform:
            for j in range(view.k):
                both = count_and(view.bits + q * view.n_words, view.bits + j * view.n_words, words)
                self.late += words + 8
                if not passed:
                    both = view.totals[j] - both
                if self.prior.least <= both <= n - self.prior.least:
                    divisible = True
                    break
        return log_leaf_prior(&self.prior, depth, divisible) + likelihood + self.prior.log_sums[n]

    cdef double bound(self, const View* view, Py_ssize_t depth) noexcept nogil:
        # More than any tree below the node is worth, or all together.
        cdef double best, chance
        if self.algebra == ERRORS:
            return 0.0
        if view.k == 0 or self.levels_left(depth) == 0:
            return self.leaf(view, depth)
        best = log_pure(&self.prior, view.counts, 1)
        if self.prior.uniform:
            return best + (self.tree_counts[self.levels_left(depth)] if self.algebra == EVIDENCE else 0.0)
        chance = split_chance(&self.prior, depth)
        if self.algebra == POSTERIOR:
            return max(self.leaf(view, depth), log(chance) + best)
        return best + log(chance + (1.0 - chance) * exp(log_likelihood(&self.prior, view.counts, 1) - best))

    # The sum over all trees

    cdef int sum_state(self, Py_ssize_t depth, double* low, double* high) except -1 nogil:
        cdef Level* level = self.levels[depth]
        cdef View* view = &level.view
        cdef Py_ssize_t left = self.levels_left(depth), q, i
        cdef double leaf = self.leaf(view, depth), low1, high1, low0, high0, term, split
        cdef double low_most, low_sum, high_most, high_sum
        if view.k == 0 or left == 0:
            low[0] = high[0] = leaf
            return 0
        if left <= 2 and self.pairs:
            if not self.stopped and self.sum_pairs(depth, low) == GO_ON:
                high[0] = low[0]
                return 0
            self.n_rows = max(self.n_rows, 0)
        test_chances(&self.prior, view, level.together, level.best)
        split = log(split_chance(&self.prior, depth))
        self.tests_in_order(level)  # should the search be stopped, what weighs most has been added up
        low_most = high_most = leaf
        low_sum = high_sum = 1.0
        for i in range(view.k):
            q = level.order[i]
            self.sum_child(depth, q, True, &low1, &high1)
            self.sum_child(depth, q, False, &low0, &high0)
            self.work += 4 * view.n_words + 40
            self.look_now()
            term = split + log(level.together[q])
            _add(term + low1 + low0, &low_most, &low_sum)
            _add(term + high1 + high0, &high_most, &high_sum)
            if depth == 0:
                self.low = low_most + log(low_sum)
        low[0] = low_most + log(low_sum)
        high[0] = max(low[0], high_most + log(high_sum))
        return left <= 2 and self.pairs

    cdef int sum_pairs(self, Py_ssize_t depth, double* result) except -1 nogil:
        # The sum of the last two levels, from the counts of pairs. If it is stopped, what is known of the sides of first
        # tests is kept.
        cdef Level* level = self.levels[depth]
        cdef View* view = &level.view
        cdef Py_ssize_t left = self.levels_left(depth), r, q, most = -1
        cdef double log_u
        cdef bint wide = left == 2 and view.k * view.k * (view.n_words + 40) > WIDE
        cdef uint64_t[2] key
        cdef uint64_t[2] at
        if self.row_limit >= 0 and self.n_states == self.state_limit:
            most, wide = self.row_limit, True
        if wide:
            self.tests_in_order(level)
        if log_sum(view, &self.prior, depth, left, False, level.order if wide else NULL, most, &self.room,
                   result) == GO_ON:
            return GO_ON
        if not self.stopped:
            self.stopped = True
            with gil:
                self.reason = "states"
        self.n_rows = self.room.n_rows
        for r in range(2 * self.n_rows):
            q = level.order[r >> 1]
            self.child_key(view, q, r & 1, view.mask, key)
            self.state_key(key, depth + 1, at)
            log_u = self.room.with_score[q] if r & 1 else self.room.without_score[q]
            self.keep(at, log_u, log_u, -1)
        return STOP

    cdef int sum_child(self, Py_ssize_t depth, Py_ssize_t q, bint passed, double* low, double* high) except -1 nogil:
        cdef Level* level = self.levels[depth]
        cdef uint64_t[2] key
        cdef uint64_t[2] at
        cdef State* state
        cdef bint cut
        self.child_key(&level.view, q, passed, level.view.mask, key)
        self.state_key(key, depth + 1, at)
        state = cache_find(&self.caches[EVIDENCE], at)
        if state != NULL:
            low[0], high[0] = state.low, state.high
            return 0
        self.enter()
        if self.stopped:  # trees with this node are not in the sum
            low[0] = -INFINITY
            high[0] = self.side_bound(&level.view, depth + 1, q, passed)
            return 0
        self.descend(depth, q, passed, key)
        cut = self.sum_state(depth + 1, low, high)
        self.keep(at, low[0], high[0], CUT if cut else -1)
        return 0

    # The best tree

    cdef void tests_in_order(self, Level* level) noexcept nogil:
        # Tests by the likelihood of the two leaves that they make, the best first.
        cdef View* view = &level.view
        cdef Py_ssize_t q, i, k = view.k, width, start, middle, end, a, b
        cdef int c
        cdef double score
        cdef int32_t* run = level.order
        cdef int32_t* merged = level.order + level.most_tests
        for q in range(k):
            score = self.prior.log_sums[view.totals[q]] + self.prior.log_sums[view.n - view.totals[q]]
            for c in range(self.n_classes):
                score += self.prior.log_gammas[view.ones[c * view.k + q]]
                score += self.prior.log_gammas[view.counts[c] - view.ones[c * view.k + q]]
            level.score[q] = score
            # Runs of 16 by insertion, which are then merged; of tests that are worth the same the first stays first.
            i = q
            while i & 15 and level.score[run[i - 1]] < score:
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
        self.work += 8 * k

    cdef void by_likeness(self, Level* level, Py_ssize_t q, double* with_, double* without) noexcept nogil:
        # Two sets of cases differ in their least errors by no more than the cases that one has and the other has not.
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
        self.work += level.n_solved * words

    cdef double quick_bound(self, Py_ssize_t depth, Py_ssize_t q, bint passed) except? -1 nogil:
        # What one side of a test can be worth at most, from its class counts and from what is known of it.
        cdef Level* level = self.levels[depth]
        cdef View* view = &level.view
        cdef uint64_t[2] key
        cdef uint64_t[2] at
        cdef State* state
        cdef double result = self.side_bound(view, depth + 1, q, passed)
        if self.stopped:
            return result
        self.child_key(view, q, passed, view.mask, key)
        self.state_key(key, depth + 1, at)
        state = cache_find(&self.caches[self.algebra], at)
        if state != NULL:
            result = min(result, state.high)
        if self.algebra == POSTERIOR:
            # No tree is worth more than all of them.
            state = cache_find(&self.caches[EVIDENCE], at)
            if state != NULL:
                result = min(result, state.high + SLACK * (1.0 - state.high))
        return result

    cdef int best_state(self, Py_ssize_t depth, double need, double* low, double* high,
                        Py_ssize_t* test) except -1 nogil:
        # The best tree below a node, if it is worth more than `need`: what it is worth, or a bracket of that.
        cdef Level* level = self.levels[depth]
        cdef View* view = &level.view
        cdef Py_ssize_t left = self.levels_left(depth), i, q
        cdef bint first
        cdef double best = self.leaf(view, depth), most, split, bound, high1, high0, low1, low0, aim
        test[0] = -1
        if view.k == 0 or left == 0 or (self.algebra == ERRORS and best == 0):
            low[0] = high[0] = best
            return 0
        if left <= 2 and self.pairs:
            if self.best_pairs(depth, &best, &q) == GO_ON:
                low[0] = high[0] = best
            else:
                low[0], high[0] = best, max(best, self.bound(view, depth))
            if q >= 0:
                test[0] = view.first[q]
            return 0
        split = 0.0
        if self.algebra == POSTERIOR:
            test_chances(&self.prior, view, level.together, level.best)
            split = log(split_chance(&self.prior, depth))
        self.tests_in_order(level)
        level.n_solved = 0
        most = best
        for i in range(view.k):
            if self.stopped and self.late > MAX_LATE:
                most = max(most, self.bound(view, depth))
                break
            q = level.order[i]
            self.work += 4 * view.n_words + 40
            self.late += 4 * view.n_words + 40 if self.stopped else 0
            self.look_now()
            bound = split + log(level.best[q]) if self.algebra == POSTERIOR else 0.0
            high1 = self.quick_bound(depth, q, True)
            high0 = self.quick_bound(depth, q, False)
            aim = max(best, need)
            if bound + high1 + high0 > aim and self.algebra == ERRORS and self.similarity and not self.stopped:
                self.by_likeness(level, q, &high1, &high0)
            if bound + high1 + high0 <= aim:
                most = max(most, bound + high1 + high0)
                continue
            # The side that can lose more is looked at first.
            first = 2 * view.totals[q] >= view.n
            low1 = low0 = -INFINITY
            if first:
                self.best_child(depth, q, True, aim - bound - high0, &low1, &high1)
            else:
                self.best_child(depth, q, False, aim - bound - high1, &low0, &high0)
            if bound + high1 + high0 > aim:
                if first:
                    self.best_child(depth, q, False, aim - bound - high1, &low0, &high0)
                else:
                    self.best_child(depth, q, True, aim - bound - high0, &low1, &high1)
            most = max(most, bound + high1 + high0)
            if bound + low1 + low0 > best:
                best = bound + low1 + low0
                test[0] = view.first[q]
                if depth == 0:
                    self.low = best
            if self.algebra == ERRORS and best == 0:
                most = 0
                break
        low[0] = best
        high[0] = max(best, most)
        return 0

    cdef int best_pairs(self, Py_ssize_t depth, double* best, Py_ssize_t* q) except -1 nogil:
        # The best tree of the last two levels, and where its first test is; if it is stopped, one that may not be best.
        cdef Level* level = self.levels[depth]
        cdef View* view = &level.view
        cdef Py_ssize_t left = self.levels_left(depth), errors = 0
        cdef bint wide = left == 2 and view.k * view.k * (view.n_words + 40) > WIDE
        cdef int status
        if self.algebra == ERRORS:
            status = least_errors(view, &self.prior, left, &self.room, &errors, q)
            best[0] = -<double> errors
            return status
        if wide:
            self.tests_in_order(level)
        return log_max(view, &self.prior, depth, left, level.order if wide else NULL, &self.room, best, q)

    cdef int best_child(self, Py_ssize_t depth, Py_ssize_t q, bint passed, double need, double* low,
                        double* high) except -1 nogil:
        # `high` comes in as a bound that is known already.
        cdef Level* level = self.levels[depth]
        cdef uint64_t[2] key
        cdef uint64_t[2] at
        cdef State* state
        cdef Py_ssize_t test
        cdef double found
        self.child_key(&level.view, q, passed, level.view.mask, key)
        self.state_key(key, depth + 1, at)
        state = cache_find(&self.caches[self.algebra], at)
        if state != NULL:
            low[0] = state.low
            high[0] = min(high[0], state.high)
            if state.low == state.high or high[0] <= need:
                return 0
        if not self.stopped:
            self.enter()
        if self.stopped:
            if state == NULL:
                low[0] = self.side_leaf(&level.view, depth + 1, q, passed)
            return 0
        self.descend(depth, q, passed, key)
        self.best_state(depth + 1, need, low, &found, &test)
        high[0] = min(high[0], found)
        # The table may have moved meanwhile.
        state = cache_find(&self.caches[self.algebra], at)
        if state == NULL or not self.stopped or low[0] > state.low:
            self.keep(at, low[0], max(low[0], high[0]), test)
        else:
            low[0] = state.low
        level.highs[2 * q + passed] = high[0]
        level.solved[level.n_solved] = <int32_t> (2 * q + passed)
        level.n_solved += 1
        return 0

    def search(self, objective):
        """Search for the best tree ("errors" or "posterior") or sum over all ("evidence").

        Returns the bracket (low, high) of what it is worth, equal unless the search was stopped: minus the errors, ln of
        prior times likelihood, ln of their sum.
        """
        with self.lock:
            return self._search(objective)

    def _search(self, objective):
        cdef double low = 0, high = 0
        cdef Py_ssize_t test = -1
        cdef uint64_t[2] at
        self.start(OBJECTIVES[objective])
        self.root()
        self.low, self.high = self.leaf(&self.levels[0].view, 0), self.bound(&self.levels[0].view, 0)
        with nogil:
            self.enter()
            self.state_key(self.levels[0].view.key, 0, at)
            if self.algebra == EVIDENCE:
                test = CUT if self.sum_state(0, &low, &high) else -1
            else:
                self.best_state(0, -INFINITY, &low, &high, &test)
            self.keep(at, low, high, test)
        PyErr_CheckSignals()
        if not self.stopped:
            high = low  # but for the last bits they are the same
        self.low, self.high = low, high
        return low, high

    @property
    def n_kept(self):
        """States that are remembered."""
        return sum(self.caches[i].n_states for i in range(3))

    @property
    def n_bytes(self):
        """Memory for them, for the cases and for the levels."""
        return self.bytes_now()

    def tree(self, objective):
        """The best tree found: (class counts, test, branch that passes it, branch that does not), test -1 in a leaf."""
        with self.lock:
            self.without_limit(OBJECTIVES[objective])
            self.root()
            return self.subtree(0)

    cdef object subtree(self, Py_ssize_t depth):
        cdef Level* level = self.levels[depth]
        cdef View* view = &level.view
        cdef Py_ssize_t left = self.levels_left(depth), q = -1
        cdef uint64_t[2] key
        cdef uint64_t[2] at
        cdef State* state
        cdef double best
        counts = tuple(view.counts[c] for c in range(self.n_classes))
        if view.k == 0 or left == 0:
            return counts, -1, None, None
        self.state_key(view.key, depth, at)
        state = cache_find(&self.caches[self.algebra], at)
        if state != NULL and state.test >= 0:
            q = view.place[state.test]
        elif state == NULL and left == 1 and self.pairs:
            self.best_pairs(depth, &best, &q)   # below a first test, there are no states
        if q < 0:
            return counts, -1, None, None
        test = view.first[q]
        branches = []
        for passed in (True, False):
            self.child_key(view, q, passed, view.mask, key)
            self.descend(depth, q, passed, key)
            branches.append(self.subtree(depth + 1))
        return counts, test, branches[0], branches[1]

    cdef int go_to(self, items) except -1:
        # Make the views of an itemset, item by item; the number of items.
        cdef Py_ssize_t depth = 0, q
        cdef uint64_t[2] key
        cdef bint passed
        self.root()
        for test, side in items:
            if not 0 <= test < self.n_tests or depth >= self.max_depth:
                raise ValueError("no such itemset in this lattice")
            q = self.levels[depth].view.place[test]
            if q < 0:
                raise ValueError("the itemset is not reached by tests that divide its cases")
            # The test may be there as another one that divides the cases alike, with the sides changed.
            passed = bool(side) ^ self.turned(self.first_case(depth), test, self.levels[depth].view.first[q])
            self.child_key(&self.levels[depth].view, q, passed, self.levels[depth].view.mask, key)
            self.descend(depth, q, passed, key)
            depth += 1
        return depth

    cdef Py_ssize_t first_case(self, Py_ssize_t depth) except -1:
        # Where the first case of a view stands in the view of all cases, by its mark.
        cdef View* view = &self.levels[depth].view
        cdef Py_ssize_t at
        for at in range(64 * self.whole.n_words):
            if (self.whole.valid[at >> 6] >> (at & 63) & 1 and self.whole.marks[2 * at] == view.marks[0]
                    and self.whole.marks[2 * at + 1] == view.marks[1]):
                return at
        raise AssertionError("a case without a mark")

    cdef bint turned(self, Py_ssize_t case, Py_ssize_t test, Py_ssize_t other) noexcept nogil:
        # Whether of two tests that divide cases alike one is passed where the other is not: told by any one case.
        cdef const uint64_t* a = self.whole.bits + test * self.whole.n_words
        cdef const uint64_t* b = self.whole.bits + other * self.whole.n_words
        return (a[case >> 6] ^ b[case >> 6]) >> (case & 63) & 1

    cdef bint is_explored(self, const View* view, Py_ssize_t depth) noexcept nogil:
        # Whether the search for the evidence has come to this node. Within the last two levels there are no states.
        cdef uint64_t[2] at
        if depth == 0 or (self.pairs and self.levels_left(depth) < 2):
            return True
        self.state_key(view.key, depth, at)
        return cache_find(&self.caches[EVIDENCE], at) != NULL

    cdef bint is_cut(self, const View* view, Py_ssize_t depth) noexcept nogil:
        # Whether the last two levels from this node on have been added up in part only.
        cdef uint64_t[2] at
        cdef State* state
        if self.n_rows < 0:
            return False
        self.state_key(view.key, depth, at)
        state = cache_find(&self.caches[EVIDENCE], at)
        return state != NULL and state.test == CUT

    cdef double known_sum(self, Py_ssize_t depth, Py_ssize_t q, bint passed) except? -1 nogil:
        # ln u of one side of a test as the search left it: minus infinity if it did not come to it.
        cdef Level* level = self.levels[depth]
        cdef uint64_t[2] key
        cdef uint64_t[2] at
        cdef State* state
        self.child_key(&level.view, q, passed, level.view.mask, key)
        self.state_key(key, depth + 1, at)
        state = cache_find(&self.caches[EVIDENCE], at)
        return -INFINITY if state == NULL else state.low

    def expand(self, items):
        """What is below an itemset, a list of (test, passed), after a search for the evidence.

        Returns ln of its weight as a leaf, its class counts, and arrays with an entry for each test that divides its
        cases: the test, ln P_intern, ln u of the cases that pass it, and ln u of the others.
        """
        with self.lock:
            return self._expand(items)

    def _expand(self, items):
        cdef Py_ssize_t depth, left, k, q, t, i, case
        cdef Level* level
        cdef View* view
        cdef double split, total
        self.without_limit(EVIDENCE)
        depth = self.go_to(items)
        level = self.levels[depth]
        view = &level.view
        left = self.levels_left(depth)
        k = view.k if left > 0 and self.is_explored(view, depth) else 0
        counts = np.array([view.counts[c] for c in range(self.n_classes)], dtype=np.int64)
        leaf = self.leaf(view, depth)
        tests = np.array([t for t in range(self.n_tests) if k and view.place[t] >= 0], dtype=np.int64)
        cdef double[::1] sides = np.empty(2 * k + 1)
        cdef double[::1] single = np.empty(self.n_tests + 1)
        chance, passed, failed = np.empty(len(tests)), np.empty(len(tests)), np.empty(len(tests))
        if k == 0:
            return leaf, counts, tests, chance, passed, failed
        split = log(split_chance(&self.prior, depth))
        case = self.first_case(depth)
        if left <= 2 and self.pairs and not self.is_cut(view, depth):
            with nogil:
                log_sum(view, &self.prior, depth, left, True, NULL, -1, &self.room, &total)
            for q in range(k):
                sides[2 * q], sides[2 * q + 1] = self.room.without_score[q], self.room.with_score[q]
        else:
            for q in range(k):
                sides[2 * q], sides[2 * q + 1] = self.known_sum(depth, q, False), self.known_sum(depth, q, True)
        single_chances(&self.prior, view, NULL, &single[0])
        for i in range(len(tests)):
            t = tests[i]
            q = view.place[t]
            chance[i] = split + log(single[t])
            turned = self.turned(case, t, view.first[q])
            passed[i], failed[i] = sides[2 * q + (not turned)], sides[2 * q + turned]
        return leaf, counts, tests, chance, passed, failed


cdef inline void _add(double x, double* most, double* total) noexcept nogil:
    # One more term of a sum of exponentials.
    if x <= most[0]:
        if x > most[0] - 45.0:
            total[0] += exp(x - most[0])
    else:
        total[0] = total[0] * exp(most[0] - x) + 1.0
        most[0] = x
