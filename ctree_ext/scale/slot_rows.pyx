"""Which cases of a part are at the slots of a tree."""

import numpy as np

from libc.stdint cimport int32_t, int64_t

from ctree_ext.base.interrupts cimport check_after
from ctree_ext.base.memory cimport Memory
from ctree_ext.scale.columns cimport Columns
from ctree_ext.scale.descent cimport BLOCK, Descent, Entries, raise_fault


cdef class Walk:
    """The blocks of a part, one after the other."""

    def __cinit__(self, Columns columns not None, Descent descent not None):
        self.memory = Memory()
        self.columns = columns
        self.descent = descent
        descent.prepare(columns, &self.entries, self.memory)

    cdef bint next(self) except -1 nogil:
        cdef int status
        self.start += self.n
        self.n = min(<Py_ssize_t> BLOCK, self.columns.n - self.start)
        if self.n <= 0:
            return False
        status = self.descent.route(self.columns, self.start, self.n, &self.entries)
        raise_fault(status, self.entries.fault)
        check_after(&self.watch, self.n * (1 + 2 * self.descent.n_tested))
        return True


def slot_sizes(Columns columns, Descent descent):
    """How many cases, or fractions of cases, are at each slot."""
    cdef Walk walk = Walk(columns, descent)
    cdef Py_ssize_t slot
    cdef int32_t node
    result = np.zeros(descent.n_slots, dtype=np.int64)
    cdef int64_t[::1] sizes = result
    with nogil:
        while walk.next():
            for slot in range(descent.n_slots):
                node = descent.node_of_slot[slot]
                sizes[slot] += walk.entries.last[node] - walk.entries.first[node]
    return result


cdef class _Found:
    # Rows and weights as they are found; those of a slot and a block are side by side.
    cdef Memory memory
    cdef Py_ssize_t n
    cdef Py_ssize_t room
    cdef int32_t* rows
    cdef int64_t* weights
    cdef bint weighted

    def __cinit__(self):
        self.memory = Memory()

    cdef int add(self, Walk walk, int32_t node) except -1 nogil:
        cdef Entries* entries = &walk.entries
        cdef Py_ssize_t i, first = entries.first[node], n = entries.last[node] - first
        if self.n + n > self.room:
            self.room = max(self.n + n, 2 * self.room)
            self.memory.resize(<void**> &self.rows, self.room, sizeof(int32_t))
            self.memory.resize(<void**> &self.weights, self.room, sizeof(int64_t))
        for i in range(n):
            self.rows[self.n + i] = <int32_t> (walk.start + (i if entries.all_at_root else entries.rows[first + i]))
            self.weights[self.n + i] = entries.weights[first + i] if entries.weighted else walk.columns.one
        self.weighted |= entries.weighted
        self.n += n
        return 0


def slot_rows(Columns columns, Descent descent):
    """The cases at each slot, in their order.

    Returns
    -------
    rows : int32 array
        Those of one slot after the other.
    starts : int64 array (slots + 1)
        Where those of each slot begin.
    weights : int64 array or None
        In units; None if every case counts one.
    """
    cdef Walk walk = Walk(columns, descent)
    cdef _Found found = _Found()
    cdef Memory memory = Memory()
    cdef Py_ssize_t n_slots = descent.n_slots, n_blocks = (columns.n + BLOCK - 1) // BLOCK, block = 0, slot, i, at = 0, to
    cdef int32_t* sizes = <int32_t*> memory.zeroed(max(1, n_blocks * n_slots), sizeof(int32_t))
    cdef int32_t node
    with nogil:
        while walk.next():
            for slot in range(n_slots):
                node = descent.node_of_slot[slot]
                sizes[block * n_slots + slot] = <int32_t> (walk.entries.last[node] - walk.entries.first[node])
                found.add(walk, node)
            block += 1
    rows_array = np.empty(found.n, dtype=np.int32)
    weights_array = np.empty(found.n if found.weighted else 0, dtype=np.int64)
    starts_array = np.zeros(n_slots + 1, dtype=np.int64)
    cdef int32_t[::1] rows = rows_array
    cdef int64_t[::1] weights = weights_array
    cdef int64_t[::1] starts = starts_array
    with nogil:
        for block in range(n_blocks):
            for slot in range(n_slots):
                starts[slot + 1] += sizes[block * n_slots + slot]
        for slot in range(n_slots):
            starts[slot + 1] += starts[slot]
        # The beginnings move along, and are put back afterwards.
        for block in range(n_blocks):
            for slot in range(n_slots):
                to = starts[slot]
                for i in range(sizes[block * n_slots + slot]):
                    rows[to + i] = found.rows[at + i]
                    if found.weighted:
                        weights[to + i] = found.weights[at + i]
                at += sizes[block * n_slots + slot]
                starts[slot] += sizes[block * n_slots + slot]
        for slot in range(n_slots, 0, -1):
            starts[slot] = starts[slot - 1]
        starts[0] = 0
    return rows_array, starts_array, weights_array if found.weighted else None
