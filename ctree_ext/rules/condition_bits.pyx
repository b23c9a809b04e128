"""The cases that fail a condition, a bit each.

The sets of values are made once, before any path is gone; those of thresholds and groups when it is their turn, into the
room of who asks. So threads can share all that is kept here.
"""

import numpy as np

from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.string cimport memset

from ctree_ext.base.bits cimport WORD, n_words
from ctree_ext.base.cases cimport CaseTable
from ctree_ext.base.memory cimport Memory
from ctree_ext.base.nodes cimport GROUPS, THRESHOLD, VALUES, Nodes
from ctree_ext.base.processor cimport follow_processor, own_level

cdef extern from "conditionloops.h" nogil:
    void not_value(const int32_t* codes, int32_t value, Py_ssize_t n, uint64_t* words)
    void not_in_group(const int32_t* codes, const int32_t* groups, int32_t group, Py_ssize_t n, uint64_t* words)
    void singles_beyond(const float* values, float cut, bint above, Py_ssize_t n, uint64_t* words)
    void doubles_beyond(const double* values, double cut, bint above, Py_ssize_t n, uint64_t* words)

cdef enum:
    MAX_BYTES = 67_108_864   # of the sets of values that are kept

follow_processor(own_level())


cdef class ConditionBits:
    """Sets of the cases of a table, as arrays of words; a condition on an unknown value fails.

    Bits beyond the last case may be set or not.

    Parameters
    ----------
    table : CaseTable
    """

    def __cinit__(self, CaseTable table not None):
        cdef int n_attributes = table.cases.n_attributes
        table.refuse_compact()
        self.table = table
        self.memory = Memory()
        self.n = table.cases.n
        self.words = n_words(self.n)
        self.singles = <const float**> self.memory.zeroed(n_attributes, sizeof(float*))
        self.unknown = <uint8_t*> self.memory.zeroed(n_attributes, sizeof(uint8_t))
        self.kept = <uint64_t***> self.memory.zeroed(n_attributes, sizeof(uint64_t**))

    cdef int prepare(self, const Nodes* nodes) except -1:
        # What the tests of a tree ask for again and again.
        cdef Py_ssize_t i
        for i in range(nodes.n):
            if nodes.test[i] == THRESHOLD:
                self.add_singles(nodes.attribute[i])
                self.look_for_unknown(nodes.attribute[i])
            elif nodes.test[i] == VALUES:
                self.keep_values(nodes.attribute[i])
        return 0

    cdef int add_singles(self, int attribute) except -1:
        cdef float* singles
        cdef const double* values = self.table.cases.values[attribute]
        cdef Py_ssize_t i
        if not self.table.cases.single or self.singles[attribute] != NULL:
            return 0
        singles = <float*> self.memory.raw(self.n, sizeof(float))
        with nogil:
            for i in range(self.n):
                singles[i] = <float> values[i]
        self.singles[attribute] = singles
        return 0

    cdef void look_for_unknown(self, int attribute) noexcept nogil:
        cdef const double* values = self.table.cases.values[attribute]
        cdef Py_ssize_t i
        if self.unknown[attribute]:
            return
        self.unknown[attribute] = 1
        for i in range(self.n):
            if values[i] != values[i]:
                self.unknown[attribute] = 2
                return

    cdef bint has_unknown(self, int attribute) noexcept nogil:
        # Of numbers; not known of an attribute whose thresholds nobody has prepared for.
        return self.unknown[attribute] != 1

    cdef int keep_values(self, int attribute) except -1:
        # All of them in one pass.
        cdef int n_values = self.table.cases.n_values[attribute], n_kept = 0
        cdef Py_ssize_t size = self.words * sizeof(uint64_t), i
        cdef const int32_t* codes = self.table.cases.codes[attribute]
        cdef uint64_t** sets
        if self.kept[attribute] != NULL:
            return 0
        sets = <uint64_t**> self.memory.zeroed(n_values, sizeof(uint64_t*))
        while n_kept < n_values and self.n_bytes + size <= MAX_BYTES:
            self.n_bytes += size
            sets[n_kept] = <uint64_t*> self.memory.raw(self.words, sizeof(uint64_t))
            memset(sets[n_kept], 255, size)
            n_kept += 1
        with nogil:
            for i in range(self.n):
                if 0 <= codes[i] < n_kept:
                    sets[codes[i]][i // WORD] ^= <uint64_t> 1 << (i % WORD)
        self.kept[attribute] = sets
        return 0

    cdef const uint64_t* failing(self, const Nodes* nodes, Py_ssize_t above, int branch, uint64_t* room) noexcept nogil:
        # The cases that fail the condition of a branch, in the room or where they are kept.
        cdef int attribute = nodes.attribute[above]
        if nodes.test[above] == VALUES:
            return self.value_set(attribute, branch, room)
        if nodes.test[above] == GROUPS:
            not_in_group(self.table.cases.codes[attribute], nodes.group + nodes.group_start[above], branch, self.n, room)
            return room
        return self.cut_set(attribute, nodes.threshold[above], branch > 0, room)

    cdef const uint64_t* value_set(self, int attribute, int value, uint64_t* room) noexcept nogil:
        if self.kept[attribute] != NULL and self.kept[attribute][value] != NULL:
            return self.kept[attribute][value]
        not_value(self.table.cases.codes[attribute], value, self.n, room)
        return room

    cdef const uint64_t* cut_set(self, int attribute, double cut, bint above, uint64_t* room) noexcept nogil:
        if self.singles[attribute] != NULL:
            singles_beyond(self.singles[attribute], <float> cut, above, self.n, room)
        else:
            doubles_beyond(self.table.cases.values[attribute], cut, above, self.n, room)
        return room

    def of_value(self, int attribute, int value, bint keep=True):
        """The cases of another value."""
        cdef uint64_t[::1] room = np.empty(self.words + 1, dtype=np.uint64)
        if keep:
            self.keep_values(attribute)
        return self.array_of(self.value_set(attribute, value, &room[0]))

    def of_group(self, int attribute, const int32_t[::1] groups, int group):
        """The cases whose value is not in a group; `groups` has that of each value."""
        cdef uint64_t[::1] room = np.empty(self.words + 1, dtype=np.uint64)
        not_in_group(self.table.cases.codes[attribute], &groups[0], group, self.n, &room[0])
        return self.array_of(&room[0])

    def of_cut(self, int attribute, double cut, bint above):
        """The cases that are not at most a threshold, or those that are not above it."""
        cdef uint64_t[::1] room = np.empty(self.words + 1, dtype=np.uint64)
        self.add_singles(attribute)
        return self.array_of(self.cut_set(attribute, cut, above, &room[0]))

    cdef array_of(self, const uint64_t* words):
        return np.array(<const uint64_t[:self.words]> words) if self.words else np.empty(0, dtype=np.uint64)
