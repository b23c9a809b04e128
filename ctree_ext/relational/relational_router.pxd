from libc.stdint cimport int32_t

from ctree_ext.base.interrupts cimport Watch
from ctree_ext.base.memory cimport Memory
from ctree_ext.relational.answers cimport Answers
from ctree_ext.relational.linked cimport LinkedArrays
from ctree_ext.relational.query_test cimport QueryTest


cdef class RelationalRouter:
    cdef LinkedArrays tables
    cdef const int32_t[::1] first_branch
    cdef const int32_t[:, ::1] tests
    cdef const double[::1] threshold
    cdef int target
    cdef Py_ssize_t max_rows

    cdef QueryTest test_of(self, Py_ssize_t node) noexcept nogil
    cdef int check_test(self, const QueryTest* test, const Answers* answers) except -1 nogil
    cdef int term_table(self, const Answers* answers, int n_variables, const QueryTest* test, int variable,
                        int path) except -1 nogil
    cdef int route(self, const int32_t* rows, Py_ssize_t n, int32_t* leaf, Memory memory) except -1 nogil
