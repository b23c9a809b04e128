# The answers of a query with a test added.

from ctree_ext.base.memory cimport Memory
from ctree_ext.relational.answers cimport Answers
from ctree_ext.relational.linked cimport Linked
from ctree_ext.relational.query_test cimport QueryTest

cdef int add_test(const Linked* linked, const Answers* answers, const QueryTest* test, Answers* result,
                  Memory memory, Py_ssize_t limit) except -1 nogil
