"""Frequent itemsets: all, closed or maximal ones, with their support and class counts, into arrays.

From an itemset the search goes on to those with one item more, in a fixed order. Beside it stand the cases that it
covers and, for each item that may still follow, which of these have it: a row of bits that is cut down with the cases,
in blocks by class as in `ctree_ext.lattice.views`. So the class counts of an itemset are counts of bits.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy

from ctree_ext.base.interrupts cimport Watch, check_after
from ctree_ext.base.memory cimport Memory
from ctree_ext.base.processor cimport follow_processor, own_level
from ctree_ext.lattice.bitblocks cimport and_blocks, count_and, gather_block
from ctree_ext.lattice.views cimport View, view_all

cdef enum:
    ALL = 0
    CLOSED = 1
    MAXIMAL = 2

cdef Py_ssize_t FIRST_ROOM = 1 << 16     # itemsets that there is room for at first
cdef Py_ssize_t MAX_ROOM = 1 << 19       # and before they are counted
cdef Py_ssize_t MAX_WAYS = 1 << 40       # nobody can want more of them

KINDS = {"all": ALL, "closed": CLOSED, "maximal": MAXIMAL}


follow_processor(own_level())


ctypedef struct Projection:
    # The cases of an itemset, and the items that may follow it.
    Py_ssize_t k
    Py_ssize_t n_words
    int32_t n
    int32_t* start          # [n_classes + 1] the first word of each class
    int32_t* items          # [k]
    int32_t* support        # [k]
    int32_t* counts         # [k, n_classes]
    uint64_t* bits          # [k, n_words]
    Py_ssize_t max_words    # that there is room for
    int32_t* path           # the items of the itemset, ascending


cdef class Miner:
    """The itemsets of these items and cases.

    Parameters
    ----------
    columns : uint8 array (items, cases)
        1 where a case has an item.
    classes : int32 array (cases,)
    n_classes : int
    """

    cdef Memory memory
    cdef Watch watch
    cdef View all_cases
    cdef Projection* levels
    cdef Py_ssize_t n_items, n_sets, n_entries, min_cases, min_size, max_size, limit
    cdef int n_classes, kind
    cdef bint writing, full
    cdef Py_ssize_t max_sets, max_entries
    cdef list arrays
    cdef uint64_t* scratch
    cdef int32_t* free_items        # items that all cases of the present itemset have
    cdef int32_t* longer            # [n_items + 1, n_items + 1] scratch: paths with some of them
    cdef Py_ssize_t n_free
    cdef int32_t[::1] ranks         # the place of each item in the order of the search: those of few cases first
    # The itemsets found: where the items of each begin, the items, and support and class counts of each.
    cdef int64_t* starts
    cdef int32_t* items
    cdef int32_t* support
    cdef int32_t* counts

    def __cinit__(self, const uint8_t[:, ::1] columns, const int32_t[::1] classes, int n_classes):
        cdef Py_ssize_t n = classes.shape[0]
        if n == 0 or n_classes < 1 or (columns.shape[0] and columns.shape[1] != n) or n > 0x7FFFFFFF:
            raise ValueError("no cases, no classes, or columns of another length")
        if np.min(classes) < 0 or np.max(classes) >= n_classes:
            raise ValueError("a class out of range")
        self.n_items, self.n_classes = columns.shape[0], n_classes
        self.memory = Memory()
        self.all_cases.pool = &self.memory.pool
        view_all(&self.all_cases, &columns[0, 0] if self.n_items else NULL, &classes[0], n, self.n_items, n_classes,
                 NULL, 0)
        self.levels = <Projection*> self.memory.zeroed(self.n_items + 2, sizeof(Projection))
        self.scratch = <uint64_t*> self.memory.raw(self.all_cases.n_words, sizeof(uint64_t))
        self.free_items = <int32_t*> self.memory.raw(self.n_items + 1, sizeof(int32_t))
        self.longer = <int32_t*> self.memory.raw((self.n_items + 1) * (self.n_items + 1), sizeof(int32_t))

    def count(self, kind, Py_ssize_t min_cases, Py_ssize_t min_size, Py_ssize_t max_size, Py_ssize_t limit):
        """The number of itemsets, and of all their items together; counting ends soon after `limit` itemsets."""
        self.writing = False
        self.begin(kind, min_cases, min_size, max_size, limit)
        return self.n_sets, self.n_entries

    def mine(self, kind, Py_ssize_t min_cases, Py_ssize_t min_size, Py_ssize_t max_size, Py_ssize_t limit):
        """The itemsets: where the items of each begin, the items, supports, class counts. None if there are over `limit`.

        They are written as they are found. If there are very many, the rest are only counted, and all are found again
        once it is known how much room they need.
        """
        self.writing, self.full, self.arrays = True, False, None
        self.set_room(min(limit, FIRST_ROOM) + 2, 8 * FIRST_ROOM + self.n_items + 1)
        self.begin(kind, min_cases, min_size, max_size, limit)
        if self.n_sets > limit:
            self.arrays = None
            return None
        if self.full:
            self.full, self.arrays = False, None
            self.set_room(self.n_sets + 1, self.n_entries + 1)
            self.begin(kind, min_cases, min_size, max_size, limit)
        self.starts[self.n_sets] = self.n_entries
        starts, items, support, counts = self.arrays
        self.arrays = None
        starts.resize(self.n_sets + 1, refcheck=False)
        items.resize(self.n_entries, refcheck=False)
        support.resize(self.n_sets, refcheck=False)
        counts.resize(self.n_sets * self.n_classes, refcheck=False)
        return starts, items, support, counts.reshape(-1, self.n_classes)

    cdef int set_room(self, Py_ssize_t n_sets, Py_ssize_t n_entries) except -1:
        # Arrays for so many itemsets and items; what has been written is kept.
        cdef int64_t[::1] starts
        cdef int32_t[::1] items, support, counts
        sizes = (n_sets, n_entries, n_sets, n_sets * self.n_classes)
        arrays = [np.empty(size, dtype=np.int32 if i else np.int64) for i, size in enumerate(sizes)]
        if self.arrays is not None:
            used = (self.n_sets, self.n_entries, self.n_sets, self.n_sets * self.n_classes)
            for array, old, n in zip(arrays, self.arrays, used):
                array[:n] = old[:n]
        self.arrays = arrays
        starts, items, support, counts = self.arrays
        self.starts, self.items, self.support, self.counts = &starts[0], &items[0], &support[0], &counts[0]
        self.max_sets, self.max_entries = n_sets, n_entries
        return 0

    cdef int more_room(self) except -1:
        # The arrays are full.
        if self.max_sets >= MAX_ROOM:
            self.full = True
        else:
            self.set_room(4 * self.max_sets, 4 * self.max_entries)
        return 0

    cdef int begin(self, kind, Py_ssize_t min_cases, Py_ssize_t min_size, Py_ssize_t max_size, Py_ssize_t limit) except -1:
        cdef Py_ssize_t i, j, k = 0, length = 0
        cdef int c
        cdef Projection* root = &self.levels[0]
        cdef int32_t[::1] order
        if min_cases < 1:
            raise ValueError("a support of at least 1")
        self.kind, self.min_cases, self.limit = KINDS[kind], min_cases, limit
        self.min_size, self.max_size = min_size, max_size
        self.n_sets = self.n_entries = self.n_free = 0
        totals = np.array([self.all_cases.totals[i] for i in range(self.n_items)], dtype=np.int32)
        order = np.argsort(totals, kind="stable").astype(np.int32)
        self.ranks = np.argsort(order).astype(np.int32)
        self.reserve(0, self.n_items, self.all_cases.n_words)
        for i in range(self.n_classes + 1):
            root.start[i] = self.all_cases.start[i]
        root.n, root.n_words = <int32_t> self.all_cases.n, self.all_cases.n_words
        for i in range(self.n_items):
            j = order[i]
            if self.all_cases.totals[j] < min_cases:
                continue
            if self.kind == ALL and self.all_cases.totals[j] == self.all_cases.n:
                self.free_items[self.n_free] = <int32_t> j
                self.n_free += 1
                continue
            if self.all_cases.totals[j] == self.all_cases.n:
                self.put(root.path, length, <int32_t> j, root.path)
                length += 1
                continue
            root.items[k] = <int32_t> j
            root.support[k] = self.all_cases.totals[j]
            for c in range(self.n_classes):
                root.counts[k * self.n_classes + c] = self.all_cases.ones[c * self.n_items + j]
            memcpy(root.bits + k * root.n_words, self.all_cases.bits + j * root.n_words, root.n_words * sizeof(uint64_t))
            k += 1
        root.k = k
        if self.all_cases.n < min_cases:
            return 0
        with nogil:
            if self.kind == ALL:
                self.emit_all(0, root.path, 0, 0, root.n, self.all_cases.counts)
                self.all_below(0, 0)
            else:
                if (length > 0 or min_size == 0) and (self.kind == CLOSED or k == 0):
                    self.emit(root.path, length, -1, root.n, self.all_cases.counts)
                self.closed_below(0, length, -1)
        return 0

    cdef int reserve(self, Py_ssize_t depth, Py_ssize_t k, Py_ssize_t n_words) except -1 nogil:
        # Room for k items at a level.
        cdef Projection* level = &self.levels[depth]
        if level.path == NULL:
            level.start = <int32_t*> self.memory.raw(self.n_classes + 1, sizeof(int32_t))
            level.items = <int32_t*> self.memory.raw(self.n_items, sizeof(int32_t))
            level.support = <int32_t*> self.memory.raw(self.n_items, sizeof(int32_t))
            level.counts = <int32_t*> self.memory.raw((self.n_items + 1) * self.n_classes, sizeof(int32_t))
            level.path = <int32_t*> self.memory.raw(self.n_items + 1, sizeof(int32_t))
        if k * n_words > level.max_words or level.bits == NULL:
            self.memory.release(level.bits)
            level.bits, level.max_words = NULL, 0
            level.bits = <uint64_t*> self.memory.raw(k * n_words, sizeof(uint64_t))
            level.max_words = k * n_words
        return 0

    cdef void put(self, const int32_t* path, Py_ssize_t length, int32_t item, int32_t* out) noexcept nogil:
        # The path with one more item at its place.
        cdef Py_ssize_t i = length
        while i > 0 and path[i - 1] > item:
            out[i] = path[i - 1]
            i -= 1
        out[i] = item
        if out != path:
            while i > 0:
                i -= 1
                out[i] = path[i]

    cdef int emit(self, const int32_t* path, Py_ssize_t length, int32_t last, int32_t n,
                  const int32_t* counts) except -1 nogil:
        # One of the itemsets: a path, and one item more unless that is -1.
        cdef Py_ssize_t size = length + (last >= 0)
        cdef int c
        if size < self.min_size or size > self.max_size:
            return 0
        # One place more than there are, for where the last of them ends.
        if self.writing and not self.full and (self.n_sets + 1 >= self.max_sets
                                               or self.n_entries + size >= self.max_entries):
            with gil:
                self.more_room()
        if self.writing and not self.full:
            if last >= 0:
                self.put(path, length, last, self.items + self.n_entries)
            else:
                memcpy(self.items + self.n_entries, path, length * sizeof(int32_t))
            self.starts[self.n_sets] = self.n_entries
            self.support[self.n_sets] = n
            for c in range(self.n_classes):
                self.counts[self.n_sets * self.n_classes + c] = counts[c]
        self.n_sets += 1
        self.n_entries += size
        return 0

    cdef int emit_all(self, Py_ssize_t depth, const int32_t* path, Py_ssize_t length, Py_ssize_t free_from,
                      int32_t n, const int32_t* counts) except -1 nogil:
        # An itemset with and without each of the items that all its cases have.
        cdef Py_ssize_t i
        if free_from == 0 and (self.full or not self.writing):
            return self.count_all(length)
        check_after(&self.watch, 8)
        self.emit(path, length, -1, n, counts)
        if length >= self.max_size:
            return 0
        for i in range(free_from, self.n_free):
            if self.n_sets > self.limit:
                return 0
            if i + 1 == self.n_free:
                self.emit(path, length, self.free_items[i], n, counts)
            else:
                self.put(path, length, self.free_items[i], self.longer + depth * (self.n_items + 1))
                self.emit_all(depth + 1, self.longer + depth * (self.n_items + 1), length + 1, i + 1, n, counts)
        return 0

    cdef int count_all(self, Py_ssize_t length) noexcept nogil:
        # How many these are: binomial coefficients.
        cdef Py_ssize_t s, ways = 1
        for s in range(min(self.n_free, self.max_size - length) + 1):
            if self.min_size <= length + s <= self.max_size:
                self.n_sets += ways
                self.n_entries += ways * (length + s)
            if self.n_sets > self.limit or ways > MAX_WAYS:
                self.n_sets = max(self.n_sets, self.limit + 1)
                return 0
            ways = ways * (self.n_free - s) // (s + 1)
        return 0

    cdef Projection* project(self, Py_ssize_t depth, Py_ssize_t i, Py_ssize_t first) except NULL nogil:
        # The cases that have item i, with the items from `first` on that are frequent among them. Where half of the
        # words would do, the cases are moved together.
        cdef Projection* level = &self.levels[depth]
        cdef Projection* below = &self.levels[depth + 1]
        cdef const uint64_t* mask = level.bits + i * level.n_words
        cdef uint64_t* row
        cdef Py_ssize_t words = 0, j, k = 0, c, size, C = self.n_classes
        for c in range(C):
            words += (level.counts[i * C + c] + 63) // 64
        cdef bint together = 2 * words <= level.n_words
        if not together:
            words = level.n_words
        self.reserve(depth + 1, level.k - first + 1, words)
        below.n, below.n_words = level.support[i], words
        below.start[0] = 0
        for c in range(C):
            size = level.start[c + 1] - level.start[c]
            if together:
                size = (level.counts[i * C + c] + 63) // 64
            below.start[c + 1] = <int32_t> (below.start[c] + size)
        for j in range(first, level.k):
            if j == i:
                continue
            row = below.bits + k * words
            below.support[k] = and_blocks(mask, level.bits + j * level.n_words, level.start, C,
                                          self.scratch if together else row, below.counts + k * C)
            if below.support[k] < self.min_cases:
                continue
            if together:
                for c in range(C):
                    gather_block(level.bits + j * level.n_words + level.start[c], mask + level.start[c],
                                 level.start[c + 1] - level.start[c], row + below.start[c],
                                 below.start[c + 1] - below.start[c])
            below.items[k] = level.items[j]
            k += 1
        below.k = k
        self.watch.work += (level.k - first + 1) * level.n_words
        return below

    cdef int all_below(self, Py_ssize_t depth, Py_ssize_t length) except -1 nogil:
        # Items that all cases of an itemset have go with everything below it, and need not be searched for.
        cdef Projection* level = &self.levels[depth]
        cdef Projection* below
        cdef Py_ssize_t i, j, k, n_free = self.n_free
        if length >= self.max_size:
            return 0
        for i in range(level.k):
            if self.n_sets > self.limit:
                return 0
            if i + 1 == level.k or length + 1 >= self.max_size:
                if n_free == 0:
                    self.emit(level.path, length, level.items[i], level.support[i], level.counts + i * self.n_classes)
                    continue
                self.put(level.path, length, level.items[i], self.longer)
                self.emit_all(1, self.longer, length + 1, 0, level.support[i], level.counts + i * self.n_classes)
                continue
            below = self.project(depth, i, i + 1)
            check_after(&self.watch, 0)
            self.put(level.path, length, level.items[i], below.path)
            k = 0
            for j in range(below.k):
                if below.support[j] == below.n:
                    self.free_items[self.n_free] = below.items[j]
                    self.n_free += 1
                else:
                    self.move(below, j, k)
                    k += 1
            below.k = k
            self.emit_all(0, below.path, length + 1, 0, below.n, level.counts + i * self.n_classes)
            if k:
                self.all_below(depth + 1, length + 1)
            self.n_free = n_free
        return 0

    cdef void move(self, Projection* level, Py_ssize_t source, Py_ssize_t target) noexcept nogil:
        if source == target:
            return
        level.items[target], level.support[target] = level.items[source], level.support[source]
        memcpy(level.counts + target * self.n_classes, level.counts + source * self.n_classes,
               self.n_classes * sizeof(int32_t))
        memcpy(level.bits + target * level.n_words, level.bits + source * level.n_words,
               level.n_words * sizeof(uint64_t))

    cdef int closed_below(self, Py_ssize_t depth, Py_ssize_t length, Py_ssize_t core) except -1 nogil:
        # Prefix-preserving extensions (LCM): every closed itemset is reached once, from the closure of its items before
        # the core.
        cdef Projection* level = &self.levels[depth]
        cdef Projection* below
        cdef Py_ssize_t i, j, k, longer, C = self.n_classes
        cdef bint seen
        for i in range(level.k):
            if self.n_sets > self.limit:
                return 0
            if self.ranks[level.items[i]] <= core:
                continue
            # Where an item before this one is in all its cases, the closure is reached from there.
            seen = False
            for j in range(i):
                if level.support[j] >= level.support[i] and count_and(
                        level.bits + i * level.n_words, level.bits + j * level.n_words, level.n_words
                        ) == level.support[i]:
                    seen = True
                    break
            self.watch.work += (i + 1) * level.n_words
            if seen:
                continue
            below = self.project(depth, i, 0)
            check_after(&self.watch, 0)
            self.put(level.path, length, level.items[i], below.path)
            longer = length + 1
            k = 0
            for j in range(below.k):
                if below.support[j] == below.n:
                    self.put(below.path, longer, below.items[j], below.path)
                    longer += 1
                    continue
                self.move(below, j, k)
                k += 1
            below.k = k
            if self.kind == CLOSED or k == 0:
                self.emit(below.path, longer, -1, level.support[i], level.counts + i * C)
            if k:
                self.closed_below(depth + 1, longer, self.ranks[level.items[i]])
        return 0
