from ctree_ext.lattice.search_space cimport SearchSpace


cdef class Lattice(SearchSpace):
    cdef readonly object lock  # for levels, scratch and objective, which serve one caller at a time

    cdef int begin(self, int objective, double spent) except -1
    cdef int resume(self, int objective) except -1
    cdef int go_to(self, items) except -1
    cdef Py_ssize_t first_case(self, Py_ssize_t depth) except -1
    cdef bint is_turned(self, Py_ssize_t case, Py_ssize_t test, Py_ssize_t other) noexcept nogil
    cdef int sums_below(self, Py_ssize_t depth, double[::1] sides) except -1
