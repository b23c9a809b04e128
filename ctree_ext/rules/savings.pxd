# What each change of the chosen rules would save; savings.pyx explains it.

from libc.stdint cimport int32_t

from ctree_ext.base.memory cimport Memory
from ctree_ext.rules.changes cimport Changes
from ctree_ext.rules.code_length cimport RoughExceptions


ctypedef struct Change:
    # What adding or dropping a rule would change: how many cases only it covers if it is chosen, or no chosen one if it is
    # not, of other classes and of its own. These cases are the same before and after, so only others have to be counted.
    int32_t[2] cases
    Py_ssize_t touched_in      # the step in which that was last another


ctypedef struct Estimates:
    # Of rules to be added, or of those to be dropped: a heap or a rule in each place.
    Py_ssize_t n
    int32_t* of          # its `Changes` number
    double* merit        # what is saved on the best rule itself, doubled
    double* estimate     # what is saved on it and on exceptions, less what `drift` makes of `moved` until then
    double* drift        # by how much that can have grown for each case that has come or gone
    double* until        # as long as no more have: after that, it can be anything
    double* most         # what it is at most
    Py_ssize_t* at       # the `coverage` for which it was estimated


cdef class Savings:
    cdef Memory memory
    cdef Py_ssize_t n_all, n_own
    cdef Changes changes
    cdef const Change* change      # of each rule
    cdef RoughExceptions rough
    cdef Estimates[2] sides        # added, dropped
    cdef int32_t* place            # of each heap and rule, -1 for none
    cdef int32_t* found
    cdef Py_ssize_t others, own, coverage     # what is covered, and how often that has changed
    cdef double exceptions         # the bits for them
    cdef double moved              # how many cases have come or gone since they were counted anew

    cdef void clear(self, Py_ssize_t others, Py_ssize_t own) noexcept nogil
    cdef void move(self, Py_ssize_t others, Py_ssize_t own) noexcept nogil
    cdef void count_anew(self) noexcept nogil
    cdef void update(self) noexcept nogil
    cdef void put(self, int32_t number) noexcept nogil
    cdef void take_out(self, int side, Py_ssize_t place) noexcept nogil
    cdef void estimate(self, int side, Py_ssize_t place) noexcept nogil
    cdef void bound(self, Estimates* side, Py_ssize_t place, Py_ssize_t others, Py_ssize_t own) noexcept nogil
    cdef Py_ssize_t nearly_best(self, const double* base, double tolerance, int32_t* numbers, double* savings) noexcept nogil
    cdef double most_of(self, Py_ssize_t rule, const double* base) noexcept nogil
