"""Sampled trees in flat arrays, and their predictions, alone and together."""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

from ctree_ext.base.interrupts cimport WORK_PER_CHECK, Watch, check_after, check_signals
from ctree_ext.base.memory cimport Pool, pool_raw, pool_resize

import numpy as np


cdef int store_init(StoredTrees* stored, Pool* pool, int n_classes) noexcept nogil:
    # No trees yet; -1 without memory. The struct is all zeros.
    stored.pool = pool
    stored.n_classes = n_classes
    stored.node_start = <int64_t*> pool_raw(pool, 1, sizeof(int64_t))
    stored.leaf_start = <int64_t*> pool_raw(pool, 1, sizeof(int64_t))
    if stored.node_start == NULL or stored.leaf_start == NULL:
        return -1
    stored.node_start[0] = stored.leaf_start[0] = 0
    return 0


cdef int _enlarge(Pool* pool, void** array, Py_ssize_t* room, Py_ssize_t needed, size_t size) noexcept nogil:
    cdef Py_ssize_t larger = max(needed, room[0] + room[0] // 2 + 64)
    if needed <= room[0]:
        return 0
    if not pool_resize(pool, array, larger, size):
        return -1
    room[0] = larger
    return 0


cdef int store_add_node(StoredTrees* stored, int32_t test, const double* counts) noexcept nogil:
    # The next node of the tree that is being added; -1 without memory.
    if _enlarge(stored.pool, <void**> &stored.tests, &stored.max_nodes, stored.n_nodes + 1, sizeof(int32_t)) < 0:
        return -1
    if test < 0:
        if _enlarge(stored.pool, <void**> &stored.counts, &stored.max_leaves, stored.n_leaves + 1,
                    stored.n_classes * sizeof(double)) < 0:
            return -1
        memcpy(stored.counts + stored.n_leaves * stored.n_classes, counts, stored.n_classes * sizeof(double))
        stored.n_leaves += 1
    stored.tests[stored.n_nodes] = test
    stored.n_nodes += 1
    return 0


cdef int store_close_tree(StoredTrees* stored) noexcept nogil:
    cdef Py_ssize_t room = stored.max_trees
    if _enlarge(stored.pool, <void**> &stored.node_start, &room, stored.n_trees + 2, sizeof(int64_t)) < 0:
        return -1
    if _enlarge(stored.pool, <void**> &stored.leaf_start, &stored.max_trees, stored.n_trees + 2, sizeof(int64_t)) < 0:
        return -1
    stored.n_trees += 1
    stored.node_start[stored.n_trees] = stored.n_nodes
    stored.leaf_start[stored.n_trees] = stored.n_leaves
    return 0


cdef dict store_arrays(const StoredTrees* stored):
    cdef Py_ssize_t i
    node_start, leaf_start = np.zeros(stored.n_trees + 1, np.int64), np.zeros(stored.n_trees + 1, np.int64)
    tests, counts = np.empty(stored.n_nodes, np.int32), np.empty((stored.n_leaves, stored.n_classes))
    cdef int64_t[::1] a = node_start
    cdef int64_t[::1] b = leaf_start
    cdef int32_t[::1] c = tests
    cdef double[::1] d = counts.reshape(-1)
    for i in range(stored.n_trees + 1):
        a[i] = stored.node_start[i]
        b[i] = stored.leaf_start[i]
    for i in range(stored.n_nodes):
        c[i] = stored.tests[i]
    for i in range(stored.n_leaves * stored.n_classes):
        d[i] = stored.counts[i]
    return {"node_start": node_start, "leaf_start": leaf_start, "tests": tests, "counts": counts}


cdef int store_restore(StoredTrees* stored, arrays, int32_t n_tests) except -1:
    # Add what `store_arrays` gave, of trees that have so many tests to choose from.
    cdef const double[:, ::1] counts = arrays["counts"]
    cdef Py_ssize_t t, leaf = 0
    cdef int32_t test
    starts = arrays["node_start"].tolist()
    for t in range(len(starts) - 1):
        for test in arrays["tests"][starts[t]:starts[t + 1]].tolist():
            if leaf >= len(counts) or test >= n_tests:
                raise ValueError("a tree has more leaves than were counted, or unknown tests")
            if store_add_node(stored, test, &counts[leaf, 0]) < 0:
                raise MemoryError
            leaf += test < 0
        if store_close_tree(stored) < 0:
            raise MemoryError
    return 0


cdef class TreeStore:
    """Trees of one set of tests, ready to classify.

    Parameters
    ----------
    node_start, leaf_start : int64 arrays (trees + 1,)
        Where the nodes and the leaves of each tree begin.
    tests : int32 array
        The nodes of all trees, each before its branches: the number of a test, or -1.
    probabilities : float64 array (leaves, classes)
        The prediction of each leaf.
    test_attribute, test_level : int32 arrays
        Of each test, the attribute, and the level that a case is compared with.
    ordered : bool array
        By attribute: whether the test is ``level <= …``, else ``level = …``.
    """

    cdef const int64_t[::1] node_start
    cdef const double[:, ::1] probabilities
    cdef const int32_t[::1] test_attribute
    cdef const int32_t[::1] test_level
    cdef object ordered_
    cdef object best_
    cdef int32_t[::1] step       # the test of a node, or -1
    cdef int64_t[::1] goal       # the right branch of a node; of a leaf its place among all

    def __cinit__(self, node_start, leaf_start, tests, probabilities, test_attribute, test_level, ordered):
        cdef Py_ssize_t t, i, leaf = 0, depth, n_trees = len(node_start) - 1
        cdef const int32_t[::1] nodes = tests
        cdef const int64_t[::1] leaves = leaf_start
        self.node_start = node_start
        self.probabilities = probabilities
        self.test_attribute = test_attribute
        self.test_level = test_level
        self.ordered_ = np.ascontiguousarray(ordered, dtype=np.uint8)
        self.best_ = np.asarray(probabilities).argmax(axis=1).astype(np.int32)
        n_tests = len(test_attribute)
        if n_trees < 0 or len(leaf_start) != n_trees + 1 or len(test_level) != n_tests:
            raise ValueError("the arrays of the trees differ in length")
        if n_tests and not (0 <= np.min(test_attribute) and np.max(test_attribute) < len(ordered)):
            raise ValueError("a test has no attribute")
        self.step = np.array(tests, dtype=np.int32)
        self.goal = np.zeros(len(tests), dtype=np.int64)
        waiting = np.empty(len(tests) + 1, dtype=np.int64)
        cdef int64_t[::1] stack = waiting
        if self.node_start[0] != 0 or self.node_start[n_trees] != nodes.shape[0]:
            raise ValueError("the trees do not make up the nodes")
        for t in range(n_trees):
            if leaves[t] != leaf or self.node_start[t] >= self.node_start[t + 1]:
                raise ValueError(f"tree {t} has no nodes, or leaves of another")
            depth = 0
            for i in range(self.node_start[t], self.node_start[t + 1]):
                if nodes[i] >= n_tests or nodes[i] < -1:
                    raise ValueError(f"there is no test {nodes[i]}")
                if i > self.node_start[t] and nodes[i - 1] < 0:
                    # after a leaf comes the right branch of the last test that waits for one
                    if depth == 0:
                        raise ValueError(f"tree {t} has more nodes than branches")
                    depth -= 1
                    self.goal[stack[depth]] = i
                if nodes[i] < 0:
                    self.goal[i] = leaf
                    leaf += 1
                else:
                    stack[depth] = i
                    depth += 1
            if depth or nodes[self.node_start[t + 1] - 1] >= 0:
                raise ValueError(f"tree {t} lacks branches")
        if leaf != leaves[n_trees] or leaf != len(probabilities):
            raise ValueError("the leaves of the trees are not as many as they should be")

    cdef inline int64_t leaf_of(self, int64_t node, const int32_t[:, ::1] levels, const unsigned char* ordered,
                                Py_ssize_t row) noexcept nogil:
        cdef int32_t test = self.step[node], attribute, level
        while test >= 0:
            attribute = self.test_attribute[test]
            level = levels[row, attribute]
            if level <= self.test_level[test] if ordered[attribute] else level == self.test_level[test]:
                node += 1
            else:
                node = self.goal[node]
            test = self.step[node]
        return self.goal[node]

    def _check(self, levels):
        if levels.shape[1] != len(self.ordered_):
            raise ValueError("the cases have another number of attributes")

    def sums(self, const int32_t[:, ::1] levels, const double[::1] weights):
        """The weighted sums of the predictions of all trees for cases of these levels: probabilities, and votes.

        Both are arrays (cases, classes).
        """
        cdef Py_ssize_t row, t, c, n = levels.shape[0], n_trees = self.node_start.shape[0] - 1, start = 0, end
        cdef Py_ssize_t n_classes = self.probabilities.shape[1]
        cdef int64_t leaf
        cdef const unsigned char[::1] ordered = self.ordered_
        cdef const int32_t[::1] best = self.best_
        self._check(levels)
        if weights.shape[0] != n_trees:
            raise ValueError("trees and weights differ in length")
        proba, votes_ = np.zeros((n, n_classes)), np.zeros((n, n_classes))
        cdef double[:, ::1] sums = proba
        cdef double[:, ::1] votes = votes_
        cdef const unsigned char* in_order = &ordered[0] if ordered.shape[0] else NULL
        while start < n:
            end = min(n, start + max(1, WORK_PER_CHECK // max(1, n_trees)))
            with nogil:
                for t in range(n_trees):
                    for row in range(start, end):
                        leaf = self.leaf_of(self.node_start[t], levels, in_order, row)
                        for c in range(n_classes):
                            sums[row, c] += weights[t] * self.probabilities[leaf, c]
                        votes[row, best[leaf]] += weights[t]
            check_signals()
            start = end
        return proba, votes_

    def best(self, const int32_t[:, ::1] levels):
        """The class that each tree gives each case: an int32 array (trees, cases)."""
        cdef Py_ssize_t row, t, n = levels.shape[0], n_trees = self.node_start.shape[0] - 1
        cdef Watch watch = Watch(0, 0.0, NULL)
        cdef const unsigned char[::1] ordered = self.ordered_
        cdef const int32_t[::1] best = self.best_
        self._check(levels)
        result = np.empty((n_trees, n), dtype=np.int32)
        cdef int32_t[:, ::1] classes = result
        cdef const unsigned char* in_order = &ordered[0] if ordered.shape[0] else NULL
        for t in range(n_trees):
            with nogil:
                for row in range(n):
                    classes[t, row] = best[self.leaf_of(self.node_start[t], levels, in_order, row)]
            check_after(&watch, n)
        return result

    def probabilities_of(self, const int32_t[:, ::1] levels, int class_):
        """The probability that each tree gives a class for each case: an array (trees, cases)."""
        cdef Py_ssize_t row, t, n = levels.shape[0], n_trees = self.node_start.shape[0] - 1
        cdef Watch watch = Watch(0, 0.0, NULL)
        cdef const unsigned char[::1] ordered = self.ordered_
        self._check(levels)
        if not 0 <= class_ < self.probabilities.shape[1]:
            raise ValueError(f"there is no class {class_}")
        result = np.empty((n_trees, n))
        cdef double[:, ::1] probabilities = result
        cdef const unsigned char* in_order = &ordered[0] if ordered.shape[0] else NULL
        for t in range(n_trees):
            with nogil:
                for row in range(n):
                    probabilities[t, row] = self.probabilities[
                        self.leaf_of(self.node_start[t], levels, in_order, row), class_]
            check_after(&watch, n)
        return result
