# Rules that are the same; same_rules.pyx explains it.

from libc.stdint cimport int32_t, int64_t, uint64_t

from ctree_ext.base.memory cimport Memory


ctypedef struct Known:
    # A rule: a hash of all that follows, where its conditions end, and its class.
    uint64_t hash
    Py_ssize_t end
    int32_t cls


cdef class SameRules:
    cdef Memory memory
    cdef Py_ssize_t n, room, n_marks, room_marks
    cdef Known* known        # [room] in the order in which they came
    cdef int64_t* marks      # [room_marks] of their conditions
    cdef int32_t* places     # [2 * room] a hash table of their numbers, -1 for none

    cdef Py_ssize_t place_of(self, int cls, const int64_t* marks, Py_ssize_t n) except -1 nogil
    cdef int make_room(self, Py_ssize_t n) except -1 nogil
    cdef void enter(self, Py_ssize_t rule) noexcept nogil
