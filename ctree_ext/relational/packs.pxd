from libc.stdint cimport int32_t

from ctree_ext.base.interrupts cimport Watch
from ctree_ext.base.memory cimport Memory
from ctree_ext.relational.answers cimport Answers
from ctree_ext.relational.search cimport Search

cdef enum:
    N_ROOMS = 9


ctypedef struct Room:
    # An array of scratch that grows as it is needed.
    int32_t* at
    Py_ssize_t size


cdef class PackSearch:
    cdef Search search
    cdef Memory memory
    cdef Watch watch
    cdef Room[N_ROOMS] rooms
    cdef int lookahead
    cdef int max_variables
    cdef Py_ssize_t max_rows
    cdef Py_ssize_t skipped      # steps that were left out

    cdef int32_t* room(self, int number, Py_ssize_t n) except NULL nogil
    cdef int tick(self, Py_ssize_t work) except -1 nogil
    cdef int run(self, Answers* answers, const double* totals, Py_ssize_t n_examples) except -1 nogil
    cdef int conditions(self, Answers* answers, int variable) except -1 nogil
    cdef int aggregates(self, Answers* answers, int variable) except -1 nogil
    cdef int same_rows(self, const Answers* answers, int variable, int table, const int32_t* rows) except -1 nogil
    cdef int one_step(self, Answers* answers, int variable) except -1 nogil
    cdef int two_steps(self, Answers* answers, int variable) except -1 nogil
    cdef int second_steps(self, Answers* answers) except -1 nogil
    cdef bint step(self, Answers* answers, int number, int variable, int path, const int32_t* rows,
                   int link) except -1 nogil
