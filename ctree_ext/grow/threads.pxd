# Threads that share the work of growing a tree.

from ctree_ext.base.cases cimport Cases


cdef class Team:
    cdef readonly int n_threads
    cdef object pool           # None outside of growing, and for one thread
    cdef volatile int stop     # set to make every thread give up
    cdef object error          # the first of those that are spread

    cdef int share(self, work, list arguments) except -1
    cdef int spread(self, work, list arguments) except -1


cdef class Backlog:
    cdef list tasks            # (size, task)
    cdef Py_ssize_t most, size, largest

    cdef int add(self, task, Py_ssize_t size) except -1
    cdef bint is_full(self) noexcept nogil
    cdef list take(self)


cdef inline bint is_small(const Cases* cases, Py_ssize_t n, double weight, Py_ssize_t most) noexcept nogil:
    # Whether a subtree of so many cases is left to threads. A case of unknown outcome is in every branch, with a part of its
    # weight, and that, rather than how many such cases there are, says how much is still below.
    return n <= most or (cases.weights == NULL and weight <= most)
