"""The states of the lattice: sets of cases, how they are known again, and what is known of them.

A state is known by its cases and its depth: every case has a random number of 128 bits, and those of a set are taken
together by exclusive or.
"""

import numpy as np

from libc.math cimport exp, log
from libc.stdint cimport int32_t, uint8_t, uint64_t

from ctree_ext.lattice.pairs cimport pairs_reserve
from ctree_ext.lattice.state_cache cimport State, cache_add, cache_bytes, cache_find
from ctree_ext.lattice.tree_prior cimport log_leaf_prior, prior_groups, prior_init
from ctree_ext.lattice.views cimport View, side_key, side_mask, view_all, view_part

MAX_LEVELS = 500   # the search calls itself for every level, so that there has to be an end


cdef class SearchSpace:
    """The sets of cases that some tests make of some cases; for the parameters see `Lattice`."""

    def __cinit__(self, const uint8_t[:, ::1] columns, const int32_t[::1] classes, int n_classes, *,
                  Py_ssize_t min_support=1, max_depth=None, bint uniform=False, double gamma=0.8, double delta=0.8,
                  double alpha=1.0, const int32_t[::1] groups=None, bint merge=True, bint pairs=True, bint by_cover=True,
                  time_limit=None, memory_limit=None, state_limit=None, Py_ssize_t row_limit=-1, progress=None,
                  pause=None, bint truncated=False):
        _check_cases(columns, classes, n_classes)
        if not (min_support >= 1 and alpha > 0 and 0 < gamma < 1 and delta >= 0):
            raise ValueError("min_support, alpha, gamma or delta out of range")
        if max_depth is not None and not 0 <= max_depth <= MAX_LEVELS:
            raise ValueError("max_depth out of range")
        if groups is not None and groups.shape[0] != columns.shape[0]:
            raise ValueError("one group a test")
        self.memory = Memory()
        self.limits = Limits(time_limit, memory_limit, state_limit, row_limit, progress, pause)
        self.n_tests, self.n_cases, self.n_classes = columns.shape[0], classes.shape[0], n_classes
        # No tree is deeper than this: every test takes min_support cases away.
        self.max_depth = min(self.n_cases // min_support, MAX_LEVELS if max_depth is None else max_depth)
        self.merge, self.pairs, self.by_cover = merge, pairs, by_cover
        self.n_rows = -1
        self.n_levels = self.max_depth + 1
        self.levels = <Level**> self.memory.zeroed(self.n_levels + 1, sizeof(Level*))
        self.set_up_prior(uniform, gamma, delta, alpha, min_support, truncated, groups)
        self.count_trees()
        self.all_cases.pool = &self.memory.pool
        view_all(&self.all_cases, &columns[0, 0] if self.n_tests else NULL, &classes[0], self.n_cases, self.n_tests,
                 n_classes, NULL, 0)
        if not by_cover:
            self.item_marks = np.random.default_rng(0).integers(1, 2 ** 63, size=4 * self.n_tests, dtype=np.uint64)
        self.root()

    cdef int set_up_prior(self, bint uniform, double gamma, double delta, double alpha, Py_ssize_t min_cases,
                          bint truncated, const int32_t[::1] groups) except -1:
        self.prior.uniform, self.prior.gamma, self.prior.delta = uniform, gamma, delta
        # More than there are is as much as one can say; where pairs of tests are counted it is a 32-bit number.
        self.prior.min_cases = min(min_cases, self.n_cases + 1)
        self.prior.log_last = log_leaf_prior(&self.prior, self.max_depth, truncated)
        if prior_init(&self.prior, &self.memory.pool, self.n_classes, alpha, self.n_cases) < 0:
            raise MemoryError
        if groups is not None and self.n_tests:
            # Whatever the numbers of the groups are, they are now those from 0 on.
            groups = np.unique(groups, return_inverse=True)[1].reshape(-1).astype(np.int32)
            if prior_groups(&self.prior, &self.memory.pool, &groups[0], self.n_tests) < 0:
                raise MemoryError
        return 0

    cdef int count_trees(self) except -1:
        # ln of a number that there are no more trees than, by the levels that they may have.
        cdef double result = 0.0, k = log(<double> max(self.n_tests, 1))
        cdef Py_ssize_t levels
        self.log_tree_counts = <double*> self.memory.raw(self.n_levels + 1, sizeof(double))
        for levels in range(self.n_levels + 1):
            self.log_tree_counts[levels] = result
            result = k + 2 * result
            result += log(1.0 + exp(-result))
        return 0

    @property
    def n_kept(self):
        """States that are remembered."""
        return sum(self.caches[i].n_states for i in range(3))

    @property
    def n_bytes(self):
        """Memory for them, for the cases and for the levels."""
        return self.memory.n_bytes

    def limit_memory(self, memory_limit):
        """Change the limit of memory, in a pause too: others have taken a part of it, or have given it back."""
        cdef Limits limits = self.limits
        limits.memory_limit = memory_limit

    cdef int root(self) except -1 nogil:
        # The view of all cases, without tests that do not divide them.
        cdef Level* level = self.level(0)
        self.side_view = NULL
        if view_part(&self.all_cases, self.all_cases.valid, -1, &level.view, self.prior.min_cases, self.merge) < 0:
            with gil:
                raise MemoryError
        if self.by_cover:
            level.view.key[0], level.view.key[1] = self.all_cases.key[0], self.all_cases.key[1]
        else:
            level.view.key[0] = level.view.key[1] = 1
        return self.reserve(level)

    cdef Level* level(self, Py_ssize_t depth) except NULL nogil:
        if self.levels[depth] == NULL:
            self.levels[depth] = <Level*> self.memory.zeroed(1, sizeof(Level))
            self.levels[depth].view.pool = &self.memory.pool
        return self.levels[depth]

    cdef int reserve(self, Level* level) except -1 nogil:
        # Scratch for the tests of a level whose view has been made.
        cdef Py_ssize_t k = max(level.view.k, 1)
        if k > level.max_tests:
            self.memory.release(level.merged)
            self.memory.release(level.order)
            level.merged, level.order, level.max_tests = NULL, NULL, 0
            level.merged = <double*> self.memory.zeroed(5 * k, sizeof(double))
            level.order = <int32_t*> self.memory.zeroed(4 * k, sizeof(int32_t))
            level.largest = level.merged + k
            level.score = level.merged + 2 * k
            level.highs = level.merged + 3 * k
            level.solved = level.order + 2 * k
            level.max_tests = k
        level.n_solved = 0
        if pairs_reserve(&self.scratch, &self.memory.pool, k, self.n_classes) < 0:
            with gil:
                raise MemoryError
        return 0

    cdef int enter(self) except -1 nogil:
        # Before every state that is not known yet.
        cdef StateCache* cache = &self.caches[self.objective]
        cdef Py_ssize_t n_bytes = <Py_ssize_t> self.memory.pool.n_bytes
        # The states above this one have to find room as well. While a table grows, there are the old and the new one.
        if 3 * (cache.n_states + self.n_levels + 2) > 2 * cache.n_places:
            n_bytes += 2 * cache_bytes(cache)
        return self.limits.enter_state(n_bytes)

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

    cdef State* child_state(self, Py_ssize_t depth, Py_ssize_t q, bint passed, int objective, uint64_t* key,
                            uint64_t* at) noexcept nogil:
        # What is known of one side of a test, NULL for nothing; the mask of the level becomes that of the side. `key` is
        # what its cases are known by, `at` what the state is.
        cdef Level* level = self.levels[depth]
        self.child_key(&level.view, q, passed, level.view.mask, key)
        state_key(key, depth + 1, at)
        return cache_find(&self.caches[objective], at)

    cdef int descend(self, Py_ssize_t depth, Py_ssize_t q, bint passed, const uint64_t* key) except -1 nogil:
        # Make the view of one side of a test, whose mask has been set.
        cdef Level* level = self.levels[depth]
        cdef Level* below = self.level(depth + 1)
        self.side_view = NULL
        if view_part(&level.view, level.view.mask, q, &below.view, self.prior.min_cases, self.merge) < 0:
            with gil:
                raise MemoryError
        below.view.key[0], below.view.key[1] = key[0], key[1]
        self.limits.watch.work += level.view.k * (2 * level.view.n_words + 8)
        return self.reserve(below)

    cdef int remember(self, const uint64_t* key, double low, double high, Py_ssize_t test) except -1 nogil:
        # What is known of a state.
        cdef State* state = cache_add(&self.caches[self.objective], &self.memory.pool, key)
        if state == NULL:
            with gil:
                raise MemoryError
        state.low, state.high, state.test = low, high, <int32_t> test
        return 0


def _check_cases(const uint8_t[:, ::1] columns, const int32_t[::1] classes, int n_classes):
    cdef Py_ssize_t n = classes.shape[0]
    if n == 0 or n_classes < 1 or n > 0x1FFFFFFF:
        raise ValueError("no cases, no classes, or too many cases")
    if columns.shape[0] and columns.shape[1] != n:
        raise ValueError("columns and classes differ in length")
    if np.min(classes) < 0 or np.max(classes) >= n_classes:
        raise ValueError("a class out of range")
    if columns.shape[0] and np.max(columns) > 1:
        raise ValueError("a column that is neither 0 nor 1")
