"""Cases in one list that is kept in release 8's order, for where the tree depends on it.

With unknown values a case lives in several branches, and its weight, multiplied on the way down and divided on the
way back, does not return to the last bit. Later branches see that, so such data are grown in one order, branch after
branch. What is done to the list is in `case_list`.
"""

import numpy as np

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.string cimport memcpy

from ctree_ext.base.nodes cimport Nodes
from ctree_ext.base.numeric cimport rounded
from ctree_ext.base.weights cimport set_weight, sum_weights, weight_of
from ctree_ext.grow.case_list cimport close_branch, close_leaf, group_branch, group_by_position, note_by_position
from ctree_ext.grow.frames cimport Frame, Segment
from ctree_ext.grow.partition cimport MAX_NARROW, NARROW_UNKNOWN
from ctree_ext.grow.sorting cimport UNKNOWN_RANK, Entry, Sorted, allocate_column
from ctree_ext.grow.storage cimport CaseStorage

cdef enum:
    MIN_COPIED = 512         # subtrees of this many cases, up to MAX_COPIED, are grown from copies
    MAX_COPIED = 16384


cdef class ListStorage(CaseStorage):
    cdef int allocate(self, Py_ssize_t n) except -1:
        CaseStorage.allocate(self, n)
        self.place_of = <uint32_t*> self.memory.raw(n, sizeof(uint32_t))
        self.ties = <uint32_t*> self.memory.raw(n, sizeof(uint32_t))
        self.by_position = <uint8_t*> self.memory.raw(n, sizeof(uint8_t))
        return 0

    cdef int note_missing(self) except -1:
        # Which cases have no value of each continuous attribute; they stand last in its column.
        cdef Py_ssize_t k, i, n = self.cases.n
        cdef const Entry* order
        cdef uint8_t* missing = <uint8_t*> self.memory.zeroed(self.n_continuous * n, sizeof(uint8_t))
        self.missing = <uint8_t**> self.memory.zeroed(self.n_continuous + 1, sizeof(uint8_t*))
        for k in range(self.n_continuous):
            order = self.columns[self.continuous[k]].order
            if order[n - 1].rank == UNKNOWN_RANK:
                self.missing[k] = missing + k * n
                i = n - 1
                while i >= 0 and order[i].rank == UNKNOWN_RANK:
                    self.missing[k][order[i].row] = 1
                    i -= 1
        return 0

    cdef object final_order(self, Py_ssize_t n):
        cdef int32_t[::1] order = np.empty(n, dtype=np.int32)
        memcpy(&order[0], self.rows, n * sizeof(int32_t))
        return np.asarray(order)

    cdef void divide(self, Nodes* nodes, Frame* frame, int attribute) noexcept nogil:
        # Cases of unknown outcome to the front of the node's stretch of the list.
        cdef int32_t* rows = self.rows + frame.cases.list_start
        cdef uint8_t* by_position = self.by_position + frame.cases.list_start
        cdef bint wide = frame.n_branches > MAX_NARROW
        if not wide:
            note_by_position(rows, frame.cases.n, self.side, by_position)
        if frame.n_unknown == 0:
            return
        if wide:
            group_branch(rows, 0, frame.cases.n, self.cases, nodes, frame.node, -1)
        else:
            group_by_position(rows, by_position, 0, frame.cases.n, NARROW_UNKNOWN, frame.n_unknown)
        frame.known = rounded(nodes.cases[frame.node] - sum_weights(
            rows, frame.n_unknown, NULL if frame.integer else self.weights), self.cases.single)

    cdef int keep_unknown(self, Frame* frame) except -1 nogil:
        if frame.n_unknown == 0:
            return 0
        CaseStorage.keep_unknown(self, frame)
        memcpy(frame.kept_rows, self.rows + frame.cases.list_start, frame.n_unknown * sizeof(int32_t))
        return 0

    cdef Segment enter_branch(self, Nodes* nodes, Frame* frame, int branch) noexcept nogil:
        cdef int32_t* rows = self.rows + frame.cases.list_start
        cdef Py_ssize_t unknown = frame.n_unknown, n_known = frame.sizes[branch]
        cdef Segment segment
        frame.n_reorderings = self.n_reorderings
        if frame.n_branches <= MAX_NARROW:
            group_by_position(rows, self.by_position + frame.cases.list_start, unknown, frame.cases.n, <uint8_t> branch,
                              n_known)
        else:
            group_branch(rows, unknown, frame.cases.n, self.cases, nodes, frame.node, branch)
        if unknown:
            frame.shares[branch] = rounded(
                sum_weights(rows + unknown, n_known, NULL if frame.integer else self.weights) / frame.known,
                self.cases.single)
            self.scale_unknown(frame, branch, True)
        segment.start = frame.cases.start + frame.done
        segment.list_start = frame.cases.list_start
        segment.n = n_known + unknown
        return segment

    cdef void leave_branch(self, Nodes* nodes, Frame* frame, int branch) noexcept nogil:
        cdef int32_t* rows = self.rows + frame.cases.list_start
        cdef uint8_t* by_position = self.by_position + frame.cases.list_start
        cdef Py_ssize_t n = frame.n_unknown + frame.sizes[branch]
        if frame.n_branches > MAX_NARROW:
            group_branch(rows, 0, n, self.cases, nodes, frame.node, -1)
        elif self.n_reorderings == frame.n_reorderings:
            close_leaf(frame.n_unknown, n, by_position)
        else:
            close_branch(rows, n, frame.kept_rows, frame.n_unknown, self.side, by_position)
        if frame.n_unknown:
            self.scale_unknown(frame, branch, False)

    cdef void scale_unknown(self, const Frame* frame, int branch, bint down) noexcept nogil:
        # Cases of unknown outcome go down a branch with its share of their weight, and get it back, but not to the bit.
        cdef const int32_t* rows = self.rows + frame.cases.list_start
        cdef double share = frame.shares[branch]
        cdef Py_ssize_t i
        for i in range(frame.n_unknown):
            if down:
                set_weight(self.weights, rows[i], weight_of(self.weights, rows[i]) * share)
            else:
                set_weight(self.weights, rows[i], weight_of(self.weights, rows[i]) / share)

    cdef bint is_worth_a_copy(self, const Frame* frame) noexcept nogil:
        # The list runs through the columns in no order, so a subtree is grown from a copy of its cases that the
        # processor's cache can hold: with unknown values in 100,000 cases this saves a quarter of the time.
        return (not self.is_copy and MIN_COPIED <= frame.cases.n <= min(MAX_COPIED, self.cases.n // 2))

    cdef int take_copy(self, ListStorage original, const Frame* frame, const int32_t[::1] rows) except -1:
        # The cases of a frame of the original, at these rows of it, numbered in the order of its list.
        cdef Py_ssize_t i, k, n = frame.cases.n
        cdef const Entry* order
        cdef Sorted* column
        cdef const Sorted* source
        self.is_copy = True
        self.survey.complete = False  # which a table without values does not show
        self.allocate(n)
        for i in range(n):
            self.rows[i] = <int32_t> i
            set_weight(self.weights, i, weight_of(original.weights, rows[i]))
            original.place_of[rows[i]] = <uint32_t> i
        for k in range(self.n_continuous):
            column = &self.columns[self.continuous[k]]
            source = &original.columns[self.continuous[k]]
            allocate_column(column, n, True, False, self.column_memory)
            # borrowed: thresholds are values of the whole training set
            column.distinct32 = source.distinct32
            column.n_distinct = source.n_distinct
            order = source.order + frame.cases.start
            for i in range(n):
                column.order[i].rank = order[i].rank
                column.order[i].row = <int32_t> original.place_of[order[i].row]
        self.note_missing()
        return 0

    cdef int hand_back(self, ListStorage original, const Frame* frame, const int32_t[::1] rows) except -1:
        # What growing has done to the order and the weights of the cases.
        cdef Py_ssize_t i
        for i in range(frame.cases.n):
            original.rows[frame.cases.list_start + i] = rows[self.rows[i]]
            if original.weights != NULL:
                set_weight(original.weights, rows[i], weight_of(self.weights, i))
        return 0
