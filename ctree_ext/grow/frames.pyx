"""The nodes that a thread is growing, on an explicit stack, and what it needs for that."""

from libc.stdint cimport int32_t
from libc.string cimport memcpy

from ctree_ext.base.cases cimport CaseTable
from ctree_ext.base.memory cimport Memory
from ctree_ext.base.nodes cimport nodes_free, nodes_init
from ctree_ext.base.stack cimport FrameStack
from ctree_ext.grow.scratch cimport Visit, scratch_init
from ctree_ext.grow.sorting cimport Entry


cdef class Worker:
    def __cinit__(self, CaseTable table, int most_values, Py_ssize_t n_group_codes, Py_ssize_t most_cases):
        cdef Py_ssize_t A = table.cases.n_attributes
        self.memory = Memory()
        self.stack = FrameStack(sizeof(Frame))
        nodes_init(&self.nodes, table.cases.n_classes)
        self.spare = <Entry*> self.memory.raw(most_cases, sizeof(Entry))
        self.spare_rows = <int32_t*> self.spare
        self.place = <Py_ssize_t*> self.memory.raw(most_values + 2, sizeof(Py_ssize_t))
        self.tested = <int32_t*> self.memory.zeroed(A, sizeof(int32_t))
        self.group = <int32_t*> self.memory.raw(n_group_codes, sizeof(int32_t))
        scratch_init(&self.scratch, self.memory, most_values, table.cases.n_classes, most_cases)
        self.scratch.visits = <Visit*> self.spare

    def __dealloc__(self):
        nodes_free(&self.nodes)

    cdef Frame* push(self, Py_ssize_t node, Segment cases, bint integer) except NULL nogil:
        cdef Frame* frame = <Frame*> self.stack.push()
        frame.node = <int32_t> node
        frame.cases = cases
        frame.integer = integer
        return frame

    cdef int defer(self, const Frame* frame, Py_ssize_t n_attributes) except -1 nogil:
        # Leave the subtree of a frame to another thread.
        cdef Deferred* deferred
        cdef Py_ssize_t capacity
        if self.n_deferred == self.deferred_capacity:
            capacity = max(2 * self.deferred_capacity, 64)
            self.memory.resize(<void**> &self.deferred, capacity, sizeof(Deferred))
            self.deferred_capacity = capacity
        deferred = &self.deferred[self.n_deferred]
        deferred.node = frame.node
        deferred.start = frame.cases.start
        deferred.n = frame.cases.n
        deferred.integer = frame.integer
        deferred.present_above = frame.present_above
        deferred.key = frame.key
        deferred.depth = frame.depth
        deferred.n_first = frame.n_first
        deferred.tested = <int32_t*> self.memory.raw(n_attributes, sizeof(int32_t))
        memcpy(deferred.tested, self.tested, n_attributes * sizeof(int32_t))
        self.n_deferred += 1
        return 0
