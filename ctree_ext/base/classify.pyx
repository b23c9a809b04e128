"""Classify cases: each goes down the tree, in fractions where a value is unknown, and the leaves it reaches are mixed."""

import numpy as np

from libc.math cimport isnan
from libc.stdint cimport int8_t, int32_t, int64_t

from ctree_ext.base.cases cimport Cases, CaseTable, code_of, value_of
from ctree_ext.base.interrupts cimport check_signals
from ctree_ext.base.memory cimport Memory, Pool, pool_resize
from ctree_ext.base.nodes cimport GROUPS, LEAF, THRESHOLD
from ctree_ext.base.numeric cimport rounded

cdef enum:
    BLOCK = 20000  # cases between two checks for Ctrl-C


ctypedef struct Step:
    # What routing needs of a node, side by side in memory.
    double threshold
    int32_t attribute
    int32_t first_branch
    int32_t n_branches
    int32_t test
    Py_ssize_t group_start


ctypedef struct Part:
    # A fraction of a case, waiting at a node.
    int32_t node
    double weight


ctypedef struct Waiting:
    # The fractions of one case; each call has its own, for several threads may use one tree.
    Pool* pool
    Part* parts
    Py_ssize_t max_parts   # that there is room for


cdef inline void _normalise(double* sums, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t c
    cdef double total = 0.0
    for c in range(n):
        total += sums[c]
    for c in range(n):
        sums[c] /= total


cdef class Router:
    """A tree, ready to route cases.

    Parameters
    ----------
    arrays : NodeArrays
        The tree.
    values : float64 array (nodes, classes)
    divisors : float64 array (nodes,)
        A leaf gives class c ``values[leaf, c] / divisors[leaf]``; kept apart because release 8 multiplies by the
        weight of the case before it divides.
    single : bool
        Add up in 32 bits, as release 8 does.
    """

    cdef Memory memory
    cdef Py_ssize_t n_nodes
    cdef const double[::1] cases     # per node
    cdef const int32_t[::1] group
    cdef const double[:, ::1] values
    cdef const double[::1] divisors
    cdef bint single
    cdef Step* steps

    def __cinit__(self, arrays, const double[:, ::1] values, const double[::1] divisors, bint single=False):
        cdef Py_ssize_t i
        cdef const int8_t[::1] test = arrays.test
        cdef const int32_t[::1] attribute = arrays.attribute, first_branch = arrays.first_branch
        cdef const int32_t[::1] n_branches = arrays.n_branches
        cdef const int64_t[::1] group_start = arrays.group_start
        cdef const double[::1] threshold = arrays.threshold
        self.n_nodes = test.shape[0]
        if values.shape[0] != self.n_nodes or divisors.shape[0] != self.n_nodes:
            raise ValueError("one row of values and one divisor per node")
        self.cases = arrays.cases
        self.group = arrays.group
        self.values = values
        self.divisors = divisors
        self.single = single
        self.memory = Memory()
        self.steps = <Step*> self.memory.raw(self.n_nodes, sizeof(Step))
        for i in range(self.n_nodes):
            self.steps[i].threshold = threshold[i]
            self.steps[i].attribute = attribute[i]
            self.steps[i].first_branch = first_branch[i]
            self.steps[i].n_branches = n_branches[i]
            self.steps[i].group_start = group_start[i]
            self.steps[i].test = test[i]

    def distributions(self, CaseTable table, bint normalised=False):
        """The sum over leaves, for every case: an array (cases, classes); on demand, of rows that sum to 1."""
        cdef Py_ssize_t row, n = table.cases.n, C = self.values.shape[1], end, start = 0
        cdef const Cases* cases = &table.cases
        cdef int status = 0
        cdef Memory memory = Memory()
        cdef Waiting waiting = Waiting(&memory.pool, NULL, 0)
        result = np.zeros((n, C))
        cdef double[:, ::1] sums = result
        while start < n:
            end = min(n, start + BLOCK)
            with nogil:
                for row in range(start, end):
                    status = self.add_up(cases, row, &sums[row, 0], &waiting)
                    if status < 0:
                        break
                    if normalised:
                        _normalise(&sums[row, 0], C)
            if status < 0:
                raise MemoryError
            check_signals()
            start = end
        return result

    def leaves(self, CaseTable table):
        """The leaf where each case ends; for one with unknown values the leaf that receives most of it."""
        cdef Py_ssize_t row, n = table.cases.n
        cdef int status = 0
        cdef Memory memory = Memory()
        cdef Waiting waiting = Waiting(&memory.pool, NULL, 0)
        result = np.empty(n, dtype=np.int32)
        cdef int32_t[::1] leaves = result
        with nogil:
            for row in range(n):
                leaves[row] = self.main_leaf(&table.cases, row, &waiting)
                if leaves[row] < 0:
                    status = -1
                    break
        if status < 0:
            raise MemoryError
        return result

    cdef inline Py_ssize_t descend(self, const Cases* cases, Py_ssize_t row, Py_ssize_t node) noexcept nogil:
        # Down to a leaf, or to the first test whose outcome is unknown.
        cdef const Step* step = &self.steps[node]
        cdef int32_t b
        cdef double x
        while step.test != LEAF:
            if step.test == THRESHOLD:
                x = value_of(cases, step.attribute, row)
                if isnan(x):
                    break
                if cases.single:
                    x = <double> <float> x
                b = not (x <= step.threshold)
            else:
                b = code_of(cases, step.attribute, row)
                if b >= 0 and step.test == GROUPS:
                    b = self.group[step.group_start + b]
                if b < 0 or b >= step.n_branches:
                    break
            step = &self.steps[step.first_branch + b]
        return step - self.steps

    cdef int add_up(self, const Cases* cases, Py_ssize_t row, double* sums, Waiting* waiting) noexcept nogil:
        cdef Py_ssize_t node, n_waiting = 0, C = self.values.shape[1], c
        cdef double weight = 1.0
        node = 0
        while True:
            node = self.descend(cases, row, node)
            if self.steps[node].test == LEAF:
                for c in range(C):
                    sums[c] = rounded(sums[c] + rounded(rounded(weight * self.values[node, c], self.single)
                                                        / self.divisors[node], self.single), self.single)
            else:
                n_waiting = self.fan_out(node, weight, waiting, n_waiting)
                if n_waiting < 0:
                    return -1
            if n_waiting == 0:
                return 0
            n_waiting -= 1
            node = waiting.parts[n_waiting].node
            weight = waiting.parts[n_waiting].weight

    cdef Py_ssize_t fan_out(self, Py_ssize_t node, double weight, Waiting* waiting, Py_ssize_t n) noexcept nogil:
        # All branches that had cases wait for their share, the first on top.
        cdef Py_ssize_t b, child, needed = n + self.steps[node].n_branches
        if needed > waiting.max_parts:
            if not pool_resize(waiting.pool, <void**> &waiting.parts, 2 * needed, sizeof(Part)):
                return -1
            waiting.max_parts = 2 * needed
        for b in range(self.steps[node].n_branches - 1, -1, -1):
            child = self.steps[node].first_branch + b
            if self.cases[child] > 0:
                waiting.parts[n].node = <int32_t> child
                waiting.parts[n].weight = rounded(
                    rounded(weight * self.cases[child], self.single) / self.cases[node], self.single)
                n += 1
        return n

    cdef int32_t main_leaf(self, const Cases* cases, Py_ssize_t row, Waiting* waiting) noexcept nogil:
        cdef Py_ssize_t node = 0, n_waiting = 0
        cdef int32_t best = -1
        cdef double weight = 1.0, best_weight = -1.0
        while True:
            node = self.descend(cases, row, node)
            if self.steps[node].test == LEAF:
                if weight > best_weight:
                    best = <int32_t> node
                    best_weight = weight
            else:
                n_waiting = self.fan_out(node, weight, waiting, n_waiting)
                if n_waiting < 0:
                    return -1
            if n_waiting == 0:
                return best
            n_waiting -= 1
            node = waiting.parts[n_waiting].node
            weight = waiting.parts[n_waiting].weight
