# Conditions that two terms stand for the same row.

from libc.stdint cimport int32_t

from ctree_ext.base.memory cimport Memory
from ctree_ext.relational.answers cimport Answers
from ctree_ext.relational.linked cimport Linked
from ctree_ext.relational.query_test cimport QueryTest
from ctree_ext.relational.search cimport Search

cdef enum:
    TOO_MANY = -3

cdef bint score_same(Search* search, const Answers* answers, const int32_t* rows, Py_ssize_t max_rows) noexcept nogil
cdef int check_same(const Linked* linked, Answers* answers, const QueryTest* test, Memory memory,
                    Py_ssize_t limit) except -2 nogil
cdef void mark_same(const Linked* linked, const Answers* answers, const QueryTest* test, int bag,
                    unsigned char* stays) noexcept nogil
