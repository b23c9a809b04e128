"""Which rules are the same: of the same class, and of conditions with the same marks in the same order."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from ctree_ext.base.memory cimport Memory


cdef class SameRules:
    """Rules, each once, with numbers from 0 in the order in which they come."""

    def __cinit__(self):
        self.memory = Memory()

    cdef Py_ssize_t place_of(self, int cls, const int64_t* marks, Py_ssize_t n) except -1 nogil:
        # The number of a rule, which is a new one if there is none like it.
        cdef uint64_t hash_ = <uint64_t> cls + 1
        cdef Py_ssize_t i, at, first
        cdef const Known* known
        for i in range(n):
            hash_ = (hash_ ^ <uint64_t> marks[i]) * <uint64_t> 0x9E3779B97F4A7C15
            hash_ ^= hash_ >> 29
        if self.n == self.room or self.n_marks + n > self.room_marks:
            self.make_room(n)
        at = hash_ & (2 * self.room - 1)
        while self.places[at] >= 0:
            i = self.places[at]
            known = &self.known[i]
            first = self.known[i - 1].end if i else 0
            if (known.hash == hash_ and known.cls == cls and known.end - first == n
                    and (n == 0 or memcmp(self.marks + first, marks, n * sizeof(int64_t)) == 0)):
                return i
            at = (at + 1) & (2 * self.room - 1)
        if n:
            memcpy(self.marks + self.n_marks, marks, n * sizeof(int64_t))
        self.n_marks += n
        self.known[self.n].hash, self.known[self.n].end, self.known[self.n].cls = hash_, self.n_marks, cls
        self.places[at] = <int32_t> self.n
        self.n += 1
        return self.n - 1

    cdef int make_room(self, Py_ssize_t n) except -1 nogil:
        # For one rule more, of so many conditions.
        cdef Py_ssize_t i, room = 2 * self.room_marks + n + 64
        if self.n_marks + n > self.room_marks:
            self.memory.resize(<void**> &self.marks, room, sizeof(int64_t))
            self.room_marks = room
        if self.n == self.room:
            room = max(2 * self.room, 64)
            self.memory.resize(<void**> &self.known, room, sizeof(Known))
            self.memory.resize(<void**> &self.places, 2 * room, sizeof(int32_t))
            self.room = room
            memset(self.places, 255, 2 * room * sizeof(int32_t))
            for i in range(self.n):
                self.enter(i)
        return 0

    cdef void enter(self, Py_ssize_t rule) noexcept nogil:
        cdef Py_ssize_t at = self.known[rule].hash & (2 * self.room - 1)
        while self.places[at] >= 0:
            at = (at + 1) & (2 * self.room - 1)
        self.places[at] = <int32_t> rule


def numbers_of_rules(const int64_t[::1] start, const int64_t[::1] marks, const int32_t[::1] classes):
    """The number of each rule, from 0 in the order in which they come, the same for those that are the same.

    Parameters
    ----------
    start, marks : int64 arrays
        The conditions of rule i have the marks ``marks[start[i]:start[i + 1]]``.
    classes : int32 array
    """
    cdef SameRules same = SameRules()
    cdef Py_ssize_t i, n = classes.shape[0]
    cdef int64_t[::1] result = np.empty(n, dtype=np.int64)
    if start.shape[0] != n + 1 or start[0] != 0 or start[n] != marks.shape[0] or np.any(np.diff(start) < 0):
        raise ValueError("the rules do not share out the conditions")
    for i in range(n):
        result[i] = same.place_of(classes[i], &marks[0] + start[i] if marks.shape[0] else NULL, start[i + 1] - start[i])
    return np.asarray(result)
