"""All tests that a tree may have, and the cases where each of them holds, as bits."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcpy

from ctree_ext.base.bits cimport WORD, n_words
from ctree_ext.base.memory cimport Memory

import numpy as np


cdef class TestGrid:
    """The tests on the levels of some attributes.

    An ordered attribute of L levels has the tests ``level <= 0`` to ``level <= L - 2``; another the tests ``level = 0``
    to ``level = L - 1``, of which the first alone is left if L is 2. Tests are numbered through, attribute after
    attribute.

    Parameters
    ----------
    levels : list of int32 array
        Per attribute the level of each case, from 0 on; two levels at least.
    n_levels : list of int
    ordered : list of bool
    classes : int32 array
    n_classes : int
    weights : float64 array or None
    max_bytes : int
        For the bits of tests. If all would take more, only every n-th threshold has a column of its own, and the others
        are made from it and the cases in between; tests of single values are then made from lists of cases.
    """

    __test__ = False

    def __cinit__(self, levels, n_levels, ordered, classes, int n_classes, weights=None, max_bytes=1 << 26):
        cdef Grid* grid = &self.grid
        cdef Py_ssize_t a, n_attributes = len(levels)
        cdef const int32_t[::1] codes
        codes = classes
        grid.n = codes.shape[0]
        grid.n_classes = n_classes
        grid.n_attributes = n_attributes
        if grid.n == 0 or not 1 <= n_classes <= 65535 or codes.shape[0] >= 1 << 30:
            raise ValueError("a grid needs cases and classes, fewer than 2^30 cases and 2^16 classes")
        if len(n_levels) != n_attributes or len(ordered) != n_attributes:
            raise ValueError("levels, their numbers and their order differ in length")
        self.memory = Memory()
        grid.class_start = <Py_ssize_t*> self.memory.zeroed(n_classes + 1, sizeof(Py_ssize_t))
        grid.first = <int32_t*> self.memory.zeroed(n_attributes + 1, sizeof(int32_t))
        grid.n_levels = <int32_t*> self.memory.zeroed(n_attributes + 1, sizeof(int32_t))
        grid.ordered = <bint*> self.memory.zeroed(n_attributes + 1, sizeof(bint))
        grid.level = <int32_t**> self.memory.zeroed(n_attributes + 1, sizeof(int32_t*))
        grid.order = <int32_t**> self.memory.zeroed(n_attributes + 1, sizeof(int32_t*))
        for a in range(n_attributes):
            if n_levels[a] < 2:
                raise ValueError("an attribute of fewer than two levels has no test")
            if n_levels[a] >= 0x7FFFFFFF - grid.first[a]:
                raise ValueError("the attributes have more tests than can be counted, 2^31")
            grid.n_levels[a] = n_levels[a]
            grid.ordered[a] = bool(ordered[a])
            grid.first[a + 1] = grid.first[a] + (n_levels[a] - 1 if ordered[a] or n_levels[a] == 2 else n_levels[a])
        grid.n_tests = grid.first[n_attributes]
        places = self._place(codes, n_classes)
        if weights is not None:
            self._weigh(places, weights)
        grid.attribute = <int32_t*> self.memory.zeroed(grid.n_tests + 1, sizeof(int32_t))
        grid.base = <int64_t*> self.memory.zeroed(grid.n_tests + 1, sizeof(int64_t))
        grid.begin = <int32_t*> self.memory.zeroed(grid.n_tests + 1, sizeof(int32_t))
        grid.end = <int32_t*> self.memory.zeroed(grid.n_tests + 1, sizeof(int32_t))
        n_bytes = <object> grid.n_tests * grid.n_words * 8
        step = 1 if n_bytes <= max_bytes else max(2, -(-n_bytes // max(max_bytes, 1)))
        grid.by_list = step > 1
        n_columns = 0
        for a in range(n_attributes):
            n_columns = self._list(a, levels[a], places, step, n_columns)
        grid.columns = <uint64_t*> self.memory.zeroed(n_columns * grid.n_words, sizeof(uint64_t))
        for a in range(n_attributes):
            self._fill(a, step)

    def _place(self, const int32_t[::1] classes, int n_classes):
        # The bit of each case.
        cdef Py_ssize_t i, n = classes.shape[0]
        cdef int c
        result = np.empty(n, dtype=np.int32)
        cdef int32_t[::1] places = result
        numbers = np.zeros(n_classes, dtype=np.int64)
        cdef int64_t[::1] seen = numbers
        for i in range(n):
            if classes[i] < 0 or classes[i] >= n_classes:
                raise ValueError(f"class {classes[i]} is out of range")
            seen[classes[i]] += 1
        for c in range(n_classes):
            self.grid.class_start[c + 1] = self.grid.class_start[c] + n_words(seen[c])
            seen[c] = self.grid.class_start[c] * WORD
        self.grid.n_words = self.grid.class_start[n_classes]
        self.grid.all_cases = <uint64_t*> self.memory.zeroed(self.grid.n_words, sizeof(uint64_t))
        for i in range(n):
            places[i] = <int32_t> seen[classes[i]]
            seen[classes[i]] += 1
            self.grid.all_cases[places[i] // WORD] |= (<uint64_t> 1) << (places[i] % WORD)
        return result

    def _weigh(self, const int32_t[::1] places, const double[::1] weights):
        cdef Py_ssize_t i
        if weights.shape[0] != places.shape[0]:
            raise ValueError("cases and weights differ in length")
        self.grid.weights = <double*> self.memory.zeroed(self.grid.n_words * WORD, sizeof(double))
        for i in range(places.shape[0]):
            if not weights[i] > 0:
                raise ValueError("weights must be positive")
            self.grid.weights[places[i]] = weights[i]

    def _list(self, Py_ssize_t a, const int32_t[::1] levels, const int32_t[::1] places, step, Py_ssize_t n_columns):
        # The bits of the cases by level, and which of them and which column belong to each test.
        cdef Grid* grid = &self.grid
        cdef Py_ssize_t i, n = places.shape[0]
        cdef int32_t t, r
        if levels.shape[0] != n:
            raise ValueError("levels and classes differ in length")
        grid.level[a] = <int32_t*> self.memory.zeroed(grid.n_words * WORD, sizeof(int32_t))
        grid.order[a] = <int32_t*> self.memory.raw(n, sizeof(int32_t))
        ends = np.zeros(grid.n_levels[a] + 1, dtype=np.int64)
        cdef int64_t[::1] end = ends
        for i in range(n):
            if levels[i] < 0 or levels[i] >= grid.n_levels[a]:
                raise ValueError(f"level {levels[i]} of attribute {a} is out of range")
            grid.level[a][places[i]] = levels[i]
            end[levels[i] + 1] += 1
        for r in range(grid.n_levels[a]):
            end[r + 1] += end[r]
        for t in range(grid.first[a], grid.first[a + 1]):
            r = t - grid.first[a]
            grid.attribute[t] = <int32_t> a
            if grid.ordered[a]:
                if r % step == 0:
                    n_columns += 1
                grid.base[t] = n_columns - 1
                grid.begin[t] = <int32_t> end[r - r % step + 1]
                grid.end[t] = <int32_t> end[r + 1]
            elif step == 1:
                n_columns += 1
                grid.base[t] = n_columns - 1
            else:
                grid.base[t] = -1
                grid.begin[t] = <int32_t> end[r]
                grid.end[t] = <int32_t> end[r + 1]
        for i in range(n):
            grid.order[a][end[levels[i]]] = places[i]
            end[levels[i]] += 1
        return n_columns

    def _fill(self, Py_ssize_t a, step):
        # The columns of the tests of an attribute. Those of thresholds grow from one to the next.
        cdef Grid* grid = &self.grid
        cdef int32_t t, r, bit
        cdef Py_ssize_t i = 0
        cdef uint64_t* column
        cdef uint64_t* before = NULL
        for t in range(grid.first[a], grid.first[a + 1]):
            r = t - grid.first[a]
            if grid.base[t] < 0 or (grid.ordered[a] and r % step):
                continue
            column = grid.columns + grid.base[t] * grid.n_words
            if grid.ordered[a] and before != NULL:
                memcpy(column, before, grid.n_words * sizeof(uint64_t))
            while i < grid.n and grid.level[a][grid.order[a][i]] <= r:
                bit = grid.order[a][i]
                if grid.ordered[a] or grid.level[a][bit] == r:
                    column[bit // WORD] |= (<uint64_t> 1) << (bit % WORD)
                i += 1
            before = column

    @property
    def n_tests(self):
        return self.grid.n_tests

    @property
    def attributes(self):
        """The attribute of each test."""
        return np.array([self.grid.attribute[t] for t in range(self.grid.n_tests)], dtype=np.int32)

    def counts(self, tests):
        """The class counts of the cases where all of the tests hold, as an array."""
        cdef Py_ssize_t w
        cover = np.array([self.grid.all_cases[w] for w in range(self.grid.n_words)], dtype=np.uint64)
        result = np.zeros(self.grid.n_classes)
        cdef uint64_t[::1] bits = cover
        cdef uint64_t[::1] part = np.empty_like(cover)
        cdef double[::1] counts = result
        count_cover(&self.grid, &bits[0], &counts[0])
        for test in tests:
            if not 0 <= test < self.grid.n_tests:
                raise ValueError(f"there is no test {test}")
            split_cover(&self.grid, &bits[0], test, &part[0], &counts[0])
            bits, part = part, bits
        return result
