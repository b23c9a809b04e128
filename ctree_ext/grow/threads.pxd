# Threads that share the work of growing a tree.

cdef class Team:
    cdef readonly int n_threads
    cdef object pool           # None outside of growing, and for one thread
    cdef volatile int stop     # set to make every thread give up
    cdef object error          # the first of those that are spread

    cdef int share(self, work, list arguments) except -1
    cdef int spread(self, work, list arguments) except -1
