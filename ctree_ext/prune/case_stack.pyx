"""The cases of the nodes above the one that is being pruned, for where sums of what they count are exact.

Where what a case counts is a whole number of a unit, no sum depends on the order of the cases, so that release 8's list
need not be kept. The cases of a node stay where they are, for its largest branch may be estimated with them, and those of
its branches are written above them:

    [ ... | node | branch 0, room | branch 1, room | ... | cases of unknown outcome ]

The room of a branch takes the cases of unknown outcome, with its share of their weight, when its turn comes. A leaf needs
no cases, only their class weights.
"""

from libc.stdint cimport int32_t, uint16_t
from libc.string cimport memcpy

from ctree_ext.base.cases cimport Cases
from ctree_ext.base.memory cimport Memory, Pool, pool_zeroed
from ctree_ext.base.nodes cimport LEAF, Nodes
from ctree_ext.base.routing cimport list_sides
from ctree_ext.base.weights cimport part_of


cdef Py_ssize_t _count_sides(const int32_t* sides, Py_ssize_t n, Py_ssize_t n_branches, Py_ssize_t* sizes) noexcept nogil:
    # How many cases take each branch, and for how many that is unknown.
    cdef Py_ssize_t i, unknown = 0, second = 0
    if n_branches == 2:
        for i in range(n):
            unknown += sides[i] < 0
            second += sides[i] > 0
        sizes[0] = n - unknown - second
        sizes[1] = second
        return unknown
    for i in range(n):
        if sides[i] < 0:
            unknown += 1
        else:
            sizes[sides[i]] += 1
    return unknown


cdef class CaseStack:
    cdef int set_up(self, const Cases* cases, const Nodes* nodes, const int32_t* order) except -1:
        cdef Py_ssize_t i, n = cases.n
        self.cases = cases
        self.nodes = nodes
        self.memory = Memory()
        self.capacity = 2 * n + 1
        self.rows = <int32_t*> self.memory.raw(self.capacity, sizeof(int32_t))
        self.weights = <double*> self.memory.raw(self.capacity, sizeof(double))
        self.sides = <int32_t*> self.memory.raw(n, sizeof(int32_t))
        memcpy(self.rows, order, n * sizeof(int32_t))
        for i in range(n):
            self.weights[i] = 1.0 if cases.weights == NULL else cases.weights[order[i]]
        return 0

    cdef StackedCases root(self) except *:
        # All cases, at the bottom of the stack.
        cdef StackedCases stacked
        cdef Py_ssize_t i
        stacked.start = 0
        stacked.n = stacked.room = self.cases.n
        stacked.counts = <double*> self.memory.zeroed(self.cases.n_classes, sizeof(double))
        for i in range(stacked.n):
            stacked.counts[self.cases.classes[self.rows[i]]] += self.weights[i]
        stacked.weight = 0.0
        for i in range(self.cases.n_classes):
            stacked.weight += stacked.counts[i]
        return stacked

    cdef int divide(self, StackedCases* stacked, Py_ssize_t node, Pool* memory) except -1 nogil:
        # Divide the cases of a node that has a test.
        cdef Py_ssize_t B = self.nodes.n_branches[node], C = self.cases.n_classes, needed
        cdef void* block = pool_zeroed(memory, B, 2 * sizeof(Py_ssize_t) + (C + 1) * sizeof(double))
        if block == NULL:
            with gil:
                raise MemoryError
        stacked.counts_below = <double*> block
        stacked.weights = stacked.counts_below + B * C
        stacked.sizes = <Py_ssize_t*> (stacked.weights + B)
        stacked.ends = stacked.sizes + B
        list_sides(self.cases, self.nodes, node, self.rows + stacked.start, stacked.n, self.sides)
        stacked.n_unknown = _count_sides(self.sides, stacked.n, B, stacked.sizes)
        self.lay_out(stacked, node)
        needed = stacked.room_below + 1
        if needed > self.capacity:
            self.capacity = max(needed, self.capacity + self.capacity // 2)
            self.memory.resize(<void**> &self.rows, self.capacity, sizeof(int32_t))
            self.memory.resize(<void**> &self.weights, self.capacity, sizeof(double))
        self.distribute(stacked, node)
        return 0

    cdef void lay_out(self, StackedCases* stacked, Py_ssize_t node) noexcept nogil:
        # Where the branches begin; the place of leaves is behind everything, and is written to again and again.
        cdef Py_ssize_t at = stacked.room, first = self.nodes.first_branch[node]
        cdef int b, B = self.nodes.n_branches[node]
        for b in range(B):
            if stacked.sizes[b] and self.nodes.test[first + b] != LEAF:
                stacked.ends[b] = at
                at += stacked.sizes[b] + stacked.n_unknown
        stacked.unknown = at
        stacked.room_below = at + stacked.n_unknown
        for b in range(B):
            if self.nodes.test[first + b] == LEAF:
                stacked.ends[b] = stacked.room_below

    cdef void distribute(self, StackedCases* stacked, Py_ssize_t node) noexcept nogil:
        # Write the cases to their branches, and add up the class weights there.
        cdef const int32_t* sides = self.sides
        cdef const uint16_t* classes = self.cases.classes
        cdef int32_t* rows = self.rows
        cdef double* weights = self.weights
        cdef double* counts = stacked.counts_below
        cdef Py_ssize_t* ends = stacked.ends
        cdef Py_ssize_t i, at, C = self.cases.n_classes, start = stacked.start, unknown = stacked.unknown
        cdef Py_ssize_t of_leaves = stacked.room_below
        cdef int32_t row
        cdef double w
        cdef int b, c
        for i in range(stacked.n):
            row = rows[start + i]
            w = weights[start + i]
            b = sides[i]
            if b < 0:
                rows[unknown] = row
                weights[unknown] = w
                unknown += 1
                continue
            at = ends[b]
            rows[at] = row
            weights[at] = w
            ends[b] = at + (at != of_leaves)
            counts[b * C + classes[row]] += w
        stacked.known = 0.0
        for b in range(self.nodes.n_branches[node]):
            for c in range(C):
                stacked.weights[b] += counts[b * C + c]
            stacked.known += stacked.weights[b]

    cdef StackedCases branch(self, const StackedCases* stacked, Py_ssize_t node, int b, double share) noexcept nogil:
        # The cases of a branch, with its share of those of unknown outcome.
        cdef StackedCases below
        cdef bint is_leaf = self.nodes.test[self.nodes.first_branch[node] + b] == LEAF
        cdef Py_ssize_t i, at = stacked.unknown, end = stacked.ends[b]
        cdef double w
        below.start = end - stacked.sizes[b]
        below.n = stacked.sizes[b] + stacked.n_unknown
        below.room = stacked.room_below
        below.weight = stacked.weights[b]
        below.counts = stacked.counts_below + b * <Py_ssize_t> self.cases.n_classes
        for i in range(stacked.n_unknown):
            w = part_of(self.weights[at + i], share, self.cases.unit)
            below.weight += w
            below.counts[self.cases.classes[self.rows[at + i]]] += w
            if not is_leaf:
                self.rows[end + i] = self.rows[at + i]
                self.weights[end + i] = w
        return below
